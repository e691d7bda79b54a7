"""Tables as text for a terminal, lined up where Korean letters take two columns."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.render.table import Shown, Table

GAP = "  "


def width(text: str) -> int:
    """Return the number of terminal columns that ``text`` takes."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def write(table: Table) -> str:
    """Return caption, headings, rows and notes as lines without trailing spaces."""
    heads = [column.label for column in table.columns]
    rows = [[_plain(cell) for cell in row] for row in table.shown()]
    widths = [max(map(width, column)) for column in zip(heads, *rows, strict=True)]
    aligns = [column.align for column in table.columns]

    def line(cells: list[str]) -> str:
        padded = [
            " " * (wide - width(cell)) + cell if align == "right" else cell + " " * (wide - width(cell))
            for cell, wide, align in zip(cells, widths, aligns, strict=True)
        ]
        return GAP.join(padded).rstrip()

    lines = [table.caption, ""] if table.caption else []
    lines += [line(heads), GAP.join("-" * wide for wide in widths), *map(line, rows)]
    notes = [f"({mark}) {note}" if mark else note for mark, note in table.below()]
    if notes:
        lines += ["", *notes]
    return "\n".join(lines) + "\n"


def _plain(cell: Shown) -> str:
    return f"{cell.text} ({cell.mark})" if cell.mark else cell.text
