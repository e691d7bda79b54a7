"""Entropy of the chosen options, normalised by log N, and what a uniform guesser gives."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray


def entropy(table: FloatArray, n_options: IntArray) -> FloatArray:
    """Return -sum p log p / log N of each row of counts; NaN for a row without any.

    Parameters
    ----------
    table
        (..., K) counts by option; options an item does not have are 0.
    n_options
        (...) number of options N of each row, at least 2.

    Notes
    -----
    Shannon (1948), plug-in; the uncertainty score of the CLIcK paper.
    """
    total = table.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = table / total[..., None]
        nats = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1.0)), 0.0).sum(axis=-1)
        found: FloatArray = np.where(total > 0, nats / np.log(n_options), np.nan)
    return found


def miller_madow(table: FloatArray, n_options: IntArray) -> FloatArray:
    """Return the plug-in plus (m - 1)/(2 n), m options ever chosen in n answers (Miller 1955), over log N.

    Not cut at 1: an estimate with less bias may lie above what is possible.
    """
    total = table.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        bias = ((table > 0).sum(axis=-1) - 1) / (2 * total) / np.log(n_options)
    corrected: FloatArray = entropy(table, n_options) + np.where(total > 0, bias, np.nan)
    return corrected


class Entropies(NamedTuple):
    """Normalised entropy over options, its Miller-Madow correction, and normalised entropy over positions."""

    content: float
    corrected: float
    place: float


class Guesser(NamedTuple):
    """Mean entropies of uniform answers: of any item, and of those kept as challenging."""

    every: Entropies
    challenging: Entropies


@cache
def guesser(trials: int, n: int, threshold: float | None = None) -> Guesser:
    """Return the exact expected entropies of uniform answers to ``trials`` trials of complete rotations of n options.

    Given x right answers the others are multinomial over n - 1 options, so that with h(k) = -k/T log(k/T) the
    content entropy has expectation h(x) + (n - 1) sum_k Binomial(k; T - x, 1/(n - 1)) h(k), and likewise the number of
    options ever chosen. A position shows the right option in T/n trials; what is chosen there are a answers that are
    right and b that are wrong, x = a + c with c right answers elsewhere. Averaged over x: all of it, or the part that
    is challenging. Without T/n trials at each position the entropy over positions is NaN.
    """
    k = np.arange(trials + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        h = np.where(k > 0, -k / trials * np.log(np.where(k > 0, k, 1) / trials), 0.0)
    weight = stats.binom.pmf(k, trials, 1 / n)
    chosen = np.array([stats.binom.pmf(k, trials - x, 1 / (n - 1)) for x in k])
    content = (h + (n - 1) * chosen @ h) / np.log(n)
    options = (k > 0) + (n - 1) * (1 - chosen[:, 0])
    corrected = content + (options - 1) / (2 * trials * np.log(n))
    place = _place(trials, n, h) / np.log(n)
    kept = is_challenging(k, np.full(k.shape, trials), np.full(k.shape, n), threshold)
    part = weight[kept].sum()
    # The third is weighted already: its x are those of one position's trials.
    sums = (weight * content, weight * corrected, place)
    below = (np.nan,) * 3 if part <= 0 else tuple(float(one[kept].sum() / part) for one in sums)
    return Guesser(Entropies(*(float(one.sum()) for one in sums)), Entropies(*below))


def _place(trials: int, n: int, h: FloatArray) -> FloatArray:
    """Return by x the chance of x right answers times the expected sum of h over positions given them."""
    found = np.full(trials + 1, np.nan)
    if trials % n:
        return found
    found[:] = 0.0
    here, elsewhere = trials // n, trials - trials // n
    for c, chance in enumerate(stats.binom.pmf(np.arange(elsewhere + 1), elsewhere, 1 / n)):
        b = np.arange(elsewhere - c + 1)
        wrong = stats.binom.pmf(b, elsewhere - c, 1 / (n - 1))
        for a, right in enumerate(stats.binom.pmf(np.arange(here + 1), here, 1 / n)):
            found[a + c] += n * chance * right * float(wrong @ h[a + b])
    return found


def is_challenging(correct: IntArray, trials: IntArray, n_options: IntArray, threshold: float | None) -> np.ndarray:
    """Return whether items are answered below chance, ``correct * N < trials`` in integers, or below a threshold."""
    if threshold is None:
        return np.asarray(correct * n_options < trials)
    return np.asarray(correct < threshold * trials - 1e-9)
