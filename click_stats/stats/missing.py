"""What unanswered trials could change: bounds by kind, and the estimate under each denominator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT, STATUSES, Denominator
from click_stats.stats.tools.clustered import EMPTY_STRATUM, NO_ITEMS, item_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.partition import Group

Weight = Literal["items", "trials"]

KINDS: dict[str, tuple[str, ...]] = {
    "missing": ("missing",),
    "filtered": ("filtered",),
    "failed": ("failed",),
    "all": ("missing", "filtered", "failed"),
}
"""Kinds of unanswered trials, separately and together."""

NOTHING_LEFT = "no trial of these items is left"


def bounds(
    counts: Counts, groups: Sequence[Group], kinds: Sequence[str] = tuple(KINDS), weight: Weight = "items"
) -> pd.DataFrame:
    """Return the estimates if all unanswered trials of a kind were wrong, and if all were right.

    Parameters
    ----------
    counts, groups
        The answers and the groups of items.
    kinds
        Names among :data:`KINDS`; unanswered trials of other kinds are left out.
    weight
        Whether items or trials have equal weight.

    Returns
    -------
    pandas.DataFrame
        ``unit, by, group, missing_kind, bound_low, bound_high, n_items, n_trials, reason``, in the order of
        groups, units, kinds. ``n_trials`` counts the unanswered trials of the kind. Both ends are shares of
        known trials, so that they hold whatever the unanswered ones would have been.
    """
    columns = []
    for kind in kinds:
        low, high = counts.bounds(KINDS[kind])
        trials = counts.n("ok", *INCORRECT) + counts.n(*KINDS[kind])
        columns.append((kind, low, high, trials, counts.n(*KINDS[kind])))
    parts = []
    for group in groups:
        per_kind = []
        for kind, low, high, trials, unanswered in columns:
            weights = weights_of(trials, group, weight)
            found = low[:, group.items]
            per_kind.append(
                pd.DataFrame(
                    {
                        "unit": counts.units.index.astype(object),
                        "by": group.by,
                        "group": group.name,
                        "missing_kind": kind,
                        "bound_low": item_means(found, group.strata, weights),
                        "bound_high": item_means(high[:, group.items], group.strata, weights),
                        "n_items": (~np.isnan(found)).sum(axis=1),
                        "n_trials": unanswered[:, group.items].sum(axis=1),
                        "reason": [why_undefined(row, group, NOTHING_LEFT) for row in found],
                    }
                )
            )
        parts.append(pd.concat(per_kind).sort_index(kind="stable"))
    return pd.concat(parts, ignore_index=True)


def denominators(counts: Counts, groups: Sequence[Group], weight: Weight = "items") -> pd.DataFrame:
    """Return the estimate under each of the three denominators, side by side.

    Returns
    -------
    pandas.DataFrame
        ``unit, by, group, denominator, estimate, n_items, n_trials, reason``.
    """
    scores = {name: counts.scores(name) for name in get_args(Denominator)}
    parts = []
    for group in groups:
        per_name = []
        for name, (values, trials) in scores.items():
            found = values[:, group.items]
            per_name.append(
                pd.DataFrame(
                    {
                        "unit": counts.units.index.astype(object),
                        "by": group.by,
                        "group": group.name,
                        "denominator": name,
                        "estimate": item_means(found, group.strata, weights_of(trials, group, weight)),
                        "n_items": (~np.isnan(found)).sum(axis=1),
                        "n_trials": trials[:, group.items].sum(axis=1),
                        "reason": [why_undefined(row, group, NO_ITEMS) for row in found],
                    }
                )
            )
        parts.append(pd.concat(per_name).sort_index(kind="stable"))
    return pd.concat(parts, ignore_index=True)


def weights_of(trials: IntArray, group: Group, weight: Weight) -> FloatArray | None:
    """Return (U, n) weights of the items of a group: None (equal), or their numbers of trials."""
    return None if weight == "items" else trials[:, group.items].astype(np.float64)


def why_undefined(values: FloatArray, group: Group, nothing: str) -> str:
    """Return why the mean over the items of a group is undefined; empty when it is defined."""
    answered = ~np.isnan(values)
    if not answered.any():
        return nothing
    if group.strata is not None:
        of = int(np.unique(group.strata).size)
        empty = of - int(np.unique(group.strata[answered]).size)
        if empty:
            return EMPTY_STRATUM.format(n=empty, of=of)
    return ""


def statuses(counts: Counts) -> pd.DataFrame:
    """Return per unit how many trials have each status, and how many items were answered.

    Returns
    -------
    pandas.DataFrame
        ``unit``, ``n_ok`` and so on by status, ``n_missing`` (planned, never run), ``n_items``.
    """
    frame = pd.DataFrame({"unit": counts.units.index.astype(object)})
    for status in (*STATUSES, "missing"):
        frame[f"n_{status}"] = counts.n(status).sum(axis=1)
    frame["n_items"] = (counts.scores("responded").trials > 0).sum(axis=1)
    return frame
