"""Wrong and sure: one wrong option takes most of an item's trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.counts import INCORRECT
from click_stats.stats.blocks import balanced

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import Counts, FloatArray, IntArray


def wrong_options(counts: Counts) -> IntArray:
    """Return (units, items, options) trials on each wrong option; those that are right have none."""
    wrong: IntArray = np.where(counts.right, 0, counts.options)
    return wrong


def wrong_and_sure(counts: Counts, share: float) -> npt.NDArray[np.bool_]:
    """Return (units, items) whether one wrong option has at least ``share`` of the trials that responded.

    True of an item without trials: what may be counted is the caller's to say.
    """
    trials = counts.n("ok", *INCORRECT)
    # Three of four are three quarters, whatever a product of floats makes of it.
    found: npt.NDArray[np.bool_] = wrong_options(counts).max(axis=2) >= share * trials - 1e-9
    return found


def confident(counts: Counts, share: float) -> FloatArray:
    """Return (units, items) 1 for a confident error, 0 for none, NaN without complete balanced rotations.

    With one order of the options a model that likes a position would look sure of what stands there.
    """
    trials = counts.n("ok", *INCORRECT)
    return np.where(balanced(counts) & (trials > 0), wrong_and_sure(counts, share).astype(np.float64), np.nan)
