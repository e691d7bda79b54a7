"""Writers of a table, one file per format; each escapes what its format would take as markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.formats import csv, html, latex, markdown, text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click_stats.render.table import Table

FORMATS: Mapping[str, Callable[[Table], str]] = {
    "text": text.write,
    "markdown": markdown.write,
    "html": html.write,
    "latex": latex.write,
    "csv": csv.write,
}
