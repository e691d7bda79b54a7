"""The cube of answers, model x item x option: the sufficient statistic of most analyses."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.responses import Responses

Denominator = Literal["responded", "planned", "in_option"]
FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

INCORRECT = ("out_of_option", "empty", "refused", "truncated")
"""The model spoke, but named no option: incorrect."""
UNANSWERED = ("filtered", "failed")
"""No answer reached us: not an answer."""
HUMAN = "human"
"""The kind of a unit that is a person; also the condition under which answers of people are stored."""
STATUSES = ("ok", *INCORRECT, *UNANSWERED)
"""Stored statuses, in the order of the last axis of :attr:`Counts.statuses`."""


class Scores(NamedTuple):
    """Item scores of every unit.

    Attributes
    ----------
    values
        (units, items); share of counted trials that are correct, NaN where no trial counts.
    trials
        (units, items); number of counted trials.
    """

    values: FloatArray
    trials: IntArray


class Bounds(NamedTuple):
    """Item scores if every unanswered trial were wrong (low) or right (high); both (units, items)."""

    low: FloatArray
    high: FloatArray


def right_options(items: pd.DataFrame, n_options: int) -> BoolArray:
    """Return (I, K) which options are right: the gold of each item, and those that ``accepted`` lists besides.

    Parameters
    ----------
    items
        Column ``gold`` (position from 0); column ``accepted``, where there is one: positions with blanks between.
    n_options
        K, at least the largest number of options.
    """
    right = np.zeros((len(items), n_options), dtype=np.bool_)
    right[np.arange(len(items)), items["gold"].to_numpy(dtype=np.int64)] = True
    if "accepted" in items:
        for row in np.flatnonzero(items["accepted"].to_numpy() != ""):
            right[row, [int(position) for position in str(items["accepted"].iloc[row]).split()]] = True
    return right


def is_human(condition: object) -> bool:
    """Tell whether answers under this condition are those of a person."""
    return HUMAN in str(condition).split(", ")


@dataclass(frozen=True)
class Counts:
    """How often each unit chose each option of each item.

    Attributes
    ----------
    units
        Index ``unit``; columns ``model``, ``condition``, ``protocol`` (empty when not stated), where it is known
        ``output_tokens`` (mean per trial), and the facts of the models, if any were stated. U rows.
    items
        Index ``item``; the columns of the item table, at least ``category, domain, source, n_options,
        gold, cluster``; ``accepted`` where options are right besides the gold. I rows: every item of the table,
        answered or not.
    options
        (U, I, K) trials with status ``ok`` by original option, K the largest number of options.
    statuses
        (U, I, S) trials by stored status, in the order of :data:`STATUSES`.
    planned
        (U, I) trials that were planned; what is not stored of them is missing.
    cells
        Per unit, item, wording and rotation: ``n_trials`` that responded and ``n_correct``;
        None when not asked for. Needed by the target ``fixed``.
    categories, domains
        Names in report order.
    meta
        Digests of the trials and items, and warnings that every analysis hands on.
    responses
        The trials that responded, one row each; None when not asked for.
    """

    units: pd.DataFrame
    items: pd.DataFrame
    options: IntArray
    statuses: IntArray
    planned: IntArray
    cells: pd.DataFrame | None = None
    categories: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    responses: Responses | None = None

    def __post_init__(self) -> None:
        shape = (len(self.units), len(self.items))
        for name, array, expected in (
            ("options", self.options, (*shape, self.options.shape[-1])),
            ("statuses", self.statuses, (*shape, len(STATUSES))),
            ("planned", self.planned, shape),
        ):
            if array.shape != expected:
                raise UsageError(f"The array {name!r} of the counts has a wrong shape.", found=str(array.shape))

    @property
    def correct(self) -> IntArray:
        """(U, I) trials whose answer is right: the gold option, or one accepted besides."""
        gold = self.items["gold"].to_numpy(dtype=np.int64)
        taken: IntArray = np.take_along_axis(self.options, gold[None, :, None], axis=2)[:, :, 0]
        several = np.flatnonzero(self.right.sum(axis=1) > 1)
        if several.size:
            taken[:, several] = np.where(self.right[several], self.options[:, several], 0).sum(axis=2)
        return taken

    @property
    def right(self) -> BoolArray:
        """(I, K) which options are right; see :func:`right_options`."""
        return right_options(self.items, self.options.shape[2])

    def fact(self, name: str) -> pd.Series[Any]:
        """Return a fact of the models by unit (``parameters``, ``family``, ...), all missing where none is known."""
        if name in self.units:
            return self.units[name]
        return pd.Series(None, index=self.units.index, name=name, dtype=object)

    @property
    def people(self) -> BoolArray:
        """(U,) which units are people: by what is stated of them (``kind``), or by the condition of their answers."""
        stated: BoolArray = (self.fact("kind").astype(str) == HUMAN).to_numpy(dtype=np.bool_)
        marked = [is_human(condition) for condition in self.fact("condition")]
        return stated | np.array(marked, dtype=np.bool_)

    def with_units(self, units: pd.DataFrame) -> Counts:
        """Return the same counts with other columns of the units, whose labels stay."""
        if not units.index.equals(self.units.index):
            raise UsageError("The units of counts cannot be renamed.", found=", ".join(map(str, units.index)))
        return replace(self, units=units)

    def n(self, *statuses: str) -> IntArray:
        """(U, I) trials with one of the ``statuses``; ``missing`` is derived from the plan."""
        total = np.zeros(self.planned.shape, dtype=np.int64)
        for status in statuses:
            if status == "missing":
                total += np.maximum(self.planned - self.statuses.sum(axis=2), 0)
            else:
                total += self.statuses[:, :, STATUSES.index(status)]
        return total

    def scores(self, denominator: Denominator = "responded") -> Scores:
        """Return item scores under a stated denominator.

        ``responded`` leaves out filtered, failed and missing trials; ``planned`` counts whatever is not
        correct as incorrect; ``in_option`` counts only trials with an option as answer.
        """
        if denominator == "responded":
            trials = self.n("ok", *INCORRECT)
        elif denominator == "in_option":
            trials = self.n("ok")
        elif denominator == "planned":
            trials = np.maximum(self.planned, self.statuses.sum(axis=2))
        else:
            raise UsageError(f"There is no denominator {denominator!r}.", do="Use responded, planned or in_option.")
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(trials > 0, self.correct / trials, np.nan)
        return Scores(values, trials)

    def bounds(self, kinds: Sequence[str] = (*UNANSWERED, "missing")) -> Bounds:
        """Return item scores if the unanswered trials of these kinds were all wrong, and all right.

        Unanswered trials of other kinds are left out; an item without any trial left is NaN.
        """
        unanswered = self.n(*kinds)
        trials = self.n("ok", *INCORRECT) + unanswered
        with np.errstate(invalid="ignore", divide="ignore"):
            low = np.where(trials > 0, self.correct / trials, np.nan)
            high = np.where(trials > 0, (self.correct + unanswered) / trials, np.nan)
        return Bounds(low, high)

    def select(self, units: Sequence[str] | None = None, items: npt.NDArray[np.bool_] | None = None) -> Counts:
        """Return the counts of some units (labels, in this order) and some items (a mask)."""
        rows = np.arange(len(self.units)) if units is None else self.units.index.get_indexer(pd.Index(list(units)))
        if (rows < 0).any():
            unknown = [unit for unit, row in zip(units or (), rows, strict=True) if row < 0]
            raise UsageError(
                "These models are not in the data.",
                found=", ".join(unknown),
                do="Use one of: " + ", ".join(map(str, self.units.index)),
            )
        mask = np.ones(len(self.items), dtype=bool) if items is None else items
        cells = self.cells
        if cells is not None:
            kept = set(self.items.index[mask])
            cells = cells[cells["unit"].isin(self.units.index[rows]) & cells["item"].isin(kept)]
        return Counts(
            units=self.units.iloc[rows],
            items=self.items[mask],
            options=self.options[rows][:, mask],
            statuses=self.statuses[rows][:, mask],
            planned=self.planned[rows][:, mask],
            cells=cells,
            categories=self.categories,
            domains=self.domains,
            meta=self.meta,
            responses=None if self.responses is None else self.responses.select(np.asarray(rows, dtype=np.intp), mask),
        )
