"""The explanatory item response model: logits of a right answer on facts of the items, items and models random."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats.glmm import GlmmData, GlmmFit, GlmmSpec, fit
from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray

MODEL = "model"
MOST_CELLS = 10_000
"""Cells of models by items with several trials up to which each has its own effect; beyond, that takes minutes."""


class Answers(NamedTuple):
    """Counts of U models on the I items that take part, and the passages of the items.

    Attributes
    ----------
    correct, trials
        (U, I) counts; 0 trials where there is no answer.
    cluster
        (I,) codes of the passages.
    """

    correct: FloatArray
    trials: FloatArray
    cluster: IntArray

    @property
    def random(self) -> tuple[str, ...]:
        """Random effects that these answers can show."""
        shared = bool((np.bincount(self.cluster) > 1).any())
        dispersed = self.replicated and self.n_cells <= MOST_CELLS
        return (ITEM, MODEL, *((PASSAGE,) if shared else ()), *((CELL,) if dispersed else ()))

    @property
    def replicated(self) -> bool:
        """Whether some cell has several trials."""
        return bool(self.trials.max() > 1)

    @property
    def n_cells(self) -> int:
        """Number of cells of models by items with an answer."""
        return int((self.trials > 0).sum())


def fitted(answers: Answers, matrix: FloatArray) -> GlmmFit:
    """Fit the model with the columns of ``matrix`` (I, K), which may be none, as fixed effects of the items.

    Notes
    -----
    Restricted likelihood, so that the variance of items does not pay for the coefficients. The linear logistic test
    model with an error (Fischer 1973; Janssen, Schepers and Peres 2004; De Boeck and Wilson 2004).
    """
    unit, item = np.nonzero(answers.trials > 0)
    names = [f"x{k}" for k in range(matrix.shape[1])]
    frame = pd.DataFrame(matrix[item], columns=names)
    frame[ITEM] = np.char.add("i", np.char.zfill(item.astype(str), 7))
    frame[MODEL] = np.char.add("m", np.char.zfill(unit.astype(str), 7))
    frame[PASSAGE] = np.char.add("p", np.char.zfill(answers.cluster[item].astype(str), 7))
    frame["correct"], frame["trials"] = answers.correct[unit, item], answers.trials[unit, item]
    data = GlmmData.from_frame(frame)
    return fit(data, GlmmSpec(fixed=" + ".join(names), random=answers.random), restricted=True)


class Wald(NamedTuple):
    """Joint test that coefficients are 0; NaN where none of them is finite."""

    statistic: float
    df: int
    p_value: float


def wald(beta: FloatArray, covariance: FloatArray, places: Sequence[int]) -> Wald:
    """Return the chi-squared test of the coefficients at ``places``, of those that have a finite estimate."""
    finite = np.array([place for place in places if np.isfinite(beta[place])], dtype=np.int64)
    if not finite.size:
        return Wald(np.nan, 0, np.nan)
    own = beta[finite]
    statistic = float(own @ np.linalg.solve(covariance[np.ix_(finite, finite)], own))
    return Wald(statistic, finite.size, float(stats.chi2.sf(statistic, finite.size)))


def score_change(probability: FloatArray, values: FloatArray, slopes: FloatArray, *, indicator: bool) -> FloatArray:
    """Return the mean change of the probability of a right answer that goes with each of several coefficients.

    Parameters
    ----------
    probability
        (cells,) fitted probabilities.
    values
        (cells,) the column of the coefficient.
    slopes
        (S,) coefficients (logits): the estimate and the ends of its interval. The first is that of the fit.
    indicator
        For a level: from the base to the level, for every cell; else one unit more.
    """
    inside = (probability > 0) & (probability < 1)
    logit = np.log(probability[inside]) - np.log1p(-probability[inside])
    start = logit - slopes[0] * values[inside] if indicator else logit
    base = _mean(start)
    return np.array([_mean(start + slope) - base for slope in slopes])


def _mean(logit: FloatArray) -> float:
    return float((1.0 / (1.0 + np.exp(-logit))).mean())
