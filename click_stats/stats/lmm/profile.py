"""The profiled deviance of a linear mixed model and its gradient by the ratios of variances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import linalg

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.structure import Products


LEAST = 1e-9
"""Residual sum of squares below which it is rounding error, in units of the variance about the fixed effects."""


class Evaluation(NamedTuple):
    """What is known at one set of variance ratios.

    With H = I + sum_k ratio_k Z_k Z_k', the covariance of y over the residual variance.

    Attributes
    ----------
    deviance
        -2 log-likelihood (restricted or not), residual variance and fixed effects at their best.
    gradient
        (terms,) its derivatives by the ratios.
    beta
        (fixed,) generalised least squares estimates.
    inverse
        (fixed, fixed) inverse of X'H^-1 X.
    residual
        Residual variance.
    fixed
        For each term (levels, fixed), Z_k'H^-1 X.
    response
        For each term (levels,), Z_k'H^-1 (y - X beta).
    """

    deviance: float
    gradient: FloatArray
    beta: FloatArray
    inverse: FloatArray
    residual: float
    fixed: tuple[FloatArray, ...]
    response: tuple[FloatArray, ...]


@dataclass(frozen=True)
class Profile:
    """The deviance as a function of the variance ratios (Bates, Maechler, Bolker and Walker 2015, section 3).

    Random effects that nest in one facet are eliminated block by block, the others by a dense factor of what is left
    (Schur complement): with items as that facet the cost grows with the items, not with their square.

    Attributes
    ----------
    products
        Cross-products; the last column of ``W`` is y, the others are the fixed effects.
    restricted
        Integrate the fixed effects out (REML).
    """

    products: Products
    restricted: bool

    @property
    def df(self) -> int:
        """Rows, less the fixed effects when restricted."""
        return self.products.n_rows - (self.products.n_columns - 1 if self.restricted else 0)

    def __call__(self, ratios: FloatArray) -> Evaluation:
        """Evaluate at (terms,) variance ratios, each 0 or larger."""
        products = self.products
        root = np.sqrt(np.r_[ratios, 0.0])
        n_terms, n_outer = len(ratios), len(products.outer_term)
        rest = products.outer.copy()
        log_det = 0.0
        solved = []
        for bucket in products.buckets:
            scale = root[bucket.term]
            inner = scale[:, :, None] * bucket.gram * scale[:, None, :]
            inner[:, np.arange(inner.shape[1]), np.arange(inner.shape[1])] += 1.0
            log_det += 2.0 * float(np.log(np.diagonal(np.linalg.cholesky(inner), axis1=1, axis2=2)).sum())
            spread = scale[:, :, None] * np.linalg.inv(inner) * scale[:, None, :]
            answer = spread @ bucket.cross
            rest -= np.tensordot(bucket.cross, answer, axes=((0, 1), (0, 1)))
            solved.append((spread, answer))
        scale = root[products.outer_term]
        outer = scale[:, None] * rest[:n_outer, :n_outer] * scale
        outer[np.diag_indices(n_outer)] += 1.0
        factor = linalg.cholesky(outer, lower=True)
        log_det += 2.0 * float(np.log(np.diag(factor)).sum())
        spread_outer = scale[:, None] * linalg.cho_solve((factor, True), np.diag(scale)) if n_outer else outer
        answer_outer = spread_outer @ rest[:n_outer, n_outer:]
        gram = rest[n_outer:, n_outer:] - rest[n_outer:, :n_outer] @ answer_outer
        solution = _least_squares(gram)
        # H^-1 seen from the levels of each term: its trace there, and its product with the columns of W.
        traces = np.zeros(n_terms + 1)
        seen = [np.zeros((int(levels), products.n_columns)) for levels in products.n_levels]
        for bucket, (spread, answer) in zip(products.buckets, solved, strict=True):
            through = bucket.cross - bucket.gram @ answer
            diagonal = np.diagonal(bucket.gram, axis1=1, axis2=2) - ((bucket.gram @ spread) * bucket.gram).sum(axis=2)
            if n_outer:
                diagonal = diagonal - ((through[:, :, :n_outer] @ spread_outer) * through[:, :, :n_outer]).sum(axis=2)
            traces += np.bincount(bucket.term.ravel(), diagonal.ravel(), minlength=n_terms + 1)
            values = through[:, :, n_outer:] - through[:, :, :n_outer] @ answer_outer
            for k in np.unique(bucket.term[bucket.term < n_terms]).tolist():
                places = bucket.term == k
                seen[k][bucket.level[places]] = values[places]
        square = rest[:n_outer, :n_outer]
        diagonal = np.diag(square) - ((square @ spread_outer) * square).sum(axis=1)
        values = rest[:n_outer, n_outer:] - square @ answer_outer
        for k in np.unique(products.outer_term).tolist():
            places = products.outer_term == k
            traces[k] = diagonal[places].sum()
            seen[k][products.outer_level[places]] = values[places]
        return self._finish(log_det, solution, traces, seen)

    def _finish(self, log_det: float, solution: _Solution, traces: FloatArray, seen: list[FloatArray]) -> Evaluation:
        df = self.df
        # Where the search overshoots, what is left cancels to rounding error; the scale of y is 1.
        residual = max(solution.squares, LEAST) / df
        deviance = log_det + df * (1.0 + np.log(2.0 * np.pi * residual))
        if self.restricted:
            deviance += solution.log_det
        fixed = tuple(one[:, :-1] for one in seen)
        response = tuple(one[:, -1] - one[:, :-1] @ solution.beta for one in seen)
        gradient = np.zeros(len(seen))
        for k, (columns, values) in enumerate(zip(fixed, response, strict=True)):
            gradient[k] = traces[k] - float(values @ values) / residual
            if self.restricted:
                gradient[k] -= float(((columns @ solution.inverse) * columns).sum())
        return Evaluation(float(deviance), gradient, solution.beta, solution.inverse, residual, fixed, response)


class _Solution(NamedTuple):
    beta: FloatArray
    inverse: FloatArray
    log_det: float
    squares: float


def _least_squares(gram: FloatArray) -> _Solution:
    """Return the regression of the last column on the others from their cross-products under H^-1."""
    width = len(gram) - 1
    factor = linalg.cholesky(gram[:width, :width], lower=True)
    inverse = np.asarray(linalg.cho_solve((factor, True), np.eye(width)), dtype=np.float64)
    beta = np.asarray(linalg.cho_solve((factor, True), gram[:width, width]), dtype=np.float64)
    squares = float(gram[width, width] - gram[width, :width] @ beta)
    return _Solution(beta, inverse, 2.0 * float(np.log(np.diag(factor)).sum()), squares)
