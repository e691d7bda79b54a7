"""Effect sizes of an F test, and the interval of the population's share of variance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

STEPS = 200


class Effects(NamedTuple):
    """Shares of variance; NaN where undefined. The omegas and epsilon may be negative, which is kept."""

    eta_sq: float
    eta_sq_partial: float
    omega_sq: float
    omega_sq_partial: float
    epsilon_sq: float
    share_low: float
    share_high: float


def effects(
    sum_sq: float, df: int, ss_residual: float, df_residual: int, ss_total: float, n: int, level: float = 0.95
) -> Effects:
    """Return the effect sizes of one term of a linear model.

    Parameters
    ----------
    sum_sq, df
        Of the term.
    ss_residual, df_residual
        Of the whole model.
    ss_total
        About the mean.
    n
        Observations.
    level
        Of the interval ``share_low`` to ``share_high``. Partial eta squared and partial omega squared estimate the same
        share of the population, so there is one interval for both.

    Notes
    -----
    ``eta_sq = SS / SS_total``, ``eta_sq_partial = SS / (SS + SS_res)``,
    ``omega_sq = (SS - df MS_res) / (SS_total + MS_res)``, ``omega_sq_partial = df (F - 1) / (df (F - 1) + n)``,
    ``epsilon_sq = (SS - df MS_res) / SS_total`` (Olejnik and Algina 2003). With types II and III the shares of the
    terms need not add up.
    """
    if df < 1 or df_residual < 1 or not (ss_total > 0 and ss_residual > 0):
        return Effects(*([float("nan")] * 7))
    ms = ss_residual / df_residual
    statistic = sum_sq / df / ms
    excess = df * (statistic - 1)
    low, high = share_interval(statistic, df, df_residual, n, level)
    return Effects(
        sum_sq / ss_total,
        sum_sq / (sum_sq + ss_residual),
        (sum_sq - df * ms) / (ss_total + ms),
        excess / (excess + n) if excess + n > 0 else float("nan"),
        (sum_sq - df * ms) / ss_total,
        low,
        high,
    )


def noncentrality_interval(statistic: float, df: int, df_residual: int, level: float = 0.95) -> tuple[float, float]:
    """Return the noncentralities under which F would be as large, or as small, with probability (1 - level) / 2.

    Source: Steiger (2004). An end is 0 where even a central F is too seldom that small.
    """
    tail = (1 - level) / 2

    def end(target: float) -> float:
        def gap(nc: float) -> float:
            value = (
                stats.f.cdf(statistic, df, df_residual) if nc == 0 else stats.ncf.cdf(statistic, df, df_residual, nc)
            )
            return float(value) - target

        if gap(0.0) <= 0:
            return 0.0
        high = max(1.0, df * statistic)
        for _ in range(STEPS):
            if gap(high) < 0:
                return float(optimize.brentq(gap, 0.0, high, xtol=1e-10, rtol=1e-12))
            high *= 2
        return float("nan")

    return end(1 - tail), end(tail)


def share_interval(statistic: float, df: int, df_residual: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Return the interval of the population's partial share of variance: ``nc / (nc + n)`` at both ends.

    Source: Steiger (2004); the noncentrality of a design with ``n`` observations is ``n`` times the signal-to-noise
    ratio of the term.
    """
    if not np.isfinite(statistic):
        return float("nan"), float("nan")
    low, high = noncentrality_interval(statistic, df, df_residual, level)
    return low / (low + n), high / (high + n)
