"""Wrong and sure: one wrong option takes most of an item's trials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.counts import INCORRECT

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import Counts, IntArray


def wrong_options(counts: Counts) -> IntArray:
    """Return (units, items, options) trials on each wrong option; the gold option has none."""
    wrong = counts.options.copy()
    gold = counts.items["gold"].to_numpy(dtype=np.int64)
    wrong[:, np.arange(len(gold)), gold] = 0
    return wrong


def wrong_and_sure(counts: Counts, share: float) -> npt.NDArray[np.bool_]:
    """Return (units, items) whether one wrong option has at least ``share`` of the trials that responded.

    True of an item without trials: what may be counted is the caller's to say.
    """
    trials = counts.n("ok", *INCORRECT)
    # Three of four are three quarters, whatever a product of floats makes of it.
    found: npt.NDArray[np.bool_] = wrong_options(counts).max(axis=2) >= share * trials - 1e-9
    return found
