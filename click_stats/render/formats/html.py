"""Tables as HTML: caption, column and row headings with their scope, nothing from outside."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.render.table import Column, Shown, Table


def write(table: Table) -> str:
    """Return the table and its notes as one ``div``."""
    ident = f' id="{escape(table.id)}"' if table.id else ""
    lines = [f'<div{ident} class="click-table" lang="{escape(table.lang)}">', "<table>"]
    if table.caption:
        lines.append(f"<caption>{escape(table.caption)}</caption>")
    heads = "".join(f'<th scope="col"{_style(column)}>{escape(column.label)}</th>' for column in table.columns)
    lines.append(f"<thead><tr>{heads}</tr></thead>")
    lines.append("<tbody>")
    for place, row in enumerate(table.shown()):
        anchor = f' id="{escape(table.anchors[place])}"' if table.anchors else ""
        cells = "".join(_cell(cell, column) for cell, column in zip(row, table.columns, strict=True))
        lines.append(f"<tr{anchor}>{cells}</tr>")
    lines += ["</tbody>", "</table>"]
    lines += [f'<p class="note">{_mark(mark)}{escape(note)}</p>' for mark, note in table.below()]
    lines.append("</div>")
    return "\n".join(lines) + "\n"


def _mark(mark: str) -> str:
    return f"<sup>{mark}</sup> " if mark else ""


def _cell(cell: Shown, column: Column) -> str:
    text = escape(cell.text) + (f"<sup>{cell.mark}</sup>" if cell.mark else "")
    if column.header:
        return f'<th scope="row"{_style(column)}>{text}</th>'
    return f"<td{_style(column)}>{text}</td>"


def _style(column: Column) -> str:
    return f' style="text-align:{column.align}"'
