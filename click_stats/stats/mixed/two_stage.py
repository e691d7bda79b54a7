"""Model-level effects in two stages: the models' levels on shared items, then a regression of the levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import optimize, stats

from click_stats.errors import DataError
from click_stats.stats.glmm.data import ITEM, GlmmSpec, Table
from click_stats.stats.glmm.design import build
from click_stats.stats.glmm.fit import fit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmData
    from click_stats.stats.glmm.result import GlmmFit

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Standard deviations over models, in units of the spread of the levels, between which the search begins."""


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
    """

    models: tuple[str, ...]
    levels: FloatArray
    covariance: FloatArray
    fit: GlmmFit
    notes: tuple[str, ...]


@dataclass(frozen=True)
class SecondStage:
    """Second stage: the levels regressed on what is known about the models.

    Attributes
    ----------
    names
        ``(intercept)`` and the model-level effects.
    beta, se, vcov
        (columns,), (columns,), (columns, columns) in logits.
    df
        Models less coefficients, the intercept included.
    sd
        Standard deviation of models about the regression, by REML; 0 at the boundary.
    models
        Models used.
    residual
        (models,) level less prediction.
    notes
        Sentences for the reader.
    """

    names: tuple[str, ...]
    beta: FloatArray
    se: FloatArray
    vcov: FloatArray
    df: int
    sd: float
    models: tuple[str, ...]
    residual: FloatArray
    notes: tuple[str, ...]

    def table(self, level: float = 0.95) -> pd.DataFrame:
        """Return ``estimate, std_error, df, statistic, p_value, conf_low, conf_high`` of each effect, t with ``df``."""
        statistic = self.beta / self.se
        reach = stats.t.ppf(0.5 + level / 2, self.df) * self.se
        return pd.DataFrame(
            {
                "estimate": self.beta,
                "std_error": self.se,
                "df": float(self.df),
                "statistic": statistic,
                "p_value": 2.0 * stats.t.sf(np.abs(statistic), self.df),
                "conf_low": self.beta - reach,
                "conf_high": self.beta + reach,
            },
            index=pd.Index(self.names, name="term"),
        )


@dataclass(frozen=True)
class _Models(Table):
    columns: pd.DataFrame


def model_levels(data: GlmmData, *, fixed: str = "category", random: Sequence[str] = (ITEM,)) -> ModelLevels:
    """Fit a logistic mixed model with a fixed effect of each model, items random, and return the models' levels.

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
    share = pd.Series(data.correct / data.trials).groupby(data.column("model", use="model levels").astype(str)).mean()
    # An ordinary model as the base: were it always right, no other level would be finite.
    base = str((share - share.median()).abs().idxmin())
    found = fit(data, GlmmSpec(f"model + {fixed}" if fixed else "model", tuple(random), {"model": base}))
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
    return ModelLevels(
        models=tuple(name for name, one in zip(models, known, strict=True) if one),
        levels=inside @ found.beta[finite],
        covariance=inside @ found.vcov[np.ix_(finite, finite)] @ inside.T,
        fit=found,
        notes=(*notes, *found.notes),
    )


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


def second_stage(levels: ModelLevels, predictors: pd.DataFrame, formula: str = "log10_params + corpus") -> SecondStage:
    """Regress levels on model-level predictors: level = X beta + N(0, sd^2) + error of known covariance.

    sd by REML (the random-effects meta-regression of Raudenbush and Bryk 1985), t with models - columns degrees of
    freedom (Hartung and Knapp 2001 for the reference distribution; their factor is not applied where it is below 1).

    Parameters
    ----------
    levels
        Of the first stage.
    predictors
        Rows named by the models, columns as in ``formula``; models with a missing predictor, or without a row, are left
        out and named.
    formula
        Column names joined by ``+``, ``:`` and ``*``.

    Raises
    ------
    DataError
        No degree of freedom is left, or predictors that cannot be told apart.
    """
    names = sorted(
        {part for piece in formula.replace("*", "+").replace(":", "+").split("+") if (part := piece.strip())}
    )
    rows = predictors.set_axis(predictors.index.astype(str)).reindex(list(levels.models))
    known = rows[[name for name in names if name in rows.columns]].notna().all(axis=1).to_numpy()
    left = [name for name, one in zip(levels.models, known, strict=True) if not one]
    notes = [*levels.notes]
    if left:
        notes.append(f"Without {' or '.join(names)}, left out of model-level effects: {', '.join(left)}.")
    if not known.any():
        raise DataError("No model has all predictors.", found=", ".join(left), do=f"Give {' and '.join(names)}.")
    design = build(_Models(rows[known].reset_index(drop=True)), GlmmSpec(formula, ()))
    x, y = design.matrix, levels.levels[known]
    error = levels.covariance[np.ix_(known, known)]
    df = len(y) - x.shape[1]
    if df < 1:
        raise DataError(
            f"{len(y)} models cannot give {x.shape[1]} model-level coefficients and a variance.",
            found=", ".join(np.asarray(levels.models)[known]),
            do="Use more models, or fewer model-level predictors.",
        )
    sd = _between(x, y, error)
    if sd == 0:
        notes.append("The variance over models is estimated as 0 (at the boundary).")
    inverse = np.linalg.inv(error + sd**2 * np.eye(len(y)))
    vcov = np.linalg.inv(x.T @ inverse @ x)
    beta = vcov @ (x.T @ inverse @ y)
    rest = y - x @ beta
    vcov = vcov * max(1.0, float(rest @ inverse @ rest) / df)
    return SecondStage(
        names=design.names,
        beta=beta,
        se=np.sqrt(np.diag(vcov)),
        vcov=vcov,
        df=df,
        sd=sd,
        models=tuple(name for name, one in zip(levels.models, known, strict=True) if one),
        residual=rest,
        notes=tuple(notes),
    )


def _between(x: FloatArray, y: FloatArray, error: FloatArray) -> float:
    """Return the standard deviation that maximises the restricted likelihood of y ~ N(X beta, error + sd^2 I)."""
    # In the space of contrasts free of X the model is one of variances only, diagonal after one rotation.
    basis = np.linalg.qr(x, mode="complete")[0][:, x.shape[1] :]
    values, vectors = np.linalg.eigh(basis.T @ error @ basis)
    values = np.maximum(values, 0.0)
    squares = (vectors.T @ (basis.T @ y)) ** 2

    def deviance(sd: float) -> float:
        spread = values + sd**2
        return float((np.log(spread) + squares / spread).sum())

    unit = float(np.sqrt(squares.mean())) or 1.0
    places = [0.0, *(unit * step for step in GRID)]
    tiny = float(values.min()) <= 1e-12 * unit**2
    heights = [np.inf if place == 0 and tiny else deviance(place) for place in places]
    best = int(np.argmin(heights))
    bounds = (places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)])
    found = optimize.minimize_scalar(deviance, bounds=bounds, method="bounded", options={"xatol": 1e-9 * unit})
    return 0.0 if heights[0] <= float(found.fun) else float(found.x)
