"""The finding about difficulty: how much the facts of items explain, and which of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def difficulty(results: ResultSet) -> Finding | None:
    """Tell how much the facts explain and which of them are separated; None when nothing was fitted."""
    if "difficulty" not in results:
        return None
    shares = {row["component"]: row for row in rows(frame(results, "difficulty", "variance"))}
    tests = [row for row in rows(frame(results, "difficulty", "tests")) if row["p_adjusted"] is not None]
    if "terms" not in shares or not tests:
        return None
    tests.sort(key=lambda row: -float(str(row["unique_share"])))
    groups = [row for row in rows(frame(results, "difficulty", "interactions")) if row["term"]]
    facts = {
        "share": shares["terms"],
        "tests": tests,
        "apart": [row for row in tests if row["verdict"] == SEPARATED],
        "aliased": [row for row in rows(frame(results, "difficulty")) if str(row["reason"]).startswith("not told")],
        "groups": groups,
        "groups_apart": [row for row in groups if row["verdict"] == SEPARATED],
        "n_items": results["difficulty"].summary["n_items"],
        "n_units": results["difficulty"].summary["n_units"],
    }
    return Finding("difficulty", facts, "tbl-difficulty-tests")
