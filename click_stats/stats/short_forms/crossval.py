"""How well a short form tells the whole score of models that took no part in choosing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.short_forms import forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.short_forms.forms import Bank, Form
    from click_stats.stats.short_forms.scale import Conversion, Scale

FEWEST_TRAINING = 5
"""Training models below which nothing is learned from their answers."""


class Calibration(NamedTuple):
    """Whole score = intercept + slope x weighted mean of the form."""

    intercept: float
    slope: float

    def __call__(self, mean: FloatArray) -> FloatArray:
        """Return predicted whole scores, which lie between 0 and 1."""
        return np.clip(self.intercept + self.slope * mean, 0.0, 1.0)


class Part(NamedTuple):
    """One fold: the models held out, and what the others say of the items."""

    out: IntArray
    training: Bank
    scale: Scale


class Error(NamedTuple):
    """How far predictions of whole scores (D, U) lie from them, averaged over draws of the form."""

    absolute: float
    root_square: float
    bias: float
    tau: float
    first_kept: float
    low: float
    high: float


def folds(groups: Sequence[str], n_folds: int, seed: int) -> list[IntArray]:
    """Return the models held out in each fold: models of one family stay together, so that none vouches for its kin.

    Families go, in an order drawn from ``seed`` and the largest first, to the fold that is smallest so far.
    """
    names = np.array(list(dict.fromkeys(groups)), dtype=object)
    members = [np.flatnonzero(np.array(groups, dtype=object) == name) for name in names]
    drawn = np.random.default_rng(seed).permutation(len(members))
    order = sorted(map(int, drawn), key=lambda one: -members[one].size)
    parts: list[list[int]] = [[] for _ in range(min(n_folds, len(members)))]
    for one in order:
        min(parts, key=len).extend(map(int, members[one]))
    return [np.sort(np.array(part, dtype=np.int64)) for part in parts]


def calibrate(bank: Bank, form: Form) -> Calibration:
    """Regress the whole scores of the training models on their means over the form.

    A form chosen for its information is harder or easier than the whole; the line takes that back. With one value of
    the mean, or a negative slope, the mean stands for the whole score plus a constant.
    """
    return _line(bank.scores[:, form.items] @ form.weights, bank.scores.mean(axis=1))


def _line(mean: FloatArray, whole: FloatArray) -> Calibration:
    if np.ptp(mean) > 0:
        line = stats.linregress(mean, whole)
        if line.slope > 0:
            return Calibration(float(line.intercept), float(line.slope))
    return Calibration(float(whole.mean() - mean.mean()), 1.0)


def drawn(bank: Bank, strategy: str, sizes: Sequence[int], draws: int, seed: int) -> dict[int, FloatArray]:
    """Return for each size the (draws, U) means over forms drawn without looking at answers."""
    rng = np.random.default_rng(seed)
    choose = forms.random_form if strategy == forms.RANDOM else forms.stratified_form
    found = {}
    for k in sizes:
        chosen = [choose(bank, k, rng) for _ in range(draws)]
        found[k] = np.array([bank.scores[:, form.items] @ form.weights for form in chosen])
    return found


def held_out(bank: Bank, parts: Sequence[Part], strategy: str, sizes: Sequence[int]) -> dict[int, FloatArray]:
    """Return for each size the (1, U) whole scores predicted for models while they are held out."""
    found = {k: np.full((1, len(bank.scores)), np.nan) for k in sizes}
    for part in parts:
        for k, (form, line) in learned(part.training, part.scale, strategy, sizes).items():
            found[k][0, part.out] = line(bank.scores[np.ix_(part.out, form.items)] @ form.weights)
    return found


def learned(
    training: Bank, scale: Scale | None, strategy: str, sizes: Sequence[int]
) -> dict[int, tuple[Form, Calibration | Conversion]]:
    """Return the form of each size that a strategy learns from the training models, and how its mean is read."""
    if strategy == forms.INFORMATION:
        scale = training.scale() if scale is None else scale
        chosen = {k: forms.information_form(scale, training.strata, k) for k in sizes}
        return {k: (form, _corrected(training, form, scale.conversion(form.items))) for k, form in chosen.items()}
    tree = forms.cluster_tree(training)
    chosen = {k: forms.clustering_form(training, tree, k) for k in sizes}
    return {k: (form, calibrate(training, form)) for k, form in chosen.items()}


def _corrected(training: Bank, form: Form, table: Conversion) -> Conversion:
    """Return the table moved onto the whole scores of the training models, which informative items fit worst.

    A line of whole scores on converted ones, as in :func:`calibrate`.
    """
    converted = table(training.scores[:, form.items] @ form.weights)
    line = _line(converted, training.scores.mean(axis=1))
    return table._replace(score=line(table.score), std_error=line.slope * table.std_error)


def errors(predicted: FloatArray, whole: FloatArray) -> Error:
    """Compare predictions (D, U) with whole scores (U,).

    ``tau`` is Kendall's tau-b of the two orders, ``first_kept`` how often the best model is predicted best, ``low`` and
    ``high`` the 5th and 95th percentile of the mean absolute error over draws (equal where nothing is drawn).
    """
    apart = predicted - whole
    each = np.abs(apart).mean(axis=1)
    taus = [_tau(one, whole) for one in predicted]
    defined = [one for one in taus if np.isfinite(one)]
    best = np.flatnonzero(whole >= whole.max() - 1e-12)
    first = [float(np.isin(np.flatnonzero(one >= one.max() - 1e-12), best).mean()) for one in predicted]
    return Error(
        float(each.mean()),
        float(np.sqrt((apart**2).mean())),
        float(apart.mean()),
        float(np.mean(defined)) if defined else float("nan"),
        float(np.mean(first)),
        float(np.quantile(each, 0.05)),
        float(np.quantile(each, 0.95)),
    )


def _tau(predicted: FloatArray, whole: FloatArray) -> float:
    if np.ptp(predicted) == 0 or np.ptp(whole) == 0:
        return float("nan")
    return float(stats.kendalltau(predicted, whole).statistic)
