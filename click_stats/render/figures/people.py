"""What people reach by category, and what models reach on the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, ORANGE, fitted, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-people"
MARKS = {
    "mean of people": (BLUE, "o", True),
    "majority of people": (BLUE, "D", False),
    "mean of models": (ORANGE, "o", True),
    "best model": (ORANGE, "D", False),
}
"""Colour, shape, and whether the mark is filled and has an interval."""


def figure_people(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw people and models by category; None without people."""
    data = frame(results, "people", by="category")
    data = data[data["who"].isin(list(MARKS))].reset_index(drop=True) if len(data) else data
    if not len(data) or not bool(data["estimate"].notna().any()):
        return None
    names, words = labels(results, lang), Words("people", lang)
    groups = list(dict.fromkeys(data["group"]))
    with settings():
        figure = new_figure(row_height(len(groups), each=0.34, rest=1.3, least=2.4))
        ax = figure.subplots()
        draw_people(ax, data, groups, [names.group("category", group) for group in groups], words)
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    level = numbers.level(float(data["conf_level"].iloc[0]))
    return Drawing(
        ID, figure, words("title"), words("caption", level=level), _alt(data, names.group, words), words("how"), data
    )


def draw_people(ax: Axes, data: pd.DataFrame, groups: Sequence[str], shown: Sequence[str], words: Words) -> None:
    """Draw a row for each group: means with intervals, majority and best without."""
    row_axis(ax, fitted(list(shown)))
    for who, (colour, shape, filled) in MARKS.items():
        own = data[(data["who"] == who) & data["estimate"].notna()]
        shift = 0.14 if colour == ORANGE else -0.14
        y = np.array([groups.index(group) for group in own["group"]]) + shift
        if filled:
            ax.hlines(y, 100 * own["conf_low"], 100 * own["conf_high"], color=colour, linewidth=1.5, alpha=0.7)
        ax.plot(
            100 * own["estimate"], y, shape, color=colour, markerfacecolor=colour if filled else "white", markersize=5,
            linestyle="none", label=codes.text(who, words.lang),
        )  # fmt: skip
    ax.set_xlim(max(0.0, 100 * float(data["conf_low"].min()) - 5), 102)
    ax.grid(axis="x")
    ax.set_xlabel(words("axis"))


def _alt(data: pd.DataFrame, group_name: object, words: Words) -> str:
    people = data[(data["who"] == "mean of people") & data["estimate"].notna()]
    if not len(people):
        return ""
    top, bottom = people.iloc[largest(people["estimate"])], people.iloc[smallest(people["estimate"])]
    return words(
        "alt", n=int(data["n_people"].iloc[0]), groups=len(people),
        high=group_name("category", str(top["group"])), high_value=numbers.percent(top["estimate"]),  # type: ignore[operator]
        low=group_name("category", str(bottom["group"])), low_value=numbers.percent(bottom["estimate"]),  # type: ignore[operator]
    )  # fmt: skip
