"""Binomial counts in cells, one row for each model and item, and the groupings of the cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import FloatArray, IntArray

CELL = "cell"
ITEM = "item"
PASSAGE = "passage"


class Grouping(NamedTuple):
    """Which level of a random effect each cell belongs to.

    Attributes
    ----------
    codes
        (cells,) position in ``levels``.
    levels
        Names of the levels that occur, sorted.
    """

    codes: IntArray
    levels: pd.Index


class Table:
    """Columns that formulas and groupings name, one row for each cell.

    Attributes
    ----------
    columns
        (cells,) rows.
    """

    columns: pd.DataFrame

    def __len__(self) -> int:
        return len(self.columns)

    def column(self, name: str, *, use: str) -> pd.Series:
        """Return a column that has a value in every cell."""
        if name not in self.columns.columns:
            raise UsageError(
                f"There is no column {name!r} for the {use}.", found=", ".join(map(str, self.columns.columns))
            )
        values = self.columns[name]
        empty = values.isna()
        if empty.any():
            who = (
                sorted(set(self.columns.loc[empty, "model"].dropna().astype(str)))
                if "model" in self.columns.columns
                else []
            )
            raise DataError(
                f"The column {name!r} has no value in {int(empty.sum())} of {len(self)} cells.",
                found=("models " + ", ".join(who[:5])) if who else "",
                do="Leave out those cells, and say so, or fill in the value.",
            )
        return values

    def grouping(self, name: str) -> Grouping:
        """Return the levels of a random effect: a column, columns crossed by ``:``, or ``cell``."""
        if name == CELL:
            return Grouping(np.arange(len(self), dtype=np.int64), pd.RangeIndex(len(self)))
        parts = [self.column(part, use=f"random effect {name!r}").astype(str) for part in name.split(":")]
        joined = parts[0]
        for part in parts[1:]:
            joined = joined + ":" + part
        codes, levels = pd.factorize(joined, sort=True)
        return Grouping(codes.astype(np.int64), pd.Index(levels, name=name))


@dataclass(frozen=True)
class GlmmData(Table):
    """Correct of trials in every cell.

    Attributes
    ----------
    correct, trials
        (cells,) counts, 0 <= correct <= trials, trials >= 1.
    columns
        (cells,) rows; ``item``, ``model`` and whatever formulas and groupings name (``passage``, ``category``,
        ``log10_params``, ...). A cell that is missing has no row.
    n_empty
        Rows without a trial that :meth:`from_frame` left out.
    """

    correct: FloatArray
    trials: FloatArray
    columns: pd.DataFrame
    n_empty: int = 0

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, correct: str = "correct", trials: str | None = "trials") -> GlmmData:
        """Take the counts from a table.

        Parameters
        ----------
        frame
            One row for each cell.
        correct
            Column of the number of correct trials.
        trials
            Column of the number of trials; None when every cell is one trial.

        Raises
        ------
        DataError
            Counts that are no counts, or no cell with a trial.
        UsageError
            A column that the table does not have.
        """
        for name in (correct, trials):
            if name is not None and name not in frame.columns:
                raise UsageError(f"The table has no column {name!r}.", found=", ".join(map(str, frame.columns)))
        right = pd.to_numeric(frame[correct], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        total = (
            np.ones(len(frame))
            if trials is None
            else pd.to_numeric(frame[trials], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        )
        bad = ~((right >= 0) & (right <= total) & (right == np.round(right)) & (total == np.round(total)))
        if bad.any():
            raise DataError(
                f"{bad.sum()} cells do not hold counts with 0 <= correct <= trials.",
                found=", ".join(f"{right[k]:g} of {total[k]:g} in row {k}" for k in np.flatnonzero(bad)[:3]),
                do="Give whole numbers; leave out cells that have no answer.",
            )
        kept = total > 0
        if not kept.any():
            raise DataError("No cell has a trial.", do="Give at least one answered trial.")
        columns = frame.loc[kept].drop(columns=[correct, *([] if trials is None else [trials])])
        return cls(right[kept], total[kept], columns.reset_index(drop=True), int((~kept).sum()))

    def take(self, kept: np.ndarray) -> GlmmData:
        """Return the cells where ``kept`` (cells,) is true."""
        return GlmmData(self.correct[kept], self.trials[kept], self.columns[kept].reset_index(drop=True), self.n_empty)


@dataclass(frozen=True)
class GlmmSpec:
    """What is fitted.

    Attributes
    ----------
    fixed
        Fixed effects: column names, numeric or categorical, joined by ``+``, ``:`` and ``*``; the intercept is
        always in. Categorical columns have treatment contrasts.
    random
        Independent normal effects: ``item``; ``passage`` (each item lies in one passage); ``cell`` (over-dispersion
        of a model on an item); any other column or crossing, such as ``model``, ``family``, ``model:category``.
    base
        Base level of a categorical column; the first in sorted order where none is given.
    """

    fixed: str = ""
    random: Sequence[str] = (ITEM, "model")
    base: Mapping[str, str] = field(default_factory=dict)


def groupings(data: GlmmData, spec: GlmmSpec) -> dict[str, Grouping]:
    """Return the groupings of all random effects, each of which must be able to have a variance of its own.

    Raises
    ------
    DataError
        One level only; two effects that group the cells alike; over-dispersion of single trials; an item in two
        passages.
    UsageError
        The same effect twice, or an unknown column.
    """
    found: dict[str, Grouping] = {}
    for name in spec.random:
        if name in found:
            raise UsageError(f"The random effect {name!r} is given twice.")
        group = data.grouping(name)
        if len(group.levels) < 2:
            raise DataError(
                f"The random effect {name!r} has one level only, so its variance cannot be estimated.",
                found=str(group.levels[0]),
                do=f"Leave {name!r} out of the random effects.",
            )
        found[name] = group
    if CELL in found and data.trials.max() == 1:
        raise DataError(
            "Over-dispersion cannot be seen in cells of one trial.", do=f"Leave {CELL!r} out of the random effects."
        )
    _distinct(found)
    if ITEM in found and PASSAGE in found:
        pairs = np.unique(np.stack([found[ITEM].codes, found[PASSAGE].codes]), axis=1)
        items, times = np.unique(pairs[0], return_counts=True)
        if (times > 1).any():
            names = found[ITEM].levels[items[times > 1]]
            raise DataError(
                f"{len(names)} items lie in more than one passage.",
                found=", ".join(map(str, names[:3])),
                do="Give each item one passage; an item without a paragraph is its own.",
            )
    return found


def _distinct(found: Mapping[str, Grouping]) -> None:
    """Refuse two effects whose levels are the same sets of cells."""
    names = list(found)
    for second in range(len(names)):
        for first in range(second):
            one, two = found[names[first]], found[names[second]]
            if len(one.levels) != len(two.levels):
                continue
            if len(np.unique(one.codes * len(two.levels) + two.codes)) == len(one.levels):
                raise DataError(
                    f"The random effects {names[first]!r} and {names[second]!r} group the cells alike.",
                    found=f"{len(one.levels)} levels",
                    do="Leave one of them out: only the sum of their variances can be estimated.",
                )
