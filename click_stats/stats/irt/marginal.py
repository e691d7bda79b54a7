"""The fast engine: difficulties on a grid, abilities normal, each averaged over the other; empirical Bayes priors.

The joint posterior is approximated by a product: any distribution on a grid for the parameters of an item, a normal
distribution for the levels of a model (tree of :mod:`~click_stats.stats.irt.abilities`). Each factor is the best one
given the others (variational Bayes); standard deviations and category means maximise the bound on the marginal
likelihood. With few models and many items, where abilities are nearly known, this is the marginal likelihood with items
integrated out; with many models and few items it is the usual one with abilities integrated out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import logsumexp

from click_stats.stats.irt.abilities import Abilities, Spread, update

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.irt.data import Responses

REACH_B, REACH_A = 5.5, 3.5
"""Prior standard deviations that the grids of difficulty and of log discrimination span on either side."""
SPACING = 1.4
"""Distance of nodes in units of the narrowest posterior: a sum over nodes is then exact to 1e-4."""
LEAST_NODES = 31
ABILITY_NODES = {False: 5, True: 3}
"""Gauss-Hermite nodes over an ability, whose posterior is narrow: 1PL, 2PL."""
PRIOR_WEIGHT, PRIOR_SD = 1.0, 1.0
"""Every variance starts from one more observation of this standard deviation, so that few items leave none at 0."""
TOLERANCE, MOST_STEPS = 1e-4, 500
MOST_STRETCH = 0.5
"""Largest relative change of the scale in one step."""
MOST_HELD = 2_000_000
"""Probabilities of a block at one node of ability that are kept; of more, they are worked out twice."""
SWING = 0.3
"""A step back by more than this part of the last one is a swing."""
STRIDE, MOST_RATIO = 5, 0.95
"""Steps between extrapolations, and the largest ratio of successive changes that is believed."""
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
    recent: list[FloatArray] = []
    brake = _Brake(responses)
    for step in range(1, MOST_STEPS + 1):
        items = _items(responses, blocks, abilities, prior, grid)
        moved, factor = _levels(responses, abilities, items)
        moved = brake(abilities, moved)
        moved, new_prior = _identified(moved, _scaled(_prior(responses, prior, items), factor), items)
        change = _change(abilities, moved, prior, new_prior)
        recent.append(_spreads(moved, new_prior))
        abilities, prior = moved, new_prior
        if len(recent) == STRIDE:
            abilities, prior = _leapt(abilities, prior, recent)
            recent.clear()
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
    """Return nodes close enough for the item with most trials, were it of the steepness of most."""
    most = float(responses.trials.sum(axis=0).max())
    sd_b = 1.0 / np.sqrt(1.0 / prior.sd**2 + 0.25 * most)
    n_b = max(LEAST_NODES, int(np.ceil(2 * REACH_B * prior.sd / (SPACING * sd_b))) | 1)
    x = np.linspace(-REACH_B, REACH_B, n_b)
    if prior.slope_sd == 0.0:
        z = np.zeros(1)
    else:
        wide = abilities.spread.general**2 + abilities.spread.category**2
        sd_a = 1.0 / np.sqrt(1.0 / prior.slope_sd**2 + 0.2 * most * min(wide, 1.0))
        n_a = max(9, int(np.ceil(2 * REACH_A * prior.slope_sd / (SPACING * sd_a))) | 1)
        z = np.linspace(-REACH_A, REACH_A, n_a)
    log_prior = -0.5 * x[:, None] ** 2 - 0.5 * z[None, :] ** 2
    return Grid(x, z, log_prior - logsumexp(log_prior))


@dataclass(frozen=True)
class _Items:
    """Posterior of items given the distribution of abilities, and what they say of abilities.

    ``mean, square, slope, slope_square`` (I,) are moments of the standardised difficulty and log discrimination;
    ``gradient, information`` (U, G) are of the levels; ``cross`` (U, G), ``scale_gradient`` and ``scale_information``
    belong to a common factor on all difficulties.
    """

    log_posterior: FloatArray
    evidence: float
    mean: FloatArray
    square: FloatArray
    slope: FloatArray
    slope_square: FloatArray
    gradient: FloatArray
    information: FloatArray
    cross: FloatArray
    scale_gradient: float
    scale_information: float


def _items(responses: Responses, blocks: list[_Block], abilities: Abilities, prior: ItemPrior, grid: Grid) -> _Items:
    """Return posteriors of items, and one step's worth of derivatives of the expected log-likelihood."""
    n_items, n_x, n_z = responses.floor.size, grid.x.size, grid.z.size
    log_posterior = np.empty((n_items, n_x * n_z))
    x, z = np.repeat(grid.x, n_z), np.tile(grid.z, n_x)
    moments = np.empty((n_items, 4))
    powers = np.column_stack([x, x**2, z, z**2])
    a = np.exp(prior.slope_sd * z)
    root, weight = _hermite(ABILITY_NODES[prior.slope_sd > 0])
    evidence, scale_gradient, scale_information = 0.0, 0.0, 0.0
    of_levels = np.zeros((3, *abilities.leaf.shape))  # gradient, information, cross
    for block in blocks:
        b = prior.means[block.category] + prior.sd * x
        sd = np.sqrt(abilities.leaf_var[:, block.leaf])
        places = [abilities.leaf[:, block.leaf] + sd * r for r in root]
        curves: list[_Curve] | None = None
        if responses.correct.shape[0] * b.size <= MOST_HELD:
            curves = [_curve(a * (place[:, None] - b), block.floor) for place in places]
        log_right = np.zeros((responses.correct.shape[0], b.size))
        log_wrong = np.zeros_like(log_right)
        for k, w in enumerate(weight):
            one = curves[k] if curves else _curve(a * (places[k][:, None] - b), block.floor)
            log_right += w * one.log_right
            log_wrong += w * one.log_wrong
        correct, trials = responses.correct[:, block.items], responses.trials[:, block.items]
        log_density = correct.T @ (log_right - log_wrong) + trials.T @ log_wrong + grid.log_prior.ravel()
        top = log_density.max(axis=1, keepdims=True)
        posterior = np.exp(log_density - top)
        total = posterior.sum(axis=1, keepdims=True)
        posterior /= total
        evidence += float((top + np.log(total)).sum())
        log_posterior[block.items] = log_density - top - np.log(total)
        moments[block.items] = posterior @ powers
        right, shown = correct @ posterior, trials @ posterior
        terms = np.column_stack([np.ones_like(b), -b, b**2])
        del log_density
        for k, w in enumerate(weight):
            one = curves[k] if curves else _curve(a * (places[k][:, None] - b), block.floor)
            slope = a * one.slope
            first = (w * (right - shown * one.p) * slope) @ terms
            second = (w * shown * one.p * (1.0 - one.p) * slope**2) @ terms
            of_levels[0, :, block.leaf] += first[:, 0]
            of_levels[1, :, block.leaf] += second[:, 0]
            of_levels[2, :, block.leaf] += second[:, 1]
            scale_gradient += float(first[:, 1].sum())
            scale_information += float(second[:, 2].sum())
    mean, square, slope_mean, slope_square = moments.T
    gradient, information, cross = of_levels
    return _Items(
        log_posterior.reshape(n_items, n_x, n_z), evidence, mean, square, slope_mean, slope_square, gradient,
        information, cross, scale_gradient, scale_information,
    )  # fmt: skip


@cache
def _hermite(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the mean over a standard normal variable."""
    root, weight = np.polynomial.hermite_e.hermegauss(n)
    return root, weight / weight.sum()


class _Curve(NamedTuple):
    """Probability of a right answer, logs of it and of its complement, and d log(p / (1 - p)) / d logit; any shape."""

    p: FloatArray
    log_right: FloatArray
    log_wrong: FloatArray
    slope: FloatArray


def _curve(logit: FloatArray, floor: float) -> _Curve:
    """Return floor + (1 - floor) / (1 + exp(-logit)) and what derives from it; plain exp and log, which are fastest."""
    logit = np.clip(logit, -300.0, 300.0)
    e = np.exp(-logit)
    log_sum = np.log(1.0 + e)
    s = 1.0 / (1.0 + e)
    log_wrong = -logit - log_sum
    if floor == 0.0:
        return _Curve(s, -log_sum, log_wrong, np.ones_like(s))
    p = floor + (1.0 - floor) * s
    return _Curve(p, np.log(p), log_wrong + np.log1p(-floor), s / p)


def _levels(responses: Responses, abilities: Abilities, items: _Items) -> tuple[Abilities, float]:
    """Return abilities after one step of Fisher scoring, with new spreads, and the factor on all difficulties.

    A factor on all difficulties, estimated along with the levels and then put into the prior, leaves the model as it is
    but takes the slow direction out of the iteration (parameter expansion, Liu, Rubin and Wu 1998).
    """
    n_units = abilities.general.size
    known = items.information > 1e-12
    inverse = np.divide(1.0, items.information, out=np.zeros_like(items.information), where=known)
    left = items.scale_information - float((items.cross**2 * inverse).sum())
    pull = items.scale_gradient - float((items.cross * items.gradient * inverse).sum())
    factor = float(np.clip(pull / left, -MOST_STRETCH, MOST_STRETCH)) if left > 1e-9 else 0.0
    step = np.clip((items.gradient - items.cross * factor) * inverse, -3.0, 3.0)
    found = update(
        abilities.leaf + step, items.information, abilities.spread, responses.leaf_category, responses.leaf_passage
    )
    old = (abilities.spread.general, abilities.spread.category, abilities.spread.passage)
    numbers = (n_units, n_units * responses.n_categories, n_units * int(responses.leaf_passage.sum()))
    sds = [
        float(np.sqrt((number * moment + PRIOR_WEIGHT * PRIOR_SD**2) / (number + PRIOR_WEIGHT))) if sd > 0 else 0.0
        for moment, number, sd in zip(found.moments, numbers, old, strict=True)
    ]
    return replace(found, spread=Spread(*sds)), 1.0 + factor


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
    moved = replace(prior, means=prior.means - shift, grand=prior.grand - float(shift.mean()))
    return centred, _scaled(moved, stretch)


def _scaled(prior: ItemPrior, factor: float) -> ItemPrior:
    """Return the prior of difficulties on a scale that is stretched."""
    return replace(
        prior, means=prior.means * factor, grand=prior.grand * factor, between=prior.between * factor,
        sd=prior.sd * factor,
    )  # fmt: skip


class _Brake:
    """Shortens the steps of a model that swings to and fro: near the floor its information changes fast."""

    def __init__(self, responses: Responses) -> None:
        self.length = np.ones(responses.correct.shape[0])
        self.last = np.zeros((responses.correct.shape[0], responses.leaf_category.size))

    def __call__(self, old: Abilities, new: Abilities) -> Abilities:
        """Return the levels that are gone to instead of the ``new`` ones."""
        move = new.leaf - old.leaf
        back = (move * self.last).sum(axis=1) < -SWING * (self.last**2).sum(axis=1)
        self.length = np.where(back, 0.6 * self.length, self.length)
        self.last = self.length[:, None] * move
        part = self.length
        return replace(
            new,
            general=old.general + part * (new.general - old.general),
            category=old.category + part[:, None] * (new.category - old.category),
            leaf=old.leaf + part[:, None] * move,
        )


def _spreads(abilities: Abilities, prior: ItemPrior) -> FloatArray:
    spread = abilities.spread
    return np.array([prior.sd, prior.slope_sd, spread.general, spread.category, spread.passage])


def _leapt(abilities: Abilities, prior: ItemPrior, recent: list[FloatArray]) -> tuple[Abilities, ItemPrior]:
    """Return the same with standard deviations extrapolated from their last three values (Aitken).

    They crawl to where they settle, in ever the same ratio, where the data say little of them; nothing else does.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        first, second, third = np.log(np.array(recent[-3:]))
        ratio = (third - second) / (second - first)
        ratio = np.where(np.isfinite(ratio), np.clip(ratio, 0.0, MOST_RATIO), 0.0)
        leap = np.clip(ratio / (1.0 - ratio) * (third - second), -MOST_STRETCH, MOST_STRETCH)
    values = recent[-1] * np.exp(np.where(np.isfinite(leap), leap, 0.0))
    sd, slope_sd, *spread = map(float, values)
    return replace(abilities, spread=Spread(*spread)), replace(prior, sd=sd, slope_sd=slope_sd)


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
