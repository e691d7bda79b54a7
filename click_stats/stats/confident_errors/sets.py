"""Items that all models miss, or all know, beside what independence leads one to expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.confident_errors import shared
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED

if TYPE_CHECKING:
    from click_stats.counts import Counts, IntArray
    from click_stats.stats.confident_errors.measures import Measures
    from click_stats.stats.confident_errors.shared import Chances
    from click_stats.stats.partition import Group

EVERY_MODEL, WITHOUT = "all models", "without {unit}"
ONE_MODEL = "one model: nothing is shared"
NO_COMMON = "no item was answered by all of these models"


def shared_rows(counts: Counts, found: Measures, threshold: float | None, level: float) -> list[dict[str, Any]]:
    """Return shared items of all models overall, by category and source, and overall without each model."""
    n_units = len(counts.units)
    common = np.flatnonzero((found.trials > 0).all(axis=0))
    if n_units < 2 or not len(common):
        reason = ONE_MODEL if n_units < 2 else NO_COMMON
        return [{"model_set": EVERY_MODEL, "by": "overall", "group": "all items", "statement": shared.CHALLENGING,
                 "n_units": n_units, "verdict": NOT_DECIDED, "reason": reason}]  # fmt: skip
    chances = shared.chances(counts, found.correct, found.trials, common, threshold)
    holds = shared.events(found.below[:, common], found.correct[:, common], found.trials[:, common])
    cell = pd.factorize(counts.items["category"].astype(str) + "|" + counts.items["n_options"].astype(str))[0][common]
    everyone = np.arange(n_units)
    wanted = [(EVERY_MODEL, everyone, group) for group in partition.groups(counts, ["overall", "category", "source"])]
    if n_units > 2:
        names = [str(name) for name in counts.units.index]
        wanted += [(WITHOUT.format(unit=names[k]), np.delete(everyone, k), wanted[0][2]) for k in everyone]
    return [
        {"model_set": name, "by": group.by, "group": group.name, "statement": statement, "n_units": len(units)}
        | _row(group, own[units], cell, common, level, chances, statement, units)
        for name, units, group in wanted
        for statement, own in holds.items()
    ]


def _row(
    group: Group, holds: np.ndarray, cell: IntArray, common: IntArray, level: float, chances: Chances | str,
    statement: str, units: IntArray,
) -> dict[str, Any]:  # fmt: skip
    places = np.flatnonzero(np.isin(common, group.items))
    row: dict[str, Any] = {
        "n_items": len(places), "n_shared": int(holds[:, places].all(axis=0).sum()), "conf_level": level,
        "verdict": NOT_DECIDED, "reason": "" if len(places) else NO_COMMON,
    }  # fmt: skip
    if not len(places):
        return row
    row["share"] = row["n_shared"] / len(places)
    row["expected_independent"] = shared.independent(holds[:, places], cell[places])
    if isinstance(chances, str):
        return row | {"reason": chances}
    p = shared.expected(chances, statement, units, places)
    low, high = shared.limits(p, level)
    return row | {
        "expected_difficulty": float(p.sum()), "expected_low": low, "expected_high": high,
        "excess": row["n_shared"] - float(p.sum()),
        "verdict": NOT_SEPARATED if low <= row["n_shared"] <= high else SEPARATED,
    }  # fmt: skip
