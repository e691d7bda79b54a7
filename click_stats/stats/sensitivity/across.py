"""Variance components over models: the model is the object of measurement."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.partition import clusters
from click_stats.stats.sensitivity import components as ems
from click_stats.stats.sensitivity import intervals, passages
from click_stats.stats.sensitivity.components import JOIN, RESIDUAL
from click_stats.stats.sensitivity.layout import FEW_ITEMS, ITEM, MODEL, POSITION, WORDING
from click_stats.stats.sensitivity.within import (
    BELOW_ZERO,
    EMS_METHOD,
    SAME,
    Parts,
    Residual,
    Wordings,
    by_passages,
    large_sample,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.sensitivity.layout import Layout

ONE_MODEL = "one model: nothing to set apart"
OTHER_DESIGNS = "the models were not asked in the same wordings and rotations"
FIXED = "fixed levels: no interval over models and items"
CONFOUNDED = "model and item together, and what answers vary by"


@dataclass(frozen=True)
class Crossing:
    """Answers of several models to the same items in the same design.

    Attributes
    ----------
    parts
        The components; ``model`` and ``item`` among them.
    n_models
        Models.
    wordings, rotations, replicates
        What each item was asked in; 0 rotations where they were averaged over.
    coefficient
        Interval of the generalisability coefficient of this very design (NaN without one).
    """

    parts: Parts
    n_models: int
    wordings: int = 0
    rotations: int = 0
    replicates: int = 0
    coefficient: tuple[float, float] = (np.nan, np.nan)


def by_options(
    counts: Counts, chosen: Sequence[Layout | None], *, wordings: Wordings, residual: Residual, level: float
) -> Crossing:
    """Return the components of models, items, wordings and positions, for items of one number of options.

    Parameters
    ----------
    chosen
        The layout of each unit; None where it answered no such item. Items that some model lacks answers to are left
        out.
    """
    found = [layout for layout in chosen if layout is not None]
    reason = _refusal(found, len(chosen))
    if reason:
        return Crossing(Parts({}, reason=reason), len(found))
    first = found[0]
    shared = set.intersection(*(set(layout.items[layout.complete].tolist()) for layout in found))
    items = np.array(sorted(shared), dtype=np.int64)
    if len(items) < 2:
        return Crossing(Parts({}, reason=FEW_ITEMS), len(found))
    cells, within = [], []
    for layout in found:
        means, names, inside = layout.cells()
        kept = np.isin(layout.items[layout.complete], items)
        cells.append(means[kept])
        within.append(inside[kept])
    universe = {POSITION: float(first.n_options)} if POSITION in names else {}
    return _crossing(
        counts, np.stack(cells), (MODEL, *names), items, universe, wordings, level,
        within=np.stack(within), replicates=first.n_replicates, rotations=first.n_rotations,
        residual=residual == "answers",
    )  # fmt: skip


def whole(counts: Counts, by_unit: Sequence[Mapping[int, Layout]], *, wordings: Wordings, level: float) -> Crossing:
    """Return the components of models and items over all items together, each item's positions averaged.

    Where all models were asked in the same wordings they are a facet; else an item's score is its mean over all of the
    model's answers, and wordings are part of the residual.
    """
    by_unit = [own for own in by_unit if own]  # a model without answers leaves the others comparable
    if len(by_unit) < 2:
        return Crossing(Parts({}, reason=ONE_MODEL), len(by_unit))
    names = [{layout.wordings for layout in own.values()} for own in by_unit]
    same = len(set().union(*names)) == 1 and len(next(iter(names[0]))) > 1
    width = len(next(iter(names[0]))) if same else 1
    scores = np.full((len(by_unit), len(counts.items), width), np.nan)
    for row, own in enumerate(by_unit):
        for layout in own.values():
            right, asked = layout.right.sum(axis=2), layout.asked.sum(axis=2)
            if not same:
                right, asked = right.sum(axis=1, keepdims=True), asked.sum(axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):
                scores[row, layout.items] = right / asked
    shared = np.flatnonzero(np.isfinite(scores).all(axis=(0, 2)))
    if len(shared) < 2:
        return Crossing(Parts({}, reason=FEW_ITEMS), len(by_unit))
    cells = scores[:, shared]
    facets = (MODEL, ITEM, WORDING) if same else (MODEL, ITEM)
    return _crossing(counts, cells if same else cells[:, :, 0], facets, shared.astype(np.int64), {}, wordings, level)


def _refusal(found: Sequence[Layout], n_units: int) -> str:
    if len(found) < 2:
        return ONE_MODEL if n_units < 2 else "fewer than 2 models answered such items"
    first = found[0]
    designs = {(one.wordings, one.n_rotations, one.n_replicates) for one in found}
    if len(designs) > 1:
        return OTHER_DESIGNS
    if not (first.full or first.one_order):
        return f"{first.n_rotations} of {first.n_options} rotations: positions are not complete"
    return ""


def _crossing(
    counts: Counts,
    cells: FloatArray,
    names: tuple[str, ...],
    items: IntArray,
    universe: dict[str, float],
    wordings: Wordings,
    level: float,
    *,
    within: FloatArray | None = None,
    replicates: int = 1,
    rotations: int = 0,
    residual: bool = True,
) -> Crossing:
    n_wordings = cells.shape[names.index(WORDING)] if WORDING in names else 1
    if WORDING in names and wordings == "fixed":
        universe = {**universe, WORDING: float(n_wordings)}
    groups = clusters(counts, items)
    n_clusters = int(groups.max()) + 1
    size: dict[str, Any] = {"n_items": len(items), "n_clusters": n_clusters, "method": EMS_METHOD}
    if np.ptp(cells) == 0:
        return Crossing(Parts({}, reason=SAME, **size), len(cells))
    of_models = None if within is None else within.sum(axis=1)
    found = ems.mean_squares(cells, names, within=of_models, replicates=replicates, residual=residual)
    together = _together(cells, groups)
    left_out = {}
    if n_clusters >= intervals.FEW_CLUSTERS:
        of_items = None if within is None else within.sum(axis=0)
        left_out = together | _without_passages(
            cells, names, of_items, groups, universe, replicates=replicates, residual=residual
        )
    every = ems.finite(ems.components(found), universe)
    flags = {name: BELOW_ZERO for name, values in every.items() if values[0] < -1e-12}
    if replicates == 1 and RESIDUAL in every:
        flags[RESIDUAL] = CONFOUNDED if len(names) == 2 else "the highest interaction is part of it"
    random = [name for name in every if not set(name.split(JOIN)) <= set(universe)]
    for name in set(every) - set(random):
        flags[name] = "; ".join(filter(None, [flags.get(name, ""), FIXED]))
    parts = Parts(
        {name: max(float(values[0]), 0.0) for name, values in every.items()},
        {name: large_sample(found, name, universe, level, n_clusters) for name in random},
        universe,
        interval=dict.fromkeys(random, intervals.LARGE_SAMPLE),
        flags=flags,
        passages={name: max(0.0, float(values[0])) for name, values in together.items()},
        left_out=left_out,
        **size,
    )
    ends = (np.nan, np.nan)
    fixed = all(name in universe for name in names[2:])
    between = JOIN.join((MODEL, ITEM)) if JOIN.join((MODEL, ITEM)) in found.squares else RESIDUAL
    if fixed and found.squares[between][0] > 0:
        degrees = by_passages(found, n_clusters)
        more = parts.passages[passages.of(JOIN.join((MODEL, ITEM)))]
        error = float(found.squares[between][0]) + _answers(found) * more
        ends = intervals.feldt(float(found.squares[MODEL][0]) / error, degrees[MODEL], degrees[between], level)
    return Crossing(parts, len(cells), n_wordings, rotations, replicates, ends)


def _answers(found: ems.MeanSquares) -> float:
    """Return the number of answers of a model to an item."""
    others = [float(levels[0]) for name, levels in found.levels.items() if name not in (MODEL, ITEM)]
    return math.prod(others) * found.replicates


def _together(cells: FloatArray, groups: IntArray) -> dict[str, FloatArray]:
    """Return (1 + G,) what passages add to a mean over items: of all models, and of a model against the others."""
    means = cells.reshape(*cells.shape[:2], -1).mean(axis=2).T  # items x models
    mean = means.mean(axis=1, keepdims=True)
    own = means - mean
    return {
        passages.of(ITEM): passages.covariance(mean - mean.mean(), groups),
        passages.of(JOIN.join((MODEL, ITEM))): passages.covariance(own - own.mean(axis=0), groups) / (len(cells) - 1),
    }


def _without_passages(
    cells: FloatArray,
    names: tuple[str, ...],
    within: FloatArray | None,
    groups: IntArray,
    universe: dict[str, float],
    *,
    replicates: int,
    residual: bool,
) -> dict[str, FloatArray]:
    """Return (1 + G,) the components from all items and without each passage: the design turned, items first."""
    turned = (names[1], names[0], *names[2:])
    found = ems.mean_squares(
        np.swapaxes(cells, 0, 1), turned, within=within, replicates=replicates, clusters=groups, residual=residual
    )
    place = {name: k for k, name in enumerate(names)}
    return {
        name if name == RESIDUAL else JOIN.join(sorted(name.split(JOIN), key=place.__getitem__)): values
        for name, values in ems.finite(ems.components(found), universe).items()
    }
