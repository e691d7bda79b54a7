"""What a t test on cluster means can detect, and what an equivalence test can show."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import brentq


@lru_cache(maxsize=4096)
def noncentrality(df: float, power: float, alpha: float) -> float:
    """Return the noncentrality at which a two-sided t test of level ``alpha`` has this power.

    Solves ``P(|T| > t[1 - alpha/2, df]) = power`` for T noncentral t with ``df`` degrees of freedom
    (Cohen 1988, Statistical Power Analysis, ch. 2; both tails counted, as in R's ``power.t.test(strict = TRUE)``).

    Raises
    ------
    ValueError
        ``df`` below 1, or a power not between ``alpha`` and 1.
    """
    if df < 1:
        raise ValueError("the degrees of freedom must be at least 1")
    if not 0 < alpha < power < 1:
        raise ValueError("the power must lie between alpha and 1")
    return float(brentq(lambda shift: _power(shift, df, alpha) - power, 0.0, _upper(df, power, alpha), xtol=1e-12))


def detectable(std_error: float, df: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest true difference that the test finds with this power, in units of ``std_error``'s scale."""
    return noncentrality(df, power, alpha) * std_error


class Needed(NamedTuple):
    """How many items a difference needs, and the power reached with so many."""

    n_items: int
    power: float


def items_needed(
    difference: float,
    sd: float,
    *,
    clusters_per_item: float = 1.0,
    power: float = 0.8,
    alpha: float = 0.05,
    largest: int = 10**9,
) -> Needed:
    """Return the smallest number of items that finds ``difference`` with this power.

    Parameters
    ----------
    difference
        True difference of accuracies, as a share; its sign does not matter.
    sd
        Standard error of the difference times the root of the number of items: the spread of one item's paired
        difference, passages taken into account.
    clusters_per_item
        Clusters (passages) per item, at most 1; degrees of freedom are clusters minus 1.
    largest
        Beyond so many items the answer is refused.

    Raises
    ------
    ValueError
        ``difference`` is 0, ``sd`` is not positive, or more than ``largest`` items would be needed.
    """
    if difference == 0 or not sd > 0:
        raise ValueError("a difference of 0, or items without spread, need no number of items")

    def reached(n: int) -> float:
        df = n * clusters_per_item - 1
        return _power(abs(difference) * math.sqrt(n) / sd, df, alpha) if df >= 1 else 0.0

    low = math.ceil(2 / clusters_per_item)
    if reached(low) >= power:
        return Needed(low, reached(low))
    high = low
    while reached(high) < power:
        low, high = high, 2 * high
        if high > largest:
            raise ValueError(f"more than {largest} items would be needed")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return Needed(high, reached(high))


def tost_p(estimate: float, std_error: float, df: float, margin: float) -> float:
    """Return the p-value of the two one-sided tests that the difference lies within ``margin`` (Schuirmann 1987)."""
    above = stats.t.sf((estimate + margin) / std_error, df)
    below = stats.t.cdf((estimate - margin) / std_error, df)
    return float(max(above, below))


def tost_power(std_error: float, df: float, margin: float, *, alpha: float = 0.05) -> float:
    """Return the power of the equivalence test when the true difference is 0.

    The exact power of two one-sided t tests integrates over the standard error (Phillips 1990, J. Pharmacokinet.
    Biopharm. 18:137-144): equivalence is shown when ``|estimate| < margin - t[1 - alpha, df] * se``.
    """
    quantile = stats.t.ppf(1 - alpha, df)
    # Largest ratio of estimated to true standard error that can succeed, or has any mass.
    widest = min(margin / (quantile * std_error), math.sqrt(stats.chi2.ppf(1 - 1e-14, df) / df))
    ratio = widest * (_NODES + 1) / 2
    density = 2 * df * ratio * stats.chi2.pdf(df * ratio**2, df)  # df * ratio^2 is chi-squared
    inside = 2 * stats.norm.cdf(margin / std_error - quantile * ratio) - 1
    return float((_WEIGHTS * density * inside).sum() * widest / 2)


def _power(shift: float, df: float, alpha: float) -> float:
    quantile = stats.t.ppf(1 - alpha / 2, df)
    if shift == 0:
        return alpha
    upper = stats.nct.sf(quantile, df, shift) if shift < _FAR else 1.0
    # Far out scipy gives NaN for this tail; it is below the normal's P(Z < -shift), beyond any digit we keep.
    lower = stats.nct.cdf(-quantile, df, shift) if shift < _NEAR else 0.0
    return float(upper + np.nan_to_num(lower))


def _upper(df: float, power: float, alpha: float) -> float:
    bound = 1.0
    while _power(bound, df, alpha) < power and bound < _FAR:
        bound *= 2
    return bound


_FAR = 512.0  # scipy's noncentral t loses its digits beyond
_NEAR = 8.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
