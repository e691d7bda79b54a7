"""Categories by how much models miss in them and how often they are wrong and sure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, MUTED, new_figure, settings
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-shortfall"
ENDS = ("estimate", "conf_low", "conf_high")
APART = 0.045
"""Distance of two names, as a share of the height, below which one moves down."""


def figure_shortfall(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the categories; None when confident errors are undefined."""
    found = frame(results, "shortfall", by="category")
    data = groups(found) if len(found) else found
    if not len(data):
        return None
    names, words = labels(results, lang), Words("shortfall", lang)
    with settings():
        figure = new_figure(3.6)
        ax = figure.subplots()
        draw_shortfall(ax, data, [names.group("category", group) for group in data["group"]], words)
    most = data.sort_values("estimate", kind="stable").iloc[-1]
    sure = data.sort_values("sure", kind="stable").iloc[-1]
    alt = words(
        "alt", n=len(data), most=names.group("category", most["group"]), most_value=numbers.percent(most["estimate"]),
        sure=names.group("category", sure["group"]), sure_value=numbers.percent(sure["sure"]),
    )  # fmt: skip
    caption = words("caption", level=numbers.level(found["conf_level"].iloc[0]))
    plotted = found[found["measure"].isin(["shortfall", "confident errors"]) & found["group"].isin(data["group"])]
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), plotted)


def draw_shortfall(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw a dot for each group: how much models miss, and how often they are wrong and sure, with intervals."""
    x, y = 100 * data["estimate"], 100 * data["sure"]
    ax.hlines(y, 100 * data["conf_low"], 100 * data["conf_high"], color=BLUE, linewidth=0.8, alpha=0.55)
    ax.vlines(x, 100 * data["sure_low"], 100 * data["sure_high"], color=BLUE, linewidth=0.8, alpha=0.55)
    ax.plot(x, y, "o", color=BLUE, markersize=4.2, linestyle="none")
    for mean, line in ((x.mean(), ax.axvline), (y.mean(), ax.axhline)):
        line(mean, color=MUTED, linewidth=0.7, linestyle=(0, (4, 3)), zorder=0)
    _name(ax, x, y, shown)
    ax.grid()
    ax.set_xlabel(words("x"))
    ax.set_ylabel(words("y"))


def _name(ax: Axes, x: pd.Series, y: pd.Series, shown: list[str]) -> None:
    """Write the names beside the dots; of two that would touch, the lower one moves down."""
    low, high = ax.get_ylim()
    left, right = ax.get_xlim()
    taken: list[tuple[float, float]] = []
    for at, up, name in sorted(zip(x, y, shown, strict=True), key=lambda one: -one[1]):
        place = up
        while any(abs(at - a) < 0.06 * (right - left) and abs(place - b) < APART * (high - low) for a, b in taken):
            place -= APART * (high - low) / 3
        taken.append((at, place))
        ax.annotate(name, (at, place), xytext=(5, 3), textcoords="offset points", fontsize=7.5)


def groups(found: pd.DataFrame) -> pd.DataFrame:
    """Return one row per group with both measures and their intervals; none where one is undefined."""
    missed = found[found["measure"] == "shortfall"][["group", *ENDS]]
    sure = found[found["measure"] == "confident errors"][["group", *ENDS]]
    sure = sure.rename(columns={"estimate": "sure", "conf_low": "sure_low", "conf_high": "sure_high"})
    return missed.merge(sure, on="group").dropna(subset=["estimate", "sure"]).reset_index(drop=True)
