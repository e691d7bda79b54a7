"""Effects of facts of items on difficulty with their intervals, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, FAINT, INK, MUTED, fitted, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels
from click_stats.render.report_tables.difficulty import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-difficulty"
MOST = 45
"""Rows beyond which those with the smallest effects are left out."""


def figure_difficulty(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the effects by term; None where none is finite."""
    if "difficulty" not in results:
        return None
    data = effects(frame(results, "difficulty"))
    if not len(data):
        return None
    names, words = labels(results, lang), Words("difficulty", lang)
    shown = [named({str(key): value for key, value in row.items()}, names, lang) for row in data.to_dict("records")]
    with settings():
        figure = new_figure(row_height(len(data), rest=1.0, least=2.0))
        draw_difficulty(figure.subplots(), data, shown, words)
    level = numbers.level(float(data["conf_level"].iloc[0]))
    hardest, easiest = (int(pick(data["difficulty_effect"].to_numpy())) for pick in (np.argmax, np.argmin))
    alt = words(
        "alt", n=len(data), separated=int((data["verdict"] == "separated").sum()), hardest=shown[hardest],
        hard=numbers.number(data["difficulty_effect"].iloc[hardest]), easiest=shown[easiest],
        easy=numbers.number(data["difficulty_effect"].iloc[easiest]),
    )  # fmt: skip
    return Drawing(ID, figure, words("title"), words("caption", level=level), alt, words("how"), data)


def effects(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the finite effects in the order of the terms, the hardest level first."""
    found = estimates.dropna(subset=["difficulty_effect"])
    if len(found) > MOST:
        found = found.loc[found["difficulty_effect"].abs().sort_values().index[-MOST:].sort_values()]
    order = {term: place for place, term in enumerate(dict.fromkeys(found["term"]))}
    place = found["term"].map(order)
    return found.assign(place=place).sort_values(
        ["place", "difficulty_effect"], ascending=[True, False], kind="stable"
    ).drop(columns="place").reset_index(drop=True)  # fmt: skip


def draw_difficulty(ax: Axes, data: pd.DataFrame, shown: Sequence[str], words: Words) -> None:
    """Draw effects with their intervals; separated ones are filled, terms are divided by lines."""
    row_axis(ax, fitted(list(shown)))
    ax.axvline(0, color=INK, linewidth=0.8)
    terms = list(data["term"])
    for y, row in enumerate(data.to_dict("records")):
        apart = row["verdict"] == "separated"
        colour = BLUE if apart else MUTED
        ax.hlines(y, row["difficulty_effect_low"], row["difficulty_effect_high"], color=colour, linewidth=1.6)
        ax.plot(
            row["difficulty_effect"], y, "o", color=colour, markerfacecolor=colour if apart else "white", markersize=5
        )
        if y and terms[y] != terms[y - 1]:
            ax.axhline(y - 0.5, color=FAINT, linewidth=0.8)
    ax.grid(axis="x")
    ax.set_xlabel(words("axis"))


def plain_names(data: pd.DataFrame, lang: str) -> list[str]:
    """Return names of rows without the labels of a report."""
    return [
        f"{codes.text(term, lang)}: {codes.text(level, lang)}" if level else codes.text(term, lang)
        for term, level in zip(data["term"], data["term_level"], strict=True)
    ]
