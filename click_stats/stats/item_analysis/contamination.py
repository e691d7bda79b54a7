"""Hints that items were seen before: scores without the question, and items older than the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_t, clustered_wilson
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import Answers

HINTS = (
    "unit", "signal", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "chance", "n_items",
    "n_clusters", "method", "reason",
)  # fmt: skip
WITHOUT, BEFORE = "accuracy without the question", "older items less newer items, beside other models"
DATE = "exam_date"
NO_DATES = "the item table has no column exam_date (year, month or day of the exam)"
NO_RELEASE = "no model has a release date: give a table of models"
LEAST = 10
ONE_SIDE = "fewer than 10 items older, or newer, than the model"


def hints(
    counts: Counts, answers: Answers, controls: Sequence[str], level: float
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the hints that these data allow, and why the others are not computable (by signal; empty: computable).

    Notes
    -----
    Without the question: accuracy of a control run against chance, clustered Wilson. A model may do better than chance
    there without having seen the items: options give themselves away.
    Dates: the unit's item scores less the mean of the other units on the same item; the mean of these over items that
    were public when the model was released less that over later ones, an error between passages. Exams change over the
    years: a difference is a hint, no proof.
    """
    rows = [_control(counts, unit, level) for unit in controls]
    missing = {WITHOUT: "" if rows else "no run without the question", BEFORE: ""}
    released = answers.units["release_date"] if "release_date" in answers.units else pd.Series(dtype=object)
    if DATE not in answers.items:
        missing[BEFORE] = NO_DATES
    elif not released.map(lambda value: isinstance(value, str) and bool(value)).any():
        missing[BEFORE] = NO_RELEASE
    else:
        rows += _by_date(answers, released, partition.clusters(counts, np.arange(len(counts.items))), level)
    return frame(rows, HINTS), missing


def _control(counts: Counts, unit: str, level: float) -> dict[str, Any]:
    own = counts.select([unit])
    scores = own.scores()[0][0]
    asked = ~np.isnan(scores)
    mean = cluster_mean(scores, partition.clusters(own, np.arange(len(own.items))))
    interval = clustered_wilson(mean, level)
    n_options = own.items["n_options"].to_numpy(dtype=np.float64)[asked]
    return {
        "unit": unit, "signal": WITHOUT, "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df,
        "conf_low": interval.low, "conf_high": interval.high, "conf_level": level,
        "chance": float((1 / n_options).mean()) if n_options.size else np.nan, "n_items": mean.n_items,
        "n_clusters": mean.n_clusters, "method": interval.method, "reason": mean.reason or interval.reason,
    }  # fmt: skip


def _by_date(answers: Answers, released: pd.Series[Any], clusters: IntArray, level: float) -> list[dict[str, Any]]:
    dates = np.asarray([str(value) if isinstance(value, str) else "" for value in answers.items[DATE]], dtype=object)
    there = answers.there
    total = np.nansum(answers.scores, axis=0)
    rows = []
    for place, (unit, release) in enumerate(released.items()):
        if not isinstance(release, str) or not release:
            continue
        others = there.sum(axis=0) - there[place]
        beside = (total - np.nan_to_num(answers.scores[place])) / np.maximum(others, 1)
        usable = there[place] & (others > 0) & (dates != "")
        # ISO dates of one precision compare as texts; a coarser one is known to its year only.
        precision = [min(len(date), len(release)) for date in dates]
        older = np.array([date[:n] < release[:n] for date, n in zip(dates, precision, strict=True)], dtype=bool)
        newer = np.array([date[:n] > release[:n] for date, n in zip(dates, precision, strict=True)], dtype=bool)
        rows.append(
            _difference(str(unit), answers.scores[place] - beside, usable & older, usable & newer, clusters, level)
        )
    return rows


def _difference(
    unit: str, values: FloatArray, older: np.ndarray, newer: np.ndarray, clusters: IntArray, level: float
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "unit": unit, "signal": BEFORE, "conf_level": level, "n_items": int(older.sum() + newer.sum()), "n_clusters": 0,
        "method": "", "reason": "",
    }  # fmt: skip
    if min(older.sum(), newer.sum()) < LEAST:
        return row | {"reason": ONE_SIDE}
    # The difference of two means as one mean: each item's share of it, times the number of items.
    both = older | newer
    n = both.sum()
    signed = np.where(older, n / older.sum(), -n / newer.sum())
    centred = np.where(older, values - values[older].mean(), values - values[newer].mean())
    spread = cluster_mean((signed * centred)[both], np.unique(clusters[both], return_inverse=True)[1])
    mean = spread._replace(estimate=float(values[older].mean() - values[newer].mean()))
    interval = clustered_t(mean, level)
    return row | {
        "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "conf_low": interval.low,
        "conf_high": interval.high, "n_clusters": mean.n_clusters, "method": interval.method, "reason": mean.reason,
    }  # fmt: skip
