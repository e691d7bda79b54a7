"""The matrix of the fixed effects: treatment contrasts, and which columns cannot be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import linalg

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmSpec, Grouping, Table

INTERCEPT = "(intercept)"
RANK_TOLERANCE = 1e-9
"""Singular value, relative to the largest, of columns scaled to length 1, below which columns count as dependent."""


@dataclass(frozen=True)
class Design:
    """Columns of the fixed effects.

    Attributes
    ----------
    names
        ``(intercept)``, ``log10_params``, ``category[Law]`` (against the base level), ``category[Law]:corpus``.
    matrix
        (cells, columns).
    base
        Base level of each categorical column used.
    terms
        (columns,) term of each column: ``(intercept)``, ``category``, ``category:corpus``.
    """

    names: tuple[str, ...]
    matrix: FloatArray
    base: dict[str, str]
    terms: tuple[str, ...]


def terms_of(formula: str) -> list[tuple[str, ...]]:
    """Return the terms of a formula, ``a*b`` written out, main effects first."""
    found: list[tuple[str, ...]] = []
    for piece in filter(None, (part.strip() for part in formula.split("+"))):
        if piece == "1":
            continue
        factors = tuple(part.strip() for part in piece.replace("*", ":").split(":"))
        if "" in factors or ("*" in piece and (":" in piece or len(factors) > 2)):
            raise UsageError(
                f"The fixed effect {piece!r} cannot be read.",
                do="Join column names by '+'; 'a:b' is an interaction, 'a*b' the same with both main effects.",
            )
        found += [*((name,) for name in factors), factors] if "*" in piece else [factors]
    unique = [term for k, term in enumerate(found) if set(term) not in [set(other) for other in found[:k]]]
    single = {term[0] for term in unique if len(term) == 1}
    for term in unique:
        absent = [name for name in term if name not in single]
        if len(term) > 1 and absent:
            raise UsageError(
                f"The interaction {':'.join(term)!r} stands without the main effect of {', '.join(absent)}.",
                do="Add the main effect: without it the contrasts depend on the base level.",
            )
    return sorted(unique, key=len)


def build(data: Table, spec: GlmmSpec) -> Design:
    """Return the fixed effects of the specification.

    Raises
    ------
    DataError
        Columns that are linear combinations of others (named), or a value that is missing or not finite.
    UsageError
        A formula that cannot be read, an unknown column or base level.
    """
    bases: dict[str, str] = {}
    main: dict[str, tuple[list[str], FloatArray]] = {}
    blocks: list[tuple[list[str], FloatArray]] = [([INTERCEPT], np.ones((len(data), 1)))]
    terms = [INTERCEPT]
    for term in terms_of(spec.fixed):
        if len(term) == 1:
            main[term[0]] = _main(data, term[0], spec, bases)
        names, values = main[term[0]]
        for other in term[1:]:
            more, columns = main[other]
            names = [f"{one}:{two}" for one in names for two in more]
            values = (values[:, :, None] * columns[:, None, :]).reshape(len(data), -1)
        blocks.append((names, values))
        terms += [":".join(term)] * len(names)
    unused = set(spec.base) - set(bases)
    if unused:
        raise UsageError(
            "A base level is given for a column that is no categorical fixed effect.", found=", ".join(sorted(unused))
        )
    design = Design(
        tuple(name for names, _ in blocks for name in names),
        np.ascontiguousarray(np.concatenate([values for _, values in blocks], axis=1)),
        bases,
        tuple(terms),
    )
    refuse_dependent(design)
    return design


def _main(data: Table, name: str, spec: GlmmSpec, bases: dict[str, str]) -> tuple[list[str], FloatArray]:
    """Return the columns of one predictor."""
    values = data.column(name, use="fixed effects")
    if pd.api.types.is_numeric_dtype(values) or pd.api.types.is_bool_dtype(values):
        numbers = values.to_numpy(dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise DataError(f"The column {name!r} has values that are not finite.", do="Leave out those cells.")
        return [name], numbers[:, None]
    present = set(values.astype(str))
    ordered = (
        [str(level) for level in values.cat.categories if str(level) in present]
        if isinstance(values.dtype, pd.CategoricalDtype)
        else sorted(present)
    )
    base = spec.base.get(name, ordered[0])
    if base not in present:
        raise UsageError(f"The base level {base!r} of {name!r} does not occur.", found=", ".join(ordered))
    bases[name] = base
    levels = [level for level in ordered if level != base]
    text = values.astype(str).to_numpy()
    indicators = np.stack([text == level for level in levels], axis=1) if levels else np.zeros((len(data), 0))
    return [f"{name}[{level}]" for level in levels], indicators.astype(np.float64)


def refuse_dependent(design: Design) -> None:
    """Raise when a column is a linear combination of others, naming all that take part."""
    # The triangle of a QR factor has the singular values of the matrix itself, not their squares.
    length = np.linalg.norm(design.matrix, axis=0)
    triangle = np.linalg.qr(design.matrix / np.where(length > 0, length, 1.0), mode="r")
    _, singular, right = np.linalg.svd(triangle)
    singular = np.pad(singular, (0, len(right) - len(singular)))  # fewer rows than columns leave a null space
    null = right[singular < RANK_TOLERANCE * singular[0]]
    if len(null):
        involved = np.abs(null).max(axis=0) > 1e-6
        raise DataError(
            "Fixed effects cannot be told apart: columns are linear combinations of each other.",
            found=", ".join(np.asarray(design.names)[involved]),
            do="Leave out a predictor that is constant, given twice, or fixed by the others.",
        )


def refuse_saturated(matrix: FloatArray, groups: Mapping[str, Grouping]) -> None:
    """Raise when the fixed effects give each level of a random effect a value of its own.

    Its variance is then nothing that the data could show (two models and a coefficient of their size).
    """
    if not matrix.shape[1]:
        return
    triangle = np.linalg.qr(matrix, mode="r")
    for name, group in groups.items():
        if len(group.levels) > matrix.shape[1]:
            continue
        sums = np.array([np.bincount(group.codes, column, len(group.levels)) for column in matrix.T])
        inside = (linalg.solve_triangular(triangle, sums, trans="T") ** 2).sum(axis=0)
        size = np.bincount(group.codes, minlength=len(group.levels))
        if (size - inside < 1e-8 * size).all():
            raise DataError(
                f"The variance of {name!r} cannot be estimated: the fixed effects give each level a value of its own.",
                found=f"{len(group.levels)} levels",
                do=f"Leave {name!r} out of the random effects, or predictors that differ between its levels.",
            )


def independent(matrix: FloatArray) -> np.ndarray:
    """Return (columns,) which columns to keep so that none is a combination of the others (pivoted QR)."""
    kept = np.zeros(matrix.shape[1], dtype=bool)
    length = np.linalg.norm(matrix, axis=0)
    if not len(length) or not length.any():
        return kept
    _, triangle, order = linalg.qr(matrix / np.where(length > 0, length, 1.0), mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(triangle))
    kept[order[: len(diagonal)][diagonal > 1e-8 * diagonal[0]]] = True
    return kept
