"""Abilities as a tree: a model's general level, its level in a category, its level on a passage. All are normal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray


@dataclass(frozen=True)
class Spread:
    """Standard deviations of abilities, in logits.

    Attributes
    ----------
    general
        Between models.
    category
        Of a model's level in a category around its general level; 0 with one category.
    passage
        Of a model's level on a passage around its level in the category; 0 without passages.
    """

    general: float
    category: float
    passage: float


@dataclass(frozen=True)
class Abilities:
    """Normal posterior of all levels of U models.

    Attributes
    ----------
    general, general_var
        (U,) means and variances.
    category, category_var
        (U, C) levels in the categories.
    leaf, leaf_var
        (U, G) levels on the leaves.
    spread
        The prior.
    divergence
        Kullback-Leibler divergence of this posterior from the prior.
    moments
        Variances of the three kinds of deviations (general, category, passage) that these posteriors amount to: the
        mean square, of which the part of the means is that of U - 1 values, as their mean over models is set to 0.
    """

    general: FloatArray
    general_var: FloatArray
    category: FloatArray
    category_var: FloatArray
    leaf: FloatArray
    leaf_var: FloatArray
    spread: Spread
    divergence: float
    moments: tuple[float, float, float]


def update(
    target: FloatArray, information: FloatArray, spread: Spread, leaf_category: IntArray, leaf_passage: np.ndarray
) -> Abilities:
    """Return the posterior of abilities given what the answers say of every leaf, by passing messages up and down.

    Parameters
    ----------
    target, information
        (U, G) the level that the answers to a leaf's items point to, and the information (inverse variance) about it.
    spread
        The prior.
    leaf_category, leaf_passage
        (G,) as in :class:`~click_stats.stats.irt.data.Responses`.
    """
    n_categories = int(leaf_category.max()) + 1
    member = np.eye(n_categories)[leaf_category]
    prior = np.where(leaf_passage, spread.passage**2, 0.0)
    seen = information / (1.0 + prior * information)
    of_category = seen @ member
    point = _ratio((seen * target) @ member, of_category)
    about = of_category / (1.0 + spread.category**2 * of_category)
    total = about.sum(axis=1)
    general_var = spread.general**2 / (1.0 + spread.general**2 * total)
    general = general_var * (about * point).sum(axis=1)

    category, category_var, *of_categories = _below(
        general[:, None], general_var[:, None], point, of_category, spread.category**2
    )
    leaf, leaf_var, *of_leaves = _below(
        category[:, leaf_category], category_var[:, leaf_category], target, information, prior
    )
    answered = of_category > 0
    passage = leaf_passage & (information > 0)
    divergence = 0.5 * float(
        np.log1p(prior * information).sum()
        + np.log1p(spread.category**2 * of_category).sum()
        + np.log1p(spread.general**2 * total).sum()
        - (information * leaf_var).sum()
        + (general**2).sum() / spread.general**2
        + ((category - general[:, None]) ** 2).sum() / max(spread.category**2, 1e-300)
        + (((leaf - category[:, leaf_category]) ** 2)[:, leaf_passage]).sum() / max(spread.passage**2, 1e-300)
    )
    freedom = 1.0 - 1.0 / general.size
    moments = (
        float((general**2 / freedom + general_var).mean()),
        _mean((of_categories[0] ** 2 / freedom + of_categories[1])[answered]),
        _mean((of_leaves[0] ** 2 / freedom + of_leaves[1])[passage]),
    )
    return Abilities(general, general_var, category, category_var, leaf, leaf_var, spread, divergence, moments)


def _below(
    upper: FloatArray, upper_var: FloatArray, target: FloatArray, information: FloatArray, variance: FloatArray | float
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return means and variances of levels, and of their deviations from those one step up."""
    pull = variance * information / (1.0 + variance * information)
    own = variance / (1.0 + variance * information)
    moved = pull * (target - upper)
    return upper + moved, own + (1.0 - pull) ** 2 * upper_var, moved, own + pull**2 * upper_var


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else 0.0


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    out: FloatArray = np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
    return out
