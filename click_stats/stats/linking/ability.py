"""The ability of one model on fixed items: posterior, and maximum of the likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import optimize

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.linking.bank import Bank

POINTS = 601
REACH = 8.0
"""Prior standard deviations to either side that are looked at."""
NEGLIGIBLE = 25.0
"""Log density below the maximum that is left out."""
FAR = 15.0
"""Logits beyond the items at which a likelihood that still rises has no maximum."""


class Posterior(NamedTuple):
    """Abilities on a grid and their weights, which sum to 1."""

    grid: FloatArray
    weight: FloatArray

    @property
    def mean(self) -> float:
        """Posterior mean."""
        return float(self.weight @ self.grid)

    @property
    def sd(self) -> float:
        """Posterior standard deviation."""
        return float(np.sqrt(self.weight @ (self.grid - self.mean) ** 2))

    def quantile(self, share: FloatArray) -> FloatArray:
        """Return quantiles, between points of the grid by a straight line."""
        below = np.cumsum(self.weight) - 0.5 * self.weight
        return np.interp(share, below, self.grid)


class Maximum(NamedTuple):
    """Maximum-likelihood estimate and its standard error from the expected information; NaN where there is none."""

    ability: float
    std_error: float


def log_likelihood(bank: Bank, right: FloatArray, wrong: FloatArray, ability: FloatArray) -> FloatArray:
    """Return (R,) log-likelihoods at each of R abilities of (I,) counts of right and wrong answers."""
    log_right, log_wrong = bank.log_probabilities(ability)
    return np.asarray(log_right @ right + log_wrong @ wrong, dtype=np.float64)


def posterior(bank: Bank, right: FloatArray, wrong: FloatArray, mean: float, sd: float) -> Posterior:
    """Return the posterior of the ability with the prior N(mean, sd²).

    Notes
    -----
    The expected a posteriori estimate of Bock and Mislevy (1982) on a grid that is laid twice: over the prior, then
    over the part of it where the posterior is not negligible. With a floor the likelihood may have two maxima; a grid
    sees both.
    """
    grid = mean + sd * np.linspace(-REACH, REACH, POINTS)
    for _ in range(3):
        value = log_likelihood(bank, right, wrong, grid) - 0.5 * ((grid - mean) / sd) ** 2
        inside = np.flatnonzero(value > value.max() - NEGLIGIBLE)
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, POINTS - 1)
        if last - first > 0.75 * POINTS:
            break
        grid = np.linspace(grid[first], grid[last], POINTS)
    weight = np.exp(value - value.max())
    return Posterior(grid, weight / weight.sum())


def maximum(bank: Bank, right: FloatArray, wrong: FloatArray) -> Maximum:
    """Return the maximum-likelihood estimate.

    It does not exist when every answer is right or wrong, nor when a floor explains as many right answers as there are.
    """
    nowhere = Maximum(np.nan, np.nan)
    if not right.sum() or not wrong.sum():
        return nowhere
    grid = np.linspace(bank.difficulty.min() - FAR, bank.difficulty.max() + FAR, POINTS)
    value = log_likelihood(bank, right, wrong, grid)
    best = int(np.argmax(value))
    # Far below the items the curves are flat: the likelihood there is its limit, not a maximum.
    if best in {0, POINTS - 1} or value[best] <= max(value[0], value[-1]) + 1e-6:
        return nowhere
    found = optimize.minimize_scalar(
        lambda at: -float(log_likelihood(bank, right, wrong, np.array([at]))[0]),
        bounds=(grid[best - 1], grid[best + 1]), method="bounded", options={"xatol": 1e-9},
    )  # fmt: skip
    ability = float(found.x)
    told = information(bank, right + wrong, ability)
    return Maximum(ability, told**-0.5) if told > 0 else nowhere


def information(bank: Bank, trials: FloatArray, ability: float) -> float:
    """Return the expected information of ``trials`` (I,) answers about the ability (Birnbaum 1968)."""
    at = np.array([ability])
    p, slope = bank.probability(at)[0], bank.slope_at(at)[0]
    spread = p * (1.0 - p)
    return float((trials * np.divide(slope**2, spread, out=np.zeros_like(p), where=spread > 0)).sum())
