"""Effects as average differences of the probability of a right answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from click_stats.stats.bayes.predictors import parts

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.bayes.data import BayesData
    from click_stats.stats.bayes.effects import Posterior

POINTS_DRAWS = 2000
"""Draws for effects in points: each costs some probabilities for every model and item."""


def in_points(found: Posterior, data: BayesData) -> FloatArray:
    """Return (draws, K) effects as average differences of the probability of a right answer.

    The average is over all models and items at hand. A number: from half a unit below to half a unit above what a model
    has. A level: every model with this level against every model with the base level, all else as it is. An
    interaction of two facts of models: the effect of the first under both values of the second, the one less the other.
    An interaction with groups of items: the effect in that group less that in the base group.
    """
    step = max(1, len(found.rows) // POINTS_DRAWS)
    chosen = np.arange(0, len(found.rows), step)
    changes = Changes(data)
    rng = np.random.default_rng([len(chosen), 3])
    return np.stack(
        [changes.effects(found.draws.logits(int(found.rows[draw]), data, rng), found.effects[draw]) for draw in chosen]
    )


class Changes:
    """What happens to all logits when one fact of all models is changed."""

    def __init__(self, data: BayesData) -> None:
        self.data = data
        self.factors = parts(data.of_models)
        self.main = [k for k, own in enumerate(self.factors) if own == [k]]
        size = np.bincount(data.groups.codes, minlength=data.groups.n)
        self.member = np.eye(data.groups.n)[data.groups.codes] / size
        self.share = size / size.sum()

    def effects(self, logits: FloatArray, drawn: FloatArray) -> FloatArray:
        """Return (K,) effects in points of one draw: (M, I) logits and (K,) effects in logits."""
        by_group = {k: self._difference(logits, drawn, self._low(k), self._high(k)) for k in self.main}
        found = []
        for k, own in enumerate(self.factors):
            if len(own) == 1:
                found.append(float(by_group[k] @ self.share))
                continue
            first, *others = own
            total = 0.0
            for which in np.ndindex(*(2,) * len(others)):
                facts = self.data.of_models.raw.copy()
                for other, high in zip(others, which, strict=True):
                    self._set(facts, other, high=bool(high))
                sign = (-1) ** (len(others) - sum(which))
                low, high_facts = (self._with(facts, first, high=end) for end in (False, True))
                total += sign * float(self._difference(logits, drawn, low, high_facts) @ self.share)
            found.append(total)
        groups = self.data.groups
        found += [
            float(by_group[int(k)][level] - by_group[int(k)][groups.base])
            for k, level in zip(groups.of_model, groups.levels, strict=True)
        ]
        return np.array(found)

    def _difference(self, logits: FloatArray, drawn: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
        """Return (G,) mean differences of the probability in each group of items, facts ``high`` less ``low``."""
        shift = [self._eta(facts, drawn) for facts in (low, high)]
        both = [special.expit(logits + one[:, self.data.groups.codes]) for one in shift]
        mean: FloatArray = ((both[1] - both[0]) @ self.member).mean(axis=0)
        return mean

    def _eta(self, facts: FloatArray, drawn: FloatArray) -> FloatArray:
        """Return (M, G) changes of the logits when the columns of models are ``facts`` and not what they are."""
        change = facts - self.data.of_models.raw
        n = change.shape[1]
        groups = self.data.groups
        of_groups = (change[:, groups.of_model] * drawn[n:]) @ groups.contrast.T
        found: FloatArray = (change @ drawn[:n])[:, None] + of_groups
        return found

    def _low(self, k: int) -> FloatArray:
        return self._with(self.data.of_models.raw, k, high=False)

    def _high(self, k: int) -> FloatArray:
        return self._with(self.data.of_models.raw, k, high=True)

    def _with(self, facts: FloatArray, k: int, *, high: bool) -> FloatArray:
        """Return the columns of models with the fact ``k`` changed, interactions multiplied out."""
        found = facts.copy()
        self._set(found, k, high=high)
        for j, own in enumerate(self.factors):
            found[:, j] = found[:, own].prod(axis=1) if len(own) > 1 else found[:, j]
        return found

    def _set(self, facts: FloatArray, k: int, *, high: bool) -> None:
        """Put a number half a unit up or down; put a level in the place of every other one, or the base level."""
        if self.data.of_models.numeric[k]:
            facts[:, k] += 0.5 if high else -0.5
            return
        for j in self.main:
            if self.data.of_models.terms[j] == self.data.of_models.terms[k]:
                facts[:, j] = float(high and j == k)
