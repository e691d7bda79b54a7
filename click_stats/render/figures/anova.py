"""Cells by the size of models, and what designs could have seen of an effect of size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib.ticker import FixedLocator, NullLocator

from click_stats.render import codes, numbers
from click_stats.render.figures.detectable import LEADER, RAIL, spread_apart
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    MUTED,
    ORANGE,
    PINK,
    SKY,
    VERMILION,
    new_figure,
    settings,
)
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

SCALE, MODELS = "scale", "models"
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MARKS = (("o", BLUE), ("s", VERMILION), ("D", GREEN), ("^", ORANGE), ("v", PINK), ("P", SKY))
"""Shape and colour of each corpus."""
PAPER, AT_HAND, EVEN = "the paper's five models", "the models at hand", "models evenly spread"
DASHES = ("-", "--", "-.", ":")


def figure_anova(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the cells of every model against its size; None where size was not tested."""
    data = cells_by_size(frame(results, "anova", "cells"), frame(results, "anova", "models"))
    if not len(data):
        return None
    names, words = labels(results, lang), Words("anova", lang)
    tests = frame(results, "anova", design=SCALE, term="log10_params", test_unit=MODELS)
    row = tests.iloc[0] if len(tests) else None
    with settings():
        figure = new_figure(4.4)
        draw_cells(figure.subplots(), data, [names.unit(one) for one in dict.fromkeys(data["unit"])], row, words)
    count = {"n": numbers.integer(data["unit"].nunique()), "k": numbers.integer(data["category"].nunique())}
    return Drawing(
        "fig-anova", figure, words("title"), words("caption", **count), _alt(data, row, names.unit, words),
        words("how" if row is not None else "how_no_line"), data,
    )  # fmt: skip


def cells_by_size(cells: pd.DataFrame, models: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of the models in the test of scale, with their sizes and corpora."""
    if not len(cells) or not len(models):
        return pd.DataFrame()
    used = models[(models["design"] == SCALE) & models["used"].fillna(value=False).astype(bool)]
    found = cells.merge(used[["unit", "parameters", "korean_corpus"]], on="unit", how="inner")
    found = found.dropna(subset=["estimate", "parameters"])
    order = found.sort_values(["parameters", "unit"], kind="stable", ignore_index=True)
    return order[["unit", "category", "estimate", "n_items", "parameters", "korean_corpus"]]


def draw_cells(ax: Axes, data: pd.DataFrame, shown: Sequence[str], row: pd.Series | None, words: Words) -> None:
    """Draw cells as grey dots, model means as marks by corpus, and the line of the test that counts models."""
    means = data.groupby("unit", sort=False).agg(
        parameters=("parameters", "first"), estimate=("estimate", "mean"), corpus=("korean_corpus", "first")
    )
    left, right = 0.75 * means["parameters"].min(), 1.35 * means["parameters"].max()
    exact = np.log(means["parameters"].to_numpy() / left) / np.log(right / left)
    places = np.array(spread_apart(exact, 0.022))  # models of one size would hide each other
    means["x"] = left * (right / left) ** places
    ax.set_xscale("log")
    ax.set_xlim(left, right)
    ax.plot(data["unit"].map(means["x"]), 100 * data["estimate"], "o", color=FAINT, markersize=3.2,
            markeredgecolor=MUTED, markeredgewidth=0.3, linestyle="none", zorder=1)  # fmt: skip
    if row is not None and pd.notna(row["estimate"]):
        grid = np.array([left, right])
        x = np.log10(means["parameters"]).mean()
        ax.plot(grid, 100 * (means["estimate"].mean() + row["estimate"] * (np.log10(grid) - x)), color=INK,
                linewidth=1.1, zorder=2)  # fmt: skip
    corpora = sorted(set(means["corpus"].dropna()))
    for k, corpus in enumerate([*corpora, None]):
        part = means[means["corpus"].isna()] if corpus is None else means[means["corpus"] == corpus]
        if not len(part):
            continue
        marker, colour = ("X", MUTED) if corpus is None else MARKS[k % len(MARKS)]
        label = words("unknown_corpus") if corpus is None else _short(str(corpus))
        ax.plot(part["x"], 100 * part["estimate"], marker, color=colour, markersize=6, linestyle="none",
                markeredgecolor="white", markeredgewidth=0.6, zorder=3, label=label)  # fmt: skip
    top = data.groupby("unit", sort=False)["estimate"].max()
    anchors = zip(means["x"], top.reindex(means.index), strict=True)
    for place, text, (size, high) in zip(spread_apart(places, 0.045), shown, anchors, strict=True):
        ax.annotate(
            text, (size, 100 * high), xytext=(place, RAIL), textcoords="axes fraction", rotation=48,
            rotation_mode="anchor", ha="left", va="center", fontsize=7.2, color=INK, arrowprops=LEADER,
        )  # fmt: skip
    _ticks(ax, left, right)
    ax.grid()
    ax.set_xlabel(words("axis_parameters"))
    ax.set_ylabel(words("axis_accuracy"))
    ax.legend(title=words("legend"), loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, alignment="left")


def figure_anova_claim(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw power against the effect of tenfold parameters, and the detectable effect against the number of models."""
    claim, curve = frame(results, "anova", "claim", test_unit=MODELS), frame(results, "anova", "claim_curve")
    paper = curve[curve["claim_design"] == PAPER] if len(curve) else curve
    if not len(paper):
        return None
    words = Words("anova_claim", lang)
    even = claim[claim["claim_design"] == EVEN].dropna(subset=["detectable"])
    power, alpha = float(claim["power"].iloc[0]), float(claim["alpha"].iloc[0])
    with settings():
        figure = new_figure(3.3)
        draw_claim(figure.subplots(1, 2, width_ratios=(3, 2)), curve, claim, power, words, lang)
    worst = claim[claim["claim_design"] == PAPER].dropna(subset=["detectable"])
    facts = {"power": numbers.level(power), "alpha": numbers.level(alpha)}
    alt = words(
        "alt", low=numbers.percent(worst["detectable"].min()), high=numbers.percent(worst["detectable"].max()), **facts
    )
    if len(even):
        first, last = even.iloc[0], even.iloc[-1]
        alt += " " + words(
            "alt_models", n=numbers.integer(first["n_units"]), value=numbers.percent(first["detectable"]),
            more=numbers.integer(last["n_units"]), less=numbers.percent(last["detectable"]),
        )  # fmt: skip
    data = pd.concat([curve, even.assign(difference=even["detectable"])], ignore_index=True)
    data = data[["claim_design", "n_units", "model_sd", "model_sd_at", "difference", "power"]]
    return Drawing(
        "fig-anova-claim", figure, words("title"), words("caption", **facts), alt, words("how", **facts), data
    )


def draw_claim(
    axes: Sequence[Axes], curve: pd.DataFrame, claim: pd.DataFrame, power: float, words: Words, lang: str
) -> None:
    """Draw the curves of the paper's design and of the models at hand, and how many models it takes."""
    left, right = axes
    even = claim[claim["claim_design"] == EVEN]
    most = 100 * claim[claim["claim_design"] != EVEN]["detectable"].max()
    widest = min(30.0, max(8.0, 1.25 * most)) if np.isfinite(most) else 30.0
    stated = 0
    plans = claim[claim["claim_design"] != EVEN].sort_values(["claim_design", "model_sd"], kind="stable")
    for plan in plans.to_dict("records"):
        same = (curve["claim_design"] == plan["claim_design"]) & (curve["model_sd_at"] == plan["model_sd_at"])
        part = curve[same & (curve["model_sd"] == plan["model_sd"])]
        if plan["claim_design"] == AT_HAND:
            label, style, colour = words("at_hand", n=plan["n_units"]), "-", VERMILION
        else:
            at = codes.text(plan["model_sd_at"], lang)
            label = words("paper", sd=numbers.percent(plan["model_sd"]), at=at)
            style, colour = DASHES[stated % len(DASHES)], BLUE
            stated += 1
        part = part[100 * part["difference"] <= widest]
        left.plot(100 * part["difference"], 100 * part["power"], style, color=colour, linewidth=1.3, label=label)
    left.axhline(100 * power, color=MUTED, linewidth=0.7, linestyle=(0, (2, 2)))
    left.set_xlim(0, widest)
    left.set_ylim(0, 102)
    left.grid()
    left.set_xlabel(words("axis_effect"))
    left.set_ylabel(words("axis_power"))
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), fontsize=6.8)
    right.plot(
        even["n_units"].astype(float), 100 * even["detectable"], "o-", color=GREEN, markersize=4.5, linewidth=1.2
    )
    for n, value in zip(even["n_units"], even["detectable"], strict=True):
        if np.isfinite(value):
            right.annotate(numbers.percent(value), (float(n), 100 * value), xytext=(4, 4), textcoords="offset points",
                           fontsize=7.2)  # fmt: skip
    right.set_xscale("log")
    right.xaxis.set_minor_locator(NullLocator())
    right.set_xticks(even["n_units"].astype(float), [numbers.integer(n) for n in even["n_units"]])
    right.set_xlim(float(even["n_units"].min()) * 0.8, float(even["n_units"].max()) * 1.5)
    right.set_ylim(0, 115 * float(even["detectable"].max()) if even["detectable"].notna().any() else 100)
    right.grid()
    right.set_xlabel(words("axis_models"))
    right.set_ylabel(words("axis_detectable"))


def _ticks(ax: Axes, left: float, right: float) -> None:
    ticks = [tick for tick in TICKS if left <= tick <= right]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])


def _short(text: str, most: int = 48) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _alt(data: pd.DataFrame, row: pd.Series | None, unit: object, words: Words) -> str:
    means = data.groupby("unit", sort=False)["estimate"].mean()
    name = unit if callable(unit) else str
    text = words(
        "alt", n=numbers.integer(len(means)), low=numbers.percent(means.min()), high=numbers.percent(means.max()),
        worst=name(str(means.idxmin())), best=name(str(means.idxmax())),
    )  # fmt: skip
    if row is None or pd.isna(row["estimate"]):
        return text
    span = numbers.interval_points(row["conf_low"], row["conf_high"])
    return text + " " + words("alt_line", value=numbers.points(row["estimate"]), interval=span)
