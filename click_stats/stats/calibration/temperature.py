"""The temperature that makes stated probabilities fit best, by maximum likelihood, checked over items left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.calibration.measures import log_score

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.calibration.forecasts import Forecasts
    from click_stats.stats.tools.clustered import ClusteredMean

FOLDS = 10
_FLATTEST, _STEEPEST = 1e-9, 1e4
_ROUNDS, _PRECISION = 200, 1e-8
"""Steps of Newton at most, and the relative step after which the next would be lost in rounding."""

ALL_RIGHT = (
    "the right option is the likeliest in every trial: the likelihood rises without end as the temperature falls to 0"
)
NOT_POSITIVE = "on average the scores do not favour the right option: no positive temperature fits"
ZERO_GOLD = "the right option has probability 0 in {n} trials: no temperature makes it possible"
FLAT = "the scores are equal for all options: no temperature changes them"
ONE_PASSAGE = "only one cluster of items: the spread between clusters is unknown"


class Temperature(NamedTuple):
    """A temperature with its interval, and what it wins on items that did not choose it.

    Attributes
    ----------
    value, low, high
        Temperature and interval; NaN when undefined.
    gain
        Mean over items of the log score less that at the temperature fitted to the other folds, in nats.
    n_folds
        Folds of passages; 0 when not cross-validated.
    reason
        Why something is undefined.
    """

    value: float
    low: float
    high: float
    gain: ClusteredMean | None
    n_folds: int
    reason: str


def temperature(found: Forecasts, level: float, seed: int) -> Temperature:
    """Return the temperature T at which softmax(scores / T) has the highest likelihood.

    Guo et al. (2017). The mean log score is convex in 1/T, so the maximum is the root of its slope, E_p[s] - s_gold.
    The interval is that of ln T: sandwich error with the scores summed by passage (CR1), t on clusters - 1 degrees of
    freedom. The gain is cross-validated: passages are dealt into ten folds at random, each scored with the temperature
    of the others.

    Notes
    -----
    Above 1 the unit is overconfident, below 1 underconfident. Undefined, with the reason, at the boundaries: every
    likeliest option right (T goes to 0), scores that do not favour the right option on average (no positive T), a right
    option with probability 0.
    """
    s, gold = found.scores, found.gold
    right = np.take_along_axis(s, gold[:, None], axis=1)[:, 0]
    impossible = int(np.isinf(right).sum())
    if impossible:
        return _undefined(ZERO_GOLD.format(n=impossible))
    inverse, reason = _fit(s, right, found.weight)
    if reason:
        return _undefined(reason)
    low, high = _interval(found, s, right, inverse, level)
    groups = np.unique(found.clusters[found.item])
    n_folds = min(FOLDS, groups.size)
    if n_folds < 2:
        return Temperature(1 / inverse, low, high, None, 0, ONE_PASSAGE)
    dealt = np.random.default_rng([seed, 3]).permutation(np.arange(groups.size) % n_folds)
    fold = dealt[np.searchsorted(groups, found.clusters[found.item])]
    after = np.empty(len(found))
    for one in range(n_folds):
        own = fold == one
        other, why = _fit(s[~own], right[~own], found.weight[~own], inverse)
        if why:
            return Temperature(1 / inverse, low, high, None, n_folds, f"without one fold of items: {why}")
        after[own] = _log_scores(s[own], right[own], other)
    return Temperature(1 / inverse, low, high, found.mean(log_score(found) - after), n_folds, "")


def _undefined(reason: str) -> Temperature:
    return Temperature(np.nan, np.nan, np.nan, None, 0, reason)


def _fit(s: FloatArray, right: FloatArray, weight: FloatArray, near: float = 1.0) -> tuple[float, str]:
    """Return the inverse temperature, sought from ``near``, or why there is none."""
    top = s.max(axis=1)
    real = np.isfinite(s)
    if not np.where(real, top[:, None] - s, 0.0).any():
        return np.nan, FLAT
    if bool((right >= top).all()):
        return np.nan, ALL_RIGHT

    def slope(inverse: float) -> tuple[float, float]:
        expected, variance = _moments(s, inverse)
        return float((weight * (expected - right)).sum()), float((weight * variance).sum())

    if slope(_FLATTEST)[0] >= 0:
        return np.nan, NOT_POSITIVE
    low, high = _FLATTEST, max(1.0, 2 * near)
    while slope(high)[0] < 0:
        low, high = high, 4 * high
        if high > _STEEPEST:
            return np.nan, ALL_RIGHT
    found = min(max(near, low), high)
    for _ in range(_ROUNDS):  # Newton's steps, halved where they leave the bracket: the slope rises throughout
        at, rise = slope(found)
        low, high = (found, high) if at < 0 else (low, found)
        step = at / rise if rise > 0 else np.inf
        following = found - step if low < found - step < high else (low + high) / 2
        if abs(following - found) < _PRECISION * found:
            return following, ""
        found = following
    return found, ""


def _moments(s: FloatArray, inverse: float) -> tuple[FloatArray, FloatArray]:
    """Return (T,) mean and variance of the scores under softmax(inverse * s)."""
    top = s.max(axis=1, keepdims=True)
    p = np.exp(inverse * (s - top))
    p /= p.sum(axis=1, keepdims=True)
    real = np.where(np.isfinite(s), s, 0.0)  # an impossible option has weight 0
    mean = (p * real).sum(axis=1)
    return mean, (p * (real - mean[:, None]) ** 2).sum(axis=1)


def _log_scores(s: FloatArray, right: FloatArray, inverse: float) -> FloatArray:
    top = s.max(axis=1)
    scores: FloatArray = inverse * (top - right) + np.log(np.exp(inverse * (s - top[:, None])).sum(axis=1))
    return scores


def _interval(found: Forecasts, s: FloatArray, right: FloatArray, inverse: float, level: float) -> tuple[float, float]:
    expected, variance = _moments(s, inverse)
    code: IntArray = np.unique(found.clusters[found.item], return_inverse=True)[1]
    sums = np.bincount(code, found.weight * (expected - right))
    groups = sums.size
    if groups < 2:
        return np.nan, np.nan
    error = np.sqrt(groups / (groups - 1) * (sums**2).sum()) / float((found.weight * variance).sum())
    half = float(stats.t.isf((1 - level) / 2, groups - 1)) * error / inverse  # of ln T = -ln(1/T)
    return float(np.exp(-np.log(inverse) - half)), float(np.exp(-np.log(inverse) + half))
