"""What a pair of models shows by itself in one group of items: estimate, interval, p-value, discordant items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats.pairs import BoolArray, pair_bounds
from click_stats.stats.tools import intervals, mcnemar, permutation
from click_stats.stats.tools.clustered import EMPTY_STRATUM, NO_SPREAD, ONE_CLUSTER

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.pairs import ItemSet, Pairs
    from click_stats.stats.settings import PairSettings

FEW_DISCORDANT = 10
"""Below so many discordant items the interval is Bonett-Price's."""
FLAT = 1e-9
"""A standard error below this share of one item is rounding: all clusters have the same mean."""

NO_DISCORDANT = "no discordant items"
FEW = "{n} discordant items"
ALL_ALIKE = "all clusters differ alike: p from the sign-flip test, adjusted by Bonferroni"
NO_COMMON = "no item that both answered"
SEVERAL_TRIALS = "McNemar's test and the odds ratio need one trial per item"
NO_ODDS = "no discordant items: no odds ratio"
NO_UPPER_ODDS = "no item that only B got right: the odds ratio has no upper end"


def pair_rows(
    counts: Counts, chosen: ItemSet, found: Pairs, clusters: IntArray, own: FloatArray, settings: PairSettings
) -> pd.DataFrame:
    """Return a row for each pair of units, those that do not take part with the reason.

    Parameters
    ----------
    counts, chosen, found, clusters
        The answers; the items and units of the group; its pairs; cluster codes of all items.
    own
        (U,) accuracy of each unit on its own items of the group.
    settings
        Level, draws and seed.

    Returns
    -------
    pandas.DataFrame
        Columns of the glossary, and for the family (their names begin with an underscore): ``_test`` number of
        the pair in ``found``, -1 without one; ``_centre, _error, _df`` of the interval; ``_low_error,
        _high_error`` of the bounds; ``_flat`` no spread between clusters; ``_equal`` no difference anywhere.
    """
    made, first, second = found.columns, found.first, found.second
    labels = counts.units.index.to_numpy(dtype=object)
    error = made.std_errors(first, second)
    estimate = made.estimates[first] - made.estimates[second]
    usable = np.isfinite(error)
    flat = usable & (error < FLAT / np.maximum(found.n_items, 1))
    equal = flat & (np.abs(estimate) < FLAT)
    estimate = np.where(equal, 0.0, estimate)
    frame = pd.DataFrame({"unit_a": labels[found.a], "unit_b": labels[found.b]})
    frame["by"], frame["group"] = chosen.group.by, chosen.group.name
    frame["estimate"], frame["n_items"] = estimate, found.n_items
    frame["n_clusters"] = made.n_clusters[first]
    whole = np.abs(estimate - np.rint(estimate)) < FLAT
    frame["std_error"] = np.where(flat, np.where(whole, 0.0, np.nan), error)
    alone = np.sqrt((made.scaled**2).sum(axis=0))
    unpaired = alone[first] ** 2 + alone[second] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        frame["statistic"] = np.where(flat, np.nan, estimate / error)
        frame["se_ratio"] = np.where(flat, np.nan, np.sqrt(unpaired) / error)
        correlation = (unpaired - error**2) / (2.0 * alone[first] * alone[second])
    spread = np.minimum(alone[first], alone[second]) > FLAT / np.maximum(found.n_items, 1)
    frame["correlation"] = np.where(spread, np.clip(correlation, -1.0, 1.0), np.nan)
    sums = made.uncentred[:, first] - made.uncentred[:, second]
    test = permutation.sign_flip(sums, denominators=found.denominators, draws=settings.draws, seed=settings.seed)
    frame["p_value"] = np.where(usable, test.p, np.nan)
    frame["p_method"] = np.where(usable, np.array(test.method, dtype=object), "")
    marginal = own[found.a] - own[found.b]
    frame["sign_conflict"] = (marginal * estimate < 0) & (np.abs(marginal) > FLAT) & (np.abs(estimate) > FLAT)
    _add_discordant(frame, found, settings.level)
    _add_interval(frame, found, flat, chosen, settings.level)
    bounds = pair_bounds(counts, chosen.group, clusters, found.a, found.b)
    frame["bound_low"], frame["bound_high"] = bounds.low, bounds.high
    frame["_low_error"], frame["_high_error"] = bounds.low_error, bounds.high_error
    frame["_test"], frame["_flat"], frame["_equal"] = np.arange(len(frame)), flat, equal
    _add_remarks(frame, found, spread, chosen)
    return _with_left_out(frame, labels, chosen, settings.level)


def _add_discordant(frame: pd.DataFrame, found: Pairs, level: float) -> None:
    single = found.single & (found.n_items > 0)
    a, b = found.a_only, found.b_only
    for name, number in (("n_a_only", a), ("n_b_only", b)):
        frame[name] = pd.Series(number, dtype="Int64").where(pd.Series(single), pd.NA)
    ratio = mcnemar.odds_ratio(a, b, level)
    columns = {
        "p_mcnemar": mcnemar.exact(a, b),
        "p_mcnemar_midp": mcnemar.mid_p(a, b),
        "odds_ratio": ratio.estimate,
        "odds_low": ratio.low,
        "odds_high": ratio.high,
    }
    for name, values in columns.items():
        frame[name] = np.where(single & np.isfinite(values), values, np.nan)


def _add_interval(frame: pd.DataFrame, found: Pairs, flat: BoolArray, chosen: ItemSet, level: float) -> None:
    """Add the interval per comparison, and centre and error for the simultaneous one and for equivalence.

    Few discordant items, or no spread at all, leave the clustered error without support: Bonett and Price's
    interval adds an item to each discordant count. It is a difference of plain shares, so a mean over categories
    takes it only where nothing is discordant.
    """
    plain = chosen.strata is None
    usable = frame["p_value"].notna().to_numpy()
    few = found.single & ((found.a_only + found.b_only < FEW_DISCORDANT) | flat) & plain
    adjusted = usable & (few | (found.differing == 0))
    bonett_price = mcnemar.bonett_price(found.a_only, found.b_only, np.maximum(found.n_items, 1))
    df = np.where(usable, np.maximum(frame["n_clusters"] - chosen.n_strata, 1.0), np.nan)
    frame["_centre"] = np.where(adjusted, bonett_price.centre, frame["estimate"])
    frame["_error"] = np.where(adjusted, bonett_price.std_error, np.where(flat, np.nan, frame["std_error"]))
    frame["_df"] = np.where(adjusted, np.inf, df)
    frame["df"] = np.where(adjusted, np.nan, df)
    frame["method"] = np.where(adjusted, intervals.BONETT_PRICE, intervals.T)
    half = stats.t.isf((1.0 - level) / 2.0, frame["_df"]) * frame["_error"]
    frame["conf_low"] = np.maximum(frame["_centre"] - half, -1.0)
    frame["conf_high"] = np.minimum(frame["_centre"] + half, 1.0)
    frame["conf_level"] = level


def _add_remarks(frame: pd.DataFrame, found: Pairs, spread: BoolArray, chosen: ItemSet) -> None:
    """Say what to keep in mind about each row (``flag``), and why values in it are undefined (``reason``)."""
    flags, reasons = [], []
    empty = found.columns.n_empty[found.first]
    estimate, error = frame["estimate"].to_numpy(), frame["p_value"].to_numpy()
    for k in range(len(frame)):
        flag, reason = "", []
        a, b, single = int(found.a_only[k]), int(found.b_only[k]), bool(found.single[k])
        if not found.n_items[k]:
            reason.append(NO_COMMON)
        elif np.isnan(estimate[k]):
            reason.append(EMPTY_STRATUM.format(n=int(empty[k]), of=chosen.n_strata))
        elif np.isnan(error[k]):
            reason.append(ONE_CLUSTER)
        elif frame["_flat"].iloc[k]:
            flag = ALL_ALIKE if found.differing[k] else NO_DISCORDANT
            reason.append(NO_SPREAD)
        else:
            if single and a + b < FEW_DISCORDANT:
                flag = FEW.format(n=a + b)
            if not spread[k]:
                reason.append("no correlation: one of the two is right, or wrong, everywhere")
        if found.n_items[k]:
            if not single:
                reason.append(SEVERAL_TRIALS)
            elif a + b == 0:
                reason.append(NO_ODDS)
            elif b == 0:
                reason.append(NO_UPPER_ODDS)
        flags.append(flag)
        reasons.append("; ".join(reason))
    frame["flag"], frame["reason"] = np.array(flags, dtype=object), np.array(reasons, dtype=object)


def _with_left_out(frame: pd.DataFrame, labels: Any, chosen: ItemSet, level: float) -> pd.DataFrame:
    """Add a row for each pair of which a unit does not take part; all pairs in the order of the units."""
    i, j = np.triu_indices(len(labels), k=1)
    inside = np.isin(i, chosen.units) & np.isin(j, chosen.units)
    if inside.all():
        return frame
    absent = np.flatnonzero(~inside)
    reasons = [chosen.why_not(int(i[k]), int(j[k]), labels) for k in absent]
    rows: dict[str, Any] = {"unit_a": labels[i[absent]], "unit_b": labels[j[absent]], "reason": reasons}
    rows |= {"by": chosen.group.by, "group": chosen.group.name, "n_items": 0, "n_clusters": 0, "_test": -1}
    rows |= {"_flat": False, "_equal": False, "p_method": "", "method": "", "flag": "", "sign_conflict": False}
    rows |= {"conf_level": level}
    kinds = frame.dtypes
    frame.index = pd.Index(np.flatnonzero(inside))
    found = frame.reindex(np.arange(len(i)))
    for name, value in rows.items():
        column = found[name].astype(object)
        column.loc[~inside] = value
        found[name] = column.astype(kinds[name])
    return found
