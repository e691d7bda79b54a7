"""Answers given the raw score, under a Rasch model: the ratios of elementary symmetric functions, without overflow.

With e_j = exp(-b_j), P(item j right | raw score r) = e_j g(r - 1, without j) / g(r), g the elementary symmetric
functions. The recursions that build g overflow with many items, and those that take an item out again lose all digits
(Verhelst, Glas and van der Sluis 1984). Both go away when e is multiplied by exp(t): the ratios do not change, and with
the t at which r is the expected score, g(r) is, up to a known factor, a probability near the mode of a
Poisson-binomial distribution. An item is taken out in the direction in which errors shrink.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.signal import lfilter
from scipy.special import expit, log_expit

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

LEAST = 0.01
"""A value of t serves the scores that are at least this probable, of the most probable one: digits are lost below."""
MOST_STEPS = 200


@dataclass(frozen=True)
class Given:
    """What holds given each of R raw scores, for G difficulties with ``size`` items each.

    Attributes
    ----------
    right
        (R, G) probability that one item of this difficulty is right.
    log_total
        (R,) log of the elementary symmetric function of order r of all items.
    """

    right: FloatArray
    log_total: FloatArray


def given_scores(difficulty: FloatArray, size: IntArray, scores: IntArray) -> Given:
    """Return the probabilities given each of the increasing ``scores``, all above 0 and below the number of items."""
    ability = abilities(difficulty, size, scores)
    right = np.empty((scores.size, difficulty.size))
    log_total = np.empty(scores.size)
    start = 0
    while start < scores.size:
        t = ability[start]
        p = expit(t - difficulty)
        total = _distribution(np.repeat(p, size))
        likely = np.flatnonzero(total[scores] >= LEAST * total.max())
        block = slice(start, int(likely[-1]) + 1)
        r = scores[block]
        for g, one in enumerate(p):
            right[block, g] = one * _without(total, float(one))[r - 1] / total[r]
        log_total[block] = np.log(total[r]) - r * t - size @ log_expit(difficulty - t)
        start = block.stop
    return Given(right, log_total)


def _distribution(p: FloatArray) -> FloatArray:
    """Return (n + 1,) probabilities of the number right among n independent items (Poisson-binomial)."""
    total = np.zeros(p.size + 1)
    total[0] = 1.0
    for n, one in enumerate(p, start=1):
        total[1 : n + 1] = (1 - one) * total[1 : n + 1] + one * total[:n]
        total[0] *= 1 - one
    return total


def _without(total: FloatArray, p: float) -> FloatArray:
    """Return (n,) probabilities of the number right when an item of probability ``p`` is taken out."""
    if p > 0.5:  # count what is wrong instead: from above, errors shrink
        return _without(total[::-1], 1 - p)[::-1]
    found: FloatArray = lfilter([1 / (1 - p)], [1.0, p / (1 - p)], total)[:-1]
    return found


def information(difficulty: FloatArray, size: IntArray, ability: FloatArray) -> FloatArray:
    """Return the (R,) variance of the score, which is the information about ability, at each ability."""
    p = expit(ability[:, None] - difficulty)
    found: FloatArray = (p * (1 - p)) @ size
    return found


def abilities(difficulty: FloatArray, size: IntArray, scores: IntArray) -> FloatArray:
    """Return the (R,) abilities at which each score is the expected one: the ML estimates, items taken as known.

    Newton's method kept inside a bracket; a score of 0 or of all items has no finite estimate and must not be asked.
    """
    n = int(size.sum())
    logit = np.log(scores / (n - scores))
    low, high = logit + difficulty.min() - 1e-9, logit + difficulty.max() + 1e-9
    ability = np.clip(logit + size @ difficulty / n, low, high)
    for _ in range(MOST_STEPS):
        p = expit(ability[:, None] - difficulty)
        excess = p @ size - scores
        low, high = np.where(excess <= 0, ability, low), np.where(excess >= 0, ability, high)
        proposed = ability - excess / ((p * (1 - p)) @ size)
        inside = (proposed >= low) & (proposed <= high)
        moved = np.where(inside, proposed, (low + high) / 2)
        if np.abs(moved - ability).max() < 1e-12 * (1 + np.abs(moved).max()):
            return moved
        ability = moved
    return ability
