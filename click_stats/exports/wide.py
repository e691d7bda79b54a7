"""A table for R (mirt, TAM, eRm): one row per model, one column per item."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.exports.account import account, not_answered
from click_stats.folders import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.counts import Counts
    from click_stats.results import Result

NA = "NA"
TRIALS = "trials"


def trials_path(path: Path) -> Path:
    """Return where the numbers of trials stand: ``responses.csv`` has ``responses.trials.csv``."""
    return path.with_name(f"{path.stem}.{TRIALS}{path.suffix}")


def write_wide(counts: Counts, path: Path, *, force: bool = False) -> Result:
    """Write the number of right trials by model and item, ``NA`` where none counts.

    With one trial per item that is 0 or 1. Where a model has several, a second table of the same shape beside it
    (:func:`trials_path`) holds the numbers of trials, without which numbers of right ones cannot be compared.

    Parameters
    ----------
    counts
        The answers.
    path
        The table; its first column is ``model``. In R: ``read.csv(path, row.names = 1, check.names = FALSE)``.
    force
        Replace files that are there.
    """
    trials = counts.scores().trials
    numbers = (len(counts.units), len(counts.items), len(counts.units))
    files, notes = {path.name: numbers}, []
    with whole_file(path, force=force) as building:
        _write(counts, np.where(trials > 0, counts.correct, -1), building)
        if (trials > 1).any():
            beside = trials_path(path)
            with whole_file(beside, force=force) as other:
                _write(counts, trials, other)
            files[beside.name] = numbers
            notes = [f"Numbers of right trials, since items have several; {beside.name} holds of how many."]
    left_out = {"model and item without a counted trial": not_answered(counts)}
    return account("wide", files, left_out, counts.meta.get("digests", {}), notes)


def _write(counts: Counts, values: np.ndarray[tuple[int, ...], np.dtype[np.int64]], path: Path) -> None:
    frame = pd.DataFrame(values, index=counts.units.index, columns=counts.items.index).astype("Int64")
    frame = frame.mask(frame < 0)
    frame.to_csv(path, index_label="model", na_rep=NA, lineterminator="\n", encoding="utf-8")
