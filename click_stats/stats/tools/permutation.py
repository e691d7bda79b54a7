"""The sign-flip test of a mean of zero: under the null, every cluster sum could as well have had the other sign."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray

CONVOLUTION = "sign-flip, convolution"
ENUMERATION = "sign-flip, enumeration"
MONTE_CARLO = "sign-flip, Monte Carlo"

ENUMERATED_CLUSTERS = 14
CONVOLUTION_WORK = 10_000_000
"""Additions that one convolution may cost (some .01 s); beyond, the sums are not usefully commensurable."""
TOLERANCE = 1e-9
"""Relative to the sum of absolute cluster sums: sums closer than that to the observed one are ties."""
CHUNK = 500


class SignFlip(NamedTuple):
    """Two-sided p-values of the tests, and how each was computed.

    Attributes
    ----------
    p
        (T,) probability that the absolute sum after random signs is at least the observed one; ties count.
    method
        One of :data:`CONVOLUTION`, :data:`ENUMERATION`, :data:`MONTE_CARLO` for each test.
    """

    p: FloatArray
    method: tuple[str, ...]


def sign_flip(
    sums: FloatArray, *, denominators: Sequence[int] | IntArray | None = None, draws: int = 10_000, seed: int = 0
) -> SignFlip:
    """Test for each column whether its cluster sums are symmetric about zero.

    Parameters
    ----------
    sums
        (G, T): sums of the paired differences over each cluster, a column for each test.
    denominators
        For each test a whole number that makes its cluster sums whole, or 0 where there is none of use.
        Whole sums (by default 1 is tried) get the exact distribution by convolution; other tests are enumerated
        when at most 14 cluster sums are not zero, and simulated otherwise: p = (1 + hits) / (1 + draws).
    draws, seed
        Of the Monte Carlo tests, which share their signs.

    Notes
    -----
    With one trial per item and no clusters the sums are -1, 0 and 1, and the test is the exact McNemar test.
    """
    sums = np.atleast_2d(np.asarray(sums, dtype=np.float64))
    n_tests = sums.shape[1]
    scales = np.ones(n_tests, dtype=np.int64) if denominators is None else np.asarray(denominators, dtype=np.int64)
    p = np.ones(n_tests)
    methods = [CONVOLUTION] * n_tests
    simulated: list[int] = []
    for test in range(n_tests):
        column = sums[:, test]
        column = column[np.abs(column) > TOLERANCE * max(1.0, float(np.abs(column).max(initial=0.0)))]
        if not len(column):
            continue
        whole = _whole(column, int(scales[test]))
        if whole is not None:
            p[test] = by_convolution(whole)
        elif len(column) <= ENUMERATED_CLUSTERS:
            p[test], methods[test] = by_enumeration(column), ENUMERATION
        else:
            methods[test] = MONTE_CARLO
            simulated.append(test)
    if simulated:
        p[simulated] = by_simulation(sums[:, simulated], draws=draws, seed=seed)
    return SignFlip(p, tuple(methods))


def _whole(column: FloatArray, scale: int) -> IntArray | None:
    """Return the sums as whole numbers without a common divisor; None where they are not, or cost too much."""
    if scale < 1:
        return None
    scaled = column * scale
    whole = np.rint(scaled)
    if np.abs(scaled - whole).max() > 1e-6:
        return None
    found = whole.astype(np.int64)
    found //= np.gcd.reduce(np.abs(found))
    reach = int(np.abs(found).sum() - abs(found.sum())) // 2
    return found if len(found) * (reach + 1) <= CONVOLUTION_WORK else None


def by_convolution(sums: IntArray) -> float:
    """Return the exact p-value of whole, non-zero cluster sums.

    The flipped signs take away twice a random subset sum; the distribution of subset sums is the product of
    (1 + x^v) / 2. Only sums as extreme as the observed one are followed, and only positive terms are added, so
    that small p-values keep their relative precision.
    """
    observed = abs(int(sums.sum()))
    if observed == 0:
        return 1.0
    values, counts = np.unique(np.abs(sums), return_counts=True)
    reach = int((values * counts).sum() - observed) // 2
    tail = np.zeros(reach + 1)
    tail[0] = 1.0
    for value, count in zip(values, counts, strict=True):
        kernel = stats.binom.pmf(np.arange(count + 1), count, 0.5)
        if value == 1:
            tail = np.convolve(tail, kernel)[: reach + 1]
            continue
        added = np.zeros(reach + 1)
        for flipped, weight in enumerate(kernel):
            start = flipped * int(value)
            if start > reach:
                break
            added[start:] += weight * tail[: reach + 1 - start]
        tail = added
    return float(min(1.0, max(2.0 * tail.sum(), np.finfo(np.float64).tiny)))


def by_enumeration(sums: FloatArray) -> float:
    """Return the exact p-value over all signs; the first sign is fixed, for the other half mirrors it."""
    totals = np.array([sums[0]])
    for value in sums[1:]:
        totals = np.concatenate([totals + value, totals - value])
    limit = abs(float(sums.sum())) - TOLERANCE * float(np.abs(sums).sum())
    return float((np.abs(totals) >= limit).mean())


def by_simulation(sums: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """Return (1 + hits) / (1 + draws) for each column of ``sums`` (G, T), one sign per cluster for all columns."""
    rng = np.random.default_rng([seed, 1])
    limits = np.abs(sums.sum(axis=0)) - TOLERANCE * np.abs(sums).sum(axis=0)
    hits = np.zeros(sums.shape[1], dtype=np.int64)
    for start in range(0, draws, CHUNK):
        signs = rng.integers(0, 2, (CHUNK, sums.shape[0]), dtype=np.int8)[: draws - start] * 2.0 - 1.0
        hits += (np.abs(signs @ sums) >= limits).sum(axis=0)
    return np.asarray((1.0 + hits) / (1.0 + draws), dtype=np.float64)
