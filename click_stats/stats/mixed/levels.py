"""Levels of the models on the same items: the first of two stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.stats.glmm.data import CELL, ITEM, GlmmSpec
from click_stats.stats.glmm.design import terms_of
from click_stats.stats.glmm.fit import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmData
    from click_stats.stats.glmm.result import GlmmFit


@dataclass(frozen=True)
class ModelLevels:
    """First stage: how good each model is, in logits, on the same items.

    Attributes
    ----------
    models
        Models with a finite level, sorted.
    levels, covariance
        (models,) and (models, models): logits averaged over the levels of the other fixed effects, and the covariance
        of their errors.
    fit
        The fit, with fixed effects of the models.
    notes
        Sentences for the reader: models without a finite level, variances of 0.
    dispersion
        (models,) how many times larger the squares of the cells' residuals are than binomial counts would have them, at
        least 1; already in ``covariance``. None where most cells have one trial, or cells have effects of their own.
    """

    models: tuple[str, ...]
    levels: FloatArray
    covariance: FloatArray
    fit: GlmmFit
    notes: tuple[str, ...]
    dispersion: FloatArray | None = None

    def take(self, used: Sequence[str]) -> ModelLevels:
        """Return the levels of some of the models."""
        place = [self.models.index(name) for name in used]
        dispersion = None if self.dispersion is None else self.dispersion[place]
        covariance = self.covariance[np.ix_(place, place)]
        return ModelLevels(tuple(used), self.levels[place], covariance, self.fit, (), dispersion)


def model_levels(data: GlmmData, *, fixed: str = "category", random: Sequence[str] = (ITEM,)) -> ModelLevels:
    """Fit a logistic mixed model with a fixed effect of each model, items random, and return the models' levels.

    Without effects of cells, the levels keep what the models' accuracies say, but trials of one model on one item are
    more alike than binomial counts. The part of the errors that is a model's own is then multiplied by the dispersion
    of that model (quasi-likelihood: McCullagh and Nelder 1989, section 4.5), which models need not share.

    Parameters
    ----------
    data
        Counts by model and item; ``model`` is a column.
    fixed
        Fixed effects of items (none of models): ``category``, ``category + source``; empty for none.
    random
        Random effects beside: ``item``, ``passage``, ``cell``, ``model:category``.

    Raises
    ------
    ConvergenceError, DataError, UsageError
        As :func:`~click_stats.stats.glmm.fit.fit`.
    """
    share = _shares(data, "model")
    columns = [term[0] for term in terms_of(fixed) if len(term) == 1]
    base = {name: _ordinary(_shares(data, name)) for name in ("model", *columns) if _categorical(data, name)}
    found = fit(data, GlmmSpec(f"model + {fixed}" if fixed else "model", tuple(random), base))
    models = [str(name) for name in share.index]
    weights = np.zeros((len(models), len(found.names)))
    finite = np.isfinite(found.beta)
    for column, name in enumerate(found.names):
        if name.startswith("model["):
            weights[models.index(name.removeprefix("model[").removesuffix("]")), column] = 1.0
        else:
            weights[:, column] = _average(data, found, name) if finite[column] else 0.0
    known = np.array([not (weights[k] != 0)[~finite].any() for k in range(len(models))])
    inside = weights[known][:, finite]
    left = [name for name, one in zip(models, known, strict=True) if not one]
    notes = [f"No finite level, left out of model-level effects: {', '.join(left)}."] if left else []
    covariance = inside @ found.vcov[np.ix_(finite, finite)] @ inside.T
    dispersion = None
    if CELL not in random and float((data.trials > 1).mean()) > 0.5:
        dispersion, information = _dispersion(
            data, found, [name for name, one in zip(models, known, strict=True) if one]
        )
        covariance = covariance + np.diag((dispersion - 1.0) / information)
    return ModelLevels(
        models=tuple(name for name, one in zip(models, known, strict=True) if one),
        levels=inside @ found.beta[finite],
        covariance=covariance,
        fit=found,
        notes=(*notes, *found.notes),
        dispersion=dispersion,
    )


def _shares(data: GlmmData, name: str) -> pd.Series[float]:
    values = data.column(name, use="model levels").astype(str)
    return pd.Series(data.correct / data.trials).groupby(values).mean()


def _ordinary(shares: pd.Series[float]) -> str:
    """Return the level nearest to the middle: were the base always right, no other level would be finite."""
    return str((shares - shares.median()).abs().idxmin())


def _categorical(data: GlmmData, name: str) -> bool:
    values = data.columns.get(name)
    return values is not None and not pd.api.types.is_numeric_dtype(values)


def _dispersion(data: GlmmData, found: GlmmFit, models: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return (models,) the mean squared Pearson residual of the cells, at least 1, and the sum of their weights.

    The residuals are about fitted values that include the items' effects: as many degrees of freedom are gone, shared
    by the models.
    """
    p = np.clip(found.fitted, 1e-12, 1 - 1e-12)
    weight = data.trials * p * (1 - p)
    square = (data.correct - data.trials * p) ** 2 / weight
    model = data.columns["model"].astype(str).to_numpy()
    left = 1.0 - data.columns["item"].nunique() / len(data)
    inside = [model == name for name in models]
    dispersion = np.array([max(1.0, float(square[one].mean()) / left) for one in inside])
    return dispersion, np.array([float(weight[one].sum()) for one in inside])


def _average(data: GlmmData, found: GlmmFit, name: str) -> float:
    """Return the value of a fixed effect at equal weights of its levels; at the mean of a numeric column."""
    value = 1.0
    for part in name.split(":") if name != "(intercept)" else []:
        column = part.split("[", maxsplit=1)[0]
        if column in found.base:
            count = 1 + sum(one.startswith(f"{column}[") and "]:" not in one for one in found.names)
            value /= count
        elif column in data.columns.columns:
            value *= float(data.columns[column].mean())
    return value
