"""Accuracies on the items of an exam beside the scores of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    INK,
    MUTED,
    ORANGE,
    VERMILION,
    fitted,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.render.labels import Labels
    from click_stats.results import ResultSet

ID = "fig-human"
MOST_EXAMS = 3
MARKS = {"above": (BLUE, "^"), "below": (VERMILION, "v"), "other": (MUTED, "o")}


def figure_human(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw a panel for each exam with a known human score (at most three); None when there is none."""
    data = frame(results, "human").dropna(subset=["estimate"]) if "human" in results else None
    if data is None or not len(data):
        return None
    exams = list(dict.fromkeys(data["exam"]))[:MOST_EXAMS]
    data = data[data["exam"].isin(exams)].reset_index(drop=True)
    names, words = labels(results, lang), Words("human", lang)
    rank = data.drop_duplicates(["unit", "exam"]).groupby("unit", sort=False)["estimate"].mean()
    units = [str(unit) for unit in rank.sort_values(ascending=False, kind="stable").index]
    with settings():
        figure = new_figure(row_height(len(units), rest=1.15, least=2.0))
        axes = figure.subplots(1, len(exams), sharey=True, squeeze=False).ravel()
        several = bool(data.duplicated(["exam", "unit"]).any())
        pad = 38 if several else 14  # room for the names of the scores
        for ax, exam in zip(axes, exams, strict=True):
            own = data[data["exam"] == exam]
            draw_human(ax, own, units, [names.unit(unit) for unit in units], words)
            n = numbers.integer(own["n_items_total"].iloc[0])
            ax.set_title(words("panel", exam=codes.text(exam, lang), n=n), pad=pad)
        handles = axes[0].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=4)
    level = numbers.level(float(data["conf_level"].iloc[0]))
    caption = words("caption", n=len(units), level=level)
    return Drawing(ID, figure, words("title"), caption, _alt(data, names, words), words("how"), data)


def draw_human(ax: Axes, data: pd.DataFrame, units: Sequence[str], shown: Sequence[str], words: Words) -> None:
    """Draw the accuracies of one exam's items with their intervals, and a line for each human score."""
    first = data.drop_duplicates("unit").set_index("unit")
    place = {unit: row for row, unit in enumerate(units)}
    row_axis(ax, fitted(list(shown)))
    for unit, entry in first.iterrows():
        verdicts = data[data["unit"] == unit]
        apart = bool((verdicts["verdict"] == "separated").all())
        above, below = bool((verdicts["gap"] > 0).all()), bool((verdicts["gap"] < 0).all())
        kind = "above" if apart and above else "below" if apart and below else "other"
        colour, marker = MARKS[kind]
        y = place[str(unit)]
        if np.isfinite(entry["conf_low"]):
            ax.hlines(y, 100 * entry["conf_low"], 100 * entry["conf_high"], color=colour, linewidth=1.6, alpha=0.75)
        ax.plot(100 * entry["estimate"], y, marker, color=colour, markersize=5)
    for kind, (colour, marker) in MARKS.items():
        ax.plot([], [], marker, color=colour, markersize=5, linestyle="none", label=words(f"mark_{kind}"))
    scores = data.drop_duplicates(["boundary", "years"]).sort_values("human_score", kind="stable")
    for step, (_, entry) in enumerate(scores.iterrows()):
        value = 100 * entry["human_score"]
        ax.axvline(value, color=ORANGE, linewidth=1.3, zorder=1, label=words("people") if step == 0 else None)
        name = f"{codes.text(entry['boundary'], words.lang)} {numbers.number(value, 1)}"
        several = len(scores) > 1
        ax.annotate(
            name, (value, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 2), textcoords="offset points",
            fontsize=6.8, color=INK, va="bottom", ha="left" if several else "center", rotation=35 if several else 0,
        )  # fmt: skip
    low = min(float(first["conf_low"].min()), float(scores["human_score"].min()))
    high = max(float(first["conf_high"].max()), float(scores["human_score"].max()))
    ax.set_xlim(max(0.0, 100 * low - 5), min(101.0, 100 * high + 5))
    ax.grid(axis="x")
    ax.set_xlabel(words("accuracy"))


def _alt(data: pd.DataFrame, names: Labels, words: Words) -> str:
    parts = []
    for (exam, boundary), own in data.groupby(["exam", "boundary"], sort=False):
        apart = own[own["verdict"] == "separated"]
        best, worst = own.iloc[largest(own["estimate"])], own.iloc[smallest(own["estimate"])]
        parts.append(
            words(
                "alt", exam=codes.text(exam, words.lang), boundary=codes.text(boundary, words.lang),
                score=numbers.percent(best["human_score"]), above=int((apart["gap"] > 0).sum()),
                below=int((apart["gap"] < 0).sum()), other=len(own) - len(apart), best=names.unit(best["unit"]),
                best_value=numbers.percent(best["estimate"]), worst=names.unit(worst["unit"]),
                worst_value=numbers.percent(worst["estimate"]),
            )
        )  # fmt: skip
    return " ".join(parts)
