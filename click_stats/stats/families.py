"""The tests of all pairs of units, group by group, and their families: computed here once for pairs and ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats import pairs as pairing
from click_stats.stats import partition
from click_stats.stats.tools import intervals, maxt, mcnemar, permutation
from click_stats.stats.tools.clustered import EMPTY_STRATUM, NO_SPREAD, ONE_CLUSTER, item_means
from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm, n_estimable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, FloatArray, IntArray
    from click_stats.stats.pairs import ItemSet, Pairs

FEW_DISCORDANT = 10
"""Below so many discordant items the interval is Bonett-Price's."""
FLAT = 1e-9
"""A standard error below this share of one item is rounding: all clusters have the same mean."""

NAMES = {"overall": "overall", "category": "categories", "domain": "domains", "macro": "mean of categories"}
SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED = "separated", "not separated", "equivalent", "not decided"
NO_DISCORDANT = "no discordant items"
NO_COMMON = "no item that both answered"
SEVERAL_TRIALS = "McNemar's test and the odds ratio need one trial per item"
FLAT_FLAG = "all clusters differ alike: p from the sign-flip test, adjusted by Bonferroni"


@dataclass(frozen=True)
class Settings:
    """Arguments that pairs and ranks have in common."""

    level: float = 0.95
    alpha: float = 0.05
    margin: float | None = None
    pairwise: bool = False
    denominator: Denominator = "responded"
    draws: int = 10_000
    seed: int = 0


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
        The items of each group.
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


def compared(counts: Counts, by: str, settings: Settings, reference: str | None = None) -> Comparison:
    """Test all pairs of units in every group of one grouping.

    Parameters
    ----------
    counts
        The answers.
    by
        One grouping (:func:`click_stats.stats.partition.groups`).
    settings
        Level, draws, seed and the like.
    reference
        Label of the unit for the second family.
    """
    scores = counts.scores(settings.denominator)
    answered = scores.trials > 0
    clusters = partition.clusters(counts, np.arange(len(counts.items), dtype=np.int64))
    sets, frames, tests, accuracy = [], [], [], []
    for group in partition.groups(counts, by):
        chosen = pairing.item_set(answered, group, pairwise=settings.pairwise)
        found = pairing.pairs(scores, chosen, clusters)
        own = item_means(scores.values[:, group.items], group.strata)
        on_set = own if settings.pairwise else item_means(scores.values[:, chosen.items], chosen.strata)
        frame = _rows(counts, chosen, found, own, settings)
        _add_bounds(frame, counts, chosen, clusters, found)
        sets.append(chosen)
        frames.append(_with_left_out(frame, counts, chosen))
        tests.append(found.columns.contrasts(found.first, found.second))
        accuracy.append([value if k in chosen.units else np.nan for k, value in enumerate(on_set)])
    rows = pd.concat(frames, ignore_index=True)
    label = NAMES.get(by, by)
    names = {"every": f"all pairs, {label}"}
    if reference is not None:
        names["reference"] = f"against {reference}, {label}"
    outcome = _max_t(rows, tests, int(clusters.max(initial=-1)) + 1, reference, settings)
    families = {}
    for key, name in names.items():
        chosen_rows = rows if key == "every" else _against(rows, str(reference))
        families[key] = _family(chosen_rows, name, key, outcome[key], settings)
    return Comparison(by, sets, np.array(accuracy), families["every"], families.get("reference"))


def _rows(counts: Counts, chosen: ItemSet, found: Pairs, own: FloatArray, settings: Settings) -> pd.DataFrame:
    """Return what a pair's row says by itself: estimate, interval, p-value and discordant items."""
    made, first, second = found.columns, found.first, found.second
    labels = counts.units.index.to_numpy(dtype=object)
    estimate = made.estimates[first] - made.estimates[second]
    spread = made.sums * made.weights[:, None, :]
    uncentred = spread.sum(axis=0) if chosen.strata is not None else made.sums[0]
    sums = uncentred[:, first] - uncentred[:, second]
    error = made.std_errors(first, second)
    none = np.full(made.sums.shape[2], 0) if made.sums.shape[2] else np.empty(0, dtype=np.int64)
    alone = _unit_errors(made)
    n_clusters = np.broadcast_to(made.n_clusters, none.shape)[first]
    flat = error < FLAT / np.maximum(found.n_items, 1)
    equal = flat & (np.abs(estimate) < FLAT)
    estimate = np.where(equal, 0.0, estimate)
    test = permutation.sign_flip(sums, denominators=found.denominators, draws=settings.draws, seed=settings.seed)
    usable = np.isfinite(error)
    frame = pd.DataFrame({"unit_a": labels[found.a], "unit_b": labels[found.b]})
    frame["by"], frame["group"] = chosen.group.by, chosen.group.name
    frame["estimate"], frame["n_items"], frame["n_clusters"] = estimate, found.n_items, n_clusters
    frame["std_error"] = error
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["statistic"] = np.where(flat, np.nan, estimate / error)
        unpaired = alone[first] ** 2 + alone[second] ** 2
        frame["se_ratio"] = np.where(flat, np.nan, np.sqrt(unpaired) / error)
        frame["correlation"] = (unpaired - error**2) / (2 * alone[first] * alone[second])
    frame["p_value"] = np.where(usable, test.p, np.nan)
    frame["p_method"] = np.where(usable, np.array(test.method, dtype=object), "")
    marginal = own[found.a] - own[found.b]
    frame["sign_conflict"] = (marginal * estimate < 0) & (np.abs(marginal) > FLAT) & (np.abs(estimate) > FLAT)
    _add_discordant(frame, found, settings.level)
    _add_interval(frame, found, flat, equal, chosen, settings.level)
    frame["flag"], frame["reason"] = _remarks(frame, found, flat, equal, chosen)
    frame["_flat"], frame["_equal"] = flat, equal
    return frame


def _unit_errors(made: pairing.Columns) -> FloatArray:
    """Return the CR1 standard error of each column by itself."""
    scaled = (made.factors[:, None, :] * made.centred).sum(axis=0)
    found: FloatArray = np.sqrt((scaled**2).sum(axis=0))
    return found


def _add_discordant(frame: pd.DataFrame, found: Pairs, level: float) -> None:
    single = found.single & (found.n_items > 0)
    a, b = found.a_only, found.b_only
    ratio = mcnemar.odds_ratio(a, b, level)
    frame["n_a_only"], frame["n_b_only"] = (pd.array(np.where(single, n, 0), dtype="Int64") for n in (a, b))
    frame.loc[~single, ["n_a_only", "n_b_only"]] = pd.NA
    columns = {
        "p_mcnemar": mcnemar.exact(a, b),
        "p_mcnemar_midp": mcnemar.mid_p(a, b),
        "odds_ratio": ratio.estimate,
        "odds_low": ratio.low,
        "odds_high": ratio.high,
    }
    for name, values in columns.items():
        frame[name] = np.where(single & np.isfinite(values), values, np.nan)


def _add_interval(
    frame: pd.DataFrame, found: Pairs, flat: FloatArray, equal: FloatArray, chosen: ItemSet, level: float
) -> None:
    """Add the interval per comparison, and centre and error for the simultaneous one and for equivalence.

    Few discordant items, or no spread at all, leave the clustered error without support: Bonett and Price's
    interval adds an item to each discordant count. It is a difference of plain shares, so a mean over categories
    takes it only where nothing is discordant.
    """
    discordant = found.a_only + found.b_only
    plain = chosen.strata is None
    usable = np.isfinite(frame["std_error"].to_numpy())
    few = found.single & ((discordant < FEW_DISCORDANT) | flat) & plain
    adjusted = usable & (few | equal)
    bonett_price = mcnemar.bonett_price(found.a_only, found.b_only, np.maximum(found.n_items, 1))
    df = np.where(usable, frame["n_clusters"] - chosen.n_strata, np.nan).astype(np.float64)
    df = np.where(usable, np.maximum(df, 1.0), np.nan)
    error = np.where(flat, np.nan, frame["std_error"])
    frame["_centre"] = np.where(adjusted, bonett_price.centre, frame["estimate"])
    frame["_error"] = np.where(adjusted, bonett_price.std_error, error)
    frame["_df"] = np.where(adjusted, np.inf, df)
    frame["df"] = np.where(adjusted, np.nan, df)
    frame["method"] = np.where(adjusted, intervals.BONETT_PRICE, intervals.T)
    half = stats.t.isf((1 - level) / 2, frame["_df"]) * frame["_error"]
    frame["conf_low"] = np.maximum(frame["_centre"] - half, -1.0)
    frame["conf_high"] = np.minimum(frame["_centre"] + half, 1.0)
    frame["conf_level"] = level


def _remarks(
    frame: pd.DataFrame, found: Pairs, flat: FloatArray, equal: FloatArray, chosen: ItemSet
) -> tuple[list[str], list[str]]:
    flags, reasons = [], []
    for k in range(len(frame)):
        flag, reason = [], []
        discordant = int(found.a_only[k] + found.b_only[k])
        one_trial = bool(found.single[k])
        if not found.n_items[k]:
            reason.append(NO_COMMON)
        elif np.isnan(frame["estimate"].iat[k]):
            empty = int(
                (
                    np.broadcast_to(found.columns.n, (chosen.n_strata, found.columns.sums.shape[2]))[:, found.first[k]]
                    == 0
                ).sum()
            )
            reason.append(EMPTY_STRATUM.format(n=empty, of=chosen.n_strata))
        elif np.isnan(frame["std_error"].iat[k]):
            reason.append(ONE_CLUSTER)
        elif equal[k]:
            flag.append(NO_DISCORDANT)
        elif flat[k]:
            flag.append(FLAT_FLAG)
            if np.isnan(frame["conf_low"].iat[k]):
                reason.append(NO_SPREAD)
        elif one_trial and discordant < FEW_DISCORDANT:
            flag.append(f"{discordant} discordant items")
        if not one_trial and found.n_items[k]:
            reason.append(SEVERAL_TRIALS)
        flags.append("; ".join(flag))
        reasons.append("; ".join(reason))
    return flags, reasons


def _add_bounds(frame: pd.DataFrame, counts: Counts, chosen: ItemSet, clusters: IntArray, found: Pairs) -> None:
    bounds = pairing.pair_bounds(counts, chosen.group, clusters, found.a, found.b)
    frame["bound_low"], frame["bound_high"] = bounds.low, bounds.high
    frame["_low_error"], frame["_high_error"] = bounds.low_error, bounds.high_error


def _with_left_out(frame: pd.DataFrame, counts: Counts, chosen: ItemSet) -> pd.DataFrame:
    """Add a row with the reason for each pair of which a unit does not take part; pairs in the order of units."""
    labels = counts.units.index.to_numpy(dtype=object)
    i, j = np.triu_indices(len(labels), k=1)
    frame["_test"] = np.arange(len(frame))
    frame["_place"] = [int(k) for k in np.flatnonzero(np.isin(i, chosen.units) & np.isin(j, chosen.units))]
    absent = np.flatnonzero(~(np.isin(i, chosen.units) & np.isin(j, chosen.units)))
    if not len(absent):
        return frame
    reasons = [
        "; ".join(
            f"{labels[unit]}: {chosen.left_out[int(unit)]}" for unit in (i[k], j[k]) if int(unit) in chosen.left_out
        )
        for k in absent
    ]
    rows: dict[str, Any] = {"unit_a": labels[i[absent]], "unit_b": labels[j[absent]], "reason": reasons, "flag": ""}
    rows |= {"by": chosen.group.by, "group": chosen.group.name, "n_items": 0, "n_clusters": 0, "_place": absent}
    rows |= {"_test": -1, "_flat": False, "_equal": False, "p_method": "", "method": "", "sign_conflict": False}
    extra = pd.DataFrame(rows)
    if frame.empty:
        return extra.reindex(columns=frame.columns)
    return pd.concat([frame, extra]).sort_values("_place", kind="stable", ignore_index=True)


def _max_t(
    rows: pd.DataFrame, tests: Sequence[maxt.Contrasts], n_clusters: int, reference: str | None, settings: Settings
) -> dict[str, maxt.MaxT]:
    """Run the step-down test of both families; p-values are spread over the rows, NaN where there is no statistic."""
    usable = rows["statistic"].notna().to_numpy()
    group = (rows["group"] != rows["group"].shift()).cumsum().to_numpy() - 1
    kept = [test.only(rows["_test"].to_numpy()[(group == k) & usable].astype(np.int64)) for k, test in enumerate(tests)]
    statistics = rows["statistic"].to_numpy(dtype=np.float64)[usable]
    inside = np.flatnonzero(usable)
    families = {"every": np.arange(len(inside))}
    if reference is not None:
        is_pair = ((rows["unit_a"] == reference) | (rows["unit_b"] == reference)).to_numpy()[usable]
        families["reference"] = np.flatnonzero(is_pair)
    found = maxt.max_t(
        *(kept, statistics, families),
        n_clusters=n_clusters,
        draws=settings.draws,
        seed=settings.seed,
        alpha=settings.alpha,
    )
    spread = {}
    for name, outcome in found.items():
        p = np.full(len(rows), np.nan)
        p[inside[families[name]]] = outcome.p
        spread[name] = outcome._replace(p=p)
    return spread


def _against(rows: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Return the rows of one unit's pairs, turned so that it is the second."""
    found = rows[(rows["unit_a"] == reference) | (rows["unit_b"] == reference)].copy()
    turned = (found["unit_a"] == reference).to_numpy()
    for one, other, change in (
        ("unit_a", "unit_b", None),
        ("n_a_only", "n_b_only", None),
        ("conf_low", "conf_high", np.negative),
        ("bound_low", "bound_high", np.negative),
        ("_low_error", "_high_error", None),
        ("odds_low", "odds_high", _inverse),
        ("estimate", "estimate", np.negative),
        ("statistic", "statistic", np.negative),
        ("_centre", "_centre", np.negative),
        ("odds_ratio", "odds_ratio", _inverse),
    ):
        left, right = found.loc[turned, one].copy(), found.loc[turned, other].copy()
        found.loc[turned, one] = right if change is None else change(right)
        found.loc[turned, other] = left if change is None else change(left)
    for name in ("estimate", "statistic", "bound_low", "bound_high", "conf_low", "conf_high"):
        found[name] += 0.0
    return found


def _inverse(values: pd.Series[float]) -> pd.Series[float]:
    with np.errstate(divide="ignore"):
        found = 1.0 / values
    return found.where(np.isfinite(found))


def _family(rows: pd.DataFrame, name: str, key: str, outcome: maxt.MaxT, settings: Settings) -> Family:
    """Add what depends on the family: adjusted p-values, simultaneous interval, equivalence, verdicts."""
    rows = rows.copy()
    rows["test_family"] = name
    rows["p_holm"], rows["p_bh"] = holm(rows["p_value"]), benjamini_hochberg(rows["p_value"])
    raw = rows["p_value"].to_numpy(dtype=np.float64)
    adjusted = outcome.p[rows.index.to_numpy()]
    flat, equal = rows["_flat"].to_numpy(dtype=bool), rows["_equal"].to_numpy(dtype=bool)
    adjusted = np.where(flat, np.minimum(1.0, raw * n_estimable(raw)), adjusted)
    adjusted = np.where(equal, 1.0, adjusted)
    # The step-down test is approximate and the sign-flip test is not: an adjusted value is never below the raw one.
    rows["p_adjusted"] = np.fmax(adjusted, np.where(np.isnan(adjusted), np.nan, raw))
    centre, error = rows["_centre"], rows["_error"]
    rows["sim_low"] = np.maximum(centre - outcome.critical * error, -1.0)
    rows["sim_high"] = np.minimum(centre + outcome.critical * error, 1.0)
    rows["margin"] = np.nan if settings.margin is None else settings.margin
    rows["p_tost"] = holm(_tost(centre, error, rows["_df"], settings.margin))
    undecided = rows["p_adjusted"].isna()
    apart = (rows["p_adjusted"] < settings.alpha) & ~undecided
    same = (rows["p_tost"] < settings.alpha) & ~undecided
    verdict = np.where(apart, SEPARATED, np.where(same, EQUIVALENT, NOT_SEPARATED))
    rows["verdict"] = np.where(undecided, NOT_DECIDED, verdict)
    rows["verdict_changes"] = _changes(rows, outcome.critical, settings)
    return Family(name, rows.reset_index(drop=True), outcome.critical)


def _tost(centre: pd.Series[float], error: pd.Series[float], df: pd.Series[float], margin: float | None) -> FloatArray:
    """Return p-values of the two one-sided t tests that the difference lies within the margin."""
    if margin is None:
        return np.full(len(centre), np.nan)
    found: FloatArray = stats.t.sf((margin - np.abs(centre)) / error, df)
    return found


def _changes(rows: pd.DataFrame, critical: float, settings: Settings) -> pd.arrays.BooleanArray:
    """Return whether the verdict, or the sign of a separated difference, is another one at a bound.

    One rule for the row and both bounds: a statistic beyond the threshold, which is the family's single-step
    critical value or the smallest statistic that the step-down test separated, whichever is smaller.
    """
    statistics = rows["statistic"].abs()
    apart = statistics[rows["verdict"] == SEPARATED]
    threshold = float(np.nanmin([critical, apart.min() if len(apart) else np.nan])) if np.isfinite(critical) else np.nan
    found = []
    for centre, error in (("bound_low", "_low_error"), ("bound_high", "_high_error")):
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (rows[centre] / rows[error]).to_numpy(dtype=np.float64)
        verdict = np.where(np.abs(t) * (1 + 1e-9) >= threshold, np.sign(t), 0.0)
        if settings.margin is not None:
            df = np.maximum(rows["n_clusters"] - 1.0, 1.0)
            close = _tost(rows[centre], rows[error], df, settings.margin) < settings.alpha
            verdict = np.where((verdict == 0) & close, 2.0, verdict)
        found.append(verdict)
    flat = rows["_flat"].to_numpy(dtype=bool)
    beyond = np.where(flat, rows["verdict"] == SEPARATED, statistics >= threshold)
    now = np.where(beyond, np.sign(rows["estimate"]), 0.0)
    if settings.margin is not None:
        now = np.where((now == 0) & (rows["verdict"] == EQUIVALENT), 2.0, now)
    fixed = np.isclose(rows["bound_low"], rows["estimate"], atol=FLAT) & np.isclose(
        rows["bound_high"], rows["estimate"], atol=FLAT
    )
    changes = pd.array(((found[0] != now) | (found[1] != now)) & ~fixed, dtype="boolean")
    changes[(rows["verdict"] == NOT_DECIDED).to_numpy()] = pd.NA
    return changes
