"""Pairs of models on shared items: which items, cluster sums of their differences, bounds for missing answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from click_stats.stats.partition import MACRO, OVERALL
from click_stats.stats.tools.clustered import NO_ITEMS
from click_stats.stats.tools.columns import Columns, columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import Counts, FloatArray, IntArray, Scores
    from click_stats.stats.partition import Group

BoolArray = npt.NDArray[np.bool_]

LEAST_COVERAGE = 0.5
"""A unit that answered less than this share of a category is left out of the category's family."""
ROUNDING = 1e-12
"""Item scores closer than that are equal."""
GREATEST_DENOMINATOR = 1_000_000
"""Item scores with a larger common denominator are not treated as whole numbers."""
NAMED = 3
"""Up to so many units are named where one reason holds for several; beyond, their number is given."""


@dataclass(frozen=True)
class ItemSet:
    """The items on which the units of one group are compared.

    Attributes
    ----------
    group
        The group of items.
    items
        Positions of the shared items; with ``pairwise`` all items of the group.
    strata
        Category codes of ``items`` for a mean over categories, else None.
    n_strata
        Categories of that mean, with or without shared items; 1 for a plain mean.
    units
        Positions of the units that take part.
    left_out
        Why each other unit does not.
    pairwise
        Whether each pair uses its own common items.
    """

    group: Group
    items: IntArray
    strata: IntArray | None
    n_strata: int
    units: IntArray
    left_out: Mapping[int, str]
    pairwise: bool

    def why_not(self, first: int, second: int, labels: Sequence[str]) -> str:
        """Return why a pair is not compared; nothing when both units take part."""
        reasons = {unit: self.left_out[unit] for unit in (first, second) if unit in self.left_out}
        if len(reasons) == 2 and len(set(reasons.values())) == 1:
            return f"both models: {reasons[first]}"
        return "; ".join(f"{labels[unit]}: {why}" for unit, why in reasons.items())

    def absent(self, labels: Sequence[str]) -> list[tuple[str, str]]:
        """Return who is left out and why: each unit by name, or their number where many share a reason."""
        units: dict[str, list[str]] = {}
        for unit, why in self.left_out.items():
            units.setdefault(why, []).append(labels[unit])
        return [
            (who, why)
            for why, names in units.items()
            for who in (names if len(names) <= NAMED else [f"{len(names):,} models"])
        ]


def item_set(answered: BoolArray, group: Group, *, pairwise: bool = False) -> ItemSet:
    """Return the items common to all units that take part in a group.

    In a category (or any part of the items) a unit takes part if it answered at least half; over all items every
    unit does that answered any.

    Parameters
    ----------
    answered
        (U, I) whether a trial of the unit counts.
    group
        The group of items.
    pairwise
        Whether each pair is to use its own common items.
    """
    inside = answered[:, group.items]
    reached, total = inside.sum(axis=1), inside.shape[1]
    least = 1 if group.by in {OVERALL, MACRO} else max(1, int(np.ceil(LEAST_COVERAGE * total)))
    left_out = {
        int(unit): f"answered {reached[unit]:,} of {total:,} items, under half" if reached[unit] else NO_ITEMS
        for unit in np.flatnonzero(reached < least)
    }
    units = np.flatnonzero(reached >= least)
    # Without a unit "common to all" would hold of every item.
    kept = (np.ones(total, dtype=bool) if pairwise else inside[units].all(axis=0)) & bool(len(units))
    strata = None if group.strata is None else group.strata[kept]
    return ItemSet(group, group.items[kept], strata, n_strata(group), units, left_out, pairwise)


def n_strata(group: Group) -> int:
    """Return over how many means the estimate of a group is a mean."""
    return 1 if group.strata is None else int(group.strata.max(initial=0)) + 1


class Pairs(NamedTuple):
    """All pairs of the units that take part in a group; T pairs.

    Attributes
    ----------
    a, b
        Positions of the two units.
    columns, first, second
        Cluster sums, and which two columns make each pair's difference.
    n_items
        Items of each pair.
    single
        Whether both units have exactly one counted trial on each of these items.
    differing
        Items of each pair on which the scores differ.
    a_only, b_only
        Items that one unit alone got right, where ``single``.
    denominators
        A whole number that makes the cluster sums whole; 0 where there is none of use.
    """

    a: IntArray
    b: IntArray
    columns: Columns
    first: IntArray
    second: IntArray
    n_items: IntArray
    single: BoolArray
    differing: IntArray
    a_only: IntArray
    b_only: IntArray
    denominators: IntArray


def pairs(scores: Scores, chosen: ItemSet, clusters: IntArray) -> Pairs:
    """Return the pairs of a group.

    Parameters
    ----------
    scores
        Item scores of all units on all items.
    chosen
        Items and units.
    clusters
        (I,) cluster codes of all items.
    """
    i, j = np.triu_indices(len(chosen.units), k=1)
    values = scores.values[np.ix_(chosen.units, chosen.items)]
    trials = scores.trials[np.ix_(chosen.units, chosen.items)]
    present = (trials[i] > 0) & (trials[j] > 0) if chosen.pairwise else None
    different = np.abs(values[i] - values[j]) > ROUNDING
    if present is None:
        made = columns(values.T, clusters[chosen.items], chosen.strata, chosen.n_strata)
        first, second = i, j
        n_items = np.full(len(i), len(chosen.items))
        single = (trials == 1).all(axis=1)[i] & (trials == 1).all(axis=1)[j]
    else:
        both = np.concatenate([values[i], values[j]]).T
        made = columns(
            both, clusters[chosen.items], chosen.strata, chosen.n_strata, np.concatenate([present, present]).T
        )
        first, second = np.arange(len(i)), len(i) + np.arange(len(i))
        n_items = present.sum(axis=1)
        single = (~present | ((trials[i] == 1) & (trials[j] == 1))).all(axis=1)
        different &= present
    differing, a_only = different.sum(axis=1), (different & (values[i] > values[j])).sum(axis=1)
    common = np.array([_denominator(row) for row in trials], dtype=np.int64)
    denominators = np.array([_product(common[k], common[m]) for k, m in zip(i, j, strict=True)], dtype=np.int64)
    if chosen.strata is not None:
        denominators[:] = 0
    return Pairs(
        *(chosen.units[i], chosen.units[j], made, first, second, n_items, single, differing),
        *(np.where(single, a_only, 0), np.where(single, differing - a_only, 0), denominators),
    )


def _denominator(trials: IntArray) -> int:
    found = 1
    for count in np.unique(trials[trials > 0]):
        found = _product(found, int(count))
    return found


def _product(first: int, second: int) -> int:
    """Return the least common multiple; 0 when it is too large, or one of them is 0."""
    if not (first and second):
        return 0
    found = int(np.lcm(first, second))
    return found if found <= GREATEST_DENOMINATOR else 0


class PairBounds(NamedTuple):
    """Differences at the two extremes for missing answers, over all items; each (T,).

    Attributes
    ----------
    low, high
        Estimates least and most in favour of the first unit.
    low_error, high_error
        Their CR1 standard errors.
    """

    low: FloatArray
    high: FloatArray
    low_error: FloatArray
    high_error: FloatArray


def pair_bounds(counts: Counts, group: Group, clusters: IntArray, a: IntArray, b: IntArray) -> PairBounds:
    """Return what missing answers could make of the differences between units ``a`` and ``b``.

    With one answer of a pair missing the item's difference is 0 - y or 1 - y; with both, -1 or 1. The mean is
    over all items of the group that any unit was asked.
    """
    asked = ((counts.planned > 0) | (counts.statuses.sum(axis=2) > 0)).any(axis=0)[group.items]
    items = group.items[asked]
    strata = None if group.strata is None else group.strata[asked]
    found = counts.bounds()
    low = np.nan_to_num(found.low[:, items], nan=0.0)
    high = np.nan_to_num(found.high[:, items], nan=1.0)
    made = columns(np.concatenate([low, high]).T, clusters[items], strata, n_strata(group))
    low_a, low_b, high_a, high_b = a, b, len(low) + a, len(low) + b
    estimates = made.estimates
    return PairBounds(
        estimates[low_a] - estimates[high_b],
        estimates[high_a] - estimates[low_b],
        made.std_errors(low_a, high_b),
        made.std_errors(high_a, low_b),
    )
