"""Difficulty by category and source, with intervals and the spread between items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats import glossary
from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, FAINT, MUTED, fitted, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

OVERALL = "overall"


def figure_irt_groups(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the mean difficulty of each category and source; None with no grouping of two groups."""
    found = frame(results, "irt", "groups")
    if not len(found):
        return None
    data = found[found["by"] != OVERALL].dropna(subset=["difficulty"])
    data = data[data.groupby("by")["group"].transform("size") > 1].reset_index(drop=True)
    if not len(data):
        return None
    names, words = labels(results, lang), Words("irt_groups", lang)
    kinds = list(dict.fromkeys(data["by"]))
    sizes = [int((data["by"] == kind).sum()) for kind in kinds]
    with settings():
        figure = new_figure(row_height(sum(sizes), rest=0.9 + 0.35 * len(kinds), least=2.0))
        axes = figure.subplots(len(kinds), 1, sharex=True, squeeze=False, height_ratios=sizes)[:, 0]
        for ax, kind in zip(axes, kinds, strict=True):
            own = data[data["by"] == kind].sort_values("difficulty", ascending=False, kind="stable")
            draw_groups(ax, own, [f"{names.group(kind, name)} ({numbers.integer(n)})"
                                  for name, n in zip(own["group"], own["n_items"], strict=True)])  # fmt: skip
            ax.set_title(glossary.label(kind, lang), loc="left")
        axes[-1].set_xlabel(words("scale"))
    level = numbers.level(float(data["conf_level"].iloc[0]))
    hard, easy = data.iloc[largest(data["difficulty"])], data.iloc[smallest(data["difficulty"])]
    alt = words(
        "alt", n=len(data), hard=names.group(hard["by"], hard["group"]),
        hard_value=numbers.number(hard["difficulty"]), easy=names.group(easy["by"], easy["group"]),
        easy_value=numbers.number(easy["difficulty"]),
    )  # fmt: skip
    return Drawing("fig-irt-groups", figure, words("title"), words("caption", level=level), alt, words("how"), data)


def draw_groups(ax: Axes, data: pd.DataFrame, shown: Sequence[str]) -> None:
    """Draw a row for each group: the mean, its interval, and one standard deviation between items."""
    row_axis(ax, fitted(list(shown)))
    for y, row in enumerate(data.to_dict("records")):
        if row["difficulty_sd"] == row["difficulty_sd"]:  # not missing
            ends = row["difficulty"] - row["difficulty_sd"], row["difficulty"] + row["difficulty_sd"]
            ax.hlines(y, *ends, color=FAINT, linewidth=5)
        if row["difficulty_low"] == row["difficulty_low"]:
            ax.hlines(y, row["difficulty_low"], row["difficulty_high"], color=BLUE, linewidth=1.8)
        ax.plot(row["difficulty"], y, "o", color=BLUE, markersize=4.5, markeredgecolor="white", markeredgewidth=0.6)
    ax.axvline(0, color=MUTED, linewidth=0.6, linestyle=(0, (4, 3)), zorder=0)
    ax.grid(axis="x")
