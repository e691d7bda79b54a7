"""The levels of models regressed on what is known of the models: the second of two stages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
from scipy import optimize, stats

from click_stats.errors import DataError
from click_stats.stats.glmm.data import GlmmSpec, Table
from click_stats.stats.glmm.design import build

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.mixed.levels import ModelLevels

GRID = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Standard deviations over models, in units of the spread of the levels, between which the search begins."""
ROUNDS = 200
TINY = 1e-9
NEGLIGIBLE = 1e-6
"""Gain in deviance that counts as none: a variance with no more than it is 0."""


class VarianceTest(NamedTuple):
    """Likelihood-ratio test that a variance is 0.

    Attributes
    ----------
    statistic
        Twice the gain in restricted log-likelihood.
    p_value
        By half chi-squared on 0 and half on 1 degree of freedom, 0 being at the boundary (Self and Liang 1987).
    """

    statistic: float
    p_value: float


def at_boundary(statistic: float) -> VarianceTest:
    """Return the test of one variance from twice the gain in log-likelihood."""
    gain = statistic if statistic > NEGLIGIBLE else 0.0
    return VarianceTest(gain, 0.5 * float(stats.chi2.sf(gain, 1)) if gain else 1.0)


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
    sd, family_sd
        Standard deviations of models, and of families where asked for, about the regression, by REML; 0 at the
        boundary.
    variance_test
        Of the variance over models; of that over families where asked for.
    p_wald
        (columns,) p-values of z with the variance over models by maximum likelihood: too small with few models.
    models
        Models used.
    fitted, fitted_se, residual
        (models,) what the regression says, its standard error, and level less prediction.
    notes
        Sentences for the reader.
    """

    names: tuple[str, ...]
    beta: FloatArray
    se: FloatArray
    vcov: FloatArray
    df: int
    sd: float
    family_sd: float
    variance_test: VarianceTest
    p_wald: FloatArray
    models: tuple[str, ...]
    fitted: FloatArray
    fitted_se: FloatArray
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
                "p_wald": self.p_wald,
            },
            index=pd.Index(self.names, name="term"),
        )


@dataclass(frozen=True)
class _Models(Table):
    columns: pd.DataFrame


def second_stage(
    levels: ModelLevels,
    predictors: pd.DataFrame,
    formula: str = "log10_params + corpus",
    *,
    families: Sequence[str] | None = None,
) -> SecondStage:
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
        Column names joined by ``+``, ``:`` and ``*``; empty for the intercept alone.
    families
        (rows of ``predictors``,) family of each model: adds a normal effect of families.

    Raises
    ------
    DataError
        No degree of freedom is left, or predictors that cannot be told apart.
    """
    names = sorted(
        {part for piece in formula.replace("*", "+").replace(":", "+").split("+") if (part := piece.strip())}
    )
    index = predictors.index.astype(str)
    rows = predictors.set_axis(index).reindex(list(levels.models))
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
    own = [np.eye(len(y))]
    if families is not None:
        group = pd.Series(list(families), index=index).reindex(list(levels.models))[known].astype(str).to_numpy()
        own.append((group[:, None] == group).astype(np.float64))
    model = _Regression(x, y, error, tuple(own))
    sds, height = model.maximise()
    _, floor = model.maximise(fixed=len(own) - 1)  # the last variance held at 0
    if sds[0] == 0:
        notes.append("The variance over models is estimated as 0 (at the boundary).")
    beta, vcov, rest, scale = model.solve(sds)
    vcov = vcov * max(1.0, scale / df)
    likely, _ = model.maximise(restricted=False)
    other, plain, _, _ = model.solve(likely)
    fitted = x @ beta
    return SecondStage(
        names=design.names,
        beta=beta,
        se=np.sqrt(np.diag(vcov)),
        vcov=vcov,
        df=df,
        sd=float(sds[0]),
        family_sd=float(sds[1]) if families is not None else np.nan,
        variance_test=at_boundary(floor - height),
        p_wald=2.0 * stats.norm.sf(np.abs(other) / np.sqrt(np.diag(plain))),
        models=tuple(name for name, one in zip(levels.models, known, strict=True) if one),
        fitted=fitted,
        fitted_se=np.sqrt(np.einsum("ij,jk,ik->i", x, vcov, x)),
        residual=rest,
        notes=tuple(notes),
    )


class _Regression:
    """y ~ N(X beta, error + sum of sd_k^2 K_k) with known ``error`` and ``own`` = the K_k."""

    def __init__(self, x: FloatArray, y: FloatArray, error: FloatArray, own: tuple[FloatArray, ...]) -> None:
        low, high = np.linalg.eigvalsh(error)[[0, -1]]
        if low < 1e-10 * high:
            # Levels known only against one of them: an error common to all is the intercept's alone.
            error = error + high
        self.x, self.y, self.error, self.own = x, y, error, own
        rest = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
        self.unit = float(np.sqrt(rest @ rest / (len(y) - x.shape[1]))) or 1.0

    def solve(self, sds: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """Return beta, its covariance, the residuals and their quadratic form at given standard deviations."""
        inverse = np.linalg.inv(self._variance(sds))
        vcov = np.asarray(np.linalg.inv(self.x.T @ inverse @ self.x), dtype=np.float64)
        beta = vcov @ (self.x.T @ inverse @ self.y)
        rest = self.y - self.x @ beta
        return beta, vcov, rest, float(rest @ inverse @ rest)

    def maximise(self, *, fixed: int | None = None, restricted: bool = True) -> tuple[FloatArray, float]:
        """Return the standard deviations of greatest likelihood and the deviance there; ``fixed`` is held at 0.

        One standard deviation at a time until none changes; with one there is nothing to repeat.
        """
        sds = np.full(len(self.own), 0.5 * self.unit)
        free = [k for k in range(len(self.own)) if k != fixed]
        if fixed is not None:
            sds[fixed] = 0.0
        for _ in range(ROUNDS if len(free) > 1 else min(len(free), 1)):
            before = sds.copy()
            for k in free:
                sds[k] = self._best(sds, k, restricted)
            if np.abs(sds - before).max() < 1e-8 * self.unit:
                break
        return sds, self.deviance(sds, restricted)

    def deviance(self, sds: FloatArray, restricted: bool) -> float:
        """Return -2 log-likelihood at given standard deviations, constants left out."""
        return _Along(self._variance(sds), np.zeros_like(self.error), self.x, self.y).deviance(0.0, restricted)

    def _variance(self, sds: FloatArray) -> FloatArray:
        # What is added is nothing beside any level, and lets errors of 0 have a factor.
        found: FloatArray = self.error + (TINY * self.unit) ** 2 * np.eye(len(self.y))
        for sd, own in zip(sds, self.own, strict=True):
            found = found + sd**2 * own
        return found

    def _best(self, sds: FloatArray, k: int, restricted: bool) -> float:
        rest = sds.copy()
        rest[k] = 0.0
        along = _Along(self._variance(rest), self.own[k], self.x, self.y)
        places = [0.0, *(self.unit * step for step in GRID)]
        heights = [along.deviance(place, restricted) for place in places]
        best = int(np.argmin(heights))
        bounds = (places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)])
        found = optimize.minimize_scalar(
            along.deviance, bounds=bounds, args=(restricted,), method="bounded", options={"xatol": 1e-9 * self.unit}
        )
        return 0.0 if heights[0] <= float(found.fun) + NEGLIGIBLE else float(found.x)


class _Along:
    """The deviance along one standard deviation: rotated so that rest + sd^2 own is diagonal for every sd."""

    def __init__(self, rest: FloatArray, own: FloatArray, x: FloatArray, y: FloatArray) -> None:
        root = np.linalg.cholesky(rest)
        inner = np.linalg.solve(root, np.linalg.solve(root, own).T)
        self.values, vectors = np.linalg.eigh(0.5 * (inner + inner.T))
        turned = vectors.T @ np.linalg.solve(root, np.column_stack([x, y]))
        self.x, self.y = turned[:, :-1], turned[:, -1]
        self.base = 2.0 * float(np.log(np.diag(root)).sum())

    def deviance(self, sd: float, restricted: bool) -> float:
        spread = 1.0 + sd**2 * np.maximum(self.values, 0.0)
        weighted = self.x / spread[:, None]
        information = weighted.T @ self.x
        rest = self.y - self.x @ np.linalg.solve(information, weighted.T @ self.y)
        value = self.base + float(np.log(spread).sum() + (rest**2 / spread).sum())
        return value + float(np.linalg.slogdet(information)[1]) if restricted else value
