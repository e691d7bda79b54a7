"""Columns of the fixed effects: of models, of items, and of models in groups of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import DataError
from click_stats.stats.bayes.formula import factors
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm.data import GlmmSpec, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from click_stats.counts import FloatArray, IntArray


class Aside(DataError):  # noqa: N818 -- not an error of the user: the analysis steps aside
    """These data do not allow the analysis; the message is the reason that the result carries."""


@dataclass(frozen=True)
class Predictors:
    """Columns of fixed effects, centred.

    Attributes
    ----------
    names
        ``log10_params``, ``corpus[trace]`` (against the base level), ``log10_params:corpus[trace]``.
    matrix, raw
        (rows, columns) columns less their mean over rows, and as they are.
    terms
        (columns,) the term each column belongs to.
    base
        Base level of each categorical term.
    """

    names: tuple[str, ...]
    matrix: FloatArray
    raw: FloatArray
    terms: tuple[str, ...]
    base: dict[str, str]

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each column is a number and not a level."""
        return tuple(not name.endswith("]") for name in self.names)


@dataclass(frozen=True)
class Groups:
    """Groups of items in which models may differ, and how effects of models differ between them.

    Attributes
    ----------
    column
        Column of the items that makes the groups: ``category``.
    codes
        (I,) group of each item.
    n
        Groups, G.
    names
        (K,) interactions: ``category[Law]:log10_params``.
    of_model
        (K,) column of the models' predictors that each one holds.
    levels
        (K,) code of the group of each one; the base group is ``base``.
    base
        Code of the group that the others are held against.
    base_name
        Its name.
    contrast
        (G, K) columns of the groups less their mean over groups, so that an effect of models by itself is the mean of
        those in the groups.
    matrix
        (M, G, K) predictors of a model in a group: centred column of the model times ``contrast``.
    """

    column: str
    codes: IntArray
    n: int
    names: tuple[str, ...]
    of_model: IntArray
    levels: IntArray
    base: int
    base_name: str
    contrast: FloatArray
    matrix: FloatArray


class _Frame(Table):
    def __init__(self, columns: pd.DataFrame) -> None:
        self.columns = columns


def predictors(frame: pd.DataFrame, terms: Sequence[str]) -> Predictors:
    """Return the columns of ``terms``; those that cannot be told apart make the analysis step aside."""
    table = _Frame(frame.reset_index(drop=True).drop(columns="model", errors="ignore"))
    try:
        design = designs.build(table, GlmmSpec(" + ".join(terms)))
    except DataError as error:
        reason = error.what if not error.found else f"{error.what} ({error.found})"
        raise Aside(reason) from error
    raw = design.matrix[:, 1:]
    mean: Any = raw.mean(axis=0, keepdims=True) if raw.size else 0.0
    return Predictors(design.names[1:], raw - mean, raw, design.terms[1:], design.base)


def groups(
    items: pd.DataFrame, column: str, crossed: Sequence[tuple[str, str]], of_models: Predictors, of_items: Predictors
) -> Groups:
    """Return the groups that ``column`` makes, and the interactions of facts of models with it."""
    values = items[column].astype(str)
    codes, levels = values.factorize(sort=True)
    base = of_items.base.get(column, str(levels[0]))
    found: list[tuple[str, int, int]] = []
    for first, second in crossed:
        fact = second if first == column else first
        places = [k for k, term in enumerate(of_models.terms) if term == fact]
        others = [k for k, level in enumerate(levels) if level != base]
        pairs = (
            [(k, j) for k in places for j in others] if first != column else [(k, j) for j in others for k in places]
        )
        for k, j in pairs:
            parts = (of_models.names[k], f"{column}[{levels[j]}]")
            found.append((":".join(parts if first != column else parts[::-1]), k, j))
    of_model = np.array([k for _, k, _ in found], dtype=np.int64)
    level = np.array([j for _, _, j in found], dtype=np.int64)
    contrast = np.eye(len(levels))[:, level]
    contrast = contrast - contrast.mean(axis=0, keepdims=True) if found else contrast
    return Groups(
        column=column,
        codes=codes.astype(np.int64),
        n=len(levels),
        names=tuple(name for name, _, _ in found),
        of_model=of_model,
        levels=level,
        base=list(levels).index(base),
        base_name=base,
        contrast=contrast,
        matrix=of_models.matrix[:, None, of_model] * contrast[None],
    )


def parts(of_models: Predictors) -> list[list[int]]:
    """Return for each column of the models the columns of which it is the product: itself, unless an interaction."""
    place = {name: k for k, name in enumerate(of_models.names)}
    return [[place[part] for part in factors(name)] for name in of_models.names]
