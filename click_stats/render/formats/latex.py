r"""Tables as LaTeX with booktabs rules.

Needs ``\usepackage{booktabs}``, ``longtable`` for long tables, and a Korean package (``kotex``) for Korean text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.render.table import Shown, Table

LONG = 40
"""Rows from which a table may break over pages."""

_SPECIAL = {
    "\\": r"\textbackslash{}", "_": r"\_", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    "[": "{[}", "]": "{]}", "*": "{*}",  # after a row's end these would be arguments of the line break
    "−": "$-$", "–": "--", "×": r"$\times$", "±": r"$\pm$", "∞": r"$\infty$", "≥": r"$\geq$", "≤": r"$\leq$",
}  # fmt: skip
_PATTERN = re.compile("|".join(map(re.escape, _SPECIAL)))


def escape(text: str) -> str:
    """Return ``text`` so that LaTeX prints it as typed."""
    parts = (_PATTERN.sub(lambda hit: _SPECIAL[hit.group()], part) for part in re.split("(?<=-)(?=-)", text))
    return "{}".join(parts)  # two hyphens of a name are no en dash


def write(table: Table) -> str:
    """Return a ``table``, or a ``longtable`` where there are many rows, with caption, label and notes."""
    long = len(table.rows) > LONG
    spec = "".join("l" if column.align == "left" else "r" for column in table.columns)
    head = f"{' & '.join(escape(column.label) for column in table.columns)} \\\\"
    body = [f"{' & '.join(map(_cell, row))} \\\\" for row in table.shown()]
    label = f"\\label{{{table.id}}}" if table.id else ""
    caption = f"\\caption{{{escape(table.caption)}}}{label}"
    notes = [(rf"\textsuperscript{{{mark}}} " if mark else "") + escape(note) + r"\par" for mark, note in table.below()]
    notes = ["{\\footnotesize", *notes, "}"] if notes else []
    if long:
        lines = [
            f"\\begin{{longtable}}{{{spec}}}", caption + r" \\", r"\toprule", head, r"\midrule", r"\endfirsthead",
            r"\toprule", head, r"\midrule", r"\endhead", r"\bottomrule", r"\endlastfoot", *body, r"\end{longtable}",
            *notes,
        ]  # fmt: skip
    else:
        lines = [
            r"\begin{table}[htbp]", r"\centering", caption, f"\\begin{{tabular}}{{{spec}}}", r"\toprule", head,
            r"\midrule", *body, r"\bottomrule", r"\end{tabular}", *([r"\par\smallskip", *notes] if notes else []),
            r"\end{table}",
        ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _cell(cell: Shown) -> str:
    return escape(cell.text) + (rf"\textsuperscript{{{cell.mark}}}" if cell.mark else "")
