"""Item scores of people and of models on the items that people answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import BoolArray, Counts, Denominator, FloatArray, IntArray

CONTROLS = frozenset({"choices-only", "question-only"})
"""Conditions under which a model was not shown the question whole."""


@dataclass(frozen=True)
class Side:
    """People, or models.

    Attributes
    ----------
    names
        The units.
    scores
        (U, n) item scores; NaN where a unit has no counted trial.
    """

    names: tuple[str, ...]
    scores: FloatArray

    @property
    def there(self) -> BoolArray:
        """(U, n) whether a unit has a score."""
        there: BoolArray = ~np.isnan(self.scores)
        return there

    @property
    def n(self) -> IntArray:
        """(n,) units with a score."""
        n: IntArray = self.there.sum(axis=0).astype(np.int64)
        return n

    @property
    def share(self) -> FloatArray:
        """(n,) mean score over the units that have one; NaN where none has."""
        n = self.n
        mean: FloatArray = np.full(len(n), np.nan)
        some = n > 0
        mean[some] = np.nansum(self.scores[:, some], axis=0) / n[some]
        return mean

    @property
    def right(self) -> IntArray:
        """(U, n) 1 where more than half of a unit's trials are right, 0 where less; -1 where half, or none counts."""
        known = self.there & (self.scores != 0.5)
        right: IntArray = np.where(known, self.scores > 0.5, -1).astype(np.int64)
        return right


@dataclass(frozen=True)
class Scores:
    """People and models on the n items that at least one person answered.

    Attributes
    ----------
    counts
        The counts of these items.
    people, models
        Item scores of both.
    majority
        (n,) score of the option that most people chose: shared equally where several are chosen as often; NaN where no
        person answered.
    """

    counts: Counts
    people: Side
    models: Side
    majority: FloatArray

    @property
    def items(self) -> pd.DataFrame:
        """The items, as in the counts."""
        return self.counts.items


def scores_of(counts: Counts, denominator: Denominator) -> Scores:
    """Return scores of people and models on the items that people answered; control units are left out."""
    human = counts.people
    of_people = counts.select([str(unit) for unit in counts.units.index[human]])
    asked: BoolArray = np.any(of_people.scores(denominator).trials > 0, axis=0)
    here = counts.select(items=asked)
    control = np.array([bool(CONTROLS & set(str(one).split(", "))) for one in counts.fact("condition")], dtype=np.bool_)
    values, _ = here.scores(denominator)
    names = np.array(list(map(str, counts.units.index)), dtype=object)
    people, models = (Side(tuple(names[mask]), values[mask]) for mask in (human, ~human & ~control))
    return Scores(here, people, models, _majority(here.options[human], here.right, people.n))


def _majority(options: IntArray, right: BoolArray, n_people: IntArray) -> FloatArray:
    """Return the score of the option most people chose. Each person has one vote, shared among several trials."""
    trials = options.sum(axis=2, keepdims=True)
    votes = np.divide(options, trials, out=np.zeros(options.shape), where=trials > 0).sum(axis=0)
    most = votes.max(axis=1, initial=0.0, keepdims=True)
    leading = (votes >= most - 1e-9) & (votes > 0)
    n_leading = leading.sum(axis=1)
    score: FloatArray = np.where(n_leading > 0, (leading & right).sum(axis=1) / np.maximum(n_leading, 1), 0.0)
    return np.where(n_people > 0, score, np.nan)
