"""The finding about stated probabilities: which models are separated from a calibrated one, and in which direction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import NOT_DECIDED, SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def calibration(results: ResultSet) -> Finding | None:
    """Count the models separated from a calibrated one; None when no model has stated probabilities."""
    found = rows(frame(results, "calibration", "errors"))
    if found:
        found = [row for row in found if (row["by"], row["group"]) == (found[0]["by"], found[0]["group"])]
    scored = [row for row in found if row["ece"] is not None]
    if not scored:
        return None
    over = {row["unit"]: row for row in rows(frame(results, "calibration", measure="overconfidence"))
            if (row["by"], row["group"]) == (found[0]["by"], found[0]["group"])}  # fmt: skip
    apart = [row for row in scored if row["verdict"] == SEPARATED]
    worst = max(scored, key=lambda row: float(row["ece_excess"]))
    facts = {
        "n": len(scored),
        "without": [row for row in found if row["ece"] is None],
        "separated": apart,
        "undecided": [row for row in scored if row["verdict"] == NOT_DECIDED],
        "over": [row for row in apart if _end(over, row["unit"], "conf_low") > 0],
        "under": [row for row in apart if _end(over, row["unit"], "conf_high") < 0],
        "worst": worst,
        "direction": over.get(worst["unit"]),
        "level": next((row["conf_level"] for row in over.values() if row["conf_level"] is not None), None),
    }
    return Finding("calibration", facts, "tbl-calibration-errors")


def _end(over: dict[str, dict[str, float | None]], unit: str, end: str) -> float:
    value = over.get(unit, {}).get(end)
    return 0.0 if value is None else float(value)
