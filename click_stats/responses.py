"""The trials that responded, one row each: what analyses of order, wording and scores need beyond the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

RESPONSE_KEY = ("unit", "item", "wording", "rotation", "replicate")
"""What makes a response one and only one, and the order of the rows."""
RESPONSE_COLUMNS = (*RESPONSE_KEY, "prediction", "position", "gold_position", "correct")


@dataclass(frozen=True, eq=False)
class Responses:
    """Trials that responded: with an option, or with something that names none.

    Attributes
    ----------
    frame
        T rows, sorted by key. ``unit`` and ``item`` are row numbers of the counts they belong to; ``wording`` is a
        text, ``rotation`` and ``replicate`` count from 0. ``prediction`` is the original option (-1: none named),
        ``position`` its displayed position (-1: none), ``gold_position`` the displayed position of the gold,
        ``correct`` whether the prediction is right: the
        gold, or an option accepted besides. With rotation r, position p shows option ``(p + r) mod N``.
    scores
        (T, K) log-probability of each original option, NaN where there is none; None when not asked for, or when
        no trial has any.
    """

    frame: pd.DataFrame
    scores: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.frame)

    def select(self, units: npt.NDArray[np.intp], items: npt.NDArray[np.bool_]) -> Responses:
        """Return the responses of some units (row numbers, in their new order) and some items (a mask)."""
        n_units = 1 + max(self.frame["unit"].max() if len(self) else 0, units.max(initial=0))
        place = np.full(n_units, -1, dtype=np.int64)
        place[units] = np.arange(len(units))
        column = np.where(items, np.cumsum(items) - 1, -1)
        unit, item = place[self.frame["unit"].to_numpy()], column[self.frame["item"].to_numpy()]
        kept = np.flatnonzero((unit >= 0) & (item >= 0))
        kept = kept[np.argsort(unit[kept], kind="stable")]
        frame = self.frame.iloc[kept].assign(unit=unit[kept], item=item[kept]).reset_index(drop=True)
        return Responses(frame, None if self.scores is None else self.scores[kept])
