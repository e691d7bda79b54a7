"""The finding about scale and corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.render.finding import Row
    from click_stats.results import ResultSet

SCALE, CORPUS, CELLS, MODELS = "scale", "corpus", "cells", "models"
PAPER, UPPER = "the paper's five models", "upper end"


def anova(results: ResultSet) -> Finding | None:
    """Tell whether size and corpus are separated where models are counted, and what counting cells would have said."""
    if not len(frame(results, "anova")):
        return None
    scale, corpus = (_test(results, design) for design in (SCALE, CORPUS))
    claim = [
        row["detectable"]
        for row in rows(frame(results, "anova", "claim", test_unit=MODELS, claim_design=PAPER))
        if row["detectable"] is not None
    ]
    facts: dict[str, Any] = {"scale": scale, "corpus": corpus, "alpha": rows(frame(results, "anova"))[0]["alpha"]}
    facts |= {"claim_low": min(claim, default=None), "claim_high": max(claim, default=None)}
    return Finding("anova", facts, "tbl-anova-tests")


def _test(results: ResultSet, design: str) -> Row | None:
    """Return the row that counts models, with what counting cells gave in ``cells_*`` and its simulated size."""
    found = [row for row in rows(frame(results, "anova", design=design)) if row["term"] not in {"category", "family"}]
    if not found:
        return None
    models = next(row for row in found if row["test_unit"] == MODELS)
    cells: Row = next((row for row in found if row["test_unit"] == CELLS), {})
    high = rows(frame(results, "anova", "spread", design=design, model_sd_at=UPPER))
    return {
        **models,
        "cells_f": cells.get("f_statistic"),
        "cells_df": cells.get("df_residual"),
        "cells_p": cells.get("p_value"),
        "size": cells.get("sim_size"),
        "size_high": high[0]["sim_size"] if high else None,
        "note": cells.get("note"),
    }
