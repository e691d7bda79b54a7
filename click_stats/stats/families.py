"""Families of tests over pairs of units and groups of items: computed here once, for pairs and for ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats import partition
from click_stats.stats.pair_rows import FLAT, pair_rows
from click_stats.stats.pairs import item_set, pairs
from click_stats.stats.tools import maxt
from click_stats.stats.tools.clustered import item_means
from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm, n_estimable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.pairs import ItemSet
    from click_stats.stats.settings import PairSettings

SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED = "separated", "not separated", "equivalent", "not decided"
NAMES = {"category": "categories", "domain": "domains", "macro": "mean of categories"}
"""Names of groupings within the name of a family; others are named as they are."""


@dataclass(frozen=True)
class Family:
    """Outcome of one family of tests.

    Attributes
    ----------
    name
        Which comparisons it holds, e.g. ``all pairs, overall``.
    rows
        One row for each test, estimable or not.
    critical
        Single-step critical value of the largest statistic.
    """

    name: str
    rows: pd.DataFrame
    critical: float

    @property
    def n_estimable(self) -> int:
        """Tests with a p-value: only these count in the corrections."""
        return n_estimable(self.rows["p_value"])


@dataclass(frozen=True)
class Comparison:
    """All families of one grouping.

    Attributes
    ----------
    by
        The grouping.
    sets
        The items and units of each group.
    accuracy
        (groups, U) accuracy on the shared items; with pairwise items on the unit's own. NaN for a unit left out.
    every, reference
        The family of all pairs, and that of every unit against the reference (None without one).
    """

    by: str
    sets: Sequence[ItemSet]
    accuracy: FloatArray
    every: Family
    reference: Family | None


def compared(counts: Counts, by: str, settings: PairSettings, reference: str | None = None) -> Comparison:
    """Test all pairs of units in every group of one grouping.

    Parameters
    ----------
    counts
        The answers of at least two units.
    by
        One grouping (:func:`click_stats.stats.partition.groups`).
    settings
        Level, draws, seed and the like.
    reference
        Label of the unit for the second family.
    """
    scores = counts.scores(settings.denominator)
    values, answered = scores[0], scores.trials > 0
    clusters = partition.clusters(counts, np.arange(len(counts.items), dtype=np.int64))
    sets, frames, tests, accuracy = [], [], [], []
    for group in partition.groups(counts, by):
        chosen = item_set(answered, group, pairwise=settings.pairwise)
        found = pairs(scores, chosen, clusters)
        own = item_means(values[:, group.items], group.strata)
        frame = pair_rows(counts, chosen, found, clusters, own, settings)
        usable = frame["statistic"].notna()
        kept = frame.loc[usable, "_test"].to_numpy(dtype=np.int64)
        tests.append(found.columns.contrasts(found.first, found.second).only(kept))
        sets.append(chosen)
        frames.append(frame)
        if settings.pairwise or not len(chosen.items):
            on_set = own if settings.pairwise else np.full(len(own), np.nan)
        else:
            on_set = item_means(values[:, chosen.items], chosen.strata)
            on_set = on_set if not found.columns.n_empty.any() else np.full(len(own), np.nan)
        accuracy.append(np.where(np.isin(np.arange(len(own)), chosen.units), on_set, np.nan))
    rows = pd.concat(frames, ignore_index=True)
    members = {"every": np.arange(len(rows))}
    if reference is not None:
        members["reference"] = np.flatnonzero((rows["unit_a"] == reference) | (rows["unit_b"] == reference))
    outcomes = _max_t(rows, tests, members, int(clusters.max(initial=-1)) + 1, settings)
    label = NAMES.get(by, by)
    every = _family(rows, f"all pairs, {label}", outcomes["every"], settings)
    if reference is None:
        return Comparison(by, sets, np.array(accuracy), every, None)
    turned = _against(rows.iloc[members["reference"]], reference)
    against = _family(turned, f"against {reference}, {label}", outcomes["reference"], settings)
    return Comparison(by, sets, np.array(accuracy), every, against)


def _max_t(
    rows: pd.DataFrame,
    tests: Sequence[maxt.Contrasts],
    members: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
    n_clusters: int,
    settings: PairSettings,
) -> dict[str, maxt.MaxT]:
    """Run the step-down test of all families; p-values in the order of their members, NaN without a statistic."""
    usable = rows["statistic"].notna().to_numpy()
    number = np.cumsum(usable) - 1
    found = maxt.max_t(
        tests,
        rows["statistic"].to_numpy(dtype=np.float64)[usable],
        {name: number[inside[usable[inside]]] for name, inside in members.items()},
        n_clusters=n_clusters,
        draws=settings.draws,
        seed=settings.seed,
        alpha=settings.alpha,
    )
    for name, inside in members.items():
        p = np.full(len(inside), np.nan)
        p[usable[inside]] = found[name].p
        found[name] = found[name]._replace(p=p)
    return found


TURNED = (
    *(("unit_a", "unit_b", 0), ("n_a_only", "n_b_only", 0), ("_low_error", "_high_error", 0)),
    *(("conf_low", "conf_high", 1), ("bound_low", "bound_high", 1), ("odds_low", "odds_high", 2)),
)
"""Columns that trade places when a pair is turned: 0 as they are, 1 negated, 2 inverted."""


def _against(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return one unit's pairs, turned so that it is the second."""
    found = rows.copy()
    first = found["unit_a"] == reference
    changes = (lambda x: x, lambda x: 0.0 - x, _inverse)
    for one, other, kind in TURNED:
        left, right = found[one].copy(), found[other].copy()
        found[one] = left.where(~first, changes[kind](right))
        found[other] = right.where(~first, changes[kind](left))
    for name in ("estimate", "statistic", "_centre"):
        found[name] = found[name].where(~first, 0.0 - found[name])
    found["odds_ratio"] = found["odds_ratio"].where(~first, _inverse(found["odds_ratio"]))
    return found


def _inverse(values: pd.Series[float]) -> pd.Series[float]:
    with np.errstate(divide="ignore"):
        found = 1.0 / values
    return found.where(np.isfinite(found))


def _family(rows: pd.DataFrame, name: str, outcome: maxt.MaxT, settings: PairSettings) -> Family:
    """Add what depends on the family: adjusted p-values, simultaneous interval, equivalence, verdicts."""
    rows = rows.reset_index(drop=True)
    rows["test_family"] = name
    raw = rows["p_value"].to_numpy(dtype=np.float64)
    rows["p_holm"], rows["p_bh"] = holm(raw), benjamini_hochberg(raw)
    bonferroni = np.minimum(1.0, raw * n_estimable(raw))
    adjusted = np.where(rows["_equal"], 1.0, np.where(rows["_flat"], bonferroni, outcome.p))
    # The sign-flip test is exact where the step-down test is approximate: no adjusted value lies below the raw one.
    rows["p_adjusted"] = np.where(np.isnan(adjusted), np.nan, np.fmax(adjusted, raw))
    # In a family of one or two tests the drawn value can fall below the quantile of a single comparison.
    reach = np.maximum(outcome.critical, np.nan_to_num(stats.t.isf(settings.alpha / 2.0, rows["_df"]))) * rows["_error"]
    for side, sign in (("sim_low", -1.0), ("sim_high", 1.0)):
        rows[side] = np.clip(rows["_centre"] + sign * reach, -1.0, 1.0)
    rows["margin"] = np.nan if settings.margin is None else settings.margin
    rows["p_tost"] = holm(_tost(rows["_centre"], rows["_error"], rows["_df"], settings.margin))
    verdict = np.where(rows["p_adjusted"] < settings.alpha, SEPARATED, NOT_SEPARATED)
    verdict = np.where((verdict != SEPARATED) & (rows["p_tost"] < settings.alpha), EQUIVALENT, verdict)
    rows["verdict"] = np.where(rows["p_adjusted"].isna(), NOT_DECIDED, verdict)
    rows["verdict_changes"] = _changes(rows, outcome.critical, settings)
    return Family(name, rows, outcome.critical)


def _tost(centre: pd.Series[float], error: pd.Series[float], df: pd.Series[float], margin: float | None) -> FloatArray:
    """Return p-values of the two one-sided t tests that the difference lies within the margin."""
    if margin is None:
        return np.full(len(centre), np.nan)
    values, errors = centre.to_numpy(dtype=np.float64), error.to_numpy(dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(stats.t.sf((margin - np.abs(values)) / errors, df.to_numpy(dtype=np.float64)))


def _changes(rows: pd.DataFrame, critical: float, settings: PairSettings) -> pd.Series[bool]:
    """Return whether missing answers could change the verdict, or the sign of a separated difference.

    The row and both bounds follow one rule: separated where the statistic reaches the family's single-step
    critical value, or the smallest statistic that the step-down test separated if that is less.
    """
    now = rows["statistic"].abs()
    smallest = now[rows["verdict"] == SEPARATED].min()
    threshold = np.nanmin([critical, smallest, np.inf]) * (1.0 - FLAT)
    apart = np.where(rows["_flat"], rows["verdict"] == SEPARATED, now >= threshold)
    current = np.where(apart, np.sign(rows["estimate"]), np.where(rows["verdict"] == EQUIVALENT, 2.0, 0.0))
    changes, fixed = np.zeros(len(rows), dtype=bool), np.ones(len(rows), dtype=bool)
    for name, error in (("bound_low", "_low_error"), ("bound_high", "_high_error")):
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = (rows[name] / rows[error]).abs() >= threshold
        close = _tost(rows[name], rows[error], rows["_df"], settings.margin) < settings.alpha
        changes |= current != np.where(reached, np.sign(rows[name]), np.where(close, 2.0, 0.0))
        fixed &= np.isclose(rows[name], rows["estimate"], rtol=0.0, atol=FLAT)
    undecided = rows["verdict"] == NOT_DECIDED
    return pd.Series(changes & ~fixed, index=rows.index, dtype="boolean").where(~undecided, pd.NA)
