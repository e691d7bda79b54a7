"""Mean over items and its standard error when items that share a passage vary together (CR1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    row = None if weights is None else np.asarray(weights)[None]
    return cluster_means(np.asarray(values, dtype=np.float64)[None], clusters, strata, row)[0]


def cluster_means(
    values: FloatArray, clusters: IntArray, strata: IntArray | None = None, weights: FloatArray | None = None
) -> list[ClusteredMean]:
    """Return :func:`cluster_mean` of each of U rows: ``values`` and ``weights`` (U, I), the others (I,)."""
    values, clusters, strata = _checked(values, clusters, strata, weights)
    n_strata = 1 if strata is None else np.unique(strata).size
    found: dict[int, ClusteredMean] = {}
    for rows in patterns(values, weights):
        kept = ~np.isnan(values[rows[0]])
        own = None if strata is None else strata[kept]
        y, w = values[np.ix_(rows, kept)], None if weights is None else weights[rows[0], kept]
        found.update(zip(rows.tolist(), _means(y, clusters[kept], own, w, n_strata), strict=True))
    return [found[row] for row in range(len(values))]


def cluster_sums(
    values: FloatArray, clusters: IntArray, strata: IntArray | None = None, weights: FloatArray | None = None
) -> ClusterSums:
    """Return what each cluster contributes to the mean; parameters as in :func:`cluster_mean`.

    Strata without a value are left out: :func:`cluster_mean` is the one that refuses them.
    """
    row = None if weights is None else np.asarray(weights)[None]
    values, clusters, strata = _checked(np.asarray(values, dtype=np.float64)[None], clusters, strata, row)
    size = int(clusters.max(initial=-1)) + 1
    kept = ~np.isnan(values[0])
    whole = ClusterSums(np.zeros(size), np.zeros(size), np.zeros(size))
    if kept.any():
        own = None if strata is None else strata[kept]
        part = _sums(values[:, kept], clusters[kept], own, None if row is None else row[0, kept])
        present = np.unique(clusters[kept])
        for target, source in zip(whole, part, strict=True):
            target[present] = source[0]
    return whole


def patterns(values: FloatArray, weights: FloatArray | None = None) -> Iterator[IntArray]:
    """Yield the rows of units that miss the same items and weigh the others alike."""
    rows: dict[bytes, list[int]] = {}
    for row, missing in enumerate(np.isnan(values)):
        key = missing.tobytes() + (b"" if weights is None else np.where(missing, 0, weights[row]).tobytes())
        rows.setdefault(key, []).append(row)
    for group in rows.values():
        yield np.array(group, dtype=np.int64)


def _means(
    y: FloatArray, clusters: IntArray, strata: IntArray | None, weights: FloatArray | None, n_strata: int
) -> list[ClusteredMean]:
    """Return the means of complete (U, n) scores; ``n_strata`` counts strata without an answer too."""
    n_items, n_clusters = y.shape[1], int(np.unique(clusters).size)
    n_present = 1 if strata is None else int(np.unique(strata).size)
    if not n_items or n_present < n_strata:
        reason = EMPTY_STRATUM.format(n=n_strata - n_present, of=n_strata) if n_items else NO_ITEMS
        return [ClusteredMean(np.nan, np.nan, np.nan, n_items, n_clusters, reason)] * len(y)
    sums = _sums(y, clusters, strata, weights)
    errors = np.sqrt(np.sum(sums.scaled**2, axis=1))
    alone = (ONE_CLUSTER if n_clusters == 1 else ONE_CLUSTER_STRATUM) if np.isnan(errors).any() else ""
    df = float(max(n_clusters - n_strata, 1))
    found = []
    for estimate, error, spread in zip(sums.uncentred.sum(axis=1), errors, np.ptp(y, axis=1), strict=True):
        value, std_error, reason = _tidy(float(estimate)), float(error), alone
        if std_error < ZERO:
            std_error = 0.0
            reason = NO_SPREAD if value not in {-1.0, 0.0, 1.0} or spread > ZERO else ""
        known = (np.nan, np.nan) if reason else (std_error, df)
        found.append(ClusteredMean(value, *known, n_items, n_clusters, reason))
    return found


def _sums(y: FloatArray, clusters: IntArray, strata: IntArray | None, weights: FloatArray | None) -> ClusterSums:
    """Return the sums of complete (U, n) scores, each (U, clusters present in increasing order)."""
    n = y.shape[1]
    s = np.zeros(n, dtype=np.int64) if strata is None else np.unique(strata, return_inverse=True)[1]
    w = np.ones(n) if weights is None else weights
    n_strata = int(s.max()) + 1
    share = w / np.bincount(s, w)[s] / n_strata
    member = (s[:, None] == np.arange(n_strata)).astype(np.float64)
    centred = share * (y - ((share * y) @ member * n_strata)[:, s])
    size = int(clusters.max()) + 1
    clusters_in = np.bincount(np.unique(s * size + clusters) // size, minlength=n_strata)
    with np.errstate(divide="ignore"):
        factor = np.sqrt(clusters_in / (clusters_in - 1.0))
    scaled = centred * factor[s] if np.isfinite(factor).all() else np.full(y.shape, np.nan)
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=-1))
    return ClusterSums(*(np.add.reduceat(part[:, order], starts, axis=1) for part in (share * y, centred, scaled)))


def _tidy(value: float) -> float:
    """Give -1, 0 and 1 exactly where a sum of weights missed them by rounding."""
    nearest = float(round(value))
    return nearest if abs(value - nearest) < ZERO else value


def _checked(
    values: FloatArray, clusters: IntArray, strata: IntArray | None, weights: FloatArray | None
) -> tuple[FloatArray, IntArray, IntArray | None]:
    values, clusters = np.asarray(values, dtype=np.float64), np.asarray(clusters, dtype=np.int64)
    strata = None if strata is None else np.asarray(strata, dtype=np.int64)
    lengths = {array.shape for array in (clusters, strata) if array is not None}
    if values.ndim != 2 or lengths != {values.shape[1:]} or (weights is not None and weights.shape != values.shape):
        raise UsageError(
            "Values, clusters, strata and weights must be of one length.",
            found=", ".join(map(str, sorted({values.shape[1:], *lengths}))),
        )
    if (clusters < 0).any():
        raise UsageError("Cluster codes must not be negative.", found=str(int(clusters.min())))
    if weights is not None and not (weights[~np.isnan(values)] > 0).all():
        raise UsageError("Every item with a value needs a weight above 0.")
    return values, clusters, strata


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


def unit_means(values: FloatArray) -> FloatArray:
    """Return (I,) means over the units that have a value, each with the same weight; NaN where none has."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: FloatArray = np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0)
    return means
