"""The Wright map: models and items on one scale, a model above an item where it is likely to know the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.transforms import blended_transform_factory

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, INK, MUTED, VERMILION, fitted, new_figure, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-irt"
HEIGHT = 6.6
MOST_COLUMNS = 14
"""Categories beyond which all items stand in one column."""
MOST_NAMES = 36
"""Models that are named; of more, evenly spaced ones."""
COLUMN = 0.86
"""Width of the longest bar, the distance of columns being 1."""
BINS = 36
ROOM = 0.26
"""Width left for the names of models, of that of all columns."""
NAMES_AT = -0.35
GAP = 1 / 40
"""Least distance of two names as a part of the height."""
ALL = "all items"
HALF = 0.5


def figure_irt(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw models beside items by category; None where no item was estimated."""
    items, models = placed(frame(results, "irt"), frame(results, "irt", "abilities"))
    if not len(items) or not len(models) or items["difficulty"].isna().all():
        return None
    names, words = labels(results, lang), Words("irt", lang)
    with settings():
        figure = new_figure(HEIGHT)
        draw_wright(
            figure.subplots(), items, models, words,
            unit=names.unit, category=lambda name: names.group("category", name),
        )  # fmt: skip
    n_prior = int((~items["estimable"]).sum())
    caption = words("caption", n=numbers.integer(len(models)), items=numbers.integer(len(items)))
    if n_prior:
        caption += " " + words("caption_prior", n=numbers.integer(n_prior))
    best, worst = models.iloc[largest(models["ability"])], models.iloc[smallest(models["ability"])]
    means = items.groupby("category", sort=False)["difficulty"].mean()
    said = items[items["estimable"]]["difficulty"]
    alt = words(
        "alt", best=names.unit(best["unit"]), best_value=numbers.number(best["ability"]),
        worst=names.unit(worst["unit"]), worst_value=numbers.number(worst["ability"]),
        low=numbers.number(float(said.quantile(0.05))), high=numbers.number(float(said.quantile(0.95))),
        hard=names.group("category", str(means.idxmax())), hard_value=numbers.number(float(means.max())),
        easy=names.group("category", str(means.idxmin())), easy_value=numbers.number(float(means.min())),
    )  # fmt: skip
    data = pd.concat([models, items], ignore_index=True)
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), data)


def placed(estimates: pd.DataFrame, abilities: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the items that were answered, and the models with a general ability, the ablest first."""
    if not len(estimates) or not len(abilities):
        return pd.DataFrame(), pd.DataFrame()
    items = estimates.dropna(subset=["proportion"])[["item", "category", "proportion", "difficulty", "estimable"]]
    own = abilities[abilities["by"] == "overall"].dropna(subset=["ability"])
    models = own[["unit", "ability", "conf_low", "conf_high"]].sort_values("ability", ascending=False, kind="stable")
    return items.astype({"estimable": bool}).reset_index(drop=True), models.reset_index(drop=True)


def draw_wright(
    ax: Axes,
    items: pd.DataFrame,
    models: pd.DataFrame,
    words: Words,
    *,
    unit: Callable[[str], str] = str,
    category: Callable[[str], str] | None = None,
) -> None:
    """Draw models with their names on the left, and a histogram of difficulties for each category on the right."""
    named = category or (lambda name: codes.text(name, words.lang))
    columns = list(dict.fromkeys(items["category"]))
    if len(columns) > MOST_COLUMNS:
        columns, items = [ALL], items.assign(category=ALL)
        named = lambda name: codes.text(name, words.lang)  # noqa: E731 -- one line says it
    sizes = items["category"].value_counts()
    low, high = _range(items, models)
    edges = np.linspace(low, high, BINS + 1)
    told = items[items["estimable"]]
    shares = {
        name: np.histogram(told["difficulty"][told["category"] == name], edges)[0] / sizes[name] for name in columns
    }
    longest = max(float(part.max()) for part in shares.values()) or 1.0
    middle, height = (edges[1:] + edges[:-1]) / 2, 0.92 * (edges[1] - edges[0])
    beside = blended_transform_factory(ax.transData, ax.transAxes)
    for place, name in enumerate(columns, start=1):
        ax.barh(middle, COLUMN * shares[name] / longest, height, left=place, color=BLUE, linewidth=0)
        ax.vlines(place, low, high, color=MUTED, linewidth=0.5)
        own = items[items["category"] == name]
        ax.hlines(own["difficulty"].mean(), place, place + COLUMN, color=VERMILION, linewidth=1.4)
        rest = own[~own["estimable"]]["proportion"]
        for at, side, count in ((1.0, "bottom", (rest < HALF).sum()), (0.0, "top", (rest > HALF).sum())):
            ax.text(
                place + COLUMN / 2, at, numbers.integer(count) if count else "", fontsize=7.2, color=MUTED, ha="center",
                va=side, transform=beside,
            )  # fmt: skip
        ax.text(
            place + 0.1, 1.035, f"{named(name)} ({numbers.integer(len(own))})", rotation=38, fontsize=7.2, va="bottom",
            ha="left", rotation_mode="anchor", transform=beside,
        )  # fmt: skip
    if not items["estimable"].all():
        for at, side, key in ((1.0, "bottom", "all_wrong"), (0.0, "top", "all_right")):
            ax.text(0.8, at, words(key), fontsize=7.2, color=MUTED, ha="right", va=side, transform=beside)
    _draw_models(ax, models, fitted([unit(str(name)) for name in models["unit"]], 26), high - low)
    ax.barh([low], [0], color=BLUE, label=words("told"))
    ax.plot([], [], color=VERMILION, linewidth=1.4, label=words("mean"))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.035), ncols=2)
    ax.set_xlim(-ROOM * (len(columns) + 2), len(columns) + 1)
    ax.set_ylim(low, high)
    ax.set_xticks([])
    ax.set_ylabel(words("scale"))
    ax.yaxis.grid(visible=True)
    ax.spines["bottom"].set_visible(False)


def _draw_models(ax: Axes, models: pd.DataFrame, names: Sequence[str], height: float) -> None:
    y = models["ability"].to_numpy(dtype=float)
    known = models["conf_low"].notna().to_numpy()
    ax.vlines(np.zeros(known.sum()), models["conf_low"][known], models["conf_high"][known], color=MUTED, linewidth=0.7)
    ax.plot(np.zeros(y.size), y, "D", color=INK, markersize=3.2, markeredgecolor="white", markeredgewidth=0.4)
    chosen = np.unique(np.linspace(0, y.size - 1, min(y.size, MOST_NAMES)).round().astype(int))
    at = apart(y[chosen], GAP * height)
    size = 7.2 if chosen.size <= 24 else 6.2
    for place, text_at in zip(chosen, at, strict=True):
        ax.plot([0, NAMES_AT * 0.9], [y[place], text_at], color=MUTED, linewidth=0.4)
        ax.text(NAMES_AT, text_at, names[place], ha="right", va="center", fontsize=size)


def apart(values: np.ndarray, gap: float) -> np.ndarray:
    """Return places near decreasing ``values`` that are ``gap`` or more apart, the sum of squared moves the least."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 -- only this figure needs scipy

    steps = gap * np.arange(values.size)
    moved: np.ndarray = np.asarray(isotonic_regression(values + steps, increasing=False).x) - steps
    return moved


def _range(items: pd.DataFrame, models: pd.DataFrame) -> tuple[float, float]:
    """Return what the scale shows: the items that answers place, the means of categories, and the models."""
    told = items[items["estimable"]]["difficulty"]
    ends = pd.concat([told, items.groupby("category")["difficulty"].mean(), models["conf_low"], models["conf_high"]])
    low, high = float(ends.min()), float(ends.max())
    room = 0.02 * (high - low) + 0.1
    return low - room, high + room
