"""Shares of items answered below chance, of each model and of models together (the paper's Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.render import codes, numbers
from click_stats.render.figures.drawing import Drawing, Words
from click_stats.render.figures.style import BLUE, VERMILION, fitted, new_figure, row_axis, row_height, settings
from click_stats.render.labels import frame, labels, largest, smallest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from click_stats.results import ResultSet

ID = "fig-challenging"
ENDS = ("estimate", "conf_low", "conf_high")


def figure_challenging(results: ResultSet, lang: str = "en") -> Drawing | None:
    """Draw the models' shares, below them the statements of the paper; None without challenging items."""
    data = frame(results, "confident_errors", "challenging", by="overall")
    data = data.dropna(subset=["estimate"]) if len(data) else data
    if not len(data):
        return None
    data = data.sort_values("estimate", kind="stable", ignore_index=True)
    stated = _stated(results)
    names, words = labels(results, lang), Words("challenging", lang)
    with settings():
        figure = new_figure(row_height(len(data) + len(stated), rest=1.4 if len(stated) else 1.1, least=2.0))
        heights = [len(data) + 1, *([len(stated) + 1] if len(stated) else [])]
        axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
        draw_shares(axes[0], data, fitted([names.unit(unit) for unit in data["unit"]]), words)
        if len(stated):
            shown = [codes.text(name, lang) for name in stated["statement"]]
            draw_shares(axes[1], stated, fitted(shown), words)
            _published(axes[1], stated, words)
            axes[1].set_title(words("together"))
        axes[0].set_title(words("alone"))
        axes[-1].set_xlabel(words("share"))
        handles, texts = axes[-1].get_legend_handles_labels()
        known = dict(zip(texts, handles, strict=True))
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=4)
    low, high = (data.iloc[k] for k in (smallest(data["estimate"]), largest(data["estimate"])))
    alt = words(
        "alt", n=len(data), low=names.unit(low["unit"]), low_value=numbers.percent(low["estimate"]),
        high=names.unit(high["unit"]), high_value=numbers.percent(high["estimate"]),
    )  # fmt: skip
    for row in stated[stated["estimate"].notna()].to_dict("records") if len(stated) else []:
        said = words(
            "alt_bound" if row["relation"] == ">" else "alt_stated", statement=codes.text(row["statement"], lang),
            here=numbers.percent(row["estimate"]), published=numbers.percent(row["published"]),
        )  # fmt: skip
        alt = f"{alt} {said}"
    caption = words("caption", n=len(data), level=numbers.level(data["conf_level"].iloc[0]))
    drawn = pd.concat([data, stated.astype(object)], ignore_index=True) if len(stated) else data
    return Drawing(ID, figure, words("title"), caption, alt, words("how" if len(stated) else "how_alone"), drawn)


def _stated(results: ResultSet) -> pd.DataFrame:
    """Return the paper's statements that the data at hand can be held against; each once for each number."""
    found = frame(results, "published", "challenging")
    if not len(found):
        return found
    return found[found["estimate"].notna() | found["range_low"].notna()].reset_index(drop=True)


def draw_shares(ax: Axes, data: pd.DataFrame, shown: list[str], words: Words) -> None:
    """Draw a share with its interval in each row; where there are several models, a line from lowest to highest."""
    row_axis(ax, shown)
    rows = range(len(data))
    ax.hlines(rows, 100 * data["conf_low"].astype(float), 100 * data["conf_high"].astype(float), color=BLUE,
              linewidth=1.5, alpha=0.75)  # fmt: skip
    ax.plot(100 * data["estimate"].astype(float), rows, "o", color=BLUE, markersize=4, linestyle="none",
            label=words("here"))  # fmt: skip
    if "range_low" in data and data["range_low"].notna().any():
        least, most = (100 * data[name].astype(float) for name in ("range_low", "range_high"))
        ax.hlines(rows, least, most, color=BLUE, linewidth=5, alpha=0.3, label=words("range"))
    ax.set_xlim(-1.5, 100)
    ax.grid(axis="x")


def _published(ax: Axes, stated: pd.DataFrame, words: Words) -> None:
    """Mark what was published: a number, or a bound that shares are said to exceed."""
    for relation, marker, key in (("=", "D", "published"), (">", ">", "bound")):
        own = stated[stated["relation"] == relation]
        if len(own):
            ax.plot(
                100 * own["published"].astype(float), list(own.index), marker, color="none", markersize=5,
                markeredgecolor=VERMILION, markeredgewidth=1.2, linestyle="none", label=words(key),
            )  # fmt: skip
