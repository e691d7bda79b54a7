"""The test that departures of clusters are balanced around zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

CLUSTERED_F, SHIFTS = "clustered F", "cyclic shifts of clusters"
FEW_CLUSTERS = "fewer clusters of items than positions: the departures have no covariance of full rank"
RANK = 1e-10


class Balance(NamedTuple):
    """Outcome of the test: statistic (F, or a sum of squares), degrees of freedom, p-value, method, reason."""

    statistic: float
    df: float
    df_residual: float
    p_value: float
    method: str
    reason: str = ""


def balance(departures: FloatArray, clusters: IntArray, *, draws: int, seed: int) -> Balance:
    """Test that the departures of the items add up to zero at every position.

    Parameters
    ----------
    departures
        (I, N) of each item from its own balanced expectation; every row adds up to 0.
    clusters
        (I,) codes of the passages.
    draws, seed
        Of the test by shifts, which stands in where the covariance has no full rank.

    Notes
    -----
    With s_g the sum of a cluster's rows without the last position, s their sum and
    V = G/(G - 1) sum_g (s_g - s/G)(s_g - s/G)', the statistic s' V^-1 s is Hotelling's T² for clusters, referred to
    F(k, G - k) after (G - k)/(k (G - 1)), k = N - 1 (Rao and Scott 1981 for the quadratic form; Korn and Graubard 1990
    for its F reference). Without full rank (a model that always names one position): when position does not matter,
    rotating the positions of all orders of a cluster leaves their distribution as it is, so each cluster is shifted by
    a random number of places, and the sum of squares of s is compared with its value after such shifts.
    """
    size, n = departures.shape
    if not size:
        return Balance(np.nan, np.nan, np.nan, np.nan, "", "no item with all rotations")
    codes = np.unique(clusters, return_inverse=True)[1]
    g, k = int(codes.max()) + 1, n - 1
    sums = np.zeros((g, n))
    np.add.at(sums, codes, departures)
    if g <= k + 1:
        return Balance(np.nan, np.nan, np.nan, np.nan, "", FEW_CLUSTERS)
    total = sums.sum(axis=0)
    centred = (sums - total / g)[:, :k]
    covariance = g / (g - 1) * centred.T @ centred
    scale = max(float(np.abs(sums).max()) ** 2, RANK)
    if np.linalg.matrix_rank(covariance, tol=RANK * scale * g) == k:
        square = float(total[:k] @ np.linalg.solve(covariance, total[:k]))
        f = square * (g - k) / (k * (g - 1))
        return Balance(f, float(k), float(g - k), float(stats.f.sf(f, k, g - k)), CLUSTERED_F)
    observed = float(total @ total)
    rng = np.random.default_rng(seed)
    places = np.arange(n)
    hits = 0
    for _ in range(draws):
        shift = rng.integers(n, size=g)
        moved = sums[np.arange(g)[:, None], (places + shift[:, None]) % n].sum(axis=0)
        hits += bool(moved @ moved >= observed - RANK * scale)
    return Balance(observed, np.nan, np.nan, (hits + 1) / (draws + 1), SHIFTS)
