"""One entry of a dataset's JSON, changed by errata in place: what is not corrected keeps its letters and its blanks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError
from click_stats.items.errata.entries import AlsoAccept, Recategorise, Rekey, Retext
from click_stats.items.patch.spans import elements, members
from click_stats.items.table import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.errata.entries import Erratum
    from click_stats.items.table import ItemTable

NAMES = {"passage": ("paragraph", "passage"), "question": ("question",), "options": ("choices", "options")}
"""Our name of a text, and the fields that may hold it."""


def corrected(text: str, errata: Sequence[Erratum], items: ItemTable) -> str:
    """Return the text of an entry with its corrections.

    Parameters
    ----------
    text
        The entry, a JSON object.
    errata
        What is to be corrected of it; a drop is not for here.
    items
        The items after the corrections: gold and accepted options are theirs.
    """
    for entry in errata:
        row = items.frame.loc[[entry.key]].iloc[0]
        if isinstance(entry, Retext):
            for name in NAMES:
                value = getattr(entry.text, name)
                if value is not None:
                    text = _set(text, _field(text, name), list(value) if name == "options" else value)
        if isinstance(entry, Recategorise) and "category" in members(text):
            text = _set(text, "category", row["category"])
        if isinstance(entry, (Rekey, Retext)):
            text = _set_gold(text, int(row["gold"]), items.labels(entry.key))
        if isinstance(entry, AlsoAccept):
            text = _set(text, ACCEPTED, [int(position) for position in str(row[ACCEPTED]).split()])
    return text


def _field(text: str, name: str) -> str:
    there = members(text)
    found = next((field for field in NAMES[name] if field in there), None)
    if found is None:
        raise DataError(
            f"An entry of the dataset has no field {' or '.join(NAMES[name])} to correct.",
            found=", ".join(there),
            do="Patches are for the dataset's own JSON; correct other tables where they come from.",
        )
    return found


def _set_gold(text: str, gold: int, labels: Sequence[str]) -> str:
    """Set the key where the entry states it: as a position, a label, or the text of the option."""
    there = members(text)
    if "gold" in there:
        text = _set(text, "gold", str(gold) if there["gold"].of(text).startswith('"') else gold)
    if "label" in there:
        text = _set(text, "label", labels[gold])
    if "answer" in there:
        said, options = str(there["answer"].value), members(text)[_field(text, "options")].value
        text = _set(text, "answer", labels[gold] if said.strip() in labels and said not in options else options[gold])
    return text


def _set(text: str, name: str, value: Any) -> str:
    """Return the object with a member set, written as its neighbours are."""
    there = members(text)
    if name in there:
        span = there[name]
        if span.value == value:
            return text  # letter for letter
        return text[: span.start] + _written(value, span.of(text)) + text[span.end :]
    last = list(there.values())[-1]
    first = json.dumps(next(iter(there)), ensure_ascii=False)
    begin = text.index(first)  # the blanks before the first name stand before the new one too
    colon = text[begin + len(first) : next(iter(there.values())).start]
    return f"{text[: last.end]},{text[1:begin]}{json.dumps(name)}{colon}{_written(value, '')}{text[last.end :]}"


def _written(value: Any, before: str) -> str:
    """Return a value as JSON in the manner of the text it replaces: escapes, and the blanks of a list."""
    escaped = "\\u" in before
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=escaped)
    parts = [json.dumps(part, ensure_ascii=escaped) for part in value]
    old = elements(before, 0) if before.startswith("[") else []
    if not old:
        return f"[{', '.join(parts)}]"
    between = before[old[0].end : old[1].start] if len(old) > 1 else ", "
    return before[: old[0].start] + between.join(parts) + before[old[-1].end :]
