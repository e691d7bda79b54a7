"""Rows of the decision studies: errors under other designs, within a model and between models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from click_stats.stats.sensitivity.components import RESIDUAL
from click_stats.stats.sensitivity.designs import (
    Design,
    coefficients,
    errors_between,
    errors_of_mean,
    items_needed,
    shared_part,
)
from click_stats.stats.sensitivity.layout import MODEL, POSITION, WORDING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click_stats.stats.sensitivity.across import Crossing
    from click_stats.stats.sensitivity.within import Parts

ALL = "all items"
NOT_REACHED = "no design with these items, wordings and rotations reaches it"
NOTHING_LEFT = "every prompt asked, and answers that do not vary or are taken as certain: no error is left to estimate"
NO_VARIANCE = "models do not vary, nor does anything that changes their order: the coefficient is undefined"
CERTAIN = 1e-14
"""Error variance below which nothing varies: undefined, not an error of 0."""
SHARES = (0.25, 0.5, 1.0)
"""Shares of the items for which coefficients are computed."""


def group_name(n_options: int) -> str:
    """Return the name of the items of one number of options."""
    return f"{n_options} options"


class Model:
    """The components of one model by number of options, with the sizes of the benchmark's parts.

    Parameters
    ----------
    parts
        Number of options to components, all defined.
    sizes
        Number of options to items in the benchmark.
    n_wordings, n_replicates
        As observed.
    random
        Whether wordings are a sample of all wordings.
    one_order
        Whether each item was shown in one order.
    """

    def __init__(
        self,
        parts: Mapping[int, Parts],
        sizes: Mapping[int, int],
        *,
        n_wordings: int,
        n_replicates: int,
        random: bool,
        one_order: bool,
    ) -> None:
        self.parts = dict(parts)
        self.sizes = {n: sizes[n] for n in parts}
        self.n_wordings, self.n_replicates = n_wordings, n_replicates
        self.random, self.one_order = random, one_order

    @property
    def n_items(self) -> int:
        """Items of these parts."""
        return sum(self.sizes.values())

    def designs(self) -> Iterator[tuple[int, int, int]]:
        """Yield wordings, rotations and replicates of the designs considered, the smallest first."""
        most = self.n_wordings * (2 if self.random and self.n_wordings > 1 else 1)
        rotations = 1 if self.one_order else max(self.parts)
        for wordings in range(1, most + 1):
            for rotation in range(1, rotations + 1):
                for replicates in sorted({1, self.n_replicates}):
                    yield wordings, rotation, replicates

    def errors(self, n_items: float, wordings: int, rotations: int, replicates: int) -> tuple[float, float, float]:
        """Return the error variance with items sampled, with items fixed, and the part that items do not lessen.

        The parts of the benchmark are strata: variances add up with squared shares of the items. What random wordings
        do to all items together is taken as common to the strata.
        """
        sampled = fixed = shared = 0.0
        for n, parts in self.parts.items():
            share = self.sizes[n] / self.n_items
            design = Design(n_items * share, wordings, min(rotations, n), replicates)
            own, without = errors_of_mean(parts.known, design, parts.universe)
            common = shared_part(parts.known, design, parts.universe)
            sampled, fixed = sampled + share**2 * (own - common), fixed + share**2 * (without - common)
            shared += share * math.sqrt(common)
        return sampled + shared**2, fixed + shared**2, shared**2

    def calls(self, n_items: float, wordings: int, rotations: int, replicates: int) -> int:
        """Return the number of prompts sent."""
        each = sum(self.sizes[n] / self.n_items * min(rotations, n) for n in self.parts)
        return round(n_items * wordings * each * replicates)


def within_designs(model: Model) -> list[dict[str, Any]]:
    """Return a row for each design: standard error of the accuracy over all items of the benchmark."""
    rows = []
    for wordings, rotations, replicates in model.designs():
        sampled, fixed, _ = model.errors(model.n_items, wordings, rotations, replicates)
        nothing = min(sampled, fixed) < CERTAIN
        rows.append(
            {
                "n_items": model.n_items,
                "n_wordings": wordings,
                "n_rotations": rotations,
                "n_replicates": replicates,
                "n_calls": model.calls(model.n_items, wordings, rotations, replicates),
                "se_sampled": _root(sampled),
                "se_fixed": _root(fixed),
                "extrapolated": wordings > model.n_wordings,
                "reason": NOTHING_LEFT if nothing else "",
            }
        )
    return rows


def cheapest(model: Model, wanted: float) -> list[dict[str, Any]]:
    """Return the designs with the fewest prompts that reach a standard error: items sampled, and items fixed.

    With the items sampled fewer items than the benchmark has may do; with the items as the target all are asked.
    """
    best: dict[str, dict[str, Any]] = {}
    least = {"sampled": math.inf, "fixed": math.inf}
    for design in model.designs():
        sampled, fixed, shared = model.errors(model.n_items, *design)
        needed = items_needed(sampled, model.n_items, shared, wanted)
        for target, variance in (("sampled", sampled), ("fixed", fixed)):
            least[target] = min(least[target], variance) if variance >= CERTAIN else least[target]
        if needed <= model.n_items:
            _keep(best, "sampled", model, design, needed)
        if CERTAIN <= fixed <= wanted**2:
            _keep(best, "fixed", model, design, model.n_items)
    rows = []
    for target in ("sampled", "fixed"):
        row: dict[str, Any] = {"target": target, "wanted_se": wanted, "n_items_total": model.n_items}
        row |= best.get(target) or {"reason": NOT_REACHED}
        rows.append({**row, "least_se": math.sqrt(least[target]) if least[target] < math.inf else math.nan})
    return rows


def between_designs(crossing: Crossing, *, random: bool) -> list[dict[str, Any]]:
    """Return a row for each design: errors and coefficients with models as the objects of measurement."""
    parts = crossing.parts
    variances = parts.known
    facets = {facet for name in variances for facet in name.split(":")}
    observed = crossing.wordings if WORDING in facets else 1
    most = observed * (2 if random and observed > 1 else 1)
    rotations = range(1, int(parts.universe[POSITION]) + 1) if POSITION in facets else [1]
    replicates = sorted({1, crossing.replicates}) if RESIDUAL in facets else [1]
    rows = []
    for share in SHARES:
        for wordings in range(1, most + 1):
            for rotation in rotations:
                for replicate in replicates:
                    n_items = max(1, round(share * parts.n_items))
                    design = Design(n_items, wordings, rotation, replicate)
                    relative, absolute = errors_between(variances, design, parts.universe)
                    g, phi = coefficients(variances[MODEL], relative, absolute)
                    seen = (
                        share == 1.0 and wordings == observed and rotation == max(rotations)
                        and replicate == max(replicates)
                    )  # fmt: skip
                    low, high = crossing.coefficient if seen else (math.nan, math.nan)
                    rows.append(
                        {
                            "n_units": crossing.n_models,
                            "n_items": n_items,
                            "n_wordings": wordings if WORDING in facets else None,
                            "n_rotations": rotation if POSITION in facets else None,
                            "n_replicates": replicate,
                            "relative_se": math.sqrt(relative),
                            "absolute_se": math.sqrt(absolute),
                            "g_coefficient": g,
                            "g_low": low,
                            "g_high": high,
                            "phi": phi,
                            "as_run": seen,
                            "extrapolated": wordings > observed,
                            "reason": NO_VARIANCE if math.isnan(g) else "",
                        }
                    )
    return rows


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance >= CERTAIN else math.nan


def _keep(
    best: dict[str, dict[str, Any]], target: str, model: Model, design: tuple[int, int, int], n_items: float
) -> None:
    calls = model.calls(n_items, *design)
    if target in best and best[target]["n_calls"] <= calls:
        return
    sampled, fixed, _ = model.errors(n_items, *design)
    best[target] = {
        "n_items_needed": int(n_items),
        "n_wordings": design[0],
        "n_rotations": design[1],
        "n_replicates": design[2],
        "n_calls": calls,
        "se": math.sqrt(sampled if target == "sampled" else fixed),
        "extrapolated": design[0] > model.n_wordings,
        "reason": "",
    }
