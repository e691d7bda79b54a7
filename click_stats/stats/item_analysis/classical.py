"""Proportions correct, item-rest correlations and their intervals, for all items at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

TOO_FEW = "fewer than 4 models: a correlation has no interval"
ALL_RIGHT, ALL_WRONG = "every model right", "every model wrong"
NO_ANSWER, NO_SPREAD = "no model answered", "every model scores the same"
PERFECT = "a correlation of 1 or -1: Fisher's interval has no width"
NO_REST = "the models do not differ on the other items"
ONE_MODEL = "one model: no error between models"
TINY = 1e-12


class Estimates(NamedTuple):
    """Values of I items with their errors and intervals; NaN where undefined, and why (empty text: defined)."""

    value: FloatArray
    std_error: FloatArray
    df: FloatArray
    low: FloatArray
    high: FloatArray
    reason: list[str]


def proportions(scores: FloatArray, model: IntArray, level: float) -> Estimates:
    """Return the proportion correct of every item with an interval over models.

    Parameters
    ----------
    scores
        (U, I) item scores, NaN where a unit has none.
    model
        (U,) codes: conditions of one model are one cluster.
    level
        Confidence level.

    Notes
    -----
    Items are fixed, models random: the interval is about models like these. The standard error is between models
    (CR1); the interval is Wilson's (1927) score interval at the effective number of models, p(1 - p)/SE², with the t
    quantile of G - 1 degrees of freedom (Korn and Graubard 1998); with p = 0 or 1, at the number of models G.
    """
    there = ~np.isnan(scores)
    n = there.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(n > 0, np.nansum(scores, axis=0) / np.maximum(n, 1), np.nan)
        codes = np.unique(model, return_inverse=True)[1]
        member = codes == np.arange(codes.max(initial=-1) + 1)[:, None]
        residuals = np.where(there, scores - p, 0.0)
        clusters = (member.astype(np.int64) @ there.astype(np.int64) > 0).sum(axis=0)
        sums = member.astype(np.float64) @ residuals
        variance = clusters / (clusters - 1) * (sums**2).sum(axis=0) / n**2
        error = np.where(clusters > 1, np.sqrt(variance), np.nan)
        df = np.where(clusters > 1, clusters - 1.0, np.nan)
        size = np.where(error > TINY, p * (1 - p) / error**2, clusters)
        t = stats.t.isf((1 - level) / 2, df)
        shrunk = (p + t**2 / (2 * size)) / (1 + t**2 / size)
        half = t * np.sqrt(p * (1 - p) / size + t**2 / (4 * size**2)) / (1 + t**2 / size)
    reason = [NO_ANSWER if not c else ONE_MODEL if c == 1 else "" for c in clusters]
    low = np.where((p < TINY) & (clusters > 1), 0.0, shrunk - half)
    high = np.where((p > 1 - TINY) & (clusters > 1), 1.0, shrunk + half)
    return Estimates(p, error, df, low, high, reason)


def rest_scores(scores: FloatArray) -> FloatArray:
    """Return (U, I) each unit's mean score on the other items, as deviations from the items' means.

    With complete data this is the total on the other items up to scale and shift, so that correlations with it are
    the classical ones; with missing answers a unit does not profit from having met the easier items.
    """
    there = ~np.isnan(scores)
    means = np.nansum(scores, axis=0) / np.maximum(there.sum(axis=0), 1)
    deviations = np.where(there, scores - means, 0.0)
    others = there.sum(axis=1, keepdims=True) - there
    with np.errstate(invalid="ignore", divide="ignore"):
        rest: FloatArray = np.where(others > 0, (deviations.sum(axis=1, keepdims=True) - deviations) / others, np.nan)
    return rest


def correlation(values: FloatArray, rest: FloatArray) -> FloatArray:
    """Return (I,) Pearson's correlation of every column of ``values`` with the same column of ``rest``, both (U, I).

    A unit counts where both are defined. NaN where either does not vary.
    """
    both = ~(np.isnan(values) | np.isnan(rest))
    n = np.maximum(both.sum(axis=0), 1)
    x, y = np.where(both, values, 0.0), np.where(both, rest, 0.0)
    x, y = np.where(both, x - x.sum(axis=0) / n, 0.0), np.where(both, y - y.sum(axis=0) / n, 0.0)
    spread_x, spread_y = (x**2).sum(axis=0), (y**2).sum(axis=0)
    varies = (spread_x > TINY) & (spread_y > TINY)
    with np.errstate(invalid="ignore", divide="ignore"):
        r: FloatArray = np.where(varies, (x * y).sum(axis=0) / np.sqrt(spread_x * spread_y), np.nan)
    return np.clip(r, -1, 1)


def correlations(values: FloatArray, rest: FloatArray, model: IntArray, level: float) -> Estimates:
    """Return :func:`correlation` of every column with its interval.

    Parameters
    ----------
    values, rest
        (U, I), NaN where undefined.
    model
        (U,) codes: the interval counts models, not their conditions.
    level
        Confidence level.

    Notes
    -----
    Point-biserial where scores are 0 or 1. The interval is Fisher's (1921), z ± q/sqrt(G - 3) with G the number of
    models: approximate for scores of 0 and 1. ``std_error`` is that of z.
    """
    both = ~(np.isnan(values) | np.isnan(rest))
    member = np.unique(model, return_inverse=True)[1] == np.arange(len(np.unique(model)))[:, None]
    models = (member.astype(np.int64) @ both.astype(np.int64) > 0).sum(axis=0)
    r = correlation(values, rest)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where((models > 3) & (np.abs(r) < 1 - TINY), 1 / np.sqrt(np.maximum(models - 3.0, TINY)), np.nan)
        z, q = np.arctanh(r), stats.norm.isf((1 - level) / 2)
        low, high = np.tanh(z - q * error), np.tanh(z + q * error)
    masked = np.where(both, values, np.nan)
    reason = [_why(column[~np.isnan(column)], one, n) for column, one, n in zip(masked.T, r, models, strict=True)]
    return Estimates(r, error, np.full(r.shape, np.nan), low, high, reason)


def _why(values: FloatArray, r: float, models: int) -> str:
    """Say why a correlation, or its interval, is undefined; nothing when it is not."""
    if not np.isnan(r):
        return TOO_FEW if models < 4 else PERFECT if abs(r) > 1 - TINY else ""
    if not values.size:
        return NO_ANSWER
    if np.ptp(values) > TINY:
        return NO_REST
    return ALL_RIGHT if values[0] > 1 - TINY else ALL_WRONG if values[0] < TINY else NO_SPREAD
