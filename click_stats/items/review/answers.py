"""What reviewers sent back: read, and checked in one go."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers.normalise import collapse
from click_stats.errors import DataError
from click_stats.items.review.codes import WRONG_KEY, codes, fault, read_code
from click_stats.items.review.sheet import read_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.review.packet import Packet, Sheet
    from click_stats.items.table import ItemTable

NEEDED = ("id", "answer", "code")
FINAL = ("item", "final answer", "final code")
"""Columns that tell a filled adjudication from the sheet of a reviewer."""
SHOWN = 8
"""Faults named in a message; of the others only the number is told."""


class Opinion(NamedTuple):
    """What one reviewer says of one item; ``answer`` holds places of options in the source, increasing."""

    reviewer: str
    item: str
    answer: tuple[int, ...]
    code: str
    remark: str


def is_adjudication(path: str | Path) -> bool:
    """Tell whether a file is a filled adjudication."""
    rows = read_table(path)
    return bool(rows) and set(FINAL) <= set(rows[0])


def read_opinions(packet: Packet, items: ItemTable, paths: Sequence[str | Path]) -> list[Opinion]:
    """Read the filled sheets of all reviewers, one file each.

    Raises
    ------
    DataError
        A reviewer's file is missing or given twice, or rows are missing, unknown or contradict themselves: one message
        names them all.
    """
    owner = {row.id: sheet for sheet in packet.sheets for row in sheet.rows}
    found: dict[str, str] = {}
    opinions: list[Opinion] = []
    faults: list[str] = []
    for path in paths:
        name = Path(path).name
        rows = read_table(path)
        lacking = [column for column in NEEDED if not rows or column not in rows[0]]
        if lacking:
            raise DataError(f"{name} is no filled sheet.", found=f"no column {', '.join(lacking)}",
                            do="Give the CSV files that reviewers filled in or saved from the form.")  # fmt: skip
        own = [owner[row["id"]] for row in rows if row.get("id") in owner]
        if not own:
            faults.append(f"{name}: no row is of this packet")
            continue
        sheet = max(packet.sheets, key=own.count)
        if sheet.reviewer in found:
            faults.append(f"{name}: of {sheet.reviewer}, like {found[sheet.reviewer]}")
            continue
        found[sheet.reviewer] = name
        told, wrong = _read(sheet, items, rows)
        opinions += told
        faults += [f"{name}: {one}" for one in wrong]
    missing = [sheet.reviewer for sheet in packet.sheets if sheet.reviewer not in found]
    faults += [f"no file of {reviewer}" for reviewer in missing]
    refuse(faults, "The review cannot be read", blind=True)
    return opinions


def refuse(faults: Sequence[str], what: str, *, blind: bool = False) -> None:
    """Raise DataError that names the faults, and the codes there are; nothing where there are none."""
    if faults:
        more = f"; and {len(faults) - SHOWN} more" if len(faults) > SHOWN else ""
        known = ", ".join(code.code for code in codes(blind=blind))
        raise DataError(
            f"{what}: {len(faults)} {'fault' if len(faults) == 1 else 'faults'}.",
            found="; ".join(faults[:SHOWN]) + more,
            do=f"Mend the files, or have them finished. Codes: {known}.",
        )


def _read(sheet: Sheet, items: ItemTable, rows: Sequence[dict[str, str]]) -> tuple[list[Opinion], list[str]]:
    known = {row.id: row for row in sheet.rows}
    opinions: list[Opinion] = []
    faults: list[str] = []
    seen: set[str] = set()
    for given in rows:
        id_ = given.get("id", "")
        if id_ not in known:
            faults.append(f"unknown id {id_!r}")
            continue
        if id_ in seen:
            faults.append(f"{id_}: twice")
            continue
        seen.add(id_)
        row = known[id_]
        code = read_code(given.get("code", ""))
        if code is None or code == WRONG_KEY:
            said = given.get("code", "")
            faults.append(f"{id_}: {f'no code {said!r}' if said else 'no code'}")
            continue
        places = read_answer(given.get("answer", ""), items.labels(row.item), row.options)
        if places is None:
            faults.append(f"{id_}: no option {given.get('answer', '')!r}")
            continue
        wrong = fault(code, len(places))
        if wrong:
            faults.append(f"{id_}: {wrong}")
            continue
        opinions.append(Opinion(sheet.reviewer, row.item, places, code, given.get("remark", "")))
    lost = [id_ for id_ in known if id_ not in seen]
    if lost:
        faults.append(f"{len(lost)} items are missing ({', '.join(lost[:3])}{', ...' if len(lost) > 3 else ''})")
    return opinions, faults


def read_answer(text: str, labels: Sequence[str], shown: Sequence[int]) -> tuple[int, ...] | None:
    """Return the places in the source of the options that a person named, e.g. ``A C``; None when one is unknown.

    ``shown``: places in the source in the order in which the options were shown.
    """
    order = list(shown)
    named = [part for part in re.split(r"[\s,;/·]+", collapse(text).upper()) if part]
    if any(part not in labels for part in named):
        return None
    return tuple(sorted({int(order[labels.index(part)]) for part in named}))
