"""Are items that are hard for people hard for models: a correlation, and items on which they part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.tools.intervals import wilson
from click_stats.stats.tools.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.people.scores import Scores

FEWEST_ITEMS = 10
"""A correlation over fewer items says nothing."""
CONSTANT = "people or models do alike on every item: a correlation is not defined"
TOO_FEW = "fewer than {n} items that both answered"
RARE = "in over 1 % of the resamples people or models do alike on every item"
SEPARATED, NOT_SEPARATED = "separated", "not separated"
EASIER, HARDER = "easier for people", "harder for people"


class Correlation(NamedTuple):
    """A correlation and its interval; NaN where it is undefined, with the reason."""

    value: float
    low: float
    high: float
    n_items: int
    n_clusters: int
    reason: str = ""


def correlation(
    x: FloatArray, y: FloatArray, clusters: IntArray, *, level: float, draws: int, seed: int
) -> Correlation:
    """Return Pearson's correlation of two shares over items, with percentiles over resampled clusters of items.

    Parameters
    ----------
    x, y
        (n,) shares by item; items where one is NaN are left out.
    clusters
        (n,) codes of the passages.
    level, draws, seed
        Of the interval.

    Notes
    -----
    Few people and few models make both shares noisy, which draws the correlation towards 0: it is a correlation of what
    was observed, and not of difficulties.
    """
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    _, codes = np.unique(clusters[both], return_inverse=True)
    n, n_clusters = len(x), int(codes.max(initial=-1)) + 1
    nothing = (np.nan, np.nan, np.nan, n, n_clusters)
    if n < FEWEST_ITEMS:
        return Correlation(*nothing, TOO_FEW.format(n=FEWEST_ITEMS))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(*nothing, CONSTANT)
    parts = np.stack([np.ones(n), x, y, x * x, y * y, x * y], axis=1)
    sums = np.zeros((n_clusters, 6))
    np.add.at(sums, codes, parts)
    rng = np.random.default_rng(seed)
    times = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=draws)
    drawn = _pearson(times @ sums)
    defined = drawn[~np.isnan(drawn)]
    value = float(_pearson(sums.sum(axis=0)))
    if len(defined) < 0.99 * draws:
        return Correlation(value, np.nan, np.nan, n, n_clusters, RARE)
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return Correlation(value, float(low), float(high), n, n_clusters)


def _pearson(sums: FloatArray) -> FloatArray:
    """Return correlations from sums of 1, x, y, x², y², xy; NaN where one of the two does not vary."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread = np.maximum(n * xx - x * x, 0) * np.maximum(n * yy - y * y, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(spread > 1e-9 * (n * n) ** 2, (n * xy - x * y) / np.sqrt(spread), np.nan)
    return np.clip(found, -1, 1)


def item_rows(found: Scores, level: float) -> list[dict[str, Any]]:
    """Return a row per item: shares of people and models that are right, their difference, and whether they part.

    Notes
    -----
    A unit, person or model, is one observation: right where more than half of its trials are. The interval of the
    difference is Newcombe's (1998, method 10: from the Wilson limits of both shares); the p-value Fisher's exact,
    corrected over the items (Benjamini and Hochberg 1995). Models resemble each other, so that they count for less than
    their number.
    """
    people, models = found.people.right, found.models.right
    rows = []
    for place, item in enumerate(map(str, found.items.index)):
        a, n_a = int((people[:, place] == 1).sum()), int((people[:, place] >= 0).sum())
        b, n_b = int((models[:, place] == 1).sum()), int((models[:, place] >= 0).sum())
        row: dict[str, Any] = {
            "item": item, "category": str(found.items["category"].iloc[place]), "n_people": n_a, "n_models": n_b,
            "share_people": a / n_a if n_a else np.nan, "share_models": b / n_b if n_b else np.nan, "conf_level": level,
        }  # fmt: skip
        if not (n_a and n_b):
            rows.append({**row, "reason": "no person has a score" if not n_a else "no model has a score"})
            continue
        first, second = wilson(a / n_a, n_a, level), wilson(b / n_b, n_b, level)
        gap = a / n_a - b / n_b
        below = np.hypot(a / n_a - first.low, second.high - b / n_b)
        above = np.hypot(first.high - a / n_a, b / n_b - second.low)
        p = float(stats.fisher_exact(np.array([[a, n_a - a], [b, n_b - b]])).pvalue)
        rows.append(
            {
                **row,
                "gap_people": gap,
                "conf_low": max(-1.0, gap - below),
                "conf_high": min(1.0, gap + above),
                "p_value": p,
            }
        )
    adjusted = benjamini_hochberg([row.get("p_value", np.nan) for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        if "p_value" in row:
            apart = p <= 1 - level
            side = EASIER if row["gap_people"] > 0 else HARDER
            row |= {
                "p_adjusted": float(p),
                "verdict": SEPARATED if apart else NOT_SEPARATED,
                "side": side if apart else "",
            }
    return rows
