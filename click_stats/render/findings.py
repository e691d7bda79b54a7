"""What a report says first: facts chosen from the results. The words are the templates'.

A finding is a kind, the facts its sentences need and the table that holds its row. Nothing here is text for a reader,
so that a new language needs no change here. The thresholds are few and stated: a *gap* is a category of which less
than half was answered; a *verdict* is read from the results, never made here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.render.labels import HALF, frame
from click_stats.render.numbers import undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pandas as pd

    from click_stats.results import ResultSet

SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED = "separated", "not separated", "equivalent", "not decided"
UNANSWERED = ("filtered", "failed", "missing")

Row = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """One finding.

    Attributes
    ----------
    kind
        What was found; each template has a macro of this name. A report has each kind at most once.
    facts
        Names, shares (0 to 1), counts and whole rows of the result tables; an undefined number is None.
    table
        Id of the table of the report that holds the rows; empty when it is not one table.
    """

    kind: str
    facts: Mapping[str, Any]
    table: str

    @property
    def id(self) -> str:
        """Id of the finding in the document, the same in every language."""
        return f"finding-{self.kind.replace('_', '-')}"


def find(results: ResultSet) -> list[Finding]:
    """Return the findings of a study, the most important first.

    Any of the results may be absent or empty: a finding about it is then left out, and with one model only the first
    finding says so.
    """
    makers: tuple[Callable[[ResultSet], Finding | None], ...] = (
        _single, _leaders, _pairs, _reference, _categories, _equivalence, _conflict, _chance, _uncertainty,
        _detectable, _coverage, _missing, _protocol, _gold, _duplicates, _unread, _undefined,
    )  # fmt: skip
    return [finding for maker in makers if (finding := maker(results)) is not None]


def rows(table: pd.DataFrame) -> list[Row]:
    """Return rows as dictionaries whose undefined values are None."""
    return [
        {str(key): None if undefined(value) else value for key, value in row.items()}
        for row in table.to_dict("records")
    ]


def reference_of(results: ResultSet) -> str | None:
    """Return the reference against which the study compared, if any."""
    against = frame(results, "compare", "reference")
    return str(against["unit_b"].iloc[0]) if len(against) else None


def _single(results: ResultSet) -> Finding | None:
    """One model: its accuracy, and that nothing can be compared."""
    overall = frame(results, "accuracy", by="overall")
    if len(overall) != 1:
        return None
    return Finding("single", {"row": rows(overall)[0]}, "tbl-accuracy")


def _leaders(results: ResultSet) -> Finding | None:
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
        "n_items": next((row["n_items"] for row in ranked if row["n_items"] is not None), None),
        "level": ranked[0].get("conf_level"),
        "method": ranked[0].get("method"),
    }
    return Finding("leaders", facts, "tbl-ranks") if leaders else None


def _ranked(row: Row) -> Row:
    """Keep of a row of ranks what the accuracy row lacks: the estimate on the shared items is another one."""
    kept = {key: row.get(key) for key in ("unit", "rank", "rank_low", "rank_high", "n_better", "n_worse")}
    return {**kept, "shared_estimate": row.get("estimate"), "shared_items": row.get("n_items")}


def _pairs(results: ResultSet) -> Finding | None:
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
        "smallest": _larger_first(separated[0]) if separated else None,
        "largest": _larger_first(others[-1]) if others else None,
        "family": _family(results, found[0]["test_family"]),
        "method": found[0].get("p_method"),
    }
    return Finding("pairs", facts, "tbl-pairs")


def _larger_first(row: Row) -> Row:
    """Turn a pair around so that its difference is not negative: A is then the better one."""
    if row["estimate"] is None or row["estimate"] >= 0:
        return row
    turned = {**row, "unit_a": row["unit_b"], "unit_b": row["unit_a"]}
    for low, high in (("conf_low", "conf_high"), ("sim_low", "sim_high"), ("bound_low", "bound_high")):
        if low in row:
            turned[low], turned[high] = _minus(row[high]), _minus(row[low])
    for name in ("estimate", "statistic"):
        turned[name] = _minus(row.get(name))
    turned["n_a_only"], turned["n_b_only"] = row.get("n_b_only"), row.get("n_a_only")
    return turned


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _verdicts(found: list[Row]) -> dict[str, int]:
    count = {verdict: sum(row["verdict"] == verdict for row in found) for verdict in
             (SEPARATED, NOT_SEPARATED, EQUIVALENT, NOT_DECIDED)}  # fmt: skip
    return {f"n_{verdict.replace(' ', '_')}": number for verdict, number in count.items()}


def _family(results: ResultSet, name: str | None) -> Row | None:
    family = frame(results, "compare", "families", test_family=name)
    return rows(family)[0] if len(family) else None


def _reference(results: ResultSet) -> Finding | None:
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
        "largest": max((row for row in found if row["estimate"] is not None), key=_size, default=None),
        "family": _family(results, found[0]["test_family"]),
    }
    return Finding("reference", facts, "tbl-reference")


def _size(row: Row) -> float:
    return abs(float(row["estimate"]))


def _categories(results: ResultSet) -> Finding | None:
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
        "largest": max(separated or decided, key=_size, default=None),
        "family": _family(results, found[0]["test_family"]),
    }
    return Finding("categories", facts, "tbl-reference-categories")


def _equivalence(results: ResultSet) -> Finding | None:
    """Pairs that are equivalent within the stated margin, when one was stated."""
    found = [row for row in rows(frame(results, "compare", by="overall")) if row.get("margin") is not None]
    if not found:
        return None
    equal = [_larger_first(row) for row in found if row["verdict"] == EQUIVALENT]
    facts = {"margin": found[0]["margin"], "n_pairs": len(found), "equivalent": equal,
             "widest": max(equal, key=_size, default=None)}  # fmt: skip
    return Finding("equivalence", facts, "tbl-pairs")


def _conflict(results: ResultSet) -> Finding | None:
    """Pairs whose order on the shared items is not the order of their accuracies."""
    found = [_larger_first(row) for row in rows(frame(results, "compare", by="overall")) if row.get("sign_conflict")]
    if not found:
        return None
    facts = {"pairs": found, "separated": [row for row in found if row["verdict"] == SEPARATED]}
    return Finding("conflict", facts, "tbl-pairs")


def _chance(results: ResultSet) -> Finding | None:
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


def _uncertainty(results: ResultSet) -> Finding | None:
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


def _detectable(results: ResultSet) -> Finding | None:
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


def _coverage(results: ResultSet) -> Finding | None:
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
    shared = rows(frame(results, "compare", "item_sets", by="overall"))
    return Finding("coverage", {"gaps": list(gaps.values()), "shared": shared[0] if shared else None}, "tbl-coverage")


def _missing(results: ResultSet) -> Finding | None:
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
        "changes": [_larger_first(row) for row in pairs if row.get("verdict_changes")],
    }
    return Finding("missing", facts, "tbl-bounds")


def _protocol(results: ResultSet) -> Finding | None:
    """Tell whether the models compared were run under one protocol."""
    pairs = frame(results, "compare", by="overall")
    if not len(pairs):
        return None
    count = {state: int((pairs["same_protocol"] == state).sum()) for state in ("yes", "no", "not stated")}
    if count["yes"] == len(pairs):
        return None
    facts = {"n_pairs": len(pairs), "same": count["yes"], "other": count["no"], "unknown": count["not stated"]}
    return Finding("protocol", facts, "tbl-comparability")


def _gold(results: ResultSet) -> Finding | None:
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


def _duplicates(results: ResultSet) -> Finding | None:
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


def _unread(results: ResultSet) -> Finding | None:
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


def _undefined(results: ResultSet) -> Finding | None:
    """Values that the data do not define, by reason."""
    reasons: dict[str, int] = {}
    for row in _with_reason(results):
        reasons[row["reason"]] = reasons.get(row["reason"], 0) + 1
    if not reasons:
        return None
    ordered = sorted(reasons.items(), key=lambda entry: -entry[1])
    facts = {"n": sum(reasons.values()), "reasons": [{"reason": reason, "n": number} for reason, number in ordered]}
    return Finding("undefined", facts, "")


def _with_reason(results: ResultSet) -> Iterator[Row]:
    for name in ("accuracy", "compare", "ranks", "power"):
        found = frame(results, name)
        if "reason" in found:
            yield from (row for row in rows(found) if row["reason"])
