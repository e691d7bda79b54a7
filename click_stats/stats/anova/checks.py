"""Checks of the residuals, and tests that do without equal variances or normal errors."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats
from statsmodels.stats.oneway import anova_oneway

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

FEW_GROUPS = "fewer than two groups with two values"
NO_SPREAD = "a group without spread"
CONSTANT = "all values are equal"
FEW_VALUES = "fewer than three values"


class Check(NamedTuple):
    """A check; ``df`` and ``df_residual`` are NaN where its distribution has none."""

    statistic: float
    df: float
    df_residual: float
    p_value: float
    reason: str = ""


def split(values: FloatArray, groups: Sequence[Any]) -> list[FloatArray]:
    """Return the values of each group, groups in sorted order."""
    keys = np.asarray(groups, dtype=object)
    return [values[keys == level] for level in sorted(set(groups))]


def levene(values: FloatArray, groups: Sequence[Any]) -> Check:
    """Test whether groups vary equally, by distances from the median (Brown and Forsythe 1974)."""
    parts = [part for part in split(values, groups) if len(part) > 1]
    if len(parts) < 2:
        return _undefined(FEW_GROUPS)
    if all(np.ptp(part) == 0 for part in parts):
        return _undefined(CONSTANT)
    with warnings.catch_warnings():  # equal distances in every group: no F, said below
        warnings.simplefilter("ignore", RuntimeWarning)
        found = stats.levene(*parts, center="median")
    if not np.isfinite(found.statistic):
        return _undefined(CONSTANT)
    return Check(float(found.statistic), len(parts) - 1, sum(map(len, parts)) - len(parts), float(found.pvalue))


def normality(residuals: FloatArray) -> Check:
    """Test residuals for normality (Shapiro and Wilk 1965)."""
    if len(residuals) < 3:
        return _undefined(FEW_VALUES)
    if np.ptp(residuals) <= 1e-12:
        return _undefined(CONSTANT)
    found = stats.shapiro(residuals)
    return Check(float(found.statistic), np.nan, np.nan, float(found.pvalue))


def welch(values: FloatArray, groups: Sequence[Any]) -> Check:
    """Compare means of groups whose variances may differ (Welch 1951)."""
    parts = split(values, groups)
    if len(parts) < 2 or min(map(len, parts)) < 2:
        return _undefined("a group with one value, or one group")
    if any(np.ptp(part) == 0 for part in parts):
        return _undefined(NO_SPREAD)
    found = anova_oneway(parts, use_var="unequal", welch_correction=True)
    return Check(float(found.statistic), float(found.df_num), float(found.df_denom), float(found.pvalue))


def kruskal(values: FloatArray, groups: Sequence[Any]) -> Check:
    """Compare groups by ranks (Kruskal and Wallis 1952; chi-squared approximation)."""
    parts = split(values, groups)
    if len(parts) < 2:
        return _undefined("one group")
    if np.ptp(values) == 0:
        return _undefined(CONSTANT)
    found = stats.kruskal(*parts)
    return Check(float(found.statistic), len(parts) - 1, np.nan, float(found.pvalue))


class Contrast(NamedTuple):
    """The difference of two groups with its simultaneous interval and adjusted p-value."""

    first: Any
    second: Any
    estimate: float
    low: float
    high: float
    p_adjusted: float


def tukey(values: FloatArray, groups: Sequence[Any], level: float = 0.95) -> list[Contrast]:
    """Return all differences of group means, second minus first, by Tukey and Kramer's method.

    The variance is pooled over the groups; a group may have one value. Nothing when no variance can be estimated.
    """
    levels, parts = sorted(set(groups)), split(values, groups)
    df = len(values) - len(parts)
    ss = float(sum(((part - part.mean()) ** 2).sum() for part in parts))
    if df < 1 or len(parts) < 2 or ss <= 0:
        return []
    quantile = float(stats.studentized_range.ppf(level, len(parts), df))
    found = []
    for a in range(len(parts)):
        for b in range(a + 1, len(parts)):
            estimate = float(parts[b].mean() - parts[a].mean())
            error = float(np.sqrt(ss / df / 2 * (1 / len(parts[a]) + 1 / len(parts[b]))))
            p_value = float(stats.studentized_range.sf(abs(estimate) / error, len(parts), df))
            low, high = estimate - quantile * error, estimate + quantile * error
            found.append(Contrast(levels[a], levels[b], estimate, low, high, p_value))
    return found


def _undefined(reason: str) -> Check:
    return Check(np.nan, np.nan, np.nan, np.nan, reason)
