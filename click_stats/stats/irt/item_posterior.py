"""Posteriors of items given the distribution of abilities, and what these posteriors say of abilities in turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.stats.irt.lattice import curve, lattice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.irt.abilities import Abilities
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.item_grid import Grid, ItemPrior

ITEMS_AT_ONCE = 256


class Block(NamedTuple):
    """Items with the same leaf and floor."""

    items: IntArray
    leaf: int
    category: int
    floor: float


def blocks(responses: Responses) -> list[Block]:
    """Return all items, at most ``ITEMS_AT_ONCE`` in a block."""
    return list(_blocks(responses))


def _blocks(responses: Responses) -> Iterator[Block]:
    keys = np.column_stack([responses.leaf, responses.floor])
    for leaf, floor in np.unique(keys, axis=0):
        items = np.flatnonzero((responses.leaf == leaf) & (responses.floor == floor))
        for start in range(0, items.size, ITEMS_AT_ONCE):
            part = items[start : start + ITEMS_AT_ONCE]
            yield Block(part, int(leaf), int(responses.leaf_category[int(leaf)]), float(floor))


@dataclass(frozen=True)
class ItemPosterior:
    """Posteriors of items, and derivatives of the expected log-likelihood by the levels of models.

    Attributes
    ----------
    log_posterior
        (I, X, Z) log probability of the nodes for each item.
    evidence
        Log probability of the answers, averaged over abilities within the logarithm of each item's integral.
    mean, square, slope, slope_square
        (I,) moments of the standardised difficulty and log discrimination.
    gradient, information
        (U, G) derivative by the levels, and expected second derivative.
    cross, scale_gradient, scale_information
        (U, G) and numbers: the same of a common factor on all difficulties.
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


class _Table(NamedTuple):
    """Functions of level and item parameters: at Q levels and N nodes of an item's grid.

    Attributes
    ----------
    log_odds, log_wrong
        (Q, N) log p / (1 - p) and log (1 - p).
    of_right
        (N, 2Q) derivative of ``log_odds`` by the level, and that times the standardised difficulty.
    of_shown
        (N, 5Q) the same of -``log_wrong``, and the information, also times standardised difficulty and its square.
    """

    log_odds: FloatArray
    log_wrong: FloatArray
    of_right: FloatArray
    of_shown: FloatArray


def _table(level: FloatArray, x: FloatArray, a: FloatArray, sd: float, floor: float) -> _Table:
    found = curve(a * (level[:, None] - sd * x), floor)
    right = a * found.slope
    shown = right * found.p
    information = shown * right * (1.0 - found.p)
    of_right = np.concatenate([right, right * x]).T
    of_shown = np.concatenate([shown, shown * x, information, information * x, information * x**2]).T
    return _Table(found.log_right - found.log_wrong, found.log_wrong, of_right, of_shown)


def posterior(
    responses: Responses, parts: list[Block], abilities: Abilities, prior: ItemPrior, grid: Grid
) -> ItemPosterior:
    """Return posteriors of items, and one step's worth of derivatives of the expected log-likelihood."""
    n_items, n_x, n_z = responses.floor.size, grid.x.size, grid.z.size
    log_posterior = np.empty((n_items, n_x * n_z))
    moments = np.empty((n_items, 4))
    x, z = np.repeat(grid.x, n_z), np.tile(grid.z, n_x)
    powers = np.column_stack([x, x**2, z, z**2])
    levels = lattice(abilities, prior, responses.leaf_category)
    tables = {
        floor: _table(levels.nodes, x, np.exp(prior.slope_sd * z), prior.sd, floor)
        for floor in {block.floor for block in parts}
    }
    evidence, scale_gradient, scale_information = 0.0, 0.0, 0.0
    gradient, information, cross = np.zeros((3, *abilities.leaf.shape))
    for block in parts:
        table, mean, sd = tables[block.floor], prior.means[block.category], prior.sd
        weight = levels.weights(abilities.leaf[:, block.leaf] - mean, abilities.leaf_var[:, block.leaf])
        correct, trials = responses.correct[:, block.items], responses.trials[:, block.items]
        log_density = (correct.T @ weight) @ table.log_odds + (trials.T @ weight) @ table.log_wrong
        log_density += grid.log_prior.ravel()
        top = log_density.max(axis=1, keepdims=True)
        density = np.exp(log_density - top)
        total = density.sum(axis=1, keepdims=True)
        density /= total
        evidence += float((top + np.log(total)).sum())
        log_posterior[block.items] = log_density - top - np.log(total)
        moments[block.items] = density @ powers
        right, right_x = _averaged(correct, density, table.of_right, weight)
        shown, shown_x, info, info_x, info_xx = _averaged(trials, density, table.of_shown, weight)
        gradient[:, block.leaf] += right - shown
        information[:, block.leaf] += info
        cross[:, block.leaf] -= mean * info + sd * info_x
        scale_gradient -= float((mean * (right - shown) + sd * (right_x - shown_x)).sum())
        scale_information += float((mean**2 * info + 2 * mean * sd * info_x + sd**2 * info_xx).sum())
    moment = moments.T
    return ItemPosterior(
        log_posterior.reshape(n_items, n_x, n_z), evidence, moment[0], moment[1], moment[2], moment[3], gradient,
        np.maximum(information, 0.0), cross, scale_gradient, scale_information,
    )  # fmt: skip


def _averaged(counts: FloatArray, density: FloatArray, table: FloatArray, weight: FloatArray) -> FloatArray:
    """Return (F, U) sums over items of functions in ``table`` (N, FQ), averaged over posteriors of items and models."""
    at_levels = np.linalg.multi_dot([counts, density, table]).reshape(len(weight), -1, weight.shape[1])
    found: FloatArray = np.einsum("ufq,uq->fu", at_levels, weight)
    return found
