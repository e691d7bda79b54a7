"""The restricted likelihood: fixed effects integrated out as well, so that variances do not pay for estimating them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.glmm.elimination import Effects
from click_stats.stats.glmm.laplace import Laplace
from click_stats.stats.glmm.maximise import STEP, TOLERANCE, Maximum, prove
from click_stats.stats.glmm.start import Scale, begin

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.laplace import Mode


class Restricted(Laplace):
    """Log-likelihood of the standard deviations alone, by Laplace's method over random and fixed effects together.

    l(sd) = log p(y | beta, u) - u'u / 2 - log|H| / 2 - log|I| / 2 + p log(2 pi) / 2 at the joint mode, with the p fixed
    effects under a flat prior and I the information about them when u is unknown (Stiratelli, Laird and Ware 1984;
    glmmTMB with REML). With 13 models maximum likelihood makes the variance over models too small, by about the share
    of coefficients that differ between models; this does not.
    """

    @property
    def n_fixed(self) -> int:
        """None of the parameters is a fixed effect."""
        return 0

    def begin(self, start: FloatArray | None) -> Scale:
        """Return the scale of the standard deviations; the fixed effects begin where those of the likelihood do."""
        scale = begin(self, start)
        columns = self.design.shape[1]
        self.beta = scale.centre[:columns]
        return Scale(scale.centre[columns:], scale.spread[columns:, columns:])

    def value_and_gradient(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the restricted log-likelihood and its gradient by log sd (``parameters``)."""
        self.n_evaluations += 1
        mode = self._joint(parameters)
        assert mode.profile is not None
        columns = len(mode.beta)
        value = mode.penalised - 0.5 * mode.factor.log_determinant + self.constant
        value += 0.5 * columns * np.log(2.0 * np.pi) - 0.5 * float(np.linalg.slogdet(mode.profile.information)[1])
        inverse = np.asarray(np.linalg.inv(mode.profile.information), dtype=np.float64)
        spread = mode.factor.spread()
        variance = spread.predictor + _quadratic(mode.profile.rest, inverse)
        answers = zip(spread.effects, mode.profile.answers, strict=True)
        variances = Effects(*(own + _quadratic(answer, inverse) for own, answer in answers))
        answer, through = self.adjoint_solve(mode, variance)
        return value, self.by_log_sd(mode, variances, answer, through)

    def complete(self, found: Maximum) -> Maximum:
        """Return the maximum with the fixed effects put in: those of the likelihood at these standard deviations.

        The fixed effects of the joint mode itself would be drawn to 0 where cells have effects of their own. The
        covariance is the inverse of their observed information plus what the uncertainty of the standard deviations
        adds, D C D' with D the derivative of beta by log sd and C the covariance of log sd.
        """
        mode = self._joint(found.parameters)
        assert mode.profile is not None
        columns = len(mode.beta)
        root = np.linalg.cholesky(mode.profile.information)
        scale = Scale(mode.beta, np.asarray(np.linalg.inv(root).T, dtype=np.float64))

        def gradient(beta: FloatArray, log_sd: FloatArray) -> tuple[float, FloatArray]:
            value, slope = super(Restricted, self).value_and_gradient(np.r_[beta, log_sd])
            return value, slope[:columns]

        def downhill(x: FloatArray) -> tuple[float, FloatArray]:
            value, slope = gradient(scale.centre + scale.spread @ x, found.parameters)
            return -value, -(scale.spread.T @ slope)

        fixed = prove(scale, np.zeros(columns), downhill, found.n_iter, TOLERANCE)
        slopes = np.zeros((columns, len(self.random)))
        for k in range(len(self.random)):
            step = np.zeros(len(self.random))
            step[k] = STEP
            up, down = (gradient(fixed.parameters, found.parameters + sign * step)[1] for sign in (1.0, -1.0))
            slopes[:, k] = fixed.covariance @ (up - down) / (2.0 * STEP)
        side = slopes @ found.covariance
        covariance = np.block([[fixed.covariance + side @ slopes.T, side], [side.T, found.covariance]])
        return found._replace(
            parameters=np.r_[fixed.parameters, found.parameters], covariance=covariance, n_iter=fixed.n_iter
        )

    def _joint(self, log_sd: FloatArray) -> Mode:
        mode = self.mode(self.beta, self.deviations(np.exp(log_sd)), joint=True)
        self.beta = mode.beta
        return mode


def _quadratic(rows: FloatArray, inverse: FloatArray) -> FloatArray:
    """Return the diagonal of rows inverse rows'."""
    found: FloatArray = ((rows @ inverse) * rows).sum(axis=1)
    return found
