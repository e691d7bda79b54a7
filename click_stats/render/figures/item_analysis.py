"""Every item by its proportion correct and its correlation with the rest of the test; flagged items stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import FAINT, INK, MUTED, ORANGE, VERMILION, new_figure, settings
from click_stats.render.labels import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-item_analysis"
MISKEY = "wrong key suspected"
SHOWN = ["item", "estimate", "item_rest", "flag"]
JITTER = 0.006
"""Of proportions, as a share: with few models many items share a value."""


def figure_item_analysis(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the items whose item-rest correlation is defined; None when there is none."""
    found = frame(results, "item_analysis")
    if not len(found):
        return None
    data = found.dropna(subset=["estimate", "item_rest"]).reset_index(drop=True)
    if not len(data):
        return None
    words = Words("item_analysis", lang)
    with settings():
        figure = new_figure(3.9)
        ax = figure.subplots()
        draw_items(ax, data, words)
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    below = int((data["item_rest"] < 0).sum())
    caption = words("caption", n=numbers.integer(len(data)), rest=numbers.integer(len(found) - len(data)))
    alt = words(
        "alt",
        n=numbers.integer(len(data)),
        median=numbers.number(float(data["item_rest"].median())),
        below=numbers.integer(below),
        suspects=numbers.integer(int(_suspected(data).sum())),
    )
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), data[SHOWN])


def draw_items(ax: Axes, data: pd.DataFrame, words: Words) -> None:
    """Draw one mark per item: proportion correct across, item-rest correlation upwards."""
    suspected = _suspected(data)
    other = (data["flag"] != "").to_numpy() & ~suspected
    shift = np.random.default_rng(0).uniform(-JITTER, JITTER, len(data))
    x = 100 * (data["estimate"].to_numpy(dtype=float) + shift)
    y = data["item_rest"].to_numpy(dtype=float)
    ax.axhline(0, color=INK, linewidth=0.8, zorder=1)
    for mask, colour, marker, size, name in (
        (~suspected & ~other, MUTED, ".", 4, "plain"),
        (other, ORANGE, "s", 14, "other"),
        (suspected, VERMILION, "^", 16, "suspected"),
    ):
        edge = FAINT if name == "plain" else INK
        ax.scatter(
            x[mask], y[mask], s=size, marker=marker, color=colour, linewidths=0 if name == "plain" else 0.3,
            edgecolors=edge, alpha=0.45 if name == "plain" else 0.95, label=words(name), zorder=2,
        )  # fmt: skip
    ax.set_xlim(-2, 102)
    ax.set_ylim(-1.03, 1.03)
    ax.set_xlabel(words("axis_proportion"))
    ax.set_ylabel(words("axis_rest"))
    ax.grid(visible=True)


def _suspected(data: pd.DataFrame) -> np.ndarray:
    found: np.ndarray = data["flag"].str.split("; ").map(lambda flags: MISKEY in flags).to_numpy(dtype=bool)
    return found
