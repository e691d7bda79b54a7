"""How many units got each item right, by category: which items separate units at all."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Patch

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, MUTED, SKY, VERMILION, new_figure, settings, step
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-items-right"
COLUMNS = 4
EVERYTHING = "all items"


def figure_items_right(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw items by the number of units that got them right; None when there are no items or fewer than two units."""
    data, n_units = _data(results)
    if not len(data) or n_units < 2:
        return None
    names, words = labels(results, lang), Words("items_right", lang)
    order = [name for name in names.names("category") if (data["category"] == name).any()]
    groups = order + [name for name in dict.fromkeys(data["category"]) if name not in order]
    panels = [("overall", EVERYTHING), *(("category", name) for name in groups)]
    with settings():
        rows = ceil(len(panels) / COLUMNS)
        figure = new_figure(0.7 + 1.45 * rows)
        axes = figure.subplots(rows, COLUMNS, sharex=True, squeeze=False).ravel()
        for ax, (by, name) in zip(axes, panels, strict=False):
            part = data if by == "overall" else data[data["category"] == name]
            draw_items_right(ax, part, names.group(by, name), n_units, words)
        for ax in axes[len(panels) :]:
            ax.set_visible(False)
        for place, ax in enumerate(axes[: len(panels)]):
            below = place + COLUMNS
            ax.tick_params(labelbottom=below >= len(panels))
        figure.supxlabel(words("axis_right", n=n_units), fontsize=8)
        figure.supylabel(words("items"), fontsize=8)
        figure.legend(
            handles=_legend(data, words), loc="outside upper center", ncols=4, handleheight=1.0, columnspacing=1.4
        )
    shown = {name: names.group("category", name) for name in groups}
    return Drawing(
        ID, figure, words("title"), words("caption", n=n_units), _alt(data, shown, n_units, words), words("how"), data
    )


def draw_items_right(ax: Axes, data: pd.DataFrame, title: str, n_units: int, words: Words) -> None:
    """Draw the items of one group as bars by number of units right, in a light shade where some did not answer."""
    counts = np.zeros((2, n_units + 1))
    for right, complete, n_items in zip(data["n_right"], data["n_units"] == n_units, data["n_items"], strict=True):
        counts[0 if complete else 1, int(right)] += n_items
    places = np.arange(n_units + 1)
    ends = np.isin(places, (0, n_units))
    ax.bar(places, counts[0], width=0.86, color=np.where(ends, VERMILION, BLUE), linewidth=0)
    ax.bar(places, counts[1], width=0.86, bottom=counts[0], color=SKY, edgecolor="white", linewidth=0, hatch="//////")
    total = counts.sum()
    ax.set_title(f"{title} ({numbers.integer(total)})", loc="left", pad=13)
    ax.annotate(
        words("ends", none=numbers.integer(counts[0, 0]), every=numbers.integer(counts[0, n_units])), (0, 1.0),
        xycoords="axes fraction", xytext=(0, 3), textcoords="offset points", fontsize=6.8, color=MUTED, va="bottom",
    )  # fmt: skip
    ax.set_ylim(0, max(1.0, 1.06 * float(counts.sum(axis=0).max())))
    ax.set_xlim(-0.8, n_units + 0.8)
    ticks = range(0, n_units + 1, step(n_units) if n_units > 8 else 1)
    ax.set_xticks(ticks)
    ax.locator_params(axis="y", nbins=4, integer=True)
    ax.grid(axis="y")


def _legend(data: pd.DataFrame, words: Words) -> list[Patch]:
    handles = [Patch(color=BLUE, label=words("some")), Patch(color=VERMILION, label=words("none_or_every"))]
    if bool((data["n_units"] < data["n_units"].max()).any()):
        handles.append(Patch(facecolor=SKY, edgecolor="white", hatch="//////", linewidth=0, label=words("incomplete")))
    return handles


def _data(results: ResultSet) -> tuple[pd.DataFrame, int]:
    """Return items counted by category, units right and units that answered, and the number of units."""
    found = frame(results, "accuracy", "items")
    if not len(found):
        return found, 0
    counted = found[found["n_units"] > 0].groupby(["category", "n_right", "n_units"], sort=False).size()
    data = counted.rename("n_items").reset_index().sort_values(["n_right", "n_units"], kind="stable")
    order = {name: place for place, name in enumerate(dict.fromkeys(found["category"]))}
    data = data.assign(_place=data["category"].map(order)).sort_values("_place", kind="stable").drop(columns="_place")
    return data.reset_index(drop=True), int(found["n_units"].max())


def _alt(data: pd.DataFrame, shown: dict[str, str], n_units: int, words: Words) -> str:
    complete = data[data["n_units"] == n_units]
    total = int(complete["n_items"].sum())
    none = complete[complete["n_right"] == 0]
    every = complete[complete["n_right"] == n_units]
    text = words(
        "alt",
        total=numbers.integer(total),
        none=numbers.integer(none["n_items"].sum()),
        every=numbers.integer(every["n_items"].sum()),
    )
    sizes = complete.groupby("category", sort=False)["n_items"].sum()
    share = (every.groupby("category", sort=False)["n_items"].sum() / sizes).fillna(0.0)
    if len(share):
        easiest = str(share.idxmax())
        text += " " + words("alt_easy", group=shown[easiest], value=numbers.percent(float(share[easiest])))
    return text
