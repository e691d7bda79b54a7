"""The finding about short forms: which way of choosing errs least, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def short_forms(results: ResultSet) -> Finding | None:
    """Tell the errors at the size that forms are written for; None when no form was tried."""
    if "short_forms" not in results:
        return None
    found = [row for row in rows(frame(results, "short_forms")) if row["estimate"] is not None]
    if not found:
        return None
    wanted = results["short_forms"].meta["choose"]
    sizes = sorted({int(str(row["n_chosen"])) for row in found})
    k = min(sizes, key=lambda size: abs(size - wanted))
    here = sorted((row for row in found if row["n_chosen"] == k), key=lambda row: float(str(row["estimate"])))
    random = next((row for row in here if row["strategy"] == "random"), None)
    adaptive = next((row for row in rows(frame(results, "short_forms", "adaptive")) if row["n_chosen"] == k), None)
    lucky = bool(random and random["draw_low"] is not None and here[0]["estimate"] < random["draw_low"])
    facts = {
        "k": k,
        "best": here[0],
        "random": random,
        "adaptive": adaptive,
        "better_than_luck": lucky,
        "n_items": here[0]["n_items"],
        "n_units": here[0]["n_units"],
    }
    return Finding("short_forms", facts, "tbl-short-forms")
