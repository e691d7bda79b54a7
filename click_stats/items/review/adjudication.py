"""The second stage: items on which reviewers differ, from each other or from the key, shown with key and answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.items.review.answers import FINAL, read_answer, refuse
from click_stats.items.review.codes import FINE, WRONG_KEY, codes, fault, read_code
from click_stats.items.review.judgement import OPEN, against_key, right_places
from click_stats.items.review.sheet import labelled, read_table, table, texts

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click_stats.items.review.answers import Opinion
    from click_stats.items.review.judgement import Judgement
    from click_stats.items.review.packet import Packet
    from click_stats.items.table import ItemTable


def adjudication_table(
    packet: Packet, items: ItemTable, opinions: Sequence[Opinion], judged: Sequence[Judgement]
) -> str:
    """Return the open items as CSV: key, what each reviewer said, texts where there are any, and empty final columns.

    A reviewer's ``fine`` with an answer other than the key stands there as ``wrong key``.
    """
    said = {(one.reviewer, one.item): one for one in opinions}
    shown_code = {one.code: one.label[packet.lang] for one in codes()}
    reviewers = [sheet.reviewer for sheet in packet.sheets]
    n_options = [len(items.labels(entry.item)) for entry in packet.entries]
    options = labelled(items, max(n_options)) if items.has_text else []
    by_reviewer = [f"{name} {what}" for name in reviewers for what in ("answer", "code", "remark")]
    header = [*FINAL, "final remark", "key", *by_reviewer, "category"]
    header += ["passage", "question", *options] if items.has_text else []
    rows = []
    for one in judged:
        if one.decided != OPEN:
            continue
        labels, right = items.labels(one.item), right_places(items, one.item)
        row = [one.item, "", "", "", _named(right, labels)]
        for reviewer in reviewers:
            opinion = said[reviewer, one.item]
            row += [_named(opinion.answer, labels), shown_code[against_key(opinion, right)], opinion.remark]
        found = texts(items, one.item)
        row.append(str(found["category"]))
        if items.has_text:
            shown = [str(text) for text in found["options"]]
            row += [str(found["passage"] or ""), str(found["question"]), *shown, *[""] * (len(options) - len(shown))]
        rows.append(row)
    return table([header, *rows])


def read_adjudication(packet: Packet, items: ItemTable, path: str | Path) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Read a filled adjudication: final code and answer by item; rows left empty stay open.

    Raises
    ------
    DataError
        Rows are unknown or contradict themselves or the key: one message names them all.
    """
    known = {entry.item for entry in packet.entries}
    found: dict[str, tuple[str, tuple[int, ...]]] = {}
    faults: list[str] = []
    for row in read_table(path):
        item, said, named = (row.get(name, "") for name in ("item", "final code", "final answer"))
        if item not in known:
            faults.append(f"unknown item {item!r}")
            continue
        if not said and not named:
            continue
        code, answer = read_code(said), read_answer(named, items.labels(item), range(len(items.labels(item))))
        if code is None or answer is None:
            faults.append(f"{item}: no code {said!r}" if code is None else f"{item}: no option {named!r}")
            continue
        right = right_places(items, item)
        wrong = fault(code, len(answer))
        if not wrong and code == WRONG_KEY and answer[0] in right:
            wrong = "'wrong key', but the answer is the key"
        if not wrong and code == FINE and answer[0] not in right:
            wrong = "'fine', but the answer is not the key"
        if wrong or item in found:
            faults.append(f"{item}: {wrong or 'twice'}")
            continue
        found[item] = (code, answer)
    refuse(faults, "The adjudication cannot be read")
    return found


def _named(places: Sequence[int], labels: Sequence[str]) -> str:
    return " ".join(labels[place] for place in places)
