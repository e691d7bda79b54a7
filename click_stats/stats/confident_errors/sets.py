"""Sets of items: challenging for all models or for none, and confident errors on which models agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.confident_errors import shared
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED

if TYPE_CHECKING:
    from click_stats.counts import Counts, IntArray

ALL, NONE = "challenging for all", "challenging for none"
EVERY_MODEL, WITHOUT = "all models", "without {unit}"
ONE_MODEL = "one model: nothing is shared"
NO_COMMON = "no item was answered by all of these models"


def shared_rows(
    counts: Counts, below: np.ndarray, correct: IntArray, trials: IntArray, threshold: float | None, level: float
) -> list[dict[str, Any]]:
    """Return shared items of all models overall, by category and source, and overall without each model."""
    n_units = len(counts.units)
    if n_units < 2:
        return [{"model_set": EVERY_MODEL, "by": "overall", "group": "all items", "statement": ALL, "n_units": n_units,
                 "verdict": NOT_DECIDED, "reason": ONE_MODEL}]  # fmt: skip
    common = np.flatnonzero((trials > 0).all(axis=0))
    if not len(common):
        return [{"model_set": EVERY_MODEL, "by": "overall", "group": "all items", "statement": ALL, "n_units": n_units,
                 "verdict": NOT_DECIDED, "reason": NO_COMMON}]  # fmt: skip
    found = shared.chances(counts, correct, trials, common, threshold)
    hard = below[:, common]
    cell = pd.factorize(counts.items["category"].astype(str) + "|" + counts.items["n_options"].astype(str))[0][common]
    everyone = np.arange(n_units)
    wanted = [(EVERY_MODEL, everyone, group) for group in partition.groups(counts, ["overall", "category", "source"])]
    if n_units > 2:
        whole = wanted[0][2]
        names = [str(name) for name in counts.units.index]
        wanted += [(WITHOUT.format(unit=names[k]), np.delete(everyone, k), whole) for k in everyone]
    rows = []
    for name, units, group in wanted:
        places = np.flatnonzero(np.isin(common, group.items))
        for statement in (ALL, NONE):
            none = statement == NONE
            own = hard[np.ix_(units, places)]
            joint = int((~own.any(axis=0) if none else own.all(axis=0)).sum())
            row: dict[str, Any] = {
                "model_set": name, "by": group.by, "group": group.name, "statement": statement, "n_shared": joint,
                "share": joint / len(places) if len(places) else np.nan, "n_items": len(places), "n_units": len(units),
                "conf_level": level, "verdict": NOT_DECIDED, "reason": "" if len(places) else NO_COMMON,
            }  # fmt: skip
            if len(places):
                row["expected_independent"] = shared.independent(own, cell[places], none=none)
                if isinstance(found, str):
                    row["reason"] = found
                else:
                    p = shared.expected(found, units, places, none=none)
                    low, high = shared.limits(p, level)
                    mean = float(p.sum())
                    row |= {
                        "expected_difficulty": mean, "expected_low": low, "expected_high": high,
                        "excess": joint - mean, "verdict": NOT_SEPARATED if low <= joint <= high else SEPARATED,
                    }  # fmt: skip
            rows.append(row)
    return rows


def agreed(counts: Counts, wrong: IntArray, sure: np.ndarray) -> list[dict[str, Any]]:
    """Return items with confident errors of two or more models on one wrong option, most models first."""
    option = wrong.argmax(axis=2)
    family = counts.fact("family").to_numpy(dtype=object)
    names = np.array([str(name) for name in counts.units.index], dtype=object)
    rows = []
    for item in np.flatnonzero(sure.sum(axis=0) >= 2):
        for choice in np.unique(option[sure[:, item], item]):
            own = sure[:, item] & (option[:, item] == choice)
            if own.sum() < 2:
                continue
            known = {one for one in family[own] if not pd.isna(one)}
            facts = counts.items.iloc[int(item)]
            rows.append(
                {
                    "item": str(counts.items.index[int(item)]), "category": str(facts["category"]),
                    "source": str(facts["source"]), "option": int(choice) + 1, "n_units": int(own.sum()),
                    "n_families": len(known) or None, "members": ", ".join(names[own]),
                }
            )  # fmt: skip
    return sorted(rows, key=lambda row: (-row["n_units"], row["item"]))
