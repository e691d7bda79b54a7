"""How good is each model, and how sure is that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np
import pandas as pd

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import missing, partition
from click_stats.stats.tools import intervals
from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean, item_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Scores
    from click_stats.stats.partition import Group
    from click_stats.stats.tools.intervals import Interval

IntervalName = Literal["wilson", "wilson-plain", "t"]

UNDER_HALF = "under half answered"
"""Flag of a cell whose model answered under half of the items."""


def accuracy(
    counts: Counts,
    *,
    by: str | Sequence[str] = "overall",
    interval: str = "wilson",
    level: float = 0.95,
    denominator: str = "responded",
    weight: str = "items",
) -> Result:
    """Return the accuracy of every model in every group of items, with its interval."""
    check_choice("interval", interval, get_args(IntervalName))
    check_choice("denominator", denominator, get_args(Denominator))
    check_choice("weight", weight, get_args(missing.Weight))
    if not 0 < level < 1:
        raise UsageError("A confidence level lies between 0 and 1.", found=str(level), do="Use for example 0.95.")
    groups = partition.groups(counts, by)
    weighting = cast("missing.Weight", weight)
    scores = counts.scores(cast("Denominator", denominator))
    answered = counts.scores("responded").trials > 0
    estimates, alternatives = [], []
    for group in groups:
        means = _means(counts, scores, group, weighting)
        found = [_interval(interval, mean, scores, row, group, counts, level) for row, mean in enumerate(means)]
        frame = _frame(counts, group, means, found, scores, weighting)
        frame["coverage"] = answered[:, group.items].mean(axis=1)
        under_half = np.where(frame["coverage"] < 0.5, UNDER_HALF, "")
        frame["flag"] = ["; ".join(filter(None, [one.flag, mark])) for one, mark in zip(found, under_half, strict=True)]
        estimates.append(frame)
        plain = [_interval("wilson-plain", m, scores, row, group, counts, level) for row, m in enumerate(means)]
        alternatives.append(_alternatives(counts, group, plain))
    frame = pd.concat(estimates, ignore_index=True)
    frame["conf_level"], frame["denominator"], frame["target"] = level, denominator, "sampled"
    bounds = missing.bounds(counts, groups, weight=weighting)
    together = bounds[bounds["missing_kind"] == "all"].reset_index(drop=True)
    frame["bound_low"], frame["bound_high"] = together["bound_low"], together["bound_high"]
    tables = {
        "estimates": frame[list(ESTIMATES)],
        "alternatives": pd.concat(alternatives, ignore_index=True),
        "denominators": missing.denominators(counts, groups, weighting),
        "bounds": bounds,
        "statuses": missing.statuses(counts),
        "items": _items(counts),
    }
    meta = {
        "method": interval,
        "level": level,
        "denominator": denominator,
        "warnings": [*counts.meta.get("warnings", []), *_under_half(frame)],
        "diagnostics": {},
    }
    return Result("accuracy", tables, _summary(counts, frame), meta)


ESTIMATES = (
    *("unit", "model", "condition", "by", "group", "estimate", "std_error", "df"),
    *("conf_low", "conf_high", "conf_level", "n_items", "n_items_total", "coverage", "n_trials", "n_clusters"),
    *("chance", "bound_low", "bound_high", "denominator", "target", "method", "flag", "reason"),
)
"""Columns of the table of estimates, in order."""


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise UsageError with the choices when ``value`` is none of them."""
    if value not in choices:
        raise UsageError(
            f"There is no {name} {value!r}.", found=str(value), do="Use one of: " + ", ".join(choices) + "."
        )


def _means(counts: Counts, scores: Scores, group: Group, weight: missing.Weight) -> list[ClusteredMean]:
    clusters = partition.clusters(counts, group.items)
    weights = missing.weights_of(scores.trials, group, weight)
    return [
        cluster_mean(values, clusters, group.strata, None if weights is None else weights[row])
        for row, values in enumerate(scores[0][:, group.items])
    ]


def _interval(
    name: str, mean: ClusteredMean, scores: Scores, row: int, group: Group, counts: Counts, level: float
) -> Interval:
    if name == "wilson":
        return intervals.clustered_wilson(mean, level)
    if name == "t":
        return intervals.clustered_t(mean, level)
    trials = scores.trials[row, group.items]
    clusters = partition.clusters(counts, group.items)[trials > 0]
    refusal = intervals.plain_refusal(
        most_trials=int(trials.max(initial=0)),
        shared=np.unique(clusters).size < clusters.size,
        several_means=group.strata is not None,
    )
    if np.isnan(mean.estimate):
        return intervals.undefined(intervals.WILSON_PLAIN, mean.reason)
    if refusal:
        return intervals.undefined(intervals.WILSON_PLAIN, refusal)
    return intervals.wilson(mean.estimate, mean.n_items, level)


def _frame(
    counts: Counts,
    group: Group,
    means: Sequence[ClusteredMean],
    found: Sequence[Interval],
    scores: Scores,
    weight: missing.Weight,
) -> pd.DataFrame:
    values = scores[0][:, group.items]
    guess = 1 / counts.items["n_options"].to_numpy(dtype=np.float64)[group.items]
    chance = np.where(np.isnan(values), np.nan, guess)
    weights = missing.weights_of(scores.trials, group, weight)
    return pd.DataFrame(
        {
            "unit": counts.units.index.astype(object),
            "model": counts.units["model"].to_numpy(dtype=object),
            "condition": counts.units["condition"].to_numpy(dtype=object),
            "by": group.by,
            "group": group.name,
            "estimate": [mean.estimate for mean in means],
            "std_error": [mean.std_error for mean in means],
            "df": [mean.df for mean in means],
            "conf_low": [one.low for one in found],
            "conf_high": [one.high for one in found],
            "n_items": [mean.n_items for mean in means],
            "n_items_total": group.items.size,
            "n_trials": scores.trials[:, group.items].sum(axis=1),
            "n_clusters": [mean.n_clusters for mean in means],
            "chance": item_means(chance, group.strata, weights),
            "method": [one.method for one in found],
            "reason": [one.reason for one in found],
        }
    )


def _alternatives(counts: Counts, group: Group, found: Sequence[Interval]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "unit": counts.units.index.astype(object),
            "by": group.by,
            "group": group.name,
            "method": [one.method for one in found],
            "conf_low": [one.low for one in found],
            "conf_high": [one.high for one in found],
            "reason": [one.reason for one in found],
        }
    )


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
    marked = frame[frame["coverage"] < 0.5]
    cells = [
        f"{row.unit}, {row.group} ({row.n_items} of {row.n_items_total})" for row in marked.itertuples(index=False)
    ]
    return ["Under half of the items were answered: " + "; ".join(cells) + "."] if cells else []


def _summary(counts: Counts, frame: pd.DataFrame) -> dict[str, Any]:
    """Return the highest estimate of the first group, and the size of the data."""
    first = frame[(frame["by"] == frame["by"].iloc[0]) & (frame["group"] == frame["group"].iloc[0])]
    best = first.dropna(subset=["estimate"]).nlargest(1, "estimate")
    names = ["unit", "by", "group", "estimate", "conf_low", "conf_high"]
    headline = best[names].to_dict("records")[0] if len(best) else {}
    return {"n_units": len(counts.units), "n_items": len(counts.items), **headline}
