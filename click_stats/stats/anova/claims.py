"""The claim that scale has no effect, challenged: what designs could have seen, with the spread of the data at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats.anova.cells import ESTIMATED, SCALE, STATED_SD, Cells, Design
from click_stats.stats.anova.claim import Claim, Spread, claim_power

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator
    from click_stats.stats.anova.analysis import Settings

CLAIM = (
    *("claim_design", "n_units", "parameters_low", "parameters_high", "n_cells", "n_items", "test_unit"),
    *("model_sd", "cell_sd", "item_sd", "model_sd_at", "sim_size", "detectable", "power", "alpha", "df_residual"),
    *("n_draws", "reason"),
)
CURVE = ("claim_design", "n_units", "test_unit", "model_sd", "model_sd_at", "difference", "power", "alpha")
FINE = tuple(round(0.005 * k, 4) for k in range(61))
"""Effects of the power curve: 0 to 30 points per tenfold parameters."""
WIDEST = (1.3, 3.8, 12.8, 12.8, 13.0)
"""Five of the sizes of the paper's models (billions), as far apart as they can be: no other five see more."""
RANGE = (1.3, 13.0)
MODELS_NEEDED = (5, 10, 20, 40)
STATED = (0.005, 0.01, 0.02)
"""Standard deviations between models of one size for which the paper's design is judged."""
FALLBACK = Spread(0.01, 0.02, 0.2)
PAPER, AT_HAND, EVEN = "the paper's five models", "the models at hand", "models evenly spread"
ONE_DIFFERENCE = "fewer than three models: no residual between models"


class Plan(NamedTuple):
    """A design and the spread it is judged at; ``at`` says where the SD of models comes from."""

    name: str
    sizes: tuple[float, ...]
    spread: Spread
    at: str


def claims(
    counts: Counts, found: Cells, designs: Sequence[Design], settings: Settings, denominator: Denominator
) -> dict[str, pd.DataFrame]:
    """Return what designs could have seen: the paper's five models, those at hand, and more models.

    Standard deviations are those of the data at hand where they can be estimated, and stated otherwise; that of models
    is also varied.
    """
    if len(counts.categories) < 2:
        return {"claim": pd.DataFrame(columns=list(CLAIM)), "claim_curve": pd.DataFrame(columns=list(CURVE))}
    n_items = [int(n) for n in counts.items["category"].value_counts().reindex(counts.categories).dropna()]
    rows: list[dict[str, Any]] = []
    curves: list[dict[str, Any]] = []
    for plan in _plans(counts, found, designs, denominator):
        values = claim_power(
            plan.sizes, n_items, plan.spread, effects=FINE, power=settings.power, alpha=settings.alpha,
            draws=settings.draws, seed=settings.seed,
        )  # fmt: skip
        base = {
            "claim_design": plan.name, "n_units": len(plan.sizes), "model_sd": plan.spread.model,
            "model_sd_at": plan.at, "alpha": settings.alpha,
        }  # fmt: skip
        for value in values:
            rows.append(base | _row(value, plan, n_items, settings))
            curves += [
                {**base, "test_unit": value.counted, "difference": effect, "power": share}
                for effect, share in zip(FINE, value.power, strict=True)
                if value.counted == "models" and np.isfinite(share)
            ]
    frame = pd.DataFrame(rows, columns=list(CLAIM))
    for name in ("n_units", "n_cells", "n_items", "n_draws"):
        frame[name] = frame[name].astype("Int64")
    curve = pd.DataFrame(curves, columns=list(CURVE))
    curve["n_units"] = curve["n_units"].astype("Int64")
    return {"claim": frame, "claim_curve": curve}


def _row(value: Claim, plan: Plan, n_items: list[int], settings: Settings) -> dict[str, Any]:
    reason = ""
    if value.df_error < 1:
        reason = ONE_DIFFERENCE
    elif not np.isfinite(value.detectable):
        reason = "even 100 points per tenfold parameters would not be found with this power"
    return {
        "parameters_low": min(plan.sizes), "parameters_high": max(plan.sizes),
        "n_cells": len(plan.sizes) * len(n_items), "n_items": sum(n_items), "test_unit": value.counted,
        "cell_sd": plan.spread.cell, "item_sd": plan.spread.item, "sim_size": value.size,
        "detectable": value.detectable, "power": settings.power, "df_residual": value.df_error,
        "n_draws": value.n_draws, "reason": reason,
    }  # fmt: skip


def _plans(counts: Counts, found: Cells, designs: Sequence[Design], denominator: Denominator) -> list[Plan]:
    scale = next((one for one in designs if one.name == SCALE and one.strata is not None), None)
    used = scale.used if scale else [str(unit) for unit in found.units.index[found.units["reason"] == ""]]
    spread = spread_of(counts, used, denominator)
    plans: list[Plan] = []
    observed = None
    if scale is not None and scale.strata is not None:
        variance = scale.strata.variance()
        if not variance.reason:
            observed = variance.model_sd
            sizes = tuple(map(float, found.units.loc[list(scale.used), "parameters"]))
            plans.append(Plan(AT_HAND, sizes, spread._replace(model=observed), ESTIMATED))
    plans += [Plan(PAPER, WIDEST, spread._replace(model=sd), STATED_SD) for sd in STATED]
    middle, at = (STATED[1], STATED_SD) if observed is None else (observed, ESTIMATED)
    if observed is not None:
        plans.append(Plan(PAPER, WIDEST, spread._replace(model=observed), ESTIMATED))
    for n in MODELS_NEEDED:
        even = tuple(float(one) for one in np.geomspace(*RANGE, n))
        plans.append(Plan(EVEN, even, spread._replace(model=middle), at))
    return plans


def spread_of(counts: Counts, units: Sequence[str], denominator: Denominator = "responded") -> Spread:
    """Estimate the deviations of item scores and of cells from the data at hand; stated ones where there is one model.

    Item scores are taken less item and less model x category (units that answered everything asked); what is left has
    variance ``item²``. The residual of cells less category and model has expected mean square
    ``cell² + item² mean(1/n)``. ``model`` is not estimated here.
    """
    chosen = counts.units.index.get_indexer(pd.Index(list(units)))
    values = counts.scores(denominator).values[chosen]  # noqa: PD011 -- a field of Scores
    if len(chosen) < 2:
        return FALLBACK
    complete = np.isfinite(values).all(axis=0)
    ss, df, shares, cells = 0.0, 0, [], []
    for name in counts.categories:
        y = values[:, complete & (counts.items["category"].to_numpy() == name)]
        if y.shape[1] < 2:
            continue
        left = y - y.mean(axis=0) - y.mean(axis=1, keepdims=True) + y.mean()
        ss, df = ss + float((left**2).sum()), df + (y.shape[0] - 1) * (y.shape[1] - 1)
        shares.append(1 / y.shape[1])
        cells.append(y.mean(axis=1))
    if df < 1 or len(cells) < 2:
        return FALLBACK
    item = ss / df
    table = np.array(cells)
    left = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    cell = float((left**2).sum()) / ((table.shape[0] - 1) * (table.shape[1] - 1)) - item * float(np.mean(shares))
    return Spread(0.0, float(np.sqrt(max(cell, 0.0))), float(np.sqrt(item)))
