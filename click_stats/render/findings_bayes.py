"""The finding of the Bayesian model: what all priors agree on, and what the margin decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import EQUIVALENT, NOT_DECIDED, NOT_SEPARATED, SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

FOR_NULL, FOR_EFFECT = "for no effect", "for an effect"


def bayes(results: ResultSet) -> Finding | None:
    """Sort the effects by verdict and by the evidence that all priors share; None without any effect."""
    found = rows(frame(results, "bayes"))
    if not found:
        return None
    facts = {
        "rows": found,
        "n": len(found),
        "margin": found[0]["margin"],
        "level": found[0]["conf_level"],
        "n_units": found[0]["n_units"],
        "n_items": found[0]["n_items"],
        **{name: [row for row in found if row["verdict"] == verdict] for name, verdict in (
            ("separated", SEPARATED), ("same", NOT_SEPARATED), ("equivalent", EQUIVALENT), ("undecided", NOT_DECIDED),
        )},
        "for_null": [row for row in found if row["evidence"] == FOR_NULL],
        "for_effect": [row for row in found if row["evidence"] == FOR_EFFECT],
    }  # fmt: skip
    return Finding("bayes", facts, "tbl-bayes")
