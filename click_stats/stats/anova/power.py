"""Power of both tests for stated effects; never for the observed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import optimize, stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.stats.anova.strata import Strata

WIDEST = 2.0
"""Largest effect looked for: 200 points."""


class Effect(NamedTuple):
    """A pattern of one point of accuracy between models: what "an effect of 1" means for a term.

    ``signal``: sum of squares over the cells of an effect of 1, after the other terms. ``note``: in words.
    """

    signal: float
    note: str


def pattern(strata: Strata, term: str) -> Effect:
    """Return what an effect of 1 is for a term: a slope of 1 per tenfold parameters, or one level that differs by 1.

    Of the levels of a factor the one is taken that is hardest to find.
    """
    n = len(strata.y)
    others = np.hstack([np.ones((n, 1)), *(one.columns for one in strata.cells.terms if one.name != term)])
    q = np.linalg.qr(others)[0]
    tested = next(one for one in strata.between if one.name == term)
    if term == "log10_params":
        left = tested.columns[:, 0] - q @ (q.T @ tested.columns[:, 0])
        return Effect(float(left @ left), "")
    signals = []
    for pattern_ in np.unique(tested.columns, axis=0):
        one = (tested.columns == pattern_).all(axis=1).astype(float)
        left = one - q @ (q.T @ one)
        signals.append(float(left @ left))
    return Effect(min(signals), "one level differs by this from the others: the level that is hardest to find")


def power_of(effect: float, signal: float, variance: float, df: int, df_error: int, alpha: float = 0.05) -> float:
    """Return the power of the F test (Cohen 1988, ch. 8): noncentrality ``effect² signal / variance``.

    Parameters
    ----------
    effect
        True effect, as a share of 1.
    signal, variance
        Sum of squares of an effect of 1; expected mean square of the error against which it is tested.
    """
    if df_error < 1 or not variance > 0 or not np.isfinite(signal):
        return float("nan")
    critical = stats.f.ppf(1 - alpha, df, df_error)
    noncentrality = effect**2 * signal / variance
    if noncentrality == 0:
        return alpha
    found = float(stats.ncf.sf(critical, df, df_error, noncentrality))
    return found if np.isfinite(found) else 1.0


def detectable(
    signal: float, variance: float, df: int, df_error: int, power: float = 0.8, alpha: float = 0.05
) -> float:
    """Return the effect found with a stated power; NaN above 200 points or where undefined."""

    def gap(effect: float) -> float:
        return power_of(effect, signal, variance, df, df_error, alpha) - power

    if not gap(WIDEST) > 0:
        return float("nan")
    return float(optimize.brentq(gap, 0.0, WIDEST, xtol=1e-9))


def curve(
    effects: Sequence[float], signal: float, variance: float, df: int, df_error: int, alpha: float = 0.05
) -> list[float]:
    """Return the power at each of several effects."""
    return [power_of(one, signal, variance, df, df_error, alpha) for one in effects]
