"""Intervals of variance components: jackknife over clusters of items, and modified large samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.anova.effects import noncentrality_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import FloatArray

JACKKNIFE = "jackknife over passages"
LARGE_SAMPLE = "modified large sample"
NONCENTRAL = "noncentral F"
REML = "REML, Satterthwaite"
FEW_CLUSTERS = 10
NO_SPREAD = "the same without any passage: no interval"
TOO_FEW = f"fewer than {FEW_CLUSTERS} passages: no interval"


class Spread(NamedTuple):
    """Standard error and ends of an interval; NaN where there is none."""

    std_error: float
    low: float
    high: float


NONE = Spread(np.nan, np.nan, np.nan)


def jackknife(estimates: FloatArray, level: float) -> Spread:
    """Return the delete-one-cluster jackknife interval of a component.

    SE² = (G - 1)/G sum (estimate without cluster g - their mean)² (Efron and Stein 1981; for components, Brennan 2001,
    section 6.4, and Arvesen 1969), with t on G - 1 degrees of freedom about the estimate (0 where it is
    negative, or the interval would be empty); ends below 0 are 0. It needs no normal effects, which right and wrong
    answers do not have, and it holds facets other than the items fixed.

    Parameters
    ----------
    estimates
        (1 + G,) the component from all items, then without each cluster. Undefined below 10 clusters, and
        where no cluster changes it.
    """
    left_out = estimates[1:]
    n = len(left_out)
    if n < FEW_CLUSTERS or not np.isfinite(left_out).all():
        return NONE
    error = float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))
    if error < 1e-12:
        return NONE
    half = float(stats.t.ppf((1 + level) / 2, n - 1)) * error
    centre = max(0.0, float(estimates[0]))
    return Spread(error, max(0.0, centre - half), centre + half)


def large_sample(
    weights: Mapping[str, float], squares: Mapping[str, float], degrees: Mapping[str, float], level: float
) -> Spread:
    """Return the interval of a weighted sum of mean squares whose effects are normal.

    Ting, Burdick, Graybill, Jeyaratnam and Lu (1990), as in Burdick and Graybill (1992, section 3.3), without the terms
    of pairs of mean squares with weights of one sign; ends below 0 are 0. The standard error is that of
    Satterthwaite: sqrt(sum 2 (weight mean square)² / df).
    """
    used = [name for name in squares if abs(weights[name]) > 1e-15 and degrees[name] > 0]
    if not used:
        return NONE
    weight, square, df = (np.array([values[name] for name in used]) for values in (weights, squares, degrees))
    parts = weight * square
    low, high = (float(parts.sum() + end) for end in (-_reach(parts, df, level), _reach(-parts, df, level)))
    error = float(np.sqrt((2 * parts**2 / df).sum()))
    return Spread(error, max(0.0, low), max(0.0, high))


def noncentral(
    square: float, error: float, df: float, df_error: float, answers: float, level: float
) -> tuple[float, float]:
    """Return the interval of the spread of fixed levels, (MS - MS_error) / answers, by inverting the noncentral F.

    With fixed effects F = MS / MS_error has the noncentrality df answers spread / E MS_error (Steiger 2004). Unlike the
    jackknife it holds where the levels hardly differ, since the estimate is then far from normal.

    Parameters
    ----------
    square, error
        Mean square of the levels and of their interaction with the items.
    df, df_error
        Their degrees of freedom.
    answers
        Answers at one level.
    """
    if not error > 0:
        return np.nan, np.nan
    low, high = noncentrality_interval(square / error, int(df), int(df_error), level)
    return low * error / (df * answers), high * error / (df * answers)


def satterthwaite(variance: float, std_error: float, level: float) -> Spread:
    """Return the chi-square interval with df = 2 (variance / standard error)² (Satterthwaite 1946).

    Below two degrees of freedom its upper end has no sense: the interval is then variance ± z standard errors, from 0.
    """
    if not (np.isfinite(std_error) and std_error > 0 and variance > 0):
        return NONE
    df = 2 * (variance / std_error) ** 2
    if df < 2:
        half = float(stats.norm.ppf((1 + level) / 2)) * std_error
        return Spread(std_error, max(0.0, variance - half), variance + half)
    low, high = (df * variance / float(stats.chi2.ppf(tail, df)) for tail in ((1 + level) / 2, (1 - level) / 2))
    return Spread(std_error, low, high)


def feldt(ratio: float, df_objects: float, df_error: float, level: float) -> tuple[float, float]:
    """Return the interval of a generalisability coefficient 1 - 1/F with F a ratio of mean squares (Feldt 1965)."""
    ends = [stats.f.ppf(tail, df_objects, df_error) for tail in ((1 + level) / 2, (1 - level) / 2)]
    low, high = (max(0.0, 1 - float(end) / ratio) for end in ends)
    return low, high


def _reach(parts: FloatArray, df: FloatArray, level: float) -> float:
    """Return how far the lower end lies below the sum; the upper end is that of the opposite sum."""
    tail = (1 - level) / 2
    plus, minus = parts > 0, parts < 0
    below = 1 - df / stats.chi2.ppf(1 - tail, df)
    above = df / stats.chi2.ppf(tail, df) - 1
    variance = float((below[plus] ** 2 * parts[plus] ** 2).sum() + (above[minus] ** 2 * parts[minus] ** 2).sum())
    for q in np.flatnonzero(plus):
        for r in np.flatnonzero(minus):
            ratio = stats.f.ppf(1 - tail, df[q], df[r])
            cross = ((ratio - 1) ** 2 - below[q] ** 2 * ratio**2 - above[r] ** 2) / ratio
            variance += cross * parts[q] * -parts[r]
    return float(np.sqrt(max(variance, 0.0)))
