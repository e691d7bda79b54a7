"""Rows of result tables: a mean over items with its interval, and frames with the types of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats import glossary
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.tools.clustered import ClusteredMean
    from click_stats.stats.tools.intervals import Interval

PANDAS: dict[str, Any] = {"integer": "Int64", "boolean": "boolean"}


def mean_row(
    values: FloatArray,
    clusters: IntArray,
    level: float,
    *,
    interval: Callable[[ClusteredMean, float], Interval] = clustered_wilson,
    strata: IntArray | None = None,
    weights: FloatArray | None = None,
) -> dict[str, Any]:
    """Return the columns of :func:`cluster_mean` of these item values and of its interval; parameters as there."""
    mean = cluster_mean(values, clusters, strata, weights)
    found = interval(mean, level)
    return {
        "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "conf_low": found.low,
        "conf_high": found.high, "conf_level": level, "n_items": mean.n_items, "n_clusters": mean.n_clusters,
        "method": found.method, "reason": mean.reason or found.reason,
    }  # fmt: skip


def frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    """Return rows as a frame with these columns of the glossary: whole numbers and truth values may be missing.

    Texts that are not stated are empty.
    """
    made = pd.DataFrame(rows, columns=list(columns))
    for name in columns:
        kind = glossary.columns()[name].type
        if kind in PANDAS:
            made[name] = pd.array(made[name].tolist(), dtype=PANDAS[kind])
        elif kind == "text":
            made[name] = made[name].astype(object).fillna("")
    return made
