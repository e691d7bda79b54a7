"""What answers vary by, as stacked bars; and the standard error of other designs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from click_stats.render import codes, numbers
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
    YELLOW,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

NAME, ALL = "sensitivity", "all items"
COLOURS = {
    "item": BLUE,
    "wording": VERMILION,
    "position": ORANGE,
    "wording:position": YELLOW,
    "item:wording": PINK,
    "item:position": SKY,
    "item:wording:position": GREEN,
    "residual": FAINT,
}
"""Sources in the order of the bars."""
LINES = (("o", BLUE), ("s", VERMILION), ("D", GREEN), ("^", ORANGE), ("v", PINK), ("P", SKY))


def figure_sensitivity(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the shares of the sources for every model; None where no model's answers could be split."""
    data = shares(frame(results, NAME))
    if not len(data):
        return None
    names, words = labels(results, lang), Words("sensitivity", lang)
    groups, units = list(dict.fromkeys(data["group"])), _order(results, data)
    with settings():
        figure = new_figure(row_height(len(units), rest=1.35, least=2.0))
        axes = figure.subplots(1, len(groups), sharey=True, squeeze=False)[0]
        for ax, group in zip(axes, groups, strict=True):
            draw_shares(ax, data[data["group"] == group], units, [names.unit(unit) for unit in units], lang)
            ax.set_title(codes.text(group, lang))
            ax.set_xlabel(words("share"))
        handles = {text.get_label(): text for ax in axes for text in ax.containers}
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=4)
    n = numbers.integer(len(units))
    return Drawing(
        "fig-sensitivity", figure, words("title"), words("caption", n=n), _alt(data, names.unit, words, lang),
        words("how"), data,
    )  # fmt: skip


def shares(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the components that have a share of the variance, in the order of the bars."""
    if not len(estimates):
        return estimates
    kept = estimates.dropna(subset=["variance_share"])
    columns = ["unit", "group", "component", "variance", "conf_low", "conf_high", "conf_level", "variance_share"]
    return kept[[*columns, "n_items"]].reset_index(drop=True)


def draw_shares(ax: Axes, data: pd.DataFrame, units: list[str], shown: list[str], lang: str) -> None:
    """Draw one stacked bar for each unit, in percent; a unit without shares has none."""
    left = np.zeros(len(units))
    for component, colour in COLOURS.items():
        part = data[data["component"] == component].set_index("unit")["variance_share"].reindex(units)
        if part.notna().any():
            width = 100 * part.fillna(0.0).to_numpy(dtype=float)
            ax.barh(
                range(len(units)), width, left=left, color=colour, height=0.72, edgecolor="white", linewidth=0.4,
                label=codes.text(component, lang),
            )  # fmt: skip
            left += width
    row_axis(ax, shown)
    ax.set_xlim(0, 100)
    ax.grid(axis="x")


def figure_sensitivity_designs(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw standard errors against prompts; None where no other design can be foretold."""
    data = designs(frame(results, NAME, "designs"))
    if len(data) < 2:
        return None
    words = Words("sensitivity-designs", lang)
    wanted = float(results[NAME].meta["wanted_se"])
    with settings():
        figure = new_figure(3.3)
        axes = figure.subplots(1, 2)
        for ax, which in zip(axes, ("sampled", "fixed"), strict=True):
            draw_designs(ax, data, f"se_{which}", wanted, words)
            ax.set_title(words(which))
        axes[0].set_ylabel(words("se"))
        axes[0].legend(loc="upper right")
    facts = {"n": numbers.integer(data["n_units"].max()), "items": numbers.integer(data["n_items"].max())}
    return Drawing(
        "fig-sensitivity-designs", figure, words("title"), words("caption", **facts), _alt_designs(data, words),
        words("how"), data,
    )  # fmt: skip


def designs(table: pd.DataFrame) -> pd.DataFrame:
    """Return the median standard errors over units for each design of the widest set of items, one answer a prompt."""
    if not len(table):
        return table
    table = table[table["n_replicates"] == 1]
    groups = table["group"].value_counts()
    chosen = table[table["group"] == (ALL if ALL in groups else groups.index[0])]
    by_design = chosen.groupby(["n_wordings", "n_rotations"], sort=True)
    found = by_design.agg(
        n_calls=("n_calls", "median"), se_sampled=("se_sampled", "median"), se_fixed=("se_fixed", "median"),
        extrapolated=("extrapolated", "any"), n_items=("n_items", "max"), n_units=("unit", "nunique"),
    )  # fmt: skip
    return found.reset_index().dropna(subset=["se_sampled"]).reset_index(drop=True)


def draw_designs(ax: Axes, data: pd.DataFrame, column: str, wanted: float, words: Words) -> None:
    """Draw a line for each number of wordings, in points; extrapolated ones are dashed with open marks."""
    for k, (n, part) in enumerate(data.groupby("n_wordings")):
        marker, colour = LINES[k % len(LINES)]
        more = bool(part["extrapolated"].any())
        ax.plot(
            part["n_calls"].astype(float), 100 * part[column].astype(float), marker=marker, color=colour, markersize=4,
            linewidth=1.2, linestyle="--" if more else "-", markerfacecolor="white" if more else colour,
            label=words("line_more" if more else "line", n=n),
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_ylim(0, 115 * max(float(data["se_sampled"].max()), float(data["se_fixed"].max()), wanted))
    ax.axhline(100 * wanted, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.annotate(
        words("wanted", value=numbers.number(100 * wanted)), (1, 100 * wanted), xycoords=("axes fraction", "data"),
        xytext=(-2, 2), textcoords="offset points", ha="right", va="bottom", fontsize=7, color=INK,
    )  # fmt: skip
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: numbers.integer(value)))
    ax.grid()
    ax.set_xlabel(words("calls"))


def _order(results: ResultSet, data: pd.DataFrame) -> list[str]:
    """Return the units from the most to the least accurate, where accuracies are there."""
    units = list(dict.fromkeys(data["unit"]))
    accuracy = frame(results, "accuracy", by="overall")
    if not len(accuracy):
        return units
    by_accuracy = accuracy.sort_values("estimate", ascending=False, kind="stable", na_position="last")["unit"]
    return [unit for unit in by_accuracy if unit in set(units)]


def _alt(data: pd.DataFrame, named: Callable[[str], str], words: Words, lang: str) -> str:
    item = data[data["component"] == "item"]["variance_share"]
    residual = data[data["component"].isin(["residual", "item:wording:position"])]["variance_share"]
    others = data[~data["component"].isin(["item", "residual", "item:wording:position"])]
    row = (others if len(others) else data).sort_values("variance_share", kind="stable").iloc[-1]
    shown = {"item_low": item.min(), "item_high": item.max(), "residual_low": residual.min(),
             "residual_high": residual.max(), "other": row["variance_share"]}  # fmt: skip
    return words(
        "alt", n=data["unit"].nunique(), which=codes.text(row["component"], lang), unit=named(row["unit"]),
        **{key: numbers.percent(value) for key, value in shown.items()},
    )  # fmt: skip


def _alt_designs(data: pd.DataFrame, words: Words) -> str:
    first = data.sort_values(["n_wordings", "n_rotations"]).iloc[0]
    seen = data[~data["extrapolated"].astype(bool)]
    last = seen.sort_values(["n_wordings", "n_rotations"]).iloc[-1]
    values = {
        "first": first["se_sampled"], "first_fixed": first["se_fixed"], "last": last["se_sampled"],
        "last_fixed": last["se_fixed"],
    }  # fmt: skip
    return words(
        "alt", wordings=last["n_wordings"], **{key: numbers.number(100 * value) for key, value in values.items()}
    )
