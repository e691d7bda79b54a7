"""Paired differences to the reference, with the difference that could have been detected."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words, compared_on
from click_stats.render.figures.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    MUTED,
    VERMILION,
    new_figure,
    row_axis,
    row_height,
    settings,
)
from click_stats.render.labels import frame, labels, largest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from click_stats.render.labels import Labels
    from click_stats.results import ResultSet

ID = "fig-differences"
OTHER_PROTOCOL = "†"
NAMED = 4
BAND = "#ececec"

BETTER, WORSE = "better", "worse"
MARKS = {
    BETTER: ("^", BLUE, BLUE),
    WORSE: ("v", VERMILION, VERMILION),
    "not separated": ("o", "white", MUTED),
    "equivalent": ("s", GREEN, GREEN),
    "not decided": ("x", INK, INK),
}
"""Marker, fill and line colour by verdict; the shape alone tells them apart."""


def kind_of(verdict: str, estimate: float) -> str:
    """Return the key of :data:`MARKS` for a verdict: a separated unit is better or worse."""
    if verdict != "separated":
        return verdict
    return BETTER if estimate > 0 else WORSE


def figure_differences(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw each unit's difference to the reference; None when nothing was compared with a reference."""
    data = _data(results)
    if not len(data):
        return None
    names, words = labels(results, lang), Words("differences", lang)
    shown = [
        names.unit(unit) + (f" {OTHER_PROTOCOL}" if same == "no" else "")
        for unit, same in zip(data["unit_a"], data["same_protocol"], strict=True)
    ]
    reference = names.unit(str(data["unit_b"].iloc[0]))
    with settings():
        figure = new_figure(row_height(len(data), rest=1.15))
        draw_differences(figure.subplots(), data, shown, reference, words)
    level = numbers.level(data["conf_level"].iloc[0])
    caption = words("caption", reference=reference, level=level, items=compared_on(results, data, words))
    if bool((data["same_protocol"] == "no").any()):
        caption += " " + words("other_protocol", mark=OTHER_PROTOCOL)
    elif bool((data["same_protocol"] == "not stated").any()):
        caption += " " + words("unknown_protocol")
    how = words("how")
    if bool(data["detectable"].notna().any()):
        how += " " + words("how_band", power=numbers.level(data["power"].dropna().iloc[0]))
    return Drawing(ID, figure, words("title"), caption, _alt(data, names, reference, words), how, data)


def draw_differences(ax: Axes, data: pd.DataFrame, shown: Sequence[str], reference: str, words: Words) -> None:
    """Draw differences in points with both intervals, a row for each unit, on a band of what went undetectable."""
    has_band = bool(data["detectable"].notna().any())
    for row, (_, entry) in enumerate(data.iterrows()):
        if pd.isna(entry["estimate"]):
            ax.annotate(numbers.DASH, (0, row), va="center", ha="center", color=MUTED)
            continue
        if pd.notna(entry["detectable"]):
            reach = 100 * float(entry["detectable"])
            ax.fill_between([-reach, reach], row - 0.5, row + 0.5, color=BAND, linewidth=0)
        marker, face, edge = MARKS[kind_of(str(entry["verdict"]), float(entry["estimate"]))]
        ax.plot([100 * entry["sim_low"], 100 * entry["sim_high"]], [row, row], color=edge, linewidth=0.8)
        ax.plot(
            [100 * entry["conf_low"], 100 * entry["conf_high"]], [row, row], color=edge, linewidth=2.2, alpha=0.55,
            solid_capstyle="butt",
        )  # fmt: skip
        ax.plot([100 * entry["estimate"]], [row], marker, color=face, markeredgecolor=edge, markersize=4.6)
        ax.annotate(
            numbers.points(entry["estimate"]), (1.0, row), xycoords=("axes fraction", "data"), xytext=(30, 0),
            textcoords="offset points", va="center", ha="right", fontsize=7.5,
        )  # fmt: skip
    ax.axvline(0, color=INK, linewidth=0.8)
    row_axis(ax, list(shown))
    ax.grid(axis="x", color=FAINT)
    ax.set_xlabel(words("axis", reference=reference))
    power = float(data["power"].dropna().iloc[0]) if has_band else None
    handles = _legend(data, words, power)
    ax.legend(
        handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=(len(handles) + 1) // 2,
        handletextpad=0.5, columnspacing=1.4, borderaxespad=0.2,
    )  # fmt: skip


def _legend(data: pd.DataFrame, words: Words, power: float | None) -> list[Line2D | Patch]:
    """Return the marks that occur, then the lines: a legend of two rows is filled column by column."""
    kinds = {kind_of(str(v), float(e)) for v, e in zip(data["verdict"], data["estimate"], strict=True) if pd.notna(e)}
    marks: list[Line2D | Patch] = [
        Line2D(
            [], [], linestyle="none", marker=marker, color=face, markeredgecolor=edge, markersize=4.6,
            label=words(kind) if kind in {BETTER, WORSE} else codes.text(kind, words.lang),
        )
        for kind, (marker, face, edge) in MARKS.items()
        if kind in kinds
    ]  # fmt: skip
    lines: list[Line2D | Patch] = [
        Line2D([], [], color=MUTED, linewidth=2.2, alpha=0.55, label=words("per_comparison")),
        Line2D([], [], color=MUTED, linewidth=0.8, label=words("simultaneous")),
    ]
    if power is not None:
        lines.append(Patch(facecolor=BAND, label=words("band", power=numbers.level(power))))
    empty = Line2D([], [], linestyle="none", label=" ")
    rows = zip_longest(marks, lines, fillvalue=empty)
    return [handle for column in rows for handle in column]


def _data(results: ResultSet) -> pd.DataFrame:
    found = frame(results, "compare", "reference", by="overall")
    return with_detectable(found, frame(results, "power", by="overall")) if len(found) else found


def with_detectable(found: pd.DataFrame, power: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons with the reference from the largest to the smallest, with what was detectable."""
    columns = [
        "unit_a", "unit_b", "estimate", "conf_low", "conf_high", "conf_level", "sim_low", "sim_high", "p_adjusted",
        "n_items", "verdict", "same_protocol", "reason",
    ]  # fmt: skip
    data = found[columns].sort_values("estimate", ascending=False, kind="stable", na_position="last")
    if len(power):
        data = data.merge(power[["unit_a", "unit_b", "detectable", "power"]], on=["unit_a", "unit_b"], how="left")
    else:
        data = data.assign(detectable=float("nan"), power=float("nan"))
    return data.reset_index(drop=True)


def _alt(data: pd.DataFrame, names: Labels, reference: str, words: Words) -> str:
    known = data.dropna(subset=["estimate"])
    kinds = [kind_of(str(v), float(e)) for v, e in zip(known["verdict"], known["estimate"], strict=True)]

    def named(kind: str) -> str:
        units = [names.unit(unit) for unit, one in zip(known["unit_a"], kinds, strict=True) if one == kind]
        text = ", ".join(units[:NAMED]) + (words("more", n=len(units) - NAMED) if len(units) > NAMED else "")
        return text or words("none")

    text = words("alt", reference=reference, better=named(BETTER), worse=named(WORSE), same=named("not separated"))
    if not len(known):
        return text
    row = known.iloc[largest(known["estimate"].abs())]
    return f"{text} " + words(
        "alt_largest", unit=names.unit(str(row["unit_a"])), value=numbers.points(row["estimate"]),
        interval=numbers.interval_points(row["sim_low"], row["sim_high"]),
    )  # fmt: skip
