"""How far every two models agree: one matrix, options chosen below the diagonal and errors above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.heatmap import COLOURS, LEFT_OUT
from click_stats.render.figures.style import INK, fitted, new_figure, row_height, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable

    from click_stats.results import ResultSet

ID = "fig-agreement"
CHOSEN, RIGHT = "option chosen", "right or wrong"


def figure_agreement(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the kappas of every two models; None with fewer than two, or where none is defined."""
    data = frame(results, "agreement", "pairs")
    if not len(data) or not bool(data["estimate"].notna().any()):
        return None
    data = data[data["rated"].isin([CHOSEN, RIGHT])].reset_index(drop=True)
    names, words = labels(results, lang), Words("agreement", lang)
    units = _order(results, data)
    with settings():
        figure = new_figure(row_height(len(units), each=0.26, rest=1.4, least=2.4))
        ax = figure.subplots()
        shades = draw_agreement(ax, data, units, [names.unit(unit) for unit in units])
        bar = figure.colorbar(shades, ax=ax, shrink=0.5, aspect=24, pad=0.012, anchor=(0.0, 1.0))
        bar.set_label(words("colour"))
        bar.outline.set_visible(False)  # type: ignore[operator]
    chosen, right = (data[data["rated"] == kind].dropna(subset=["estimate"]) for kind in (CHOSEN, RIGHT))
    alt = ""
    if len(chosen) and len(right):
        top, bottom = chosen.iloc[largest(chosen["estimate"])], chosen.iloc[smallest(chosen["estimate"])]
        alike = right.iloc[largest(right["estimate"])]
        high, low, same = (f"{names.unit(row['unit_a'])} – {names.unit(row['unit_b'])}" for row in (top, bottom, alike))
        alt = words(
            "alt", n=len(units), high=numbers.number(top["estimate"]), high_pair=high,
            low=numbers.number(bottom["estimate"]), low_pair=low,
            right_high=numbers.number(alike["estimate"]), right_pair=same,
        )  # fmt: skip
    return Drawing(ID, figure, words("title"), words("caption", n=len(units)), alt, words("how"), data)


def draw_agreement(ax: Axes, data: pd.DataFrame, units: Sequence[str], shown: Sequence[str]) -> ScalarMappable:
    """Draw the matrix, ``units`` in this order from the top; return the colours for a colour bar."""
    place = {unit: row for row, unit in enumerate(units)}
    low = min(0.0, float(data["estimate"].min()))
    shades = mpl.cm.ScalarMappable(Normalize(low, 1), COLOURS)
    size = 7 if len(units) <= 12 else 5.2
    for entry in data.to_dict("records"):
        first, second = sorted((place[entry["unit_a"]], place[entry["unit_b"]]))
        x, y = (first, second) if entry["rated"] == CHOSEN else (second, first)
        known = not numbers.undefined(entry["estimate"])
        colour = shades.to_rgba(entry["estimate"]) if known else LEFT_OUT
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=0.6))
        text = numbers.number(entry["estimate"], 2) if known else numbers.DASH
        ax.text(x, y, text.replace("0.", "."), ha="center", va="center", fontsize=size, color=INK)
    ax.set_xlim(-0.5, len(units) - 0.5)
    ax.set_ylim(len(units) - 0.5, -0.5)
    ax.set_yticks(range(len(units)), fitted(list(shown)))
    ax.set_xticks(range(len(units)), fitted(list(shown)), rotation=45, ha="left", va="baseline", rotation_mode="anchor")
    ax.tick_params(length=0, labeltop=True, labelbottom=False, top=False, bottom=False)
    ax.spines[:].set_visible(False)
    return shades


def plot_agreement(ax: Axes, pairs: pd.DataFrame) -> None:
    """Draw the pairs of one result, raters in the order of the result."""
    units = list(dict.fromkeys([*pairs["unit_a"], *pairs["unit_b"]]))
    rated = pairs["rated"].where(pairs["rated"].isin([CHOSEN, RIGHT]), CHOSEN)
    draw_agreement(ax, pairs.assign(rated=rated), units, units)


def _order(results: ResultSet, data: pd.DataFrame) -> list[str]:
    units = list(dict.fromkeys([*data["unit_a"], *data["unit_b"]]))
    accuracy = frame(results, "accuracy", by="overall")
    if not len(accuracy):
        return units
    ranked = accuracy.sort_values("estimate", ascending=False, kind="stable")["unit"]
    return [unit for unit in ranked if unit in units] + [unit for unit in units if unit not in set(ranked)]
