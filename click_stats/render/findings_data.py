"""Findings about the data: how sure, what could not be seen, what is missing or in dispute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import NOT_DECIDED, Finding, Row, larger_first, rows
from click_stats.render.labels import HALF, frame, shared_items

if TYPE_CHECKING:
    from click_stats.results import ResultSet

UNANSWERED = ("filtered", "failed", "missing")


def chance(results: ResultSet) -> Finding | None:
    """Accuracies below chance, or not above it."""
    found = [
        row
        for by in ("overall", "category")
        for row in rows(frame(results, "accuracy", by=by))
        if row.get("chance") is not None and row["conf_low"] is not None
    ]
    below = [row for row in found if row["conf_high"] < row["chance"]]
    level = [row for row in found if row["conf_low"] <= row["chance"] <= row["conf_high"]]
    if not below and not level:
        return None
    worst = min(below or level, key=lambda row: row["estimate"] - row["chance"])
    return Finding("chance", {"below": below, "level": level, "worst": worst}, "tbl-categories")


def uncertainty(results: ResultSet) -> Finding | None:
    """The widest intervals: overall and within a category."""
    widest = {
        by: max(
            (row for row in rows(frame(results, "accuracy", by=by)) if row["conf_low"] is not None),
            key=lambda row: row["conf_high"] - row["conf_low"],
            default=None,
        )
        for by in ("overall", "category")
    }
    if widest["overall"] is None and widest["category"] is None:
        return None
    return Finding("uncertainty", widest, "tbl-categories" if widest["category"] else "tbl-accuracy")


def detectable(results: ResultSet) -> Finding | None:
    """What the data could not see: detectable differences overall and by category."""
    found = frame(results, "power")
    if not len(found):
        return None
    groups: list[Row] = []
    for by in ("overall", "category"):
        known = found[(found["by"] == by) & found["detectable"].notna()]
        groups.extend(
            {
                "by": by,
                "group": name,
                "detectable": float(part["detectable"].median()),
                "low": float(part["detectable"].min()),
                "high": float(part["detectable"].max()),
                "n_items": int(part["n_items"].median()),
                "n_units": len(part),
            }
            for name, part in known.groupby("group", sort=False)
        )
    categories = [group for group in groups if group["by"] == "category"]
    if not groups:
        return None
    facts = {
        "overall": next((group for group in groups if group["by"] == "overall"), None),
        "best": min(categories, key=lambda group: group["detectable"], default=None),
        "worst": max(categories, key=lambda group: group["detectable"], default=None),
        "power": float(found["power"].iloc[0]),
        "alpha": float(found["alpha"].iloc[0]),
        "method": found["method"].iloc[0],
    }
    return Finding("detectable", facts, "tbl-detectable")


def coverage(results: ResultSet) -> Finding | None:
    """Categories of which a model answered less than half, and what the shared item set lost by it."""
    found = rows(frame(results, "accuracy", by="category"))
    cells = [row for row in found if row["coverage"] is not None and row["coverage"] < HALF]
    if not cells:
        return None
    gaps: dict[tuple[str, int], Row] = {}
    for row in cells:
        key = (row["group"], int(row["n_items"] or 0))
        gap = gaps.setdefault(key, {"group": key[0], "n_items": key[1], "units": []})
        gap["n_items_total"] = row["n_items_total"]
        gap["units"].append(row["unit"])
    sets = rows(frame(results, "compare", "item_sets", by="overall")) if shared_items(results) else []
    return Finding("coverage", {"gaps": list(gaps.values()), "shared": sets[0] if sets else None}, "tbl-coverage")


def missing(results: ResultSet) -> Finding | None:
    """Unanswered trials by kind, and the verdicts that depend on them."""
    found = rows(frame(results, "accuracy", "statuses"))
    total = {kind: sum(int(row.get(f"n_{kind}") or 0) for row in found) for kind in UNANSWERED}
    if not sum(total.values()):
        return None
    per_unit = [{"unit": row["unit"], "n": sum(int(row.get(f"n_{kind}") or 0) for kind in UNANSWERED)} for row in found]
    pairs = rows(frame(results, "compare", by="overall"))
    widest = max(
        (row for row in rows(frame(results, "accuracy", by="overall")) if row.get("bound_low") is not None),
        key=lambda row: row["bound_high"] - row["bound_low"],
        default=None,
    )
    facts = {
        **total,
        "units": sorted((unit for unit in per_unit if unit["n"]), key=lambda unit: -unit["n"]),
        "widest": widest,
        "n_pairs": len(pairs),
        "changes": [larger_first(row) for row in pairs if row.get("verdict_changes")],
    }
    return Finding("missing", facts, "tbl-bounds")


def protocol(results: ResultSet) -> Finding | None:
    """Tell whether the models compared were run under one protocol."""
    pairs = frame(results, "compare", by="overall")
    if not len(pairs):
        return None
    count = {state: int((pairs["same_protocol"] == state).sum()) for state in ("yes", "no", "not stated")}
    if count["yes"] == len(pairs):
        return None
    facts = {"n_pairs": len(pairs), "same": count["yes"], "other": count["no"], "unknown": count["not stated"]}
    return Finding("protocol", facts, "tbl-comparability")


def gold(results: ResultSet) -> Finding | None:
    """Keys in the files that are not those of the item table."""
    found = rows(frame(results, "account", "gold"))
    if not found:
        return None
    facts = {
        "n_rows": len(found),
        "items": list(dict.fromkeys(row["item"] for row in found)),
        "units": list(dict.fromkeys(row["unit"] for row in found)),
    }
    return Finding("gold", facts, "tbl-gold")


def duplicates(results: ResultSet) -> Finding | None:
    """Ids that stand for several items, and how their rows were told apart."""
    found = rows(frame(results, "account", "duplicates"))
    if not found:
        return None
    ways: dict[str, int] = {}
    for row in found:
        way = row["resolved_by"] or "not resolved"
        ways[way] = ways.get(way, 0) + int(row["n_rows"] or 0)
    facts = {
        "ids": list(dict.fromkeys(row["id"] for row in found)),
        "n_rows": sum(ways.values()),
        "ways": [{"way": way, "n_rows": number} for way, number in ways.items()],
    }
    return Finding("duplicates", facts, "tbl-duplicates")


def unread(results: ResultSet) -> Finding | None:
    """Rows of the files that did not become trials, by reason."""
    found = rows(frame(results, "account", "dropped"))
    if not found:
        return None
    reasons: dict[str, int] = {}
    for row in found:
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + int(row["n_rows"])
    read = sum(int(row["rows_read"] or 0) for row in rows(frame(results, "account", "sources")))
    facts = {
        "n_rows": sum(reasons.values()),
        "n_read": read,
        "reasons": [{"reason": reason, "n_rows": number} for reason, number in reasons.items()],
    }
    return Finding("unread", facts, "tbl-dropped")


def undecided(results: ResultSet) -> Finding | None:
    """Count what the data leave undefined, by analysis: accuracies without an interval, pairs without a verdict."""
    found = {
        "accuracy": [row for row in rows(frame(results, "accuracy")) if row["conf_low"] is None],
        "compare": [row for row in rows(frame(results, "compare")) if row["verdict"] == NOT_DECIDED],
        "ranks": [row for row in rows(frame(results, "ranks")) if row["rank"] is None],
        "power": [row for row in rows(frame(results, "power")) if row["detectable"] is None],
    }
    reasons: dict[str, int] = {}
    for row in [row for one in found.values() for row in one]:
        # A reason may name the models that it is about: here it is counted without them.
        names = [str(row[key]) for key in ("unit", "unit_a", "unit_b") if row.get(key)]
        for part in str(row["reason"] or "").split("; "):
            reason = next((part.removeprefix(f"{name}: ") for name in names if part.startswith(f"{name}: ")), part)
            if reason:
                reasons[reason] = reasons.get(reason, 0) + 1
    if not any(found.values()):
        return None
    ordered = sorted(reasons.items(), key=lambda entry: -entry[1])
    facts = {
        **{f"n_{name}": len(one) for name, one in found.items()},
        "reasons": [{"reason": reason, "n": number} for reason, number in ordered],
    }
    return Finding("undecided", facts, "")
