"""The finding about difficulty: what the answers of these models tell of the items, and what they cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import Finding, rows
from click_stats.render.labels import frame

if TYPE_CHECKING:
    from click_stats.results import ResultSet

HALF = 0.5


def irt(results: ResultSet) -> Finding | None:
    """Tell the hardest and easiest categories, and how wide difficulties are known; None without estimates."""
    items = frame(results, "irt")
    told = items[items["estimable"].astype("boolean").fillna(value=False)] if len(items) else items
    if not len(told):
        return None
    unplaced = items[~items["estimable"].astype("boolean").fillna(value=False)]["proportion"].dropna()
    groups = rows(frame(results, "irt", "groups"))
    categories = sorted((row for row in groups if row["by"] == "category"), key=lambda row: -float(row["difficulty"]))
    overall = next((row for row in groups if row["by"] == "overall"), None)
    compared = rows(frame(results, "irt", "comparison", group="all items"))
    ranked = told.dropna(subset=["rank_low", "rank_high"])
    widths = (told["difficulty_high"] - told["difficulty_low"]).dropna()
    facts = {
        "n_units": int(results["irt"].summary["n_units"]),
        "n_items": len(items),
        "n_told": len(told),
        "n_right": int((unplaced > HALF).sum()),
        "n_wrong": int((unplaced <= HALF).sum()),
        "n_unanswered": int(items["proportion"].isna().sum()),
        "model": str(results["irt"].meta["model"]),
        "level": float(items["conf_level"].dropna().iloc[0]),
        "width": float(widths.median()) if len(widths) else None,
        "spread": overall["difficulty_sd"] if overall else None,
        "rank_width": float((ranked["rank_high"] - ranked["rank_low"]).median()) if len(ranked) else None,
        "correlation": compared[0]["correlation"] if compared else None,
        "hardest": categories[0] if len(categories) > 1 else None,
        "easiest": categories[-1] if len(categories) > 1 else None,
        "no_one": _check(results, "items that no model answers right"),
        "slopes": _check(results, "standard deviation of the item-rest correlations"),
        "passages": _check(results, "mean Q3 of items on one passage"),
    }
    return Finding("irt", facts, "tbl-irt-groups" if groups else "tbl-irt-hardest")


def _check(results: ResultSet, name: str) -> dict[str, object] | None:
    """Return the row of a check that is defined."""
    found = rows(frame(results, "irt", "fit", check=name))
    return found[0] if found and not found[0]["reason"] else None
