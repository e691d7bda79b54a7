"""Items that models share: observed, and expected when models are independent, with and without item difficulty."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy import special, stats

from click_stats.errors import DataError
from click_stats.stats.confident_errors.entropy import is_challenging
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts, FloatArray, IntArray

NODES = 15


CHALLENGING, HANDLED, EVERY_TRIAL, NO_TRIAL = (
    "challenging for all", "challenging for none", "right in every trial by all", "right in no trial by any",
)  # fmt: skip
"""What can hold of an item for all models: two readings of items that all miss, and two of items that all know."""


class Chances(NamedTuple):
    """By statement the (nodes, units, items) chance that it holds at nodes of item difficulty, and their weights."""

    holds: Mapping[str, FloatArray]
    weights: FloatArray


def events(below: np.ndarray, correct: IntArray, trials: IntArray) -> dict[str, np.ndarray]:
    """Return by statement the (units, items) of which it holds."""
    return {
        CHALLENGING: below, HANDLED: ~below, EVERY_TRIAL: correct == trials, NO_TRIAL: correct == 0,
    }  # fmt: skip


def chances(
    counts: Counts, correct: IntArray, trials: IntArray, items: IntArray, threshold: float | None
) -> Chances | str:
    """Return the chances of the fitted 1PL, or why there are none.

    Parameters
    ----------
    counts
        For categories and numbers of options.
    correct, trials
        (U, I) counts.
    items
        Positions of the items that all units answered.
    threshold
        Of challenging items; None for chance.

    Notes
    -----
    Logit = category + model in category + item, with a deviation of each model on each item where there are several
    trials (answers of one model to one item vary together; this is no agreement between models). Given an item's
    difficulty models are independent; difficulty is integrated over its conditional normal distribution (mode and SD)
    by Gauss-Hermite, not set to its shrunken mode, and the deviation over its distribution.
    """
    n_units = correct.shape[0]
    category = counts.items["category"].astype(str).to_numpy()[items]
    several = bool(trials[:, items].max(initial=0) > 1)
    frame = pd.DataFrame(
        {
            "item": np.tile(items, n_units).astype(str),
            "model": np.repeat(np.arange(n_units), len(items)).astype(str),
            "category": np.tile(category, n_units),
            "correct": correct[:, items].ravel(),
            "trials": trials[:, items].ravel(),
        }
    )
    groups = len(np.unique(category))
    random = ["item", "model", *(["model:category"] if groups > 1 else []), *(["cell"] if several else [])]
    try:
        found = fit(GlmmData.from_frame(frame), GlmmSpec("category" if groups > 1 else "", random))
    except DataError as problem:
        return f"no model of item difficulty: {str(problem).splitlines()[0]}"
    fitted = special.logit(np.clip(found.fitted, 1e-12, 1 - 1e-12)).reshape(n_units, len(items))
    mode = found.modes["item"].reindex(items.astype(str)).to_numpy(dtype=np.float64)
    spread = found.mode_sd["item"].reindex(items.astype(str)).to_numpy(dtype=np.float64)
    rest = fitted - mode
    sd_cell = 0.0
    if "cell" in found.random:
        rest = rest - found.modes["cell"].to_numpy(dtype=np.float64).reshape(n_units, len(items))
        sd_cell = float(found.sd[found.random.index("cell")])
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()
    n = np.broadcast_to(counts.items["n_options"].to_numpy(dtype=np.int64)[items], rest.shape)
    total = trials[:, items]
    limit = _limit(total, n, threshold)
    below, every, never = (np.zeros((NODES, *rest.shape)) for _ in range(3))
    for place, node in enumerate(nodes):
        eta = rest + mode + np.nan_to_num(spread) * node
        for inner, weight in zip(nodes, weights, strict=True) if sd_cell > 0 else ((0.0, 1.0),):
            p = special.expit(eta + sd_cell * inner)
            below[place] += weight * stats.binom.cdf(limit, total, p)
            every[place] += weight * p**total
            never[place] += weight * (1 - p) ** total
    return Chances({CHALLENGING: below, HANDLED: 1 - below, EVERY_TRIAL: every, NO_TRIAL: never}, weights)


def _limit(trials: IntArray, n: IntArray, threshold: float | None) -> IntArray:
    """Return the largest number of right answers that is still challenging; -1 when none is."""
    k = np.arange(int(trials.max(initial=0)) + 1)[:, None, None]
    below = is_challenging(k, trials, n, threshold) & (k <= trials)
    limit: IntArray = below.sum(axis=0) - 1
    return limit


def expected(found: Chances, statement: str, units: IntArray, items: np.ndarray) -> FloatArray:
    """Return (items,) probability that the statement holds for all ``units``."""
    p: FloatArray = found.weights @ found.holds[statement][:, units][:, :, items].prod(axis=1)
    return p


def independent(holds: np.ndarray, cell: IntArray) -> float:
    """Return the items expected from the product of the units' shares within each cell (category and N).

    Parameters
    ----------
    holds
        (U, I) whether something holds of the item for the unit.
    cell
        (I,) codes.
    """
    return sum(float((cell == code).sum() * np.prod(holds[:, cell == code].mean(axis=1))) for code in np.unique(cell))


def poisson_binomial(p: FloatArray) -> FloatArray:
    """Return the probabilities of 0..n successes of independent trials, by convolution."""
    mass = np.ones(1)
    for one in p:
        mass = np.convolve(mass, [1 - one, one])
    return mass


def limits(p: FloatArray, level: float) -> tuple[float, float]:
    """Return the range that holds the number of successes with at least ``level``, equal tails."""
    cdf = np.cumsum(poisson_binomial(p))
    tail = (1 - level) / 2
    return float(np.searchsorted(cdf, tail)), float(np.searchsorted(cdf, 1 - tail))
