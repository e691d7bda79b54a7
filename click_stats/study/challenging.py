"""The paper's Figure 2: shares of items that models answer below chance, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from click_stats.counts import INCORRECT
from click_stats.stats import partition
from click_stats.stats.confident_errors.entropy import is_challenging
from click_stats.stats.confident_errors.shared import CHALLENGING, EVERY_TRIAL, HANDLED, NO_TRIAL, events
from click_stats.stats.tools.rows import frame, mean_row
from click_stats.study import paper

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt
    import pandas as pd

    from click_stats.counts import Counts, IntArray

COLUMNS = (
    *("statement", "published_in", "relation", "published", "estimate", "conf_low", "conf_high", "conf_level"),
    *("range_low", "range_high", "published_gap", "inside", "agrees", "n_units", "n_items", "reason"),
)


class Statement(NamedTuple):
    """One statement of Figure 2.

    Attributes
    ----------
    name, fact
        What it says, and its key in ``challenging.csv``; one name may have several facts, where sources differ.
    access, model
        Of which models: those with this access, this one, or all.
    holds
        What holds of an item for all of them; None for the share of items that challenge each of them.
    """

    name: str
    fact: str
    access: str | None = None
    model: str | None = None
    holds: str | None = None


STATEMENTS = (
    Statement("each open model", "open_share", access="open"),
    Statement("GPT-3.5", "gpt35_share", model="gpt-3.5-turbo"),
    Statement("Claude-2", "claude2_share", model="claude-2"),
    Statement("all open models together", "open_shared", access="open", holds=CHALLENGING),
    Statement("both API models together", "api_shared", access="api", holds=CHALLENGING),
    Statement("below chance for all 13 models", "universal_unsolved", holds=CHALLENGING),
    Statement("right in no trial by any of the 13 models", "universal_unsolved", holds=NO_TRIAL),
    Statement("below chance for none of the 13 models", "universal_solved", holds=HANDLED),
    Statement("right in every trial by all 13 models", "universal_solved", holds=EVERY_TRIAL),
    Statement("right in every trial by all 13 models", "universal_solved_none", holds=EVERY_TRIAL),
)
"""The paper's 0.6 % has two readings, and "answered correctly" two more: below chance or not, every trial or none."""


def challenging(counts: Counts, keys: Mapping[str, str], level: float = 0.95) -> pd.DataFrame:
    """Return the paper's statements about challenging items beside the data at hand.

    An item is challenging for a model when ``correct * N < trials`` over the trials that responded, N options. Shares
    are over the items that all models of a statement answered. A statement about models together needs all of them.

    Parameters
    ----------
    counts
        The answers.
    keys
        Unit -> key of the paper's model; of several units of one model the first counts.
    level
        Confidence level of the intervals of the data at hand: items vary, those of one passage together.
    """
    known = paper.models()
    first = {key: unit for unit, key in reversed(list(keys.items()))}
    trials, correct = counts.n("ok", *INCORRECT), counts.correct
    below = is_challenging(correct, trials, counts.items["n_options"].to_numpy(dtype=np.int64), None)
    holds = events(below, correct, trials)
    passages = partition.clusters(counts, np.arange(len(counts.items), dtype=np.int64))
    rows = []
    for one in STATEMENTS:
        wanted = _wanted(one, known)
        units = [first[key] for key in wanted if key in first]
        places = np.flatnonzero(counts.units.index.isin(units))
        stated = paper.challenging(one.fact)
        row: dict[str, Any] = {"statement": one.name, **stated, "n_units": len(units)}
        own = np.where(trials[places] > 0, holds[one.holds or CHALLENGING][places], np.nan)
        if not units:
            row["reason"] = "none of these models is in the data"
        elif one.holds and len(units) < len(wanted):
            row["reason"] = f"only {len(units)} of {len(wanted)} models are in the data"
        elif one.holds:
            row |= _joint(own, stated["published"], passages, level)
        else:
            row |= _each(own, stated["published"], passages, level, alone=len(wanted) == 1)
        rows.append(row)
    return frame(rows, COLUMNS)


def _wanted(statement: Statement, known: pd.DataFrame) -> list[str]:
    if statement.model is not None:
        return [statement.model]
    return list(known.index if statement.access is None else known.index[known["access"] == statement.access])


def _joint(holds: npt.NDArray[np.float64], published: float, passages: IntArray, level: float) -> dict[str, Any]:
    """Return the share of the items, answered by all units, of which it holds for all of them."""
    answered = np.isfinite(holds).all(axis=0)
    if not answered.any():
        return {"reason": "no item was answered by all of them"}
    row = _share(np.where(answered, holds.min(axis=0), np.nan), passages, level)
    known = np.isfinite(row["conf_low"])
    inside = {"inside": bool(row["conf_low"] <= published <= row["conf_high"])} if known else {}
    return {**row, "published_gap": row["estimate"] - published, **inside}


def _each(
    below: npt.NDArray[np.float64], published: float, passages: IntArray, level: float, *, alone: bool
) -> dict[str, Any]:
    """Return the share of one model, or the lowest and highest of several, and whether all exceed the bound stated."""
    found = [_share(row, passages, level) for row in below]
    shares = [row["estimate"] for row in found]
    low, high = float(np.min(shares)), float(np.max(shares))
    known = bool(np.isfinite(low))
    row = found[0] if alone else {"range_low": low, "range_high": high}
    n = int(np.isfinite(below).any(axis=0).sum())
    reason = "" if known else "no item was answered"
    return {**row, "n_items": n, **({"agrees": low > published} if known else {}), "reason": reason}


def _share(values: npt.NDArray[np.float64], passages: IntArray, level: float) -> dict[str, Any]:
    row = mean_row(values, passages, level)
    return {name: row[name] for name in ("estimate", "conf_low", "conf_high", "conf_level", "n_items", "reason")}
