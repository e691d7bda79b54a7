"""Shares of defective items from a stratified random sample of a finite benchmark, with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.stats.tools.intervals import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

WILSON = "Wilson, finite population"
STRATIFIED = "stratified, Wilson limits of the strata combined (MOVER)"
ALL_READ = "all items were reviewed: nothing is estimated"
NONE_READ = "no item of this kind was reviewed"
ONE_READ = "one item was reviewed: it has no standard error"


class Rate(NamedTuple):
    """A share and its interval; NaN with a ``reason`` where it is undefined."""

    estimate: float
    std_error: float
    low: float
    high: float
    method: str
    reason: str = ""
    flag: str = ""


class Sampled(NamedTuple):
    """A random sample of ``n`` of ``total`` items, ``hits`` of which have the property."""

    hits: int
    n: int
    total: int


def rate(sample: Sampled, level: float) -> Rate:
    """Return the share of items with a property in the population that the sample was drawn from.

    Notes
    -----
    The Wilson interval at the effective size n (N - 1)/(N - n), by which a sample of n out of N without replacement is
    worth more than n independent draws (the design effect 1 - (n - 1)/(N - 1); Korn and Graubard 1998 put an effective
    size into an interval in this way). With all N reviewed the share is known and the interval has no width.
    """
    hits, n, total = sample
    if not n:
        return Rate(math.nan, math.nan, math.nan, math.nan, WILSON, NONE_READ)
    share = hits / n
    if n >= total:
        return Rate(share, 0.0, share, share, WILSON, flag=ALL_READ)
    found = wilson(share, n * (total - 1) / (total - n), level)
    error = math.sqrt(share * (1 - share) / (n - 1) * (1 - n / total)) if n > 1 else math.nan
    return Rate(share, error, found.low, found.high, WILSON, ONE_READ if n == 1 else "")


def stratified(samples: Sequence[Sampled], level: float) -> Rate:
    """Return the share in the whole population from a sample of each stratum.

    Parameters
    ----------
    samples
        One for each stratum; strata without items are left out.
    level
        Confidence level.

    Notes
    -----
    Each stratum weighs by its items (Horvitz-Thompson: an item drawn with n of N stands for N/n). The interval combines
    the limits of the strata, p - sqrt(sum W² (p_h - l_h)²) to p + sqrt(sum W² (u_h - p_h)²): the method of variance
    estimates recovery of Zou and Donner (2008), for a weighted sum of shares Zou, Huang and Zhang (2009).
    """
    there = [one for one in samples if one.total]
    rates = [rate(one, level) for one in there]
    if not there or any(math.isnan(one.estimate) for one in rates):
        return Rate(math.nan, math.nan, math.nan, math.nan, STRATIFIED, NONE_READ)
    weights = np.array([one.total for one in there]) / sum(one.total for one in there)
    share, error, low, high = (np.array(values) for values in zip(*(one[:4] for one in rates), strict=True))
    estimate = float(weights @ share)
    below = math.sqrt(float((weights**2) @ (share - low) ** 2))
    above = math.sqrt(float((weights**2) @ (high - share) ** 2))
    spread = math.sqrt(float((weights**2) @ error**2))
    flag = ALL_READ if all(one.n >= one.total for one in there) else ""
    reason = ONE_READ if math.isnan(spread) else ""
    return Rate(estimate, spread, max(0.0, estimate - below), min(1.0, estimate + above), STRATIFIED, reason, flag)
