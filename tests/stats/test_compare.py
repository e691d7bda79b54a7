import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import click_stats as cs
from click_stats.errors import UsageError
from click_stats.stats import pair_rows
from click_stats.stats.accuracy import UNDER_HALF_OVERALL, accuracy
from click_stats.stats.compare import compare
from click_stats.stats.compare_tables import FEW_SHARED, ITEM_SETS, PAIRS
from click_stats.stats.ranks import ranks
from click_stats.stats.settings import PairSettings
from click_stats.stats.tools.clustered import NO_SPREAD, ONE_CLUSTER, cluster_mean
from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm
from click_stats.stats.tools.permutation import sign_flip

FOLDER = Path(__file__).parents[1] / "oracles" / "paired"
ORACLE = json.loads((FOLDER / "expected.json").read_text())
DATA = pd.read_csv(FOLDER / "input.csv")
NAMES = ["m1", "m2", "m3", "m4", "m5", "m_copy"]
DRAWS = 400


@pytest.fixture(scope="module")
def graded(counts_of):
    """Twelve trials per item."""
    return compare(
        counts_of(DATA[[f"count_{name}" for name in NAMES]].to_numpy().T, 12, names=NAMES),
        by="overall",
        margin=ORACLE["pairs"]["m1_vs_m2"].get("tost", {}).get("margin", 0.05),
        draws=DRAWS,
    )


@pytest.fixture(scope="module")
def single(counts_of):
    """One trial per item."""
    return compare(
        counts_of(DATA[[f"right_{name}" for name in NAMES]].to_numpy().T, names=NAMES), by="overall", draws=DRAWS
    )


def _row(result, a, b, group="all items", table="estimates"):
    frame = result.to_frame(table)
    found = frame[(frame["unit_a"] == a) & (frame["unit_b"] == b) & (frame["group"] == group)]
    assert len(found) == 1
    return found.iloc[0]


@pytest.mark.parametrize("pair", [name for name in ORACLE["order_of_pairs"] if name != "m1_vs_m_copy"])
def test_graded_scores_agree_with_r(graded, pair):
    expected = ORACLE["pairs"][pair]
    row = _row(graded, expected["a"], expected["b"])
    assert row["estimate"] == pytest.approx(-expected["mean_diff_score"], rel=1e-9)
    assert row["statistic"] == pytest.approx(-expected["t"], rel=1e-9)
    assert row["df"] == expected["df"]
    assert [-row["conf_high"], -row["conf_low"]] == pytest.approx(expected["ci95"], rel=1e-9)
    assert row["p_value"] == pytest.approx(expected["p_signflip_exact_score"], rel=1e-9)
    assert row["p_method"] == "sign-flip, convolution"
    assert pd.isna(row["n_a_only"])
    assert np.isnan(row["p_mcnemar"])
    assert pair_rows.SEVERAL_TRIALS in row["reason"]


def test_equivalence_agrees_with_r(graded):
    frame = graded.to_frame()
    r = [ORACLE["pairs"][f"{a}_vs_{b}"] for a, b in zip(frame["unit_a"], frame["unit_b"], strict=True)]
    raw = np.array([one["tost"]["p"] if "tost" in one else np.nan for one in r])
    copy = np.isnan(raw)
    assert copy.sum() == 1
    # The copy has no t test; its Bonett-Price interval decides, and all tests are adjusted together.
    se = np.sqrt(2 / 202 / 202)
    raw[copy] = stats.norm.sf(0.05 / se)
    assert frame["p_tost"].to_numpy() == pytest.approx(holm(raw), rel=1e-9)
    assert _row(graded, "m1", "m_copy")["verdict"] == "equivalent"


@pytest.mark.parametrize("pair", ORACLE["order_of_pairs"])
def test_single_trials_agree_with_r(single, pair):
    expected = ORACLE["pairs"][pair]
    row = _row(single, expected["a"], expected["b"])
    assert (row["n_a_only"], row["n_b_only"]) == (expected["only_a_right"], expected["only_b_right"])
    assert row["p_mcnemar"] == pytest.approx(expected["p_exact"], rel=1e-9)
    assert row["p_mcnemar_midp"] == pytest.approx(expected["p_mid"], rel=1e-9)
    assert row["p_value"] == pytest.approx(expected["p_exact"], rel=1e-9)


def test_adjusted_p_values_agree_with_r(single):
    frame = single.to_frame()
    main = frame[(frame["unit_a"] != "m_copy") & (frame["unit_b"] != "m_copy")]
    expected = ORACLE["p_adjust_exact_mcnemar_main_pairs"]
    assert (main["unit_a"] + "_vs_" + main["unit_b"]).tolist() == expected["pairs"]
    assert holm(main["p_value"]) == pytest.approx(expected["holm"], rel=1e-9)
    assert benjamini_hochberg(main["p_value"]) == pytest.approx(expected["BH"], rel=1e-9)
    assert frame["p_holm"].to_numpy() == pytest.approx(holm(frame["p_value"]), rel=1e-12)
    assert frame["p_bh"].to_numpy() == pytest.approx(benjamini_hochberg(frame["p_value"]), rel=1e-12)


def test_pairing_is_used(counts_of):
    """8 items only A, 2 only B, 90 alike: the paired test, not two shares side by side."""
    a = [1] * 8 + [0] * 2 + [1] * 45 + [0] * 45
    b = [0] * 8 + [1] * 2 + [1] * 45 + [0] * 45
    row = _row(compare(counts_of([a, b]), by="overall", draws=DRAWS), "m0", "m1")
    assert round(row["p_value"], 3) == round(row["p_mcnemar"], 3) == 0.109
    assert round(row["p_mcnemar_midp"], 3) == 0.065
    assert row["estimate"] == pytest.approx(0.06)
    assert row["odds_ratio"] == 4
    assert row["se_ratio"] == pytest.approx(np.sqrt(2 * 0.53 * 0.47 / 99) / row["std_error"], rel=1e-9)
    assert row["method"] == "clustered t (CR1)"
    fewer = _row(compare(counts_of([a[1:], b[1:]]), by="overall", draws=DRAWS), "m0", "m1")
    assert fewer["method"] == "Bonett-Price"
    assert fewer["flag"] == "9 discordant items"


def test_no_discordant_items(counts_of):
    found = compare(counts_of([[1, 0, 1, 1, 0, 1] * 5] * 2), by="overall", draws=DRAWS)
    row = _row(found, "m0", "m1")
    assert row["estimate"] == 0
    assert row["p_value"] == row["p_adjusted"] == row["p_holm"] == row["p_mcnemar"] == 1
    assert row["flag"] == "no discordant items"
    assert row["conf_low"] < 0 < row["conf_high"]
    assert row["sim_low"] < 0 < row["sim_high"] or np.isnan(row["sim_low"])
    assert row["verdict"] == "not separated"
    assert NO_SPREAD in row["reason"]


def test_error_is_clustered_by_passage(counts_of):
    rng = np.random.default_rng(3)
    correct = rng.integers(0, 2, (3, 40))
    cluster = [k // 4 for k in range(40)]
    found = compare(counts_of(correct, cluster=cluster), by="overall", draws=DRAWS)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        row = _row(found, f"m{a}", f"m{b}")
        mean = cluster_mean((correct[a] - correct[b]).astype(float), np.array(cluster))
        assert row["std_error"] == pytest.approx(mean.std_error, rel=1e-10)
        assert row["df"] == row["n_clusters"] - 1 == 9
        unpaired = [cluster_mean(correct[u].astype(float), np.array(cluster)).std_error for u in (a, b)]
        assert row["se_ratio"] == pytest.approx(np.hypot(*unpaired) / mean.std_error, rel=1e-10)
        sums = [np.bincount(cluster, correct[u] - correct[u].mean()) for u in (a, b)]
        assert row["correlation"] == pytest.approx(
            sums[0] @ sums[1] / np.sqrt((sums[0] @ sums[0]) * (sums[1] @ sums[1]))
        )


def test_copies_declared_as_clusters_add_no_evidence(counts_of):
    rng = np.random.default_rng(5)
    correct = rng.random((2, 60)) < [[0.8], [0.5]]
    once = _row(compare(counts_of(correct), by="overall", draws=DRAWS), "m0", "m1")
    copied = counts_of(np.repeat(correct, 3, axis=1), cluster=np.repeat(np.arange(60), 3))
    thrice = _row(compare(copied, by="overall", draws=DRAWS), "m0", "m1")
    for name in ("estimate", "std_error", "p_value", "p_adjusted", "conf_low", "sim_high"):
        assert thrice[name] == pytest.approx(once[name], rel=1e-9), name


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_relabelling_units_turns_signs_and_nothing_else(counts_of, seed):
    rng = np.random.default_rng(seed)
    correct = rng.random((3, 50)) < rng.uniform(0.2, 0.9, (3, 1))
    order = rng.permutation(3)
    plain = compare(counts_of(correct), by="overall", margin=0.1, draws=200, reference="m0")
    mixed = compare(
        counts_of(correct[order], names=[f"m{k}" for k in order]), by="overall", margin=0.1, draws=200, reference="m0"
    )
    for _, row in plain.to_frame().iterrows():
        other = mixed.to_frame().set_index(["unit_a", "unit_b"])
        turned = (row["unit_a"], row["unit_b"]) not in other.index
        match = other.loc[(row["unit_b"], row["unit_a"]) if turned else (row["unit_a"], row["unit_b"])]
        sign = -1 if turned else 1
        assert match["estimate"] == pytest.approx(sign * row["estimate"], abs=1e-12)
        low, _high = ("conf_high", "conf_low") if turned else ("conf_low", "conf_high")
        assert sign * match[low] == pytest.approx(row["conf_low"], abs=1e-12)
        for name in ("std_error", "p_value", "p_adjusted", "p_tost", "correlation"):
            assert match[name] == pytest.approx(row[name], abs=1e-9, nan_ok=True), name
        assert match["verdict"] == row["verdict"]
    one, two = (r.to_frame("reference").set_index("unit_a").sort_index() for r in (plain, mixed))
    assert one["estimate"].to_numpy() == pytest.approx(two["estimate"].to_numpy(), abs=1e-12)
    assert (one["unit_b"] == "m0").all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_order_of_items_does_not_matter(counts_of, seed):
    rng = np.random.default_rng(seed)
    correct = rng.random((3, 40)) < rng.uniform(0.2, 0.9, (3, 1))
    order = rng.permutation(40)
    category = np.array(["A"] * 15 + ["B"] * 25)
    plain = compare(counts_of(correct, category=category), draws=100).to_frame()
    counts = counts_of(correct[:, order], category=category[order])
    mixed = compare(replace(counts, categories=("A", "B")), draws=100).to_frame()
    for name in ("estimate", "std_error", "p_value", "n_items", "odds_low"):
        assert mixed[name].to_numpy(dtype=float) == pytest.approx(
            plain[name].to_numpy(dtype=float), rel=1e-9, nan_ok=True
        )


def test_reference_table_turns_the_pairs(counts_of):
    rng = np.random.default_rng(8)
    correct = rng.random((4, 80)) < [[0.5], [0.9], [0.6], [0.3]]
    missing = np.zeros((4, 80), dtype=int)
    counts = counts_of(correct, statuses={"filtered": missing})
    found = compare(counts, by="overall", draws=DRAWS, reference="m2")
    frame = found.to_frame("reference")
    assert frame["unit_b"].eq("m2").all()
    assert frame["unit_a"].tolist() == ["m0", "m1", "m3"]
    same, turned = _row(found, "m0", "m2"), _row(found, "m2", "m3")
    row0, row3 = frame.iloc[0], frame.iloc[2]
    assert row0["estimate"] == same["estimate"]
    assert row3["estimate"] == -turned["estimate"]
    assert (row3["conf_low"], row3["conf_high"]) == (-turned["conf_high"], -turned["conf_low"])
    assert (row3["bound_low"], row3["bound_high"]) == (-turned["bound_high"], -turned["bound_low"])
    assert (row3["n_a_only"], row3["n_b_only"]) == (turned["n_b_only"], turned["n_a_only"])
    assert row3["odds_ratio"] == pytest.approx(1 / turned["odds_ratio"])
    assert row3["odds_low"] == pytest.approx(1 / turned["odds_high"])
    assert row3["p_value"] == turned["p_value"]
    assert row3["p_adjusted"] <= turned["p_adjusted"], "three tests cost no more than six"
    families = found.to_frame("families").set_index("test_family")
    assert families.loc["all pairs, overall", "n_tests"] == 6
    assert families.loc["against m2, overall", "n_tests"] == 3
    assert families["critical_value"].is_monotonic_decreasing


def test_reference_by_default_and_by_name(counts_of):
    counts = counts_of([[1, 0, 0, 1], [1, 1, 0, 1], [0, 0, 0, 1]])
    found = compare(counts, by="overall", draws=DRAWS)
    assert found.meta["reference"] == "m1"
    assert "highest accuracy" in found.meta["reference_chosen"]
    counts.units["model"] = ["x", "x", "y"]
    assert compare(counts, by="overall", reference="y", draws=DRAWS).meta["reference"] == "m2"
    with pytest.raises(UsageError, match="several conditions"):
        compare(counts, reference="x", draws=DRAWS)
    with pytest.raises(UsageError) as error:
        compare(counts, reference="nobody", draws=DRAWS)
    assert "m0, m1, m2" in str(error.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 1.0},
        {"alpha": 0.0},
        {"margin": -0.1},
        {"margin": 2.0},
        {"draws": 20},
        {"seed": -1},
        {"denominator": "everything"},
        {"by": "colour"},
    ],
)
def test_wrong_arguments(counts_of, wrong):
    with pytest.raises(UsageError):
        compare(counts_of([[1, 0], [0, 1]]), **({"draws": DRAWS} | wrong))


def test_shared_items_are_common_to_all_units(counts_of):
    trials = np.ones((3, 10), dtype=int)
    trials[0, :2] = trials[1, 2:4] = 0
    correct = trials * [[1], [0], [1]]
    counts = counts_of(correct, trials, missing=1 - trials, category=["A"] * 5 + ["B"] * 5)
    shared, own = (compare(counts, draws=DRAWS, pairwise_items=flag) for flag in (False, True))
    assert _row(shared, "m0", "m1")["n_items"] == 6
    assert _row(own, "m0", "m1")["n_items"] == 6
    assert _row(shared, "m0", "m2")["n_items"] == 6
    assert _row(own, "m0", "m2")["n_items"] == 8
    sets = shared.to_frame("item_sets")
    assert list(sets.columns) == list(ITEM_SETS)
    by = sets.set_index(["by", "group"])
    assert by.loc[("overall", "all items"), "n_items_lost"] == 4
    assert by.loc[("overall x category", "A"), "n_items_lost"] == 4
    assert by.loc[("overall x category", "B"), "n_items_lost"] == 0
    assert by.loc[("category", "A"), "n_items"] == 1
    assert any("6 were answered by all" in text for text in shared.meta["warnings"])
    assert "common items: 6 to 8" in own.to_frame("item_sets").loc[0, "note"]


@pytest.mark.parametrize("pairwise", [False, True])
def test_where_no_unit_takes_part_no_item_is_shared(counts_of, pairwise):
    trials = np.array([[1] * 10 + [0] * 10] * 2)
    counts = counts_of(trials, trials, missing=1 - trials, category=["A"] * 10 + ["B"] * 10)
    found = compare(counts, draws=DRAWS, pairwise_items=pairwise).to_frame("item_sets").set_index(["by", "group"])
    assert found.loc[("category", "B"), ["n_items", "n_items_lost", "n_units"]].tolist() == [0, 10, 0]
    nobody = counts_of(0 * trials, 0 * trials, missing=1, category=["A"] * 20)
    found = compare(nobody, draws=DRAWS, pairwise_items=pairwise).to_frame("item_sets")
    assert (found["n_items"] == 0).all()


@pytest.mark.parametrize(("answered", "said"), [(9, True), (10, False)])
def test_overall_comparisons_on_few_shared_items_are_said(counts_of, answered, said):
    trials = np.ones((3, 20), dtype=int)
    trials[0, answered:] = 0
    correct = trials * (np.random.default_rng(4).random((3, 20)) < 0.6)
    counts = counts_of(correct, trials, missing=1 - trials, category=["A"] * 20)
    found = compare(counts, draws=DRAWS)
    assert (FEW_SHARED in found.meta["warnings"]) is said
    assert FEW_SHARED not in compare(counts, draws=DRAWS, pairwise_items=True).meta["warnings"]
    flags = accuracy(counts).to_frame().set_index("unit")["flag"]
    assert (UNDER_HALF_OVERALL in flags["m0"]) is said
    assert UNDER_HALF_OVERALL not in flags["m1"]


def test_a_unit_with_under_half_of_a_category_is_left_out_of_it(counts_of):
    rng = np.random.default_rng(4)
    trials = np.ones((3, 40), dtype=int)
    trials[0, 9:20] = 0  # 9 of 20 items of A
    correct = trials * (rng.random((3, 40)) < [[0.3], [0.5], [0.9]])
    counts = counts_of(correct, trials, missing=1 - trials, category=["A"] * 20 + ["B"] * 20)
    found = compare(counts, draws=DRAWS)
    frame = found.to_frame()
    assert len(frame) == 9
    row = _row(found, "m0", "m1", "A")
    assert row["verdict"] == "not decided"
    assert np.isnan(row["p_adjusted"])
    assert row["reason"] == "m0: answered 9 of 20 items, under half"
    assert _row(found, "m1", "m2", "A")["n_items"] == 20
    families = found.to_frame("families").set_index("test_family")
    assert families.loc["all pairs, categories", "n_tests"] == 6
    assert families.loc["all pairs, categories", "n_estimable"] == 4
    assert "2 tests are not estimable" in families.loc["all pairs, categories", "note"]
    category = frame[frame["by"] == "category"]
    assert category["p_holm"].to_numpy() == pytest.approx(holm(category["p_value"]), nan_ok=True)
    letters = found.to_frame("letters").set_index(["unit", "group"])["letters"]
    assert letters[("m0", "A")] == ""
    assert letters[("m0", "B")] != ""
    assert any("m0, A" in text for text in found.meta["warnings"])
    assert ranks(counts, by="category", draws=DRAWS).to_frame()["reason"].str.contains("9 of 20").sum() == 1


def test_sign_conflict_between_own_and_shared_items(counts_of):
    """B answered only the easy items: on its own items it leads, on the shared ones A does."""
    a = [1] * 9 + [0] + [0] * 10
    b = [1] * 8 + [0] * 2 + [0] * 10
    trials = np.array([[1] * 20, [1] * 10 + [0] * 10])
    counts = counts_of(np.array([a, b]) * trials, trials, missing=1 - trials)
    row = _row(compare(counts, by="overall", draws=DRAWS), "m0", "m1")
    assert row["estimate"] > 0
    assert row["sign_conflict"]
    whole = counts_of([a, b])
    assert not _row(compare(whole, by="overall", draws=DRAWS), "m0", "m1")["sign_conflict"]


def test_bounds_by_item(counts_of):
    """Four items: both right/wrong, A missing, B missing, both missing."""
    correct, trials = np.array([[1, 0, 1, 0], [0, 1, 0, 0]]), np.array([[1, 0, 1, 0], [1, 1, 0, 0]])
    counts = counts_of(correct, trials, statuses={"filtered": 1 - trials})
    row = _row(compare(counts, by="overall", draws=DRAWS), "m0", "m1")
    # item by item, worst: 1, 0-1, 1-1, -1; best: 1, 1-1, 1-0, 1
    assert row["bound_low"] == pytest.approx((1 - 1 + 0 - 1) / 4)
    assert row["bound_high"] == pytest.approx((1 + 0 + 1 + 1) / 4)
    assert row["n_items"] == 1


def test_items_that_nobody_was_asked_are_in_no_bound(counts_of):
    trials = np.array([[1, 1, 0], [1, 1, 0]])
    row = _row(compare(counts_of([[1, 1, 0], [0, 0, 0]], trials), by="overall", draws=DRAWS), "m0", "m1")
    assert (row["bound_low"], row["bound_high"]) == (1, 1)


def test_verdict_that_hangs_on_missing_answers(counts_of):
    rng = np.random.default_rng(6)
    correct = (rng.random((2, 300)) < [[0.75], [0.55]]).astype(int)
    few, many = np.ones((2, 300), dtype=int), np.ones((2, 300), dtype=int)
    few[0, :3] = 0
    many[0, :90] = 0
    verdicts = {}
    for name, trials in (("none", np.ones((2, 300), dtype=int)), ("few", few), ("many", many)):
        counts = counts_of(correct * trials, trials, statuses={"filtered": 1 - trials})
        row = _row(compare(counts, by="overall", draws=DRAWS), "m0", "m1")
        assert row["verdict"] == "separated"
        verdicts[name] = bool(row["verdict_changes"])
    assert verdicts == {"none": False, "few": False, "many": True}


def test_equivalence_needs_a_margin_and_precision(counts_of):
    rng = np.random.default_rng(7)
    base = rng.integers(0, 2, 400)
    other = base.copy()
    other[:12] = 1 - other[:12]
    counts = counts_of([base, other])
    without = _row(compare(counts, by="overall", draws=DRAWS), "m0", "m1")
    assert without["verdict"] == "not separated"
    assert np.isnan(without["p_tost"])
    assert _row(compare(counts, by="overall", draws=DRAWS, margin=0.05), "m0", "m1")["verdict"] == "equivalent"
    assert _row(compare(counts, by="overall", draws=DRAWS, margin=0.005), "m0", "m1")["verdict"] == "not separated"
    assert "Holm" in compare(counts, by="overall", draws=DRAWS, margin=0.05).meta["method"]


def test_protocols_are_compared_only_where_stated(counts_of):
    counts = counts_of([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    counts.units["protocol"] = ["p", "p", "q", ""]
    frame = compare(counts, by="overall", draws=DRAWS).to_frame().set_index(["unit_a", "unit_b"])["same_protocol"]
    assert frame[("m0", "m1")] == "yes"
    assert frame[("m0", "m2")] == "no"
    assert frame[("m0", "m3")] == "not stated"
    bare = replace(counts, units=counts.units.drop(columns="protocol"))
    assert set(compare(bare, by="overall", draws=DRAWS).to_frame()["same_protocol"]) == {"not stated"}


def test_one_unit_is_nothing_to_compare(counts_of):
    found = compare(counts_of([[1, 0, 1]]), draws=DRAWS)
    assert {name: len(frame) for name, frame in found.tables.items()} == dict.fromkeys(
        ["estimates", "reference", "families", "letters", "item_sets"], 0
    )
    assert list(found.to_frame().columns) == list(PAIRS)
    assert "one model: nothing to compare" in found.meta["warnings"]
    assert found.meta["reference"] == "m0"


EDGES = {
    "one item": {"correct": [[1], [0]]},
    "one cluster": {"correct": [[1, 0, 1], [0, 0, 1]], "cluster": [0, 0, 0]},
    "all right": {"correct": [[1] * 5, [1] * 5]},
    "all wrong": {"correct": [[0] * 5, [0] * 5]},
    "constant difference": {"correct": [[1] * 12, [0] * 12]},
    "constant difference, graded": {"correct": [[3] * 12, [1] * 12], "trials": 4},
    "nothing answered": {"correct": [[0] * 4, [0] * 4], "trials": 0, "missing": 1},
    "one unit without answers": {
        "correct": [[1, 0, 1, 0], [0, 1, 1, 0], [0] * 4],
        "trials": [[1] * 4, [1] * 4, [0] * 4],
        "missing": [[0] * 4, [0] * 4, [1] * 4],
    },
    "no common item": {"correct": [[1, 1, 0, 0], [0, 0, 1, 0]], "trials": [[1, 1, 0, 0], [0, 0, 1, 1]]},
}


@pytest.mark.parametrize("pairwise", [False, True])
@pytest.mark.parametrize("name", EDGES)
def test_edges_are_said_not_raised(counts_of, name, pairwise):
    counts = counts_of(**EDGES[name])
    found = compare(counts, by=("overall", "macro", "category"), draws=DRAWS, margin=0.1, pairwise_items=pairwise)
    frame = found.to_frame()
    assert len(frame) == 3 * len(counts.units) * (len(counts.units) - 1) // 2
    undefined = (
        frame[
            [
                "estimate",
                "std_error",
                "conf_low",
                "conf_high",
                "statistic",
                "p_value",
                "p_adjusted",
                "correlation",
                "odds_ratio",
                "odds_high",
                "p_mcnemar",
            ]
        ]
        .isna()
        .any(axis=1)
    )
    assert (frame["reason"] != "")[undefined].all()
    assert (frame["verdict"] == "not decided").eq(frame["p_adjusted"].isna()).all()
    assert (frame["conf_low"].dropna() >= -1).all()
    found.to_json()
    ranked = ranks(counts, by=("overall", "macro"), draws=DRAWS, pairwise_items=pairwise).to_frame()
    assert (ranked["rank"].isna() == (ranked["reason"] != "")).all()


def test_one_cluster_decides_nothing(counts_of):
    row = _row(compare(counts_of(**EDGES["one cluster"]), by="overall", draws=DRAWS), "m0", "m1")
    assert row["estimate"] == pytest.approx(1 / 3)
    assert row["verdict"] == "not decided"
    assert ONE_CLUSTER in row["reason"]


def test_a_difference_on_every_item_is_separated(counts_of):
    row = _row(compare(counts_of(**EDGES["constant difference"]), by="overall", draws=DRAWS), "m0", "m1")
    assert row["p_value"] == row["p_adjusted"] == pytest.approx(2 / 2**12)
    assert row["verdict"] == "separated"
    assert row["flag"] == pair_rows.ALL_ALIKE
    assert row["method"] == "Bonett-Price"
    assert 0.5 < row["conf_low"] < row["conf_high"] <= 1
    graded = _row(compare(counts_of(**EDGES["constant difference, graded"]), by="overall", draws=DRAWS), "m0", "m1")
    assert graded["verdict"] == "separated"
    assert np.isnan(graded["conf_low"])
    assert NO_SPREAD in graded["reason"]


def test_a_unit_without_answers_does_not_empty_the_shared_items(counts_of):
    counts = counts_of(**EDGES["one unit without answers"])
    found = compare(counts, by="overall", draws=DRAWS)
    assert _row(found, "m0", "m1")["n_items"] == 4
    assert _row(found, "m0", "m2")["reason"] == "m2: no item was answered"


def test_mean_over_categories(counts_of):
    rng = np.random.default_rng(9)
    correct = rng.random((3, 60)) < [[0.8], [0.5], [0.5]]
    category = ["A"] * 10 + ["B"] * 50
    row = _row(
        compare(counts_of(correct, category=category), by="macro", draws=DRAWS), "m0", "m1", "mean of 2 categories"
    )
    difference = correct[0].astype(float) - correct[1]
    expected = cluster_mean(difference, np.arange(60), np.array([0] * 10 + [1] * 50))
    assert row["estimate"] == pytest.approx((difference[:10].mean() + difference[10:].mean()) / 2)
    assert row["std_error"] == pytest.approx(expected.std_error)
    assert row["df"] == expected.df
    assert row["test_family"] == "all pairs, mean of categories"


def test_adjusted_values_are_in_order(counts_of):
    rng = np.random.default_rng(11)
    correct = rng.random((6, 200)) < np.linspace(0.4, 0.8, 6)[:, None]
    frame = compare(counts_of(correct, category=["A"] * 120 + ["B"] * 80), draws=999).to_frame()
    for _, family in frame.groupby("test_family"):
        assert (family["p_adjusted"] >= family["p_value"]).all()
        assert (family["p_holm"] >= family["p_bh"] - 1e-15).all()
        separated = family["verdict"] == "separated"
        assert separated.eq(family["p_adjusted"] < 0.05).all()
        assert separated.any()
        clear = (family["sim_low"] > 0) | (family["sim_high"] < 0)
        assert separated[clear & (family["method"] != "Bonett-Price")].all(), "beyond the single-step value"
        inside = family["method"] != "Bonett-Price"
        wider = (family["sim_high"] - family["sim_low"]) > (family["conf_high"] - family["conf_low"])
        assert wider[inside].all()


def test_a_simultaneous_interval_is_never_the_narrower_one(counts_of):
    """With one pair in 30 items the random signs alone give a critical value below the t quantile."""
    correct = np.array([[1] * 18 + [0] * 12, [1] * 6 + [0] * 12 + [1] * 5 + [0] * 7])
    found = compare(counts_of(correct), by="overall", draws=4_000)
    row = found.to_frame().iloc[0]
    assert row["method"] == "clustered t (CR1)"
    assert found.to_frame("families").loc[0, "critical_value"] < stats.t.isf(0.025, 29)
    assert row["sim_low"] <= row["conf_low"] < row["conf_high"] <= row["sim_high"]


def test_same_seed_same_bytes(counts_of):
    rng = np.random.default_rng(12)
    counts = counts_of(rng.integers(0, 4, (3, 30)), 3)
    one, two = (compare(counts, draws=DRAWS, seed=4).to_json() for _ in range(2))
    assert one == two
    assert compare(counts, draws=DRAWS, seed=5).to_json() != one


def test_settings_drop_the_rounding_of_a_level():
    assert PairSettings(alpha=1 - 0.95).alpha == 0.05


def test_size_on_shared_passages(counts_of):
    """Two equally good models on passages of three items: sign-flip at most 5.5 %, t between 3 and 6.5 %."""
    rng = np.random.default_rng(30)
    cluster = np.repeat(np.arange(40), 3)
    repeats = 1_500
    flips = ts = 0
    for _ in range(repeats):
        coping = rng.normal(0, 1, (2, 40))[:, cluster] + rng.normal(0, 1, 120)
        right = (rng.random((2, 120)) < 1 / (1 + np.exp(-coping))).astype(float)
        sums = np.bincount(cluster, right[0] - right[1])
        mean = cluster_mean(right[0] - right[1], cluster)
        flips += sign_flip(sums[:, None]).p[0] < 0.05
        ts += 2 * stats.t.sf(abs(mean.estimate / mean.std_error), mean.df) < 0.05
    allowance = 3 * np.sqrt(0.05 * 0.95 / repeats)
    assert flips / repeats <= 0.055 + allowance
    assert 0.03 - allowance <= ts / repeats <= 0.065 + allowance


def test_real_files(three_files):
    """Uneven coverage of Functional shows, and the rest is compared."""
    items = cs.read_items()
    found = cs.compare(cs.read_trials(three_files, items=items), items, draws=200)
    frame = found.to_frame()
    left_out = frame[frame["verdict"] == "not decided"]
    assert left_out["group"].unique().tolist() == ["Functional"]
    assert left_out["reason"].str.contains("gpt-5-nano: answered 14 of 133 items").all()
    overall = found.to_frame("item_sets").set_index(["by", "group"])
    assert overall.loc[("overall x category", "Functional"), "n_items"] <= 14
    assert overall.loc[("category", "Functional"), "n_items"] > 100
    assert (frame.loc[frame["by"] == "overall", "se_ratio"] > 1).all(), "pairing helps"
    assert found.meta["reference"] == "gpt-4o"


def test_differences_that_cancel_in_every_cluster_are_not_identical_models(counts_of):
    correct = [[1, 0] * 20, [0, 1] * 20]
    row = _row(compare(counts_of(correct, cluster=np.arange(40) // 2), by="overall", draws=DRAWS), "m0", "m1")
    assert (row["n_a_only"], row["n_b_only"]) == (20, 20)
    assert row["estimate"] == 0
    assert row["p_value"] == row["p_adjusted"] == 1
    assert row["flag"] != pair_rows.NO_DISCORDANT
    assert row["conf_low"] < 0 < row["conf_high"]
    graded = counts_of(np.array(correct) + 1, 4, cluster=np.arange(40) // 2)
    row = _row(compare(graded, by="overall", draws=DRAWS), "m0", "m1")
    assert np.isnan(row["conf_low"])
    assert NO_SPREAD in row["reason"]


def test_many_units_left_out_for_one_reason_are_counted_not_named(counts_of):
    trials = np.ones((5, 20), dtype=int)
    trials[:, 12:] = 0  # of the second category, nobody answered more than two of ten
    counts = counts_of(trials, trials, category=["A"] * 10 + ["B"] * 10)
    found = compare(counts, by=["category"])
    said = [text for text in found.meta["warnings"] if text.startswith("Left out of comparisons")]
    assert said == ["Left out of comparisons: 5 models, B (answered 2 of 10 items, under half)."]
    rows = found.to_frame()
    assert set(rows.loc[rows["group"] == "B", "reason"]) == {"both models: answered 2 of 10 items, under half"}
