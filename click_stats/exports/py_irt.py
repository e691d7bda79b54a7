"""JSON lines for py-irt: one line per model, the items it answered with 1 (right) or 0."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

from click_stats.errors import DataError
from click_stats.exports.account import account, not_answered
from click_stats.folders import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.counts import Counts
    from click_stats.results import Result

SPLIT = "majority of trials; a tie counts as wrong"


def write_py_irt(counts: Counts, path: Path, *, majority: bool = False, force: bool = False) -> Result:
    """Write ``{"subject_id": ..., "responses": {item: 0 or 1}}`` for each model.

    Items without a counted trial are left out of the model's line: py-irt takes what is not there as not asked.

    Parameters
    ----------
    counts
        The answers.
    majority
        Several trials of an item become one answer: right if more than half are. py-irt takes no counts.
    force
        Replace a file that is there.

    Raises
    ------
    DataError
        A model has several trials of an item, and ``majority`` is not asked for.
    """
    values, trials = counts.scores()
    several = (trials > 1).any(axis=1)
    if several.any() and not majority:
        raise DataError(
            "py-irt takes one answer per model and item, and there are several.",
            found=", ".join(map(str, counts.units.index[np.flatnonzero(several)][:5])),
            do="Ask for the majority of trials (--majority), or export counts in the wide format.",
        )
    right = np.nan_to_num(values) > 1 / 2  # of one trial: whether it is right
    items = counts.items.index.to_numpy(dtype=object)
    with whole_file(path, force=force) as building, building.open("w", encoding="utf-8", newline="\n") as file:
        for row, unit in enumerate(counts.units.index):
            asked = np.flatnonzero(trials[row] > 0)
            responses = {str(items[place]): int(right[row, place]) for place in asked}
            file.write(json.dumps({"subject_id": str(unit), "responses": responses}, ensure_ascii=False) + "\n")
    numbers = (len(counts.units), int((trials > 0).any(axis=0).sum()), len(counts.units))
    notes = [f"Several trials of an item are one answer: {SPLIT}."] if several.any() else []
    left_out = {"model and item without a counted trial": not_answered(counts)}
    return account("py-irt", {path.name: numbers}, left_out, counts.meta.get("digests", {}), notes)
