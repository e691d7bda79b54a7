"""Findings against a study small enough to check by hand: models A, B, C on 100 items in two categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

from click_stats.render import findings
from click_stats.results import Result, ResultSet

if TYPE_CHECKING:
    from click_stats.render.finding import Finding

NAN = float("nan")


def accuracy_row(
    unit: str, by: str, group: str, estimate: float, low: float, high: float, n: int, total: int, **more: Any
) -> dict[str, Any]:
    row = {
        "unit": unit, "by": by, "group": group, "estimate": estimate, "conf_low": low, "conf_high": high, "conf_level": 0.95,
        "n_items": n, "n_items_total": total, "coverage": n / total, "chance": 0.25, "bound_low": low, "bound_high": high,
        "method": "clustered Wilson", "flag": "", "reason": "",
    }  # fmt: skip
    return row | more


def pair_row(a: str, b: str, by: str, group: str, estimate: float | None, verdict: str, **more: Any) -> dict[str, Any]:
    value = NAN if estimate is None else estimate
    row = {
        "unit_a": a, "unit_b": b, "by": by, "group": group, "estimate": value, "conf_low": value - 0.1, "conf_high": value + 0.1,
        "sim_low": value - 0.2, "sim_high": value + 0.2, "statistic": value / 0.05, "p_adjusted": 0.01, "p_method": "sign-flip",
        "n_a_only": 12, "n_b_only": 2, "bound_low": value - 0.1, "bound_high": value + 0.3, "n_items": 90, "margin": NAN,
        "p_tost": NAN, "verdict": verdict, "verdict_changes": False, "sign_conflict": False, "same_protocol": "yes",
        "test_family": f"pairs, {by}", "reason": "",
    }  # fmt: skip
    return row | more


ACCURACY = [
    accuracy_row("A", "overall", "all items", 0.80, 0.71, 0.87, 100, 100),
    accuracy_row("B", "overall", "all items", 0.78, 0.66, 0.86, 90, 100, bound_low=0.70, bound_high=0.80),
    accuracy_row("C", "overall", "all items", 0.30, 0.22, 0.40, 100, 100),
    accuracy_row("A", "category", "Law", 0.90, 0.79, 0.96, 50, 50),
    accuracy_row("A", "category", "Grammar", 0.70, 0.56, 0.81, 50, 50),
    accuracy_row("B", "category", "Law", 0.88, 0.76, 0.94, 50, 50),
    accuracy_row("B", "category", "Grammar", 0.75, 0.40, 0.93, 10, 50),
    accuracy_row("C", "category", "Law", 0.10, 0.04, 0.21, 50, 50),
    accuracy_row("C", "category", "Grammar", 0.50, 0.37, 0.63, 50, 50, chance=0.45),
]
PAIRS = [
    pair_row("A", "B", "overall", "all items", -0.01, "not separated", sign_conflict=True, verdict_changes=True),
    pair_row("A", "C", "overall", "all items", 0.50, "separated", same_protocol="not stated"),
    pair_row("B", "C", "overall", "all items", 0.48, "separated", same_protocol="no"),
]
REFERENCE = [
    pair_row("B", "A", "overall", "all items", 0.01, "not separated", test_family="reference, overall"),
    pair_row("C", "A", "overall", "all items", -0.50, "separated", test_family="reference, overall"),
    pair_row("B", "A", "category", "Law", -0.02, "not separated", test_family="reference, category"),
    pair_row(
        "B", "A", "category", "Grammar", None, "not decided", test_family="reference, category", reason="under half"
    ),
    pair_row("C", "A", "category", "Law", -0.80, "separated", test_family="reference, category"),
    pair_row("C", "A", "category", "Grammar", -0.20, "separated", test_family="reference, category"),
]
RANKS = [
    {"unit": unit, "by": "overall", "group": "all items", "estimate": estimate, "rank": rank, "rank_low": low, "rank_high": high,
     "n_better": low - 1, "n_worse": 3 - high, "co_leader": leads, "n_items": 90, "n_units": 3, "conf_level": 0.95,
     "method": "step-down max-T", "reason": ""}
    for unit, estimate, rank, low, high, leads in [("B", 0.79, 1, 1, 2, True), ("A", 0.78, 2, 1, 2, True), ("C", 0.30, 3, 3, 3, False)]
]  # fmt: skip
POWER = [
    {"unit_a": unit, "unit_b": "A", "by": by, "group": group, "n_items": n, "power": 0.8, "alpha": 0.05, "detectable": value,
     "method": "paired t", "reason": "" if n else "under half"}
    for unit, by, group, n, value in [
        ("B", "overall", "all items", 90, 0.10), ("C", "overall", "all items", 90, 0.14),
        ("B", "category", "Law", 50, 0.15), ("C", "category", "Law", 50, 0.19),
        ("B", "category", "Grammar", 0, NAN), ("C", "category", "Grammar", 50, 0.30),
    ]
]  # fmt: skip
STATUSES = [
    {"unit": "A", "n_filtered": 0, "n_failed": 0, "n_missing": 0},
    {"unit": "B", "n_filtered": 3, "n_failed": 1, "n_missing": 40},
    {"unit": "C", "n_filtered": 0, "n_failed": 0, "n_missing": 0},
]
FAMILIES = [
    {"test_family": name, "by": name.split(", ")[1], "correction": "step-down max-T", "n_tests": n, "n_estimable": m, "alpha": 0.05}
    for name, n, m in [("pairs, overall", 3, 3), ("reference, overall", 2, 2), ("reference, category", 4, 3)]
]  # fmt: skip
ITEM_SETS = [
    {
        "by": "overall",
        "group": "all items",
        "n_items": 60,
        "n_items_total": 100,
        "n_items_lost": 40,
        "n_units": 3,
        "note": "",
    }
]
ACCOUNT = {
    "sources": [{"file": "a.csv", "unit": "A", "rows_read": 103, "rows_kept": 100}],
    "dropped": [
        {"file": "a.csv", "reason": "unknown id", "n_rows": 2, "examples": "x"},
        {"file": "b.csv", "reason": "unknown id", "n_rows": 1, "examples": "y"},
    ],
    "gold": [
        {"file": "a.csv", "unit": "A", "item": "Law/1", "gold_file": "A", "gold_items": "B"},
        {"file": "b.csv", "unit": "B", "item": "Law/1", "gold_file": "A", "gold_items": "B"},
    ],
    "duplicates": [
        {"file": "a.csv", "id": "1", "item": "Law/1", "resolved_by": "gold letter", "n_rows": 2},
        {"file": "b.csv", "id": "1", "item": "Law/1", "resolved_by": "gold letter", "n_rows": 2},
        {"file": "b.csv", "id": "2", "item": "", "resolved_by": "", "n_rows": 1},
    ],
}


def study(**changes: dict[str, list[dict[str, Any]]]) -> ResultSet:
    """The hand-made study; ``changes`` replace tables of a result."""
    tables: dict[str, dict[str, list[dict[str, Any]]]] = {
        "account": ACCOUNT,
        "accuracy": {"estimates": ACCURACY, "statuses": STATUSES},
        "compare": {"estimates": PAIRS, "reference": REFERENCE, "families": FAMILIES, "item_sets": ITEM_SETS},
        "ranks": {"estimates": RANKS},
        "power": {"estimates": POWER},
    }
    for name, changed in changes.items():
        tables[name] = {**tables[name], **changed}
    return ResultSet(
        "audit",
        {
            name: Result(name, {key: pd.DataFrame(rows) for key, rows in group.items()})
            for name, group in tables.items()
        },
    )


@pytest.fixture(scope="module")
def found() -> dict[str, Finding]:
    return {finding.kind: finding for finding in findings.find(study())}


def facts(found: dict[str, Finding], kind: str) -> Any:
    return found[kind].facts


def test_the_order_puts_who_leads_first(found: dict[str, Finding]) -> None:
    assert list(found) == [
        "leaders", "pairs", "reference", "categories", "conflict", "chance", "uncertainty", "detectable", "coverage", "missing",
        "protocol", "gold", "duplicates", "unread", "undecided",
    ]  # fmt: skip


def test_ids_are_unique_and_name_their_kind(found: dict[str, Finding]) -> None:
    assert found["leaders"].id == "finding-leaders"
    assert len({finding.id for finding in found.values()}) == len(found)


def test_all_co_leaders_are_named_by_rank(found: dict[str, Finding]) -> None:
    leaders = facts(found, "leaders")["leaders"]
    assert [(row["unit"], row["rank_low"], row["rank_high"]) for row in leaders] == [("B", 1, 2), ("A", 1, 2)]
    # The accuracy is that on the model's own items; the shared items have another estimate beside it.
    assert (leaders[0]["estimate"], leaders[0]["n_items"]) == (0.78, 90)
    assert (leaders[0]["shared_estimate"], leaders[0]["shared_items"]) == (0.79, 90)
    assert facts(found, "leaders")["n_units"] == 3


def test_with_each_pairs_own_items_no_shared_number_is_claimed() -> None:
    results = study()
    compare = results["compare"]
    own = Result("compare", compare.tables, {}, {"pairwise_items": True})
    made = {
        finding.kind: finding.facts
        for finding in findings.find(ResultSet("audit", {**results.results, "compare": own}))
    }
    assert made["leaders"]["n_items"] is None
    assert made["coverage"]["shared"] is None
    assert {finding.kind: finding.facts for finding in findings.find(results)}["leaders"]["n_items"] == 90


def test_pairs_are_counted_by_verdict(found: dict[str, Finding]) -> None:
    pairs = facts(found, "pairs")
    assert (pairs["n_pairs"], pairs["n_separated"], pairs["n_not_separated"]) == (3, 2, 1)
    assert (pairs["n_equivalent"], pairs["n_not_decided"]) == (0, 0)
    assert (pairs["smallest"]["unit_a"], pairs["smallest"]["unit_b"], pairs["smallest"]["estimate"]) == ("B", "C", 0.48)
    assert pairs["family"]["n_estimable"] == 3


def test_a_negative_pair_is_turned_around_with_all_its_ends(found: dict[str, Finding]) -> None:
    largest = facts(found, "pairs")["largest"]
    assert (largest["unit_a"], largest["unit_b"]) == ("B", "A")
    assert largest["estimate"] == pytest.approx(0.01)
    assert (largest["conf_low"], largest["conf_high"]) == (pytest.approx(-0.09), pytest.approx(0.11))
    assert (largest["sim_low"], largest["sim_high"]) == (pytest.approx(-0.19), pytest.approx(0.21))
    assert (largest["bound_low"], largest["bound_high"]) == (pytest.approx(-0.29), pytest.approx(0.11))
    assert (largest["n_a_only"], largest["n_b_only"]) == (2, 12)
    assert largest["statistic"] == pytest.approx(0.2)


def test_the_reference_has_one_place_for_every_model(found: dict[str, Finding]) -> None:
    reference = facts(found, "reference")
    assert reference["reference"] == "A"
    places = {
        key: [row["unit_a"] for row in reference[key]] for key in ("better", "worse", "same", "equivalent", "undecided")
    }
    assert places == {"better": [], "worse": ["C"], "same": ["B"], "equivalent": [], "undecided": []}
    assert reference["largest"]["estimate"] == -0.50


def test_categories_are_counted_by_direction(found: dict[str, Finding]) -> None:
    categories = facts(found, "categories")
    assert (categories["n_cells"], categories["n_separated"], categories["n_undecided"]) == (4, 2, 1)
    assert categories["groups"] == [
        {"group": "Law", "better": 0, "worse": 1},
        {"group": "Grammar", "better": 0, "worse": 1},
    ]
    assert (categories["largest"]["unit_a"], categories["largest"]["group"]) == ("C", "Law")
    assert (categories["family"]["n_tests"], categories["family"]["n_estimable"]) == (4, 3)


def test_conflicts_of_sign_are_listed_and_not_called_separated(found: dict[str, Finding]) -> None:
    conflict = facts(found, "conflict")
    assert [(row["unit_a"], row["unit_b"]) for row in conflict["pairs"]] == [("B", "A")]
    assert conflict["separated"] == []


def test_below_chance_means_the_whole_interval(found: dict[str, Finding]) -> None:
    chance = facts(found, "chance")
    assert [(row["unit"], row["group"]) for row in chance["below"]] == [("C", "Law")]
    assert [(row["unit"], row["group"]) for row in chance["level"]] == [("C", "all items"), ("C", "Grammar")]
    assert chance["worst"]["group"] == "Law"


def test_the_widest_intervals_are_found(found: dict[str, Finding]) -> None:
    widest = facts(found, "uncertainty")
    assert (widest["overall"]["unit"], widest["category"]["unit"], widest["category"]["group"]) == ("B", "B", "Grammar")


def test_detectable_differences_are_medians_with_their_range(found: dict[str, Finding]) -> None:
    detectable = facts(found, "detectable")
    overall, best, worst = (detectable[key] for key in ("overall", "best", "worst"))
    assert (overall["detectable"], overall["low"], overall["high"], overall["n_units"]) == (
        pytest.approx(0.12),
        0.10,
        0.14,
        2,
    )
    assert (best["group"], best["detectable"]) == ("Law", pytest.approx(0.17))
    assert (worst["group"], worst["detectable"], worst["n_units"]) == ("Grammar", 0.30, 1)


def test_gaps_are_cells_under_half(found: dict[str, Finding]) -> None:
    coverage = facts(found, "coverage")
    assert coverage["gaps"] == [{"group": "Grammar", "n_items": 10, "units": ["B"], "n_items_total": 50}]
    assert (coverage["shared"]["n_items"], coverage["shared"]["n_items_total"]) == (60, 100)


def test_models_with_the_same_gap_share_a_line() -> None:
    rows = [accuracy_row(unit, "category", "Law", 0.8, 0.5, 0.9, 14, 133) for unit in "AB"]
    rows.append(accuracy_row("C", "category", "Law", 0.8, 0.5, 0.9, 15, 133))
    made = findings.find(study(accuracy={"estimates": [*ACCURACY[:3], *rows]}))
    gaps = next(finding.facts["gaps"] for finding in made if finding.kind == "coverage")
    assert [(gap["n_items"], gap["units"]) for gap in gaps] == [(14, ["A", "B"]), (15, ["C"])]


def test_unanswered_trials_are_counted_by_kind(found: dict[str, Finding]) -> None:
    missing = facts(found, "missing")
    assert (missing["filtered"], missing["failed"], missing["missing"]) == (3, 1, 40)
    assert missing["units"] == [{"unit": "B", "n": 44}]
    assert [(row["unit_a"], row["unit_b"]) for row in missing["changes"]] == [("B", "A")]
    assert missing["n_pairs"] == 3


def test_nothing_missing_says_nothing() -> None:
    whole = [{**row, "n_filtered": 0, "n_failed": 0, "n_missing": 0} for row in STATUSES]
    assert "missing" not in {finding.kind for finding in findings.find(study(accuracy={"statuses": whole}))}


def test_protocols_are_counted(found: dict[str, Finding]) -> None:
    protocol = facts(found, "protocol")
    assert (protocol["n_pairs"], protocol["same"], protocol["other"], protocol["unknown"]) == (3, 1, 1, 1)


def test_one_protocol_says_nothing() -> None:
    pairs = [{**row, "same_protocol": "yes"} for row in PAIRS]
    assert "protocol" not in {finding.kind for finding in findings.find(study(compare={"estimates": pairs}))}


def test_the_account_is_summed(found: dict[str, Finding]) -> None:
    assert facts(found, "gold") == {"n_rows": 2, "items": ["Law/1"], "units": ["A", "B"]}
    assert facts(found, "duplicates")["ways"] == [
        {"way": "gold letter", "n_rows": 4},
        {"way": "not resolved", "n_rows": 1},
    ]
    assert facts(found, "duplicates")["ids"] == ["1", "2"]
    assert facts(found, "unread") == {"n_rows": 3, "n_read": 103, "reasons": [{"reason": "unknown id", "n_rows": 3}]}


def test_what_is_undecided_is_counted_by_analysis(found: dict[str, Finding]) -> None:
    # The reference's rows are pairs as well, and are not counted twice; the one detectable difference has no value.
    undecided = facts(found, "undecided")
    assert {name: undecided[f"n_{name}"] for name in ("accuracy", "compare", "ranks", "power")} == {
        "accuracy": 0, "compare": 0, "ranks": 0, "power": 1,
    }  # fmt: skip
    assert undecided["reasons"] == [{"reason": "under half", "n": 1}]


def test_reasons_are_counted_without_the_names_they_begin_with() -> None:
    rows = [{**row, "detectable": NAN, "reason": f"{row['unit_a']}: answered 10 of 50"} for row in POWER[:2]]
    made = {finding.kind: finding.facts for finding in findings.find(study(power={"estimates": rows}))}
    assert made["undecided"]["reasons"] == [{"reason": "answered 10 of 50", "n": 2}]


def test_equivalence_is_reported_only_with_a_margin() -> None:
    pairs = [{**row, "margin": 0.05} for row in PAIRS]
    pairs[0] |= {"verdict": "equivalent", "p_tost": 0.02}
    made = {finding.kind: finding.facts for finding in findings.find(study(compare={"estimates": pairs}))}
    assert made["equivalence"]["margin"] == 0.05
    assert [row["unit_a"] for row in made["equivalence"]["equivalent"]] == ["B"]
    assert made["pairs"]["n_equivalent"] == 1
    assert "equivalence" not in {finding.kind for finding in findings.find(study())}


def test_one_model_has_a_finding_of_its_own() -> None:
    alone = {
        name: [row for row in rows if row["unit"] == "A"]
        for name, rows in (("estimates", ACCURACY), ("statuses", STATUSES))
    }
    results = study(accuracy=alone, ranks={"estimates": []}, power={"estimates": []},
                    compare={"estimates": [], "reference": [], "families": [], "item_sets": []})  # fmt: skip
    kinds = [finding.kind for finding in findings.find(results)]
    assert kinds[0] == "single"
    assert not {"leaders", "pairs", "reference", "categories", "protocol", "detectable"} & set(kinds)


def test_an_undefined_accuracy_is_never_the_widest() -> None:
    rows = [*ACCURACY, accuracy_row("D", "overall", "all items", NAN, NAN, NAN, 0, 100, reason="no item was answered")]
    made = {finding.kind: finding.facts for finding in findings.find(study(accuracy={"estimates": rows}))}
    assert made["uncertainty"]["overall"]["unit"] == "B"
    assert made["undecided"]["n_accuracy"] == 1
    assert {"reason": "no item was answered", "n": 1} in made["undecided"]["reasons"]


def test_results_without_any_analysis_have_no_findings() -> None:
    assert findings.find(ResultSet("audit", {})) == []
