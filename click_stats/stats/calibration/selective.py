"""Accuracy when only the answers given with most confidence are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.calibration.forecasts import Forecasts

STEPS = 20
"""Coverages of the curve: 1/20, 2/20, ..., 1."""


def curve(found: Forecasts, level: float) -> list[dict[str, Any]]:
    """Return the accuracy of the likeliest option at each coverage (El-Yaniv and Wiener 2010; Geifman 2017).

    Of the trials, ordered by confidence, those above a threshold are kept; a share of the trials at the threshold is
    counted, at their mean accuracy, so that the coverage is exact and ties are not decided by the order of the file.
    Intervals are clustered Wilson intervals of the ratio, for the threshold as it fell.
    """
    order = np.argsort(-found.confidence, kind="stable")
    c, w = found.confidence[order], found.weight[order]
    starts, ends, _ = _blocks(found, order)
    hits, item = found.hit[order], found.item[order]
    rows = []
    for step in range(1, STEPS + 1):
        kept = step / STEPS
        last = int(np.searchsorted(ends, kept - 1e-12))
        begin, above = starts[last], ends[last - 1] if last else 0.0
        stop = starts[last + 1] if last + 1 < starts.size else c.size
        share = np.zeros(c.size)
        share[:begin] = 1.0
        share[begin:stop] = (kept - above) / (ends[last] - above)
        mean = _ratio(item, w * share, hits, found.clusters)
        interval = clustered_wilson(mean, level)
        rows.append(
            {
                "kept": kept,
                "estimate": mean.estimate,
                "conf_low": interval.low,
                "conf_high": interval.high,
                "threshold": float(c[begin]),
                "n_items": mean.n_items,
                "n_trials": int(np.count_nonzero(share)),
                "reason": interval.reason,
            }
        )
    return rows


def area(found: Forecasts) -> ClusteredMean:
    """Return the area under accuracy at coverage: the mean accuracy over all coverages from 0 to 1.

    Notes
    -----
    With r the rank of a trial by confidence (the weight of all trials above it, from 0 to 1) and h its hit, the area is
    the integral of A(k) = (1/k) times the integral of h up to k, which is the integral of h(r) (-ln r) dr. Tied trials
    share their mean hit. The error is that of the linearisation

        h_t (-ln r_t) - area + accuracy - integral from r_t to 1 of h(r)/r dr,

    whose last part says how the ranks of the others move; summed by passage (CR1).
    """
    order = np.argsort(-found.confidence, kind="stable")
    starts, ends, hits = _blocks(found, order)
    begins = np.concatenate([[0.0], ends[:-1]])
    weight = ends - begins
    integral = _primitive(ends) - _primitive(begins)
    estimate = float((hits * integral).sum())
    accuracy = float((hits * weight).sum())
    # Means of -ln r and, over r in the block, of the integral from r to 1 of h/r.
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(begins > 0, hits * np.log(ends / begins), 0.0)
        rest = np.cumsum(steps[::-1])[::-1] - steps
        within = hits * (np.log(ends) + integral / weight)
    mean_log = integral / weight
    block = np.repeat(np.arange(starts.size), np.diff(np.append(starts, order.size)))
    own = np.empty(len(found))
    own[order] = found.hit[order] * mean_log[block] + accuracy - (rest + within)[block]
    return found.mean(own - own @ found.weight)._replace(estimate=estimate)


def _primitive(r: FloatArray) -> FloatArray:
    """Return the integral of -ln from 0 to r."""
    with np.errstate(divide="ignore", invalid="ignore"):
        whole: FloatArray = np.where(r > 0, r - r * np.log(r), 0.0)
    return whole


def _blocks(found: Forecasts, order: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return where runs of equal confidence start, the rank at which each ends, and its mean hit."""
    c, w = found.confidence[order], found.weight[order]
    starts = np.flatnonzero(np.diff(c, prepend=2.0) < -1e-12)
    weight = np.add.reduceat(w, starts)
    ends = np.cumsum(weight)
    ends[-1] = 1.0
    return starts, ends, np.add.reduceat(w * found.hit[order], starts) / weight


def _ratio(item: IntArray, weights: FloatArray, hits: FloatArray, clusters: IntArray) -> ClusteredMean:
    """Return the weighted mean of hits with its error between passages; items without weight are left out."""
    total: FloatArray = np.bincount(item, weights, minlength=clusters.size).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(total > 0, np.bincount(item, weights * hits, minlength=clusters.size) / total, np.nan)
    return cluster_mean(values, clusters, None, total)
