"""The smallest difference that could be found, against the number of items, with the categories marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, INK, MUTED, VERMILION, new_figure, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-detectable"
TICKS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000)
LEADER = {"arrowstyle": "-", "color": "#b5b5b5", "linewidth": 0.6, "shrinkA": 1, "shrinkB": 2, "relpos": (0, 0)}
RAIL = 1.06
"""Height of the names above the plot, as a share of it."""


def figure_detectable(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw detectable differences against items; None when no difference could be computed."""
    data = _data(results)
    if not len(data):
        return None
    names, words = labels(results, lang), Words("detectable", lang)
    shown = [names.group(by, group) for by, group in zip(data["by"], data["group"], strict=True)]
    curve = frame(results, "power", "curve")
    curve = curve[curve["by"] == "overall"] if "by" in curve else curve
    power, alpha = float(data["power"].iloc[0]), float(data["alpha"].iloc[0])
    with settings():
        figure = new_figure(4.3)
        draw_detectable(figure.subplots(), data, shown, curve, words)
    facts = {
        "power": numbers.level(power),
        "alpha": numbers.level(alpha),
        "reference": names.unit(str(data["unit_b"].iloc[0])),
    }
    return Drawing(ID, figure, words("title"), words("caption", **facts), _alt(data, shown, words), words("how"), data)


def draw_detectable(ax: Axes, data: pd.DataFrame, shown: Sequence[str], curve: pd.DataFrame, words: Words) -> None:
    """Draw for each group the median over the units, from the smallest to the largest, and the curve of the data."""
    n = data["n_items"].to_numpy(dtype=float)
    left, right = 0.75 * n.min(), 1.4 * n.max()
    if len(curve):
        inside = curve[(curve["n_items"] >= left) & (curve["n_items"] <= right)].dropna(subset=["detectable"])
        ax.plot(inside["n_items"], 100 * inside["detectable"], color=MUTED, linewidth=1.0, zorder=1)
    ax.set_xscale("log")
    ax.set_xlim(left, right)
    ax.set_ylim(0, 112 * float(data["detectable_high"].max()))
    ax.vlines(n, 100 * data["detectable_low"], 100 * data["detectable_high"], color=BLUE, linewidth=1.4, alpha=0.6)
    overall = data["by"] == "overall"
    for part, colour, marker in ((data[~overall], BLUE, "o"), (data[overall], VERMILION, "D")):
        ax.plot(part["n_items"], 100 * part["detectable"], marker, color=colour, markersize=4.5, linestyle="none")
    spread = spread_apart(np.log(n / left) / np.log(right / left), least=0.052)
    for place, text, (_, entry) in zip(spread, shown, data.iterrows(), strict=True):
        ax.annotate(
            f"{text} {numbers.percent(entry['detectable'])}", (entry["n_items"], 100 * entry["detectable_high"]),
            xytext=(place, RAIL), textcoords="axes fraction", rotation=52, rotation_mode="anchor", ha="left",
            va="center", fontsize=7.2, color=INK, arrowprops=LEADER,
        )  # fmt: skip
    ticks = [tick for tick in TICKS if left <= tick <= right]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [numbers.integer(tick) for tick in ticks])
    ax.grid()
    ax.set_xlabel(words("axis_items"))
    ax.set_ylabel(words("axis_detectable"))


def spread_apart(places: np.ndarray, least: float) -> list[float]:
    """Move places apart to at least ``least``, keeping their order and as near to where they were as possible."""
    order = np.argsort(places, kind="stable")
    blocks: list[tuple[float, int]] = []  # pooled blocks: mean of (place - k * least), size
    for rank, index in enumerate(order):
        mean, size = float(places[index]) - rank * least, 1
        while blocks and blocks[-1][0] >= mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    flat = [mean for mean, size in blocks for _ in range(size)]
    moved = np.empty(len(places))
    for rank, index in enumerate(order):
        moved[index] = flat[rank] + rank * least
    return [float(place) for place in moved]


def _data(results: ResultSet) -> pd.DataFrame:
    found = frame(results, "power")
    return by_group(found[found["by"].isin(["overall", "category"])]) if len(found) else found


def by_group(found: pd.DataFrame) -> pd.DataFrame:
    """Return for each item group the median, smallest and largest detectable difference over the units."""
    found = found.dropna(subset=["detectable"])
    if not len(found):
        return found
    grouped = found.groupby(["by", "group"], sort=False)
    return pd.DataFrame(
        {
            "unit_b": grouped["unit_b"].first(),
            "n_items": grouped["n_items"].max().astype(int),
            "n_units": grouped["unit_a"].nunique(),
            "detectable": grouped["detectable"].median(),
            "detectable_low": grouped["detectable"].min(),
            "detectable_high": grouped["detectable"].max(),
            "power": grouped["power"].first(),
            "alpha": grouped["alpha"].first(),
        }
    ).reset_index()


def _alt(data: pd.DataFrame, shown: Sequence[str], words: Words) -> str:
    named = data.assign(shown=list(shown))
    categories = named[named["by"] == "category"]
    overall = named[named["by"] == "overall"]
    text = ""
    if len(overall):
        row = overall.iloc[0]
        text = words("alt_overall", n=numbers.integer(row["n_items"]), value=numbers.percent(row["detectable"]))
    if len(categories):
        worst = categories.iloc[largest(categories["detectable"])]
        best = categories.iloc[smallest(categories["detectable"])]
        text = (text + " " if text else "") + words(
            "alt", worst=worst["shown"], worst_n=numbers.integer(worst["n_items"]),
            worst_value=numbers.percent(worst["detectable"]), best=best["shown"],
            best_n=numbers.integer(best["n_items"]), best_value=numbers.percent(best["detectable"]),
        )  # fmt: skip
    return text
