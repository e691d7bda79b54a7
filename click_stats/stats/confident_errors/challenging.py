"""Items that a unit answers below chance, and whether it is uncertain there or sure (the paper's Figure 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.confident_errors.measures import CONTENT, PLACE
from click_stats.stats.confident_errors.spread import ONE_TRIAL
from click_stats.stats.tools.rows import mean_row

if TYPE_CHECKING:
    from click_stats.stats.confident_errors.measures import Measures
    from click_stats.stats.partition import Group


def challenging_row(found: Measures, place: int, group: Group, high: float, level: float) -> dict[str, Any]:
    """Return one unit's challenging items among those of a group.

    Uncertain are those whose content entropy and position entropy are at least ``high``; where only the first is, the
    choices follow positions; where it is not, the unit is sure.
    """
    items = group.items
    answered, hard = found.trials[place, items] > 0, found.below[place, items]
    content, where = (found.entropies[name][place, items] for name in (CONTENT, PLACE))
    row = mean_row(np.where(answered, hard, np.nan).astype(np.float64), found.passages[items], level)
    row["n_challenging"] = int(hard.sum())
    known = hard & np.isfinite(content)
    if known.any() or (not hard.any() and np.isfinite(content).any()):
        varied = known & (content >= high)
        row |= {
            "n_uncertain": int((varied & (where >= high)).sum()), "n_by_position": int((varied & (where < high)).sum()),
            "n_sure": int((known & (content < high)).sum()),
        }  # fmt: skip
    if answered.any() and found.trials[place, items].max() <= 1:
        row["reason"] = ONE_TRIAL
    return row
