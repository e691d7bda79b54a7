"""The one figure of a single result, drawn on axes of the user's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.errors import UsageError
from click_stats.render import codes
from click_stats.render.figures import (
    agreement,
    anova,
    bayes,
    calibration,
    calibration_selective,
    detectable,
    dif,
    differences,
    difficulty,
    heatmap,
    human,
    irt,
    item_analysis,
    ladder,
    mixed,
    people,
    position,
    sensitivity,
    short_forms,
    shortfall,
    triangle,
)
from click_stats.render.figures.drawing import Words
from click_stats.render.figures.style import WIDTH, row_height, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from click_stats.results import Result


def plot(result: Result, ax: Axes | None = None, lang: str = "en") -> Axes:
    """Draw the main figure of a result on ``ax`` (a new figure by default) and return the axes.

    Accuracies are drawn as a ladder (one group), by group (one unit) or as a heat map (several of both); comparisons
    as differences to the reference, or as a triangle of pairs; ranks as intervals; power as detectable differences;
    calibration as a reliability diagram (one unit) or accuracy of the answers kept; people as lines beside accuracies;
    Bayesian effects as intervals under each prior; effects of the mixed model as intervals; confident errors as
    quartiles of entropy; positions as their shares;
    shortfalls against confident errors;
    items by difficulty and discrimination; models and items on one scale (Wright map).
    Of several groupings the overall one is drawn. A new figure belongs to pyplot: notebooks and ``plt.show()`` show it.

    Raises
    ------
    UsageError
        The result has no figure, or nothing in it is defined.
    """
    if result.name not in PLOTS:
        raise UsageError(
            f"There is no figure of the result {result.name!r}.",
            found=", ".join(PLOTS),
            do="Plot one of these results.",
        )
    frame = result.tables["estimates"]
    if not len(frame):
        raise _nothing(result)
    with settings():
        key = next((name for name in ("unit", "unit_a") if name in frame), frame.columns[0])
        rows = frame[key].nunique()
        height = HEIGHTS.get(result.name) or row_height(rows, rest=1.2, least=2.4)
        axes = _shown_axes(height) if ax is None else ax
        PLOTS[result.name](axes, result, lang)
    return axes


def _nothing(result: Result) -> UsageError:
    """Say why nothing can be drawn: an analysis that stepped aside tells the reason itself."""
    why = str(result.meta.get("reason") or "")
    return UsageError(
        f"The result {result.name!r} holds no estimates to draw." + (f" {why}" if why else ""),
        do="" if why else "Pass the answers of models (for a comparison, of two or more).",
    )


def _shown_axes(height: float) -> Axes:
    from matplotlib import pyplot as plt  # noqa: PLC0415 -- reports do without its global state

    return plt.figure(figsize=(WIDTH, height), layout="constrained").subplots()


def _accuracy(ax: Axes, result: Result, lang: str) -> None:
    frame = result.tables["estimates"]
    part = _first(frame)
    units, groups = list(dict.fromkeys(part["unit"])), list(dict.fromkeys(part["group"]))
    if len(groups) == 1:
        data = ladder.by_accuracy(part)
        ladder.draw_accuracy(ax, data, list(data["unit"]), Words("ladder", lang))
    elif len(units) == 1:
        names = [codes.text(name, lang) for name in groups]
        ladder.draw_accuracy(ax, part.reset_index(drop=True), names, Words("ladder", lang))
    else:
        order = part.groupby("unit", sort=False)["estimate"].mean().sort_values(ascending=False, kind="stable").index
        data = pd.concat([part[part["unit"] == unit] for unit in order]).assign(verdict="")
        heatmap.draw_heatmap(ax, data, list(order), [codes.text(name, lang) for name in groups])


def _compare(ax: Axes, result: Result, lang: str) -> None:
    reference = result.tables.get("reference")
    if reference is not None and len(reference):
        data = differences.with_detectable(_one_group(reference), pd.DataFrame())
        differences.draw_differences(
            ax, data, list(data["unit_a"]), str(data["unit_b"].iloc[0]), Words("differences", lang)
        )
        return
    pairs = _one_group(result.tables["estimates"])
    units = triangle.order(pairs)
    triangle.draw_triangle(ax, pairs, units, units, Words("triangle", lang))


def _ranks(ax: Axes, result: Result, lang: str) -> None:
    data = _one_group(result.tables["estimates"]).sort_values("rank", kind="stable", na_position="last")
    ladder.draw_ranks(ax, data.reset_index(drop=True), Words("ladder", lang), names=list(data["unit"]))


def _power(ax: Axes, result: Result, lang: str) -> None:
    data = detectable.by_group(result.tables["estimates"])
    if not len(data):
        raise UsageError(
            "No detectable difference is defined in this result.", do="See the column reason of its estimates."
        )
    shown = [codes.text(name, lang) for name in data["group"]]
    detectable.draw_detectable(ax, data, shown, result.tables.get("curve", pd.DataFrame()), Words("detectable", lang))


def _calibration(ax: Axes, result: Result, lang: str) -> None:
    bins, kept = _one_group(result.tables["bins"]), _one_group(result.tables["selective"])
    units = list(dict.fromkeys(kept["unit"]))
    if len(units) == 1:
        calibration.draw_reliability(ax, bins)
        words = Words("calibration", lang)
        ax.set_xlabel(words("axis_confidence"))
        ax.set_ylabel(words("axis_accuracy"))
    else:
        calibration_selective.draw_selective(ax, kept, units, units, Words("calibration_selective", lang))


def _dif(ax: Axes, result: Result, lang: str) -> None:
    data = result.tables["groups"].query("by == 'category'").dropna(subset=["estimate"])
    if not len(data):
        raise _nothing(result)
    contrast = data["contrast"].iloc[0]
    own = data[data["contrast"] == contrast]
    groups = list(dict.fromkeys(own["group"]))
    words = Words("dif", lang)
    dif.draw_dif(ax, own, groups, [codes.text(group, lang) for group in groups], words)
    ax.set_title(dif.panel(contrast, result.tables["contrasts"].set_index("contrast").loc[contrast], words))
    ax.set_xlabel(words("axis_alone"))


def _people(ax: Axes, result: Result, lang: str) -> None:
    data = result.tables["estimates"].query("by == 'category'").dropna(subset=["estimate"])
    if not len(data):
        raise _nothing(result)
    groups = list(dict.fromkeys(data["group"]))
    people.draw_people(ax, data, groups, groups, Words("people", lang))
    ax.legend()


def _difficulty(ax: Axes, result: Result, lang: str) -> None:
    data = difficulty.effects(result.tables["estimates"])
    if not len(data):
        raise _nothing(result)
    difficulty.draw_difficulty(ax, data, difficulty.plain_names(data, lang), Words("difficulty", lang))


def _short_forms(ax: Axes, result: Result, lang: str) -> None:
    data = short_forms.curves(result.tables["estimates"], result.tables["adaptive"])
    if not len(data):
        raise _nothing(result)
    short_forms.draw_short_forms(ax, data, Words("short_forms", lang))


def _agreement(ax: Axes, result: Result, lang: str) -> None:
    pairs = result.tables["pairs"]
    agreement.plot_agreement(ax, pairs)
    if set(pairs["rated"]) == {agreement.CHOSEN, agreement.RIGHT}:
        ax.set_xlabel(Words("agreement", lang)("triangles"))


def _human(ax: Axes, result: Result, lang: str) -> None:
    frame = result.tables["estimates"].dropna(subset=["estimate"])
    part = frame[frame["exam"] == frame["exam"].iloc[0]]
    units = list(dict.fromkeys(part.sort_values("estimate", ascending=False, kind="stable")["unit"]))
    human.draw_human(ax, part, units, units, Words("human", lang))


def _irt(ax: Axes, result: Result, lang: str) -> None:
    items, models = irt.placed(result.tables["estimates"], result.tables["abilities"])
    irt.draw_wright(ax, items, models, Words("irt", lang))


def _item_analysis(ax: Axes, result: Result, lang: str) -> None:
    data = result.tables["estimates"].dropna(subset=["estimate", "item_rest"]).reset_index(drop=True)
    if not len(data):
        raise UsageError("No item has a correlation with the rest.", do="See the column reason of its estimates.")
    item_analysis.draw_items(ax, data, Words("item_analysis", lang))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def _sensitivity(ax: Axes, result: Result, lang: str) -> None:
    data = sensitivity.shares(result.tables["estimates"])
    if not len(data):
        raise UsageError(
            "No model's answers could be split into components.", do="See the column reason of its estimates."
        )
    part = data[data["group"] == data["group"].iloc[0]]
    units = list(dict.fromkeys(part["unit"]))
    sensitivity.draw_shares(ax, part, units, units, lang)
    ax.set_xlabel(Words("sensitivity", lang)("share"))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)


def _anova(ax: Axes, result: Result, lang: str) -> None:
    data = anova.cells_by_size(result.tables["cells"], result.tables["models"])
    if not len(data):
        raise UsageError(
            "Size was not tested: there are no cells to draw against it.", do="See the column reason of its estimates."
        )
    tests = result.tables["estimates"]
    line = tests[(tests["design"] == anova.SCALE) & (tests["term"] == "log10_params")]
    line = line[line["test_unit"] == anova.MODELS]
    row = line.iloc[0] if len(line) else None
    anova.draw_cells(ax, data, list(dict.fromkeys(data["unit"])), row, Words("anova", lang))


def _bayes(ax: Axes, result: Result, lang: str) -> None:
    bayes.draw_effects(ax, result.tables["estimates"], result.tables["priors"], Words("bayes", lang))


def _mixed(ax: Axes, result: Result, lang: str) -> None:
    data = mixed.effects(result.tables["estimates"])
    if not len(data):
        raise UsageError("No effect of models is estimated.", do="See the column reason of its estimates.")
    mixed.draw_effects(ax, data, Words("mixed", lang))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4)


def _position(ax: Axes, result: Result, lang: str) -> None:
    data = position.tested(result.tables["estimates"])
    if not len(data):
        raise _nothing(result)
    units = list(dict.fromkeys(data["unit"]))
    position.draw_shares(ax, data, units, units, Words("position", lang))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=6)


def _confident_errors(ax: Axes, result: Result, lang: str) -> None:
    data = position.spread(result.tables["estimates"])
    if not len(data):
        raise _nothing(result)
    position.draw_entropy(ax, data, list(data["unit"]), Words("confident_errors", lang))
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4)


def _shortfall(ax: Axes, result: Result, lang: str) -> None:
    frame = result.tables["estimates"]
    by = "category" if bool((frame["by"] == "category").any()) else frame["by"].iloc[0]
    data = shortfall.groups(frame[frame["by"] == by])
    if not len(data):
        raise UsageError(
            "Confident errors are undefined here: there is nothing to draw shortfalls against.",
            do="See the column reason of its estimates.",
        )
    shortfall.draw_shortfall(ax, data, [codes.text(name, lang) for name in data["group"]], Words("shortfall", lang))


def _first(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the overall grouping, or of the first one."""
    by = "overall" if bool((frame["by"] == "overall").any()) else frame["by"].iloc[0]
    return frame[frame["by"] == by]


def _one_group(frame: pd.DataFrame) -> pd.DataFrame:
    part = _first(frame)
    first: pd.DataFrame = part[part["group"] == part["group"].iloc[0]]
    return first


HEIGHTS: Mapping[str, float] = {"agreement": 5.6, "anova": 4.4, "irt": 6.6, "item_analysis": 3.9, "shortfall": 3.6}
"""Heights in inches of figures that are no list of rows."""

PLOTS: Mapping[str, Callable[[Axes, Result, str], None]] = {
    "accuracy": _accuracy,
    "compare": _compare,
    "ranks": _ranks,
    "power": _power,
    "agreement": _agreement,
    "anova": _anova,
    "bayes": _bayes,
    "calibration": _calibration,
    "confident_errors": _confident_errors,
    "dif": _dif,
    "difficulty": _difficulty,
    "human": _human,
    "irt": _irt,
    "item_analysis": _item_analysis,
    "mixed": _mixed,
    "people": _people,
    "position": _position,
    "sensitivity": _sensitivity,
    "short_forms": _short_forms,
    "shortfall": _shortfall,
}
