"""What became of the trials of each unit, and how far missing answers could move its accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PINK,
    SKY,
    VERMILION,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-statuses"
NAMED = 4
LOOKS: Mapping[str, tuple[str, str]] = {
    "out_of_option": (ORANGE, ""),
    "empty": (VERMILION, ""),
    "refused": (PINK, ""),
    "truncated": (SKY, ""),
    "filtered": ("#b9b9b9", "////"),
    "failed": ("#b9b9b9", "...."),
    "missing": ("white", "xxxx"),
}
"""Colour and hatch by status: plain colours are incorrect answers, hatched greys no answers at all."""
UNANSWERED = ("filtered", "failed", "missing")


def figure_statuses(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw statuses and bounds of every unit; None when the accuracies hold no statuses."""
    data = _data(results)
    if not len(data):
        return None
    names, words = labels(results, lang), Words("statuses", lang)
    shown = [names.unit(unit) for unit in data["unit"]]
    with settings():
        figure = new_figure(row_height(len(data), rest=1.35, least=2.0))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.25, 1.0])
        draw_statuses(left, data, shown, words)
        draw_bounds(right, data, shown, words)
        figure.align_xlabels()
        figure.legend(
            handles=_legend(data, words), loc="outside lower center", ncols=4, handleheight=1.1, columnspacing=1.4
        )
    return Drawing(ID, figure, words("title"), words("caption"), _alt(data, shown, words), words("how"), data)


def draw_statuses(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw the shares of trials without an option as answer, stacked; the share answered is printed at the right."""
    planned = data["n_planned"].to_numpy(dtype=float)
    start = np.zeros(len(data))
    for status, (colour, hatch) in LOOKS.items():
        share = 100 * data[f"n_{status}"].to_numpy(dtype=float) / planned
        if not share.any():
            continue
        rows = np.flatnonzero(share)
        ax.barh(
            rows, share[rows], left=start[rows], height=0.62, color=colour, edgecolor=INK, linewidth=0.4, hatch=hatch
        )
        start = start + share
    ax.set_xlim(0, max(1.0, 1.08 * float(start.max(initial=0.0))))
    for row, (ok, total) in enumerate(zip(data["n_ok"], planned, strict=True)):
        ax.annotate(
            numbers.percent(ok / total), (1.0, row), xycoords=("axes fraction", "data"), xytext=(28, 0),
            textcoords="offset points", ha="right", va="center", fontsize=7.2,
        )  # fmt: skip
    ax.annotate(
        words("answered"), (1.0, 1.0), xycoords="axes fraction", xytext=(28, 4), textcoords="offset points", ha="right",
        va="bottom", fontsize=7.2, color=MUTED,
    )  # fmt: skip
    row_axis(ax, shown)
    ax.grid(axis="x")
    ax.set_xlabel(words("axis_statuses"))


def draw_bounds(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw worst and best case of each accuracy as a bar and the accuracy itself as a dot."""
    for row, entry in enumerate(data.to_dict("records")):
        if numbers.undefined(entry["bound_low"]) or numbers.undefined(entry["bound_high"]):
            continue
        low, high = 100 * entry["bound_low"], 100 * entry["bound_high"]
        if high > low:
            ax.plot([low, high], [row, row], color=GREEN, linewidth=4.5, solid_capstyle="butt", alpha=0.55)
            ax.vlines([low, high], row - 0.25, row + 0.25, color=GREEN, linewidth=1.2)
        ax.plot([100 * entry["estimate"]], [row], "o", color=BLUE, markersize=3.4)
    row_axis(ax, shown)
    ax.tick_params(axis="y", labelleft=False)
    ax.grid(axis="x")
    ax.set_xlabel(words("accuracy"))


def _legend(data: pd.DataFrame, words: Words) -> list[Patch | Line2D]:
    handles: list[Patch | Line2D] = []
    for status, (colour, hatch) in LOOKS.items():
        if data[f"n_{status}"].sum():
            kind = words("unanswered" if status in UNANSWERED else "incorrect")
            label = f"{codes.text(status, words.lang)} ({kind})"
            handles.append(Patch(facecolor=colour, edgecolor=INK, linewidth=0.4, hatch=hatch, label=label))
    handles.append(Line2D([], [], color=BLUE, marker="o", markersize=3.4, linestyle="none", label=words("responded")))
    handles.append(Line2D([], [], color=GREEN, linewidth=4.5, alpha=0.55, label=words("bounds")))
    return handles


def _data(results: ResultSet) -> pd.DataFrame:
    counts = frame(results, "accuracy", "statuses")
    overall = frame(results, "accuracy", by="overall")
    if not len(counts) or not len(overall):
        return counts.iloc[:0]
    trials = ["n_ok", *(f"n_{status}" for status in LOOKS)]
    data = counts[["unit", *trials]].merge(
        overall[["unit", "estimate", "bound_low", "bound_high"]], on="unit", how="left"
    )
    data["n_planned"] = data[trials].sum(axis=1)
    data = data[data["n_planned"] > 0].sort_values("estimate", ascending=False, kind="stable", na_position="last")
    return data.reset_index(drop=True)


def _alt(data: pd.DataFrame, shown: list[str], words: Words) -> str:
    share = data["n_ok"] / data["n_planned"]
    lowest = smallest(share)
    text = words(
        "alt",
        n=len(data),
        high=numbers.percent(float(share.max())),
        low=numbers.percent(float(share.min())),
        unit=shown[lowest],
    )
    width = (data["bound_high"] - data["bound_low"]).astype(float)
    if width.notna().any() and float(width.max()) > 0:
        widest = largest(width)
        text += " " + words(
            "alt_bounds", unit=shown[widest], width=numbers.percent(float(width.max())),
            bounds=numbers.interval(data["bound_low"].iloc[widest], data["bound_high"].iloc[widest]),
        )  # fmt: skip
    else:
        text += " " + words("alt_no_bounds")
    return text
