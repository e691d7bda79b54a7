"""The paper's Figure 3: the entropy of the options that a model chose, on the items that challenge it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import entr

from click_stats.counts import INCORRECT
from click_stats.stats.blocks import balanced
from click_stats.study import paper

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import Counts, FloatArray

COLUMNS = ("unit", "published_in", "measure", "relation", "published", "estimate", "n_items", "reason")
MEASURES = ("median entropy", "mean entropy")
NO_ROTATIONS = "entropy needs every rotation of an item equally often"
NO_ITEM = "no item of this model is below chance"


def entropies(counts: Counts, keys: Mapping[str, str]) -> pd.DataFrame:
    """Return the published entropies beside those at hand, and the latter for all units.

    The paper's uncertainty of an item is ``-sum p log p / log N`` with p the shares of the N original options among the
    trials. Trials that name no option are left out of the shares here; the paper does not say what it did. Its Figure 3
    is about challenging items only: ``correct * N < trials``.

    Parameters
    ----------
    counts
        The answers with responses: without them it is not known which rotations were asked.
    keys
        Unit -> key of the paper's model.
    """
    values = _values(counts)
    trials = counts.n("ok", *INCORRECT)
    below = counts.correct * counts.items["n_options"].to_numpy(dtype=np.int64) < trials
    stated = paper.entropies()
    rows: list[dict[str, Any]] = []
    for place, unit in enumerate(map(str, counts.units.index)):
        own = values[place][below[place] & np.isfinite(values[place])]
        reason = "" if len(own) else NO_ROTATIONS if below[place].any() else NO_ITEM
        for measure, estimate in zip(
            MEASURES, (np.median(own), np.mean(own)) if len(own) else (np.nan,) * 2, strict=True
        ):
            row = {"unit": unit, "measure": measure, "estimate": estimate, "n_items": len(own), "reason": reason}
            published = stated[(stated["model_key"] == keys.get(unit)) & (stated["measure"] == measure)]
            if len(published):
                row |= {str(name): published.iloc[0][name] for name in ("published_in", "relation", "published")}
            rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"n_items": "Int64"})


def _values(counts: Counts) -> FloatArray:
    """Return (units, items) normalised entropies of the options named; NaN without complete rotations or any option."""
    named = counts.options.sum(axis=2)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = counts.options / named[:, :, None]
        values = entr(np.where(np.isfinite(shares), shares, 0)).sum(axis=2) / np.log(
            counts.items["n_options"].to_numpy(dtype=np.float64)
        )
    found: FloatArray = np.where(balanced(counts) & (named > 0), values, np.nan)
    return found
