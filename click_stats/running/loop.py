"""Asks a backend what is planned and not yet stored."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click_stats.adapters.base import KeyHolder
from click_stats.answers.policies import check_policy
from click_stats.errors import DataError, MissingDependencyError, UsageError
from click_stats.running.condition import SIMULATED
from click_stats.running.manifest import lasting, make_manifest, session_facts
from click_stats.running.mapping import row_of
from click_stats.running.progress import Progress, RunSummary
from click_stats.trials.schema import DEFAULT_CONDITION
from click_stats.trials.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.base import Adapter, Response
    from click_stats.items.table import ItemTable
    from click_stats.protocol import Plan
    from click_stats.protocol.request import Key, Request

SYNC_SECONDS = 0.5
"""Rows are written at once, which a killed process cannot undo, and synced against a loss of power this often."""


def make_adapter(backend: Backend) -> Adapter:
    """Make the adapter of a backend.

    Raises
    ------
    MissingDependencyError
        A package that it needs is not installed.
    UsageError
        There is no such adapter, or the backend does not suit it.
    """
    from click_stats.adapters.backend import adapters  # noqa: PLC0415 -- looks the entry points up when called

    known = adapters()
    if backend.adapter not in known:
        raise UsageError(
            f"The backend {backend.name} names an adapter that is not there: {backend.adapter!r}.",
            found=", ".join(sorted(known)),
            do="Correct its file, or install the package with that adapter.",
        )
    try:
        return known[backend.adapter](backend)
    except ImportError as error:
        raise MissingDependencyError(
            f"The adapter {backend.adapter} cannot be loaded.",
            found=str(error),
            do="Install what it needs; click-stats backends lists what is missing.",
        ) from error


def run(
    backend: Backend,
    plan: Plan,
    items: ItemTable,
    out: str | Path,
    *,
    policy: str = "paper",
    condition: str = DEFAULT_CONDITION,
    adapter: Adapter | None = None,
    progress: Callable[[Progress], None] | None = None,
    limit: int | None = None,
    only: Sequence[str] | None = None,
    stop: Callable[[], bool] | None = None,
) -> RunSummary:
    """Ask one backend all trials of a plan that are not stored yet.

    Rows are stored as responses arrive. Trials that failed in an earlier session are asked again.

    Parameters
    ----------
    backend
        The model to run.
    plan
        The trials.
    items
        The items that the plan was made from.
    out
        The run's folder is ``OUT/<backend>/``, for a named condition ``OUT/<backend>--<condition>/``.
    policy
        How answers are extracted from texts.
    condition
        What differs on purpose between this and other runs of the model.
    adapter
        What speaks to the model; made from the backend when None. One that was handed over is not closed.
    progress
        Called after every response.
    limit
        Ask this many items only. They are spread over the benchmark, and a larger limit contains a smaller one.
    only
        Keys of the items to ask; the plan stays that of all items, so that a later call can ask the others.
    stop
        Asked before each group of requests is handed out: True ends the run once all that was handed out is stored.

    Raises
    ------
    ClickStatsError
        Nothing can go on. What was answered before is stored; the same call goes on from there.
    """
    if limit is not None and limit < 1:
        raise UsageError("A limit is a number of items, at least 1.", found=str(limit))
    check_policy(policy)
    own = make_adapter(backend) if adapter is None else adapter
    try:
        if own.capabilities.needs_text:
            items.require_text()
        if own.capabilities.simulated and isinstance(own, KeyHolder):
            own.hold(items)
        manifest = make_manifest(backend, own, plan, items, condition=condition, policy=policy)
        with Store.open(folder_of(out, backend.name, condition), manifest, session=session_facts(own)) as store:
            session = _Session(
                backend, plan, store, own, _chosen(items, only, limit), stop or (lambda: False), progress
            )
            return session.go(condition=condition, policy=policy)
    finally:
        if adapter is None:
            own.close()


def folder_of(out: str | Path, name: str, condition: str) -> Path:
    """Return the folder of a run: each named condition has its own, since a folder holds one run."""
    if condition in {DEFAULT_CONDITION, SIMULATED}:
        return Path(out) / name
    safe = "".join(letter if letter.isalnum() or letter in "-_.=+" else "_" for letter in condition)
    return Path(out) / f"{name}--{safe}"


def _chosen(items: ItemTable, only: Sequence[str] | None, limit: int | None) -> frozenset[str] | None:
    """Return the items to ask, None for all; a limit takes those with the smallest hashes, so that limits nest."""
    asked = items if only is None else items.only(only)
    if limit is None or limit >= len(asked):
        return None if only is None else frozenset(map(str, asked.frame.index))
    keys = sorted(map(str, asked.frame.index), key=lambda key: hashlib.sha256(key.encode()).digest())
    return frozenset(keys[:limit])


@dataclass
class _Session:
    """One sitting at a run: from opening the store to closing it."""

    backend: Backend
    plan: Plan
    store: Store
    adapter: Adapter
    items: frozenset[str] | None
    stop: Callable[[], bool]
    progress: Callable[[Progress], None] | None
    stopped: bool = False
    waiting: dict[Key, Request] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    remarks: Counter[str] = field(default_factory=Counter)

    def go(self, *, condition: str, policy: str) -> RunSummary:
        store, started = self.store, time.monotonic()
        total = len(self.plan) if self.items is None else sum(map(len, self._groups()))
        done = before = len(store.done) if self.items is None else sum(key[0] in self.items for key in store.done)
        synced, asked = started, 0
        responses = self.adapter.answer(self._pending())
        try:
            self._tell(done, total, asked, started)
            for response in responses:
                self._take_off(response)
                row = row_of(response, model=self.backend.name, condition=condition, policy=policy)
                store.write([row])
                asked += 1
                done += row["status"] != "failed"
                self._note(row)
                if time.monotonic() - synced > SYNC_SECONDS:
                    store.sync()
                    synced = time.monotonic()
                self._tell(done, total, asked, started)
            if self.waiting:
                raise DataError(
                    f"The adapter {self.backend.adapter} ended without answering all it was asked.",
                    found=f"{len(self.waiting):,} requests, e.g. {next(iter(self.waiting)).item}",
                    do="What was answered is stored. Run the same command again; if it stays so, report the adapter.",
                )
        finally:
            if isinstance(responses, Generator):
                responses.close()  # lets the adapter stop its workers now, not when the object is collected
            store.sync()
        seconds = time.monotonic() - started
        store.end_session(asked=asked, seconds=round(seconds, 3), **self._observed())
        return RunSummary(
            backend=self.backend.name,
            model=self.backend.name,
            condition=condition,
            folder=store.folder,
            total=total,
            done=done,
            asked=asked,
            seconds=seconds,
            cost=self._cost(),
            statuses={status: n for status, n in store.statuses.items() if n},
            interrupted=self.stopped and done < total,
            simulated=self.adapter.capabilities.simulated,
            notes=tuple(self._notes(before)),
        )

    def _groups(self) -> Iterator[tuple[Request, ...]]:
        for group in self.plan.groups():
            if group and (self.items is None or group[0].item in self.items):
                yield tuple(group)

    def _pending(self) -> Iterator[tuple[Request, ...]]:
        """Yield what is not stored, group by group as the adapter asks for it, until a stop is wished."""
        for group in self._groups():
            rest = tuple(request for request in group if request.key not in self.store.done)
            if not rest:
                continue
            if self.stop():
                self.stopped = True
                return
            self.waiting |= {request.key: request for request in rest}
            yield rest

    def _take_off(self, response: Response) -> None:
        """Check that a response is to a request still waiting, and has a score for each option."""
        request = response.request
        n_scores = request.n_options if response.scores is None else len(response.scores)
        if self.waiting.pop(request.key, None) is None or n_scores != request.n_options:
            raise DataError(
                f"The adapter {self.backend.adapter} broke its contract.",
                found=f"{n_scores} scores for {request.n_options} options of {request.item}"
                if n_scores != request.n_options
                else f"an answer that was not asked for, or a second one: {', '.join(map(str, request.key))}",
                do="What was answered before is stored. Report the adapter to its author.",
            )

    def _note(self, row: dict[str, Any]) -> None:
        self.statuses[row["status"]] += 1
        for name in ("input_tokens", "output_tokens"):
            self.tokens[name] += row[name] or 0
        if row.get("note"):
            self.remarks[row["note"]] += 1

    def _cost(self) -> float | None:
        prices = self.backend.prices
        if prices is None:
            return None
        return (self.tokens["input_tokens"] * prices.input + self.tokens["output_tokens"] * prices.output) / 1e6

    def _tell(self, done: int, total: int, asked: int, started: float) -> None:
        if self.progress is not None:
            seconds = time.monotonic() - started
            self.progress(Progress(self.backend.name, done, total, asked, seconds, self.statuses, self._cost()))

    def _observed(self) -> dict[str, Any]:
        """Return what the adapter knows of itself only after it was asked, e.g. the method that suits the model."""
        before = self.store.manifest["adapter"]
        now = {name: value for name, value in lasting(self.adapter).items() if before.get(name) != value}
        return {**session_facts(self.adapter), **({"observed": now} if now else {})}

    def _notes(self, before: int) -> Iterator[str]:
        if before:
            yield f"{before:,} trials were stored before and were not asked again."
        if self.store.fragment is not None:
            yield f"The last line was torn, as after a crash; it was put aside in {self.store.fragment.name}."
        if self.store.statuses["failed"]:
            yield f"{self.store.statuses['failed']:,} trials failed; the same command asks them again."
        for remark, n in self.remarks.most_common(3):
            yield f"{n:,} trials carry a remark: {remark}"
