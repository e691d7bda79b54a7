"""The finding about agreement: how far models answer alike, and which two do most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

CHOSEN, RIGHT = "option chosen", "right or wrong"
ALPHA = "Krippendorff's alpha"


def agreement(results: ResultSet) -> Finding | None:
    """Tell the agreement of all models and the pair that agrees most; None when there is none."""
    overall = {
        row["rated"]: row
        for row in rows(frame(results, "agreement", by="overall", measure=ALPHA))
        if row["estimate"] is not None
    }
    pairs = [row for row in rows(frame(results, "agreement", "pairs", rated=CHOSEN)) if row["estimate"] is not None]
    if CHOSEN not in overall or RIGHT not in overall or not pairs:
        return None
    ordered = sorted(pairs, key=lambda row: -float(str(row["estimate"])))
    facts = {
        "chosen": overall[CHOSEN],
        "right": overall[RIGHT],
        "alike": ordered[0],
        "median": ordered[len(ordered) // 2],
        "n_pairs": len(ordered),
        "level": overall[CHOSEN]["conf_level"],
    }
    return Finding("agreement", facts, "tbl-agreement-pairs")
