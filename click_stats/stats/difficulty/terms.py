"""The facts of items as columns of a design, in the order that the user gives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import BoolArray, FloatArray

LOG_CHARS = "log10_chars"
USUAL = ("category", "source", "n_options", "has_passage", LOG_CHARS, "negated")
"""Terms that a table of items may lack without being wrong."""
KEYS = ("id", "digest", "accepted", "gold", "cluster")
"""Columns that name items or say what is right; they explain no difficulty."""
YES, NO = "yes", "no"
TOLERANCE = 1e-8
"""Length, relative to its own, of what is left of a column without the earlier ones, below which it is dependent."""

ABSENT = "the table of items has no such column"
NO_VALUE = "no item has a value"
CONSTANT = "the same for all items"
DEPENDENT = "not told apart from {names}"
MIXTURE = "not told apart from the terms before it together"
MOST_NAMED = 3


@dataclass(frozen=True)
class Column:
    """One coefficient: a number's slope, or a level against the base level of its term.

    Attributes
    ----------
    term, level, base
        ``level`` and ``base`` are empty for a number.
    coded
        (I,) the number, or 1 at the level and 0 elsewhere, of the items that take part.
    reason
        Why there is no coefficient; empty where there is one.
    """

    term: str
    level: str
    base: str
    coded: FloatArray
    reason: str = ""

    @property
    def name(self) -> str:
        """What the column is called in a sentence."""
        return f"{self.term} {self.level}" if self.level else self.term


class Design(NamedTuple):
    """The columns, and which items have a value in all terms.

    Attributes
    ----------
    columns
        All of them, those without a coefficient among them with the reason.
    complete
        (I,) items of the table that take part.
    missing
        Terms with missing values, and how many items lack one.
    """

    columns: tuple[Column, ...]
    complete: BoolArray
    missing: dict[str, int]

    @property
    def used(self) -> tuple[Column, ...]:
        """The columns that have a coefficient."""
        return tuple(one for one in self.columns if not one.reason)

    @property
    def matrix(self) -> FloatArray:
        """(I, columns used) without the intercept."""
        return np.stack([one.coded for one in self.used], axis=1) if self.used else np.zeros((self.complete.sum(), 0))


def build(items: pd.DataFrame, terms: Sequence[str], answered: BoolArray) -> Design:
    """Turn terms into columns that are no linear combinations of those before them.

    Parameters
    ----------
    items
        One row for each item.
    terms
        Columns of ``items``: numbers as they are, words and truth values as levels, the most frequent one as base;
        ``log10_chars`` is the logarithm of ``n_chars``.
    answered
        (I,) items that have an answer.

    Raises
    ------
    UsageError
        An unknown column, one given twice or one that names items.
    """
    if len(set(terms)) < len(terms):
        raise UsageError("A term is given twice.", found=", ".join(terms), do="Give each term once.")
    found = {name: _values(items, name) for name in terms}
    known = {
        name: values for name, values in found.items() if values is not None and bool(values[answered].notna().any())
    }
    missing = {name: int(values[answered].isna().sum()) for name, values in known.items()}
    complete = answered.copy()
    for values in known.values():
        complete &= values.notna().to_numpy()
    columns: list[Column] = []
    for name in terms:
        if name in known:
            columns += _columns(name, known[name][complete])
        else:
            reason = ABSENT if found[name] is None else NO_VALUE
            columns.append(Column(name, "", "", np.zeros(int(complete.sum())), reason))
    return Design(tuple(_independent(columns)), complete, {name: n for name, n in missing.items() if n})


def _values(items: pd.DataFrame, name: str) -> pd.Series | None:
    """Return the values of a term, missing ones as NA; None for a usual term that this table lacks."""
    column = "n_chars" if name == LOG_CHARS and LOG_CHARS not in items else name
    if column not in items or name in KEYS:
        if name in USUAL:
            return None
        known = [str(one) for one in items.columns if one not in KEYS]
        raise UsageError(f"No term {name!r} can be made: it is no fact of the items.", found=", ".join(known))
    values = items[column]
    if column != name:
        numbers = pd.to_numeric(values, errors="coerce")
        return numbers.where(numbers > 0).map(np.log10)
    if pd.api.types.is_bool_dtype(values):
        return values.map({True: YES, False: NO})
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(np.float64).where(np.isfinite(values.astype(np.float64)))
    text = values.astype(object).where(values.notna(), "").astype(str).str.strip()
    numbers = pd.to_numeric(text.where(text != ""), errors="coerce")
    if bool((numbers.notna() | (text == "")).all()) and bool(np.isfinite(numbers.dropna()).all()):
        return numbers  # a column of numbers that was read as text
    return text.where(text != "")


def _columns(term: str, values: pd.Series) -> list[Column]:
    if pd.api.types.is_numeric_dtype(values):
        return [Column(term, "", "", values.to_numpy(dtype=np.float64))]
    words = values.astype(str).to_numpy()
    sizes = pd.Series(words).value_counts(sort=False)
    if len(sizes) > max(2, len(words) // 2):
        raise UsageError(
            f"The term {term!r} has {len(sizes)} levels for {len(words)} items: hardly two items are alike.",
            do="Use a column with fewer levels, or with numbers.",
        )
    base = str(sizes.idxmax()) if len(sizes) else ""
    others = [str(level) for level in sizes.index if level != base]
    if not others:
        return [Column(term, base, base, np.zeros(len(words)), CONSTANT)]
    return [Column(term, level, base, (words == level).astype(np.float64)) for level in others]


def _independent(columns: Sequence[Column]) -> list[Column]:
    """Give columns that are constant, or combinations of earlier ones, a reason instead of a coefficient."""
    basis: list[FloatArray] = []
    kept: list[Column] = []
    found = []
    for one in columns:
        reason = one.reason
        if not reason:
            middle = one.coded - one.coded.mean()
            length = float(np.linalg.norm(middle))
            rest = middle
            for direction in (*basis, *basis):  # twice is enough for Gram-Schmidt to stay orthogonal
                rest = rest - direction * float(direction @ rest)
            left = float(np.linalg.norm(rest))
            if length <= TOLERANCE * float(np.linalg.norm(one.coded)):
                reason = CONSTANT
            elif left <= TOLERANCE * length:
                reason = _combination(one, kept)
            else:
                basis.append(rest / left)
                kept.append(one)
        found.append(replace(one, reason=reason))
    return found


def _combination(one: Column, kept: Sequence[Column]) -> str:
    """Say which earlier columns make up a dependent one."""
    matrix = np.stack([np.ones(len(one.coded)), *(other.coded for other in kept)], axis=1)
    weights = np.linalg.lstsq(matrix, one.coded, rcond=None)[0][1:]
    names = [other.name for other, weight in zip(kept, weights, strict=True) if abs(weight) > 1e-6]
    return DEPENDENT.format(names=", ".join(names)) if 0 < len(names) <= MOST_NAMED else MIXTURE
