"""What scale effect could a design have seen: power and size by simulation, for tests that count cells, items, models.

The claim "no significant effect of scale" needs a design that would have found one. A design is a list of model sizes
and the number of items of each category.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import optimize, stats

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

COUNTED = ("cells", "items", "models")
"""What a test counts as one observation."""
MOST = 1.0
"""Largest effect looked for: 100 points per tenfold parameters."""


class Spread(NamedTuple):
    """Standard deviations behind a design, as shares of 1.

    Attributes
    ----------
    model
        Of models of one size about the line.
    cell
        Of a model's cells beyond what its items explain (model x category).
    item
        Of one item's score given item and model x category: answers that vary between trials, and model x item.
    """

    model: float
    cell: float
    item: float


class Claim(NamedTuple):
    """One test of one design.

    ``counted``: cells, items or models. ``df_error``: its residual degrees of freedom. ``size``: share of data sets
    without effect in which it rejects. ``power``: the same at each effect asked for. ``detectable``: effect in shares
    per tenfold parameters that is found with the power asked for; NaN above 100 points.
    """

    counted: str
    df_error: int
    size: float
    power: tuple[float, ...]
    detectable: float
    n_draws: int


def claim_power(
    sizes: Sequence[float],
    n_items: Sequence[int],
    spread: Spread,
    *,
    effects: Sequence[float] = (0.01, 0.02, 0.05),
    power: float = 0.8,
    alpha: float = 0.05,
    draws: int = 2_000,
    seed: int = 0,
) -> list[Claim]:
    """Return size and power of three tests of a scale effect in one design.

    Every model answers every item, sizes in billions of parameters. Data sets are drawn as
    ``y = item + category x model + level of the model + effect * log10(size)`` with normal deviations; scores of items
    given category and model enter through their sum of squares, which is all that the tests need. The tests: ``cells``
    (category and log10 size on model x category cells, F(1, n_models K - K - 1)), ``items`` (item and log10 size on
    item scores), ``models`` (log10 size on the model means, F(1, n_models - 2)). An effect moves the slope and no
    residual, so every effect is judged on the same draws.

    Parameters
    ----------
    sizes
        Number of parameters of each model, in billions.
    n_items
        Items of each category.
    spread
        Standard deviations.
    effects
        True effects, as shares per tenfold parameters.
    power, alpha
        Power wanted and two-sided level.
    draws, seed
        Of the simulation.

    Returns
    -------
    list of Claim
        One for each of :data:`COUNTED`; a design with two models has no test that counts models (NaN).

    Raises
    ------
    UsageError
        Fewer than two different sizes, no category, or a negative standard deviation.
    """
    x = np.log10(np.asarray(sizes, dtype=float))
    n = np.asarray(n_items, dtype=float)
    if len(set(sizes)) < 2 or not len(n) or n.min() < 1 or min(spread.model, spread.cell, spread.item) < 0:
        raise UsageError(
            "A design needs two sizes or more, categories with items, and no negative standard deviation.",
            found=f"sizes {list(sizes)}, items {list(n_items)}, {spread}",
        )
    x = x - x.mean()
    m, k, total = len(x), len(n), n.sum()
    rng = np.random.default_rng(seed)
    cells = rng.standard_normal((draws, m, k)) * np.sqrt(spread.cell**2 + spread.item**2 / n)
    cells += spread.model * rng.standard_normal((draws, m, 1))
    within = spread.item**2 * rng.chisquare(max((m - 1) * (total - k), 1e-9), draws)
    cells -= cells.mean(axis=1, keepdims=True)
    by_cells, by_items = cells.mean(axis=2), cells @ (n / total)
    ss_x = float(x @ x)
    found = []
    for counted in COUNTED:
        means = by_items if counted == "items" else by_cells
        weight = total if counted == "items" else k
        slope = means @ x / ss_x
        if counted == "models":
            rest, df = k * ((means - slope[:, None] * x) ** 2).sum(axis=1), m - 2
        elif counted == "cells":
            rest, df = (cells**2).sum(axis=(1, 2)) - k * slope**2 * ss_x, m * k - k - 1
        else:
            between = (cells**2 * n).sum(axis=(1, 2)) - total * slope**2 * ss_x
            rest, df = between + within, int((m - 1) * total - 1)
        found.append(_claim(counted, slope, rest, weight * ss_x, df, effects, power, alpha))
    return found


def _claim(
    counted: str,
    slope: FloatArray,
    rest: FloatArray,
    signal: float,
    df: int,
    effects: Sequence[float],
    power: float,
    alpha: float,
) -> Claim:
    if df < 1:
        nan = float("nan")
        return Claim(counted, df, nan, (nan,) * len(effects), nan, len(slope))
    bound = np.sqrt(stats.f.ppf(1 - alpha, 1, df) * rest / df / signal)

    def rejected(effect: float) -> float:
        return float((np.abs(slope + effect) > bound).mean())

    largest = float("nan")
    if rejected(MOST) > power > rejected(0.0):
        largest = float(optimize.brentq(lambda effect: rejected(effect) - power, 0.0, MOST, xtol=1e-6))
    elif rejected(0.0) >= power:
        largest = 0.0
    return Claim(counted, df, rejected(0.0), tuple(map(rejected, effects)), largest, len(slope))
