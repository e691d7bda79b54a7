import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.errors import UsageError
from click_stats.stats.tools.clustered import cluster_mean, cluster_means, cluster_sums

ORACLES = Path(__file__).parents[1] / "oracles"


def test_clustered_mean_agrees_with_sandwich():
    frame = pd.read_csv(ORACLES / "entropy" / "input_clusters.csv")
    expected = json.loads((ORACLES / "entropy" / "expected.json").read_text())["clustered_mean"]
    found = cluster_mean(frame["score"].to_numpy(), pd.factorize(frame["cluster"])[0])
    assert found.estimate == pytest.approx(expected["mean"], abs=1e-12)
    assert found.std_error == pytest.approx(expected["se_cr1"], abs=1e-12)
    assert found.std_error == pytest.approx(expected["sandwich_HC1_cadjust_true"], abs=1e-12)
    assert (found.n_items, found.n_clusters) == (expected["n"], expected["clusters"])
    assert found.df == expected["clusters"] - 1
    assert not found.reason


def test_standard_errors_agree_with_the_formula_of_the_boot_oracle():
    frame = pd.read_csv(ORACLES / "boot" / "input.csv")
    expected = json.loads((ORACLES / "boot" / "expected.json").read_text())
    score = (frame["count"] / frame["n_trials"]).to_numpy()
    item, passage = np.arange(len(frame)), pd.factorize(frame["passage"])[0]
    category = pd.factorize(frame["category"])[0]
    micro = cluster_mean(score, passage)
    assert micro.std_error == pytest.approx(expected["overall_micro_clustered"]["se_formula"], abs=1e-10)
    macro = cluster_mean(score, item, category)
    assert macro.estimate == pytest.approx(expected["overall_macro_stratified"]["estimate"], abs=1e-10)
    assert macro.std_error == pytest.approx(expected["overall_macro_stratified"]["se_formula"], abs=1e-10)
    assert macro.df == len(frame) - frame["category"].nunique()
    for name, part in frame.groupby("category"):
        rows = part.index.to_numpy()
        found = cluster_mean(score[rows], passage[rows])
        assert found.std_error == pytest.approx(expected["clustered"][name]["se_formula"], abs=1e-10)
        assert cluster_mean(score[rows], item[rows]).std_error == pytest.approx(
            expected["simple"][name]["se_formula"], abs=1e-10
        )


def test_trials_are_not_questions():
    """Case S34: 4 questions, two all right and two all wrong."""
    found = cluster_mean(np.array([1.0, 1.0, 0.0, 0.0]), np.arange(4))
    assert found.estimate == 0.5
    assert found.std_error == pytest.approx(0.288675, abs=1e-6)


@pytest.mark.parametrize(
    ("values", "clusters", "strata", "estimate", "reason"),
    [
        ([np.nan, np.nan], [0, 1], None, np.nan, "no item"),
        ([], [], None, np.nan, "no item"),
        ([1.0], [0], None, 1.0, "only one cluster"),
        ([1.0, 0.0, 0.5], [3, 3, 3], None, 0.5, "only one cluster"),
        ([1 / 3] * 7, list(range(7)), None, 1 / 3, "same mean"),
        ([1.0, 0.0, 0.0, 1.0], [0, 0, 1, 1], None, 0.5, "same mean"),
        ([1.0, 0.0, -1.0, 0.0, 1.0, -1.0], [0, 1, 0, 1, 2, 2], None, 0.0, "same mean"),
        ([1.0, np.nan, 0.0], [0, 1, 2], [0, 1, 0], np.nan, "1 of 2 categories"),
        ([1.0, 0.0, 1.0], [0, 1, 2], [0, 0, 1], 0.75, "category with only one cluster"),
    ],
)
def test_undefined_errors_have_a_reason(values, clusters, strata, estimate, reason):
    found = cluster_mean(np.array(values), np.array(clusters, dtype=int), None if strata is None else np.array(strata))
    assert found.estimate == pytest.approx(estimate, nan_ok=True)
    assert np.isnan(found.std_error)
    assert np.isnan(found.df)
    assert reason in found.reason


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0])
def test_all_equal_at_an_end_has_no_spread_but_is_no_mystery(value):
    found = cluster_mean(np.full(49, value), np.arange(49))
    assert (found.estimate, found.std_error, found.df, found.reason) == (value, 0.0, 48.0, "")


def test_shapes_and_codes_are_checked():
    with pytest.raises(UsageError, match="one length"):
        cluster_mean(np.zeros(3), np.zeros(2, dtype=int))
    with pytest.raises(UsageError, match="negative"):
        cluster_mean(np.zeros(2), np.array([0, -1]))


data = st.integers(2, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]), min_size=n, max_size=n),
        st.lists(st.integers(0, 6), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.permutations(range(n)),
    )
)


@given(data)
def test_order_of_items_and_names_of_clusters_do_not_matter(case):
    values, clusters, strata, order = map(np.array, case)
    for s in (None, strata):
        first = cluster_mean(values, clusters, s)
        second = cluster_mean(values[order], (7 * clusters + 3)[order], None if s is None else s[order])
        assert first[:3] == pytest.approx(second[:3], nan_ok=True, abs=1e-9)
        assert first[3:] == second[3:]


@given(data)
def test_sums_add_up(case):
    values, clusters, strata, _ = map(np.array, case)
    for s in (None, strata):
        sums, found = cluster_sums(values, clusters, s), cluster_mean(values, clusters, s)
        assert sums.centred.sum() == pytest.approx(0, abs=1e-12)
        if not np.isnan(found.estimate):
            assert sums.uncentred.sum() == pytest.approx(found.estimate, abs=1e-12)
        if found.std_error > 0:
            assert np.sqrt((sums.scaled**2).sum()) == pytest.approx(found.std_error)


@given(data)
def test_missing_is_the_same_as_left_out(case):
    values, clusters, _, _ = map(np.array, case)
    kept = ~np.isnan(values)
    assert cluster_mean(values, clusters) == pytest.approx(cluster_mean(values[kept], clusters[kept]), nan_ok=True)


@given(data)
def test_copying_the_items_of_every_cluster_into_it_changes_nothing(case):
    """More items of the same passages are no new information: the error must not shrink."""
    values, clusters, strata, _ = map(np.array, case)
    for s in (None, strata):
        once = cluster_mean(values, clusters, s)
        twice = cluster_mean(np.tile(values, 2), np.tile(clusters, 2), None if s is None else np.tile(s, 2))
        assert twice.std_error == pytest.approx(once.std_error, nan_ok=True, abs=1e-9)
        assert twice.n_clusters == once.n_clusters


@given(data)
def test_a_second_copy_of_every_cluster_is_new_information(case):
    values, clusters, _, _ = map(np.array, case)
    once = cluster_mean(values, clusters)
    twice = cluster_mean(np.tile(values, 2), np.concatenate([clusters, clusters + 7]))
    if once.std_error > 0:
        g = once.n_clusters
        ratio = np.sqrt((2 * g / (2 * g - 1)) / (g / (g - 1)) / 2)
        assert twice.std_error == pytest.approx(once.std_error * ratio)


@given(data, st.lists(st.integers(1, 5), min_size=30, max_size=30))
def test_many_units_at_once_are_the_same_as_one_by_one(case, weights):
    values, clusters, strata, order = map(np.array, case)
    rows = np.stack([values, values[order], np.nan_to_num(values, nan=0.5), values])
    w = np.stack([weights[: values.size]] * 3 + [np.ones(values.size, dtype=int)]).astype(float)
    for s in (None, strata):
        together = cluster_means(rows, clusters, s, w)
        for row in range(4):
            assert together[row] == pytest.approx(cluster_mean(rows[row], clusters, s, w[row]), nan_ok=True)
