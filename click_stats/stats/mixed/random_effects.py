"""Which random effects a model has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.errors import UsageError
from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.stats.glmm import GlmmData

MODEL, MODEL_CATEGORY, FAMILY = "model", "model:category", "family"
PLAIN = (ITEM, MODEL)
ADDABLE = (MODEL_CATEGORY, CELL, PASSAGE)


def check(random: Sequence[str] | None) -> None:
    """Raise UsageError for random effects that the analysis does not have."""
    allowed = {ITEM, MODEL, *ADDABLE}
    if random is not None and (not {ITEM, MODEL} <= set(random) or not set(random) <= allowed):
        raise UsageError(
            "The random effects are item and model, and what may be added to them.",
            found=", ".join(random),
            do="Name item and model, and any of: " + ", ".join(ADDABLE) + ".",
        )


def richest(data: GlmmData) -> tuple[str, ...]:
    """Return item, model, and over-dispersion where most cells have several trials and so can show it.

    The design decides, not a test (Barr, Levy, Scheepers and Tily 2013): a variance of 0 is a possible estimate.
    """
    several = float((data.trials > 1).mean()) > 0.5
    return (ITEM, MODEL, CELL) if several else PLAIN
