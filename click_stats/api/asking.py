"""Ask models: protocols, plans, backends, runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.api.reading import read_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.estimate import Estimate
    from click_stats.adapters.listing import Listed
    from click_stats.errors import ClickStatsError
    from click_stats.items import ItemTable
    from click_stats.protocol import Plan, Protocol
    from click_stats.running import Progress as RunProgress
    from click_stats.running import RunSummary

    PathLike = str | Path


def protocols(content: Sequence[Path] = ()) -> list[str]:
    """Return the names of the protocols; folders in ``content`` may hold ``protocols/NAME.toml`` of one's own."""
    from click_stats import protocol

    return protocol.protocol_names(content)


def plan(
    protocol: str | Protocol = "paper",
    items: ItemTable | None = None,
    *,
    replicates: int | None = None,
    content: Sequence[Path] = (),
) -> Plan:
    """Plan every trial of a protocol: count, digest and, with texts, make its prompts.

    Parameters
    ----------
    protocol
        Name of a protocol, path of a TOML file, or the value itself.
    items
        What is asked; CLIcK's packaged key table by default. Without texts the plan has no prompts.
    replicates
        How often each prompt is asked; the protocol's number by default.
    content
        Folders searched for declarations before the packaged ones.

    Raises
    ------
    UsageError
        There is no such protocol, it has a wrong form, or it does not fit the items.
    DataError
        The protocol shows context that some items do not have.
    """
    from click_stats import protocol as protocols_

    declared = protocols_.read_protocol(protocol, content) if isinstance(protocol, str) else protocol
    table = read_items() if items is None else items
    return protocols_.plan(declared, table, replicates=replicates, needs_text=table.has_text)


def find_backend(name: str, *, content: Sequence[Path] = ()) -> Backend:
    """Return a backend by name, or one written in place, e.g. ``openai:MODEL``.

    Raises
    ------
    UsageError
        There is none; similar names are suggested.
    """
    from click_stats.adapters import backend

    return backend.find_backend(name, content)


def backends(content: Sequence[Path] = ()) -> list[Listed]:
    """Return the backends there are, with what each lacks here; see ``click-stats backends``."""
    from click_stats.adapters import listing

    return listing.list_backends(content)


def estimate(
    plan: Plan, backend: Backend, *, chars_per_token: float | None = None, output_tokens: int | None = None
) -> Estimate:
    """Estimate tokens and cost of a plan; see :func:`click_stats.adapters.estimate.estimate`."""
    from click_stats.adapters import estimate as estimates

    return estimates.estimate(plan, backend, chars_per_token=chars_per_token, output_tokens=output_tokens)


def run(
    backends: str | Backend | Sequence[str | Backend],
    items: ItemTable | None = None,
    *,
    out: PathLike,
    protocol: str | Protocol = "paper",
    replicates: int | None = None,
    settings: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    condition: str | None = None,
    policy: str = "paper",
    limit: int | None = None,
    only: Sequence[str] | None = None,
    content: Sequence[Path] = (),
    progress: Callable[[RunProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    failed: Callable[[str, ClickStatsError], None] | None = None,
) -> list[RunSummary]:
    """Ask models what a protocol plans; what is stored already is not asked again.

    Parameters
    ----------
    backends
        Names of backends, backends written in place (``transformers:PATH_OR_ID``), or the values themselves.
    items
        What is asked; CLIcK's packaged key table by default, which suffices for simulated models only.
    out
        Each run has its folder in this one; read them with :func:`read_trials`.
    protocol, replicates
        How it is asked, and how often each prompt.
    settings
        Request settings (effort, thinking, max tokens, ...) on top of the backend's; they name the condition.
    options
        Settings of the adapter itself (method, dtype, concurrency, ...) on top of the backend's.
    condition
        Name of the condition, in place of one made of ``settings`` and the protocol.
    policy
        How answers are extracted from texts: ``paper`` or ``lenient``.
    limit
        Ask this many items only, spread over the benchmark.
    only
        Keys of the items to ask (:func:`read_keys`), e.g. of a short form.
    content
        Folders searched for declarations before the packaged ones.
    progress
        Called after every response.
    stop
        Asked before requests are handed out; True ends the call once what was handed out is stored.
    failed
        Called with the name of a backend that cannot go on, and why; then the others are run. None: raise.

    Returns
    -------
    list
        What became of each run, in order; shorter than ``backends`` when stopped or failed.

    Raises
    ------
    ClickStatsError
        Nothing can go on. What was answered is stored, and the same call goes on from there.
    """
    from click_stats import protocol as protocols_
    from click_stats.adapters.backend import Backend
    from click_stats.running.session import run_all

    declared = protocols_.read_protocol(protocol, content) if isinstance(protocol, str) else protocol
    named = [backends] if isinstance(backends, (str, Backend)) else backends
    return run_all(
        [find_backend(name, content=content) if isinstance(name, str) else name for name in named],
        declared,
        read_items() if items is None else items,
        out,
        replicates=replicates,
        settings=settings or {},
        options=options or {},
        condition=condition,
        policy=policy,
        limit=limit,
        only=only,
        progress=progress,
        stop=stop,
        failed=failed,
    )
