"""Parameters of items: their prior, and the nodes on which their posteriors are held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import logsumexp

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.abilities import Spread

REACH_B, REACH_A = 5.5, 3.5
"""Prior standard deviations that the grids of difficulty and of log discrimination span on either side."""
SPACING = 1.4
"""Distance of nodes in units of the narrowest posterior: a sum over nodes is then exact to 1e-4."""
LEAST_B, LEAST_A = 31, 9
"""Fewest nodes of difficulty and of log discrimination."""


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

    def scaled(self, factor: float) -> ItemPrior:
        """Return the prior of difficulties on a scale that is stretched."""
        return replace(
            self, means=self.means * factor, grand=self.grand * factor, between=self.between * factor,
            sd=self.sd * factor,
        )  # fmt: skip


class Grid(NamedTuple):
    """Standardised nodes: x of difficulty, z of log discrimination, with log prior weights (X, Z)."""

    x: FloatArray
    z: FloatArray
    log_prior: FloatArray


def grid(most_trials: float, prior: ItemPrior, spread: Spread) -> Grid:
    """Return nodes close enough for the item with most trials, were it of the steepness of most."""
    sd_b = 1.0 / np.sqrt(1.0 / prior.sd**2 + 0.25 * most_trials)
    n_b = max(LEAST_B, int(np.ceil(2 * REACH_B * prior.sd / (SPACING * sd_b))) | 1)
    x = np.linspace(-REACH_B, REACH_B, n_b)
    if prior.slope_sd == 0.0:
        z = np.zeros(1)
    else:
        wide = spread.general**2 + spread.category**2
        sd_a = 1.0 / np.sqrt(1.0 / prior.slope_sd**2 + 0.2 * most_trials * min(wide, 1.0))
        n_a = max(LEAST_A, int(np.ceil(2 * REACH_A * prior.slope_sd / (SPACING * sd_a))) | 1)
        z = np.linspace(-REACH_A, REACH_A, n_a)
    log_prior = -0.5 * x[:, None] ** 2 - 0.5 * z[None, :] ** 2
    return Grid(x, z, log_prior - logsumexp(log_prior))
