"""The effects of models given everything else are normal: their exact density at a point, and under another prior.

With the levels t of M models, their standard deviation s and X the columns of the predictors (with a column of ones),
t = X b + e, e ~ N(0, s²), b ~ N(0, D): given t and s the effects b are normal with precision X'X/s² + D^-1. The average
of these normal densities over the draws of (t, s) is the posterior density of b (Gelfand and Smith 1990, section 2.3):
smooth, without a bandwidth, and a mean of draws, so that its Monte Carlo error is that of a mean. The same holds for
interactions, with the deviations of the models in groups of items in place of the levels.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from click_stats.stats.bayes.model import LEVEL_SD

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


@dataclass(frozen=True)
class Conditional:
    """Normal distributions of the effects, one for each draw.

    Attributes
    ----------
    mean, sd
        (S, K) of each effect by itself.
    centre
        (S, 1 + K) joint means, the level first; (S, K) without a level.
    root
        (S, 1 + K, 1 + K) R with R R' the joint covariance.
    more
        That of further effects, independent of these given a draw.
    log_marginal
        (S,) log density of the models' levels with the effects integrated out, but for what the prior of the effects
        does not change.
    """

    mean: FloatArray
    sd: FloatArray
    centre: FloatArray
    root: FloatArray
    log_marginal: FloatArray
    more: Conditional | None = None

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> FloatArray:
        """Return (rows, K) effects, one set for each of these draws."""
        noise = rng.standard_normal((len(rows), self.centre.shape[1]))
        found: FloatArray = self.centre[rows] + np.einsum("skl,sl->sk", self.root[rows], noise)
        own = self.mean.shape[1] - (0 if self.more is None else self.more.mean.shape[1])
        found = found[:, found.shape[1] - own :]  # without the level
        return found if self.more is None else np.concatenate([found, self.more.draw(rng, rows)], axis=1)

    def joined(self, other: Conditional) -> Conditional:
        """Return the distribution of these effects and of ``other``, independent given a draw."""
        return replace(
            self,
            mean=np.concatenate([self.mean, other.mean], axis=1),
            sd=np.concatenate([self.sd, other.sd], axis=1),
            log_marginal=self.log_marginal + other.log_marginal,
            more=other,
        )

    def density(self, at: float | FloatArray, effect: int) -> FloatArray:
        """Return (S, points) densities of one effect in logits."""
        points = np.atleast_1d(np.asarray(at, dtype=np.float64))
        mean, sd = self.mean[:, effect, None], self.sd[:, effect, None]
        found: FloatArray = np.exp(-0.5 * ((points - mean) / sd) ** 2) / (sd * np.sqrt(2.0 * np.pi))
        return found


def conditional(
    levels: FloatArray, sd: FloatArray, columns: FloatArray, prior_sd: float, *, level_sd: float | None = LEVEL_SD
) -> Conditional:
    """Return the distribution of the effects given each draw.

    Parameters
    ----------
    levels
        (S, M) levels of the models in logits, less the effects of their families; or (S, M G) deviations.
    sd
        (S,) their standard deviation.
    columns
        (M, K) predictors, or (M G, K).
    prior_sd
        Standard deviation of the normal prior of each effect.
    level_sd
        That of the mean level; None where there is no mean level (deviations).
    """
    first = 0 if level_sd is None else 1
    design = np.column_stack([np.ones((columns.shape[0], first)), columns])
    variance = np.full(design.shape[1], prior_sd**2)
    if level_sd is not None:
        variance[0] = level_sd**2
    precision = design.T @ design / sd[:, None, None] ** 2 + np.diag(1.0 / variance)
    pull = levels @ design / sd[:, None] ** 2
    factor = np.linalg.cholesky(precision)
    half = np.linalg.solve(factor, pull[:, :, None])[:, :, 0]
    root = np.swapaxes(np.linalg.inv(factor), 1, 2)
    centre = np.einsum("skl,sl->sk", root, half)
    log_det = 2.0 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
    log_marginal = 0.5 * (half**2).sum(axis=1) - 0.5 * log_det - 0.5 * np.log(variance).sum()
    spread = np.sqrt((root**2).sum(axis=2))
    return Conditional(centre[:, first:], spread[:, first:], centre, root, log_marginal)


def normal_density(at: float, sd: float) -> float:
    """Return the density of N(0, sd²)."""
    return float(stats.norm.pdf(at, 0.0, sd))
