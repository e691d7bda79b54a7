"""The parameters of item analysis, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from click_stats.counts import Denominator
from click_stats.errors import UsageError
from click_stats.stats.tools.intervals import check_level

MODEL_FACTS = ("kind", "vendor", "family", "base_model", "access", "korean_corpus", "tuned", "release_date")
"""Facts by which models can be grouped."""


@dataclass(frozen=True)
class Settings:
    """The parameters of the analysis, checked."""

    denominator: Denominator
    level: float
    least_score: float
    similarity: float
    precision: float | None
    n_reviewed: int | None
    by_models: str
    top: tuple[int, ...]
    most: int

    def __post_init__(self) -> None:
        check_level(self.level)
        if self.denominator not in get_args(Denominator):
            raise UsageError(
                f"There is no denominator {self.denominator!r}.", do="Use responded, planned or in_option."
            )
        if not self.least_score > 0:
            raise UsageError("The least score of a suspect is above 0.", found=str(self.least_score), do="Use 3.")
        if not 0 < self.similarity <= 1:
            raise UsageError("The parameter similarity is a share.", found=str(self.similarity), do="Use 0.8.")
        if self.precision is not None and not 0 <= self.precision <= 1:
            raise UsageError("The precision of a review is a share.", found=str(self.precision), do="Use 0.4.")
        if self.n_reviewed is not None and (self.precision is None or self.n_reviewed < 1):
            raise UsageError(
                "The number of reviewed suspects goes with the precision that was found.",
                found=str(self.n_reviewed),
                do="Give precision=0.4 and n_reviewed=40.",
            )
        if self.by_models and self.by_models not in MODEL_FACTS:
            raise UsageError(
                f"Models cannot be grouped by {self.by_models!r}.",
                found=self.by_models,
                do="Use one of: " + ", ".join(MODEL_FACTS),
            )
        if not self.top or min(self.top) < 2:
            raise UsageError("Items separate 2 models or more.", found=str(self.top), do="Use top = [3, 5, 10].")
        if self.most < 1:
            raise UsageError("The number of suspects is 1 or more.", found=str(self.most), do="Use suspects = 100.")
