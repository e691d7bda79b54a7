"""Adaptive testing, replayed on answers that are there: each model is asked next what tells most about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.short_forms.scale import Scale


class Replay(NamedTuple):
    """Of one model, after each answer (K,): predicted whole score, its posterior sd, ability and its posterior sd."""

    score: FloatArray
    score_sd: FloatArray
    ability: FloatArray
    ability_sd: FloatArray


def replay(scale: Scale, scores: FloatArray, length: int) -> Replay:
    """Ask a model ``length`` items, each the most informative one left at the ability estimated so far.

    Parameters
    ----------
    scale
        Items and prior, from other models.
    scores
        (I,) item scores of the model, NaN where it gave no answer: such items are not asked.
    length
        Items to ask, at most those that it answered.

    Notes
    -----
    The ability is the posterior mean on a grid, with a normal prior (Bock and Mislevy 1982); information is that of the
    1PL with a fixed floor (Birnbaum 1968). The predicted whole score is the posterior mean of the mean probability over
    all items.
    """
    grid = scale.grid
    probability = scale.probability(grid)
    log_right, log_wrong = np.log(probability), np.log1p(-probability)
    information = scale.information(grid)
    curve = probability.mean(axis=1)
    log_weight = -0.5 * (grid / scale.sd) ** 2
    left = np.isfinite(scores)
    steps = min(length, int(left.sum()))
    found = np.empty((4, steps))
    weight = _normalised(log_weight)
    for step in range(steps):
        place = int(np.abs(grid - weight @ grid).argmin())
        item = int(np.where(left, information[place], -np.inf).argmax())
        left[item] = False
        log_weight = log_weight + scores[item] * log_right[:, item] + (1 - scores[item]) * log_wrong[:, item]
        weight = _normalised(log_weight)
        mean, score = weight @ grid, weight @ curve
        found[:, step] = (
            score, np.sqrt(weight @ (curve - score) ** 2), mean, np.sqrt(weight @ (grid - mean) ** 2),
        )  # fmt: skip
    return Replay(*found)


def _normalised(log_weight: FloatArray) -> FloatArray:
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum(), dtype=np.float64)
