"""Trials that errata leave out of the scores: how many of each file, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from click_stats.trials.mapping import TRIAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable
    from click_stats.trials.database import Database

ITEM_DROPPED = "item dropped by errata"
OLD_TEXT = "answer to a text that errata replaced"
REASONS = (ITEM_DROPPED, OLD_TEXT)


class Unscored(NamedTuple):
    """What becomes of the trials under an item table.

    Attributes
    ----------
    kept
        (file, number of the unit) to trials that are scored.
    dropped
        Rows of the account: file, reason, number of trials, one of the items.
    """

    kept: dict[tuple[str, int], int]
    dropped: list[tuple[str, str, int, str]]


def unscored(database: Database, keys: Sequence[str], items: ItemTable) -> Unscored:
    """Count trials by file: those scored with ``items``, and those that its errata leave out.

    Parameters
    ----------
    keys
        Key of the item of each item number of the trial table.
    """
    overlay = items.overlay
    reasons = {} if overlay is None else {**dict.fromkeys(overlay.dropped, ITEM_DROPPED)}
    if overlay is not None:
        reasons |= dict.fromkeys(overlay.retexted, OLD_TEXT)
    rows = [(ix, key, reasons[key]) for ix, key in enumerate(keys) if key in reasons]
    database.store("reason_t", pd.DataFrame(rows, columns=["ix", "item", "reason"]).astype({"ix": "int64"}))
    kept = database.execute(
        f"SELECT f.name, t.unit, count(*) FROM {TRIAL} t JOIN file_t f USING (file) ANTI JOIN reason_t USING (ix) "
        "GROUP BY ALL"
    )
    dropped = database.execute(
        f"SELECT f.name, r.reason, count(*), min(r.item) FROM {TRIAL} t JOIN file_t f USING (file) "
        "JOIN reason_t r USING (ix) GROUP BY f.file, f.name, r.reason ORDER BY r.reason DESC, f.file"
    )
    return Unscored({(str(file), int(unit)): int(n) for file, unit, n in kept}, [tuple(row) for row in dropped])
