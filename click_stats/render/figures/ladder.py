"""The ladder: accuracy with its interval, rank interval, and which units are tied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.render import numbers
from click_stats.render.figures.drawing import Drawing, Words, compared_on
from click_stats.render.figures.style import BLUE, FAINT, INK, MUTED, new_figure, row_axis, row_height, settings, step
from click_stats.render.labels import frame, labels, smallest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-ladder"
LEADERS_NAMED = 4


def figure_ladder(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the units from best to worst; None when there is no accuracy, or none that is defined."""
    data = _data(results)
    if not len(data) or not bool(data["estimate"].notna().any()):
        return None
    names = labels(results, lang)
    words = Words("ladder", lang)
    shown = [names.unit(unit) for unit in data["unit"]]
    ties = _ties(results, list(data["unit"]))
    with settings():
        figure = new_figure(row_height(len(data), rest=1.0))
        ranked = bool(data["rank"].notna().any())
        widths = [3.4, 1.5, max(0.5, 0.16 * len(ties))] if ranked else [1.0]
        axes = figure.subplots(1, len(widths), sharey=True, width_ratios=widths, squeeze=False)[0]
        draw_accuracy(axes[0], data, shown, words)
        if ranked:
            draw_ranks(axes[1], data, words)
            _draw_ties(axes[2], ties, words)
            figure.align_xlabels()
    level = numbers.level(data["conf_level"].iloc[0])
    caption = words("caption" if ranked else "caption_alone", level=level, n=len(data))
    shared = frame(results, "ranks", by="overall")
    if ranked:
        caption += " " + words("caption_shared", items=compared_on(results, shared, words))
    return Drawing(
        ID, figure, words("title"), caption, _alt(data, shown, words), words("how" if ranked else "how_alone"), data
    )


def draw_accuracy(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw points and intervals of accuracy in percent, a row for each unit, and the chance line."""
    rows = range(len(data))
    centre, low, high = (100 * data[name].astype(float) for name in ("estimate", "conf_low", "conf_high"))
    ax.hlines(rows, low, high, color=BLUE, linewidth=1.6)
    ax.plot(centre, rows, "o", color=BLUE, markersize=3.6, linestyle="none")
    for row in rows:
        text = numbers.percent(data["estimate"].iloc[row])
        ax.annotate(
            text, (1.0, row), xycoords=("axes fraction", "data"), xytext=(2, 0), textcoords="offset points",
            va="center", ha="left", fontsize=7.5, color=INK,
        )  # fmt: skip
    chance = 100 * float(data["chance"].iloc[0])
    ax.axvline(chance, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
    ax.annotate(
        words("chance", value=numbers.percent(chance / 100)), (chance, 0), xycoords=("data", "axes fraction"),
        xytext=(3, 3), textcoords="offset points", fontsize=7, color=MUTED, rotation=90, va="bottom", ha="left",
    )  # fmt: skip
    row_axis(ax, shown)
    ax.set_xlim(float(low.clip(upper=chance).fillna(chance).min()) - 4, 100)
    ax.grid(axis="x")
    ax.set_xlabel(words("accuracy"))


def draw_ranks(ax: Axes, data: pd.DataFrame, words: Words, names: list[str] | None = None) -> None:
    """Draw the rank interval of each unit as a bar, with the rank itself as a tick; rows are named when asked."""
    if names is not None:
        row_axis(ax, names)
    n = int(data["n_units"].max())
    for row, (rank, low, high) in enumerate(zip(data["rank"], data["rank_low"], data["rank_high"], strict=True)):
        if pd.isna(low) or pd.isna(high):
            continue
        ax.plot([low - 0.35, high + 0.35], [row, row], color=FAINT, linewidth=6.5, solid_capstyle="butt")
        ax.plot([rank], [row], marker="|", color=INK, markersize=6, markeredgewidth=1.2)
        right = high <= 0.68 * n
        ax.annotate(
            numbers.ranks(low, high), (high + 0.35 if right else low - 0.35, row), xytext=(2 if right else -2, 0),
            textcoords="offset points", va="center", ha="left" if right else "right", fontsize=7,
        )  # fmt: skip
    ax.set_xlim(0.2, n + 0.8)
    ax.set_xticks([1, *range(step(n), n + 1, step(n))] if n > 6 else range(1, n + 1))
    ax.grid(axis="x")
    ax.tick_params(axis="y", length=0, labelleft=names is not None)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(words("rank"))


def _draw_ties(ax: Axes, ties: list[list[int]], words: Words) -> None:
    """Join the units that share a letter by a line with a dot on each: they are not separated."""
    for column, rows in enumerate(ties):
        ax.plot([column] * 2, [min(rows), max(rows)], color=MUTED, linewidth=1.0)
        ax.plot([column] * len(rows), rows, "o", color=INK, markersize=2.6)
    ax.set_xlim(-0.8, max(len(ties), 1) - 0.2)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0, labelleft=False)
    ax.set_xlabel(words("ties"))


def _data(results: ResultSet) -> pd.DataFrame:
    overall = frame(results, "accuracy", by="overall")
    if not len(overall):
        return overall
    data = by_accuracy(overall)
    ranks = frame(results, "ranks", by="overall")
    wanted = ["rank", "rank_low", "rank_high", "n_units", "co_leader"]
    if len(ranks):
        data = data.merge(ranks[["unit", *wanted]], on="unit", how="left")
    else:
        data = data.reindex(columns=[*data.columns, *wanted])
    marks = frame(results, "compare", "letters", by="overall")
    if len(marks):
        return data.merge(marks[["unit", "letters"]], on="unit", how="left")
    return data.join(pd.DataFrame("", data.index, ["letters"]))


def by_accuracy(estimates: pd.DataFrame) -> pd.DataFrame:
    """Return the accuracies of one group, the best unit first, undefined ones last."""
    columns = ["unit", "estimate", "conf_low", "conf_high", "conf_level", "n_items", "chance"]
    data = estimates[columns].sort_values("estimate", ascending=False, kind="stable", na_position="last")
    return data.reset_index(drop=True)


def _ties(results: ResultSet, units: list[str]) -> list[list[int]]:
    """Return for each letter that several units share the rows of these units, the best first."""
    marks = frame(results, "compare", "letters", by="overall")
    if not len(marks):
        return []
    place = {unit: row for row, unit in enumerate(units)}
    shared: dict[str, list[int]] = {}
    for unit, letters in zip(marks["unit"], marks["letters"], strict=True):
        for letter in str(letters).split() if " " in str(letters) else str(letters):
            if unit in place:
                shared.setdefault(letter, []).append(place[unit])
    return sorted(sorted(rows) for rows in shared.values() if len(rows) > 1)


def _alt(data: pd.DataFrame, shown: list[str], words: Words) -> str:
    place = smallest(data["estimate"])
    first, last = data.iloc[0], data.iloc[place]
    text = words(
        "alt", n=len(data), best=shown[0], best_value=numbers.percent(first["estimate"]),
        best_interval=numbers.interval(first["conf_low"], first["conf_high"]), worst=shown[place],
        worst_value=numbers.percent(last["estimate"]), chance=numbers.percent(first["chance"]),
    )  # fmt: skip
    leads = data["co_leader"].eq(other=True).fillna(value=False)
    leaders = [name for name, lead in zip(shown, leads, strict=True) if lead]
    if not leaders:
        return text
    named = ", ".join(leaders[:LEADERS_NAMED])
    more = len(leaders) - LEADERS_NAMED
    return f"{text} {words('alt_leaders', names=named + (words('more', n=more) if more > 0 else ''))}"
