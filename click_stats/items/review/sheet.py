"""Tables for people to fill in: CSV that spreadsheets open, and read back whatever they made of it."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError
from click_stats.items.raw import decode

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from click_stats.items.review.packet import Sheet
    from click_stats.items.table import ItemTable

MARK = "\ufeff"
"""Begins a CSV file: without it Excel takes UTF-8 for another encoding."""
SEPARATORS = ",;\t"
FORMULAS = ("=", "+", "-", "@")
"""Signs at the begin of a cell that make a spreadsheet compute it."""


def sheet_table(items: ItemTable, sheet: Sheet, categories: dict[str, str]) -> str:
    """Return the sheet of one reviewer as CSV: texts, and empty columns ``answer``, ``code`` and ``remark``.

    ``categories``: what each category is called in the language of the reviewer.
    """
    widest = max(len(row.options) for row in sheet.rows)
    header = ["id", "answer", "code", "remark", "category", "passage", "question", *labelled(items, widest)]
    rows = []
    for row in sheet.rows:
        found = texts(items, row.item)
        shown = [str(found["options"][place]) for place in row.options]
        category = categories.get(str(found["category"]), str(found["category"]))
        passage, question = str(found["passage"] or ""), str(found["question"])
        rows.append([row.id, "", "", "", category, passage, question, *shown, *[""] * (widest - len(shown))])
    return table([header, *rows])


def labelled(items: ItemTable, widest: int) -> list[str]:
    """Return names of columns for options, by the labels of the benchmark."""
    own = next(labels for item in map(str, items.frame.index) if len(labels := items.labels(item)) >= widest)
    return [f"option {label}" for label in own[:widest]]


def texts(items: ItemTable, item: str) -> pd.Series[Any]:
    """Return the row of an item."""
    return items.frame.loc[[item]].iloc[0]


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as CSV for a spreadsheet: texts that it would compute begin with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([f"'{cell}" if cell.startswith(FORMULAS) else cell for cell in row] for row in rows)
    return MARK + out.getvalue()


def read_table(path: str | Path) -> list[dict[str, str]]:
    """Read a filled table: UTF-8 or CP949, separated by commas, semicolons or tabs; names of columns in lower case.

    Raises
    ------
    DataError
        The file cannot be read, or is no CSV.
    """
    where = Path(path)
    try:
        text = decode(where).removeprefix(MARK)
    except OSError as error:
        raise DataError(f"The file {where} cannot be read.", found=error.strerror or str(error)) from error
    first = text.splitlines()[0] if text.strip() else ""
    separator = max(SEPARATORS, key=first.count)
    try:
        lines = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if any(row)]
    except csv.Error as error:
        raise DataError(f"{where} is no CSV.", found=str(error), do="Save the sheet as CSV.") from error
    if not lines:
        raise DataError(f"The file {where} is empty.", do="Save the filled sheet as CSV.")
    header = [name.strip().casefold() for name in lines[0]]
    return [{name: value.strip() for name, value in zip(header, row, strict=False) if name} for row in lines[1:]]
