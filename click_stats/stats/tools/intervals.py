"""Confidence intervals for a share of right answers, and for a paired difference of two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.tools import mcnemar

if TYPE_CHECKING:
    from click_stats.stats.tools.clustered import ClusteredMean

WILSON, WILSON_PLAIN, T = "clustered Wilson", "Wilson, plain", "clustered t (CR1)"
BONETT_PRICE, CLOPPER_PEARSON = "Bonett-Price", "Clopper-Pearson"
DEGENERATE = "degenerate"
"""Flag of an interval for 0 or 1: the data show no spread, so its width rests on the number of clusters."""

NO_WIDTH = "all answers are equal: this interval would have no width"


class Interval(NamedTuple):
    """A confidence interval.

    Attributes
    ----------
    low, high
        Its ends; NaN when undefined.
    method
        Name of the method.
    df
        Degrees of freedom of the t quantile; NaN where none is used.
    reason
        Why it is undefined; empty otherwise.
    flag
        What a reader must know about it, e.g. ``degenerate``; empty otherwise.
    """

    low: float
    high: float
    method: str
    df: float
    reason: str = ""
    flag: str = ""


def undefined(method: str, reason: str, df: float = np.nan) -> Interval:
    """Return an interval that has no value, and why."""
    return Interval(np.nan, np.nan, method, df, reason)


def wilson(share: float, n: float, level: float = 0.95) -> Interval:
    """Return the plain Wilson score interval of a binomial share.

    Only for independent answers: one trial per item and no shared passage (:func:`plain_refusal`).

    Parameters
    ----------
    share
        Observed share of right answers.
    n
        Number of independent answers.
    level
        Confidence level.

    Notes
    -----
    Wilson (1927), without continuity correction; ends clipped to [0, 1].
    """
    check_level(level)
    if not n > 0:
        return undefined(WILSON_PLAIN, "no answer")
    low, high = _score(share, n, float(stats.norm.isf((1 - level) / 2)))
    return Interval(low, high, WILSON_PLAIN, np.nan, "", DEGENERATE if share in {0.0, 1.0} else "")


def clustered_wilson(mean: ClusteredMean, level: float = 0.95) -> Interval:
    """Return the Wilson interval at the effective number of items: the default interval of an accuracy.

    Notes
    -----
    n_eff = p(1 - p)/SE² with the cluster-robust SE, and the t quantile with the mean's degrees of freedom in
    place of the normal one (as Korn and Graubard 1998 do for the exact interval). With p = 0 or 1 the data show
    no spread: n_eff is the number of clusters, and the interval is flagged.
    """
    check_level(level)
    if mean.reason:
        return undefined(WILSON, mean.reason)
    p = mean.estimate
    quantile = float(stats.t.isf((1 - level) / 2, mean.df))
    if mean.std_error == 0:
        low, high = _score(p, mean.n_clusters, quantile)
        return Interval(low, high, WILSON, mean.df, "", DEGENERATE)
    low, high = _score(p, p * (1 - p) / mean.std_error**2, quantile)
    return Interval(low, high, WILSON, mean.df)


def clustered_t(mean: ClusteredMean, level: float = 0.95, *, limits: tuple[float, float] = (0.0, 1.0)) -> Interval:
    """Return estimate ± t SE with the cluster-robust error, clipped to ``limits`` (-1 and 1 for a difference)."""
    check_level(level)
    if mean.reason:
        return undefined(T, mean.reason)
    if mean.std_error == 0:
        return undefined(T, NO_WIDTH, mean.df)
    half = float(stats.t.isf((1 - level) / 2, mean.df)) * mean.std_error
    low, high = limits
    return Interval(max(low, mean.estimate - half), min(high, mean.estimate + half), T, mean.df)


def bonett_price(n_a_only: int, n_b_only: int, n: int, level: float = 0.95) -> Interval:
    """Return the interval of a difference of paired shares when few items are discordant.

    Parameters
    ----------
    n_a_only, n_b_only
        Items only the first, only the second has right.
    n
        All items that both answered.
    level
        Confidence level.

    Notes
    -----
    Bonett and Price (2012): one item is added to each discordant count and two to n, then a Wald interval. It
    keeps a width when no item is discordant (case of two identical models). Clipped to [-1, 1].
    """
    check_level(level)
    if n < 1 or min(n_a_only, n_b_only) < 0 or n_a_only + n_b_only > n:
        raise UsageError("Discordant items must be a part of all items.", found=f"{n_a_only} and {n_b_only} of {n}")
    centre, error = (float(value) for value in mcnemar.bonett_price(n_a_only, n_b_only, n))
    half = float(stats.norm.isf((1 - level) / 2)) * error
    return Interval(max(-1.0, centre - half), min(1.0, centre + half), BONETT_PRICE, np.nan)


def clopper_pearson(n_right: int, n: int, level: float = 0.95) -> Interval:
    """Return the exact binomial interval (Clopper and Pearson 1934) of ``n_right`` out of ``n`` answers."""
    check_level(level)
    if not 0 <= n_right <= n or n < 1:
        raise UsageError("Right answers must be a part of all answers.", found=f"{n_right} of {n}")
    tail = (1 - level) / 2
    low = 0.0 if n_right == 0 else float(stats.beta.ppf(tail, n_right, n - n_right + 1))
    high = 1.0 if n_right == n else float(stats.beta.isf(tail, n_right + 1, n - n_right))
    return Interval(low, high, CLOPPER_PEARSON, np.nan)


def plain_refusal(*, most_trials: int, shared: bool, several_means: bool = False) -> str:
    """Return why plain Wilson is not admissible; empty when it is.

    Parameters
    ----------
    most_trials
        Largest number of counted trials of one item.
    shared
        Whether two of the items share a passage.
    several_means
        Whether the estimate is a mean of several means.
    """
    if several_means:
        return "a mean over categories is not one binomial share"
    if most_trials > 1:
        return "several trials of an item are not independent answers"
    if shared:
        return "items that share a passage are not independent answers"
    return ""


def _score(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return the ends of a score interval: the roots p of (share - p)² = quantile² p(1 - p)/n."""
    square = quantile**2
    centre = (share * n + square / 2) / (n + square)
    half = quantile / (n + square) * math.sqrt(share * (1 - share) * n + square / 4)
    # At an end the root is known; the formula misses it by rounding.
    low = 0.0 if share <= 0 else max(0.0, float(centre - half))
    high = 1.0 if share >= 1 else min(1.0, float(centre + half))
    return low, high


def check_level(level: float) -> None:
    """Raise UsageError when ``level`` is no confidence level."""
    if not 0 < level < 1:
        raise UsageError("A confidence level lies between 0 and 1.", found=str(level), do="Use for example 0.95.")
