"""Tables as pandoc pipe tables, the form that Quarto and the built-in engine both read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from click_stats.render.formats.text import width
from click_stats.render.markdown_text import escape
from click_stats.render.table import SEVERAL

if TYPE_CHECKING:
    from click_stats.render.table import Column, Shown, Table

NOTES = "::: {.table-notes .figure-how}"
"""Notes of a document look like the lines that say how to read a figure."""
NARROW = 3
HEADER = 4
WIDE = 36
"""Letters beyond which words do not make a column any wider."""
NO_BREAK = "\u00a0"
_INTERVAL = re.compile(r"\[([^\s\[\]]+), ([^\s\[\]]+)\]")


def write(table: Table) -> str:
    """Return the table, its caption with the id, and its notes as the lines of one paragraph.

    The dashes below the headings are as long as what cannot be broken: pandoc takes the relative widths of columns
    from them when a table is too wide for a line. An interval is never broken.
    """
    heads = [escape(column.label) for column in table.columns]
    shown = [
        [_whole(cell) if column.kind in SEVERAL else cell for cell, column in zip(row, table.columns, strict=True)]
        for row in table.shown()
    ]
    rows = [[_cell(cell) for cell in row] for row in shown]
    if table.anchors:
        rows = [[f"[{first}]{{#{anchor}}}", *rest] for anchor, (first, *rest) in zip(table.anchors, rows, strict=True)]
    wide = [
        max(NARROW, _longest_word(column.label), *(_width(row[place], column) for row in shown))
        for place, column in enumerate(table.columns)
    ]
    rules = [
        f"{'-' * (w - 1)}:" if column.align == "right" else f":{'-' * (w - 1)}"
        for w, column in zip(wide, table.columns, strict=True)
    ]
    lines = [_line(heads), f"|{'|'.join(rules)}|", *map(_line, rows)]
    blocks = ["\n".join(lines)]
    ident = f" {{#{table.id}}}" if table.id else ""
    if table.caption or ident:
        blocks.append(f": {escape(table.caption)}{ident}")
    below = "\\\n".join((f"^{mark}^ " if mark else "") + escape(note) for mark, note in table.below())
    if below:
        blocks.append(f"{NOTES}\n{below}\n:::" if table.id else below)
    return "\n\n".join(blocks) + "\n"


def _whole(cell: Shown) -> Shown:
    return cell._replace(text=_INTERVAL.sub(rf"[\1,{NO_BREAK}\2]", cell.text))


def _width(cell: Shown, column: Column) -> int:
    if column.header:  # letters are wider than digits, and a broken name is harder to read than a broken remark
        return min(width(cell.text) + HEADER, WIDE)
    text = cell.text if column.align == "left" else max(cell.text.split(" "), key=width)
    return min(width(text) + len(cell.mark), WIDE)


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def _cell(cell: Shown) -> str:
    return escape(cell.text) + (f"^{cell.mark}^" if cell.mark else "")
