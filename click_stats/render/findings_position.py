"""The findings about displayed positions and about confident errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import NOT_DECIDED, SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def position(results: ResultSet) -> Finding | None:
    """Tell which models' choices are separated from balance over positions; None when nothing was tested."""
    found = rows(frame(results, "position", "tests", measure="choices"))
    if not found:
        return None
    separated = list({row["unit"]: row for row in found if row["verdict"] == SEPARATED}.values())
    facts = {
        "n": len({row["unit"] for row in found}),
        "separated": separated,
        "undecided": [row for row in found if row["verdict"] == NOT_DECIDED],
        "first": min(found, key=lambda row: 2.0 if row["p_adjusted"] is None else row["p_adjusted"]),
    }
    return Finding("position", facts, "tbl-position")


def confident_errors(results: ResultSet) -> Finding | None:
    """Tell who makes most confident errors, and whether models share more hard items than difficulty explains."""
    found = rows(frame(results, "confident_errors", "confident", by="overall", set_by="model"))
    known = [{**row, "unit": row["model_set"]} for row in found if row["estimate"] is not None]
    shared = rows(
        frame(
            results, "confident_errors", "shared", model_set="all models", by="overall", statement="challenging for all"
        )
    )
    shared = [row for row in shared if row["n_shared"] is not None]
    if not known and not shared:
        return None
    facts = {
        "n": len(found),
        "most": max(known, key=lambda row: row["estimate"], default=None),
        "shared": shared[0] if shared else None,
    }
    return Finding("confident_errors", facts, "tbl-confident_errors-sure")
