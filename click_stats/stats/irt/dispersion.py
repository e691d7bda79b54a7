"""Answers of one model to one item that resemble each other more than its ability and the difficulty explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.irt import marginal, posterior
from click_stats.stats.irt.fitted import probability

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.marginal import Fit

MOST_ROUNDS, SETTLED = 8, 0.005


def fit_dispersed(responses: Responses, *, slopes: bool = False) -> tuple[Fit, Responses, float]:
    """Fit with cells weighed by 1 / (1 + (n - 1) r), r the correlation of answers within a cell, until r settles.

    Returns
    -------
    tuple
        The fit, the weighed responses, and r; with one trial a cell the responses are as they were and r is 0.

    Notes
    -----
    Williams (1982), method II: a count of n answers with correlation r has the variance np(1 - p)(1 + (n - 1)r) and is
    worth n/(1 + (n - 1)r) independent ones.
    """
    weighed, correlation = responses, 0.0
    fit = marginal.fit(responses, slopes=slopes)
    if responses.trials.max() <= 1:
        return fit, responses, 0.0
    for _ in range(MOST_ROUNDS):
        found = _correlation(fit, responses, weighed)
        if abs(found - correlation) < SETTLED:
            break
        correlation = found
        weighed = responses.weighted(1.0 / (1.0 + np.maximum(responses.trials - 1.0, 0.0) * correlation))
        fit = marginal.fit(weighed, slopes=slopes)
    return fit, weighed, correlation


def _correlation(fit: Fit, responses: Responses, weighed: Responses) -> float:
    """Return the correlation of answers within cells that makes squared residuals as large as they are.

    Squares and their expectation are each summed over cells first, so that no cell with a p near 0 or 1 decides. The
    parameters take their share of the squares: one for each item and level, less by as much as priors hold them.
    """
    middle = posterior.difficulty(fit, responses, 0.5)
    slope = 1.0 if fit.prior.slope_sd == 0 else posterior.discrimination(fit, 0.5).mean
    p = probability(responses.floor, fit.abilities.leaf[:, responses.leaf], middle.mean, slope)
    n = responses.trials
    variance = n * p * (1.0 - p)
    squares = float(((responses.correct - n * p) ** 2).sum())
    cells = int((n > 0).sum())
    used = float((1.0 - np.minimum(middle.sd / fit.prior.sd, 1.0) ** 2).sum()) + _levels_used(fit, weighed)
    extra = float((variance * (n - 1.0)).sum())
    if extra <= 0.0:
        return 0.0
    return float(np.clip((squares / (1.0 - used / cells) - float(variance.sum())) / extra, 0.0, 1.0))


def _levels_used(fit: Fit, weighed: Responses) -> float:
    spread = fit.abilities.spread
    passage = spread.passage**2 * weighed.leaf_passage
    prior: FloatArray = spread.category**2 + passage + (spread.general**2 if weighed.n_categories == 1 else 0.0)
    known = np.broadcast_to(prior > 0, fit.abilities.leaf_var.shape)
    share = np.divide(fit.abilities.leaf_var, prior, out=np.ones_like(fit.abilities.leaf_var), where=known)
    return float((1.0 - np.minimum(share, 1.0)).sum())
