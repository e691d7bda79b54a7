"""How much of the differences between items the terms explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.stats.glmm.data import ITEM, PASSAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm import GlmmFit

TERMS = "terms"
DRAWS = 4000


class Share(NamedTuple):
    """Of the variance of difficulties: standard deviation in logits, share, and the ends of its interval."""

    sd: float
    share: float
    low: float
    high: float


def shares(found: GlmmFit, matrix: FloatArray, level: float, seed: int) -> dict[str, Share]:
    """Divide the variance of difficulties between the terms, passages and items.

    Parameters
    ----------
    found
        The fit with the terms; coefficients without a finite estimate take no part.
    matrix
        (I, K) columns of the items, in the order of the coefficients after the intercept.
    level, seed
        Of the interval, and of its draws.

    Notes
    -----
    var(X b) of estimated b exceeds var(X beta) by tr(V S) on average, V the covariance of b and S that of the columns
    over the items: it is taken off. Draws b* ~ N(b, V), together with the logarithms of the standard deviations, exceed
    it by twice that much, once for b and once for b*, which is taken off each draw. A share below 0 is 0.
    """
    finite = np.flatnonzero(np.isfinite(found.beta[1:]))
    scatter = np.atleast_2d(np.cov(matrix[:, finite], rowvar=False, bias=True)) if finite.size else np.zeros((0, 0))
    beta = found.beta[1:][finite]
    excess = float((found.vcov[1:, 1:][np.ix_(finite, finite)] * scatter).sum())
    explained = max(float(beta @ scatter @ beta) - excess, 0.0)
    kinds = [name for name in (PASSAGE, ITEM) if name in found.random]
    variance = {TERMS: explained, **{name: float(found.sd[found.random.index(name)] ** 2) for name in kinds}}
    total = sum(variance.values())
    drawn = _draws(found, beta, finite, scatter, excess, kinds, seed)
    tails = [50 * (1 - level), 50 * (1 + level)]
    whole = sum(drawn.values())
    result = {}
    for name, value in variance.items():
        ends = np.percentile(drawn[name] / whole, tails) if total > 0 else (np.nan, np.nan)
        result[name] = Share(value**0.5, value / total if total > 0 else np.nan, float(ends[0]), float(ends[1]))
    return result


def _draws(
    found: GlmmFit,
    beta: FloatArray,
    finite: np.ndarray,
    scatter: FloatArray,
    excess: float,
    kinds: Sequence[str],
    seed: int,
) -> dict[str, FloatArray]:
    """Return draws of each variance."""
    rng = np.random.default_rng(seed)
    places = np.flatnonzero(np.isfinite(found.beta))
    above = [name for k, name in enumerate(found.random) if found.sd[k] > 0]
    values = rng.multivariate_normal(
        np.zeros(len(places) + len(above)), found.covariance, DRAWS, method="eigh", check_valid="ignore"
    )
    b = beta + values[:, np.isin(places, finite + 1).nonzero()[0]]
    drawn = {TERMS: np.maximum(np.einsum("dk,kl,dl->d", b, scatter, b) - 2.0 * excess, 0.0)}
    for name in kinds:
        sd = float(found.sd[found.random.index(name)])
        drawn[name] = (
            (sd * np.exp(values[:, len(places) + above.index(name)])) ** 2 if name in above else np.zeros(DRAWS)
        )
    return drawn


def unique_share(
    beta: FloatArray, covariance: FloatArray, matrix: FloatArray, places: Sequence[int], total: float
) -> float:
    """Return the share of the variance of difficulties that a term explains beyond all other terms.

    Parameters
    ----------
    beta, covariance
        Coefficients of the columns and their covariance; those that are not finite take no part.
    matrix
        (I, K) columns.
    places
        Columns of the term.
    total
        Variance of difficulties.

    Notes
    -----
    The variance of R b, R the columns of the term without what the other columns tell of them, less tr(V R'R/I): the
    squared semi-partial correlation, corrected for estimation. Shares of terms that overlap do not add up to the whole.
    """
    own = np.array([place for place in places if np.isfinite(beta[place])], dtype=np.int64)
    if not own.size or total <= 0:
        return np.nan
    others = np.setdiff1d(np.flatnonzero(np.isfinite(beta)), own)
    known = np.column_stack([np.ones(len(matrix)), matrix[:, others]])
    rest = matrix[:, own] - known @ np.linalg.lstsq(known, matrix[:, own], rcond=None)[0]
    scatter = rest.T @ rest / len(matrix)
    found = float(beta[own] @ scatter @ beta[own]) - float((covariance[np.ix_(own, own)] * scatter).sum())
    return max(found, 0.0) / total
