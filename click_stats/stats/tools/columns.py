"""Cluster sums of many columns of item values at once: means, differences of means and their CR1 errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from click_stats.stats.tools.maxt import Contrasts

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import FloatArray, IntArray


@dataclass(frozen=True)
class Columns:
    """Sums of item values by stratum and cluster; what :func:`clustered.cluster_sums` is for one column.

    Attributes
    ----------
    clusters
        (G,) codes of the clusters that have items.
    sums
        (K, G, N) sums over the items of a stratum and cluster; K = 1 for one mean over all items.
    sizes, n
        (K, G, N or 1) items in a stratum and cluster, and (K, N or 1) in the stratum.
    """

    clusters: IntArray
    sums: FloatArray
    sizes: FloatArray
    n: FloatArray

    @property
    def weights(self) -> FloatArray:
        """(K, N or 1) weight of an item: its stratum's mean counts 1/K. NaN where a stratum has no item."""
        with np.errstate(divide="ignore"):
            found: FloatArray = np.where(self.n > 0, 1.0 / (len(self.n) * self.n), np.nan)
        return found

    @property
    def estimates(self) -> FloatArray:
        """(N,) means."""
        found: FloatArray = (self.sums.sum(axis=1) * self.weights).sum(axis=0)
        return found

    @property
    def uncentred(self) -> FloatArray:
        """(G, N) what each cluster adds to the mean; for one mean over all items the plain sum instead."""
        found: FloatArray = self.sums[0] if len(self.n) == 1 else (self.sums * self.weights[:, None, :]).sum(axis=0)
        return found

    @property
    def centred(self) -> FloatArray:
        """(K, G, N) weighted cluster sums less their stratum's mean."""
        means = self.sums.sum(axis=1) * self.weights * len(self.n)
        found: FloatArray = (self.sums - self.sizes * means[:, None, :]) * self.weights[:, None, :]
        return found

    @property
    def factors(self) -> FloatArray:
        """(K, N or 1) small-sample factor of a stratum's clusters; NaN with fewer than two."""
        found = (self.sizes > 0).sum(axis=1)
        return np.where(found > 1, np.sqrt(found / np.maximum(found - 1.0, 1.0)), np.nan)

    @property
    def scaled(self) -> FloatArray:
        """(G, N) centred sums with the small-sample factors: their squares add up to the CR1 variance."""
        found: FloatArray = (self.factors[:, None, :] * self.centred).sum(axis=0)
        return found

    @property
    def n_clusters(self) -> IntArray:
        """(N,) clusters with an item."""
        found: IntArray = (self.sizes.sum(axis=0) > 0).sum(axis=0)
        return np.broadcast_to(found, self.sums.shape[2:])

    @property
    def n_empty(self) -> IntArray:
        """(N,) strata without an item."""
        found: IntArray = (self.n == 0).sum(axis=0)
        return np.broadcast_to(found, self.sums.shape[2:])

    def contrasts(self, first: IntArray, second: IntArray) -> Contrasts:
        """Return the tests of differences between two columns each."""
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = self.sizes / self.n[:, None, :]
        return Contrasts(self.clusters, self.centred, shares, self.factors, first, second)

    def std_errors(self, first: IntArray, second: IntArray) -> FloatArray:
        """Return the CR1 standard errors of differences between two columns each."""
        scaled = self.scaled
        found: FloatArray = np.sqrt(((scaled[:, first] - scaled[:, second]) ** 2).sum(axis=0))
        return found


def columns(
    values: FloatArray,
    clusters: IntArray,
    strata: IntArray | None = None,
    n_strata: int = 1,
    present: npt.NDArray[np.bool_] | None = None,
) -> Columns:
    """Sum columns of item values by cluster and stratum.

    Parameters
    ----------
    values
        (I, N) item values.
    clusters, strata
        (I,) cluster codes; stratum codes below ``n_strata``, one stratum by default.
    n_strata
        Number of strata, with or without items.
    present
        (I, N) which values count; all by default.
    """
    found, codes = np.unique(clusters, return_inverse=True)
    parts = np.zeros_like(codes) if strata is None else strata
    cells = n_strata * len(found)
    ones = np.ones(len(values))
    member = sparse.csr_array((ones, (parts * len(found) + codes, np.arange(len(values)))), shape=(cells, len(values)))
    counted = ones[:, None] if present is None else present.astype(np.float64)
    taken = values if present is None else np.where(present, values, 0.0)
    sums = np.asarray(member @ taken).reshape(n_strata, len(found), taken.shape[1])
    sizes = np.asarray(member @ counted).reshape(n_strata, len(found), counted.shape[1])
    return Columns(found, sums, sizes, sizes.sum(axis=1))
