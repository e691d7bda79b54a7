"""Steps of the fast engine: levels of models, and the parameters of the priors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.irt.abilities import Abilities, Spread, update
from click_stats.stats.irt.item_grid import ItemPrior

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.item_posterior import ItemPosterior

PRIOR_WEIGHT, PRIOR_SD = 1.0, 1.0
"""Every variance starts from one more observation of this standard deviation, so that few items leave none at 0."""
PRIOR_SCALE = 5.0
"""Standard deviations of abilities and difficulties are half-normal with this scale, in logits.

With a floor and few models the likelihood can rise without end as both grow ("knows it, or guesses"); with many models
or items this is next to nothing.
"""
MOST_SD = 8.0
"""Largest standard deviation of difficulties, in logits: where models hardly differ the likelihood has no maximum."""
MOST_STRETCH = 0.5
"""Largest relative change of the scale in one step."""
SWING = 0.3
"""A step back by more than this part of the last one is a swing."""
MOST_RATIO = 0.95
"""Largest ratio of successive changes that is believed."""


def levels(responses: Responses, abilities: Abilities, items: ItemPosterior) -> tuple[Abilities, float]:
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
        _deviation(number * moment, number) if sd > 0 else 0.0
        for moment, number, sd in zip(found.moments, numbers, old, strict=True)
    ]
    return replace(found, spread=Spread(*sds)), 1.0 + factor


def item_prior(responses: Responses, prior: ItemPrior, items: ItemPosterior) -> ItemPrior:
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
        between = _deviation(total, n_categories - 1)
    else:
        means, left, grand, between = sums / number, np.zeros(1), float(sums[0] / number[0]), prior.between
    total = float((variance + (mean - means[category]) ** 2 + left[category]).sum())
    freedom = mean.size - (1 if n_categories == 1 else 0)
    sd = _deviation(total, freedom)
    slope_sd = 0.0
    if prior.slope_sd > 0:
        total = prior.slope_sd**2 * float(items.slope_square.sum())
        slope_sd = float(np.sqrt((total + PRIOR_WEIGHT * 0.25) / (mean.size + PRIOR_WEIGHT)))
    return ItemPrior(means, grand, between, sd, slope_sd)


def _deviation(total: float, number: int) -> float:
    """Return the standard deviation of highest posterior density given a sum of squares.

    With v the variance, the log density is -(n/2) log v - S/(2v) - v/(2 s²), where n and S count one more observation.
    """
    n, sums = number + PRIOR_WEIGHT, total + PRIOR_WEIGHT * PRIOR_SD**2
    # v²/s² + n v = S, in a form that loses no digits where s is large
    return float(np.sqrt(2.0 * sums / (n + np.sqrt(n**2 + 4.0 * sums / PRIOR_SCALE**2))))


def identified(abilities: Abilities, prior: ItemPrior, items: ItemPosterior) -> tuple[Abilities, ItemPrior]:
    """Return the same with mean ability 0 everywhere, mean log discrimination 0, and a bounded spread of difficulty."""
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
    scaled = moved.scaled(stretch)
    return centred, replace(scaled, sd=min(scaled.sd, MOST_SD))


class Brake:
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


def spreads(abilities: Abilities, prior: ItemPrior) -> FloatArray:
    """Return all standard deviations that are estimated."""
    spread = abilities.spread
    return np.array([prior.sd, prior.slope_sd, spread.general, spread.category, spread.passage])


def leapt(abilities: Abilities, prior: ItemPrior, recent: list[FloatArray]) -> tuple[Abilities, ItemPrior]:
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
