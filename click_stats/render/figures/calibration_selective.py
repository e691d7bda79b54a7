"""Accuracy when only the most confident answers are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    MUTED,
    ORANGE,
    PINK,
    SKY,
    VERMILION,
    fitted,
    new_figure,
    settings,
)
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-calibration-selective"
NAMED = 6
"""Units drawn in colour and named; the others are grey lines."""
COLOURS = (BLUE, VERMILION, GREEN, ORANGE, PINK, SKY)
STYLES = ("-", "--", "-.", ":", (0, (6, 1.5)), (0, (1, 1)))


def figure_calibration_selective(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw accuracy against the share of answers kept; None when no unit has stated probabilities."""
    data = frame(results, "calibration", "selective").dropna(subset=["estimate"]) if "calibration" in results else None
    if data is None or not len(data):
        return None
    part = data[data["by"] == "overall"] if bool((data["by"] == "overall").any()) else data
    part = part[part["group"] == part["group"].iloc[0]].reset_index(drop=True)
    names, words = labels(results, lang), Words("calibration_selective", lang)
    areas = part.groupby("unit", sort=False)["estimate"].mean().sort_values(ascending=False, kind="stable")
    units = [str(unit) for unit in areas.index]
    with settings():
        figure = new_figure(3.6)
        draw_selective(figure.subplots(), part, units, [names.unit(unit) for unit in units], words)
    whole = part[np.isclose(part["kept"], 1.0)].set_index("unit")["estimate"]
    half = part[np.isclose(part["kept"], 0.5)].set_index("unit")["estimate"]
    gain = (half - whole).dropna().sort_values(kind="stable")
    alt = words(
        "alt", n=len(units), best=names.unit(str(gain.index[-1])), best_whole=numbers.percent(whole[gain.index[-1]]),
        best_half=numbers.percent(half[gain.index[-1]]), worst=names.unit(str(gain.index[0])),
        worst_whole=numbers.percent(whole[gain.index[0]]), worst_half=numbers.percent(half[gain.index[0]]),
    )  # fmt: skip
    caption = words("caption", n=len(units), level=numbers.level(float(part["conf_level"].iloc[0])))
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), part)


def draw_selective(ax: Axes, data: pd.DataFrame, units: Sequence[str], shown: Sequence[str], words: Words) -> None:
    """Draw one line per unit, those with the largest and smallest area in colour."""
    chosen = list(units) if len(units) <= NAMED else [*units[: NAMED // 2], *units[-(NAMED - NAMED // 2) :]]
    for unit in units:
        own = data[data["unit"] == unit]
        if unit not in chosen:
            ax.plot(100 * own["kept"], 100 * own["estimate"], color=FAINT, linewidth=0.9, zorder=1)
    for place, unit in enumerate(chosen):
        own = data[data["unit"] == unit]
        colour, style = COLOURS[place], STYLES[place]
        name = fitted([shown[list(units).index(unit)]], most=30)[0]
        kept = 100 * own["kept"]
        ax.fill_between(kept, 100 * own["conf_low"], 100 * own["conf_high"], color=colour, alpha=0.10, linewidth=0)
        ax.plot(kept, 100 * own["estimate"], color=colour, linestyle=style, linewidth=1.5, label=name, zorder=3)
    if len(chosen) < len(units):
        ax.plot([], [], color=FAINT, linewidth=1.2, label=words("others", n=len(units) - len(chosen)))
    ax.set_xlim(0, 101)
    ends = 100 * data["estimate"]
    ax.set_ylim(max(0.0, float(ends.min()) - 8), min(102.0, float(ends.max()) + 8))
    ax.set_xlabel(words("axis_kept"))
    ax.set_ylabel(words("axis_accuracy"))
    ax.grid()
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, handlelength=2.6, labelcolor=MUTED)
