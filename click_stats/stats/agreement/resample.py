"""Intervals of measures of agreement: clusters of items are drawn, and what they add up to is measured again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.agreement.measures import Measure

ONE_CLUSTER = "one cluster of items: nothing can be drawn"
UNDEFINED_DRAWS = "in over 1 % of the resamples every rating is the same"
MOST_UNDEFINED = 0.01
BLOCK = 1 << 22
"""Multiplicities of clusters held at once."""


class Spread(NamedTuple):
    """Standard deviation and percentiles of the resampled estimates, NaN with a reason where undefined."""

    std_error: float
    low: float
    high: float
    reason: str = ""


def spreads(measures: Sequence[Measure], clusters: IntArray, *, level: float, draws: int, seed: int) -> list[Spread]:
    """Return the bootstrap standard error and percentile interval of each measure, from the same draws.

    Parameters
    ----------
    measures
        Measures of the same items.
    clusters
        (I,) cluster of each item; as many clusters are drawn with replacement as there are.
    level, draws, seed
        Confidence level, number of resamples, seed of the draws.

    Notes
    -----
    The percentile interval of Efron and Tibshirani (1993, chapter 13). Resamples in which every rating is the same
    have no estimate; where they are rare they are left out.
    """
    if not measures:
        return []
    _, codes = np.unique(clusters, return_inverse=True)
    n_clusters = int(codes.max(initial=-1)) + 1
    tables = [_by_cluster(measure, codes, n_clusters) for measure in measures]
    ends = np.cumsum([table.shape[1] for table in tables])
    columns = np.concatenate(tables, axis=1)
    found = np.empty((draws, len(measures)))
    rng = np.random.default_rng(seed)
    rows = max(1, BLOCK // max(n_clusters, 1))
    for start in range(0, draws, rows):
        size = min(rows, draws - start)
        times = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=size)
        totals = times.astype(np.float64) @ columns
        for place, (measure, part) in enumerate(zip(measures, np.split(totals, ends[:-1], axis=1), strict=True)):
            found[start : start + size, place] = measure.value(part)
    return [_spread(found[:, place], table, level) for place, table in enumerate(tables)]


def _by_cluster(measure: Measure, codes: IntArray, n_clusters: int) -> FloatArray:
    sums = np.zeros((n_clusters, measure.sums.shape[1]))
    np.add.at(sums, codes[measure.items], measure.sums)
    return sums


def _spread(values: FloatArray, table: FloatArray, level: float) -> Spread:
    nothing = (float("nan"),) * 3
    if np.count_nonzero(table.any(axis=1)) < 2:
        return Spread(*nothing, ONE_CLUSTER)
    defined = values[np.isfinite(values)]
    if len(defined) < (1 - MOST_UNDEFINED) * len(values):
        return Spread(*nothing, UNDEFINED_DRAWS)
    tail = (1 - level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Spread(float(defined.std(ddof=1)), float(low), float(high))
