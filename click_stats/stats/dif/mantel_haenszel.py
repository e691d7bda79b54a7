"""The Mantel-Haenszel odds ratio of every item at once: two groups, matched by strata of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

DELTA = -2.35
"""From log odds ratios to the delta scale of the Educational Testing Service."""


class MantelHaenszel(NamedTuple):
    """Per item, all (I,): NaN where no stratum holds both groups, or one cell of all strata is empty.

    Attributes
    ----------
    log_odds
        Log of the common odds ratio; above 0 where the reference group does better than a matched focal group.
    std_error
        Its standard error (Robins, Breslow and Greenland 1986).
    statistic, p_value
        Chi-squared with 1 df, without continuity correction.
    n_strata, n_used
        Strata that hold both groups and models in them.
    """

    log_odds: FloatArray
    std_error: FloatArray
    statistic: FloatArray
    p_value: FloatArray
    n_strata: IntArray
    n_used: IntArray

    @property
    def delta(self) -> FloatArray:
        """Return the difference on the delta scale: negative where the item is harder for the focal group."""
        return DELTA * self.log_odds


def mantel_haenszel(y: FloatArray, focal: FloatArray, strata: IntArray) -> MantelHaenszel:
    """Return the common odds ratio of each item over strata.

    Parameters
    ----------
    y
        (U, I) item scores, 0 to 1, NaN where missing. A unit counts once whatever its number of trials: a share
        between 0 and 1 enters both the right and the wrong cell, which makes the error a little too large.
    focal
        (U,) 1 for the focal group, 0 for the reference group.
    strata
        (U,) stratum of each unit, 0..S-1.

    Notes
    -----
    Holland and Thayer (1988). In stratum k, with A and B the reference group's right and wrong, C and D those of
    the focal group and T their sum: odds ratio = Σ AD/T / Σ BC/T; chi-squared = (Σ A - Σ E(A))² / Σ Var(A) with the
    mean and variance of the hypergeometric distribution.
    """
    there = np.isfinite(y)
    score = np.where(there, y, 0.0)
    member = (strata[:, None] == np.arange(strata.max(initial=0) + 1)).astype(np.float64)
    a, b, c, d = (
        (member * group[:, None]).T @ values
        for group in (1 - focal, focal)
        for values in (score, np.where(there, 1 - score, 0.0))
    )
    n_reference, n_focal = a + b, c + d
    total = n_reference + n_focal
    used = (n_reference > 0) & (n_focal > 0) & (total > 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(used, total, np.nan)
        r, s = np.nan_to_num(a * d / t), np.nan_to_num(b * c / t)
        p, q = np.nan_to_num((a + d) / t), np.nan_to_num((b + c) / t)
        big_r, big_s = r.sum(axis=0), s.sum(axis=0)
        log_odds = np.log(big_r / big_s)
        variance = (
            (p * r).sum(axis=0) / (2 * big_r**2)
            + (p * s + q * r).sum(axis=0) / (2 * big_r * big_s)
            + (q * s).sum(axis=0) / (2 * big_s**2)
        )
        right = a + c
        expected = np.nan_to_num(n_reference * right / t).sum(axis=0)
        spread = np.nan_to_num(n_reference * n_focal * right * (total - right) / (t**2 * (t - 1))).sum(axis=0)
        apart = np.where(used, a, 0.0).sum(axis=0) - expected
        statistic = np.where(spread > 0, apart**2 / spread, np.nan)
    defined = np.isfinite(log_odds)
    return MantelHaenszel(
        np.where(defined, log_odds, np.nan),
        np.where(defined, np.sqrt(variance), np.nan),
        statistic,
        stats.chi2.sf(statistic, 1),
        used.sum(axis=0),
        np.rint(np.where(used, total, 0.0).sum(axis=0)).astype(np.int64),
    )


def ets_class(found: MantelHaenszel) -> list[str]:
    """Return the class of each item: A negligible, B moderate, C large; empty where undefined.

    Notes
    -----
    The rule of the Educational Testing Service (Zieky 1993): A unless p < .05 and |delta| >= 1; C when |delta| >= 1.5
    and is above 1 by a one-sided test at 5 %; else B.
    """
    size = np.abs(found.delta)
    with np.errstate(invalid="ignore", divide="ignore"):
        above = (size - 1) / (-DELTA * found.std_error) > stats.norm.ppf(0.95)
    small = (found.p_value >= 0.05) | (size < 1)
    classes = np.where(small, "A", np.where((size >= 1.5) & above, "C", "B"))
    return [str(one) if np.isfinite(value) else "" for one, value in zip(classes, size, strict=True)]
