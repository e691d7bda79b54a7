"""What could these data have shown: detectable differences, items needed, power to show equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.compare import find_reference
from click_stats.stats.pairs import BoolArray, item_set
from click_stats.stats.tools import detection
from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator, FloatArray
    from click_stats.stats.partition import Group

METHOD = "paired t test on clusters, noncentral t"
TOST_METHOD = "two one-sided t tests, true difference 0"
DIFFERENCES = (0.01, 0.02, 0.03, 0.05, 0.1)
CURVE_POINTS = 40
NO_SPREAD = "the paired differences have no spread from which an error could be estimated"
NO_PAIR = "one model: no pair"

ESTIMATES = (
    *("unit_a", "unit_b", "by", "group", "std_error", "df", "correlation", "n_items", "n_clusters"),
    *("power", "alpha", "detectable", "method", "reason"),
)
NEEDED = ("by", "group", "difference", "power", "alpha", "n_needed", "n_items", "method", "reason")
CURVE = ("by", "group", "n_items", "power", "alpha", "detectable", "method")
EQUIVALENCE = ("unit_a", "unit_b", "by", "group", "margin", "estimate", "p_tost", "power", "alpha", "method", "reason")


def power(
    counts: Counts,
    *,
    by: str | Sequence[str] = ("overall", "category"),
    reference: str | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    margin: float | None = None,
    differences: Sequence[float] = DIFFERENCES,
    denominator: Denominator = "responded",
    pairwise_items: bool = False,
) -> Result:
    """Return which true differences the paired test would find, given the spread and correlation observed.

    Every unit is paired with the reference on the items they share; the standard error of the paired difference
    (CR1 over passages) holds the observed correlation. The detectable difference is that error times the
    noncentrality at which the t test with G - 1 degrees of freedom has the stated power
    (:func:`click_stats.stats.tools.detection.noncentrality`). It concerns one comparison; a family of many
    comparisons detects less.

    Parameters
    ----------
    counts
        The answers.
    by
        Grouping or groupings of the items, see :func:`click_stats.stats.partition.groups`.
    reference
        Unit with which the others are paired; the most accurate by default.
    power, alpha
        Power wanted and two-sided level of the test.
    margin
        Margin of equivalence as a share; adds the table ``equivalence``.
    differences
        True differences, as shares, for which the items needed are computed.
    denominator, pairwise_items
        As in :func:`click_stats.stats.compare.compare`.

    Returns
    -------
    Result
        ``estimates``: detectable difference of every unit against the reference in every group. ``needed``: items
        needed for each of ``differences``, at the median spread of the group's pairs. ``curve``: detectable
        difference against the number of items, at the median spread over all items. ``equivalence``: with a margin,
        p-value of the two one-sided tests and the power to show equivalence if the models were equal.

    Raises
    ------
    UsageError
        An unknown reference or grouping, or a power, level or margin out of range.
    """
    _check(power, alpha, margin, differences)
    scores = counts.scores(denominator)
    answered = scores.trials > 0
    chosen_unit, stated = find_reference(counts, reference, denominator)
    groups = partition.groups(counts, by)
    rows: list[dict[str, Any]] = []
    needed: list[dict[str, Any]] = []
    for group in groups:
        pairs = _pairs(counts, scores.values, answered, group, chosen_unit, pairwise=pairwise_items)
        rows += [_detectable(pair, power, alpha) for pair in pairs]
        needed += _needed(group, pairs, differences, power, alpha)
    overall = _pairs(
        counts, scores.values, answered, partition.groups(counts, "overall")[0], chosen_unit, pairwise=pairwise_items
    )
    tables = {
        "estimates": pd.DataFrame(rows, columns=list(ESTIMATES)),
        "needed": pd.DataFrame(needed, columns=list(NEEDED)).astype({"n_needed": "Int64"}),
        "curve": pd.DataFrame(_curve(overall, len(counts.items), power, alpha), columns=list(CURVE)),
    }
    if margin is not None:
        tables["equivalence"] = pd.DataFrame(
            [_equivalence(row, margin, alpha) for row in rows], columns=list(EQUIVALENCE)
        )
    few = len(counts.units) < 2
    meta = {
        "method": METHOD,
        "reference": chosen_unit,
        "reference_chosen": stated,
        "power": power,
        "alpha": alpha,
        "margin": margin,
        "denominator": denominator,
        "pairwise_items": pairwise_items,
        "warnings": ["There is one model: nothing can be compared, and no power is computed."] if few else [],
    }
    return Result("power", tables, _summary(tables["estimates"], chosen_unit), meta)


def _pairs(
    counts: Counts, values: FloatArray, answered: BoolArray, group: Group, reference: str, *, pairwise: bool
) -> list[dict[str, Any]]:
    """Return, for every other unit, the paired difference to the reference in a group."""
    chosen = item_set(answered, group, pairwise=pairwise)
    clusters = partition.clusters(counts, chosen.items)
    labels = list(counts.units.index)
    second = labels.index(reference)
    found = []
    for first, unit in enumerate(labels):
        if first == second:
            continue
        out = chosen.why_not(first, second, labels)
        y, z = values[first, chosen.items], values[second, chosen.items]
        if out:
            y = np.full_like(y, np.nan)
        mean = cluster_mean(y - z, clusters, chosen.strata)
        one, other = (cluster_mean(np.where(np.isnan(y - z), np.nan, x), clusters, chosen.strata) for x in (y, z))
        found.append(
            {
                "unit_a": unit,
                "unit_b": reference,
                "by": group.by,
                "group": group.name,
                "_mean": mean,
                "correlation": _correlation(mean, one, other),
                "reason": out,
            }
        )
    return found


def _correlation(difference: ClusteredMean, one: ClusteredMean, other: ClusteredMean) -> float:
    """Return the correlation implied by Var(a - b) = Var a + Var b - 2 r SD a SD b, all clustered."""
    product = 2 * one.std_error * other.std_error
    if not (np.isfinite(product) and product > 0 and np.isfinite(difference.std_error)):
        return float("nan")
    return float((one.std_error**2 + other.std_error**2 - difference.std_error**2) / product)


def _detectable(pair: dict[str, Any], power: float, alpha: float) -> dict[str, Any]:
    mean: ClusteredMean = pair["_mean"]
    row = {
        **pair,
        "std_error": mean.std_error,
        "df": mean.df,
        "n_items": mean.n_items,
        "n_clusters": mean.n_clusters,
        "power": power,
        "alpha": alpha,
        "detectable": np.nan,
        "method": METHOD,
    }
    if pair["reason"] or mean.reason:
        row["reason"] = pair["reason"] or mean.reason
    elif mean.std_error == 0:
        row["reason"] = NO_SPREAD
    else:
        found = detection.detectable(mean.std_error, mean.df, power=power, alpha=alpha)
        row["detectable"] = found if found <= 1 else np.nan
        row["reason"] = "" if found <= 1 else "even a difference of 100 points would not be found with this power"
    return row


def _spread(pairs: list[dict[str, Any]]) -> tuple[float, float, int]:
    """Return the median spread per item of the pairs, clusters per item, and the median number of items."""
    means = [pair["_mean"] for pair in pairs]
    usable = [mean for mean in means if mean.std_error > 0]
    if not usable:
        return float("nan"), float("nan"), int(np.median([mean.n_items for mean in means])) if means else 0
    spread = float(np.median([mean.std_error * np.sqrt(mean.n_items) for mean in usable]))
    ratio = float(np.median([(mean.df + 1) / mean.n_items for mean in usable]))
    return spread, min(ratio, 1.0), int(np.median([mean.n_items for mean in usable]))


def _needed(
    group: Group, pairs: list[dict[str, Any]], differences: Sequence[float], power: float, alpha: float
) -> list[dict[str, Any]]:
    spread, ratio, n_items = _spread(pairs)
    found = []
    for difference in differences:
        row: dict[str, Any] = {
            "by": group.by,
            "group": group.name,
            "difference": difference,
            "power": power,
            "alpha": alpha,
            "n_needed": None,
            "n_items": n_items,
            "method": METHOD + "; median spread of the pairs with the reference",
            "reason": "",
        }
        if not pairs:
            row["reason"] = NO_PAIR
        elif not np.isfinite(spread):
            row["reason"] = NO_SPREAD
        else:
            row["n_needed"] = detection.items_needed(
                difference, spread, clusters_per_item=ratio, power=power, alpha=alpha
            ).n_items
        found.append(row)
    return found


def _curve(pairs: list[dict[str, Any]], n_items: int, power: float, alpha: float) -> list[dict[str, Any]]:
    spread, ratio, _ = _spread(pairs)
    if not np.isfinite(spread):
        return []
    grid = np.unique(np.round(np.geomspace(20, max(2 * n_items, 40), CURVE_POINTS)).astype(int))
    rows = []
    for n in grid:
        df = max(n * ratio - 1, 1.0)
        found = detection.detectable(spread / np.sqrt(n), df, power=power, alpha=alpha)
        rows.append(
            {
                "by": "overall",
                "group": "all items",
                "n_items": int(n),
                "power": power,
                "alpha": alpha,
                "detectable": found,
                "method": METHOD + "; median spread of the pairs with the reference",
            }
        )
    return rows


def _equivalence(row: dict[str, Any], margin: float, alpha: float) -> dict[str, Any]:
    mean: ClusteredMean = row["_mean"]
    found = {
        **{name: row[name] for name in ("unit_a", "unit_b", "by", "group", "alpha", "reason")},
        "margin": margin,
        "estimate": mean.estimate if not row["reason"] else np.nan,
        "p_tost": np.nan,
        "power": np.nan,
        "method": TOST_METHOD,
    }
    if mean.std_error > 0:
        found["p_tost"] = detection.tost_p(mean.estimate, mean.std_error, mean.df, margin)
        found["power"] = detection.tost_power(mean.std_error, mean.df, margin, alpha=alpha)
    return found


def _summary(estimates: pd.DataFrame, reference: str) -> dict[str, Any]:
    overall = estimates[estimates["by"] == "overall"]["detectable"].dropna()
    return {
        "unit_b": reference,
        "detectable": float(overall.median()) if len(overall) else None,
        "reason": "" if len(overall) else NO_PAIR,
    }


def _check(power: float, alpha: float, margin: float | None, differences: Sequence[float]) -> None:
    if not 0 < alpha < power < 1:
        raise UsageError(
            "The power must lie between the level and 1.",
            found=f"power {power}, alpha {alpha}",
            do="Use for example power 0.8 and alpha 0.05.",
        )
    wrong = [value for value in [*differences, *([] if margin is None else [margin])] if not 0 < value < 1]
    if wrong:
        raise UsageError(
            "Differences and margins are shares between 0 and 1.",
            found=", ".join(map(str, wrong)),
            do="Write 2 points as 0.02.",
        )
