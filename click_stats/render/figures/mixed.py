"""Levels of models against their size, and the effects of facts of models, with items and models random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    fitted,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels
from click_stats.render.terms import term

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID, ID_LEVELS = "fig-mixed", "fig-mixed-levels"
SCALE, SIZE = "scale", "log10_params"
TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MARKS = (("o", BLUE), ("s", VERMILION), ("D", GREEN), ("^", ORANGE), ("v", PINK), ("P", SKY))
"""Shape and colour of each corpus."""
VERDICTS = {"separated": (VERMILION, "o"), "equivalent": (GREEN, "s"), "not separated": (BLUE, "o")}
UNTESTED = (MUTED, "D")


def figure_mixed(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the effects in points with their t intervals; None when no effect is estimated."""
    data = effects(frame(results, "mixed"))
    if not len(data):
        return None
    words = Words("mixed", lang)
    with settings():
        figure = new_figure(row_height(len(data), each=0.25, rest=1.0, least=1.8))
        ax = figure.subplots()
        draw_effects(ax, data, words)
        figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=4)
    level = numbers.level(float(data["conf_level"].dropna().iloc[0])) if data["conf_level"].notna().any() else ""
    caption = words("caption", n=len(data), level=level)
    return Drawing(ID, figure, words("title"), caption, _alt(data, words), words("how"), data)


def effects(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with an effect in points, in the order of the result."""
    if not len(estimates):
        return pd.DataFrame()
    columns = [
        "design", "term", "base", "knot", "n_units", "estimate", "conf_low", "conf_high", "conf_level", "df",
        "p_value", "verdict",
    ]  # fmt: skip
    return estimates.dropna(subset=["estimate"])[columns].reset_index(drop=True)


def draw_effects(ax: Axes, data: pd.DataFrame, words: Words) -> None:
    """Draw a row for each effect: an interval where models give one, a hollow mark where they do not."""
    names = fitted([_named(row, words.lang) for row in data.to_dict("records")], most=56)
    row_axis(ax, names)
    ax.set_yticks(range(len(names)), names)  # these names say more than those of models, and may be longer
    ax.axvline(0, color=MUTED, linewidth=0.8, zorder=1)
    reach = _reach(data)
    for place, row in enumerate(data.to_dict("records")):
        tested = np.isfinite(row["conf_low"])
        colour, marker = VERDICTS.get(row["verdict"], UNTESTED) if tested else UNTESTED
        if tested:
            low, high = 100 * row["conf_low"], 100 * row["conf_high"]
            ax.hlines(place, max(low, -reach), min(high, reach), color=colour, linewidth=1.7, alpha=0.8)
            for end, side, sign in ((low, -reach, "<"), (high, reach, ">")):
                if abs(end) > reach:
                    ax.plot(side, place, sign, color=colour, markersize=4, clip_on=False)
        face = colour if tested else "white"
        ax.plot(100 * row["estimate"], place, marker, color=colour, markersize=4.8, markerfacecolor=face, zorder=3)
    kinds = dict.fromkeys(
        row["verdict"] if np.isfinite(row["conf_low"]) else "untested" for row in data.to_dict("records")
    )
    for kind in kinds:
        colour, marker = VERDICTS.get(kind, UNTESTED)
        label = words("untested") if kind == "untested" else codes.text(kind, words.lang)
        face = "white" if kind == "untested" else colour
        ax.plot([], [], marker, color=colour, markersize=4.8, markerfacecolor=face, linestyle="none", label=label)
    ax.set_xlim(-1.04 * reach, 1.04 * reach)
    ax.grid(axis="x")
    ax.set_xlabel(words("axis_points"))


def _reach(data: pd.DataFrame) -> float:
    """Return the half-width of the axis: intervals of one or two degrees of freedom must not squeeze the others."""
    most = 100 * float(data["estimate"].abs().max())
    firm = data[data["df"].fillna(0) > 2]
    ends = 100 * float(firm[["conf_low", "conf_high"]].abs().max().max()) if len(firm) else 0.0
    return 1.1 * max(most, ends, 1.0)


def _named(row: Mapping[Hashable, Any], lang: str) -> str:
    """Return the design, and what of it the row shows: a level, a size at which the slope changes, or a term."""
    name = str(row["term"])
    shown = term(name, lang)
    if "[" in name:
        shown = codes.text(name[name.index("[") + 1 : -1], lang)
    if np.isfinite(row["knot"]):
        shown = f"{shown} ({row['knot']:g})"
    return f"{codes.text(row['design'], lang)} · {shown}"


def _alt(data: pd.DataFrame, words: Words) -> str:
    parts = []
    for row in data.to_dict("records"):
        gaps = {"name": _named(row, words.lang), "value": numbers.points(row["estimate"])}
        if np.isfinite(row["conf_low"]):
            span = numbers.interval_points(row["conf_low"], row["conf_high"])
            parts.append(words("alt", interval=span, verdict=codes.text(row["verdict"], words.lang), **gaps))
        else:
            parts.append(words("alt_untested", **gaps))
    return " ".join(parts)


def figure_mixed_levels(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the models' levels against their size with the line of the design of scale; None without that design."""
    data = levels_by_size(frame(results, "mixed", "models"))
    if not len(data):
        return None
    names, words = labels(results, lang), Words("mixed_levels", lang)
    test = frame(results, "mixed", design=SCALE, term=SIZE)
    row = test.iloc[0] if len(test) else None
    with settings():
        figure = new_figure(4.4)
        draw_levels(figure.subplots(), data, [names.unit(one) for one in data["unit"]], words)
    order = data.sort_values("effect_logit", kind="stable")["unit"]
    alt = words(
        "alt", n=len(data), low=numbers.number(data["effect_logit"].min()),
        high=numbers.number(data["effect_logit"].max()),
        worst=names.unit(str(order.iloc[0])), best=names.unit(str(order.iloc[-1])),
    )  # fmt: skip
    if row is not None:
        span = numbers.interval_number(row["effect_logit_low"], row["effect_logit_high"])
        alt += " " + words("alt_line", value=numbers.number(row["effect_logit"]), interval=span)
    level = numbers.level(float(row["conf_level"])) if row is not None else ""
    caption = words("caption", n=len(data), level=level)
    return Drawing(ID_LEVELS, figure, words("title"), caption, alt, words("how"), data)


def levels_by_size(models: pd.DataFrame) -> pd.DataFrame:
    """Return the models that the design of scale uses, by size."""
    if not len(models):
        return pd.DataFrame()
    used = models[(models["design"] == SCALE) & models["used"].fillna(value=False).astype(bool)]
    used = used.dropna(subset=["fitted_logit", "parameters"])
    columns = [
        "unit", "parameters", "corpus", "effect_logit", "effect_logit_se", "fitted_logit", "fitted_logit_low",
        "fitted_logit_high",
    ]  # fmt: skip
    return used.sort_values(["parameters", "unit"], kind="stable", ignore_index=True)[columns]


def draw_levels(ax: Axes, data: pd.DataFrame, shown: Sequence[str], words: Words) -> None:
    """Draw levels as marks by corpus with one standard error, and the regression with its t interval."""
    left, right = 0.75 * float(data["parameters"].min()), 1.35 * float(data["parameters"].max())
    exact = np.log(data["parameters"].to_numpy() / left) / np.log(right / left)
    places = np.array(spread_apart(exact, 0.022))  # models of one size would hide each other
    x = left * (right / left) ** places
    ax.set_xscale("log")
    ax.set_xlim(left, right)
    line = data.drop_duplicates("parameters")
    ax.fill_between(line["parameters"], line["fitted_logit_low"], line["fitted_logit_high"], color=FAINT, alpha=0.6,
                    linewidth=0, zorder=0, label=words("band"))  # fmt: skip
    ax.plot(line["parameters"], line["fitted_logit"], color=INK, linewidth=1.1, zorder=1)
    ax.vlines(x, data["effect_logit"] - data["effect_logit_se"], data["effect_logit"] + data["effect_logit_se"],
              color=MUTED, linewidth=0.9, zorder=2)  # fmt: skip
    corpora = sorted(set(data["corpus"].dropna()))
    for k, corpus in enumerate([*corpora, None]):
        own = data["corpus"].isna() if corpus is None else data["corpus"] == corpus
        if not own.any():
            continue
        marker, colour = ("X", MUTED) if corpus is None else MARKS[k % len(MARKS)]
        label = words("unknown_corpus") if corpus is None else fitted([str(corpus)], most=48)[0]
        ax.plot(x[own.to_numpy()], data["effect_logit"][own], marker, color=colour, markersize=6, linestyle="none",
                markeredgecolor="white", markeredgewidth=0.6, zorder=3, label=label)  # fmt: skip
    top = data["effect_logit"] + data["effect_logit_se"]
    for place, text, size, high in zip(spread_apart(places, 0.045), shown, x, top, strict=True):
        ax.annotate(
            text, (size, high), xytext=(place, RAIL), textcoords="axes fraction", rotation=48,
            rotation_mode="anchor", ha="left", va="center", fontsize=7.2, color=INK, arrowprops=LEADER,
        )  # fmt: skip
    ticks = [tick for tick in TICKS if left <= tick <= right]
    ax.xaxis.set_major_locator(FixedLocator(ticks))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.grid()
    ax.set_xlabel(words("axis_parameters"))
    ax.set_ylabel(words("axis_level"))
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, alignment="left")
