"""Errors of an accuracy under other designs (decision studies), and the cheapest design for a wanted error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.stats.sensitivity.components import JOIN, RESIDUAL
from click_stats.stats.sensitivity.layout import ITEM, POSITION, WORDING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Design:
    """How a model is asked.

    Attributes
    ----------
    items, wordings, rotations, replicates
        Numbers of items, of wordings of each, of rotations of each, and of answers to each prompt.
    """

    items: float
    wordings: int = 1
    rotations: int = 1
    replicates: int = 1

    def levels(self) -> dict[str, float]:
        """Return the number of levels of each facet that the design samples."""
        return {ITEM: self.items, WORDING: self.wordings, POSITION: self.rotations}


def error_parts(
    variances: Mapping[str, float],
    levels: Mapping[str, float],
    universe: Mapping[str, float],
    *,
    replicates: int = 1,
    inside: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Return what each component adds to the variance of a mean over the design.

    A component of facets f with n_f levels in the design, of N_f in the universe, adds variance times the product of
    (1 - n_f / N_f) / n_f (sampling without replacement: Cochran 1977, section 10.6; Brennan 2001, section 5.1); the
    residual adds its variance over the number of answers.

    Parameters
    ----------
    variances
        Components of the finite universe; negative ones count as 0.
    levels
        Levels of each facet in the design. Facets that are not named (a model) are not averaged over.
    universe
        Levels in the universe; infinite where a facet is not named.
    replicates
        Answers to a prompt.
    inside
        Facets whose levels are drawn anew for each level of another: ``{"position": "item"}``, since a rotation puts
        the gold of different items at different positions. Terms that lack the other facet are divided by its
        levels too.
    """
    inside = inside or {}
    found = {}
    for name, variance in variances.items():
        parts = name.split(JOIN)
        if name == RESIDUAL:
            factor = 1 / (math.prod(levels.values()) * replicates)
        else:
            over = {part for part in parts if part in levels}
            factor = math.prod((1 - levels[part] / universe.get(part, math.inf)) / levels[part] for part in over)
            for part in over:
                if part in inside and inside[part] not in parts and inside[part] in levels:
                    factor /= levels[inside[part]]
        found[name] = max(variance, 0.0) * max(factor, 0.0)
    return found


def coefficients(model: float, relative: float, absolute: float) -> tuple[float, float]:
    """Return the generalisability coefficient and the index of dependability; NaN without any variance."""
    model = max(model, 0.0)
    return tuple(model / (model + error) if model + error > 0 else math.nan for error in (relative, absolute))  # type: ignore[return-value]


def items_needed(variance: float, n_items: float, shared: float, wanted: float) -> float:
    """Return the number of items (1 or more) at which the standard error is ``wanted``; infinite when none will do.

    Parameters
    ----------
    variance
        Error variance of the design at ``n_items`` items.
    shared
        The part of it that more items do not lessen (wordings drawn at random).
    """
    left = wanted**2 - shared
    return math.inf if left <= 0 else float(max(1, math.ceil(n_items * (variance - shared) / left - 1e-9)))
