"""Error of the whole score against the number of items asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, FAINT, GREEN, MUTED, ORANGE, VERMILION, new_figure, settings
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-short-forms"
ADAPTIVE = "adaptive"
LOOKS = {
    "random": (MUTED, "-", "o"),
    "stratified": (GREEN, "--", "s"),
    "information": (ORANGE, "-.", "^"),
    "clustering": (BLUE, (0, (5, 1)), "D"),
    ADAPTIVE: (VERMILION, (0, (1, 1)), "v"),
}


def figure_short_forms(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw a line for each strategy; None when no form was tried."""
    if "short_forms" not in results:
        return None
    data = curves(frame(results, "short_forms"), frame(results, "short_forms", "adaptive"))
    if not len(data):
        return None
    words = Words("short_forms", lang)
    with settings():
        figure = new_figure(3.6)
        draw_short_forms(figure.subplots(), data, words)
    sizes = sorted(data["n_chosen"].unique())
    k = 100 if 100 in sizes else sizes[len(sizes) // 2]
    parts = [
        words("alt_one", strategy=codes.text(row["strategy"], lang), value=numbers.percent(row["estimate"]))
        for row in data[data["n_chosen"] == k].to_dict("records")
    ]
    alt = words("alt", k=k, list=", ".join(parts))
    n_items = int(data["n_items"].max())
    caption = words("caption", n=int(data["n_units"].max()), items=numbers.integer(n_items))
    return Drawing(ID, figure, words("title"), caption, alt, words("how"), data)


def curves(estimates: pd.DataFrame, adaptive: pd.DataFrame) -> pd.DataFrame:
    """Return the defined errors of all strategies, adaptive tests among them."""
    both = [estimates, adaptive.assign(strategy=ADAPTIVE)] if len(adaptive) else [estimates]
    joined = pd.concat([part.dropna(axis=1, how="all") for part in both], ignore_index=True)
    if "estimate" not in joined:
        return joined.iloc[:0]
    columns = ["strategy", "n_chosen", "estimate", "draw_low", "draw_high", "n_units", "n_items"]
    return joined.dropna(subset=["estimate"]).reindex(columns=columns).reset_index(drop=True)


def draw_short_forms(ax: Axes, data: pd.DataFrame, words: Words) -> None:
    """Draw the errors over a logarithmic axis of numbers of items."""
    random = data[data["strategy"] == "random"].dropna(subset=["draw_low"])
    if len(random):
        ax.fill_between(
            random["n_chosen"].astype(float),
            100 * random["draw_low"],
            100 * random["draw_high"],
            color=FAINT,
            linewidth=0,
        )
    for strategy, (colour, style, marker) in LOOKS.items():
        own = data[data["strategy"] == strategy]
        if len(own):
            ax.plot(
                own["n_chosen"].astype(float), 100 * own["estimate"], color=colour, linestyle=style, marker=marker,
                markersize=4.5, label=codes.text(strategy, words.lang),
            )  # fmt: skip
    sizes = sorted(data["n_chosen"].unique())
    ax.set_xscale("log")
    ax.set_xticks([float(size) for size in sizes], [numbers.integer(int(size)) for size in sizes])
    ax.minorticks_off()
    ax.set_ylim(bottom=0)
    ax.grid(axis="y")
    ax.set_xlabel(words("x"))
    ax.set_ylabel(words("y"))
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
