"""The finding about scale with items and models random."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

SIZE, SCALE, BOTH = "log10_params", "scale", "scale and corpus"


def mixed(results: ResultSet) -> Finding | None:
    """Tell whether size is separated by the test that counts models, alone and with the corpus; None without size."""
    sizes = {row["design"]: row for row in rows(frame(results, "mixed", term=SIZE)) if row["estimate"] is not None}
    if SCALE not in sizes:
        return None
    facts = {"scale": sizes[SCALE], "both": sizes.get(BOTH), "margin": results["mixed"].meta.get("margin")}
    return Finding("mixed", facts, "tbl-mixed-effects")
