"""Parameters of items from their distributions on the grid: means, errors, intervals, ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import logsumexp

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.marginal import Fit

FINER = 8
"""Points per node at which a density is interpolated to read off quantiles."""
ITEMS_AT_ONCE = 500


class Parameter(NamedTuple):
    """Posterior of one parameter of every item, (I,): mean, standard deviation, ends of the central interval."""

    mean: FloatArray
    sd: FloatArray
    low: FloatArray
    high: FloatArray


def difficulty(fit: Fit, responses: Responses, level: float) -> Parameter:
    """Return the posterior of the difficulties, in logits."""
    found = _parameter(fit.grid.x, logsumexp(fit.log_posterior, axis=2), level)
    center, scale = fit.prior.means[responses.category], fit.prior.sd
    return Parameter(
        center + scale * found.mean, scale * found.sd, center + scale * found.low, center + scale * found.high
    )


def discrimination(fit: Fit, level: float) -> Parameter:
    """Return the posterior of the discriminations: the mean, and the interval of the logarithm carried over."""
    log_z = logsumexp(fit.log_posterior, axis=1)
    found = _parameter(fit.grid.z, log_z, level)
    slopes, weight = np.exp(fit.prior.slope_sd * fit.grid.z), np.exp(log_z)
    mean = weight @ slopes
    sd = np.sqrt(np.maximum(weight @ slopes**2 - mean**2, 0.0))
    return Parameter(mean, sd, np.exp(fit.prior.slope_sd * found.low), np.exp(fit.prior.slope_sd * found.high))


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


def draw(fit: Fit, responses: Responses, number: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Return draws of difficulties and discriminations, both (number, I), smooth between the nodes."""
    n_items, n_x, n_z = fit.log_posterior.shape
    cumulative = np.cumsum(np.exp(fit.log_posterior.reshape(n_items, -1)), axis=1)
    chosen = np.empty((number, n_items), dtype=np.int64)
    for item in range(n_items):
        chosen[:, item] = np.searchsorted(cumulative[item], rng.random(number) * cumulative[item, -1])
    place_x, place_z = np.divmod(chosen.clip(0, n_x * n_z - 1), n_z)
    x = fit.grid.x[place_x] + (rng.random(place_x.shape) - 0.5) * (fit.grid.x[1] - fit.grid.x[0])
    z = fit.grid.z[place_z]
    if n_z > 1:
        z = z + (rng.random(place_z.shape) - 0.5) * (fit.grid.z[1] - fit.grid.z[0])
    return fit.prior.means[responses.category] + fit.prior.sd * x, np.exp(fit.prior.slope_sd * z)


class Ranks(NamedTuple):
    """Rank of each item, 1 the hardest, and the central interval of its rank; NaN where not ranked."""

    rank: FloatArray
    low: FloatArray
    high: FloatArray


def ranks(center: FloatArray, drawn: FloatArray, ranked: np.ndarray, level: float) -> Ranks:
    """Return ranks by ``center`` (I,) among the ``ranked`` items, and their intervals over ``drawn`` (D, I)."""
    out = Ranks(*(np.full(center.size, np.nan) for _ in range(3)))
    places = np.flatnonzero(ranked)
    if places.size == 0:
        return out
    out.rank[places] = _place(center[places][None])[0]
    each = _place(drawn[:, places])
    tail = 0.5 * (1.0 - level)
    out.low[places] = np.quantile(each, tail, axis=0, method="inverted_cdf")
    out.high[places] = np.quantile(each, 1.0 - tail, axis=0, method="inverted_cdf")
    return out


def _place(values: FloatArray) -> FloatArray:
    order = np.argsort(-values, axis=1, kind="stable")
    place = np.empty(values.shape)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(1.0, values.shape[1] + 1), values.shape), axis=1)
    return place
