"""Columns of an item file: other names of ours, options in one column or in several."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError
from click_stats.items.gold import COLUMNS as GOLD_COLUMNS
from click_stats.items.table import ACCEPTED, KEY_COLUMNS, TEXT_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SYNONYMS = {"paragraph": "passage", "choices": "options"}
"""Names in the dataset's own files, and ours."""
ONE_OPTION = re.compile(r"option_(\d+)")
STRIPPED = {"item", "labels", ACCEPTED, *KEY_COLUMNS}
"""Columns in which blanks around a value mean nothing. Texts and the answer stay as they are written."""


def row(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row under our names, its options as a list (or as they are, when they are no list)."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        own = SYNONYMS.get(name.strip(), name.strip())
        found[own] = value.strip() if own in STRIPPED and isinstance(value, str) else value
    if isinstance(accepted := found.get(ACCEPTED), list):
        found[ACCEPTED] = " ".join(accepted)
    options = found.get("options")
    if isinstance(options, str) and options.lstrip().startswith("["):
        found["options"] = _list(options)
    several = {int(match[1]): found.pop(name) for name in list(found) if (match := ONE_OPTION.fullmatch(name))}
    if several and not options:
        # One column per option, as spreadsheets have it: the blanks after the last option are no options.
        texts = [several[number] for number in sorted(several)]
        while texts and not texts[-1]:
            texts.pop()
        found["options"] = texts
    return found


def _list(text: str) -> Any:
    try:
        parts = json.loads(text, parse_int=str, parse_float=str)
    except ValueError:
        return text
    return parts if all(isinstance(part, str) for part in parts) else text


def require(names: Sequence[str], where: str) -> None:
    """Raise DataError, naming what is missing and what is there, when an item table cannot be made."""
    with_text = has_text(names)
    needed = ["id", "category", *(["options"] if with_text else ["n_options", "gold"])]
    missing = [name for name in needed if name not in names]
    if with_text and not set(GOLD_COLUMNS) & set(names):
        missing.append("answer (or gold, or label)")
    if missing:
        raise DataError(
            f"{where} lacks columns that an item table needs.",
            found=f"missing: {', '.join(missing)}; there: {', '.join(names)}",
            do="With texts: id, category, question, options, answer. Keys only: id, category, n_options, gold.",
        )


def has_text(names: Sequence[str]) -> bool:
    """Whether these columns are those of a table with texts."""
    return "question" in names


def users(names: Sequence[str]) -> list[str]:
    """Return the columns that are neither ours nor the key: the user's own."""
    known = {"item", *KEY_COLUMNS, *TEXT_COLUMNS, *GOLD_COLUMNS}
    return [name for name in names if name not in known]
