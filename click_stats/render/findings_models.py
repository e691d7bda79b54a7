"""Findings about the models: who leads, which differ, which are equivalent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.finding import (
    EQUIVALENT,
    NOT_DECIDED,
    NOT_SEPARATED,
    SEPARATED,
    Finding,
    Row,
    larger_first,
    rows,
    size,
)
from click_stats.render.labels import frame, shared_items

if TYPE_CHECKING:
    from click_stats.results import ResultSet


def single(results: ResultSet) -> Finding | None:
    """One model: its accuracy, and that nothing can be compared."""
    overall = frame(results, "accuracy", by="overall")
    if len(overall) != 1:
        return None
    return Finding("single", {"row": rows(overall)[0]}, "tbl-accuracy")


def leaders(results: ResultSet) -> Finding | None:
    """Tell who can be number one; ties are ties."""
    ranks = frame(results, "ranks", by="overall")
    if len(ranks) < 2:
        return None
    accuracy = {row["unit"]: row for row in rows(frame(results, "accuracy", by="overall"))}
    ranked = sorted(rows(ranks), key=lambda row: (row["rank"] is None, row["rank"] or 0, row["unit"]))
    leaders = [{**accuracy.get(row["unit"], {}), **_ranked(row)} for row in ranked if row["co_leader"]]
    facts = {
        "leaders": leaders,
        "n_units": len(ranked),
        "n_items": ranked[0]["n_items"] if shared_items(results) else None,
        "level": ranked[0].get("conf_level"),
        "method": ranked[0].get("method"),
    }
    return Finding("leaders", facts, "tbl-ranks") if leaders else None


def pairs(results: ResultSet) -> Finding | None:
    """Count the pairs by verdict; show the two that mark the border between them."""
    pairs = frame(results, "compare", by="overall")
    if not len(pairs):
        return None
    found = rows(pairs)
    by_size = sorted((row for row in found if row["estimate"] is not None), key=lambda row: abs(row["estimate"]))
    separated = [row for row in by_size if row["verdict"] == SEPARATED]
    others = [row for row in by_size if row["verdict"] != SEPARATED]
    facts = {
        "n_pairs": len(found),
        **_verdicts(found),
        "smallest": larger_first(separated[0]) if separated else None,
        "largest": larger_first(others[-1]) if others else None,
        "margin": found[0].get("margin"),
        "family": _family(results, found[0]["test_family"]),
    }
    return Finding("pairs", facts, "tbl-pairs")


def reference(results: ResultSet) -> Finding | None:
    """Who differs from the reference overall, and in which direction."""
    found = rows(frame(results, "compare", "reference", by="overall"))
    if not found:
        return None
    separated = [row for row in found if row["verdict"] == SEPARATED]
    facts = {
        "reference": found[0]["unit_b"],
        "n": len(found),
        "better": [row for row in separated if row["estimate"] > 0],
        "worse": [row for row in separated if row["estimate"] < 0],
        "same": [row for row in found if row["verdict"] == NOT_SEPARATED],
        "equivalent": [row for row in found if row["verdict"] == EQUIVALENT],
        "undecided": [row for row in found if row["verdict"] == NOT_DECIDED],
        "margin": found[0].get("margin"),
        "largest": max((row for row in found if row["estimate"] is not None), key=size, default=None),
        "family": _family(results, found[0]["test_family"]),
    }
    return Finding("reference", facts, "tbl-reference")


def categories(results: ResultSet) -> Finding | None:
    """Find the categories in which models differ from the reference."""
    found = rows(frame(results, "compare", "reference", by="category"))
    if not found:
        return None
    separated = [row for row in found if row["verdict"] == SEPARATED]
    decided = [row for row in found if row["estimate"] is not None]
    names = list(dict.fromkeys(row["group"] for row in found))
    facts = {
        "reference": found[0]["unit_b"],
        "n_cells": len(found),
        "n_separated": len(separated),
        "n_undecided": sum(row["verdict"] == NOT_DECIDED for row in found),
        "groups": [
            {
                "group": name,
                "better": sum(row["group"] == name and row["estimate"] > 0 for row in separated),
                "worse": sum(row["group"] == name and row["estimate"] < 0 for row in separated),
            }
            for name in names
        ],
        "largest": max(separated or decided, key=size, default=None),
        "family": _family(results, found[0]["test_family"]),
    }
    return Finding("categories", facts, "tbl-reference-categories")


def equivalence(results: ResultSet) -> Finding | None:
    """Pairs that are equivalent within the stated margin, when one was stated."""
    found = [row for row in rows(frame(results, "compare", by="overall")) if row.get("margin") is not None]
    if not found:
        return None
    equal = [larger_first(row) for row in found if row["verdict"] == EQUIVALENT]
    facts = {"margin": found[0]["margin"], "n_pairs": len(found), "equivalent": equal,
             "widest": max(equal, key=size, default=None)}  # fmt: skip
    return Finding("equivalence", facts, "tbl-pairs")


def conflict(results: ResultSet) -> Finding | None:
    """Pairs whose order on the shared items is not the order of their accuracies."""
    found = [larger_first(row) for row in rows(frame(results, "compare", by="overall")) if row.get("sign_conflict")]
    if not found:
        return None
    facts = {"pairs": found, "separated": [row for row in found if row["verdict"] == SEPARATED]}
    return Finding("conflict", facts, "tbl-pairs")


def _ranked(row: Row) -> Row:
    """Keep of a row of ranks what the accuracy row lacks: the estimate on the shared items is another one."""
    kept = {key: row.get(key) for key in ("unit", "rank", "rank_low", "rank_high", "n_better", "n_worse")}
    return {**kept, "shared_estimate": row.get("estimate"), "shared_items": row.get("n_items")}


def _verdicts(found: list[Row]) -> dict[str, int]:
    count = {verdict: sum(row["verdict"] == verdict for row in found) for verdict in
             (SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED)}  # fmt: skip
    return {f"n_{verdict.replace(' ', '_')}": number for verdict, number in count.items()}


def _family(results: ResultSet, name: str | None) -> Row | None:
    family = frame(results, "compare", "families", test_family=name)
    return rows(family)[0] if len(family) else None
