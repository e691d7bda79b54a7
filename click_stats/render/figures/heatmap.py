"""Accuracy by unit and category, with what the data cannot tell apart from the reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Patch, Rectangle

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import INK, MUTED, fitted, new_figure, row_height, settings
from click_stats.render.labels import HALF, frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from click_stats.results import ResultSet

ID = "fig-heatmap"
OVERALL = ("overall", "all items")
LEFT_OUT = "#e4e4e4"
# White to a blue on which dark ink is still easy to read; lightness alone carries it, so it survives grey print.
COLOURS = LinearSegmentedColormap.from_list("click", ["#fcfdfe", "#dceaf4", "#b4d3e8", "#86b8da", "#5c9fcd"])


def figure_heatmap(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the accuracies as a table of colours; None when there is no accuracy by category, or none is defined."""
    data = _data(results)
    if not len(data) or not bool(data["estimate"].notna().any()):
        return None
    names, words = labels(results, lang), Words("heatmap", lang)
    groups = list(dict.fromkeys(zip(data["by"], data["group"], strict=True)))
    units = list(dict.fromkeys(data["unit"]))
    reference = _reference(results)
    with settings():
        figure = new_figure(row_height(len(units), each=0.235, rest=1.35, least=2.2))
        ax = figure.subplots()
        shades = draw_heatmap(
            ax, data, [names.unit(unit) for unit in units], [names.group(*group) for group in groups], reference
        )
        bar = figure.colorbar(shades, ax=ax, shrink=0.5, aspect=24, pad=0.012, anchor=(0.0, 1.0))
        bar.set_label(words("accuracy"))
        bar.outline.set_visible(False)  # type: ignore[operator]
        handles = []
        if reference is not None:
            label = words("not_separated", reference=names.unit(reference))
            handles.append(Patch(facecolor="white", edgecolor=MUTED, hatch="/////", linewidth=0.5, label=label))
        if bool(data["coverage"].lt(HALF).any()):
            handles.append(
                Patch(facecolor=LEFT_OUT, edgecolor=MUTED, hatch="xxxx", linewidth=0.5, label=words("left_out"))
            )
        if handles:
            figure.legend(handles=handles, loc="outside lower center", ncols=2, handlelength=2.2, handleheight=1.2)
    caption = words("caption", n=len(groups) - (OVERALL in groups))
    caption += " " + words("caption_reference", reference=names.unit(reference)) if reference is not None else ""
    alt = _alt(
        data,
        {unit: names.unit(unit) for unit in units},
        dict(zip(groups, map(names.group, *zip(*groups, strict=True)), strict=True)),
        words,
    )
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), data)


def draw_heatmap(
    ax: Axes, data: pd.DataFrame, rows: Sequence[str], columns: Sequence[str], reference: str | None = None
) -> ScalarMappable:
    """Draw cells with their values in percent; return the colours for a colour bar.

    A cell is hatched where its unit is not separated from ``reference``, crossed where it answered under half.
    """
    units = list(dict.fromkeys(data["unit"]))
    groups = list(dict.fromkeys(zip(data["by"], data["group"], strict=True)))
    # The overall column stands a little apart from the categories.
    gap = 0.25 if groups[0] == OVERALL and len(groups) > 1 else 0.0
    place = {group: k + (gap if k else 0.0) for k, group in enumerate(groups)}
    low = float(data["estimate"].min())
    shades = mpl.cm.ScalarMappable(Normalize(100 * min(low, 0.9), 100), COLOURS)
    for entry in data.to_dict("records"):
        x, y = place[entry["by"], entry["group"]], units.index(entry["unit"])
        crossed = bool(entry["coverage"] < HALF)
        known = not numbers.undefined(entry["estimate"])
        colour = LEFT_OUT if crossed or not known else shades.to_rgba(100 * entry["estimate"])
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.8))
        hatch = "xxxx" if crossed else "/////" if entry["verdict"] == "not separated" else ""
        if hatch:
            ax.add_patch(
                Rectangle((x - 0.5, y - 0.5), 1, 1, fill=False, edgecolor=INK, alpha=0.35, hatch=hatch, linewidth=0)
            )
        # The number stands on a plain patch, so that no line of a hatch runs through it.
        plain = {"boxstyle": "square,pad=0.15", "facecolor": colour, "edgecolor": "none"} if hatch else None
        ax.text(x, y, numbers.percent(entry["estimate"]), ha="center", va="center", fontsize=7, color=INK, bbox=plain)
    ax.set_xlim(-0.5, place[groups[-1]] + 0.5)
    ax.set_ylim(len(units) - 0.5, -0.5)
    ax.set_yticks(range(len(units)), fitted(rows))
    ax.set_xticks(list(place.values()), columns, rotation=38, ha="left", va="baseline", rotation_mode="anchor")
    ax.tick_params(length=0, labeltop=True, labelbottom=False, top=False, bottom=False)
    ax.spines[:].set_visible(False)
    if reference in units:
        ax.get_yticklabels()[units.index(reference)].set_fontweight("bold")
    return shades


def _data(results: ResultSet) -> pd.DataFrame:
    found = frame(results, "accuracy")
    if not len(found) or not bool((found["by"] == "category").any()):
        return found.iloc[:0]
    overall = found[found["by"] == "overall"].sort_values("estimate", ascending=False, kind="stable")
    order = list(overall["unit"]) or list(dict.fromkeys(found["unit"]))
    wanted = found[found["by"].isin(["overall", "category"])]
    columns = [
        "unit",
        "by",
        "group",
        "estimate",
        "conf_low",
        "conf_high",
        "n_items",
        "n_items_total",
        "coverage",
        "reason",
    ]
    wanted = wanted[columns].assign(_row=wanted["unit"].map({unit: row for row, unit in enumerate(order)}))
    wanted = wanted.sort_values("_row", kind="stable").drop(columns="_row")
    pairs = frame(results, "compare", "reference")
    if len(pairs):
        verdicts = pairs[["unit_a", "by", "group", "verdict"]].rename(columns={"unit_a": "unit"})
        wanted = wanted.merge(verdicts, on=["unit", "by", "group"], how="left")
    else:
        wanted = wanted.assign(verdict="")
    return wanted.assign(verdict=wanted["verdict"].fillna("")).reset_index(drop=True)


def _reference(results: ResultSet) -> str | None:
    pairs = frame(results, "compare", "reference")
    return str(pairs["unit_b"].iloc[0]) if len(pairs) else None


def _alt(data: pd.DataFrame, units: dict[str, str], groups: dict[tuple[str, str], str], words: Words) -> str:
    cells = data[(data["by"] == "category") & (data["coverage"] >= HALF)].dropna(subset=["estimate"])
    if not len(cells):
        return words("alt_left_out", n=len(units), k=sum(by == "category" for by, _ in groups))
    means = cells.groupby("group", sort=False)["estimate"].mean()
    easy, hard = str(means.idxmax()), str(means.idxmin())
    best, worst = (cells.iloc[find(cells["estimate"])] for find in (largest, smallest))
    compared = cells[cells["verdict"].isin(["separated", "not separated"])]
    text = words(
        "alt", n=len(units), k=cells["group"].nunique(), easy=groups["category", easy], hard=groups["category", hard],
        easy_value=numbers.percent(float(means[easy])), hard_value=numbers.percent(float(means[hard])),
        best=units[best["unit"]], best_group=groups["category", best["group"]],
        best_value=numbers.percent(best["estimate"]),
        worst=units[worst["unit"]], worst_group=groups["category", worst["group"]],
        worst_value=numbers.percent(worst["estimate"]),
    )  # fmt: skip
    if len(compared):
        text += " " + words("alt_compared", n=int((compared["verdict"] == "not separated").sum()), total=len(compared))
    return text
