"""Arguments that pairs and ranks have in common, checked once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import get_args

from click_stats.counts import Denominator
from click_stats.errors import UsageError


@dataclass(frozen=True)
class PairSettings:
    """How pairs are tested.

    Attributes
    ----------
    level
        Confidence level of the interval per comparison.
    alpha
        Family-wise error of the tests, less the rounding of ``1 - level``.
    margin
        Margin of equivalence as a share; None asks for no equivalence.
    pairwise
        Whether each pair uses its own common items.
    denominator
        Which trials count.
    draws, seed
        Of the random signs.

    Raises
    ------
    UsageError
        A value out of range.
    """

    level: float = 0.95
    alpha: float = 0.05
    margin: float | None = None
    pairwise: bool = False
    denominator: Denominator = "responded"
    draws: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        for what, value in (("A confidence level", self.level), ("The level of a test", self.alpha)):
            if not 0 < value < 1:
                raise UsageError(
                    f"{what} must lie between 0 and 1.", found=str(value), do="Use for example 0.95 or 0.05."
                )
        object.__setattr__(self, "alpha", round(self.alpha, 12))
        if self.margin is not None and not 0 < self.margin < 1:
            raise UsageError(
                "A margin is a share above 0 and below 1.", found=str(self.margin), do="2 points are 0.02."
            )
        least = math.ceil(2 / self.alpha)
        if self.draws < least:
            raise UsageError(
                "There are too few random draws for this level.", found=str(self.draws), do=f"Use {least} or more."
            )
        if self.seed < 0:
            raise UsageError("A seed is a whole number from 0.", found=str(self.seed), do="Use for example 0.")
        if self.denominator not in get_args(Denominator):
            choices = ", ".join(get_args(Denominator))
            raise UsageError(f"There is no denominator {self.denominator!r}.", do=f"Use one of: {choices}.")
