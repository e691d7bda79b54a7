"""Tables as CSV: raw values (shares of 1, twelve digits) under the names of the glossary."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from click_stats.render.numbers import undefined
from click_stats.render.table import SEVERAL, Cell
from click_stats.results import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.table import Column, Table

NOTE = "note"


def write(table: Table) -> str:
    """Return the table as CSV text; footnotes of a row's cells stand in a last column ``note``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    noted = bool(table.footnotes)
    writer.writerow([name for column in table.columns for name in names(column)] + [NOTE] * noted)
    for row in table.rows:
        values = [value for column, cell in zip(table.columns, row, strict=True) for value in _values(column, cell)]
        notes = dict.fromkeys(cell.note for cell in row if isinstance(cell, Cell) and cell.note)
        writer.writerow(values + ["; ".join(notes)] * noted)
    return out.getvalue()


def names(column: Column) -> tuple[str, ...]:
    """Return the CSV names of a column: two for an interval."""
    if column.kind not in SEVERAL:
        return (column.key,)
    return column.fields or tuple(column.key + ending for ending in SEVERAL[column.kind])


def _values(column: Column, cell: Any) -> Iterator[Any]:
    value = cell.value if isinstance(cell, Cell) else cell
    if column.kind in SEVERAL:
        parts = [None] * len(names(column)) if undefined(value) else value
        yield from map(_plain, parts)
    else:
        yield _plain(value)


def _plain(value: Any) -> Any:
    value = plain(value)
    return "" if value is None else value
