"""Response, fixed and random effects put in the form in which the likelihood is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import linalg

from click_stats.errors import DataError
from click_stats.stats.lmm import structure
from click_stats.stats.lmm.maximise import minimise
from click_stats.stats.lmm.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import Grouping
    from click_stats.stats.lmm.profile import Evaluation


class Solved(NamedTuple):
    """A fitted linear mixed model.

    Attributes
    ----------
    response, matrix
        (rows,) y and (rows, fixed) X.
    groups
        Random effects.
    ratios
        (terms,) variances over the residual variance.
    variances, covariance
        (terms + 1,) variances, the residual one last, and their asymptotic covariance from the observed information;
        NaN for a variance of 0.
    beta, vcov
        (fixed,) generalised least squares estimates and their covariance at the estimated variances.
    deviance
        -2 log-likelihood.
    restricted
        By REML.
    evaluation
        The likelihood's parts at the minimum, with X in the form X R^-1 of its QR factor.
    triangle, scale
        R, and what y - X beta was divided by.
    n_evaluations
        How often the likelihood was evaluated.
    """

    response: FloatArray
    matrix: FloatArray
    groups: dict[str, Grouping]
    ratios: FloatArray
    variances: FloatArray
    covariance: FloatArray
    beta: FloatArray
    vcov: FloatArray
    deviance: float
    restricted: bool
    evaluation: Evaluation
    triangle: FloatArray
    scale: float
    n_evaluations: int


def solve(response: FloatArray, matrix: FloatArray, groups: Mapping[str, Grouping], *, restricted: bool) -> Solved:
    """Fit y = X beta + sum_k Z_k b_k + e by REML or maximum likelihood.

    Raises
    ------
    ConvergenceError
        No minimum was found.
    DataError
        No degree of freedom is left, or the fixed effects explain every value.
    """
    rows, columns = matrix.shape
    if rows <= columns:
        raise DataError(
            f"{rows} values cannot give {columns} fixed effects and a variance.", do="Use fewer fixed effects."
        )
    basis, triangle = np.linalg.qr(matrix)
    first = basis.T @ response
    rest = response - basis @ first
    scale = float(np.sqrt(rest @ rest / (rows - columns)))
    if scale <= 1e-12 * float(np.abs(response).max()):
        raise DataError(
            "The values do not vary beyond the fixed effects: there is no variance to split.",
            found=f"{rows} values",
            do="Use a response that varies within the fixed effects.",
        )
    products = structure.build([group.codes for group in groups.values()], np.column_stack([basis, rest / scale]))
    profile = Profile(products, restricted)
    found = minimise(profile, list(groups))
    at = profile(found.ratios)
    residual = at.residual * scale**2
    beta = linalg.solve_triangular(triangle, first + at.beta * scale)
    root = linalg.solve_triangular(triangle, np.linalg.cholesky(at.inverse))
    deviance = at.deviance + profile.df * np.log(scale**2)
    if restricted:
        deviance += 2.0 * float(np.log(np.abs(np.diag(triangle))).sum())
    variances = np.r_[found.ratios, 1.0] * residual
    covariance = _covariance(at, found.ratios, found.curvature, profile.df) * scale**4
    return Solved(
        response=response,
        matrix=matrix,
        groups=dict(groups),
        ratios=found.ratios,
        variances=variances,
        covariance=covariance,
        beta=beta,
        vcov=residual * (root @ root.T),
        deviance=float(deviance),
        restricted=restricted,
        evaluation=at,
        triangle=triangle,
        scale=scale,
        n_evaluations=found.n_evaluations,
    )


def _covariance(at: Evaluation, ratios: FloatArray, curvature: FloatArray, df: int) -> FloatArray:
    """Return the covariance of the variances, the residual one last, from the Hessian of the deviance.

    The deviance is profiled over the residual variance s, which follows the ratios with the slope
    -|Z_k'H^-1 (y - X beta)|^2 / df and has, the ratios given, the variance 2 s^2 / df of its own. The ratios have
    twice the inverse of the profiled curvature. The variances are ratio times s (delta method, exact in the
    second derivatives because the gradient is 0).
    """
    count, residual = len(ratios), at.residual
    free = np.flatnonzero(ratios > 0)
    spread = ratios[free][:, None] * (2.0 * np.linalg.inv(curvature)) * ratios[free] if len(free) else np.zeros((0, 0))
    pull = np.array([-float(at.response[k] @ at.response[k]) for k in free]) / df
    # variance_k = ratio_k s: derivatives by the ratios, s following, and by what is left free in s.
    slope = np.zeros((len(free) + 1, len(free)))
    slope[: len(free)] = np.diag(np.full(len(free), residual)) + np.outer(ratios[free], pull)
    slope[len(free)] = pull
    own = np.r_[ratios[free], 1.0] * np.sqrt(2.0 * residual**2 / df)
    inner = slope @ spread @ slope.T + np.outer(own, own)
    whole = np.full((count + 1, count + 1), np.nan)
    places = np.r_[free, count]
    whole[np.ix_(places, places)] = inner
    return whole
