"""The finding about people who answered: what they reach, and whether models find the same items hard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def people(results: ResultSet) -> Finding | None:
    """Tell what people and models reach on the same items; None without people."""
    found = {row["who"]: row for row in rows(frame(results, "people", by="overall"))}
    if not found:
        return None
    items = rows(frame(results, "people", "items"))
    apart = [row for row in items if row["verdict"] == SEPARATED]
    facts = {
        "mean": found["mean of people"],
        "majority": found["majority of people"],
        "models": found["mean of models"],
        "best": found["best model"],
        "correlation": rows(frame(results, "people", "correlations", by="overall"))[0],
        "n_people": found["mean of people"]["n_people"],
        "n_items": len(items),
        "easier": [row for row in apart if row["gap_people"] > 0],
        "harder": [row for row in apart if row["gap_people"] < 0],
    }
    return Finding("people", facts, "tbl-people")
