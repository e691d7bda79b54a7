"""Where models fall short, and where they are wrong and sure: what to collect data for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.blocks import balanced
from click_stats.stats.confident import wrong_and_sure
from click_stats.stats.partition import clusters, groups
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import check_level, clustered_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.partition import Group

SHORTFALL, BEST, CONFIDENT = "shortfall", "shortfall of the best model", "confident errors"
COLUMNS = (
    *("by", "group", "measure", "unit", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level"),
    *("n_items", "n_clusters", "n_units", "method", "reason"),
)
METHOD = "mean over items of the mean over models, clustered t"
NO_ROTATIONS = "no model answered an item in all rotations equally often: a liked position looks like a liked option"


def shortfall(
    counts: Counts, *, by: str | Sequence[str] = "category", threshold: float = 0.75, level: float = 0.95
) -> Result:
    """Return by group how much of the items models miss, and how often they are wrong and sure.

    An item's shortfall is one less the mean of its scores over the models that answered it, each model with the same
    weight. A model makes a confident error on an item when one wrong option has at least ``threshold`` of its trials;
    only pairs of model and item with every rotation equally often count, since otherwise a model that likes a position
    looks like one that likes an option. Both are averaged over items, with errors between passages. The models are
    these and no sample of others.

    Parameters
    ----------
    counts
        The answers, with responses (``trials.counts(responses=True)``).
    by
        Grouping of items, or several.
    threshold
        Share of the trials of an item, above .5 and at most 1.
    level
        Confidence level.

    Returns
    -------
    Result
        ``estimates``: for each group the shortfall, that of the model with the highest accuracy in it (picked by the
        data, which flatters it), and the share of confident errors among pairs of model and item.

    Raises
    ------
    UsageError
        No responses, or a threshold or level out of range.
    """
    check_level(level)
    if not 0.5 < threshold <= 1:
        raise UsageError("A threshold is a share above .5 and at most 1.", found=str(threshold))
    if counts.responses is None:
        raise UsageError(
            "The shortfall needs single trials.", do="Pass trials, or counts made with trials.counts(responses=True)."
        )
    scores = counts.scores().values  # noqa: PD011 -- a named tuple, no frame
    sure = _confident(counts, threshold)
    rows = [row for group in groups(counts, by) for row in _rows(counts, group, scores, sure, level)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        dict.fromkeys(("n_items", "n_clusters", "n_units"), "Int64")
    )
    reason = "" if np.isfinite(sure).any() else NO_ROTATIONS
    meta: dict[str, Any] = {"method": METHOD, "threshold": threshold, "level": level, "warnings": []}
    return Result("shortfall", {"estimates": frame}, {"n_groups": frame["group"].nunique()}, meta | {
        "warnings": [f"Confident errors are undefined: {reason}."] if reason else []
    })  # fmt: skip


def _rows(counts: Counts, group: Group, scores: FloatArray, sure: FloatArray, level: float) -> list[dict[str, Any]]:
    own = scores[:, group.items]
    n = np.isfinite(own).sum(axis=1)
    # A model that answered under half of a category is left out of contests within it, as elsewhere.
    totals = [float(np.nanmean(row)) if many else -1.0 for row, many in zip(own, 2 * n >= own.shape[1], strict=True)]
    best = int(np.argmax(totals)) if max(totals, default=-1.0) >= 0 else -1
    values = [
        (SHORTFALL, "", 1 - _mean(own), int((n > 0).sum())),
        (CONFIDENT, "", _mean(sure[:, group.items]), int(np.isfinite(sure[:, group.items]).any(axis=1).sum())),
    ]
    if best >= 0:
        values.insert(1, (BEST, str(counts.units.index[best]), 1 - own[best], 1))
    return [
        {"by": group.by, "group": group.name, "measure": measure, "unit": unit, "n_units": n_units}
        | _estimate(counts, group, item_values, level, NO_ROTATIONS if measure == CONFIDENT else "")
        for measure, unit, item_values, n_units in values
    ]


def _estimate(counts: Counts, group: Group, values: FloatArray, level: float, why: str) -> dict[str, Any]:
    mean = cluster_mean(values, clusters(counts, group.items), group.strata)
    found = clustered_t(mean, level)
    reason = (why if why and not mean.n_items else "") or mean.reason or found.reason
    return {
        "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "conf_low": found.low,
        "conf_high": found.high, "conf_level": level, "n_items": mean.n_items, "n_clusters": mean.n_clusters,
        "method": METHOD, "reason": reason,
    }  # fmt: skip


def _mean(values: FloatArray) -> FloatArray:
    """Return for each item the mean over the units that have a value; NaN where none has."""
    known = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: FloatArray = np.where(known, values, 0).sum(axis=0) / known.sum(axis=0)
    return mean


def _confident(counts: Counts, threshold: float) -> FloatArray:
    """Return (units, items) 1 for a confident error, 0 for none, NaN without complete balanced rotations."""
    trials = counts.n("ok", *INCORRECT)
    return np.where(balanced(counts) & (trials > 0), wrong_and_sure(counts, threshold).astype(float), np.nan)
