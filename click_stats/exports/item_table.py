"""The items as a table: facts, proportion correct and, where an item response model was fitted, its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.errors import DataError
from click_stats.exports.account import account
from click_stats.folders import whole_file

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from click_stats.counts import Counts
    from click_stats.results import Result

FACTS = ("id", "category", "domain", "source", "n_options", "gold", "accepted", "cluster", "digest")


def item_table(counts: Counts, parameters: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return one row per item.

    Parameters
    ----------
    counts
        The answers.
    parameters
        From :func:`click_stats.parameters.read_parameters`; items they lack have missing values.

    Returns
    -------
    DataFrame
        Index ``item``; facts of the item, ``n_units`` and ``n_trials`` that count, ``proportion`` correct (the mean
        over models of their item scores), and the columns of ``parameters``.
    """
    values, trials = counts.scores()
    answered = trials > 0
    n_units = answered.sum(axis=0)
    total = np.where(answered, values, 0.0).sum(axis=0)
    frame = counts.items[[name for name in FACTS if name in counts.items]].copy()
    frame["n_units"], frame["n_trials"] = n_units, trials.sum(axis=0)
    frame["proportion"] = np.divide(total, n_units, out=np.full(len(frame), np.nan), where=n_units > 0)
    return frame if parameters is None else frame.join(parameters.drop(columns=frame.columns, errors="ignore"))


def write_items(counts: Counts, path: Path, parameters: pd.DataFrame | None = None, *, force: bool = False) -> Result:
    """Write :func:`item_table` as CSV; what is missing is empty.

    Raises
    ------
    DataError
        The parameters are of none of these items.
    """
    frame = item_table(counts, parameters)
    known = 0 if parameters is None else int(frame.index.isin(parameters.index).sum())
    if parameters is not None and not known:
        raise DataError(
            "The parameters are of none of these items.",
            found=", ".join(map(str, parameters.index[:3])),
            do="Give the parameters of this benchmark.",
        )
    with whole_file(path, force=force) as building:
        frame.to_csv(building, lineterminator="\n", encoding="utf-8")
    left_out = {} if parameters is None else {"item without parameters": len(frame) - known}
    numbers = (len(counts.units), len(frame), len(frame))
    return account("items", {path.name: numbers}, left_out, counts.meta.get("digests", {}), [])
