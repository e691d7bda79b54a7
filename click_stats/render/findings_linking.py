"""The finding about new models on the scale of known items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def linking(results: ResultSet) -> Finding | None:
    """Tell the whole scores of new models and who does not fit; None without parameters of items."""
    if "linking" not in results:
        return None
    found = [row for row in rows(frame(results, "linking")) if row["linked_score"] is not None]
    if not found:
        return None
    found.sort(key=lambda row: -float(str(row["linked_score"])))
    alpha = results["linking"].meta["alpha"]
    drift = [row for row in rows(frame(results, "linking", "drift")) if row["p_value"] is not None]
    facts = {
        "best": found[0],
        "n_units": len(found),
        "n_items": results["linking"].summary["n_items"],
        "misfits": [row for row in found if row["p_fit_adjusted"] is not None and row["p_fit_adjusted"] < alpha],
        "n_tested": len(drift),
        "n_moved": sum(row["verdict"] == SEPARATED for row in drift),
    }
    return Finding("linking", facts, "tbl-linking")
