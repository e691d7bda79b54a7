"""Whether a model answers as the scale expects, and items that have moved since they were calibrated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.linking.bank import Bank

FEWEST_EXPECTED = 5.0
"""Right and wrong answers that are expected of an item at least, for the normal approximation of its drift."""
LARGEST_ERROR = 2.0
"""Logits of standard error beyond which a shift is not stated: one step from where the curve is flat goes anywhere."""


class Fit(NamedTuple):
    """Standardised log-likelihood of the answers, and the probability of one as low; NaN where undefined."""

    z: float
    p_value: float


def person_fit(bank: Bank, right: FloatArray, trials: FloatArray, ability: float, correlation: float = 0.0) -> Fit:
    """Return l_z* of a model at its maximum-likelihood ability.

    Parameters
    ----------
    bank
        The items that it answered, (I,).
    right, trials
        (I,) counts.
    ability
        Maximum-likelihood estimate from the same answers.
    correlation
        Of answers to the same item, beyond what ability and difficulty explain.

    Notes
    -----
    l_z of Drasgow, Levine and Williams (1985) with the correction of Snijders (2001) for the estimated ability: sum of
    (y - np) w over its standard deviation, w = log(p/(1 - p)) - c r, r = p'/(p(1 - p)), c = sum n p' w / sum n p' r.
    Low values are answers less regular than the scale expects: easy items missed, hard ones right.
    """
    at = np.array([ability])
    p, slope = bank.probability(at)[0], bank.slope_at(at)[0]
    inside = (p > 0) & (p < 1) & (trials > 0)
    p, slope, n, y = p[inside], slope[inside], trials[inside], right[inside]
    weight, ratio = np.log(p / (1 - p)), slope / (p * (1 - p))
    below = float((n * slope * ratio).sum())
    if below <= 0:
        return Fit(np.nan, np.nan)
    own = weight - float((n * slope * weight).sum()) / below * ratio
    variance = float((n * p * (1 - p) * own**2 * (1.0 + (n - 1.0) * correlation)).sum())
    if variance <= 1e-12:
        return Fit(np.nan, np.nan)
    z = float(((y - n * p) * weight).sum() / np.sqrt(variance))
    return Fit(z, float(stats.norm.cdf(z)))


def correlation_in_cells(right: FloatArray, trials: FloatArray, probability: FloatArray) -> float:
    """Return how alike the answers of a model to the same item are beyond the scale (Williams 1982); 0 with one trial.

    All arguments are (U, I).
    """
    there = trials > 0
    spread = np.where(there, trials * probability * (1 - probability), 0.0)
    extra = float((spread * np.maximum(trials - 1.0, 0.0)).sum())
    if extra <= 0:
        return 0.0
    squares = float(np.where(there, (right - trials * probability) ** 2, 0.0).sum())
    return float(np.clip((squares - spread.sum()) / extra, 0.0, 1.0))


class Drift(NamedTuple):
    """Of each item (I,): observed and expected share, shift of difficulty, its error, z and p; NaN where untested.

    Where an item is tested but its curve is flat at these abilities, shift and error are NaN too.
    """

    observed: FloatArray
    expected: FloatArray
    shift: FloatArray
    std_error: FloatArray
    z: FloatArray
    p_value: FloatArray
    n_units: FloatArray


def drift(bank: Bank, right: FloatArray, trials: FloatArray, abilities: FloatArray, correlation: float = 0.0) -> Drift:
    """Compare the answers of several new models to each item with its fixed difficulty.

    Parameters
    ----------
    bank
        All I items.
    right, trials
        (U, I) counts.
    abilities
        (U,) of the new models.
    correlation
        Of answers to the same item by the same model.

    Notes
    -----
    Residual sum of y - np over models, against its variance sum n p(1 - p)(1 + (n - 1) r), plus what the models share,
    the error of the difficulty: se² times the sum over pairs of different models of np' np'. The shift is one Newton
    step. Not tested where fewer than five right or wrong answers are expected.
    """
    p, slope = bank.probability(abilities), bank.slope_at(abilities)
    n = trials
    spread = n * p * (1 - p)
    moved = n * slope
    pull = moved.sum(axis=0)
    shared = np.maximum(pull**2 - (moved**2).sum(axis=0), 0.0) * bank.difficulty_se**2
    variance = (spread * (1.0 + np.maximum(n - 1.0, 0.0) * correlation)).sum(axis=0) + shared
    total = n.sum(axis=0)
    expected = (n * p).sum(axis=0)
    residual = (right - n * p).sum(axis=0)
    worth = (n / (1.0 + np.maximum(n - 1.0, 0.0) * correlation) * p).sum(axis=0)
    missed = (n / (1.0 + np.maximum(n - 1.0, 0.0) * correlation) * (1 - p)).sum(axis=0)
    tested = (np.minimum(worth, missed) >= FEWEST_EXPECTED) & (variance > 0) & (pull > 0)
    z = np.full(len(bank), np.nan)
    np.divide(residual, np.sqrt(variance), out=z, where=tested)
    shift, error = np.full((2, len(bank)), np.nan)
    np.divide(-residual, pull, out=shift, where=tested)
    np.divide(np.sqrt(variance), pull, out=error, where=tested)
    flat = ~(error <= LARGEST_ERROR)
    shift[flat], error[flat] = np.nan, np.nan
    share = np.full(len(bank), np.nan)
    np.divide(right.sum(axis=0), total, out=share, where=total > 0)
    mean = np.full(len(bank), np.nan)
    np.divide(expected, total, out=mean, where=total > 0)
    p_value = 2.0 * stats.norm.sf(np.abs(z))
    return Drift(share, mean, shift, error, z, p_value, (n > 0).sum(axis=0).astype(np.float64))
