"""Where models fall short, and where they are wrong and sure: what to collect data for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.confident import confident
from click_stats.stats.partition import clusters, groups
from click_stats.stats.tools.clustered import unit_means
from click_stats.stats.tools.intervals import check_level, clustered_t
from click_stats.stats.tools.rows import frame, mean_row

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
NO_BEST = "no model answered at least half of these items"
NO_ROTATIONS = "no model answered an item in all rotations equally often: a liked position looks like a liked option"


def shortfall(
    counts: Counts, *, by: str | Sequence[str] = "category", share: float = 0.75, level: float = 0.95
) -> Result:
    """Return by group how much of the items models miss, and how often they are wrong and sure.

    An item's shortfall is one less the mean of its scores over the models that answered it, each model with the same
    weight. A model makes a confident error on an item when one wrong option has at least ``share`` of its trials;
    only pairs of model and item with every rotation equally often count, since otherwise a model that likes a position
    looks like one that likes an option. Both are averaged over items, with errors between passages. The models are
    these and no sample of others.

    Parameters
    ----------
    counts
        The answers, with responses (``trials.counts(responses=True)``).
    by
        Grouping of items, or several.
    share
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
        No responses, or a share or level out of range.
    """
    check_level(level)
    if not 0.5 < share <= 1:
        raise UsageError("A share of the trials lies above .5 and is at most 1.", found=str(share))
    if counts.responses is None:
        raise UsageError(
            "The shortfall needs single trials.", do="Pass trials, or counts made with trials.counts(responses=True)."
        )
    scores = counts.scores().values
    sure = confident(counts, share)
    rows = [row for group in groups(counts, by) for row in _rows(counts, group, scores, sure, level)]
    estimates = frame(rows, COLUMNS)
    reason = "" if np.isfinite(sure).any() else NO_ROTATIONS
    meta: dict[str, Any] = {"method": METHOD, "share": share, "level": level, "warnings": []}
    return Result("shortfall", {"estimates": estimates}, {"n_groups": estimates["group"].nunique()}, meta | {
        "warnings": [f"Confident errors are undefined: {reason}."] if reason else []
    })  # fmt: skip


def _rows(counts: Counts, group: Group, scores: FloatArray, sure: FloatArray, level: float) -> list[dict[str, Any]]:
    own = scores[:, group.items]
    n = np.isfinite(own).sum(axis=1)
    # A model that answered under half of a category is left out of contests within it, as elsewhere.
    totals = [float(np.nanmean(row)) if many else -1.0 for row, many in zip(own, 2 * n >= own.shape[1], strict=True)]
    best = int(np.argmax(totals)) if max(totals, default=-1.0) >= 0 else -1
    leader = (str(counts.units.index[best]), 1 - own[best], 1) if best >= 0 else ("", np.full(own.shape[1], np.nan), 0)
    values = [
        (SHORTFALL, "", 1 - unit_means(own), int((n > 0).sum()), ""),
        (BEST, *leader, NO_BEST),
        (
            CONFIDENT, "", unit_means(sure[:, group.items]),
            int(np.isfinite(sure[:, group.items]).any(axis=1).sum()), NO_ROTATIONS,
        ),
    ]  # fmt: skip
    return [
        {"by": group.by, "group": group.name, "measure": measure, "unit": unit, "n_units": n_units}
        | _estimate(counts, group, item_values, level, why)
        for measure, unit, item_values, n_units, why in values
    ]


def _estimate(counts: Counts, group: Group, values: FloatArray, level: float, why: str) -> dict[str, Any]:
    row = mean_row(values, clusters(counts, group.items), level, interval=clustered_t, strata=group.strata)
    row["method"] = METHOD
    if why and not row["n_items"]:
        row["reason"] = why
    return row
