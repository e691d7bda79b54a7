"""Tables as pandoc pipe tables, the form that Quarto and the built-in engine both read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.formats.text import width
from click_stats.render.markdown_text import escape

if TYPE_CHECKING:
    from click_stats.render.table import Shown, Table

NARROW = 3


def write(table: Table) -> str:
    """Return the table, its caption with the id, and its notes as the lines of one paragraph.

    The dashes below the headings are as long as the widest cell: pandoc takes the relative widths of columns from
    them when a table is too wide for a line.
    """
    heads = [escape(column.label) for column in table.columns]
    shown = table.shown()
    rows = [[_cell(cell) for cell in row] for row in shown]
    if table.anchors:
        rows = [[f"[{first}]{{#{anchor}}}", *rest] for anchor, (first, *rest) in zip(table.anchors, rows, strict=True)]
    wide = [
        max(NARROW, _longest_word(column.label), *(width(row[place].text) + len(row[place].mark) for row in shown))
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
    below = [(f"^{mark}^ " if mark else "") + escape(note) for mark, note in table.below()]
    if below:
        blocks.append("\\\n".join(below))
    return "\n\n".join(blocks) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _longest_word(text: str) -> int:
    return max(map(width, text.split()), default=0)


def _cell(cell: Shown) -> str:
    return escape(cell.text) + (f"^{cell.mark}^" if cell.mark else "")
