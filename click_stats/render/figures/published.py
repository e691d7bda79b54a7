"""Averages over culture and language with their intervals, beside the published ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, INK, VERMILION, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-published"
TEXT, README = "Table 5", "dataset README"
MARKERS = {TEXT: ("D", 3.8, VERMILION, VERMILION), README: ("s", 6.5, "none", INK)}
"""The paper's text by a filled diamond, the README by an open square around it: form, size, face, edge."""


def figure_published(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the averages of the data at hand with published ones; None when there is no model of the paper."""
    data = frame(results, "published", by="domain")
    data = data[data["inside"].notna()] if len(data) else data
    if not len(data):
        return None
    names, words = labels(results, lang), Words("published", lang)
    domains = list(dict.fromkeys(data["group"]))
    means = data.groupby("unit", sort=False)["estimate"].mean().sort_values(ascending=False, kind="stable")
    units = list(means.index)
    with settings():
        figure = new_figure(row_height(len(units), rest=1.2))
        axes = figure.subplots(1, len(domains), sharey=True, squeeze=False)[0]
        for ax, domain in zip(axes, domains, strict=True):
            _draw(ax, data[data["group"] == domain], units, words)
            ax.set_title(names.group("domain", domain))
        row_axis(axes[0], [names.unit(unit) for unit in units])
        for ax in axes[1:]:
            ax.tick_params(axis="y", length=0, labelleft=False)
            ax.spines["left"].set_visible(False)
        handles, shown = axes[0].get_legend_handles_labels()
        known = dict(zip(shown, handles, strict=True))
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=3)
    level = numbers.level(data["conf_level"].iloc[0])
    n = len(data)
    inside = int(data["inside"].astype(bool).sum())
    far = data.sort_values("published_gap", key=abs, ascending=False, kind="stable").iloc[0]
    alt = words(
        "alt", n=len(units), total=n, inside=inside, far=names.unit(far["unit"]),
        group=names.group("domain", far["group"]), where=codes.text(far["published_in"], lang),
        gap=numbers.points(far["published_gap"]),
    )  # fmt: skip
    return Drawing(ID, figure, words("title"), words("caption", level=level, n=len(units)), alt, words("how"), data)


def _draw(ax: Axes, data: pd.DataFrame, units: list[str], words: Words) -> None:
    here = data.drop_duplicates("unit").set_index("unit").reindex(units)
    rows = range(len(units))
    ax.hlines(rows, 100 * here["conf_low"], 100 * here["conf_high"], color=BLUE, linewidth=1.6)
    ax.plot(100 * here["estimate"], rows, "o", color=BLUE, markersize=3.6, linestyle="none", label=words("here"))
    for source, (form, size, face, edge) in MARKERS.items():
        own = data[data["published_in"].str.contains(source, regex=False)]
        ax.plot(
            100 * own["published"], [units.index(unit) for unit in own["unit"]], form, markersize=size,
            markerfacecolor=face, markeredgecolor=edge, markeredgewidth=0.8, linestyle="none",
            label=words("text" if source == TEXT else "readme"),
        )  # fmt: skip
    ax.grid(axis="x")
    ax.set_xlabel(words("accuracy"))
