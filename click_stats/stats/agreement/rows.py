"""Rows of the result: agreement of all raters, of two, and on single categories."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from statsmodels.stats.inter_rater import cohens_kappa

from click_stats.stats.agreement.measures import ONE_VALUE, agreement_weights, cohen, fleiss, krippendorff
from click_stats.stats.agreement.resample import spreads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.agreement.measures import Measure, Scale, Weights

ESTIMATES = (
    "by", "group", "rated", "measure", "rating_scale", "estimate", "std_error", "conf_low", "conf_high", "conf_level",
    "agreement_observed", "agreement_expected", "n_raters", "n_items", "n_items_total", "n_ratings", "method", "reason",
)  # fmt: skip
PAIRS = (
    "unit_a", "unit_b", "rated", "measure", "weights", "estimate", "std_error", "se_null", "statistic", "p_value",
    "conf_low", "conf_high", "conf_level", "agreement_observed", "agreement_expected", "n_items", "reason",
)  # fmt: skip
CATEGORIES = ("rated", "rated_category", "measure", "estimate", "std_error", "conf_low", "conf_high", "conf_level",
              "n_ratings", "reason")  # fmt: skip
METHOD = "cluster bootstrap, percentile"


@dataclass(frozen=True)
class Ratings:
    """What raters said of items.

    Attributes
    ----------
    rated
        What was rated, e.g. ``option chosen``.
    codes
        (I, R) codes 0..k-1, -1 where missing.
    raters
        Names of the R raters.
    categories
        Names of the k codes.
    values
        (k,) the numbers that they stand for.
    scale
        How far apart categories are, for Krippendorff's alpha.
    weights
        Credit for ratings that differ, for Cohen's kappa.
    """

    rated: str
    codes: IntArray
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    values: FloatArray
    scale: Scale = "nominal"
    weights: Weights = "none"


@dataclass(frozen=True)
class Draws:
    """How intervals are drawn."""

    level: float
    draws: int
    seed: int


def all_raters(ratings: Ratings, clusters: IntArray, how: Draws, *, by: str, group: str) -> list[dict[str, Any]]:
    """Return rows of Krippendorff's alpha and Fleiss' kappa of all raters."""
    measures = [
        krippendorff(ratings.codes, ratings.values, ratings.scale),
        fleiss(ratings.codes, len(ratings.categories)),
    ]
    scales = (ratings.scale, "nominal")
    lead = {"by": by, "group": group, "rated": ratings.rated}
    tail = {"n_raters": len(ratings.raters), "n_items_total": len(ratings.codes), "method": METHOD}
    return [
        {**lead, "rating_scale": scale, **row, "n_ratings": measure.n_ratings, **tail}
        for measure, scale, row in zip(measures, scales, _estimated(measures, clusters, how), strict=True)
    ]


def pairs(ratings: Ratings, clusters: IntArray, how: Draws) -> list[dict[str, Any]]:
    """Return rows of Cohen's kappa of every two raters, tested against 0 (Fleiss, Cohen and Everitt 1969)."""
    k = len(ratings.categories)
    both = list(itertools.combinations(range(len(ratings.raters)), 2))
    measures = [cohen(ratings.codes, a, b, k, ratings.weights) for a, b in both]
    rows = []
    for (a, b), measure, row in zip(both, measures, _estimated(measures, clusters, how), strict=True):
        tested = _tested(measure, k, ratings.weights) if row["estimate"] is not None else {}
        names = {"unit_a": ratings.raters[a], "unit_b": ratings.raters[b]}
        rows.append({**names, "rated": ratings.rated, "weights": ratings.weights, **row, **tested})
    return rows


def by_category(ratings: Ratings, clusters: IntArray, how: Draws) -> list[dict[str, Any]]:
    """Return rows of Fleiss' kappa of each category against the others; none for two, of which each is the other."""
    if len(ratings.categories) < 3:
        return []
    measures = [fleiss(ratings.codes, len(ratings.categories), code) for code in range(len(ratings.categories))]
    return [
        {"rated": ratings.rated, "rated_category": name, **row, "n_ratings": int((ratings.codes == code).sum())}
        for code, (name, row) in enumerate(
            zip(ratings.categories, _estimated(measures, clusters, how), strict=True)
        )
    ]  # fmt: skip


def _estimated(measures: Sequence[Measure], clusters: IntArray, how: Draws) -> list[dict[str, Any]]:
    drawn = spreads(measures, clusters, level=how.level, draws=how.draws, seed=how.seed)
    rows = []
    for measure, spread in zip(measures, drawn, strict=True):
        row: dict[str, Any] = {"measure": measure.name, "n_items": len(measure.items), "conf_level": how.level}
        if not len(measure.items):
            rows.append(row | _undefined(measure.missing))
            continue
        total = measure.sums.sum(axis=0)
        observed, expected = map(float, measure.parts(total))
        estimate = float(measure.value(total))
        shown = (observed, expected) if measure.agreement else (1 - observed, 1 - expected)
        row |= {"agreement_observed": shown[0], "agreement_expected": shown[1]}
        if np.isnan(estimate):
            rows.append(row | _undefined(ONE_VALUE))
            continue
        ends = {"std_error": spread.std_error, "conf_low": spread.low, "conf_high": spread.high}
        rows.append(row | {"estimate": estimate, **ends, "reason": spread.reason})
    return rows


def _undefined(reason: str) -> dict[str, Any]:
    return {"estimate": None, "std_error": None, "conf_low": None, "conf_high": None, "reason": reason}


def _tested(measure: Measure, k: int, weights: Weights) -> dict[str, Any]:
    """Return the large-sample standard error of kappa 0 and the test of it; items count as independent here."""
    table = measure.sums.sum(axis=0).reshape(k, k)
    used = (table.sum(axis=0) + table.sum(axis=1)) > 0
    credit = agreement_weights(k, weights)[np.ix_(used, used)]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = cohens_kappa(table[np.ix_(used, used)], weights=None if weights == "none" else 1 - credit)
    if not found.std_kappa0 > 0:
        return {}
    return {
        "se_null": float(found.std_kappa0),
        "statistic": float(found.z_value),
        "p_value": float(found.pvalue_two_sided),
    }
