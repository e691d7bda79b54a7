"""Categories that are harder for one group of models than its score elsewhere explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, INK, MUTED, fitted, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-dif"
MOST = 3


def figure_dif(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw a panel for each division of the models (at most three); None when there is none."""
    data = frame(results, "dif", "groups", by="category")
    if not len(data) or not bool(data["estimate"].notna().any()):
        return None
    names, words = labels(results, lang), Words("dif", lang)
    contrasts = list(dict.fromkeys(data["contrast"]))[:MOST]
    data = data[data["contrast"].isin(contrasts)].reset_index(drop=True)
    groups = list(dict.fromkeys(data["group"]))
    sides = frame(results, "dif", "contrasts").set_index("contrast")
    with settings():
        figure = new_figure(row_height(len(groups), rest=1.3, least=2.2))
        axes = figure.subplots(1, len(contrasts), sharey=True, squeeze=False).ravel()
        for ax, contrast in zip(axes, contrasts, strict=True):
            own = data[data["contrast"] == contrast]
            draw_dif(ax, own, groups, [names.group("category", group) for group in groups], words)
            ax.set_title(panel(contrast, sides.loc[contrast], words), fontsize=8)
    level = numbers.level(float(data["conf_level"].iloc[0]))
    return Drawing(
        ID, figure, words("title"), words("caption", level=level), _alt(data, names.group, words), words("how"), data
    )


def panel(contrast: str, sides: pd.Series, words: Words) -> str:
    """Name a division of the models: the fact, then the focal group against the reference group."""
    focal, reference = (codes.text(sides[key], words.lang) for key in ("group_focal", "group_reference"))
    return words("panel", contrast=codes.text(contrast, words.lang), focal=focal, reference=reference)


def draw_dif(ax: Axes, data: pd.DataFrame, groups: Sequence[str], shown: Sequence[str], words: Words) -> None:
    """Draw the differences of one division with their intervals; separated ones are filled."""
    row_axis(ax, fitted(list(shown)))
    ax.axvline(0, color=INK, linewidth=0.8)
    for entry in data.to_dict("records"):
        y, apart = groups.index(entry["group"]), entry["verdict"] == "separated"
        if not np.isfinite(entry["estimate"]):
            continue
        colour = BLUE if apart else MUTED
        if np.isfinite(entry["conf_low"]):
            ax.hlines(y, 100 * entry["conf_low"], 100 * entry["conf_high"], color=colour, linewidth=1.6)
        ax.plot(
            100 * entry["estimate"], y, "o", color=colour, markerfacecolor=colour if apart else "white", markersize=5
        )
    ax.grid(axis="x")
    ax.set_xlabel(words("axis"))


def _alt(data: pd.DataFrame, group_name: object, words: Words) -> str:
    parts = []
    for contrast, own in data.dropna(subset=["estimate"]).groupby("contrast", sort=False):
        farthest = own.iloc[int(np.argmax(own["estimate"].abs().to_numpy()))]
        parts.append(
            words(
                "alt", contrast=codes.text(str(contrast), words.lang), n=len(own),
                separated=int((own["verdict"] == "separated").sum()),
                group=group_name("category", str(farthest["group"])),  # type: ignore[operator]
                value=numbers.points(farthest["estimate"]),
            )
        )  # fmt: skip
    return " ".join(parts)
