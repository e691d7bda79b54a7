"""The answers as item analysis sees them: one respondent per unit, an item score and shares of the options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import Counts, Denominator, FloatArray, IntArray

BoolArray = npt.NDArray[np.bool_]

CONTROLS = ("choices-only", "question-only")
"""Parts of a condition's name that say that the question was not shown whole."""


@dataclass(frozen=True)
class Answers:
    """Answers of U units to I items with at most K options.

    Attributes
    ----------
    units, items
        As in the counts.
    scores
        (U, I) share of counted trials that are correct, NaN where none counts.
    shares
        (U, I, K) share of counted trials on each option, 0 where none counts. They add up to less than 1 where a
        model named no option.
    trials
        (U, I) number of counted trials.
    gold, n_options
        (I,) stated key, from 0, and number of options.
    right
        (I, K) options that count as right: the key, and those accepted besides.
    model
        (U,) codes of the models: conditions of one model share a code.
    """

    units: pd.DataFrame
    items: pd.DataFrame
    scores: FloatArray
    shares: FloatArray
    trials: IntArray
    gold: IntArray
    n_options: IntArray
    right: BoolArray
    model: IntArray

    @property
    def there(self) -> BoolArray:
        """(U, I) whether the unit has a counted trial on the item."""
        return self.trials > 0

    @property
    def offered(self) -> BoolArray:
        """(I, K) whether the item has this option."""
        offered: BoolArray = np.arange(self.shares.shape[2]) < self.n_options[:, None]
        return offered

    @property
    def wrong(self) -> FloatArray:
        """(U, I, K) shares of the wrong options; 0 for those that are right."""
        wrong: FloatArray = np.where(self.right, 0.0, self.shares)
        return wrong


def is_control(condition: object) -> bool:
    """Tell whether a condition is one of the controls, in which the question was not shown whole."""
    return any(part in CONTROLS for part in str(condition).split(", "))


def respondents(counts: Counts) -> tuple[list[str], list[str]]:
    """Return the units that are analysed, and the control units, which are not: nor are people."""
    conditions = counts.units["condition"] if "condition" in counts.units else [""] * len(counts.units)
    rows = zip(map(str, counts.units.index), conditions, counts.people, strict=True)
    models = [(unit, condition) for unit, condition, person in rows if not person]
    return (
        [unit for unit, condition in models if not is_control(condition)],
        [unit for unit, condition in models if is_control(condition)],
    )


def answers(counts: Counts, denominator: Denominator) -> Answers:
    """Return item scores and shares of options under a stated denominator."""
    found = counts.scores(denominator)
    shares = counts.options / np.maximum(found.trials, 1)[:, :, None]
    models = counts.units.get("model", counts.units.index)
    return Answers(
        units=counts.units,
        items=counts.items,
        scores=found.values,
        shares=np.where(found.trials[:, :, None] > 0, shares, 0.0),
        trials=found.trials,
        gold=counts.items["gold"].to_numpy(dtype=np.int64),
        n_options=counts.items["n_options"].to_numpy(dtype=np.int64),
        right=counts.right,
        model=np.unique(np.asarray(models, dtype=str), return_inverse=True)[1].astype(np.int64),
    )
