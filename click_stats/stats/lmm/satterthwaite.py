"""Satterthwaite's degrees of freedom of contrasts of the fixed effects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.lmm.adjusted import FTest

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.fit import LmmFit


def satterthwaite_df(fit: LmmFit, contrasts: FloatArray) -> FloatArray:
    """Return the degrees of freedom of each of (q, columns) contrasts: 2 v^2 / var(v), v = l'(X'V^-1 X)^-1 l.

    var(v) = g'A g with g the derivatives of v by the variances and A their covariance from the observed information
    (Giesbrecht and Burns 1985; lmerTest, Kuznetsova, Brockhoff and Christensen 2017). A variance of 0 counts as known.
    """
    found = fit.solved
    residual = float(found.variances[-1])
    # (X'H^-1 X)^-1 l in the coordinates of Q of X = QR, in which the engine knows Z'H^-1 Q.
    weights = np.linalg.solve(found.triangle.T, contrasts.T).T @ found.evaluation.inverse
    slopes = [((weights @ seen.T) ** 2).sum(axis=1) for seen in found.evaluation.fixed]
    variance = np.einsum("ij,jk,ik->i", contrasts, found.vcov, contrasts)
    # By the residual variance: v is of degree 1 in all variances together (Euler).
    rest = (variance - sum(s * v for s, v in zip(slopes, found.variances[:-1], strict=True))) / residual
    gradient = np.column_stack([*slopes, rest])
    free = np.isfinite(np.diag(found.covariance))
    gradient = gradient[:, free]
    spread = np.einsum("ij,jk,ik->i", gradient, found.covariance[np.ix_(free, free)], gradient)
    return np.asarray(2.0 * variance**2 / spread, dtype=np.float64)


def satterthwaite_test(fit: LmmFit, contrasts: FloatArray) -> FTest:
    """Test contrasts beta = 0 with (q, columns) independent contrasts: F on q and the combined degrees of freedom.

    The contrasts are turned so that their estimates are uncorrelated; with E = sum of df / (df - 2) over them the
    denominator has 2 E / (E - q) (Fai and Cornelius 1996), 2 where one of them has no more than 2.
    """
    q = len(contrasts)
    values, vectors = np.linalg.eigh(contrasts @ fit.vcov @ contrasts.T)
    turned = vectors.T @ contrasts
    statistic = float(((turned @ fit.beta) ** 2 / values).sum()) / q
    df = satterthwaite_df(fit, turned)
    if np.ptp(df) < 1e-8 * df.max():
        return FTest(statistic, q, float(df.mean()), 1.0)
    if (df <= 2).any():
        return FTest(statistic, q, 2.0, 1.0)
    mean = float((df / (df - 2)).sum())
    return FTest(statistic, q, 2.0 * mean / (mean - q), 1.0)
