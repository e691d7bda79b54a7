"""The paper's Figure 2: shares of items that models answer below chance, alone and together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT
from click_stats.study import paper

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from click_stats.counts import Counts

COLUMNS = (
    *("statement", "published_in", "relation", "published", "estimate", "range_low", "range_high", "published_gap"),
    *("agrees", "n_units", "n_items", "reason"),
)


class Statement(NamedTuple):
    """One statement of Figure 2: of which models, and how their sets of items are joined."""

    fact: str
    access: str | None
    model: str | None
    joined: str


STATEMENTS = {
    "each open model": Statement("open_share", "open", None, "each"),
    "GPT-3.5": Statement("gpt35_share", None, "gpt-3.5-turbo", "each"),
    "Claude-2": Statement("claude2_share", None, "claude-2", "each"),
    "all open models together": Statement("open_shared", "open", None, "all"),
    "both API models together": Statement("api_shared", "api", None, "all"),
    "below chance for all 13 models": Statement("universal_unsolved", None, None, "all"),
    "below chance for none of the 13 models": Statement("universal_solved", None, None, "none"),
}


def challenging(counts: Counts, keys: Mapping[str, str]) -> pd.DataFrame:
    """Return the paper's statements about challenging items beside the data at hand.

    An item is challenging for a model when ``correct * N < trials`` over the trials that responded, N options. Shares
    are over the items that all models of a statement answered. A statement about models together needs all of them.

    Parameters
    ----------
    counts
        The answers.
    keys
        Unit -> key of the paper's model; of several units of one model the first counts.
    """
    known = paper.models()
    first = {key: unit for unit, key in reversed(list(keys.items()))}
    below, answered = _below(counts)
    rows = []
    for name, statement in STATEMENTS.items():
        wanted = _wanted(statement, known)
        units = [first[key] for key in wanted if key in first]
        row = {"statement": name, **paper.challenging(statement.fact), "n_units": len(units)}
        places = counts.units.index.get_indexer(pd.Index(units, dtype=object))
        rows.append(row | _row(statement, row, below[places], answered[places], len(wanted)))
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    return frame.astype({"agrees": "boolean", "n_units": "Int64", "n_items": "Int64"})


def _wanted(statement: Statement, known: pd.DataFrame) -> list[str]:
    if statement.model is not None:
        return [statement.model]
    return list(known.index if statement.access is None else known.index[known["access"] == statement.access])


def _below(counts: Counts) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return (units, items) whether an item is answered below chance, and whether it is answered at all."""
    trials = counts.n("ok", *INCORRECT)
    options = counts.items["n_options"].to_numpy(dtype=np.int64)
    return counts.correct * options < trials, trials > 0


def _row(
    statement: Statement,
    stated: Mapping[str, Any],
    below: npt.NDArray[np.bool_],
    answered: npt.NDArray[np.bool_],
    n_wanted: int,
) -> dict[str, Any]:
    if not len(below):
        return {"reason": "none of these models is in the data"}
    if statement.joined != "each" and len(below) < n_wanted:
        return {"reason": f"only {len(below)} of {n_wanted} models are in the data"}
    if statement.joined == "each":
        with np.errstate(invalid="ignore"):
            shares = (below & answered).sum(axis=1) / answered.sum(axis=1)
        low, high = float(shares.min()), float(shares.max())
        alone = {"estimate": low} if n_wanted == 1 else {"range_low": low, "range_high": high}
        more = bool(low > stated["published"]) if np.isfinite(low) else pd.NA
        n = int(answered.any(axis=0).sum())
        return {**alone, "n_items": n, "agrees": more, "reason": "" if np.isfinite(low) else "no item was answered"}
    shared = answered.all(axis=0)
    if not shared.any():
        return {"reason": "no item was answered by all of them"}
    joined = below.all(axis=0) if statement.joined == "all" else ~below.any(axis=0)
    share = float((joined & shared).sum() / shared.sum())
    return {"estimate": share, "published_gap": share - stated["published"], "n_items": int(shared.sum()), "reason": ""}
