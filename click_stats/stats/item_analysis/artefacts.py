"""Items that are right for another reason than the question: by the position of the key, or without the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import BoolArray

NO_RESPONSES = "the single trials are not at hand: positions are not known"
ONE_POSITION = "every item was asked with its key at one position only: run a protocol with rotations"
NO_CONTROL = "no run without the question: ask the models under the protocols choices-only and question-only"
LEAST_RIGHT = 4
"""Right trials below which an item is not said to be right at one position only: few trials coincide by chance."""
LEAST_UNITS = 2
POSITIONS = ("item", "position", "n_trials", "n_right", "n_units")
CONTROLS = ("item", "control_protocol", "n_units", "n_trials", "estimate", "chance", "solved")


class Artefact(NamedTuple):
    """Items with an artefact (I,), the table behind them, and why there is none."""

    items: BoolArray
    table: pd.DataFrame
    reason: str = ""


def by_position(counts: Counts) -> Artefact:
    """Find items that are right at one displayed position of the key only.

    An item is marked when all its right trials, at least four by at least two units, have the key at one position,
    though the key was shown at others to each of these units. Table: trials and right trials by position of the key.
    """
    n_items = len(counts.items)
    none = Artefact(np.zeros(n_items, dtype=bool), frame([], POSITIONS))
    if counts.responses is None or not len(counts.responses):
        return none._replace(reason=NO_RESPONSES)
    trials = counts.responses.frame
    grouped = trials.groupby(["item", "gold_position"], sort=True)
    rows = grouped.agg(
        n_trials=("correct", "size"), n_right=("correct", "sum"), n_units=("unit", "nunique")
    ).reset_index()
    if rows["item"].is_unique:
        return none._replace(reason=ONE_POSITION)
    spread = trials.groupby(["unit", "item"])["gold_position"].transform("nunique") > 1
    right = trials[trials["correct"] & spread]
    per_item = right.groupby("item").agg(
        places=("gold_position", "nunique"), n=("correct", "size"), units=("unit", "nunique")
    )
    marked = per_item[(per_item["places"] == 1) & (per_item["n"] >= LEAST_RIGHT) & (per_item["units"] >= LEAST_UNITS)]
    items = np.zeros(n_items, dtype=bool)
    items[marked.index.to_numpy(dtype=np.int64)] = True
    table = rows.assign(
        item=counts.items.index.to_numpy(dtype=object)[rows["item"].to_numpy(dtype=np.int64)],
        position=rows["gold_position"] + 1,
    )
    return Artefact(items, table[list(POSITIONS)])


def without_question(counts: Counts, controls: Sequence[str]) -> Artefact:
    """Find items that models answer without the question.

    Parameters
    ----------
    counts
        All counts.
    controls
        Units that were asked under a control protocol.

    An item is marked when every control unit that was asked names the key in more than half of its trials, with at
    least two such units or at least as many trials as options. Each control protocol is judged by itself.
    """
    items = np.zeros(len(counts.items), dtype=bool)
    if not controls:
        return Artefact(items, frame([], CONTROLS), NO_CONTROL)
    rows = []
    conditions = counts.units["condition"].loc[list(controls)].map(_control)
    for control, units in conditions.groupby(conditions, sort=True).groups.items():
        found = counts.select(list(map(str, units))).scores()
        asked = found.trials > 0
        n_units, n_trials = asked.sum(axis=0), found.trials.sum(axis=0)
        n_options = counts.items["n_options"].to_numpy(dtype=np.int64)
        enough = (n_units >= LEAST_UNITS) | (n_trials >= n_options)
        solved = (n_units > 0) & enough & (np.where(asked, found.values, 1.0) > 0.5).all(axis=0)
        items |= solved
        rows.append(_rows(counts, str(control), asked, found.values, n_trials, solved))
    return Artefact(items, pd.concat(rows, ignore_index=True)[list(CONTROLS)])


def _control(condition: object) -> str:
    return "choices-only" if "choices-only" in str(condition).split(", ") else "question-only"


def _rows(
    counts: Counts, control: str, asked: BoolArray, values: FloatArray, n_trials: IntArray, solved: BoolArray
) -> pd.DataFrame:
    n_units = asked.sum(axis=0)
    mean = np.where(asked, values, 0.0).sum(axis=0) / np.maximum(n_units, 1)
    there = n_units > 0
    return pd.DataFrame(
        {
            "item": counts.items.index.to_numpy(dtype=object)[there],
            "control_protocol": control,
            "n_units": n_units[there],
            "n_trials": n_trials[there],
            "estimate": mean[there],
            "chance": 1 / counts.items["n_options"].to_numpy(dtype=np.float64)[there],
            "solved": solved[there],
        }
    )
