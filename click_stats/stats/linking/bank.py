"""The fixed items: their parameters, and what is known of the error of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, log_expit

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import FloatArray, IntArray

PROBIT = 16.0 * np.sqrt(3.0) / (15.0 * np.pi)
"""A logistic variable is nearly a normal one of standard deviation 1/PROBIT (Johnson, Kotz and Balakrishnan 1995)."""


@dataclass(frozen=True)
class Bank:
    """Parameters of I items: P(right) = floor + (1 - floor) / (1 + exp(-slope (ability - difficulty))).

    Attributes
    ----------
    difficulty, slope, floor
        (I,) each; difficulty in logits.
    difficulty_se, slope_se
        (I,) their standard errors, 0 where the file has none.
    """

    difficulty: FloatArray
    slope: FloatArray
    floor: FloatArray
    difficulty_se: FloatArray
    slope_se: FloatArray

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Bank:
        """Take the parameters of a table that :func:`click_stats.parameters.read_parameters` read."""
        zero = np.zeros(len(frame))

        def column(name: str) -> FloatArray:
            return frame[name].fillna(0.0).to_numpy(dtype=np.float64) if name in frame else zero

        return cls(
            column("difficulty"), column("discrimination"), column("floor"), column("difficulty_se"),
            column("discrimination_se"),
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.difficulty)

    def of_items(self, items: IntArray) -> Bank:
        """Return the parameters of some items."""
        return Bank(*(values[items] for values in vars(self).values()))

    @property
    def known(self) -> bool:
        """Whether the errors of the difficulties are stated."""
        return bool(self.difficulty_se.any())

    @property
    def flat(self) -> FloatArray:
        """(I,) slopes that average over the error of the difficulty.

        The mean of the curve over d ~ N(difficulty, se²) is nearly the curve with the slope a / sqrt(1 + (k a se)²),
        k = 16 sqrt(3)/(15 pi), within .01 (Zeger, Liang and Albert 1988). With one trial an item and independent
        errors, the likelihood of an ability with these slopes is the one in which the difficulties are integrated out.
        """
        return np.asarray(self.slope / np.sqrt(1.0 + (PROBIT * self.slope * self.difficulty_se) ** 2), dtype=np.float64)

    def probability(self, ability: FloatArray) -> FloatArray:
        """Return (R, I) probabilities at each of R abilities, the error of the difficulties averaged over."""
        own = expit(self.flat * (ability[:, None] - self.difficulty))
        return np.asarray(self.floor + (1.0 - self.floor) * own, dtype=np.float64)

    def log_probabilities(self, ability: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the (R, I) logarithms of the probabilities of a right and of a wrong answer, finite everywhere."""
        logit = self.flat * (ability[:, None] - self.difficulty)
        floored = np.log(np.maximum(self.floor, 1e-300) + (1.0 - self.floor) * expit(logit))
        right = np.where(self.floor > 0, floored, log_expit(logit))
        return np.asarray(right, dtype=np.float64), np.asarray(np.log1p(-self.floor) + log_expit(-logit))

    def slope_at(self, ability: FloatArray) -> FloatArray:
        """Return (R, I) derivatives of the probabilities by the ability."""
        own = expit(self.flat * (ability[:, None] - self.difficulty))
        return np.asarray((1.0 - self.floor) * self.flat * own * (1.0 - own), dtype=np.float64)

    def whole_scores(self, ability: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return (R,) mean probabilities over all items at each of R abilities, each with parameters drawn anew."""
        found = np.empty(ability.size)
        for row, one in enumerate(ability):
            difficulty, slope = self.difficulty, self.slope
            if self.known:
                difficulty = difficulty + self.difficulty_se * rng.standard_normal(len(self))
            if self.slope_se.any():  # relative errors, so that a slope stays positive
                slope = slope * np.exp(self.slope_se / self.slope * rng.standard_normal(len(self)))
            found[row] = (self.floor + (1.0 - self.floor) * expit(slope * (one - difficulty))).mean()
        return found
