"""What the items tell along the scale: test information and the standard error it leaves, with the models marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.irt import MOST_NAMES, apart
from click_stats.render.figures.style import BLUE, INK, MUTED, VERMILION, fitted, new_figure, settings
from click_stats.render.labels import frame, labels, largest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from click_stats.results import ResultSet

HEIGHT = 5.4


def figure_irt_information(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw information and standard error along ability; None where the result has no curve."""
    curve = frame(results, "irt", "information", by="overall")
    abilities = frame(results, "irt", "abilities", by="overall")
    if not len(curve) or not len(abilities):
        return None
    curve = curve.sort_values("ability", kind="stable").reset_index(drop=True)
    models = abilities.dropna(subset=["ability"]).sort_values("ability", kind="stable")
    names, words = labels(results, lang), Words("irt_information", lang)
    with settings():
        figure = new_figure(HEIGHT)
        _draw(figure, curve, models["ability"].to_numpy(float), [names.unit(unit) for unit in models["unit"]], words)
    top = curve.iloc[largest(curve["information"])]
    inside = curve[curve["ability"].between(models["ability"].min(), models["ability"].max())]
    alt = words(
        "alt", peak=numbers.number(top["ability"], 1), least=numbers.number(top["std_error"], 3),
        low=numbers.number(models["ability"].min()), high=numbers.number(models["ability"].max()),
        best=numbers.number(inside["std_error"].min(), 3), worst=numbers.number(inside["std_error"].max(), 3),
    )  # fmt: skip
    caption = words("caption", n=numbers.integer(len(models)), items=numbers.integer(curve["n_items"].iloc[0]))
    return Drawing("fig-irt-information", figure, words("title"), caption, alt, words("how"), curve)


def _draw(figure: Figure, curve: pd.DataFrame, abilities: np.ndarray, names: Sequence[str], words: Words) -> None:
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    x = curve["ability"].to_numpy(float)
    for ax, column, colour in ((top, "information", BLUE), (below, "std_error", VERMILION)):
        y = curve[column].to_numpy(float)
        ax.plot(x, y, color=colour, linewidth=1.8)
        ax.plot(abilities, np.interp(abilities, x, y), "D", color=INK, markersize=3.2)
        ax.set_ylabel(words(column))
        ax.set_ylim(0, 1.08 * np.nanmax(np.interp(abilities, x, y)) if column == "std_error" else None)
        ax.set_xlim(x[0], x[-1])
        ax.grid(axis="both")
    below.set_xlabel(words("scale"))
    _name(top, abilities, fitted(list(names), 24), x[-1] - x[0])


def _name(ax: Axes, abilities: np.ndarray, names: Sequence[str], width: float) -> None:
    """Write the names above the axes, upright, each tied to its ability."""
    chosen = np.unique(np.linspace(0, abilities.size - 1, min(abilities.size, MOST_NAMES)).round().astype(int))
    at = -apart(-abilities[chosen], width / 46)
    high = ax.get_ylim()[1]
    for place, text_at in zip(chosen, at, strict=True):
        ax.plot([abilities[place], text_at], [high, 1.06 * high], color=MUTED, linewidth=0.4, clip_on=False)
        ax.text(text_at, 1.07 * high, names[place], rotation=90, ha="center", va="bottom", fontsize=6.8)
    ax.set_ylim(0, high)
