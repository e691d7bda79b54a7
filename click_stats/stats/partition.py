"""Which items belong together and which vary together: decided here once, for estimates and errors alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, IntArray

CROSSING = " x "
OVERALL, MACRO = "overall", "macro"


@dataclass(frozen=True)
class Group:
    """Items that share an estimate.

    Attributes
    ----------
    by, name
        The grouping and its value, e.g. ``category`` and ``History``.
    items
        Positions of the items in the counts, increasing.
    strata
        For ``macro``: a category code for each of ``items``; the estimate is the mean over the categories of
        their means. None elsewhere: the plain mean over items.
    """

    by: str
    name: str
    items: IntArray
    strata: IntArray | None = None


def groups(counts: Counts, by: str | Sequence[str]) -> list[Group]:
    """Return the groups of one or several groupings, in report order.

    Parameters
    ----------
    by
        ``overall`` (all items), ``macro`` (mean over categories), ``domain``, ``category``, any item column, or a
        crossing such as ``category x source``; or several of these.

    Raises
    ------
    UsageError
        A grouping that is neither of these nor a column of the items.
    """
    found: list[Group] = []
    for one in [by] if isinstance(by, str) else by:
        found.extend(_groups(counts, one))
    return found


def _groups(counts: Counts, by: str) -> list[Group]:
    everything = np.arange(len(counts.items), dtype=np.int64)
    if by == OVERALL:
        return [Group(by, "all items", everything)]
    if by == MACRO:
        codes, names = pd.factorize(counts.items["category"])
        return [Group(by, f"mean of {len(names)} categories", everything, codes.astype(np.int64))]
    columns = by.split(CROSSING)
    unknown = [name for name in columns if name not in counts.items.columns]
    if unknown:
        raise UsageError(
            f"Items cannot be grouped by {by!r}: there is no item column {unknown[0]!r}.",
            found=", ".join(map(str, counts.items.columns)),
            do=f"Use {OVERALL}, {MACRO}, one of these columns, or two of them joined by {CROSSING!r}.",
        )
    keys = pd.DataFrame({name: _ordered(counts, name) for name in columns})
    grouped = keys.groupby(columns, observed=True, sort=True).indices  # in the order of the categories
    return [
        Group(by, CROSSING.join(map(str, key if isinstance(key, tuple) else (key,))), np.sort(positions))
        for key, positions in grouped.items()
    ]


def _ordered(counts: Counts, name: str) -> pd.Categorical:
    values = counts.items[name]
    order = {"category": counts.categories, "domain": counts.domains}.get(name) or sorted(values.dropna().unique())
    return pd.Categorical(values, categories=list(order), ordered=True)


def clusters(counts: Counts, items: IntArray) -> IntArray:
    """Return cluster codes 0..G-1 of these items: items that share a passage vary together."""
    codes, _ = pd.factorize(counts.items["cluster"].to_numpy()[items])
    return codes.astype(np.int64)
