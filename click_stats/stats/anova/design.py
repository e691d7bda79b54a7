"""Terms of a linear model as columns of numbers: factors in sum coding, covariates, interactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray


@dataclass(frozen=True)
class Term:
    """One term of a linear model.

    Attributes
    ----------
    name
        Name, e.g. ``category`` or ``category:corpus``.
    columns
        (n, df) columns of the design matrix; df may be 0 (a factor with one level).
    factors
        Names of the variables in it: a term *contains* another when it has all its variables and more.
    """

    name: str
    columns: FloatArray
    factors: frozenset[str]

    def contains(self, other: Term) -> bool:
        """Tell whether this term is an interaction that ``other`` takes part in."""
        return other.factors < self.factors


def factor(name: str, values: Sequence[Any]) -> Term:
    """Return a factor in sum coding (``contr.sum``): one column per level but the last, which is -1 in all of them.

    The columns of every level add up to 0 over levels, so that a main effect is tested at the unweighted mean of the
    other factors. With treatment coding the type III test of a main effect would be the one at the *base level* of the
    other factor, which depends on the order of levels.
    """
    levels = sorted(set(values))
    codes = np.array([levels.index(value) for value in values], dtype=np.intp)
    columns = np.vstack([np.eye(len(levels) - 1), -np.ones((1, len(levels) - 1))])[codes]
    return Term(name, columns, frozenset([name]))


def covariate(name: str, values: Sequence[float]) -> Term:
    """Return a covariate: one column, as it is."""
    return Term(name, np.asarray(values, dtype=float)[:, None], frozenset([name]))


def interaction(first: Term, second: Term) -> Term:
    """Return the interaction: all products of a column of the one and a column of the other."""
    products = first.columns[:, :, None] * second.columns[:, None, :]
    return Term(f"{first.name}:{second.name}", products.reshape(len(first.columns), -1), first.factors | second.factors)


def matrix(terms: Sequence[Term], n: int) -> FloatArray:
    """Return the design matrix: the intercept, then the columns of the terms."""
    return np.hstack([np.ones((n, 1)), *(term.columns for term in terms)])
