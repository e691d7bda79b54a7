"""The verdict on every pair of units, with the signed difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from click_stats.render import codes, numbers
from click_stats.render.figures.differences import BETTER, MARKS, OTHER_PROTOCOL, WORSE, kind_of
from click_stats.render.figures.drawing import Drawing, Words, compared_on
from click_stats.render.figures.style import WIDTH, fitted, new_figure, settings
from click_stats.render.labels import frame, labels, smallest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-triangle"
MOST_WITH_NUMBERS = 24
"""Units up to which the differences can be read inside the cells."""
FILLS = {
    BETTER: "#cfe3f2",
    WORSE: "#f8dccb",
    "not separated": "#f6f6f6",
    "equivalent": "#d5efe6",
    "not decided": "white",
}


def figure_triangle(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the pairs as a triangle, units ordered by accuracy; None when there are fewer than two units."""
    data = _data(results)
    if not len(data):
        return None
    names, words = labels(results, lang), Words("triangle", lang)
    units = _order(results, data)
    with settings():
        figure = new_figure(min(WIDTH, 1.5 + 0.275 * len(units)))
        draw_triangle(figure.subplots(), data, units, [names.unit(unit) for unit in units], words)
    caption = words("caption", items=compared_on(results, data, words), pairs=numbers.integer(len(data)))
    if bool((data["same_protocol"] == "no").any()):
        caption += " " + words("other_protocol", mark=OTHER_PROTOCOL)
    elif bool((data["same_protocol"] == "not stated").any()):
        caption += " " + words("unknown_protocol")
    alt = _alt(data, [names.unit(unit) for unit in units], words)
    how = words("how" if len(units) <= MOST_WITH_NUMBERS else "how_marks")
    return Drawing(ID, figure, words("title"), caption, alt, how, data)


def draw_triangle(ax: Axes, data: pd.DataFrame, units: Sequence[str], shown: Sequence[str], words: Words) -> None:
    """Draw row minus column in the upper triangle; the name of a row stands just left of its first cell."""
    place = {unit: k for k, unit in enumerate(units)}
    n = len(units)
    size, letters = min(6.4, 128 / n), min(7.2, 260 / n)
    shown = fitted(shown, 26)
    seen: set[str] = set()
    for entry in data.to_dict("records"):
        row, column, sign = place[entry["unit_a"]], place[entry["unit_b"]], 1.0
        if row > column:
            row, column, sign = column, row, -1.0
        known = not numbers.undefined(entry["estimate"])
        difference = sign * entry["estimate"] if known else float("nan")
        kind = kind_of(str(entry["verdict"]), difference)
        seen.add(kind)
        marker, face, edge = MARKS[kind]
        ax.add_patch(
            Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=FILLS[kind], edgecolor="white", linewidth=0.8)
        )
        if n > MOST_WITH_NUMBERS:
            ax.plot([column], [row], marker, color=face, markeredgecolor=edge, markersize=0.5 * size)
            continue
        protocol = OTHER_PROTOCOL if entry["same_protocol"] == "no" else ""
        ax.text(
            column, row - 0.17, numbers.points(difference) + protocol, ha="center", va="center", fontsize=size * 0.93
        )
        ax.plot(
            [column], [row + 0.24], marker, color=face, markeredgecolor=edge, markersize=0.5 * size, markeredgewidth=0.7
        )
    for row, name in enumerate(shown[:-1]):
        ax.annotate(
            name,
            (row + 0.45, row),
            xytext=(-2, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=letters,
        )
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(n - 1.5, -0.5)
    ax.set_aspect("equal")
    ax.set_xticks(range(1, n), shown[1:], rotation=48, ha="left", va="baseline", rotation_mode="anchor")
    ax.set_yticks([])
    ax.tick_params(length=0, labeltop=True, labelbottom=False, labelsize=letters)
    ax.spines[:].set_visible(False)
    handles = [
        Line2D(
            [], [], linestyle="none", marker=marker, color=face, markeredgecolor=edge, markersize=4.6,
            label=words(kind) if kind in {BETTER, WORSE} else codes.text(kind, words.lang),
        )
        for kind, (marker, face, edge) in MARKS.items()
        if kind in seen
    ]  # fmt: skip
    ax.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 0.02), title=words("legend"), alignment="left")


def _data(results: ResultSet) -> pd.DataFrame:
    found = frame(results, "compare", by="overall")
    columns = [
        "unit_a",
        "unit_b",
        "estimate",
        "sim_low",
        "sim_high",
        "p_adjusted",
        "n_items",
        "verdict",
        "same_protocol",
        "reason",
    ]
    return found[columns].reset_index(drop=True) if len(found) else found


def _order(results: ResultSet, data: pd.DataFrame) -> list[str]:
    """Return the units of the pairs, the most accurate on the shared items first where ranks are there."""
    ranks = frame(results, "ranks", by="overall")
    units = order(data)
    if not len(ranks):
        return units
    score = dict(zip(ranks["unit"], ranks["estimate"].astype(float).fillna(-1.0), strict=True))
    return sorted(units, key=lambda unit: -score.get(unit, -1.0))


def order(data: pd.DataFrame) -> list[str]:
    """Return the units of the pairs by the sum of their differences to the others: by accuracy on shared items."""
    units = list(dict.fromkeys([*data["unit_a"], *data["unit_b"]]))
    ahead = dict.fromkeys(units, 0.0)
    for first, second, value in zip(data["unit_a"], data["unit_b"], data["estimate"].fillna(0.0), strict=True):
        ahead[first] += float(value)
        ahead[second] -= float(value)
    return sorted(units, key=lambda unit: -ahead[unit])


def _alt(data: pd.DataFrame, shown: Sequence[str], words: Words) -> str:
    counts = data["verdict"].value_counts()
    parts = [
        f"{codes.text(kind, words.lang)} {int(counts[kind])}"
        for kind in ("separated", "not separated", "equivalent", "not decided")
        if kind in counts
    ]
    text = words("alt", n=len(shown), pairs=len(data), counts=", ".join(parts))
    close = data[data["verdict"] == "separated"]
    if len(close):
        row = close.iloc[smallest(close["estimate"].abs())]
        text += " " + words("alt_smallest", value=numbers.percent(abs(float(row["estimate"]))))
    return text
