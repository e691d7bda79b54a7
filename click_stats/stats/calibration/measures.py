"""Proper scores of stated probabilities, confidence against accuracy, and their clustered intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats
from scipy.optimize import isotonic_regression

from click_stats.stats.calibration.selective import area
from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean
from click_stats.stats.tools.intervals import Interval, clustered_t, clustered_wilson

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.calibration.forecasts import Forecasts

BRIER, LOG, ACCURACY, CONFIDENCE, OVERCONFIDENCE, AREA = (
    "Brier score", "log score", "accuracy of the likeliest option", "confidence", "overconfidence",
    "area under accuracy at coverage",
)  # fmt: skip
ZERO_GOLD = "the right option has probability 0 in {n} trials: the log score is infinite"


class Measure(NamedTuple):
    """A mean over items, its interval, and the value that equal probabilities for all options would give."""

    name: str
    mean: ClusteredMean
    interval: Interval
    uniform: float


class Spiegelhalter(NamedTuple):
    """Spiegelhalter's statistic with its error between passages, degrees of freedom and two-sided p."""

    statistic: float
    df: float
    p_value: float
    reason: str


class Decomposition(NamedTuple):
    """Brier score of the likeliest option: ``score = miscalibration - discrimination + uncertainty``."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def brier(found: Forecasts) -> FloatArray:
    """Return (T,) Brier scores: the sum over the options of (p - y)², from 0 (best) to 2 (Brier 1950)."""
    right = np.take_along_axis(found.probability, found.gold[:, None], axis=1)[:, 0]
    scores: FloatArray = (found.probability**2).sum(axis=1) - 2 * right + 1
    return scores


def log_score(found: Forecasts) -> FloatArray:
    """Return (T,) log scores in nats: minus the log-probability of the right option (Good 1952)."""
    s = found.scores
    top = s.max(axis=1, initial=-np.inf)
    with np.errstate(divide="ignore"):
        whole = top + np.log(np.exp(s - top[:, None]).sum(axis=1))
    scores: FloatArray = whole - np.take_along_axis(s, found.gold[:, None], axis=1)[:, 0]
    return scores


def measures(found: Forecasts, level: float) -> list[Measure]:
    """Return the scores of one unit, each the mean over items of the mean over the item's trials.

    Intervals are t intervals with the CR1 error between passages, for the accuracy the clustered Wilson interval. The
    area's error is that of its linearisation (:func:`click_stats.stats.calibration.selective.area`).
    """
    n = found.n_options.astype(np.float64)
    uniform = {BRIER: 1 - 1 / n, LOG: np.log(n), ACCURACY: 1 / n, CONFIDENCE: 1 / n, OVERCONFIDENCE: 0 * n}
    values = {
        BRIER: brier(found),
        LOG: log_score(found),
        ACCURACY: found.hit,
        CONFIDENCE: found.confidence,
        OVERCONFIDENCE: found.confidence - found.hit,
    }
    limits = {BRIER: (0.0, 2.0), LOG: (0.0, np.inf), CONFIDENCE: (0.0, 1.0), OVERCONFIDENCE: (-1.0, 1.0)}
    made = []
    for name, one in values.items():
        if name == LOG and np.isinf(one).any():
            reason = ZERO_GOLD.format(n=int(np.isinf(one).sum()))
            mean = ClusteredMean(np.nan, np.nan, np.nan, found.n_items, _n_clusters(found), reason)
        else:
            mean = found.mean(one)
        interval = clustered_wilson(mean, level) if name == ACCURACY else clustered_t(mean, level, limits=limits[name])
        made.append(Measure(name, mean, interval, float((found.weight * uniform[name]).sum())))
    mean = area(found)
    made.append(Measure(AREA, mean, clustered_t(mean, level), made[2].uniform))
    return made


def spiegelhalter(found: Forecasts) -> Spiegelhalter:
    """Test whether hits follow the stated confidences, by Spiegelhalter's (1986) statistic.

    The mean of (hit - c)(1 - 2c) is 0 when every confidence c is the probability of a hit. Spiegelhalter divides by the
    standard deviation that independent answers would have; here the error is that between passages (CR1), with t on
    clusters - 1 degrees of freedom, so that trials of one item may depend on each other.
    """
    c = found.confidence
    mean = found.mean((found.hit - c) * (1 - 2 * c))
    if mean.reason or mean.std_error == 0:
        return Spiegelhalter(np.nan, np.nan, np.nan, mean.reason or "no spread from which an error could be estimated")
    t = mean.estimate / mean.std_error
    return Spiegelhalter(t, mean.df, float(2 * stats.t.sf(abs(t), mean.df)), "")


def decomposition(found: Forecasts) -> Decomposition:
    """Split the Brier score of the likeliest option, (c - hit)², without bins (CORP).

    Dimitriadis, Gneiting and Jordan (2021): with the isotonic regression of hits on confidences as the recalibrated
    forecast, miscalibration = S(c) - S(recalibrated), discrimination = S(base rate) - S(recalibrated), uncertainty =
    S(base rate). All three are at least 0 and the split is exact; miscalibration is biased upwards in small samples, as
    the recalibrated forecast was fitted to these answers.
    """
    order = np.argsort(found.confidence, kind="stable")
    c, h, w = found.confidence[order], found.hit[order], found.weight[order]
    starts = np.flatnonzero(np.diff(c, prepend=-1.0) > 0)
    weights = np.add.reduceat(w, starts)
    means = np.add.reduceat(w * h, starts) / weights
    fitted = isotonic_regression(means, weights=weights).x
    again = np.repeat(fitted, np.diff(np.append(starts, c.size)))
    base = float((w * h).sum())
    score, recalibrated = float((w * (c - h) ** 2).sum()), float((w * (again - h) ** 2).sum())
    uncertainty = base * (1 - base)
    return Decomposition(score, max(score - recalibrated, 0.0), max(uncertainty - recalibrated, 0.0), uncertainty)


def _n_clusters(found: Forecasts) -> int:
    return cluster_mean(found.by_item(found.hit), found.clusters).n_clusters
