"""A finished figure with all that must stand beside it, and how it is saved."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from click_stats.errors import UsageError
from click_stats.render import numbers
from click_stats.render.figures.style import PNG_DPI, settings
from click_stats.render.labels import shared_items
from click_stats.texts import merged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd
    from matplotlib.figure import Figure

    from click_stats.results import ResultSet

METADATA: Mapping[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "click-stats"},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": "click-stats", "Producer": "matplotlib"},
    "png": {"Software": None},
}
"""No date and no version in a file: the same numbers give the same bytes."""


@dataclass(frozen=True)
class Drawing:
    """A figure and what makes it readable without eyes.

    Attributes
    ----------
    id
        Anchor such as ``fig-ladder``.
    figure
        The drawing.
    title
        A few words.
    caption
        What is shown: content, interval, denominators.
    alt
        What the figure says, computed from the data; not the caption.
    how_to_read
        One or two sentences on marks and axes.
    data
        What is plotted, one row per mark, in columns of the glossary.
    """

    id: str
    figure: Figure
    title: str
    caption: str
    alt: str
    how_to_read: str
    data: pd.DataFrame


@dataclass(frozen=True)
class Words:
    """The texts of one figure in one language, from ``texts*.toml``."""

    section: str
    lang: str

    def __call__(self, key: str, /, **values: Any) -> str:
        """Return a text with its ``{gaps}`` filled; texts of the section first, then those of ``common``."""
        entries = texts()
        entry = entries[self.section].get(key) or entries["common"][key]
        return entry[self.lang].format(**values)


@cache
def texts() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return all texts of figures by figure, key and language."""
    entries: dict[str, dict[str, dict[str, str]]] = merged("click_stats.render.figures", "texts")
    return entries


def compared_on(results: ResultSet, rows: pd.DataFrame, words: Words) -> str:
    """Return in words on which items the models of these rows were compared."""
    n = numbers.integer(rows["n_items"].max())
    return words("on_shared" if shared_items(results) else "on_pairs", n=n)


def save(drawing: Drawing, folder: Path, formats: Sequence[str] = ("svg", "png", "pdf")) -> list[Path]:
    """Write the figure into ``folder``, named by its id, once for each format.

    Raises
    ------
    UsageError
        A format other than svg, png and pdf.
    RenderError
        A letter of a name is in no installed font.
    """
    unknown = [name for name in formats if name not in METADATA]
    if unknown:
        raise UsageError(f"Figures have no format {unknown[0]!r}.", found=", ".join(METADATA), do="Use one of these.")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{drawing.id}.{name}" for name in formats]
    with settings():
        drawing.figure.draw_without_rendering()  # lays it out, once for all formats
        drawing.figure.set_layout_engine("none")
        for path, name in zip(paths, formats, strict=True):
            drawing.figure.savefig(path, format=name, dpi=PNG_DPI, metadata=METADATA[name])
    return paths


def save_data(drawing: Drawing, folder: Path) -> Path:
    """Write what the figure plots as CSV (raw values, twelve digits) and return its path."""
    from click_stats.render.tables import frame_table  # noqa: PLC0415 -- drawings can do without tables

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{drawing.id}.csv"
    path.write_text(frame_table(drawing.data, columns=list(drawing.data.columns)).render("csv"), encoding="utf-8")
    return path
