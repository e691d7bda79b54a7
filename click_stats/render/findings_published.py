"""What a report says of where its answers come from, and of how they stand to published numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

SIMULATED, RANDOM = "simulated", "random weights"
"""Parts of the name of a condition: answers drawn from a stated model; a model whose weights are random."""


def marks(results: ResultSet) -> Finding | None:
    """Say which units are no answers of a trained model; None when all are."""
    units = rows(frame(results, "models", "models"))
    shown = set(frame(results, "accuracy").get("unit", ()))
    marked = {
        mark: [row for row in units if mark in str(row["condition"]).split(", ") and row["unit"] in shown]
        for mark in (SIMULATED, RANDOM)
    }
    if not any(marked.values()):
        return None
    facts = {"n_units": len(shown), "simulated": marked[SIMULATED], "random": marked[RANDOM]}
    return Finding("marks", facts, "tbl-comparability")


def published(results: ResultSet) -> Finding | None:
    """Say how many published accuracies lie in the intervals at hand, and which is farthest away."""
    found = rows(frame(results, "published"))
    compared = [row for row in found if row["inside"] is not None]
    if not compared:
        return None
    gaps = sorted(compared, key=lambda row: abs(row["published_gap"]), reverse=True)
    outside = [row for row in compared if not row["inside"]]
    cells = {(row["unit"], row["group"]) for row in found if row["conflict"]}
    mark = marks(results)
    return Finding(
        "published",
        {
            "n": len(compared),
            "n_inside": len(compared) - len(outside),
            "n_models": len({row["unit"] for row in found}),
            "largest": gaps[0],
            "outside": outside,
            "n_conflicts": len(cells),
            "simulated": bool(mark and mark.facts["simulated"]),
        },
        "tbl-paper-averages" if gaps[0]["by"] == "domain" else "tbl-paper-cells",
    )
