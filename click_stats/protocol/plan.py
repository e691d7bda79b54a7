"""A plan: every trial that a protocol asks of a benchmark, counted, digested, and made when it is needed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError, UsageError
from click_stats.folders import whole_file
from click_stats.items.digest import digest
from click_stats.protocol.context import read_context
from click_stats.protocol.few_shot import Shots
from click_stats.protocol.prompt import Question, clean, example, order, prompt
from click_stats.protocol.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import pandas as pd

    from click_stats.items import ItemTable
    from click_stats.protocol.protocol import Protocol

FORM = "plan 1"
"""Changed when the same declarations would give other prompts than before."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Every trial of a protocol over a table of items.

    Attributes
    ----------
    protocol
        How it is asked.
    items
        What is asked; without texts when none are needed.
    replicates
        How often each prompt is asked.
    needs_text
        Whether requests carry prompts.
    context
        Retrieved text by item; empty without.
    """

    protocol: Protocol
    items: ItemTable
    replicates: int
    needs_text: bool
    context: Mapping[str, str]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Rows of the item table that are asked."""
        frame = self.items.frame
        if self.protocol.shown != "question":
            return frame
        if bool(frame["has_passage"].isna().any()):
            raise DataError(
                "It is not known which items have a passage.",
                found="empty cells in the column has_passage",
                do="Hand over items with texts, or fill in the column.",
            )
        return frame[frame["has_passage"].astype(bool)]

    @cached_property
    def _n_by_size(self) -> Counter[int]:
        return Counter(map(int, self.frame["n_options"]))

    @cached_property
    def n_prompts(self) -> int:
        """Number of different prompts: items x wordings x rotations."""
        rotations = sum(len(self.protocol.rotations_of(n)) * count for n, count in self._n_by_size.items())
        return rotations * len(self.protocol.wordings)

    @cached_property
    def n_sequences(self) -> int:
        """Number of prompts with an option each: what a method that scores every option by itself computes."""
        scored = sum(len(self.protocol.rotations_of(n)) * n * count for n, count in self._n_by_size.items())
        return scored * len(self.protocol.wordings)

    @cached_property
    def n_groups(self) -> int:
        """Number of groups of requests: items x wordings."""
        return len(self.frame) * len(self.protocol.wordings)

    @cached_property
    def n_chars(self) -> int:
        """Number of characters of all prompts of the plan with their system prompts; 0 without texts."""
        requests = (request for group in self.groups() for request in group)
        return sum(len(request.prompt) + len(request.system) for request in requests if request.prompt is not None)

    def __len__(self) -> int:
        return self.n_prompts * self.replicates

    @cached_property
    def digest(self) -> str:
        """Fingerprint (16 hexadecimal digits) of all that is asked.

        It changes with every text of a wording, rotation, replicate, setting or item text that is sent, not with
        the order of items, titles and notes, or the key.
        """
        protocol = self.protocol.model_dump(mode="json", exclude={"name", "title", "note", "wording", "context"})
        texts = {
            name: wording.model_dump(mode="json", exclude={"origin", "note"})
            for name, wording in self.protocol.texts().items()
        }
        asked = {**protocol, "replicates": self.replicates, "texts": texts, "needs_text": self.needs_text}
        rows = sorted("\x1e".join(self._digested(str(item))) for item in self.frame.index)
        return digest([FORM, json.dumps(asked, sort_keys=True, ensure_ascii=False), *rows])

    def _digested(self, item: str) -> list[str]:
        parts = [item, *self.items.labels(item)]
        if self.needs_text:
            question = self.question(item)
            parts += [question.passage, question.question, *question.options, question.context]
            if self.protocol.few_shot:  # examples show the key, and keep apart what shares a passage
                parts += [str(question.gold), str(self.items.frame.loc[item, "cluster"])]
        return parts

    @cached_property
    def _rows(self) -> dict[str, Any]:
        columns = ["passage", "question", "options", "gold"]
        return {str(row[0]): row[1:] for row in self.items.frame[columns].itertuples(name=None)}

    def question(self, item: str) -> Question:
        """Return the texts of an item, as they are sent."""
        passage, question, options, gold = self._rows[item]
        return Question(
            clean(passage or ""),
            clean(question),
            tuple(map(clean, options)),
            self.items.labels(item),
            int(gold),
            self.context.get(item, ""),
        )

    @cached_property
    def _shots(self) -> Shots | None:
        return Shots(self.protocol.few_shot, self.items.frame) if self.protocol.few_shot else None

    def examples(self, item: str) -> list[tuple[str, int]]:
        """Return the items shown as examples before ``item``, and the rotation of each; none without few-shot."""
        return self._shots.draw(item) if self._shots else []

    def groups(self) -> Iterator[tuple[Request, ...]]:
        """Give the requests, one tuple per item and wording, made one after the other."""
        for item in map(str, self.frame.index):
            question = self.question(item) if self.needs_text else None
            shots = [(self.question(other), r) for other, r in self.examples(item)] if self.needs_text else []
            for wording in self.protocol.wordings:
                yield tuple(self._group(item, wording, question, shots))

    def _group(
        self, item: str, name: str, question: Question | None, shots: list[tuple[Question, int]]
    ) -> Iterator[Request]:
        labels = self.items.labels(item)
        wording = self.protocol.texts()[name]
        shown_before = [example(wording, self.protocol, other, r) for other, r in shots]
        for rotation in self.protocol.rotations_of(len(labels)):
            text: str | None = None
            shown: tuple[str, ...] = ()
            if question is not None:
                text = prompt(wording, self.protocol, question, rotation, shown_before)
                shown = tuple(question.options[original] for original in order(len(labels), rotation))
            for replicate in range(self.replicates):
                yield Request(
                    item=item,
                    wording=name,
                    rotation=rotation,
                    replicate=replicate,
                    n_options=len(labels),
                    labels=labels,
                    prompt=text,
                    shown=shown,
                    system=self.protocol.system,
                    chat_template=self.protocol.chat_template,
                )

    def remarks(self) -> list[str]:
        """Return sentences that must stand beside every result of this plan."""
        ours = [name for name, wording in self.protocol.texts().items() if wording.origin == "click-stats"]
        users = [name for name, wording in self.protocol.texts().items() if wording.origin == "user"]
        found = []
        if ours:
            found.append(f"Wordings by click-stats, not the paper's: {', '.join(ours)}.")
        if users:
            found.append(f"Wordings of the user's own: {', '.join(users)}.")
        if self.protocol.note:
            found.append(self.protocol.note)
        return found

    def facts(self) -> dict[str, Any]:
        """Return what manifests and reports say of the plan; no text of an item is in it."""
        protocol = self.protocol
        shots = protocol.few_shot
        thought = protocol.chain_of_thought
        return {
            "protocol": protocol.name,
            "title": protocol.title,
            "plan_digest": self.digest,
            "wordings": [
                {
                    "name": name,
                    "origin": wording.origin,
                    "digest": digest([wording.model_dump_json(exclude={"origin", "note"})]),
                    "note": wording.note,
                }
                for name, wording in protocol.texts().items()
            ],
            "rotations": list(protocol.rotations) if isinstance(protocol.rotations, tuple) else protocol.rotations,
            "replicates": self.replicates,
            "shown": protocol.shown,
            "shots": shots.n if shots else 0,
            "few_shot": shots.model_dump(mode="json") if shots else None,
            "chain_of_thought": thought.model_dump(mode="json") if thought else None,
            "context": {"file": protocol.context.file.name, "items": len(self.context)} if protocol.context else None,
            "system": protocol.system,
            "chat_template": protocol.chat_template,
            "conditions": list(protocol.conditions()),
            "benchmark": self.items.definition.name,
            "item_revision": self.items.definition.revision,
            "item_digest": self.items.digest,
            "n_items": len(self.frame),
            "n_prompts": self.n_prompts,
            "n_trials": len(self),
            "n_sequences": self.n_sequences,
            "n_groups": self.n_groups,
            "remarks": self.remarks(),
        }

    def write_prompts(self, path: Path, *, force: bool = False) -> int:
        """Write every prompt as a line of JSON and return their number.

        Each line holds the key (``item, wording, rotation, replicate``), ``system``, ``prompt``, ``labels``,
        ``options`` in shown order, ``original`` (the original index of each) and ``gold_label`` as displayed. Add a
        column ``label`` with the label answered and ``model``, and the file can be imported.

        Raises
        ------
        DataError
            The items have no texts, or the file cannot be written.
        UsageError
            The file exists and ``force`` is not given, or the plan was made without prompts.
        """
        self.items.require_text()
        if not self.needs_text:
            raise UsageError("This plan was made without prompts.", do="Plan again with needs_text=True.")
        written = 0
        with whole_file(path, force=force) as building, building.open("w", encoding="utf-8", newline="\n") as file:
            for group in self.groups():
                for request in group:
                    file.write(json.dumps(self._line(request), ensure_ascii=False) + "\n")
                    written += 1
        return written

    def _line(self, request: Request) -> dict[str, Any]:
        original = order(request.n_options, request.rotation)
        gold = int(self.items.frame.loc[request.item, "gold"])  # type: ignore[arg-type]
        return {
            **request.key._asdict(),
            "system": request.system,
            "prompt": request.prompt,
            "labels": request.labels,
            "options": request.shown,
            "original": original,
            "gold_label": request.labels[original.index(gold)],
        }


def plan(protocol: Protocol, items: ItemTable, *, replicates: int | None = None, needs_text: bool = True) -> Plan:
    """Plan a protocol over a table of items.

    Parameters
    ----------
    protocol, items
        How and what is asked.
    replicates
        How often each prompt is asked; the protocol's number when None.
    needs_text
        Whether requests must carry prompts. False for adapters that need no texts: then the packaged keys do.

    Raises
    ------
    DataError
        Texts are needed and the table has none, an item has no retrieved context, or there is nothing to ask.
    UsageError
        The protocol does not fit the items, or ``replicates`` is less than 1.
    """
    if needs_text:
        items.require_text()
    times = protocol.replicates if replicates is None else replicates
    if times < 1:
        raise UsageError("Every prompt is asked at least once.", found=f"replicates: {times}")
    found = Plan(protocol, items, times, needs_text, {})
    if not len(found):
        raise DataError(
            f"The protocol {protocol.name!r} has nothing to ask of these items.",
            found=f"{len(items)} items" + (", none with a passage" if len(items) else ""),
            do="Hand over other items, or use another protocol.",
        )
    if protocol.context and needs_text:
        asked = items.frame if protocol.few_shot else found.frame  # examples show their context too
        found = replace(found, context=read_context(protocol.context, map(str, asked.index)))
    if protocol.few_shot and needs_text:
        for item in map(str, found.frame.index):
            found.examples(item)  # a category with too few items is told before anything is asked
    return found
