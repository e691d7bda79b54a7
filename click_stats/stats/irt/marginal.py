"""The fast engine: difficulties on a grid, abilities normal, each averaged over the other; empirical Bayes priors.

The joint posterior is approximated by a product: any distribution on a grid for the parameters of an item, a normal
distribution for the levels of a model (tree of :mod:`~click_stats.stats.irt.abilities`). Each factor is the best one
given the others (variational Bayes); standard deviations and category means maximise the bound on the marginal
likelihood. With few models and many items, where abilities are nearly known, this is the marginal likelihood with items
integrated out; with many models and few items it is the usual one with abilities integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, log_expit, logsumexp

from click_stats.stats.irt.abilities import Abilities, Spread, update

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.irt.data import Responses

REACH_B, REACH_A = 6.0, 4.0
"""Prior standard deviations that the grids of difficulty and of log discrimination span on either side."""
SPACING = 1.2
"""Distance of nodes in units of the narrowest posterior: a sum over nodes is then exact to 1e-5."""
LEAST_NODES = 31
ABILITY_NODES = {False: 5, True: 3}
"""Gauss-Hermite nodes over an ability, whose posterior is narrow: 1PL, 2PL."""
PRIOR_WEIGHT, PRIOR_SD = 1.0, 1.0
"""Every variance starts from one more observation of this standard deviation, so that few items leave none at 0."""
TOLERANCE, MOST_STEPS = 1e-4, 500
STEPS_OF_GRID = 12
"""Steps after which the number of nodes stays."""


@dataclass(frozen=True)
class ItemPrior:
    """Difficulty ~ N(mean of the category, sd²), log discrimination ~ N(0, slope_sd²).

    Attributes
    ----------
    means
        (C,) means of the categories.
    grand, between
        Mean and standard deviation of these means.
    sd
        Standard deviation of difficulties within a category.
    slope_sd
        Standard deviation of log discriminations; 0 in the 1PL.
    """

    means: FloatArray
    grand: float
    between: float
    sd: float
    slope_sd: float


class Grid(NamedTuple):
    """Standardised nodes: x of difficulty, z of log discrimination, with log prior weights (X, Z)."""

    x: FloatArray
    z: FloatArray
    log_prior: FloatArray


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


class _Block(NamedTuple):
    """Items with the same leaf and floor."""

    items: IntArray
    leaf: int
    category: int
    floor: float


def fit(responses: Responses, *, slopes: bool = False) -> Fit:
    """Fit the hierarchical 1PL, or the 2PL with ``slopes``.

    Returns
    -------
    Fit
        The scale is in logits; ability 0 is the mean of these models, the geometric mean of discriminations is 1.
    """
    blocks = list(_blocks(responses))
    abilities, prior = _start(responses, slopes=slopes)
    grid = _grid(responses, prior, abilities)
    settled, step = False, 0
    for step in range(1, MOST_STEPS + 1):
        items = _items(responses, blocks, abilities, prior, grid)
        moved = _abilities(responses, abilities, items)
        new_prior = _prior(responses, prior, items)
        moved, new_prior = _identified(moved, new_prior, items)
        change = _change(abilities, moved, prior, new_prior)
        abilities, prior = moved, new_prior
        if step <= STEPS_OF_GRID:
            grid = _grid(responses, prior, abilities)
        elif change < TOLERANCE:
            settled = True
            break
    items = _items(responses, blocks, abilities, prior, grid)
    return Fit(abilities, prior, grid, items.log_posterior, items.evidence - abilities.divergence, step, settled)


def _blocks(responses: Responses) -> Iterator[_Block]:
    keys = np.column_stack([responses.leaf, responses.floor])
    for leaf, floor in np.unique(keys, axis=0):
        items = np.flatnonzero((responses.leaf == leaf) & (responses.floor == floor))
        yield _Block(items, int(leaf), int(responses.leaf_category[int(leaf)]), float(floor))


def _start(responses: Responses, *, slopes: bool) -> tuple[Abilities, ItemPrior]:
    """Return abilities and means of difficulty from smoothed logits of shares right, above the mean floor."""
    n_leaves = responses.leaf_category.size
    floor = float(np.average(responses.floor, weights=responses.trials.sum(axis=0) + 1e-9))
    share = (responses.correct.sum(axis=1) + 1.0) / (responses.trials.sum(axis=1) + 2.0)
    above = np.clip((share - floor) / (1.0 - floor), 0.02, 0.98)
    level = np.log(above / (1.0 - above)) * 1.2
    center = float(level.mean())
    member = np.eye(responses.n_categories)[responses.category]
    right = (responses.correct.sum(axis=0) @ member + 1.0) / (responses.trials.sum(axis=0) @ member + 2.0)
    above = np.clip((right - floor) / (1.0 - floor), 0.02, 0.98)
    means = -np.log(above / (1.0 - above)) * 1.2
    del center
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


def _grid(responses: Responses, prior: ItemPrior, abilities: Abilities) -> Grid:
    """Return nodes close enough for the item with most trials."""
    most = float(responses.trials.sum(axis=0).max())
    steep = float(np.exp(prior.slope_sd))
    sd_b = 1.0 / np.sqrt(1.0 / prior.sd**2 + 0.25 * most * steep**2)
    n_b = max(LEAST_NODES, int(np.ceil(2 * REACH_B * prior.sd / (SPACING * sd_b))) | 1)
    x = np.linspace(-REACH_B, REACH_B, n_b)
    if prior.slope_sd == 0.0:
        z = np.zeros(1)
    else:
        wide = abilities.spread.general**2 + abilities.spread.category**2
        sd_a = 1.0 / np.sqrt(1.0 / prior.slope_sd**2 + 0.2 * most * wide)
        n_a = max(9, int(np.ceil(2 * REACH_A * prior.slope_sd / (SPACING * sd_a))) | 1)
        z = np.linspace(-REACH_A, REACH_A, n_a)
    log_prior = -0.5 * x[:, None] ** 2 - 0.5 * z[None, :] ** 2
    return Grid(x, z, log_prior - logsumexp(log_prior))


@dataclass(frozen=True)
class _Items:
    """Posterior of items given the distribution of abilities, and what they say of abilities."""

    log_posterior: FloatArray
    evidence: float
    mean: FloatArray  # (I,) of the standardised difficulty
    square: FloatArray
    slope: FloatArray  # (I,) of the standardised log discrimination
    slope_square: FloatArray
    gradient: FloatArray  # (U, G)
    information: FloatArray


def _items(responses: Responses, blocks: list[_Block], abilities: Abilities, prior: ItemPrior, grid: Grid) -> _Items:
    n_units, n_items = responses.correct.shape
    shape = (n_items, grid.x.size, grid.z.size)
    log_posterior = np.empty(shape)
    evidence = 0.0
    gradient = np.zeros_like(abilities.leaf)
    information = np.zeros_like(abilities.leaf)
    a = np.tile(np.exp(prior.slope_sd * grid.z), grid.x.size)
    root, weight = np.polynomial.hermite_e.hermegauss(ABILITY_NODES[prior.slope_sd > 0])
    weight = weight / weight.sum()
    flat = grid.log_prior.ravel()
    for block in blocks:
        b = np.repeat(prior.means[block.category] + prior.sd * grid.x, grid.z.size)
        theta = abilities.leaf[:, block.leaf, None] + np.sqrt(abilities.leaf_var[:, block.leaf, None]) * root
        log_right, log_wrong = np.zeros((n_units, b.size)), np.zeros((n_units, b.size))
        curves = []
        for k in range(root.size):
            eta = a * (theta[:, k, None] - b)
            s = expit(eta)
            p = block.floor + (1.0 - block.floor) * s
            log_right += weight[k] * (log_expit(eta) if block.floor == 0.0 else np.log(p))
            log_wrong += weight[k] * (log_expit(-eta) + np.log1p(-block.floor))
            slope = a * (np.ones_like(s) if block.floor == 0.0 else s / p)
            curves.append((p, slope))
        correct, trials = responses.correct[:, block.items], responses.trials[:, block.items]
        log_density = correct.T @ (log_right - log_wrong) + trials.T @ log_wrong + flat
        total = logsumexp(log_density, axis=1, keepdims=True)
        evidence += float(total.sum())
        log_density -= total
        log_posterior[block.items] = log_density.reshape(-1, *shape[1:])
        posterior = np.exp(log_density)
        right, shown = correct @ posterior, trials @ posterior
        for k, (p, slope) in enumerate(curves):
            gradient[:, block.leaf] += weight[k] * ((right - shown * p) * slope).sum(axis=1)
            information[:, block.leaf] += weight[k] * (shown * p * (1.0 - p) * slope**2).sum(axis=1)
    posterior = np.exp(log_posterior)
    of_b, of_a = posterior.sum(axis=2), posterior.sum(axis=1)
    return _Items(
        log_posterior, evidence, of_b @ grid.x, of_b @ grid.x**2, of_a @ grid.z, of_a @ grid.z**2, gradient, information
    )


def _abilities(responses: Responses, abilities: Abilities, items: _Items) -> Abilities:
    """Return abilities after one step of Fisher scoring, and new spreads."""
    n_units = abilities.general.size
    step = np.divide(
        items.gradient, items.information, out=np.zeros_like(items.gradient), where=items.information > 1e-12
    )
    target = abilities.leaf + np.clip(step, -3.0, 3.0)
    found = update(target, items.information, abilities.spread, responses.leaf_category, responses.leaf_passage)
    answered = items.information > 0
    member = np.eye(responses.n_categories)[responses.leaf_category]
    freedom = (n_units - 1) / n_units  # every mean over models is set to 0
    numbers = (n_units, int(((answered @ member) > 0).sum()), int(answered[:, responses.leaf_passage].sum()))
    sds = [
        np.sqrt((moment + PRIOR_WEIGHT * PRIOR_SD**2) / (freedom * number + PRIOR_WEIGHT)) if old > 0 else 0.0
        for moment, number, old in zip(
            found.moments, numbers,
            (abilities.spread.general, abilities.spread.category, abilities.spread.passage), strict=True,
        )
    ]  # fmt: skip
    return replace(found, spread=Spread(*map(float, sds)))


def _prior(responses: Responses, prior: ItemPrior, items: _Items) -> ItemPrior:
    """Return means and standard deviations of items that fit their posteriors."""
    n_categories, category = responses.n_categories, responses.category
    mean = prior.means[category] + prior.sd * items.mean
    variance = prior.sd**2 * (items.square - items.mean**2)
    number = np.bincount(category, minlength=n_categories)
    sums = np.bincount(category, weights=mean, minlength=n_categories)
    if n_categories > 1:
        pull = number * prior.between**2 / (number * prior.between**2 + prior.sd**2)
        means = pull * sums / number + (1.0 - pull) * prior.grand
        left = prior.between**2 * (1.0 - pull)
        grand = float(means.mean())
        total = float(((means - grand) ** 2 + left).sum())
        between = float(np.sqrt((total + PRIOR_WEIGHT * PRIOR_SD**2) / (n_categories - 1 + PRIOR_WEIGHT)))
    else:
        means, left, grand, between = sums / number, np.zeros(1), float(sums[0] / number[0]), prior.between
    total = float((variance + (mean - means[category]) ** 2 + left[category]).sum())
    freedom = mean.size - (1 if n_categories == 1 else 0)
    sd = float(np.sqrt((total + PRIOR_WEIGHT * PRIOR_SD**2) / (freedom + PRIOR_WEIGHT)))
    slope_sd = 0.0
    if prior.slope_sd > 0:
        total = prior.slope_sd**2 * float(items.slope_square.sum())
        slope_sd = float(np.sqrt((total + PRIOR_WEIGHT * 0.25) / (mean.size + PRIOR_WEIGHT)))
    return ItemPrior(means, grand, between, sd, slope_sd)


def _identified(abilities: Abilities, prior: ItemPrior, items: _Items) -> tuple[Abilities, ItemPrior]:
    """Return the same with mean ability 0 everywhere and mean log discrimination 0."""
    shift = abilities.category.mean(axis=0)
    stretch = float(np.exp(prior.slope_sd * items.slope.mean())) if prior.slope_sd > 0 else 1.0
    spread = abilities.spread
    centred = replace(
        abilities,
        general=(abilities.general - abilities.general.mean()) * stretch,
        general_var=abilities.general_var * stretch**2,
        category=(abilities.category - shift) * stretch,
        category_var=abilities.category_var * stretch**2,
        leaf=(abilities.leaf - abilities.leaf.mean(axis=0)) * stretch,
        leaf_var=abilities.leaf_var * stretch**2,
        spread=Spread(spread.general * stretch, spread.category * stretch, spread.passage * stretch),
    )
    means = (prior.means - shift) * stretch
    grand = (prior.grand - float(shift.mean())) * stretch
    return centred, replace(prior, means=means, grand=grand, between=prior.between * stretch, sd=prior.sd * stretch)


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
