"""Reliability of a test: how consistently its items order these models."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray

FEW_UNITS = "fewer than 2 models with enough answers"
FEW_ITEMS = "fewer than 2 items that all of these models answered"
NO_TOTAL = "all models have the same total: reliability is undefined"
NOT_BINARY = "scores are shares of several trials, not 0 or 1: KR-20 is undefined, alpha is its general form"
MORE_ITEMS = "as many items as models, or more: their correlations have no inverse"
CONSTANT = "items that all models answered alike have no correlation"
SINGULAR = "the correlations of the items are singular"
RANK = 1e-10
TINY = 1e-12


class Coefficient(NamedTuple):
    """A coefficient, NaN where undefined, and why."""

    value: float
    reason: str = ""


class Reliability(NamedTuple):
    """Reliability coefficients of one set of items; scores (n models, k items)."""

    alpha: Coefficient
    low: float
    high: float
    kr20: Coefficient
    lambda6: Coefficient
    dropped: FloatArray


def reliability(scores: FloatArray, level: float) -> Reliability:
    """Return reliability coefficients of a complete table of scores.

    Parameters
    ----------
    scores
        (n, k) scores of n models on k items, none missing.
    level
        Confidence level of Feldt's interval.

    Notes
    -----
    alpha = k/(k - 1) (1 - sum of item variances / variance of the total) (Cronbach 1951). Feldt (1965): (1 - alpha)
    times the quantiles of F(n - 1, (n - 1)(k - 1)); exact for normal scores with equal covariances. KR-20 (Kuder and
    Richardson 1937) is alpha of 0/1 scores, with variances over n. lambda 6 (Guttman 1945) of standardised items:
    1 - sum(1 - R²)/sum of correlations, R² from regressing each item on the others; it needs more models than items.
    alpha if dropped: alpha of the other items, NaN where it is undefined.
    """
    n, k = scores.shape
    none = np.full(k, np.nan)
    reason = FEW_UNITS if n < 2 else FEW_ITEMS if k < 2 else ""
    if not reason and np.var(scores.sum(axis=1)) < TINY:
        reason = NO_TOTAL
    if reason:
        nothing = Coefficient(np.nan, reason)
        return Reliability(nothing, np.nan, np.nan, nothing, nothing, none)
    alpha = _alpha(scores)
    tail = (1 - level) / 2
    df = (n - 1, (n - 1) * (k - 1))
    low, high = (1 - (1 - alpha) * stats.f.ppf(1 - tail, *df)), (1 - (1 - alpha) * stats.f.ppf(tail, *df))
    return Reliability(Coefficient(alpha), float(low), float(high), _kr20(scores), lambda6(scores), _dropped(scores))


def _alpha(scores: FloatArray) -> float:
    k = scores.shape[1]
    return float(k / (k - 1) * (1 - scores.var(axis=0, ddof=1).sum() / scores.sum(axis=1).var(ddof=1)))


def _kr20(scores: FloatArray) -> Coefficient:
    if not np.isin(scores, (0.0, 1.0)).all():
        return Coefficient(np.nan, NOT_BINARY)
    k, p = scores.shape[1], scores.mean(axis=0)
    return Coefficient(float(k / (k - 1) * (1 - (p * (1 - p)).sum() / scores.sum(axis=1).var())))


def lambda6(scores: FloatArray) -> Coefficient:
    """Return Guttman's lambda 6 of standardised items, or why it is undefined."""
    n, k = scores.shape
    if n <= k:
        return Coefficient(np.nan, MORE_ITEMS)
    if (scores.var(axis=0) < TINY).any():
        return Coefficient(np.nan, CONSTANT)
    correlation = np.corrcoef(scores, rowvar=False)
    if np.linalg.eigvalsh(correlation)[0] < RANK:
        return Coefficient(np.nan, SINGULAR)
    unexplained = 1 / np.diag(np.linalg.inv(correlation))
    return Coefficient(float(1 - unexplained.sum() / correlation.sum()))


def _dropped(scores: FloatArray) -> FloatArray:
    k = scores.shape[1]
    if k <= 2:
        return np.full(k, np.nan)
    total = scores.sum(axis=1)
    variances = scores.var(axis=0, ddof=1)
    left = (total[:, None] - scores).var(axis=0, ddof=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        dropped: FloatArray = (k - 1) / (k - 2) * (1 - (variances.sum() - variances) / left)
    dropped[left < TINY] = np.nan
    return dropped
