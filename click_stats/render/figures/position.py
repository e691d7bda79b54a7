"""Shares of displayed positions, and how far entropies of challenging items spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PINK,
    VERMILION,
    fitted,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

MARKS = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"), (VERMILION, "D"), (PINK, "v"), (INK, "P"))
FOUR = 4


def tested(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the shares with an interval of the items with four options, or else of those with fewest."""
    data = estimates.dropna(subset=["conf_low"])
    data = data[data["n_options"] == (FOUR if (data["n_options"] == FOUR).any() else data["n_options"].min())]
    return data[data["position"] <= len(MARKS)].reset_index(drop=True)


def draw_shares(ax: Axes, data: pd.DataFrame, units: list[Any], shown: list[str], words: Words) -> None:
    """Draw one mark per unit and displayed position, and the share that balance gives."""
    row_axis(ax, shown)
    places = sorted(data["position"].unique())
    for place, (colour, marker) in zip(places, MARKS, strict=False):
        own = data[data["position"] == place].set_index("unit").reindex(units)
        y = [row + 0.16 * (int(place) - (len(places) + 1) / 2) for row in range(len(units))]
        ax.hlines(y, 100 * own["conf_low"], 100 * own["conf_high"], color=colour, linewidth=1.3, alpha=0.7)
        ax.plot(100 * own["estimate"], y, marker, color=colour, markersize=3.6, label=words("place", n=int(place)))
    ax.axvline(100 * float(data["expected"].iloc[0]), color=MUTED, linewidth=1, linestyle="--", zorder=1)
    ax.set_xlabel(words("share"))
    ax.grid(axis="x")


def spread(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of content entropy on challenging items whose quartiles are defined."""
    kept = (estimates["item_scope"] == "challenging items") & (estimates["measure"] == "content entropy")
    return estimates[kept].dropna(subset=["median"]).reset_index(drop=True)


def draw_entropy(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw quartiles, median and mean of each unit's entropy, a uniform guesser's mean and the published median."""
    row_axis(ax, shown)
    rows = range(len(data))
    ax.hlines(rows, data["quartile_low"], data["quartile_high"], color=BLUE, linewidth=5, alpha=0.35,
              label=words("quartiles"))  # fmt: skip
    ax.plot(data["median"], rows, "|", color=BLUE, markersize=11, markeredgewidth=2, label=words("median"))
    ax.plot(data["estimate"], rows, "o", color=VERMILION, markersize=4, label=words("mean"))
    ax.plot(data["guesser"], rows, "x", color=MUTED, markersize=5, label=words("guesser"))
    if "published" in data and data["published"].notna().any():
        ax.plot(data["published"], rows, "D", color="none", markeredgecolor=INK, markersize=5, label=words("published"))
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel(words("entropy"))
    ax.grid(axis="x")


def figure_position(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the share of each position less its balanced expectation; None without complete rotations."""
    if "position" not in results:
        return None
    data = tested(frame(results, "position"))
    if not len(data):
        return None
    names, words = labels(results, lang), Words("position", lang)
    units = list(dict.fromkeys(data["unit"]))
    expected = float(data["expected"].iloc[0])
    with settings():
        figure = new_figure(row_height(len(units), each=0.3, rest=1.1, least=2.0))
        ax = figure.subplots()
        draw_shares(ax, data, units, fitted([names.unit(unit) for unit in units]), words)
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=6)
    worst = data.iloc[int(data["departure"].abs().to_numpy().argmax())]
    caption = words(
        "caption", n=len(units), options=int(data["n_options"].iloc[0]), level=numbers.level(data["conf_level"].iloc[0])
    )
    alt = words(
        "alt", unit=names.unit(worst["unit"]), place=int(worst["position"]), share=numbers.percent(worst["estimate"]),
        expected=numbers.percent(expected),
    )  # fmt: skip
    return Drawing("fig-position", figure, words("title"), caption, alt, words("how"), data)


def figure_confident_errors(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the quartiles of content entropy on challenging items (the paper's Figure 3); None when undefined."""
    if "confident_errors" not in results:
        return None
    data = spread(frame(results, "confident_errors"))
    if not len(data):
        return None
    data = _with_published(data, frame(results, "published", "entropies", measure="median entropy"))
    names, words = labels(results, lang), Words("confident_errors", lang)
    units = list(data["unit"])
    with settings():
        figure = new_figure(row_height(len(units), rest=1.1, least=2.0))
        ax = figure.subplots()
        draw_entropy(ax, data, fitted([names.unit(unit) for unit in units]), words)
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=5)
    low, high = (data.iloc[k] for k in (smallest(data["median"]), largest(data["median"])))
    alt = words(
        "alt", low=names.unit(low["unit"]), low_value=numbers.number(low["median"]), high=names.unit(high["unit"]),
        high_value=numbers.number(high["median"]),
    )  # fmt: skip
    how = words("how") + (f" {words('how_published')}" if data["published"].notna().any() else "")
    return Drawing("fig-confident_errors", figure, words("title"), words("caption", n=len(units)), alt, how, data)


def _with_published(data: pd.DataFrame, stated: pd.DataFrame) -> pd.DataFrame:
    """Add the median that the paper states for a model, where it does."""
    known = dict(zip(stated["unit"], stated["published"], strict=True)) if len(stated) else {}
    return data.assign(published=[float(known.get(unit, float("nan"))) for unit in data["unit"]])
