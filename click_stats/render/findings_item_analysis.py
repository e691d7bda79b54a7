"""The finding about the items: how many look broken, whose key is in doubt, and the room left at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

NAME = "item_analysis"


def item_analysis(results: ResultSet) -> Finding | None:
    """Tell how many items are flagged and how many still separate the best models; None when nothing was analysed."""
    items = frame(results, NAME)
    if not len(items):
        return None
    result = results[NAME]
    room = [row for row in rows(frame(results, NAME, "headroom")) if not row["reason"]]
    suspects = rows(frame(results, NAME, "suspects"))
    facts = {
        "n_items": len(items),
        "n_flagged": int(result.summary["n_flagged"]),
        "n_suspects": int(result.summary["n_suspects"]),
        "first": suspects[0] if suspects else None,
        "reliability": rows(frame(results, NAME, "reliability", by="overall"))[0],
        "headroom": room[0] if room else None,
        "ceiling": rows(frame(results, NAME, "ceiling"))[-1],
        "effective_models": result.meta["effective_models"],
        "n_units": len(frame(results, NAME, "voters")),
        "texts": bool(result.meta["with_texts"]),
    }
    return Finding(NAME, facts, "tbl-suspects" if suspects else "tbl-item-checks")
