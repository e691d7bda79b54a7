"""Accuracies by how much position can help: mean, strict, by vote, and without the model's preference."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats.position.preference import adjusted, blocks, preference
from click_stats.stats.position.tables import by_item
from click_stats.stats.tools.intervals import clustered_t
from click_stats.stats.tools.rows import mean_row

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.position.preference import Preference

    Preferences = dict[int, tuple[IntArray, Preference]]

MEAN, STRICT, VOTE, ADJUSTED = (
    "mean accuracy", "strict circular accuracy", "majority-vote accuracy", "bias-adjusted accuracy",
)  # fmt: skip
UNLIMITED = partial(clustered_t, limits=(-np.inf, np.inf))
NO_PAIR = "no answer changed with the order: nothing tells how much positions are preferred"


def accuracies(whole: pd.DataFrame, passages: IntArray, level: float) -> tuple[list[dict[str, Any]], Preferences]:
    """Return the rows of the accuracies of one unit's complete blocks, and its preferences by number of options."""
    correct = whole["correct"].astype(float)
    items = np.unique(whole["item"].to_numpy(dtype=np.int64))
    by_block = whole.assign(correct=correct).groupby(["item", "block"])["correct"].min()
    without, preferences = _without_preference(whole)
    found = {
        MEAN: whole.assign(correct=correct).groupby("item")["correct"].mean(),
        STRICT: by_block.groupby("item").mean(),
        VOTE: votes(whole),
        ADJUSTED: without,
    }
    rows = [
        {
            "measure": measure, "n_trials": len(whole),
            **mean_row(values.reindex(items).to_numpy(dtype=np.float64), passages[items], level),
        }
        for measure, values in found.items()
    ]  # fmt: skip
    return rows, preferences


def _without_preference(whole: pd.DataFrame) -> tuple[pd.Series[float], Preferences]:
    """Return values by item of the bias-adjusted accuracy, and by number of options the items and preferences."""
    parts: list[pd.Series[float]] = []
    preferences: Preferences = {}
    for n, part in whole.groupby("n_options", sort=True):
        places, owner = blocks(part)
        items, item = np.unique(owner, return_inverse=True)
        found = preference(places, item, len(items))
        preferences[int(str(n))] = (items, found)
        parts.append(pd.Series(adjusted(places, item, _gold(part, items), found), index=items))
    return pd.concat(parts), preferences


def votes(whole: pd.DataFrame) -> pd.Series[float]:
    """Return by item whether the most frequent option is right; 1/k with k options at the top, 0 without a vote."""
    items, table = by_item(whole, "prediction", int(whole["n_options"].max()))
    top = (table == table.max(axis=1, keepdims=True)) & (table > 0)
    gold = _gold(whole, items)
    won = np.where(top[np.arange(len(items)), gold], 1.0 / np.maximum(top.sum(axis=1), 1), 0.0)
    return pd.Series(won, index=items)


def _gold(part: pd.DataFrame, items: IntArray) -> IntArray:
    """Return the right original option of these items."""
    first = part.drop_duplicates("item").set_index("item").loc[items]
    gold: IntArray = ((first["gold_position"] + first["rotation"]) % first["n_options"]).to_numpy(dtype=np.int64)
    return gold


def preference_rows(items: IntArray, found: Preference, passages: IntArray, level: float) -> list[dict[str, Any]]:
    """Return the preference of each position with its interval, errors between passages.

    The mean of I times the influences is 0, and its standard error is that of the weight.
    """
    rows = []
    for place, weight in enumerate(found.weights):
        row: dict[str, Any] = {"position": place + 1, "n_pairs": found.n_pairs, "conf_level": level}
        if found.n_pairs:
            row |= _error(found.influence[:, place] * len(items), float(weight), passages[items], level)
        else:
            row |= {"n_items": len(items), "n_clusters": np.unique(passages[items]).size, "reason": NO_PAIR}
        rows.append(row)
    return rows


def _error(influence: FloatArray, weight: float, passages: IntArray, level: float) -> dict[str, Any]:
    found = mean_row(influence + weight, passages, level, interval=UNLIMITED)
    names = {"estimate": "preference", "std_error": "preference_se", "conf_low": "preference_low"}
    names["conf_high"] = "preference_high"
    return {names.get(key, key): value for key, value in found.items() if key not in {"df", "method"}}
