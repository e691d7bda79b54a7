"""The fast engine: difficulties on a grid, abilities normal, each averaged over the other; empirical Bayes priors.

The joint posterior is approximated by a product: any distribution on a grid for the parameters of an item, a normal
distribution for the levels of a model (tree of :mod:`~click_stats.stats.irt.abilities`). Each factor is the best one
given the others (variational Bayes); standard deviations and category means maximise the bound on the marginal
likelihood. With few models and many items, where abilities are nearly known, this is the marginal likelihood with items
integrated out; with many models and few items it is the usual one with abilities integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.irt import maximise
from click_stats.stats.irt.abilities import Abilities, Spread, update
from click_stats.stats.irt.item_grid import Grid, ItemPrior, grid
from click_stats.stats.irt.item_posterior import blocks, posterior

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses

TOLERANCE, MOST_STEPS = 1e-4, 500
STRIDE = 5
"""Steps between extrapolations."""
STEPS_OF_GRID = 12
"""Steps after which the number of nodes stays."""


@dataclass(frozen=True)
class Fit:
    """What the engine found.

    Attributes
    ----------
    abilities
        Posterior of the abilities, centred: the mean over models is 0 on every leaf.
    prior
        Of the items.
    grid
        Nodes, as deviations from the prior mean in prior standard deviations.
    log_posterior
        (I, X, Z) log probability of the nodes for each item.
    bound
        Bound on the log marginal likelihood (binomial coefficients left out).
    steps, converged
        Steps taken, and whether they settled.
    """

    abilities: Abilities
    prior: ItemPrior
    grid: Grid
    log_posterior: FloatArray
    bound: float
    steps: int
    converged: bool


def fit(responses: Responses, *, slopes: bool = False) -> Fit:
    """Fit the hierarchical 1PL, or the 2PL with ``slopes``.

    Returns
    -------
    Fit
        The scale is in logits; ability 0 is the mean of these models, the geometric mean of discriminations is 1.
    """
    parts, most = blocks(responses), float(responses.trials.sum(axis=0).max())
    abilities, prior = _start(responses, slopes=slopes)
    nodes = grid(most, prior, abilities.spread)
    settled, step = False, 0
    recent: list[FloatArray] = []
    brake = maximise.Brake(responses)
    for step in range(1, MOST_STEPS + 1):
        items = posterior(responses, parts, abilities, prior, nodes)
        moved, factor = maximise.levels(responses, abilities, items)
        moved = brake(abilities, moved)
        new_prior = maximise.item_prior(responses, prior, items).scaled(factor)
        moved, new_prior = maximise.identified(moved, new_prior, items)
        change = _change(abilities, moved, prior, new_prior)
        recent.append(maximise.spreads(moved, new_prior))
        abilities, prior = moved, new_prior
        if len(recent) == STRIDE:
            abilities, prior = maximise.leapt(abilities, prior, recent)
            recent.clear()
        if step <= STEPS_OF_GRID:
            nodes = grid(most, prior, abilities.spread)
        elif change < TOLERANCE:
            settled = True
            break
    items = posterior(responses, parts, abilities, prior, nodes)
    return Fit(abilities, prior, nodes, items.log_posterior, items.evidence - abilities.divergence, step, settled)


def _start(responses: Responses, *, slopes: bool) -> tuple[Abilities, ItemPrior]:
    """Return abilities and means of difficulty from smoothed logits of shares right, above the mean floor."""
    n_leaves = responses.leaf_category.size
    floor = float(np.average(responses.floor, weights=responses.trials.sum(axis=0) + 1e-9))
    share = (responses.correct.sum(axis=1) + 1.0) / (responses.trials.sum(axis=1) + 2.0)
    above = np.clip((share - floor) / (1.0 - floor), 0.02, 0.98)
    level = np.log(above / (1.0 - above)) * 1.2
    member = np.eye(responses.n_categories)[responses.category]
    right = (responses.correct.sum(axis=0) @ member + 1.0) / (responses.trials.sum(axis=0) @ member + 2.0)
    above = np.clip((right - floor) / (1.0 - floor), 0.02, 0.98)
    means = -np.log(above / (1.0 - above)) * 1.2
    spread = Spread(
        max(float(level.std()), 0.3),
        0.3 if responses.n_categories > 1 else 0.0,
        0.3 if responses.leaf_passage.any() else 0.0,
    )
    target = np.repeat((level - level.mean())[:, None], n_leaves, axis=1)
    information = _information_at_start(responses)
    abilities = update(target, information, spread, responses.leaf_category, responses.leaf_passage)
    prior = ItemPrior(means, float(means.mean()), 1.0, 1.5, 0.4 if slopes else 0.0)
    return abilities, prior


def _information_at_start(responses: Responses) -> FloatArray:
    member = np.eye(responses.leaf_category.size)[responses.leaf]
    information: FloatArray = 0.1 * responses.trials @ member
    return information


def _change(old: Abilities, new: Abilities, old_prior: ItemPrior, new_prior: ItemPrior) -> float:
    """Return the largest movement of an ability or of a parameter of a prior, in logits."""
    pairs = (
        (old.leaf, new.leaf),
        (old_prior.means, new_prior.means),
        (np.array([old_prior.sd, old_prior.slope_sd]), np.array([new_prior.sd, new_prior.slope_sd])),
        (
            np.array([old.spread.general, old.spread.category, old.spread.passage]),
            np.array([new.spread.general, new.spread.category, new.spread.passage]),
        ),
    )
    return max(float(np.abs(first - second).max()) for first, second in pairs)
