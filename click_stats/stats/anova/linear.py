"""Ordinary least squares and its tests: sums of squares of type I, II and III, and Wald tests with HC3 errors."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import statsmodels.api as sm
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.anova.design import Term, matrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

SsType = Literal[1, 2, 3]
TINY = 1e-12
"""Residual sum of squares, as a share of the total, that counts as none."""
NO_RESIDUAL_DF = "no residual degrees of freedom: as many coefficients as observations"
NO_RESIDUAL = "no residual variation: the model fits exactly"
LEVERAGE = "an observation that the model fits by itself (leverage 1): HC3 is undefined"


class Test(NamedTuple):
    """One term's test. ``statistic`` is F; undefined values are NaN and have a reason."""

    term: str
    sum_sq: float
    df: int
    statistic: float
    p_value: float
    reason: str = ""


@dataclass(frozen=True)
class Linear:
    """A linear model with an intercept.

    Attributes
    ----------
    y
        (n,) observations.
    terms
        The terms in the order of type I.

    Raises
    ------
    DataError
        The columns of a term are fixed by those of others.
    """

    y: FloatArray
    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        for k, term in enumerate(self.terms):
            before, after = matrix(self.terms[:k], len(self.y)), matrix(self.terms[: k + 1], len(self.y))
            if np.linalg.matrix_rank(after) - np.linalg.matrix_rank(before) < term.columns.shape[1]:
                raise DataError(
                    f"The term {term.name!r} is fixed by the terms before it: its effect cannot be told from theirs.",
                    found=" + ".join(one.name for one in self.terms),
                    do="Leave one of them out.",
                )

    @cached_property
    def fit(self) -> Any:
        """The fit by statsmodels."""
        return sm.OLS(self.y, matrix(self.terms, len(self.y))).fit()

    @property
    def df_residual(self) -> int:
        """Observations less coefficients."""
        return int(len(self.y) - 1 - sum(term.columns.shape[1] for term in self.terms))

    @cached_property
    def ss_residual(self) -> float:
        """Residual sum of squares."""
        return rss(self.y, self.terms)

    @cached_property
    def ss_total(self) -> float:
        """Sum of squares about the mean."""
        return float(((self.y - self.y.mean()) ** 2).sum())

    @property
    def undefined(self) -> str:
        """Why no F can be computed; empty when it can."""
        if self.df_residual < 1:
            return NO_RESIDUAL_DF
        return NO_RESIDUAL if self.ss_residual <= TINY * max(self.ss_total, TINY) else ""

    def place(self, name: str) -> slice:
        """Return which coefficients belong to a term."""
        start = 1
        for term in self.terms:
            stop = start + term.columns.shape[1]
            if term.name == name:
                return slice(start, stop)
            start = stop
        raise KeyError(name)

    def tests(self, ss_type: SsType = 2) -> list[Test]:
        """Return the F test of every term against the residual of the whole model.

        Type I: what a term takes from the residual of the terms before it. Type II: from that of all terms which do not
        contain it. Type III: from that of all other terms, in sum coding (Fox 2016, ch. 8; the definitions of
        R's ``anova`` and ``car::Anova``).
        """
        found = []
        for k, term in enumerate(self.terms):
            if ss_type == 1:
                others = self.terms[:k]
            elif ss_type == 2:
                others = tuple(one for one in self.terms if one is not term and not one.contains(term))
            else:
                others = tuple(one for one in self.terms if one is not term)
            sum_sq = max(rss(self.y, others) - rss(self.y, (*others, term)), 0.0)
            found.append(self._against_residual(term.name, sum_sq, term.columns.shape[1]))
        return found

    def tests_hc3(self) -> list[Test]:
        """Return Wald tests of type III with standard errors that allow unequal variances (HC3; Long and Ervin 2000).

        ``sum_sq`` has no meaning here and is NaN.
        """
        if self.undefined:
            return [
                Test(term.name, np.nan, term.columns.shape[1], np.nan, np.nan, self.undefined) for term in self.terms
            ]
        if self.fit.get_influence().hat_matrix_diag.max() > 1 - 1e-10:
            return [Test(term.name, np.nan, term.columns.shape[1], np.nan, np.nan, LEVERAGE) for term in self.terms]
        found = []
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            covariance = self.fit.cov_HC3
        for term in self.terms:
            part, df = self.place(term.name), term.columns.shape[1]
            beta = self.fit.params[part]
            statistic = float(beta @ np.linalg.solve(covariance[part, part], beta)) / df
            p_value = float(stats.f.sf(statistic, df, self.df_residual))
            found.append(Test(term.name, np.nan, df, statistic, p_value))
        return found

    def _against_residual(self, name: str, sum_sq: float, df: int) -> Test:
        reason = self.undefined
        if reason:
            return Test(name, sum_sq, df, np.nan, np.nan, reason)
        statistic = sum_sq / df / (self.ss_residual / self.df_residual)
        return Test(name, sum_sq, df, statistic, float(stats.f.sf(statistic, df, self.df_residual)))


def rss(y: FloatArray, terms: Sequence[Term]) -> float:
    """Residual sum of squares by orthogonal projection."""
    q = np.linalg.qr(matrix(terms, len(y)))[0]
    rest = y - q @ (q.T @ y)
    rest = rest - q @ (q.T @ rest)  # once more, against the rounding of the first
    return float(rest @ rest)
