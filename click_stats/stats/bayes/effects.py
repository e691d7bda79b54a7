"""What the draws say of the effects in logits, under the sampled prior and under others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special, stats

from click_stats.stats.bayes.conditional import Conditional, conditional, normal_density
from click_stats.stats.bayes.evidence import FAR, BayesFactor, bayes_factor, quantiles
from click_stats.stats.bayes.model import quiet

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.bayes.data import BayesData
    from click_stats.stats.bayes.draws import Draws

K_HAT_MOST = 0.7
"""Pareto shape above which importance weights are not trusted (Vehtari et al. 2024)."""
GRID = 121


@dataclass(frozen=True)
class Posterior:
    """The posterior under one prior.

    Attributes
    ----------
    prior_sd
        Standard deviation of the prior of each effect.
    how
        ``own chains`` or ``reweighted``.
    k_hat
        Pareto shape of the weights; NaN when sampled.
    draws
        What was sampled.
    given
        Distribution of the effects given each draw.
    weights
        (S,) weights that add up to 1.
    effects
        (S, K) equally weighted draws of the effects in logits; ``rows`` are the draws that they belong to.
    rows
        (S,) positions in ``draws``.
    """

    prior_sd: float
    how: str
    k_hat: float
    draws: Draws
    given: Conditional
    weights: FloatArray
    effects: FloatArray
    rows: IntArray

    @property
    def efficiency(self) -> float:
        """Share of the draws that the weights leave (Kish)."""
        return float(1.0 / (len(self.weights) * (self.weights**2).sum()))


def posterior(draws: Draws, data: BayesData, prior_sd: float, sampled_sd: float, seed: int) -> Posterior:
    """Return the posterior under ``prior_sd`` from draws under ``sampled_sd``.

    The priors differ in the effects only, and these are integrated out of the weights, which then depend on the models'
    levels and their spread alone. Weights are smoothed by PSIS; ``k_hat`` above .7 means that they may not be used.
    """
    given = _given(draws, data, prior_sd)
    n = len(draws.sd_model)
    rng = np.random.default_rng([seed, 1])
    if prior_sd == sampled_sd:
        rows = np.arange(n, dtype=np.int64)
        weights, k_hat, how = np.full(n, 1.0 / n), np.nan, "own chains"
    else:
        before = _given(draws, data, sampled_sd)
        with quiet():
            import arviz as az  # noqa: PLC0415 -- an extra
        smoothed, shape = az.psislw(given.log_marginal - before.log_marginal)
        weights = np.exp(np.asarray(smoothed) - special.logsumexp(smoothed))
        k_hat, how = float(shape), "reweighted"
        places = (rng.random() + np.arange(n)) / n  # systematic resampling: least noise
        rows = np.minimum(np.searchsorted(np.cumsum(weights), places), n - 1).astype(np.int64)
    return Posterior(prior_sd, how, k_hat, draws, given, weights, given.draw(rng, rows), rows)


def _given(draws: Draws, data: BayesData, prior_sd: float) -> Conditional:
    """Return the distribution of all effects given each draw, under this prior."""
    found = conditional(draws.level - draws.offset, draws.sd_model, data.of_models.matrix, prior_sd)
    if not data.groups.names or draws.group is None or draws.sd_group is None:
        return found
    n = draws.group.shape[1] * draws.group.shape[2]
    columns = data.groups.matrix.reshape(n, -1)
    return found.joined(conditional(draws.group.reshape(-1, n), draws.sd_group, columns, prior_sd, level_sd=None))


def savage_dickey(found: Posterior, effect: int) -> BayesFactor:
    """Return the Bayes factor of no effect under the prior of ``found``, with its Monte Carlo error."""
    weights = found.weights * len(found.weights)
    mean = float((found.weights * found.given.mean[:, effect]).sum())
    spread = np.sqrt(
        (found.weights * (found.given.sd[:, effect] ** 2 + (found.given.mean[:, effect] - mean) ** 2)).sum()
    )
    spread = float(spread)
    distance = abs(mean) / spread
    far = mean - np.sign(mean) * FAR * spread
    density = found.given.density(np.array([0.0, far]), effect)
    at_zero, at_far = (density * found.weights[:, None]).sum(axis=0)
    bound = float(at_far)
    if distance > FAR:
        # Beyond the mode the density falls: at 0 it is below its value at the far point, and below its mean on the way.
        own_mean, own_sd = found.given.mean[:, effect, None], found.given.sd[:, effect, None]
        ends = stats.norm.cdf((np.array([[0.0, far]]) - own_mean) / own_sd)
        between = abs(float((found.weights * (ends[:, 1] - ends[:, 0])).sum()))
        bound = min(bound, between / abs(far))
    residual = (weights * (density[:, 0] - at_zero)).reshape(found.draws.chains, -1)
    error, effective = _mean_error(residual)
    own = found.given.mean[:, effect].reshape(found.draws.chains, -1)
    effective = min(effective, _mean_error(own)[1]) * (found.efficiency if found.how == "reweighted" else 1.0)
    return bayes_factor(
        float(at_zero), error, normal_density(0.0, found.prior_sd), distance=distance, bound=bound,
        effective=effective,
    )  # fmt: skip


def _mean_error(values: FloatArray) -> tuple[float, float]:
    """Return the Monte Carlo error of the mean of (chains, draws) values, and their effective number, at most all."""
    with quiet():
        import arviz as az  # noqa: PLC0415 -- an extra
    effective = min(float(az.ess(values, method="mean")), float(values.size))
    return float(values.std(ddof=1) / np.sqrt(effective)), effective


def curve(found: Posterior, effect: int, points: FloatArray) -> FloatArray:
    """Return the posterior density of an effect at these points (logits)."""
    total = np.zeros(len(points))
    for start in range(0, len(found.weights), 1000):
        part = slice(start, start + 1000)
        density = np.exp(
            -0.5 * ((points - found.given.mean[part, effect, None]) / found.given.sd[part, effect, None]) ** 2
        ) / (found.given.sd[part, effect, None] * np.sqrt(2.0 * np.pi))
        total += (found.weights[part, None] * density).sum(axis=0)
    return total


def interval(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the central interval of draws."""
    low, high = np.quantile(values, quantiles(level))
    return float(low), float(high)
