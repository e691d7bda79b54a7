"""The fit of the fast engine, described: means, errors, intervals and draws from the distributions on the grid."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats
from scipy.interpolate import CubicSpline
from scipy.special import logsumexp

from click_stats.stats.irt.fitted import Draws, Fitted, Parameter, probability

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.marginal import Fit

FINER = 8
"""Points per node at which a density is interpolated to read off quantiles."""
ITEMS_AT_ONCE = 500
MARGINAL = "posterior quantiles"
DRAWS, MOST_DRAWN = 1000, 40_000_000
"""Draws of items and abilities, fewer when there are more than this many numbers in them."""
FEWEST_DRAWS = 100


def describe(fit: Fit, responses: Responses, level: float, seed: int) -> Fitted:
    """Return what is stated of the fit of the fast engine, with central intervals of probability ``level``."""
    z = float(stats.norm.ppf(0.5 + 0.5 * level))
    abilities = fit.abilities
    several = responses.n_categories > 1
    difficulty_ = difficulty(fit, responses, level)
    slope = discrimination(fit, level) if fit.prior.slope_sd > 0 else None
    spread = {"difficulty within categories": fit.prior.sd, "ability": abilities.spread.general}
    if several:
        spread |= {"difficulty between categories": fit.prior.between, "ability by category": abilities.spread.category}
    if responses.leaf_passage.any():
        spread["ability by passage"] = abilities.spread.passage
    if slope is not None:
        spread["log discrimination"] = fit.prior.slope_sd
    return Fitted(
        MARGINAL,
        difficulty_,
        slope,
        Parameter.normal(abilities.general, np.sqrt(abilities.general_var), z),
        Parameter.normal(abilities.category, np.sqrt(abilities.category_var), z) if several else None,
        draw(fit, responses, seed),
        probability(
            responses.floor, abilities.leaf[:, responses.leaf], difficulty_.mean, 1.0 if slope is None else slope.mean
        ),
        spread,
        ("",) * responses.floor.size,
    )


def difficulty(fit: Fit, responses: Responses, level: float) -> Parameter:
    """Return the posterior of the difficulties, (I,) in logits."""
    found = _parameter(fit.grid.x, logsumexp(fit.log_posterior, axis=2), level)
    center, scale = fit.prior.means[responses.category], fit.prior.sd
    return Parameter(
        center + scale * found.mean, scale * found.sd, center + scale * found.low, center + scale * found.high
    )


def discrimination(fit: Fit, level: float) -> Parameter:
    """Return the posterior of the discriminations, (I,): the mean, and the interval of the logarithm carried over."""
    log_z = logsumexp(fit.log_posterior, axis=1)
    found = _parameter(fit.grid.z, log_z, level)
    slopes, weight = np.exp(fit.prior.slope_sd * fit.grid.z), np.exp(log_z)
    mean = weight @ slopes
    sd = np.sqrt(np.maximum(weight @ slopes**2 - mean**2, 0.0))
    return Parameter(mean, sd, np.exp(fit.prior.slope_sd * found.low), np.exp(fit.prior.slope_sd * found.high))


class Mode(NamedTuple):
    """Difficulties at the mode of their posterior, and errors from the curvature there, (I,)."""

    difficulty: FloatArray
    std_error: FloatArray


def modes(fit: Fit, responses: Responses) -> Mode:
    """Return the maximum a posteriori of each difficulty: what MAP +- 1.96 SE would say, for comparison."""
    curve = CubicSpline(fit.grid.x, logsumexp(fit.log_posterior, axis=2), axis=1)
    fine = np.linspace(fit.grid.x[0], fit.grid.x[-1], (fit.grid.x.size - 1) * FINER + 1)
    place = fine[curve(fine).argmax(axis=1)]
    row = np.arange(place.size)
    bend = -curve(place, 2)[row, row]
    return Mode(
        fit.prior.means[responses.category] + fit.prior.sd * place, fit.prior.sd / np.sqrt(np.maximum(bend, 1e-6))
    )


def _parameter(nodes: FloatArray, log_weight: FloatArray, level: float) -> Parameter:
    """Return the summary of distributions on equally spaced nodes, (I, X) log probabilities."""
    weight = np.exp(log_weight)
    mean = weight @ nodes
    sd = np.sqrt(np.maximum(weight @ nodes**2 - mean**2, 0.0))
    fine = np.linspace(nodes[0], nodes[-1], (nodes.size - 1) * FINER + 1)
    ends = np.empty((log_weight.shape[0], 2))
    for start in range(0, log_weight.shape[0], ITEMS_AT_ONCE):
        part = slice(start, start + ITEMS_AT_ONCE)
        density = np.exp(CubicSpline(nodes, log_weight[part], axis=1)(fine))
        inside = 0.5 * (density[:, 1:] + density[:, :-1])
        below = np.concatenate([np.zeros((density.shape[0], 1)), np.cumsum(inside, axis=1)], axis=1)
        below /= below[:, -1:]
        for k, share in enumerate((0.5 * (1.0 - level), 0.5 * (1.0 + level))):
            place = (below < share).sum(axis=1).clip(1, fine.size - 1)
            row = np.arange(place.size)
            left, right = below[row, place - 1], below[row, place]
            ends[part, k] = fine[place - 1] + (share - left) / (right - left) * (fine[1] - fine[0])
    return Parameter(mean, sd, ends[:, 0], ends[:, 1])


def draw(fit: Fit, responses: Responses, seed: int) -> Draws:
    """Return draws of items and abilities, smooth between the nodes of the grid."""
    rng = np.random.default_rng(seed)
    n_items, n_x, n_z = fit.log_posterior.shape
    abilities = fit.abilities
    number = int(np.clip(MOST_DRAWN // (n_items + abilities.leaf.size), FEWEST_DRAWS, DRAWS))
    cumulative = np.cumsum(np.exp(fit.log_posterior.reshape(n_items, -1)), axis=1)
    chosen = np.empty((number, n_items), dtype=np.int64)
    for item in range(n_items):
        chosen[:, item] = np.searchsorted(cumulative[item], rng.random(number) * cumulative[item, -1])
    place_x, place_z = np.divmod(chosen.clip(0, n_x * n_z - 1), n_z)
    x = fit.grid.x[place_x] + (rng.random(place_x.shape) - 0.5) * (fit.grid.x[1] - fit.grid.x[0])
    z = fit.grid.z[place_z]
    if n_z > 1:
        z = z + (rng.random(place_z.shape) - 0.5) * (fit.grid.z[1] - fit.grid.z[0])
    category, leaf = (
        mean + np.sqrt(variance) * rng.standard_normal((number, *mean.shape))
        for mean, variance in (
            (abilities.category, abilities.category_var), (abilities.leaf, abilities.leaf_var),
        )
    )  # fmt: skip
    difficulties = fit.prior.means[responses.category] + fit.prior.sd * x
    return Draws(difficulties, np.exp(fit.prior.slope_sd * z), leaf, category)
