"""Step-down max-T over correlated tests: random signs on centred cluster sums, errors recomputed in every draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click_stats.counts import FloatArray, IntArray

CHUNK = 500
"""Draws of signs made at a time: fixed, so that the draws do not depend on which tests are asked for."""
CELLS = 4_000_000
"""Statistics held at a time (tests x draws): bounds the memory."""
TOLERANCE = 1e-10


@dataclass(frozen=True)
class Contrasts:
    """Tests on one group of items: each is a column, or the difference of two columns.

    Attributes
    ----------
    clusters
        (G,) which row of the signs each cluster of the group takes.
    centred
        (K, G, N) weighted cluster sums, less their stratum's mean; N columns, K strata (1 for a plain mean). The
        estimate of a column is the sum of its uncentred cluster sums over K and G.
    shares
        (K, G, N) or (K, G, 1) share of the stratum's items that lies in the cluster.
    factors
        (K, N) or (K, 1) small-sample factor sqrt(G_k / (G_k - 1)) of the clusters in the stratum.
    first, second
        (T,) columns whose difference is tested; ``second`` is None when a column is a test by itself. Two columns
        of one test have the same shares and factors.
    """

    clusters: IntArray
    centred: FloatArray
    shares: FloatArray
    factors: FloatArray
    first: IntArray
    second: IntArray | None

    def __len__(self) -> int:
        return len(self.first)

    def difference(self, columns: FloatArray) -> FloatArray:
        """Return the tests' values from values of the columns on the last axis."""
        taken: FloatArray = columns[..., self.first]
        return taken if self.second is None else taken - columns[..., self.second]

    def only(self, tests: IntArray) -> Contrasts:
        """Return some of the tests."""
        second = None if self.second is None else self.second[tests]
        return Contrasts(self.clusters, self.centred, self.shares, self.factors, self.first[tests], second)

    def collapsed(self) -> Contrasts:
        """Return the same tests, a column for each: cheaper where there are fewer tests than columns."""
        shares = self.shares if self.shares.shape[2] == 1 else self.shares[:, :, self.first]
        factors = self.factors if self.factors.shape[1] == 1 else self.factors[:, self.first]
        tests = np.arange(len(self), dtype=np.int64)
        return Contrasts(self.clusters, self.difference(self.centred), shares, factors, tests, None)

    def scaled(self) -> FloatArray:
        """Return (G, N) centred sums with the small-sample factors: their squares add up to the CR1 variance."""
        found: FloatArray = (self.factors[:, None, :] * self.centred).sum(axis=0)
        return found


class MaxT(NamedTuple):
    """Outcome of one family.

    Attributes
    ----------
    p
        (F,) step-down adjusted p-values, in the order of the family.
    critical
        Single-step critical value: a statistic beyond it is separated whatever the others are.
    maxima
        (draws,) largest statistic of the family in every draw.
    """

    p: FloatArray
    critical: float
    maxima: FloatArray


def max_t(
    groups: Sequence[Contrasts],
    statistics: FloatArray,
    families: Mapping[str, IntArray],
    *,
    n_clusters: int,
    draws: int = 10_000,
    seed: int = 0,
    alpha: float = 0.05,
) -> dict[str, MaxT]:
    """Return step-down adjusted p-values and critical values of families of tests.

    Parameters
    ----------
    groups
        The tests by group of items; test t of all groups together is number t in their order.
    statistics
        (T,) observed statistics: estimate over CR1 standard error.
    families
        By name: the numbers of the tests in the family.
    n_clusters
        Clusters of all items: one sign each, shared by all tests.
    draws, seed
        Of the signs. The same seed and clusters give the same signs whatever the tests are.
    alpha
        Family-wise error of the critical value.

    Notes
    -----
    Romano and Wolf (2005), Econometrica 73:1237-1282, with Rademacher weights on clusters (Cameron, Gelbach and
    Miller 2008). In draw s the cluster sums are e = s u, u the centred sums; the mean is taken from them again,
    and the standard error is that of e less its mean: a standard error that stays fixed makes the maximum too
    small. With h the shares, sum (e - h m)^2 = sum u^2 - 2 m sum h e + m^2 sum h^2, so a draw costs products of
    matrices only; with strata (a mean of means) there is one such m for each.
    """
    observed = np.abs(np.asarray(statistics, dtype=np.float64))
    kernels = [_Kernel(_cheaper(group)) for group in groups]
    orders = {name: tests[np.argsort(observed[tests], kind="stable")] for name, tests in families.items()}
    hits = {name: np.zeros(len(order), dtype=np.int64) for name, order in orders.items()}
    maxima: dict[str, list[FloatArray]] = {name: [] for name in orders}
    for signs in _signs(n_clusters, draws, seed, max(1, CELLS // max(1, len(observed)))):
        drawn = np.concatenate([kernel.squared(signs) for kernel in kernels]) if kernels else np.empty((0, 0))
        for name, order in orders.items():
            if not len(order):
                continue
            running = np.maximum.accumulate(drawn[order], axis=0)
            limits = observed[order][:, None] ** 2 * (1.0 - TOLERANCE)
            hits[name] += (running >= limits).sum(axis=1)
            maxima[name].append(np.sqrt(running[-1]))
    found = {}
    for name, tests in families.items():
        order = orders[name]
        stepped = np.maximum.accumulate(((1.0 + hits[name]) / (1.0 + draws))[::-1])[::-1]
        p = np.full(len(observed), np.nan)
        p[order] = stepped
        largest = np.concatenate(maxima[name]) if maxima[name] else np.empty(0)
        found[name] = MaxT(p[tests], critical_value(largest, alpha), largest)
    return found


def critical_value(maxima: FloatArray, alpha: float) -> float:
    """Return the value that a statistic must exceed to have (1 + exceeding) / (1 + draws) below ``alpha``."""
    k = int(np.ceil(alpha * (1 + len(maxima)) - 1e-9)) - 1
    if not len(maxima) or k < 1:
        return float("nan")
    return float(np.sort(maxima)[-k])


def _cheaper(group: Contrasts) -> Contrasts:
    return group.collapsed() if group.second is not None and group.centred.shape[2] >= len(group) else group


def _signs(n_clusters: int, draws: int, seed: int, width: int) -> Iterator[FloatArray]:
    """Yield signs (clusters, at most ``width`` draws) until there are ``draws``."""
    rng = np.random.default_rng([seed, 2])
    for start in range(0, draws, CHUNK):
        bits = rng.integers(0, 2, (n_clusters, CHUNK), dtype=np.int8)[:, : draws - start]
        for left in range(0, bits.shape[1], width):
            yield bits[:, left : left + width].astype(np.float64) * 2.0 - 1.0


class _Kernel:
    """What the statistics of one group need in every draw, computed once."""

    def __init__(self, group: Contrasts) -> None:
        self.group = group
        scaled, shares = group.scaled(), group.factors[:, None, :] * group.shares
        self.means = [np.ascontiguousarray(part.T) for part in group.centred]
        self.crossed = [np.ascontiguousarray((2.0 * scaled * share).T) for share in shares]
        self.squares = (group.difference(scaled) ** 2).sum(axis=0)[:, None]
        self.overlap = np.einsum("kgn,lgn->kln", shares, shares)[..., None]

    def squared(self, signs: FloatArray) -> FloatArray:
        """Return (T, draws) squared statistics under ``signs`` (clusters, draws).

        The part of the sum of squares that the mean takes away, m (2 sum h e - m sum h^2), has two factors that
        are linear in the columns: only these are formed for each test.
        """
        taken = signs[self.group.clusters]
        means = [part @ taken for part in self.means]
        spread = np.repeat(self.squares, taken.shape[1], axis=1)
        total = np.zeros_like(spread)
        for k, mean in enumerate(means):
            lost = self.crossed[k] @ taken
            for j, other in enumerate(means):
                if self.overlap[k, j].any():
                    lost -= self.overlap[k, j] * other
            tested = self._test(mean)
            total += tested
            spread -= tested * self._test(lost)
        # Where nothing is left around the mean the statistic is, in effect, infinite; or 0, when the mean is.
        np.maximum(spread, TOLERANCE * self.squares, out=spread)
        total *= total
        total /= spread
        return total

    def _test(self, columns: FloatArray) -> FloatArray:
        if self.group.second is None:
            return columns if len(self.group) == len(columns) else columns[self.group.first]
        taken: FloatArray = columns[self.group.first]
        taken -= columns[self.group.second]
        return taken
