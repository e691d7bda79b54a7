"""The finding about groups of models: what can be told of items and categories with so many models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def dif(results: ResultSet) -> Finding | None:
    """Tell the divisions made, the categories and items separated; None when none could be made."""
    sides = [row for row in rows(frame(results, "dif", "contrasts")) if row["n_items"]]
    if not sides:
        return None
    groups = rows(frame(results, "dif", "groups", by="category"))
    tested = [row for row in sides if row["n_separated"] is not None]
    facts = {
        "sides": sides,
        "n_tested": len(tested),
        "items": sum(int(str(row["n_separated"])) for row in tested),
        "n_groups": len(groups),
        "apart": [row for row in groups if row["verdict"] == SEPARATED],
        "smallest": min(min(int(str(row["n_reference"])), int(str(row["n_focal"]))) for row in sides),
        "needed": results["dif"].meta["smallest_group"],
    }
    return Finding("dif", facts, "tbl-dif-groups")
