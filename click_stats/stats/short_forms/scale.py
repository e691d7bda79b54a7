"""The scale on which information is counted and adaptive tests run: a difficulty of each item, from training models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

from click_stats.stats.irt import marginal, posterior
from click_stats.stats.irt.data import Responses
from click_stats.stats.irt.information import item_information

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

GRID = np.linspace(-6.0, 6.0, 121)
"""Abilities in units of their standard deviation over the training models."""


@dataclass(frozen=True)
class Scale:
    """Items and abilities of the training models.

    Attributes
    ----------
    difficulty, floor
        (I,) in logits; probability of a right answer without any ability.
    abilities
        (U,) of the training models; their mean is 0.
    sd
        Standard deviation of abilities: of the normal prior for a new model.
    """

    difficulty: FloatArray
    floor: FloatArray
    abilities: FloatArray
    sd: float

    @property
    def grid(self) -> FloatArray:
        """Return the abilities at which a new model is considered."""
        return np.asarray(GRID * self.sd, dtype=np.float64)

    def probability(self, ability: FloatArray) -> FloatArray:
        """Return (R, I) probabilities of a right answer at each of R abilities."""
        return np.asarray(self.floor + (1 - self.floor) * expit(ability[:, None] - self.difficulty), dtype=np.float64)

    def information(self, ability: FloatArray) -> FloatArray:
        """Return (R, I) information of one answer at each of R abilities."""
        return item_information(ability, self.difficulty, 1.0, self.floor)

    def conversion(self, items: IntArray) -> Conversion:
        """Return the whole score that each number of right answers to some items stands for.

        Notes
        -----
        The distribution of the number right at an ability by the recursion of Lord and Wingersky (1984), the mean over
        the ability with a normal prior as in Thissen, Pommerich, Billeaud and Williams (1995).
        """
        grid = self.grid
        probability = self.probability(grid)
        whole = probability.mean(axis=1)
        counts = np.ones((grid.size, 1))
        for item in items:
            right = probability[:, item, None]
            counts = np.pad(counts * (1 - right), ((0, 0), (0, 1))) + np.pad(counts * right, ((0, 0), (1, 0)))
        weight = counts * np.exp(-0.5 * (grid[:, None] / self.sd) ** 2)
        weight /= weight.sum(axis=0)
        mean = whole @ weight
        spread = np.sqrt(np.maximum(((whole[:, None] - mean) ** 2 * weight).sum(axis=0), 0.0))
        return Conversion(mean, spread)


class Conversion(NamedTuple):
    """Whole score and its posterior standard deviation by the number of right answers, (k + 1,)."""

    score: FloatArray
    std_error: FloatArray

    def __call__(self, mean: FloatArray) -> FloatArray:
        """Return the whole scores of mean item scores; between two numbers right by a straight line."""
        places = np.linspace(0.0, 1.0, self.score.size)
        return np.asarray(np.interp(mean, places, self.score), dtype=np.float64)


def scale_of(correct: FloatArray, trials: FloatArray, floor: FloatArray) -> Scale:
    """Fit the hierarchical 1PL of :mod:`click_stats.stats.irt` to the training models.

    Parameters
    ----------
    correct, trials
        (U, I) counts.
    floor
        (I,) probability of a right answer without any ability.
    """
    one = np.zeros(floor.size, dtype=np.int64)
    first = np.zeros(1, dtype=np.int64)
    responses = Responses(correct, trials, floor, one, one, first, np.zeros(1, dtype=bool))
    fit = marginal.fit(responses)
    difficulty = posterior.difficulty(fit, responses, 0.95).mean
    return Scale(difficulty, floor, fit.abilities.general, max(float(fit.abilities.spread.general), 0.1))
