"""From trials to responses: the trials that responded, one row each, by one query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT, right_options
from click_stats.responses import RESPONSE_COLUMNS, Responses
from click_stats.trials.mapping import TRIAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from click_stats.trials.database import Database

RESPONDED = ("ok", *INCORRECT)
"""Statuses of trials in which the model spoke."""


def fetch(database: Database, items: pd.DataFrame, places: npt.NDArray[np.int64], *, scores: bool = False) -> Responses:
    """Fetch the trials that responded, sorted by key.

    Parameters
    ----------
    items
        The items of the counts; which options are right, and how many there are, is read.
    places
        Row in ``items`` of each item number of the trial table, -1 where the item is not among them.
    scores
        Whether to fetch the log-probabilities too.
    """
    statuses = ", ".join(f"'{status}'" for status in RESPONDED)
    database.store("place_t", pd.DataFrame({"ix": np.arange(len(places)), "item": places}))
    wide = int(items["n_options"].max()) if len(items) else 0
    right = right_options(items, wide)
    score = "".join(f", scores[{k + 1}] AS score_{k}" for k in range(wide)) if scores else ""
    found = database.connection.execute(
        f"""
        SELECT unit::BIGINT AS unit, item::BIGINT AS item, wording, rotation::BIGINT AS rotation,
               replicate::BIGINT AS replicate, CASE WHEN status = 'ok' THEN prediction END AS prediction{score}
        FROM {TRIAL} JOIN place_t USING (ix) WHERE item >= 0 AND status IN ({statuses})
        ORDER BY unit, item, wording, rotation, replicate
        """
    ).fetchnumpy()
    whole = {name: np.asarray(found[name], dtype=np.int64) for name in ("unit", "item", "rotation", "replicate")}
    prediction = np.ma.filled(np.ma.asarray(found["prediction"]).astype(np.int64), -1)
    n_options = items["n_options"].to_numpy(dtype=np.int64)[whole["item"]]
    gold = items["gold"].to_numpy(dtype=np.int64)[whole["item"]]
    shift = whole["rotation"]
    code, wordings = pd.factorize(np.asarray(found["wording"], dtype=object))  # one text object per wording
    frame = pd.DataFrame(
        whole
        | {
            "wording": wordings[code],
            "prediction": prediction,
            "position": np.where(prediction < 0, -1, (prediction - shift) % n_options),
            "gold_position": (gold - shift) % n_options,
            "correct": (prediction >= 0) & right[whole["item"], np.maximum(prediction, 0)],
        },
        columns=list(RESPONSE_COLUMNS),
    )
    return Responses(frame, _scores(found, wide) if scores else None)


def _scores(found: Mapping[str, Any], wide: int) -> npt.NDArray[np.float64] | None:
    """Return the log-probabilities by original option, None where no trial has any."""
    columns = [np.ma.filled(np.ma.asarray(found[f"score_{k}"], dtype=np.float64), np.nan) for k in range(wide)]
    scores = np.column_stack(columns) if columns else np.empty((0, 0))
    return scores if np.isfinite(scores).any() else None
