"""Reliability diagrams: accuracy against confidence, beside what answers drawn from the confidences would show."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, FAINT, INK, MUTED, VERMILION, fitted, new_figure, settings
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.render.labels import Labels
    from click_stats.results import ResultSet

ID = "fig-calibration"
ACROSS = 4
MOST = 20
"""Units drawn, the most accurate first."""
SEPARATED = "separated"


def figure_calibration(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw a reliability diagram for every unit; None when no unit has stated probabilities."""
    bins, errors = _first(frame(results, "calibration", "bins")), _first(frame(results, "calibration", "errors"))
    if not len(bins):
        return None
    names, words = labels(results, lang), Words("calibration", lang)
    order = [unit for unit in names.units if unit in set(bins["unit"])] or list(dict.fromkeys(bins["unit"]))
    by_unit = {str(row["unit"]): row for row in errors.to_dict("records")}
    best = frame(results, "calibration", measure="accuracy of the likeliest option")
    accuracy = dict(zip(best["unit"], best["estimate"], strict=True))
    order.sort(key=lambda unit: -float(accuracy.get(unit, 0.0)))
    more, order = len(order) - MOST, order[:MOST]
    across = min(ACROSS, len(order))
    down = ceil(len(order) / across)
    shown = fitted([names.unit(unit) for unit in order], most=32)
    with settings():
        figure = new_figure(min(8.8, 0.55 + 1.95 * down))
        axes = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False)
        for ax in axes.ravel()[len(order) :]:
            ax.set_visible(False)
        for place, unit in enumerate(order):
            ax = axes.ravel()[place]
            own = bins[bins["unit"] == unit]
            draw_reliability(ax, own, _error(by_unit[unit], words))
            ax.set_title(shown[place], fontsize=6.8, pad=3)
            if place + across >= len(order):
                ax.tick_params(labelbottom=True)
        figure.supxlabel(words("axis_confidence"), fontsize=8)
        figure.supylabel(words("axis_accuracy"), fontsize=8)
    level = numbers.level(float(bins["conf_level"].iloc[0]))
    caption = words("caption", n=len(order), level=level)
    if more > 0:
        caption += " " + words("caption_more", n=more)
    alt = _alt([by_unit[unit] for unit in order], names, words)
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), bins)


def draw_reliability(ax: Axes, bins: pd.DataFrame, note: str = "") -> None:
    """Draw one diagram: consistency bars, accuracy of each bin (area by trials), and the numbers of trials below."""
    x, y = 100 * bins["confidence"].to_numpy(dtype=float), 100 * bins["estimate"].to_numpy(dtype=float)
    low, high = (100 * bins[name].to_numpy(dtype=float) for name in ("consistency_low", "consistency_high"))
    share = bins["n_trials"].to_numpy(dtype=float) / float(bins["n_trials"].sum())
    ax.plot([0, 100], [0, 100], color=MUTED, linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
    ax.vlines(x, low, high, color=FAINT, linewidth=5.5, zorder=2)
    outside = (y < low - 1e-9) | (y > high + 1e-9)
    ax.plot(x, y, color=MUTED, linewidth=0.6, zorder=3)
    for chosen, colour, marker in ((~outside, BLUE, "o"), (outside, VERMILION, "D")):
        ax.scatter(x[chosen], y[chosen], s=8 + 90 * share[chosen], color=colour, marker=marker, zorder=4, linewidths=0)
    ax.bar(x, 13 * share / share.max(), width=3.2, bottom=0, color="#c9c9c9", zorder=0.5)
    ax.set_xlim(18, 103)
    ax.set_ylim(0, 103)
    ax.set_xticks([20, 40, 60, 80, 100])
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.grid()
    if note:
        ax.text(0.04, 0.96, note, transform=ax.transAxes, fontsize=6.8, va="top", color=INK, linespacing=1.35)


def _first(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the overall grouping, or of the first group there is."""
    if not len(found):
        return found
    part = found[found["by"] == "overall"] if bool((found["by"] == "overall").any()) else found
    first: pd.DataFrame = part[part["group"] == part["group"].iloc[0]]
    return first.reset_index(drop=True)


def _error(row: Mapping[Hashable, Any], words: Words) -> str:
    return words("note", ece=numbers.percent(row["ece"]), null=numbers.percent(row["ece_null"]))


def _alt(found: list[dict[Hashable, Any]], names: Labels, words: Words) -> str:
    ranked = sorted(found, key=lambda row: float(row["ece_excess"]))
    best, worst = ranked[0], ranked[-1]
    return words(
        "alt", n=len(found), apart=sum(row["verdict"] == SEPARATED for row in found), best=names.unit(best["unit"]),
        best_value=numbers.percent(best["ece"]), best_null=numbers.percent(best["ece_null"]),
        worst=names.unit(worst["unit"]), worst_value=numbers.percent(worst["ece"]),
        worst_null=numbers.percent(worst["ece_null"]),
    )  # fmt: skip
