"""A formula of the user: what describes models, what describes items, and what joins the two."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from click_stats.errors import UsageError
from click_stats.stats.glmm import design as designs

if TYPE_CHECKING:
    from collections.abc import Collection

GROUPINGS = ("category", "domain", "source")
"""Columns of items by which an effect of models may differ."""
_OUTSIDE = re.compile(r":(?![^\[]*\])")


class Terms(NamedTuple):
    """Terms of a formula.

    Attributes
    ----------
    models, items
        Terms of models only and of items only, as a formula has them.
    crossed
        Pairs of a fact of models and a column of items, in the order in which the user joined them.
    grouping
        The column of items in ``crossed``; empty without any.
    """

    models: tuple[str, ...]
    items: tuple[str, ...]
    crossed: tuple[tuple[str, str], ...] = ()
    grouping: str = ""

    @property
    def facts(self) -> tuple[str, ...]:
        """Facts of models that occur."""
        return tuple(dict.fromkeys(name for term in self.models for name in term.split(":")))


def split(fixed: str, of_models: Collection[str], of_items: Collection[str]) -> Terms:
    """Return the terms of ``fixed``; a name that both have is a column of items.

    Raises
    ------
    UsageError
        An unknown column, an interaction without its main effects, or one that this model does not have.
    """
    models: list[str] = []
    items: list[str] = []
    crossed: list[tuple[str, str]] = []
    for term in designs.terms_of(fixed):
        for name in term:
            if name not in of_items and name not in of_models:
                raise UsageError(
                    f"There is no column {name!r} for the fixed effects.",
                    found=", ".join(map(str, [*of_models, *of_items])),
                )
        own = [name for name in term if name not in of_items]
        if not own:
            items.append(":".join(term))
        elif len(own) == len(term):
            models.append(":".join(term))
        elif len(term) > 2 or not set(term) & set(GROUPINGS):
            raise UsageError(
                f"The Bayesian model does not have the interaction {':'.join(term)!r}.",
                do=f"Join one fact of models with one of: {', '.join(GROUPINGS)}.",
            )
        else:
            crossed.append((term[0], term[1]))
    grouping = {name for term in crossed for name in term if name in of_items}
    if len(grouping) > 1:
        raise UsageError(
            "Effects of models can differ by one column of items only.",
            found=", ".join(sorted(grouping)),
            do="Fit one column at a time.",
        )
    return Terms(tuple(models), tuple(items), tuple(crossed), next(iter(grouping), ""))


def factors(name: str) -> list[str]:
    """Return the parts of the name of a column: ``category[Law]`` and ``log10_params`` of their interaction."""
    return _OUTSIDE.split(name)
