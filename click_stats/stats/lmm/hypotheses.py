"""Contrasts that the tests of types I, II and III set to 0, and those of marginal means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from click_stats.errors import UsageError
from click_stats.stats.glmm.design import INTERCEPT

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.fit import LmmFit

Kind = Literal["I", "II", "III"]


def terms_of(fit: LmmFit) -> list[str]:
    """Return the fixed terms but the intercept, in the order of the formula."""
    return [term for term in dict.fromkeys(fit.design.terms) if term != INTERCEPT]


def contrasts_of(fit: LmmFit, term: str, kind: Kind) -> FloatArray:
    """Return the (q, columns) contrasts of a term.

    Type I: the term after those before it. Type II: after all terms that do not contain it. Type III: its effects
    averaged over the levels of all others with equal weight, that is its coefficients under sum-to-zero coding. The
    first two are rows of the triangular factor of X'X with unit diagonal (columns in that order; Goodnight 1980).
    Satterthwaite's df of several contrasts depend on their scale, which is lmerTest's here.
    """
    terms = np.array(fit.design.terms)
    if term not in terms_of(fit):
        raise UsageError(f"There is no fixed term {term!r}.", found=", ".join(terms_of(fit)))
    own = terms == term
    if kind == "III":
        treatment, coded = fit.design.matrix, _sum_coded(fit)
        return np.asarray(np.linalg.lstsq(coded, treatment, rcond=None)[0][own], dtype=np.float64)
    if kind == "I":
        order = np.arange(len(terms))
    else:
        parts = set(term.split(":"))
        contain = np.array([set(other.split(":")) > parts for other in terms])
        order = np.r_[np.flatnonzero(~own & ~contain), np.flatnonzero(own), np.flatnonzero(contain)]
    triangle = np.linalg.qr(fit.design.matrix[:, order], mode="r")
    found = np.zeros((int(own.sum()), len(terms)))
    found[:, order] = (triangle / np.diag(triangle)[:, None])[own[order]]
    return found


def _sum_coded(fit: LmmFit) -> FloatArray:
    """Return the model matrix with sum-to-zero coding of categorical columns."""
    blocks: list[FloatArray] = []
    for term in dict.fromkeys(fit.design.terms):
        block = np.ones((fit.n_rows, 1))
        for name in [] if term == INTERCEPT else term.split(":"):
            values = _main(fit, name, sum_coded=True)
            block = (block[:, :, None] * values[:, None, :]).reshape(fit.n_rows, -1)
        blocks.append(block)
    return np.concatenate(blocks, axis=1)


def levels_of(fit: LmmFit, name: str) -> list[str]:
    """Return the levels of a categorical fixed effect, the base level first."""
    if name not in fit.design.base:
        raise UsageError(
            f"{name!r} is no categorical fixed effect.", found=", ".join(fit.design.base) or "no categorical one"
        )
    others = [
        column.removeprefix(f"{name}[").removesuffix("]")
        for column, term in zip(fit.names, fit.design.terms, strict=True)
        if term == name
    ]
    return [fit.design.base[name], *others]


def _main(fit: LmmFit, name: str, *, sum_coded: bool) -> FloatArray:
    if name not in fit.design.base:
        return fit.columns[name].to_numpy(dtype=np.float64)[:, None]
    text = fit.columns[name].astype(str).to_numpy()
    levels = levels_of(fit, name)
    indicators = np.stack([text == level for level in levels], axis=1).astype(np.float64)
    return indicators[:, 1:] - indicators[:, :1] if sum_coded else indicators[:, 1:]


def means_of(fit: LmmFit, name: str) -> tuple[list[str], FloatArray]:
    """Return the levels of a categorical column, sorted, and the (levels, columns) contrasts of its marginal means.

    Numeric columns stand at their mean over the rows, those of two values (0 and 1) halfway between them; levels of
    other categorical columns have equal weight (Searle, Speed and Milliken 1980; emmeans).
    """
    levels = sorted(levels_of(fit, name))
    value: dict[str, FloatArray] = {}
    singles = {part for term in terms_of(fit) for part in term.split(":")}
    for other in singles - {name}:
        if other in fit.design.base:
            count = len(levels_of(fit, other))
            value[other] = np.full(count - 1, 1.0 / count)
        else:
            numbers = fit.columns[other].to_numpy(dtype=np.float64)
            distinct = np.unique(numbers)
            value[other] = np.array([float((distinct if len(distinct) == 2 else numbers).mean())])
    rows = []
    own = levels_of(fit, name)
    for level in levels:
        value[name] = np.array([level == one for one in own[1:]], dtype=np.float64)
        row: list[FloatArray] = []
        for term in dict.fromkeys(fit.design.terms):
            block = np.ones(1)
            for part in [] if term == INTERCEPT else term.split(":"):
                block = np.outer(block, value[part]).ravel()
            row.append(block)
        rows.append(np.concatenate(row))
    return levels, np.array(rows)
