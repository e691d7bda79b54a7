"""Mean over items and its standard error when items that share a passage vary together (CR1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

ZERO = 1e-12
"""Below this a standard error, or a distance to 0 or 1, is only the rounding of a sum."""

NO_ITEMS = "no item was answered"
EMPTY_STRATUM = "no item was answered in {n} of {of} categories"
ONE_CLUSTER = "only one cluster of items: the spread between clusters is unknown"
ONE_CLUSTER_STRATUM = "a category with only one cluster of items: the spread between clusters is unknown"
NO_SPREAD = "every cluster of items has the same mean: no spread from which an error could be estimated"


class ClusteredMean(NamedTuple):
    """A mean over items and its error.

    Attributes
    ----------
    estimate
        The mean; NaN when no item has a value.
    std_error
        CR1 standard error; NaN when it is undefined. It is 0 only for a mean of exactly -1, 0 or 1, where
        all values are equal: an interval needs another method there.
    df
        Degrees of freedom: clusters less strata (G - 1 without strata); NaN when ``std_error`` is.
    n_items, n_clusters
        Items with a value, and their clusters.
    reason
        Why ``estimate`` or ``std_error`` is undefined; empty otherwise.
    """

    estimate: float
    std_error: float
    df: float
    n_items: int
    n_clusters: int
    reason: str


class ClusterSums(NamedTuple):
    """Contributions of the clusters to a mean; each (G,), G = largest cluster code + 1.

    A cluster without a value has 0 everywhere.

    Attributes
    ----------
    uncentred
        Sum of w_i y_i; adds up to the estimate.
    centred
        Sum of w_i (y_i - mean), the mean being that of the item's stratum; adds up to 0.
    scaled
        ``centred`` with the small-sample factor sqrt(G_s / (G_s - 1)) of each stratum s: the standard error
        is the square root of the sum of squares. NaN when a stratum has one cluster.
    """

    uncentred: FloatArray
    centred: FloatArray
    scaled: FloatArray


def cluster_mean(
    values: FloatArray, clusters: IntArray, strata: IntArray | None = None, weights: FloatArray | None = None
) -> ClusteredMean:
    """Return the mean over items with its cluster-robust standard error.

    Parameters
    ----------
    values
        (I,) item scores or differences of them; NaN is left out.
    clusters
        (I,) codes >= 0 of the clusters, e.g. passages.
    strata
        (I,) codes of categories: the estimate is then the mean over categories of their means.
    weights
        (I,) weights of the items within their mean, e.g. numbers of trials; equal by default.

    Notes
    -----
    With w_i = 1/n (or 1/(C n_c) in category c of C; in general proportional to ``weights``) and u_g the sum
    over the items of cluster g of w_i (y_i - ybar), SE² = G/(G - 1) sum u_g² (Liang and Zeger 1986; the
    factor is "CR1", which for a mean is sandwich::vcovCL with type HC1). With strata the mean and the factor
    are those of the item's stratum, which without shared passages is the textbook stratified variance; a
    cluster may cross strata.
    """
    values, clusters, strata, weights = _checked(values, clusters, strata, weights)
    kept = ~np.isnan(values)
    n_items = int(kept.sum())
    if not n_items:
        return ClusteredMean(np.nan, np.nan, np.nan, 0, 0, NO_ITEMS)
    n_clusters = int(np.unique(clusters[kept]).size)
    n_strata = 1
    if strata is not None:
        n_strata = int(np.unique(strata).size)
        empty = n_strata - int(np.unique(strata[kept]).size)
        if empty:
            reason = EMPTY_STRATUM.format(n=empty, of=n_strata)
            return ClusteredMean(np.nan, np.nan, np.nan, n_items, n_clusters, reason)
    sums = cluster_sums(values, clusters, strata, weights)
    estimate = _tidy(float(sums.uncentred.sum()))
    if np.isnan(sums.scaled).any():
        reason = ONE_CLUSTER if n_clusters == 1 else ONE_CLUSTER_STRATUM
        return ClusteredMean(estimate, np.nan, np.nan, n_items, n_clusters, reason)
    std_error = float(np.sqrt(np.sum(sums.scaled**2)))
    df = float(max(n_clusters - n_strata, 1))
    if std_error < ZERO:
        if estimate not in {-1.0, 0.0, 1.0} or np.ptp(values[kept]) > ZERO:
            return ClusteredMean(estimate, np.nan, np.nan, n_items, n_clusters, NO_SPREAD)
        std_error = 0.0
    return ClusteredMean(estimate, std_error, df, n_items, n_clusters, "")


def cluster_sums(
    values: FloatArray, clusters: IntArray, strata: IntArray | None = None, weights: FloatArray | None = None
) -> ClusterSums:
    """Return what each cluster contributes to the mean; parameters as in :func:`cluster_mean`.

    Strata without a value are left out: :func:`cluster_mean` is the one that refuses them.
    """
    values, clusters, strata, weights = _checked(values, clusters, strata, weights)
    size = int(clusters.max(initial=-1)) + 1
    kept = ~np.isnan(values)
    y, g = values[kept], clusters[kept]
    if not y.size:
        return ClusterSums(np.zeros(size), np.zeros(size), np.zeros(size))
    if strata is None:
        s, n_strata = np.zeros(y.size, dtype=np.int64), 1
    else:
        codes, s = np.unique(strata[kept], return_inverse=True)
        n_strata = codes.size
    share = weights[kept] / np.bincount(s, weights[kept], minlength=n_strata)[s]
    centred = share / n_strata * (y - np.bincount(s, share * y)[s])
    pairs = np.unique(s * size + g)
    clusters_in = np.bincount(pairs // size, minlength=n_strata)
    with np.errstate(divide="ignore"):
        factor = np.sqrt(clusters_in / (clusters_in - 1.0))
    scaled = centred * factor[s] if np.isfinite(factor).all() else np.full(y.size, np.nan)
    totals = (np.bincount(g, part, minlength=size) for part in (share / n_strata * y, centred, scaled))
    return ClusterSums(*(total.astype(np.float64) for total in totals))


def _tidy(value: float) -> float:
    """Give -1, 0 and 1 exactly where a sum of weights missed them by rounding."""
    nearest = float(round(value))
    return nearest if abs(value - nearest) < ZERO else value


def _checked(
    values: FloatArray, clusters: IntArray, strata: IntArray | None, weights: FloatArray | None
) -> tuple[FloatArray, IntArray, IntArray | None, FloatArray]:
    values, clusters = np.asarray(values, dtype=np.float64), np.asarray(clusters, dtype=np.int64)
    strata = None if strata is None else np.asarray(strata, dtype=np.int64)
    weights = np.ones(values.shape) if weights is None else np.asarray(weights, dtype=np.float64)
    shapes = {array.shape for array in (values, clusters, strata, weights) if array is not None}
    if values.ndim != 1 or len(shapes) > 1:
        raise UsageError(
            "Values, clusters, strata and weights must be one-dimensional and of one length.",
            found=", ".join(map(str, sorted(shapes))),
        )
    if (clusters < 0).any():
        raise UsageError("Cluster codes must not be negative.", found=str(int(clusters.min())))
    if not (weights[~np.isnan(values)] > 0).all():
        raise UsageError("Every item with a value needs a weight above 0.")
    return values, clusters, strata, weights


def item_means(values: FloatArray, strata: IntArray | None = None, weights: FloatArray | None = None) -> FloatArray:
    """Return the means of :func:`cluster_mean` without their errors, for many units at once.

    Parameters
    ----------
    values
        (U, I) item scores; NaN is left out.
    strata
        (I,) codes of categories.
    weights
        (U, I) weights of the items; equal by default.

    Returns
    -------
    FloatArray
        (U,) means; NaN where no item, or no item of some stratum, has a value.
    """
    share = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    codes = np.zeros(values.shape[1], dtype=np.int64) if strata is None else strata
    member = (codes[:, None] == np.unique(codes)).astype(np.float64)
    with np.errstate(invalid="ignore"):
        by_stratum = (share * np.nan_to_num(values)) @ member / (share @ member)
    means: FloatArray = by_stratum.mean(axis=1) if member.shape[1] else np.full(len(values), np.nan)
    return means
