"""What the draws say of the effects: in logits and in average points, under the sampled prior and under others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from click_stats.stats.bayes.conditional import Conditional, conditional, normal_density
from click_stats.stats.bayes.evidence import FAR, BayesFactor, bayes_factor, quantiles
from click_stats.stats.bayes.model import quiet

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.bayes.data import BayesData

K_HAT_MOST = 0.7
"""Pareto shape above which importance weights are not trusted (Vehtari et al. 2024)."""
POINTS_DRAWS = 2000
"""Draws for effects in points: each costs one probability for every model and item."""
GRID = 121


@dataclass(frozen=True)
class Draws:
    """Draws of all chains in a row, S = chains x draws.

    Attributes
    ----------
    chains
        Number of chains.
    level, offset
        (S, M) levels of the models, and the part of them that is their families'.
    sd_model
        (S,) standard deviation of models.
    ease
        (S, I) ease of the items, less its mean over items.
    model_category
        (S, M, C) or None.
    cell
        (S, M, I) deviations in the cells, or None.
    """

    chains: int
    level: FloatArray
    offset: FloatArray
    sd_model: FloatArray
    ease: FloatArray
    model_category: FloatArray | None = None
    cell: FloatArray | None = None

    @classmethod
    def of(cls, idata: Any, data: BayesData) -> Draws:
        """Take the draws out of :class:`arviz.InferenceData`."""
        posterior = idata.posterior

        def flat(name: str) -> FloatArray:
            values = np.asarray(posterior[name], dtype=np.float64)
            joined: FloatArray = values.reshape(-1, *values.shape[2:])
            return joined

        ease = flat("item_ease")
        level = flat("model_level")
        return cls(
            chains=int(posterior.sizes["chain"]),
            level=level,
            offset=flat("family_effect")[:, data.family] if "family_effect" in posterior else np.zeros_like(level),
            sd_model=flat("sd_model"),
            ease=ease - ease.mean(axis=1, keepdims=True),
            model_category=flat("model_category") if "model_category" in posterior else None,
            cell=flat("cell") if "cell" in posterior else None,
        )

    def logits(self, row: int, data: BayesData) -> FloatArray:
        """Return (M, I) logits of one draw."""
        found: FloatArray = self.level[row][:, None] + self.ease[row][None, :]
        if self.model_category is not None:
            found = found + self.model_category[row][:, data.category]
        if self.cell is not None:
            found = found + self.cell[row]
        return found


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
    columns = data.of_models.matrix
    given = conditional(draws.level - draws.offset, draws.sd_model, columns, prior_sd)
    n = len(draws.sd_model)
    rng = np.random.default_rng([seed, 1])
    if prior_sd == sampled_sd:
        rows = np.arange(n, dtype=np.int64)
        weights, k_hat, how = np.full(n, 1.0 / n), np.nan, "own chains"
    else:
        before = conditional(draws.level - draws.offset, draws.sd_model, columns, sampled_sd)
        with quiet():
            import arviz as az  # noqa: PLC0415 -- an extra
        smoothed, shape = az.psislw(given.log_marginal - before.log_marginal)
        weights = np.exp(np.asarray(smoothed) - special.logsumexp(smoothed))
        k_hat, how = float(shape), "reweighted"
        places = (rng.random() + np.arange(n)) / n  # systematic resampling: least noise
        rows = np.minimum(np.searchsorted(np.cumsum(weights), places), n - 1).astype(np.int64)
    return Posterior(prior_sd, how, k_hat, draws, given, weights, given.draw(rng, rows), rows)


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


def in_points(found: Posterior, data: BayesData) -> FloatArray:
    """Return (draws, K) effects as average differences of the probability of a right answer.

    The average is over all models and items at hand. A number: from half a unit below to half a unit above what a model
    has. A level: every model with this level against every model with the base level, all else as it is.
    """
    predictors = data.of_models
    step = max(1, len(found.rows) // POINTS_DRAWS)
    chosen = np.arange(0, len(found.rows), step)
    result = np.empty((len(chosen), len(predictors.names)))
    same = [np.flatnonzero([other == term for other in predictors.terms]) for term in predictors.terms]
    for place, draw in enumerate(chosen):
        logits = found.draws.logits(int(found.rows[draw]), data)
        effects = found.effects[draw]
        for k, numeric in enumerate(predictors.numeric):
            if numeric:
                low, high = logits - effects[k] / 2.0, logits + effects[k] / 2.0
            else:
                low = logits - (predictors.raw[:, same[k]] @ effects[same[k]])[:, None]
                high = low + effects[k]
            result[place, k] = (special.expit(high) - special.expit(low)).mean()
    return result


def interval(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the central interval of draws."""
    low, high = np.quantile(values, quantiles(level))
    return float(low), float(high)
