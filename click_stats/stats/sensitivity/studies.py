"""Rows of the decision studies: errors under other designs, within a model and between models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from click_stats.stats.sensitivity.components import RESIDUAL
from click_stats.stats.sensitivity.designs import coefficients, items_needed
from click_stats.stats.sensitivity.layout import MODEL, POSITION, WORDING
from click_stats.stats.sensitivity.strata import ABSOLUTE, FIXED, RELATIVE, SAMPLED, Between, Strata, Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.stats.sensitivity.across import Crossing

ALL = "all items"
NOT_REACHED = "no design with these items, wordings and rotations reaches it"
NOTHING_LEFT = "every prompt asked, and answers that do not vary or are taken as certain: no error is left to estimate"
NO_VARIANCE = "models do not vary, nor does anything that changes their order: the coefficient is undefined"
SAMPLE = "wordings are a sample: no interval of the error"
FEW_PASSAGES = "fewer than 10 passages: no interval"
CERTAIN = 1e-14
"""Error variance below which nothing varies: undefined, not an error of 0."""
SHARES = (0.25, 0.5, 1.0)
"""Shares of the items for which coefficients are computed."""


def group_name(n_options: int) -> str:
    """Return the name of the items of one number of options."""
    return f"{n_options} options"


def within_designs(model: Within, level: float) -> list[dict[str, Any]]:
    """Return a row for each design: standard error of the accuracy over all items of the benchmark."""
    rows = []
    for design in model.designs():
        row: dict[str, Any] = {
            "n_items": model.n_items,
            "n_wordings": design[0],
            "n_rotations": design[1],
            "n_replicates": design[2],
            "n_calls": model.calls(model.n_items, *design),
            "conf_level": level,
            "extrapolated": design[0] > model.n_wordings,
            "reason": "",
        }
        for target in (SAMPLED, FIXED):
            variance, _ = model.variance(target, model.n_items, *design)
            row[f"se_{target}"] = _root(variance)
            row["reason"] = row["reason"] or (NOTHING_LEFT if variance < CERTAIN else "")
            row[f"{target}_low"], row[f"{target}_high"] = _ends(model, target, model.n_items, design, level)
        if math.isnan(row[f"{SAMPLED}_low"]) and math.isfinite(row[f"se_{SAMPLED}"]):
            row["note"] = SAMPLE if model.random else FEW_PASSAGES
        rows.append(row)
    return rows


def cheapest(model: Strata, wanted: float, level: float) -> list[dict[str, Any]]:
    """Return for each target the design with the fewest prompts whose standard error is at most ``wanted``.

    Fewer items than the benchmark has may do, unless the items themselves are the target: then all are asked.
    """
    rows = []
    for target in model.targets:
        best: dict[str, Any] = {}
        least = math.inf
        for design in model.designs():
            variance, shared = model.variance(target, model.n_items, *design)
            if variance < CERTAIN:
                continue
            least = min(least, variance)
            needed = float(model.n_items)
            if target != FIXED:
                needed = items_needed(variance, model.n_items, shared, wanted)
            elif variance > wanted**2:
                continue
            if needed <= model.n_items and model.calls(needed, *design) < best.get("n_calls", math.inf):
                best = _found(model, target, needed, design, level)
        row = {"target": target, "wanted_se": wanted, "n_items_total": model.n_items, "conf_level": level}
        row |= best or {"reason": NOT_REACHED}
        rows.append({**row, "least_se": math.sqrt(least) if least < math.inf else math.nan})
    return rows


def between_designs(crossing: Crossing, *, random: bool, level: float) -> list[dict[str, Any]]:
    """Return a row for each design: errors and coefficients with models as the objects of measurement."""
    parts = crossing.parts
    variances = parts.known
    facets = {facet for name in variances for facet in name.split(":")}
    observed = crossing.wordings if WORDING in facets else 1
    most = observed * (2 if random and observed > 1 else 1)
    rotations = range(1, int(parts.universe[POSITION]) + 1) if POSITION in facets else [1]
    replicates = sorted({1, crossing.replicates}) if RESIDUAL in facets else [1]
    n = max(rotations)
    models = Between({n: parts}, {n: parts.n_items}, n_wordings=observed, n_replicates=max(replicates), random=random)
    rows = []
    designs = [(w, r, m) for w in range(1, most + 1) for r in rotations for m in replicates]
    for share in SHARES:
        n_items = max(1, round(share * parts.n_items))
        for design in designs:
            relative, absolute = (models.variance(target, n_items, *design)[0] for target in (RELATIVE, ABSOLUTE))
            g, phi = coefficients(variances[MODEL], relative, absolute)
            seen = share == 1.0 and design == (observed, max(rotations), max(replicates))
            low, high = crossing.coefficient if seen else (math.nan, math.nan)
            row: dict[str, Any] = {
                "n_units": crossing.n_models,
                "n_items": n_items,
                "n_wordings": design[0] if WORDING in facets else None,
                "n_rotations": design[1] if POSITION in facets else None,
                "n_replicates": design[2],
                "relative_se": math.sqrt(relative),
                "absolute_se": math.sqrt(absolute),
                "conf_level": level,
                "g_coefficient": g,
                "g_low": low,
                "g_high": high,
                "phi": phi,
                "as_run": seen,
                "extrapolated": design[0] > observed,
                "reason": NO_VARIANCE if math.isnan(g) else "",
            }
            for target in (RELATIVE, ABSOLUTE):
                row[f"{target}_low"], row[f"{target}_high"] = _ends(models, target, n_items, design, level)
            if math.isnan(row[f"{ABSOLUTE}_low"]) and absolute >= CERTAIN:
                row["note"] = SAMPLE if random and observed > 1 else FEW_PASSAGES
            rows.append(row)
    return rows


def joined(crossings: Sequence[tuple[int, Crossing]], n_items: int, *, random: bool) -> list[tuple[str, Between]]:
    """Return the sets of items whose errors between models can be foretold: each number of options, and all together.

    All together where each of the ``n_items`` belongs to one of the crossings and these had the same design.
    """
    usable = [(n, one) for n, one in crossings if not one.parts.reason]
    groups = [(group_name(n), [(n, one)]) for n, one in usable]
    alike = {(one.wordings, one.replicates, one.rotations == 1, one.n_models) for _, one in usable}
    if len(usable) > 1 and len(alike) == 1 and sum(one.parts.n_items for _, one in usable) == n_items:
        groups.append((ALL, usable))
    return [
        (
            name,
            Between(
                {n: one.parts for n, one in own},
                {n: one.parts.n_items for n, one in own},
                n_wordings=own[0][1].wordings,
                n_replicates=own[0][1].replicates,
                random=random,
                one_order=own[0][1].rotations == 1,
            ),
        )
        for name, own in groups
    ]


def _found(model: Strata, target: str, n_items: float, design: tuple[int, int, int], level: float) -> dict[str, Any]:
    low, high = _ends(model, target, n_items, design, level)
    return {
        "n_items_needed": int(n_items),
        "n_wordings": design[0],
        "n_rotations": design[1],
        "n_replicates": design[2],
        "n_calls": model.calls(n_items, *design),
        "se": math.sqrt(model.variance(target, n_items, *design)[0]),
        "se_low": low,
        "se_high": high,
        "extrapolated": design[0] > model.n_wordings,
        "reason": "",
    }


def _ends(
    model: Strata, target: str, n_items: float, design: tuple[int, int, int], level: float
) -> tuple[float, float]:
    """Return the ends of the interval of a standard error; NaN without one, and where nothing is left to vary."""
    if model.variance(target, n_items, *design)[0] < CERTAIN:
        return math.nan, math.nan
    low, high = model.interval(target, n_items, *design, level=level)
    return math.sqrt(low), math.sqrt(high)


def _root(variance: float) -> float:
    return math.sqrt(variance) if variance >= CERTAIN else math.nan
