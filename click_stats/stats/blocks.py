"""Complete rotations: the answers of an item to all its orders of options, in one wording and repetition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.errors import UsageError

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from click_stats.counts import Counts

BLOCK = ["unit", "item", "wording", "replicate"]


def complete(counts: Counts, analysis: str) -> pd.DataFrame:
    """Return the responses with ``n_options``, ``block`` (code) and whether their block is ``complete``.

    A block (unit, item, wording, replicate) is complete when each of the N rotations responded exactly once: every
    original option then stood once at every displayed position.

    Raises
    ------
    UsageError
        Counts without responses.
    """
    if counts.responses is None:
        raise UsageError(
            f"The analysis {analysis!r} needs single responses, and these counts have none.",
            do="Pass trials, or counts made with trials.counts(responses=True).",
        )
    frame = counts.responses.frame
    n = counts.items["n_options"].to_numpy(dtype=np.int64)[frame["item"].to_numpy(dtype=np.int64)]
    frame = frame.assign(n_options=n)
    grouped = frame.groupby(BLOCK, sort=True, observed=True)
    rotations = grouped["rotation"]
    whole = (rotations.transform("nunique") == n) & (rotations.transform("size") == n)
    whole &= rotations.transform("max") < n
    return frame.assign(block=grouped.ngroup(), complete=whole.to_numpy(dtype=bool))


def balanced(counts: Counts) -> npt.NDArray[np.bool_]:
    """Return (units, items) whether every rotation of the item was answered, each equally often.

    Nowhere when the counts were made without responses.
    """
    if counts.responses is None:
        return np.zeros((len(counts.units), len(counts.items)), dtype=bool)
    frame = counts.responses.frame
    size = (len(counts.units), len(counts.items), counts.options.shape[2])
    n = np.zeros(size, dtype=np.int64)
    np.add.at(n, (frame["unit"].to_numpy(), frame["item"].to_numpy(), frame["rotation"].to_numpy()), 1)
    options = counts.items["n_options"].to_numpy(dtype=np.int64)
    real = np.arange(size[2]) < options[:, None]
    lowest = np.where(real, n, n.max(initial=0)).min(axis=2)
    highest = np.where(real, n, 0).max(axis=2)
    found: npt.NDArray[np.bool_] = (lowest == highest) & (lowest > 0)
    return found
