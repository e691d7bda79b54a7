"""The median of item values and its interval when items that share a passage vary together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.stats.tools.clustered import cluster_means
from click_stats.stats.tools.intervals import clustered_wilson

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray


class Median(NamedTuple):
    """A median and the ends of its interval; all NaN without a value, the ends NaN with one cluster."""

    estimate: float
    low: float
    high: float


def clustered_median(values: FloatArray, clusters: IntArray, level: float = 0.95) -> Median:
    """Return the median of the items that have a value, with an interval by inverted tests of shares.

    Parameters
    ----------
    values
        (I,) item values; NaN is left out.
    clusters
        (I,) codes of the clusters.
    level
        Confidence level.

    Notes
    -----
    A value v can be the median when neither P(Y <= v) >= 1/2 nor P(Y < v) <= 1/2 is rejected: when 1/2 is not above the
    interval of the first share nor below that of the second (Woodruff 1952). The intervals of the shares are clustered
    Wilson intervals. Few different values make it conservative.
    """
    known = np.isfinite(values)
    y, codes = values[known], clusters[known]
    if not len(y):
        return Median(np.nan, np.nan, np.nan)
    middle = float(np.median(y))
    if np.unique(codes).size < 2:
        return Median(middle, np.nan, np.nan)
    points = np.unique(y)
    upto = [clustered_wilson(mean, level) for mean in cluster_means((y <= points[:, None]).astype(float), codes)]
    under = [clustered_wilson(mean, level) for mean in cluster_means((y < points[:, None]).astype(float), codes)]
    # A share without an interval (every cluster has the same) excludes nothing.
    low = points[[not one.high < 0.5 for one in upto]].min()
    high = points[[not one.low > 0.5 for one in under]].max()
    return Median(middle, float(low), float(high))
