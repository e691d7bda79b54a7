"""The finding about people: which models are separated from each human score that is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import NOT_DECIDED, SEPARATED, Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

TIE = 1e-12


def human(results: ResultSet) -> Finding | None:
    """Tell for each human score which models lie above and below it; None when no score is known."""
    found = rows(frame(results, "human"))
    if not found:
        return None
    groups: dict[tuple[str, str, str], list[dict[str, object]]] = {}
    for row in found:
        groups.setdefault((row["exam"], row["years"], row["boundary"]), []).append(row)
    facts = {
        "scores": [
            {
                "exam": exam,
                "years": years,
                "boundary": boundary,
                "score": own[0]["human_score"],
                "n": len(own),
                "n_items": own[0]["n_items_total"],
                "above": [row for row in own if row["verdict"] == SEPARATED and float(str(row["gap"])) > 0],
                "below": [row for row in own if row["verdict"] == SEPARATED and float(str(row["gap"])) < 0],
                "undecided": [row for row in own if row["verdict"] == NOT_DECIDED],
                "best": _best(own),
            }
            for (exam, years, boundary), own in groups.items()
        ],
        "level": found[0]["conf_level"],
        "not_computable": rows(frame(results, "human", "boundaries", computable=False)),
    }
    return Finding("human", facts, "tbl-human")


def _best(own: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the rows of the highest accuracy: several where models are tied."""
    defined = [row for row in own if row["estimate"] is not None]
    highest = max((float(str(row["estimate"])) for row in defined), default=0.0)
    return [row for row in defined if float(str(row["estimate"])) > highest - TIE]
