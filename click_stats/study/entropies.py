"""The paper's Figure 3: the entropy of the options that a model chose, on the items that challenge it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.confident_errors.measures import CONTENT, measure
from click_stats.stats.confident_errors.spread import summary
from click_stats.stats.tools.rows import frame
from click_stats.study import paper

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from click_stats.counts import Counts

COLUMNS = (
    *("unit", "published_in", "measure", "relation", "published", "estimate", "conf_low", "conf_high", "conf_level"),
    *("published_gap", "inside", "n_items", "reason"),
)
DIRECTIONS = ("statement", "model_set", "published_in", "estimate", "agrees", "n_units", "members", "reason")
FALLS = "median entropy falls with size"
MEASURES = {
    "median entropy": ("median", "median_low", "median_high"),
    "mean entropy": ("estimate", "conf_low", "conf_high"),
}
NO_ROTATIONS = "entropy needs every rotation of an item equally often"
NO_ITEM = "no item of this model is below chance"
ONE_SIZE = "fewer than two of these models with a known size and an entropy"
NO_INTERVAL = "too few items for an interval"


def entropies(counts: Counts, keys: Mapping[str, str], level: float = 0.95) -> pd.DataFrame:
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
    level
        Confidence level of the intervals of the data at hand.
    """
    found = measure(counts)
    stated = paper.entropies()
    rows: list[dict[str, Any]] = []
    for place, unit in enumerate(map(str, counts.units.index)):
        below = found.below[place]
        here = summary(np.where(below, found.entropies[CONTENT][place], np.nan), found.passages, level)
        for name, parts in MEASURES.items():
            estimate, low, high = (here[part] for part in parts)
            row = {
                "unit": unit, "measure": name, "estimate": estimate, "conf_low": low, "conf_high": high,
                "conf_level": level, "n_items": here["n_items"],
            }  # fmt: skip
            if not here["n_items"]:
                row["reason"] = NO_ROTATIONS if below.any() else NO_ITEM
            elif not np.isfinite(low):
                row["reason"] = NO_INTERVAL
            published = stated[(stated["model_key"] == keys.get(unit)) & (stated["measure"] == name)]
            if len(published):
                row |= {str(part): published.iloc[0][part] for part in ("published_in", "relation", "published")}
                row["published_gap"] = estimate - row["published"]
                if np.isfinite(low):
                    row["inside"] = bool(low <= row["published"] <= high)
            rows.append(row)
    return frame(rows, COLUMNS)


def directions(found: pd.DataFrame, keys: Mapping[str, str]) -> pd.DataFrame:
    """Return whether the medians of a family fall with size, as the paper says of some without numbers.

    Parameters
    ----------
    found
        What :func:`entropies` returned.
    keys
        Unit -> key of the paper's model.

    Returns
    -------
    DataFrame
        ``estimate``: of the pairs of models of different size, the share in which the larger has the lower median.
        ``agrees``: whether that is all of them. Which models of a family the paper means is not always said: all count.
    """
    known = paper.models()
    own = found[(found["measure"] == "median entropy") & found["unit"].isin(list(keys)) & found["estimate"].notna()]
    facts = known.loc[[keys[unit] for unit in own["unit"]]]
    own = own.assign(family=facts["family"].to_numpy(), size=facts["parameters_billion"].to_numpy(dtype=float))
    rows = []
    for fact in paper.directions().to_dict("records"):
        part = own[(own["family"] == fact["family"]) & own["size"].notna()].sort_values("size", kind="stable")
        size, median = part["size"].to_numpy(), part["estimate"].to_numpy()
        larger = size[None, :] > size[:, None]
        row: dict[str, Any] = {
            "statement": FALLS, "model_set": fact["family"], "published_in": fact["published_in"],
            "n_units": len(part), "members": ", ".join(part["unit"]),
        }  # fmt: skip
        if larger.any():
            falls = median[None, :] < median[:, None]
            row |= {"estimate": float(falls[larger].mean()), "agrees": bool(falls[larger].all())}
        else:
            row["reason"] = ONE_SIZE
        rows.append(row)
    return frame(rows, DIRECTIONS)
