"""Where the models stand under one item table: scores by group, ranks and verdicts over all items."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.families import compared
from click_stats.stats.tools.clustered import item_means

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.settings import PairSettings

GROUPINGS = (partition.OVERALL, partition.MACRO, "domain", "category")
TIE = 1e-12
"""Scores closer than that share a rank."""


class Standing(NamedTuple):
    """Scores, ranks and verdicts under one item table.

    Attributes
    ----------
    scores
        (by, group) to the U scores, each over the unit's own items; NaN without any.
    n_items
        (by, group) to the number of items that each unit's score is over.
    item_scores
        Item by unit; NaN where no trial counts.
    ranks
        (U,) rank by the score on the items that all units share, 1 the best; NaN for a unit left out.
    verdicts
        Index ``unit_a, unit_b``; ``estimate, p_adjusted, verdict`` of all pairs over all items; empty for one unit.
    """

    scores: Mapping[tuple[str, str], FloatArray]
    n_items: Mapping[tuple[str, str], FloatArray]
    item_scores: pd.DataFrame
    ranks: FloatArray
    verdicts: pd.DataFrame


def standing(counts: Counts, settings: PairSettings, known: Standing | None = None) -> Standing:
    """Return where the units of the counts stand.

    ``known``: a standing of the same units; its ranks and verdicts are kept where no item is scored otherwise.
    """
    values, trials = counts.scores(settings.denominator)
    groups = partition.groups(counts, GROUPINGS)
    # The mean over categories keeps its name when a category loses its last item.
    names = [(one.by, partition.MACRO if one.by == partition.MACRO else one.name) for one in groups]
    item_scores = pd.DataFrame(values.T, index=counts.items.index, columns=counts.units.index)
    same = known is not None and item_scores.sort_index().equals(known.item_scores.sort_index())
    ranks, verdicts = (known.ranks, known.verdicts) if known is not None and same else _compared(counts, settings)
    return Standing(
        {name: item_means(values[:, one.items], one.strata) for name, one in zip(names, groups, strict=True)},
        {
            name: (trials[:, one.items] > 0).sum(axis=1).astype(np.float64)
            for name, one in zip(names, groups, strict=True)
        },
        item_scores,
        ranks,
        verdicts,
    )


def _compared(counts: Counts, settings: PairSettings) -> tuple[FloatArray, pd.DataFrame]:
    names = ["unit_a", "unit_b", "estimate", "p_adjusted", "verdict"]
    if len(counts.units) < 2:
        return np.full(len(counts.units), np.nan), pd.DataFrame(columns=names).set_index(names[:2])
    found = compared(counts, partition.OVERALL, settings)
    return _ranks(found.accuracy[0]), found.every.rows[names].set_index(names[:2])


def _ranks(scores: FloatArray) -> FloatArray:
    """Return ranks from 1, the best of the tied; NaN for a missing score."""
    better = (scores[None, :] > scores[:, None] + TIE).sum(axis=1)
    return np.where(np.isnan(scores), np.nan, 1.0 + better)
