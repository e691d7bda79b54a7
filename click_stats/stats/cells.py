"""Item scores of all models in one group of items, and the intervals of their means."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from click_stats.stats import missing, partition
from click_stats.stats.fixed import Wordings, fixed_errors
from click_stats.stats.tools import intervals
from click_stats.stats.tools.bootstrap import METHODS, Kind, bootstrap_intervals
from click_stats.stats.tools.clustered import ClusteredMean, cluster_means

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray, IntArray, Scores
    from click_stats.stats.missing import Weight
    from click_stats.stats.partition import Group
    from click_stats.stats.tools.intervals import Interval

INTERVALS: dict[str, str] = {
    "wilson": "clustered Wilson: the score interval at n_eff = p(1 - p)/SE², SE by CR1 over passages, t quantile",
    "wilson-plain": "plain Wilson, where each item has one trial and no passage is shared",
    "t": "estimate plus and minus t times SE, SE by CR1 over passages",
    "percentile": "percentiles of the estimates of resampled passages",
    "bca": "bias-corrected and accelerated percentiles of the estimates of resampled passages",
    "studentised": "studentised bootstrap over passages; clustered Wilson where a resample has no spread",
}
"""Intervals by the name of the argument, and what they are."""
OF_FIXED_ITEMS = ("wilson", "t")
"""Intervals that the target ``fixed`` has: there the items are not drawn."""


class Cell(NamedTuple):
    """Item scores of U units on the n items of one group.

    Attributes
    ----------
    group
        The group.
    values, trials
        (U, n) item scores and counted trials.
    weights
        (U, n) weights of the items; None when equal.
    clusters
        (n,) cluster codes.
    means
        Mean and error of each unit.
    """

    group: Group
    values: FloatArray
    trials: IntArray
    weights: FloatArray | None
    clusters: IntArray
    means: list[ClusteredMean]


def cell_of(counts: Counts, scores: Scores, group: Group, weight: Weight) -> Cell:
    """Return the scores of a group and their clustered means; weighted by trials on request."""
    all_values, all_trials = scores
    values, trials = all_values[:, group.items], all_trials[:, group.items]
    weights = missing.weights_of(all_trials, group, weight)
    clusters = partition.clusters(counts, group.items)
    means = cluster_means(values, clusters, group.strata, weights)
    return Cell(group, values, trials, weights, clusters, means)


def with_items_fixed(cell: Cell, counts: Counts, wordings: Wordings) -> tuple[Cell, list[str]]:
    """Replace the errors between passages by errors between answers to the same item; return flags beside."""
    errors = fixed_errors(counts, cell.group, cell.weights, wordings)
    means = [
        mean._replace(std_error=error.std_error, df=error.df, reason=error.reason)
        for mean, error in zip(cell.means, errors, strict=True)
    ]
    return cell._replace(means=means), [error.flag for error in errors]


def intervals_of(cell: Cell, name: str, level: float, draws: int, seed: int, *, fixed: bool = False) -> list[Interval]:
    """Return the interval ``name`` of every unit, a key of :data:`INTERVALS`."""
    if name in METHODS:
        return bootstrap_intervals(
            cell.values,
            cell.clusters,
            cell.group.strata,
            cell.weights,
            kind=cast("Kind", name),
            level=level,
            draws=draws,
            seed=seed,
        )
    if name == "wilson-plain":
        return [_plain(cell, row, level) for row in range(len(cell.means))]
    make = intervals.clustered_wilson if name == "wilson" else intervals.clustered_t
    found = [make(mean, level) for mean in cell.means]
    if fixed:
        method = "Wilson, items fixed" if name == "wilson" else "t, items fixed"
        return [one._replace(method=method) for one in found]
    return found


def _plain(cell: Cell, row: int, level: float) -> Interval:
    mean, trials = cell.means[row], cell.trials[row]
    refusal = intervals.plain_refusal(
        most_trials=int(trials.max(initial=0)),
        shared=mean.n_clusters < mean.n_items,
        several_means=cell.group.strata is not None,
    )
    if np.isnan(mean.estimate) or refusal:
        return intervals.undefined(intervals.WILSON_PLAIN, mean.reason if np.isnan(mean.estimate) else refusal)
    return intervals.wilson(mean.estimate, mean.n_items, level)
