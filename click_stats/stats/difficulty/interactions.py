"""Whether a term goes with other difficulty in one group of models than in another; the unit is the model.

On the scale of scores a group that is nearly always right has no room for an effect, so that slopes differ between
groups of unequal ability without any interaction. The test is therefore made on the scale of the mixed model, and the
difference in points shown beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


class Difference(NamedTuple):
    """Of each column (K,): mean slopes of both groups, their difference, its error, df and p-value."""

    reference: FloatArray
    focal: FloatArray
    estimate: FloatArray
    std_error: FloatArray
    df: FloatArray
    p_value: FloatArray


def slopes(scores: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return (U, K) least-squares slopes of each model's item scores on the columns; NaN where not identified.

    Parameters
    ----------
    scores
        (U, I) item scores, NaN where there is no answer: each model is regressed on the items that it answered.
    matrix
        (I, K) columns; the intercept is added.
    """
    whole = np.column_stack([np.ones(len(matrix)), matrix])
    found = np.full((len(scores), matrix.shape[1]), np.nan)
    complete = np.isfinite(scores).all(axis=1)
    if complete.any():
        found[complete] = np.linalg.lstsq(whole, scores[complete].T, rcond=None)[0][1:].T
    for row in np.flatnonzero(~complete):
        there = np.isfinite(scores[row])
        solution, _, rank, _ = np.linalg.lstsq(whole[there], scores[row, there], rcond=None)
        if rank == whole.shape[1]:
            found[row] = solution[1:]
    return found


def departures(correct: FloatArray, trials: FloatArray, probability: FloatArray, matrix: FloatArray) -> FloatArray:
    """Return (U, K) departures of each model's coefficients from the common ones (logits); NaN where not identified.

    Parameters
    ----------
    correct, trials
        (U, I) counts.
    probability
        (U, I) fitted with the common coefficients and the modes of items, passages and models; a cell that is not
        strictly between 0 and 1 takes no part.
    matrix
        (I, K) columns; each model's intercept may depart too.

    Notes
    -----
    One step of Fisher scoring from the common coefficients, (X'WX)^-1 X'(y - np) with W = np(1 - p): finite also where
    a model has every item of a level right, and as good a test as the maximum (Le Cam's one-step estimator; van der
    Vaart 1998, section 5.7). Large departures are understated or overstated by a part.
    """
    whole = np.column_stack([np.ones(len(matrix)), matrix])
    inside = (trials > 0) & (probability > 0) & (probability < 1)
    p = np.where(inside, probability, 0.5)
    n = np.where(inside, trials, 0.0)
    weight = n * p * (1.0 - p)
    gradient = (np.where(inside, correct, 0.0) - n * p) @ whole
    found = np.full((len(trials), matrix.shape[1]), np.nan)
    for row in range(len(trials)):
        information = (whole * weight[row, :, None]).T @ whole
        if np.linalg.matrix_rank(information, hermitian=True) == whole.shape[1]:
            found[row] = np.linalg.solve(information, gradient[row])[1:]
    return found


def compared(slope: FloatArray, member: FloatArray) -> Difference:
    """Return the differences of the mean slopes, the focal group (``member`` 1) less the reference, by Welch's t.

    Notes
    -----
    Welch (1947). Models with no slope take no part; fewer than two of them in a group, or no spread in either, leave
    NaN. The error is that between models: it includes how well each slope is known from the items.
    """
    present = np.isfinite(slope).all(axis=1)
    sides = [slope[present & (member == side)] for side in (0, 1)]
    width = slope.shape[1]
    means = [side.mean(axis=0) if len(side) else np.full(width, np.nan) for side in sides]
    parts = [side.var(axis=0, ddof=1) / len(side) if len(side) > 1 else np.full(width, np.nan) for side in sides]
    square = parts[0] + parts[1]
    known = np.isfinite(square) & (square > 0)
    df = np.full(width, np.nan)
    if known.any():
        spread = sum(part[known] ** 2 / (len(side) - 1) for part, side in zip(parts, sides, strict=True))
        df[known] = square[known] ** 2 / spread
    error = np.where(known, np.sqrt(square), np.nan)
    difference = means[1] - means[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        p = 2.0 * stats.t.sf(np.abs(difference / error), df)
    return Difference(means[0], means[1], difference, error, df, np.asarray(p, dtype=np.float64))
