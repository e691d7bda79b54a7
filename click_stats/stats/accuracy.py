"""How good is each model, and how sure is that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import pandas as pd

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import missing, partition
from click_stats.stats.cells import INTERVALS, OF_FIXED_ITEMS, cell_of, intervals_of, with_items_fixed
from click_stats.stats.fixed import Wordings
from click_stats.stats.pairs import NAMED
from click_stats.stats.partition import MACRO, OVERALL
from click_stats.stats.tools.bootstrap import FEWEST_DRAWS, METHODS
from click_stats.stats.tools.clustered import item_means
from click_stats.stats.tools.intervals import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts
    from click_stats.stats.cells import Cell
    from click_stats.stats.missing import Weight
    from click_stats.stats.partition import Group
    from click_stats.stats.tools.intervals import Interval

Target = Literal["sampled", "fixed"]

UNDER_HALF = "under half answered"
"""Flag of a cell whose model answered under half of the items."""
UNDER_HALF_OVERALL = "under half answered, still compared"
"""The same over all items, where a model is compared all the same, and all the others on these items only."""
ASKED_FEWER = "If only some items were asked, say which (--items-from)."

ESTIMATES = (
    *("unit", "model", "condition", "by", "group", "estimate", "std_error", "df"),
    *("conf_low", "conf_high", "conf_level", "n_items", "n_items_total", "coverage", "n_trials", "n_clusters"),
    *("chance", "bound_low", "bound_high", "denominator", "target", "method", "flag", "reason"),
)
"""Columns of the table of estimates, in order."""


def accuracy(
    counts: Counts,
    *,
    by: str | Sequence[str] = "overall",
    interval: str = "wilson",
    level: float = 0.95,
    denominator: str = "responded",
    weight: str = "items",
    target: str = "sampled",
    wordings: str = "fixed",
    draws: int = 10_000,
    seed: int = 0,
) -> Result:
    """Return the accuracy of every model in every group of items, with its interval.

    Parameters
    ----------
    counts
        Answers by model, item and option.
    by
        ``overall`` (mean over items), ``macro`` (mean over categories), ``domain``, ``category``, any item column,
        or a crossing such as ``category x source``; or several of these.
    interval
        ``wilson`` (clustered), ``wilson-plain``, ``t``, ``percentile``, ``bca`` or ``studentised``.
    level
        Confidence level.
    denominator
        ``responded``: trials without an answer are left out; ``planned``: they are incorrect; ``in_option``: only
        trials that name an option count.
    weight
        ``items``: every item weighs the same; ``trials``: every counted trial does.
    target
        ``sampled``: the items stand for others like them, and the error is between passages; ``fixed``: these
        items are all that is meant, and the error is between answers to the same item. ``fixed`` needs counts with
        cells, the denominator ``responded``, and the interval ``wilson`` or ``t``.
    wordings
        With the target ``fixed``: whether the wordings of the prompt are meant themselves (``fixed``) or stand for
        others like them (``sampled``).
    draws
        Resamples of the bootstrap intervals, at least 1,000.
    seed
        Seed of the resamples.

    Returns
    -------
    Result
        ``estimates`` (one row per model and group, in the order of the groups), ``alternatives`` (other intervals
        beside the chosen one), ``denominators``, ``bounds`` (if unanswered trials were all wrong, all right),
        ``statuses`` and ``items``. Shares, not points. ``coverage`` counts items with an answer, whatever the
        denominator.

    Raises
    ------
    UsageError
        An argument is none of its choices, or two of them do not go together; the message lists what does.
    """
    _check(counts, interval, level, denominator, weight, target, wordings, draws)
    groups = partition.groups(counts, by)
    weighting = cast("Weight", weight)
    scores = counts.scores(cast("Denominator", denominator))
    answered = counts.scores("responded").trials > 0
    estimates, alternatives = [], []
    for group in groups:
        cell = cell_of(counts, scores, group, weighting)
        flags = [""] * len(cell.means)
        if target == "fixed":
            cell, flags = with_items_fixed(cell, counts, cast("Wordings", wordings))
        found = intervals_of(cell, interval, level, draws, seed, fixed=target == "fixed")
        frame = _frame(counts, cell, found)
        frame["coverage"] = answered[:, group.items].mean(axis=1)
        mark = UNDER_HALF_OVERALL if group.by in {OVERALL, MACRO} else UNDER_HALF
        under_half = np.where(frame["coverage"] < 0.5, mark, "")
        frame["flag"] = [
            "; ".join(filter(None, [one.flag, flag, few]))
            for one, flag, few in zip(found, flags, under_half, strict=True)
        ]
        estimates.append(frame)
        if target == "sampled":
            others = [name for name in ("wilson-plain", "wilson") if name == "wilson-plain" or interval != "wilson"]
            alternatives += [
                _alternatives(counts, group, intervals_of(cell, name, level, draws, seed)) for name in others
            ]
    frame = pd.concat(estimates, ignore_index=True)
    frame["conf_level"], frame["denominator"], frame["target"] = level, denominator, target
    bounds = missing.bounds(counts, groups, weight=weighting)
    together = bounds[bounds["missing_kind"] == "all"].reset_index(drop=True)
    frame["bound_low"], frame["bound_high"] = together["bound_low"], together["bound_high"]
    tables = {
        "estimates": frame[list(ESTIMATES)],
        "alternatives": pd.concat(alternatives or [_alternatives(counts, groups[0], [])], ignore_index=True),
        "denominators": missing.denominators(counts, groups, weighting),
        "bounds": bounds,
        "statuses": missing.statuses(counts),
        "items": _items(counts),
    }
    meta = {
        "method": _method(interval, weight, target, wordings),
        "seed": seed if interval in METHODS else None,
        "level": level,
        "denominator": denominator,
        "warnings": [*counts.meta.get("warnings", []), *_under_half(frame)],
        "diagnostics": {"draws": draws} if interval in METHODS else {},
    }
    return Result("accuracy", tables, _summary(counts, frame), meta)


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise UsageError with the choices when ``value`` is none of them."""
    if value not in choices:
        raise UsageError(f"There is no {name} {value!r}.", do="Use one of: " + ", ".join(choices) + ".")


def _check(
    counts: Counts,
    interval: str,
    level: float,
    denominator: str,
    weight: str,
    target: str,
    wordings: str,
    draws: int,
) -> None:
    check_choice("interval", interval, list(INTERVALS))
    check_choice("denominator", denominator, get_args(Denominator))
    check_choice("weight", weight, get_args(missing.Weight))
    check_choice("target", target, get_args(Target))
    check_choice("kind of wordings", wordings, get_args(Wordings))
    check_level(level)
    if interval in METHODS and draws < FEWEST_DRAWS:
        raise UsageError(f"A bootstrap interval needs at least {FEWEST_DRAWS} resamples.", found=str(draws))
    if not len(counts.units) or not len(counts.items):
        raise UsageError("There is nothing to estimate: the counts have no model or no item.")
    if target == "fixed" and interval not in OF_FIXED_ITEMS:
        raise UsageError(
            f"With fixed items there is no interval {interval!r}.",
            found="intervals over passages treat the items as drawn",
            do="Use one of: " + ", ".join(OF_FIXED_ITEMS) + ".",
        )
    if target == "fixed" and denominator != "responded":
        raise UsageError(
            f"With fixed items there is no error under the denominator {denominator!r}.", do="Use responded."
        )


def _frame(counts: Counts, cell: Cell, found: Sequence[Interval]) -> pd.DataFrame:
    guess = 1 / counts.items["n_options"].to_numpy(dtype=np.float64)[cell.group.items]
    chance = np.where(np.isnan(cell.values), np.nan, guess)
    return pd.DataFrame(
        {
            "unit": counts.units.index.astype(object),
            "model": counts.units["model"].to_numpy(dtype=object),
            "condition": counts.units["condition"].to_numpy(dtype=object),
            "by": cell.group.by,
            "group": cell.group.name,
            "estimate": [mean.estimate for mean in cell.means],
            "std_error": [mean.std_error for mean in cell.means],
            "df": [mean.df for mean in cell.means],
            "conf_low": [one.low for one in found],
            "conf_high": [one.high for one in found],
            "n_items": [mean.n_items for mean in cell.means],
            "n_items_total": cell.group.items.size,
            "n_trials": cell.trials.sum(axis=1),
            "n_clusters": [mean.n_clusters for mean in cell.means],
            "chance": item_means(chance, cell.group.strata, cell.weights),
            "method": [one.method for one in found],
            "reason": [mean.reason or one.reason for mean, one in zip(cell.means, found, strict=True)],
        }
    )


def _alternatives(counts: Counts, group: Group, found: Sequence[Interval]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "unit": counts.units.index.astype(object)[: len(found)],
            "by": group.by,
            "group": group.name,
            "method": [one.method for one in found],
            "conf_low": [one.low for one in found],
            "conf_high": [one.high for one in found],
            "reason": [one.reason for one in found],
        }
    )


def _method(interval: str, weight: str, target: str, wordings: str) -> str:
    estimate = (
        "mean over items of the share of correct trials"
        if weight == "items"
        else "correct trials over counted trials of all items"
    )
    if target == "sampled":
        return f"{estimate}; {INTERVALS[interval]}"
    kind = "Wilson interval at n_eff = p(1 - p)/SE²" if interval == "wilson" else "estimate plus and minus t times SE"
    meant = "as they are" if wordings == "fixed" else "as a sample of wordings"
    return f"{estimate}; {kind}, SE between answers to the same item, items fixed, wordings {meant}"


def _items(counts: Counts) -> pd.DataFrame:
    """Return per item how many units are right more often than not, of those that answered it."""
    values, _ = counts.scores("responded")
    return pd.DataFrame(
        {
            "item": counts.items.index.astype(object),
            "category": counts.items["category"].to_numpy(dtype=object),
            "n_right": (np.nan_to_num(values) > 0.5).sum(axis=0),
            "n_units": (~np.isnan(values)).sum(axis=0),
        }
    )


def _under_half(frame: pd.DataFrame) -> list[str]:
    cells = []
    keys = ["by", "group", "n_items", "n_items_total"]
    for (_, group, n, total), rows in frame[frame["coverage"] < 0.5].groupby(keys, sort=False):
        units = list(rows["unit"]) if len(rows) <= NAMED else [f"{len(rows):,} models"]
        cells += [f"{unit}, {group} ({n} of {total})" for unit in units]
    return [f"Under half of the items were answered: {'; '.join(cells)}. {ASKED_FEWER}"] if cells else []


def _summary(counts: Counts, frame: pd.DataFrame) -> dict[str, Any]:
    """Return the highest estimate of the first group, and the size of the data."""
    first = frame[(frame["by"] == frame["by"].iloc[0]) & (frame["group"] == frame["group"].iloc[0])]
    best = first.dropna(subset=["estimate"]).nlargest(1, "estimate")
    names = ["unit", "by", "group", "estimate", "conf_low", "conf_high"]
    headline = best[names].to_dict("records")[0] if len(best) else {}
    return {"n_units": len(counts.units), "n_items": len(counts.items), **headline}
