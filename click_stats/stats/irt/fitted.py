"""What every engine hands on: parameters of items, abilities, draws of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray


class Parameter(NamedTuple):
    """A parameter of any shape: its mean, its standard error, and the ends of its interval."""

    mean: FloatArray
    sd: FloatArray
    low: FloatArray
    high: FloatArray

    @classmethod
    def undefined(cls, shape: tuple[int, ...]) -> Parameter:
        """Return a parameter of which nothing is known."""
        return cls(*(np.full(shape, np.nan) for _ in range(4)))

    @classmethod
    def normal(cls, mean: FloatArray, sd: FloatArray, z: float) -> Parameter:
        """Return a parameter with a symmetric interval of ``z`` standard errors."""
        return cls(mean, sd, mean - z * sd, mean + z * sd)


class Draws(NamedTuple):
    """Draws from the posterior: of items (D, I), of levels on leaves (D, U, G) and in categories (D, U, C)."""

    difficulty: FloatArray
    slope: FloatArray
    leaf: FloatArray
    category: FloatArray

    def some(self, number: int) -> IntArray:
        """Return the places of ``number`` draws, or of all when there are fewer, evenly spread."""
        total = len(self.difficulty)
        return np.linspace(0, total - 1, min(number, total)).round().astype(np.int64)


@dataclass(frozen=True)
class Fitted:
    """A fitted model.

    Attributes
    ----------
    method
        What the intervals are.
    difficulty
        Of the items, (I,).
    slope
        Discriminations, (I,); None in the 1PL.
    general
        Levels of the models, (U,).
    category
        Levels of the models in the categories, (U, C); None when there are none.
    draws
        From the posterior; None where there is none.
    probability
        (U, I) expected shares right.
    spread
        Standard deviations by the name of what varies, in logits.
    reasons
        (I,) why the difficulty of an item is undefined; empty where it is not.
    """

    method: str
    difficulty: Parameter
    slope: Parameter | None
    general: Parameter
    category: Parameter | None
    draws: Draws | None
    probability: FloatArray
    spread: dict[str, float]
    reasons: tuple[str, ...]


def probability(
    floor: FloatArray, ability: FloatArray, difficulty: FloatArray, slope: FloatArray | float
) -> FloatArray:
    """Return probabilities of a right answer; floors, difficulties and discriminations (I,), abilities (U, I)."""
    found: FloatArray = floor + (1.0 - floor) * expit(slope * (ability - difficulty))
    return found
