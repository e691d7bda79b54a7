"""Effects of models under three priors: prior and posterior in logits, intervals in points beside the margin."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    MUTED,
    VERMILION,
    fitted,
    new_figure,
    row_axis,
    settings,
)
from click_stats.render.labels import frame
from click_stats.render.terms import term

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-bayes"
COLOURS = (GREEN, BLUE, VERMILION)
DASHES = ((0, (1.2, 1.2)), "-", (0, (5, 2)))
MOST = 6
"""Effects drawn."""


def figure_bayes(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the effects; None when there are none."""
    estimates, priors = frame(results, "bayes"), frame(results, "bayes", "priors")
    density = frame(results, "bayes", "density")
    if not len(estimates) or not len(density):
        return None
    words = Words("bayes", lang)
    shown = estimates.iloc[:MOST]
    with settings():
        figure = new_figure(min(8.8, 0.75 + 1.55 * len(shown)))
        axes = figure.subplots(len(shown), 2, squeeze=False, width_ratios=(1.15, 1))
        draw_bayes(axes.tolist(), shown, priors, density, words)
        figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside upper left", ncols=3, handlelength=2.6)
    margin = shown["margin"].iloc[0]
    facts = {"n": len(shown), "level": numbers.level(float(shown["conf_level"].iloc[0]))}
    caption, how = words("caption", **facts), words("how")
    if not pd.isna(margin):
        caption += " " + words("caption_margin", margin=numbers.percent(float(margin)))
        how += " " + words("how_margin")
    data = priors[priors["term"].isin(shown["term"])]
    return Drawing(ID, figure, words("title"), caption, _alt(shown, words), how, data)


def draw_bayes(
    axes: Sequence[Sequence[Axes]], shown: pd.DataFrame, priors: pd.DataFrame, density: pd.DataFrame, words: Words
) -> None:
    """Draw one row of two axes for each effect."""
    reach = 115 * float(priors[priors["term"].isin(shown["term"])][["conf_low", "conf_high"]].abs().max().max())
    margin = shown["margin"].iloc[0]
    reach = max(reach, 0.0 if pd.isna(margin) else 130 * float(margin))
    titles = fitted([term(str(name), words.lang) for name in shown["term"]], most=56)
    for place, (pair, row) in enumerate(zip(axes, shown.to_dict("records"), strict=True)):
        left, right = pair
        own = priors[priors["term"] == row["term"]]
        draw_density(left, density[density["term"] == row["term"]], words)
        left.set_title(titles[place], loc="left")
        if row["base"]:
            note = words("against", base=fitted([str(row["base"])], most=30)[0])
            left.text(0.01, 0.98, note, transform=left.transAxes, va="top", fontsize=7, color=MUTED)
        draw_points(right, own, margin, reach, words)
        right.set_title(words("verdict", verdict=codes.text(row["verdict"], words.lang)), loc="left", color=MUTED)
        if place == len(shown) - 1:
            left.set_xlabel(words("axis_logits"))
            right.set_xlabel(words("axis_points"))


def draw_density(ax: Axes, density: pd.DataFrame, words: Words) -> None:
    """Draw posterior (thick) and prior (thin) of one effect under each prior, over logits."""
    for k, (sd, part) in enumerate(density.groupby("prior_sd", sort=True)):
        colour, dash = COLOURS[k % 3], DASHES[k % 3]
        label = words("prior", sd=numbers.number(float(str(sd))))
        ax.plot(part["logit"], part["density"], color=colour, linewidth=1.5, linestyle=dash, label=label)
        ax.plot(part["logit"], part["prior_density"], color=colour, linewidth=0.7, linestyle=dash, alpha=0.8)
    ax.axvline(0, color=MUTED, linewidth=0.7)
    ax.set_ylim(0, None)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.margins(x=0)


def draw_points(ax: Axes, priors: pd.DataFrame, margin: float, reach: float, words: Words) -> None:
    """Draw the interval of one effect under each prior, in points, over the margin."""
    if not pd.isna(margin):
        ax.axvspan(-100 * float(margin), 100 * float(margin), color=FAINT, alpha=0.7, linewidth=0, zorder=0)
    ax.axvline(0, color=MUTED, linewidth=0.7, zorder=1)
    rows = priors.sort_values("prior_sd").to_dict("records")
    for k, row in enumerate(rows):
        colour = COLOURS[k % 3]
        ax.plot([100 * row["conf_low"], 100 * row["conf_high"]], [k, k], color=colour, linewidth=2.2, zorder=2)
        ax.plot(100 * row["estimate"], k, "o", color=colour, markersize=4.5, zorder=3)
    ax.set_yticks(range(len(rows)), [words("prior", sd=numbers.number(row["prior_sd"])) for row in rows])
    ax.tick_params(axis="y", length=0, labelcolor=INK)
    ax.spines["left"].set_visible(False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(-reach, reach)
    ax.grid(axis="x")


def draw_effects(ax: Axes, estimates: pd.DataFrame, priors: pd.DataFrame, words: Words) -> None:
    """Draw the intervals of all effects in points, each under every prior, over the margin."""
    margin = estimates["margin"].iloc[0]
    if not pd.isna(margin):
        ax.axvspan(-100 * float(margin), 100 * float(margin), color=FAINT, alpha=0.7, linewidth=0, zorder=0)
    ax.axvline(0, color=MUTED, linewidth=0.7, zorder=1)
    sds = sorted(set(priors["prior_sd"]))
    for place, name in enumerate(estimates["term"]):
        for k, sd in enumerate(sds):
            row = priors[(priors["term"] == name) & (priors["prior_sd"] == sd)].iloc[0]
            y = place + 0.22 * (k - (len(sds) - 1) / 2)
            label = words("prior", sd=numbers.number(float(sd))) if place == 0 else None
            ends = [100 * row["conf_low"], 100 * row["conf_high"]]
            ax.plot(ends, [y, y], color=COLOURS[k % 3], linewidth=2.0, label=label, zorder=2)
            ax.plot(100 * row["estimate"], y, "o", color=COLOURS[k % 3], markersize=4.0, zorder=3)
    row_axis(ax, [term(str(name), words.lang) for name in estimates["term"]])
    ax.grid(axis="x")
    ax.set_xlabel(words("axis_points"))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(sds))


def _alt(shown: pd.DataFrame, words: Words) -> str:
    parts = [
        words(
            "alt_effect", name=term(str(row["term"]), words.lang), value=numbers.points(row["estimate"]),
            interval=numbers.interval_points(row["conf_low"], row["conf_high"]),
            verdict=codes.text(row["verdict"], words.lang),
            evidence=codes.text(row["evidence"], words.lang) if row["evidence"] else words("none"),
        )
        for row in shown.to_dict("records")
    ]  # fmt: skip
    return words("alt", n=len(shown)) + " " + " ".join(parts)
