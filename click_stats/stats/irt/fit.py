"""Whether the answers look like the model's: mean squares of items and models, and posterior predictive checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click_stats.counts import FloatArray, IntArray

UNIT_SPREAD = "standard deviation of the models' scores"
ITEM_SPREAD = "standard deviation of the items' scores"
PROFILE_SPREAD = "standard deviation of a model's scores between categories"
ALL_RIGHT, ALL_WRONG = "items that every model answers right", "items that no model answers right"
ITEM_REST = "mean item-rest correlation"
ITEM_REST_SPREAD = "standard deviation of the item-rest correlations"
DISPERSION = "mean square of the cells"
ONE_TRIAL = "undefined with one trial per item"
ONE_CATEGORY = "undefined with one category"
NO_DIFFERENCE = "too few items on which models differ"
CONSTANT = 1e-12


class MeanSquares(NamedTuple):
    """Fit of the rows or columns of a table of answers.

    Attributes
    ----------
    infit, outfit
        Mean squares, expected to be 1; above, answers are less regular than the model's, below, more. NaN without
        answers. Infit weighs cells by their information, outfit not: a single surprising answer moves it far.
    n
        Cells with answers.
    """

    infit: FloatArray
    outfit: FloatArray
    n: IntArray


class Check(NamedTuple):
    """A statistic of the answers, that of replicated answers, and the share of these that is at least as large."""

    name: str
    observed: float
    expected: float
    low: float
    high: float
    p_value: float
    reason: str = ""


@dataclass(frozen=True)
class Predictive:
    """Posterior predictive checks.

    Attributes
    ----------
    checks
        Statistics of the whole table.
    infit_p
        (I,) probability that replicated answers to an item have an infit at least as large as the observed ones.
    n_draws
        Replicates.
    """

    checks: tuple[Check, ...]
    infit_p: FloatArray
    n_draws: int


def mean_squares(correct: FloatArray, trials: FloatArray, probability: FloatArray, *, axis: int = 0) -> MeanSquares:
    """Return infit and outfit of the items (``axis=0``) or of the models (``axis=1``).

    Parameters
    ----------
    correct, trials, probability
        (U, I) right answers, trials (0 where there is none) and expected shares, strictly between 0 and 1; cells with
        an undefined one are left out.
    axis
        The axis that is summed over.

    Notes
    -----
    With y right of n answers, residuals y - np and variances v = np(1 - p): outfit is the mean of (y - np)²/v over the
    cells, infit sum (y - np)² / sum v (Wright and Masters 1982), here for counts. Estimates taken from the same answers
    make both smaller than 1 on average, the more so the fewer the models.
    """
    answered = (trials > 0) & np.isfinite(probability)
    variance = np.where(answered, trials * probability * (1 - probability), 0.0)
    square = np.where(answered, (correct - trials * probability) ** 2, 0.0)
    n = answered.sum(axis=axis)
    ratio = np.divide(square, variance, out=np.zeros_like(variance), where=answered)
    return MeanSquares(
        _divided(square.sum(axis=axis), variance.sum(axis=axis)), _divided(ratio.sum(axis=axis), n), n.astype(np.int64)
    )


def predictive(
    correct: FloatArray,
    trials: FloatArray,
    draws: Iterable[FloatArray],
    category: IntArray,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Predictive:
    """Compare the answers with answers that the fitted model would give.

    Parameters
    ----------
    correct, trials
        (U, I) right answers and trials.
    draws
        (U, I) probabilities of a right answer, one array per draw from the posterior.
    category
        (I,) codes of the categories.
    level
        Of the interval of replicated values.
    seed
        Of the replicated answers.

    Notes
    -----
    Rubin (1984); Gelman, Meng and Stern (1996) for quantities that depend on parameters (infit, dispersion), which are
    compared draw by draw; ties count half. Values near 0 and near 1 are both misfit, and rarer than their size under a
    true model, which has seen the answers.
    """
    rng = np.random.default_rng(seed)
    whole = np.asarray(trials, dtype=np.int64)
    seen = _statistics(correct, trials, category)
    replicated: list[dict[str, float]] = []
    dispersion: list[tuple[float, float]] = []
    worse = np.zeros(correct.shape[1])
    for probability in draws:
        new = rng.binomial(whole, probability).astype(np.float64)
        replicated.append(_statistics(new, trials, category))
        ours, theirs = (mean_squares(y, trials, probability) for y in (correct, new))
        worse += (theirs.infit > ours.infit) + 0.5 * (theirs.infit == ours.infit)
        dispersion.append((_overall(ours), _overall(theirs)))
    n = len(replicated)
    if not n:
        return Predictive((), np.full(correct.shape[1], np.nan), 0)
    checks = [_check(name, seen[name], [one[name] for one in replicated], level) for name in seen]
    ours_, theirs_ = map(np.array, zip(*dispersion, strict=True))
    if whole.max() > 1:
        checks.append(_compared(DISPERSION, ours_, theirs_, level))
    else:
        checks.append(_undefined(DISPERSION, ONE_TRIAL))
    infit_p = np.where(trials.sum(axis=0) > 0, (worse + 0.5) / (n + 1), np.nan)
    return Predictive(tuple(checks), infit_p, n)


def _overall(found: MeanSquares) -> float:
    return float(np.nansum(found.outfit * found.n) / found.n.sum())


def _check(name: str, observed: float, replicated: list[float], level: float) -> Check:
    defined = np.array([value for value in replicated if np.isfinite(value)])
    if np.isnan(observed) or not defined.size:
        return _undefined(name, ONE_CATEGORY if name == PROFILE_SPREAD else NO_DIFFERENCE)
    return _compared(name, np.full(defined.size, observed), defined, level)


def _compared(name: str, observed: FloatArray, replicated: FloatArray, level: float) -> Check:
    difference = replicated - observed
    n = difference.size
    p = (np.sum(difference > CONSTANT) + 0.5 * np.sum(np.abs(difference) <= CONSTANT) + 0.5) / (n + 1)
    low, high = np.quantile(replicated, [(1 - level) / 2, (1 + level) / 2])
    return Check(name, float(observed.mean()), float(replicated.mean()), float(low), float(high), float(p))


def _undefined(name: str, reason: str) -> Check:
    return Check(name, np.nan, np.nan, np.nan, np.nan, np.nan, reason)


def _statistics(correct: FloatArray, trials: FloatArray, category: IntArray) -> dict[str, float]:
    """Return what is compared: spreads, items without a difference, and how items go with the rest."""
    answered = trials > 0
    share = np.divide(correct, trials, out=np.zeros_like(correct, dtype=np.float64), where=answered)
    item = _divided(share.sum(axis=0), answered.sum(axis=0))
    unit = _divided(share.sum(axis=1), answered.sum(axis=1))
    centred = np.where(answered, share - item, 0.0)
    total = trials.sum(axis=0)
    whole = total > 0
    rest = item_rest(share, answered)
    return {
        UNIT_SPREAD: _spread(unit),
        ITEM_SPREAD: _spread(item),
        PROFILE_SPREAD: _profile_spread(centred, answered, category),
        ALL_RIGHT: float(np.sum(whole & (correct.sum(axis=0) == total))),
        ALL_WRONG: float(np.sum(whole & (correct.sum(axis=0) == 0))),
        ITEM_REST: float(np.nanmean(rest)) if np.isfinite(rest).any() else np.nan,
        ITEM_REST_SPREAD: _spread(rest),
    }


def _spread(values: FloatArray) -> float:
    """Return the standard deviation of what is defined; NaN of fewer than two values."""
    return float(np.nanstd(values, ddof=1)) if np.isfinite(values).sum() > 1 else np.nan


def item_rest(share: FloatArray, answered: np.ndarray) -> FloatArray:
    """Return (I,) correlations over models of an item's score with the mean of the others; NaN where constant."""
    n = answered.sum(axis=0)
    centred = np.where(answered, share - _divided(np.where(answered, share, 0.0).sum(axis=0), n), 0.0)
    others = _divided(centred.sum(axis=1, keepdims=True) - centred, answered.sum(axis=1, keepdims=True) - answered)
    others = np.where(answered, others, 0.0)
    others = np.where(answered, others - _divided(others.sum(axis=0), n), 0.0)
    scale = np.sqrt((centred**2).sum(axis=0) * (others**2).sum(axis=0))
    found = np.full(share.shape[1], np.nan)
    np.divide((centred * others).sum(axis=0), scale, out=found, where=scale > CONSTANT)
    return found


def _profile_spread(centred: FloatArray, answered: np.ndarray, category: IntArray) -> float:
    """Return the standard deviation over models and categories of what is left after the model's general level."""
    codes = np.unique(category)
    if codes.size < 2:
        return float("nan")
    member = (category[:, None] == codes).astype(np.float64)
    level = _divided(centred @ member, answered.astype(np.float64) @ member)
    return float(np.nanstd(level - np.nanmean(level, axis=1, keepdims=True)))


def _divided(numerator: FloatArray, denominator: FloatArray | IntArray) -> FloatArray:
    found = np.full(np.shape(numerator), np.nan)
    np.divide(numerator, denominator, out=found, where=np.asarray(denominator) > 0)
    return found
