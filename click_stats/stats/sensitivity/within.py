"""Variance components of the answers of one model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from click_stats.errors import ClickStatsError
from click_stats.stats.lmm import variance_components
from click_stats.stats.partition import clusters
from click_stats.stats.sensitivity import components as ems
from click_stats.stats.sensitivity import intervals, passages
from click_stats.stats.sensitivity.components import JOIN, RESIDUAL
from click_stats.stats.sensitivity.layout import FEW_ITEMS, ITEM, ONE_ANSWER, POSITION, WORDING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.sensitivity.intervals import Spread
    from click_stats.stats.sensitivity.layout import Layout

Wordings = Literal["fixed", "random"]
Residual = Literal["answers", "interaction"]

EMS_METHOD, REML_METHOD = "expected mean squares", "REML"
ONE_WORDING = "one wording: nothing shows what another would change"
ONE_ORDER = "each item was shown in one order: its position cannot be told from the item"
SAME = "all answers are right, or all wrong: nothing varies"
BELOW_ZERO = "estimated below 0, set to 0"
CONFOUNDED = "one answer to a prompt: the highest interaction is part of it"
FEW_LEVELS = "interval from {n} wordings"
SOME_COMPLETE = "from {n} of {total} items: the others lack answers"


@dataclass(frozen=True)
class Parts:
    """Components of one table of answers.

    Attributes
    ----------
    variances
        Component to its variance in the finite universe, 0 where the estimate is negative; NaN with a reason.
    spreads
        Their standard errors and intervals.
    universe
        Facet to its number of levels in the universe; a facet that is not named has infinitely many.
    n_items, n_clusters
        Items and passages used.
    method, interval
        How components and intervals were estimated.
    flags, reasons
        By component.
    note
        What holds for all components.
    reason
        Why there is none; empty when there are.
    passages
        Covariance of an item with the others of its passage, summed: what passages add to the variance of a mean over
        items, times their number, by the name of :func:`passages.of`. Between models also that of ``model:item``.
    left_out
        Component to its (1 + G,) values from all items and without each passage, and so ``passages``; empty where
        the design is incomplete.
    covariance
        Covariance matrix of the components in their order, from REML; None elsewhere.
    """

    variances: Mapping[str, float]
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    universe: Mapping[str, float] = field(default_factory=dict)
    n_items: int = 0
    n_clusters: int = 0
    method: str = ""
    interval: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    reason: str = ""
    passages: Mapping[str, float] = field(default_factory=dict)
    left_out: Mapping[str, FloatArray] = field(default_factory=dict)
    covariance: FloatArray | None = None

    @property
    def known(self) -> dict[str, float]:
        """Components that are defined."""
        return {name: value for name, value in self.variances.items() if np.isfinite(value)}

    @property
    def total(self) -> float:
        """Variance of one answer drawn at random: item, wording and position."""
        return sum(value * ems.single_answer(name, self.universe) for name, value in self.known.items())

    def share(self, name: str) -> float:
        """Return the share of a component in the variance of one answer."""
        total, value = self.total, self.variances[name]
        return value * ems.single_answer(name, self.universe) / total if total > 0 else math.nan


def within(counts: Counts, layout: Layout, *, wordings: Wordings, residual: Residual, level: float) -> Parts:
    """Return the components of one model's answers to items of one number of options.

    Items are random. The displayed position of the gold is crossed with the items and fixed: an item's rotations show
    it at every position once. Wordings are fixed, or a sample of all wordings. A complete design is split by expected
    mean squares, an incomplete one by REML.
    """
    if len(layout.items) < 2:
        return Parts({}, reason=FEW_ITEMS)
    if layout.asked.sum(axis=(1, 2)).max() == 1:
        return Parts({}, reason=ONE_ANSWER, n_items=len(layout.items))
    if len(set(layout.rows["correct"])) == 1:
        return Parts({}, reason=SAME, n_items=len(layout.items))
    universe: dict[str, float] = {}
    if not layout.one_order:
        universe[POSITION] = layout.n_options
    if wordings == "fixed" and len(layout.wordings) > 1:
        universe[WORDING] = len(layout.wordings)
    if layout.balanced:
        return _complete(counts, layout, universe, residual, level)
    return _incomplete(counts, layout, universe, level)


def _complete(counts: Counts, layout: Layout, universe: dict[str, float], residual: Residual, level: float) -> Parts:
    cells, names, inside = layout.cells()
    items = layout.items[layout.complete]
    groups = clusters(counts, items)
    n_clusters = int(groups.max()) + 1
    left_out = groups if n_clusters >= intervals.FEW_CLUSTERS else None
    found = ems.mean_squares(
        cells, names, within=inside, replicates=layout.n_replicates, clusters=left_out, residual=residual == "answers"
    )
    if np.isclose(sum(float(values[0]) for values in found.squares.values()), 0.0):
        return Parts({}, reason=SAME, n_items=len(items))
    every = ems.finite(ems.components(found), universe)
    together = passages.covariance(passages.of_rows(cells), groups)
    spreads, used = {}, {}
    flags: dict[str, list[str]] = {name: [BELOW_ZERO] if values[0] < -1e-12 else [] for name, values in every.items()}
    if layout.n_replicates == 1 and RESIDUAL in every:
        flags[RESIDUAL].append(CONFOUNDED)
    for name, values in every.items():
        if WORDING in name.split(JOIN) and ITEM not in name.split(JOIN) and WORDING not in universe:
            spreads[name] = large_sample(found, name, universe, level)
            used[name] = intervals.LARGE_SAMPLE
            flags[name].append(FEW_LEVELS.format(n=len(layout.wordings)))
        else:
            spreads[name] = intervals.jackknife(values, level)
            used[name] = intervals.JACKKNIFE
            ends = _fixed_ends(found, name, universe, level, cells, groups)
            if np.isfinite(spreads[name].low) and np.isfinite(ends).all():
                spreads[name] = spreads[name]._replace(low=ends[0], high=ends[1])
                used[name] = intervals.NONCENTRAL
            if n_clusters < intervals.FEW_CLUSTERS:
                flags[name].append(intervals.TOO_FEW)
            elif not np.isfinite(spreads[name].low):
                flags[name].append(intervals.NO_SPREAD)
    short = len(items) < len(layout.items)
    return Parts(
        {name: max(float(values[0]), 0.0) for name, values in every.items()},
        spreads,
        universe,
        len(items),
        n_clusters,
        EMS_METHOD,
        used,
        {name: "; ".join(said) for name, said in flags.items() if said},
        {},
        SOME_COMPLETE.format(n=len(items), total=len(layout.items)) if short else "",
        passages={passages.of(ITEM): max(0.0, float(together[0]))},
        left_out={} if left_out is None else {**every, passages.of(ITEM): together},
    )


def _incomplete(counts: Counts, layout: Layout, universe: dict[str, float], level: float) -> Parts:
    rows = layout.rows
    facets: dict[str, Any] = {ITEM: rows["item"].to_numpy()}
    if len(layout.wordings) > 1:
        facets[WORDING] = rows["wording"].to_numpy(dtype=str)
    if not layout.one_order:
        facets[POSITION] = rows["gold_position"].to_numpy()
    names = list(facets)
    terms = [*names, *(JOIN.join(pair) for pair in ((ITEM, WORDING), (ITEM, POSITION), (WORDING, POSITION))
                       if set(pair) <= set(names))]  # fmt: skip
    if layout.asked.max() > 1 and len(names) == 3:
        terms.append(JOIN.join(names))
    n_clusters = int(clusters(counts, layout.items).max()) + 1
    size: dict[str, Any] = {"n_items": len(layout.items), "n_clusters": n_clusters, "method": REML_METHOD}
    try:
        found = variance_components(rows["correct"].to_numpy(dtype=np.float64), facets, terms)
    except ClickStatsError as error:
        return Parts({}, reason=str(error).splitlines()[0], **size)
    raw = {str(name): float(value) for name, value in found.variances.items()}
    usable = {name: np.array([value]) for name, value in raw.items() if np.isfinite(value)}
    if not usable:
        return Parts({}, reason=next(iter(found.reasons.values()), SAME), **size)
    variances = {name: float(values[0]) for name, values in ems.finite(usable, universe).items()}
    change = _change(list(usable), universe)
    covariance = found.covariance.loc[list(usable), list(usable)].fillna(0.0).to_numpy()
    errors = np.sqrt(np.einsum("ij,jk,ik->i", change, covariance, change))
    spreads = {
        name: intervals.satterthwaite(variances[name], float(error), level)
        for name, error in zip(usable, errors, strict=True)
    }
    flags = {name: BELOW_ZERO for name, value in raw.items() if value == 0 and variances[name] == 0}
    if layout.asked.max() == 1:
        flags[RESIDUAL] = CONFOUNDED
    return Parts(
        {name: variances.get(name, math.nan) for name in raw},
        spreads,
        universe,
        interval=dict.fromkeys(usable, intervals.REML),
        flags=flags,
        reasons=dict(found.reasons),
        passages={passages.of(ITEM): _together(layout, counts)},
        covariance=change @ covariance @ change.T,
        **size,
    )


def _together(layout: Layout, counts: Counts) -> float:
    """Return what passages add, from the means of the items."""
    with np.errstate(invalid="ignore"):
        means = layout.right.sum(axis=(1, 2)) / layout.asked.sum(axis=(1, 2))
    return max(0.0, float(passages.covariance(passages.of_rows(means[:, None]), clusters(counts, layout.items))[0]))


def _fixed_ends(
    found: ems.MeanSquares,
    name: str,
    universe: Mapping[str, float],
    level: float,
    cells: FloatArray,
    groups: IntArray,
) -> tuple[float, float]:
    """Return the ends of the interval of a component whose facets are all fixed; NaN for any other.

    Items of one passage may move together: the error is larger by the design effect of passages on the effect of the
    first facet, and its degrees of freedom are those of passages.
    """
    if name == RESIDUAL or not set(name.split(JOIN)) <= set(universe):
        return np.nan, np.nan
    crossed = JOIN.join((ITEM, name))
    error = crossed if crossed in found.squares else RESIDUAL
    answers = 1 / ems.loadings(found, name, universe)[name]
    square, noise = (float(found.squares[key][0]) for key in (name, error))
    df, df_noise = (float(found.degrees[key][0]) for key in (name, error))
    noise *= passages.design_effect(passages.of_rows(cells, found.names.index(name.split(JOIN, maxsplit=1)[0])), groups)
    df_noise *= int(groups.max()) / (len(groups) - 1)
    return intervals.noncentral(square, noise, df, df_noise, answers, level)


def large_sample(
    found: ems.MeanSquares, name: str, universe: Mapping[str, float], level: float, n_clusters: int | None = None
) -> Spread:
    """Return the modified large-sample interval of a finite component."""
    squares = {source: float(values[0]) for source, values in found.squares.items()}
    degrees = by_passages(found, n_clusters)
    return intervals.large_sample(ems.loadings(found, name, universe), squares, degrees, level)


def by_passages(found: ems.MeanSquares, n_clusters: int | None) -> dict[str, float]:
    """Return degrees of freedom with the passages in place of the items: a bound, since items in one still differ."""
    n_items = float(found.levels[ITEM][0])
    share = 1.0 if n_clusters is None else (n_clusters - 1) / (n_items - 1)
    return {
        source: float(values[0]) * (share if ITEM in source.split(JOIN) or source == RESIDUAL else 1.0)
        for source, values in found.degrees.items()
    }


def _change(names: list[str], universe: Mapping[str, float]) -> np.ndarray:
    """Return the matrix that turns components of the random model into those of the finite universe."""
    columns = []
    for source in names:
        unit = {name: np.array([float(name == source)]) for name in names}
        columns.append([float(values[0]) for values in ems.finite(unit, universe).values()])
    return np.array(columns).T
