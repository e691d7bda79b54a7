"""Two tests of an effect between models: one that counts cells, and one that counts models.

Every cell of a model shares that model's level. What differs between models only (size, corpus) must therefore be
judged by how models of one size and corpus differ, not by how cells do: the error stratum of a split plot, whose
whole plots are models (Fisher; Scheffé 1959, ch. 8).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.stats.anova.design import Term, factor, matrix
from click_stats.stats.anova.linear import NO_RESIDUAL, TINY, Linear, SsType, Test, rss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

NO_MODEL_DF = "no degrees of freedom between models: as many coefficients as models"
NO_MODEL_SPREAD = "models of the same size and corpus do not differ at all"


@dataclass(frozen=True)
class Strata:
    """Cells (one model in one category) and what explains them.

    Attributes
    ----------
    y
        (n,) accuracies of the cells.
    category, model
        (n,) category and model of each cell.
    between
        Terms that are constant within a model, in the order of type I.
    """

    y: FloatArray
    category: Sequence[str]
    model: Sequence[str]
    between: tuple[Term, ...]

    @cached_property
    def cells(self) -> Linear:
        """The model of the paper: category and the terms between models; its residual counts cells."""
        return Linear(self.y, (factor("category", self.category), *self.between))

    @cached_property
    def blocks(self) -> Linear:
        """Category and model: its residual is what is left within models."""
        return Linear(self.y, (factor("category", self.category), factor("model", self.model)))

    @property
    def n_models(self) -> int:
        """Number of models."""
        return len(set(self.model))

    @property
    def df_models(self) -> int:
        """Degrees of freedom between models: models less all coefficients that differ between models."""
        return int(self.n_models - 1 - sum(term.columns.shape[1] for term in self.between))

    @cached_property
    def ss_models(self) -> float:
        """Sum of squares between models that the terms leave."""
        return max(self.cells.ss_residual - self.blocks.ss_residual, 0.0)

    @cached_property
    def ss_between(self) -> float:
        """Sum of squares between models, terms included."""
        return max(rss(self.y, (factor("category", self.category),)) - self.blocks.ss_residual, 0.0)

    @cached_property
    def spread(self) -> float:
        """Cells per model: by how much a model's variance counts in the mean square between models.

        The number of categories when every model has all; else the coefficient in the expected mean square,
        ``tr(Z'(I - P)Z) / df`` with ``P`` the projection on the terms (Searle, Casella and McCulloch 1992, ch. 5).
        """
        q = np.linalg.qr(matrix(self.cells.terms, len(self.y)))[0]
        z = self.indicators
        return float((z * (z - q @ (q.T @ z))).sum()) / self.df_models

    @cached_property
    def indicators(self) -> FloatArray:
        """(n, models) which cell is of which model."""
        levels = sorted(set(self.model))
        return np.array([[one == level for level in levels] for one in self.model], dtype=float)

    @property
    def undefined(self) -> str:
        """Why there is no test between models; empty when there is."""
        if self.df_models < 1:
            return NO_MODEL_DF
        return NO_MODEL_SPREAD if self.ss_models <= TINY * max(self.cells.ss_total, TINY) else ""

    def tests(self, ss_type: SsType) -> list[Test]:
        """Return the test of every term against its own stratum: category within models, the others between them."""
        found = []
        for test in self.cells.tests(ss_type):
            if test.term == "category":
                found.append(next(one for one in self.blocks.tests(2) if one.term == "category"))
            elif self.undefined:
                found.append(test._replace(statistic=np.nan, p_value=np.nan, reason=self.undefined))
            else:
                statistic = test.sum_sq / test.df / (self.ss_models / self.df_models)
                p_value = float(stats.f.sf(statistic, test.df, self.df_models))
                found.append(test._replace(statistic=statistic, p_value=p_value, reason=""))
        return found

    def variance(self, level: float = 0.95) -> Variance:
        """Return the standard deviations of cells and of models, and the interval of the latter."""
        df, df_within = self.df_models, self.blocks.df_residual
        if df_within < 1 or self.undefined:
            return Variance(np.nan, np.nan, np.nan, np.nan, self.undefined or NO_RESIDUAL)
        within = self.blocks.ss_residual / df_within
        if within <= TINY * max(self.cells.ss_total, TINY):
            return Variance(0.0, np.nan, np.nan, np.nan, NO_RESIDUAL)
        ratio = self.ss_models / df / within
        tail = (1 - level) / 2
        ends = [ratio / float(stats.f.ppf(q, df, df_within)) for q in (1 - tail, tail)]
        low, middle, high = (
            float(np.sqrt(within * max(one - 1, 0.0) / self.spread)) for one in (ends[0], ratio, ends[1])
        )
        return Variance(float(np.sqrt(within)), middle, low, high, "")

    def slope(self, name: str, level: float = 0.95) -> tuple[float, float, float, float]:
        """Return a coefficient with its standard error between models and its t interval; NaN where undefined.

        The error of the cells' model is scaled to the mean square between models, which is exact when every model has
        every category and otherwise an approximation.
        """
        place = self.cells.place(name).start
        estimate = float(self.cells.fit.params[place])
        if self.undefined or self.cells.undefined:
            return estimate, np.nan, np.nan, np.nan
        scale = (self.ss_models / self.df_models) / (self.cells.ss_residual / self.cells.df_residual)
        error = float(self.cells.fit.bse[place] * np.sqrt(scale))
        half = float(stats.t.ppf((1 + level) / 2, self.df_models)) * error
        return estimate, error, estimate - half, estimate + half


@dataclass(frozen=True)
class Variance:
    """Standard deviations of a cell within its model (``cell_sd``) and of models (``model_sd``), as shares.

    ``low`` and ``high`` are the exact interval of the ratio to ``cell_sd``, times the latter. All in shares of 1; a
    negative estimate of the variance is 0.
    """

    cell_sd: float
    model_sd: float
    low: float
    high: float
    reason: str


def nested(name: str, outer: Sequence[Any], inner: Sequence[Any]) -> Term:
    """Return levels of ``inner`` within those of ``outer``, in sum coding: one column less than levels in each."""
    pairs = list(zip(outer, inner, strict=True))
    columns = []
    for group in sorted(set(outer)):
        levels = sorted({b for a, b in pairs if a == group})
        columns += [
            [0.0 if a != group else float(b == level) - float(b == levels[-1]) for a, b in pairs]
            for level in levels[:-1]
        ]
    return Term(name, np.array(columns, dtype=float).reshape(len(columns), len(pairs)).T, frozenset([name]))
