import itertools
import json
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from click_stats.stats.tools import mcnemar, permutation
from click_stats.stats.tools.permutation import by_enumeration, by_simulation, sign_flip

FOLDER = Path(__file__).parents[1] / "oracles" / "paired"
ORACLE = json.loads((FOLDER / "expected.json").read_text())
DATA = pd.read_csv(FOLDER / "input.csv")
SMALL = pd.read_csv(FOLDER / "input_small.csv")


@pytest.mark.parametrize("pair", ORACLE["order_of_pairs"])
def test_exact_p_values_agree_with_r(pair):
    expected = ORACLE["pairs"][pair]
    a, b = expected["a"], expected["b"]
    counts = DATA[f"count_{b}"] - DATA[f"count_{a}"]
    right = DATA[f"right_{b}"] - DATA[f"right_{a}"]
    found = sign_flip(np.column_stack([counts / 12, right]), denominators=[12, 1])
    assert found.method == (permutation.CONVOLUTION,) * 2
    assert found.p == pytest.approx([expected["p_signflip_exact_score"], expected["p_signflip_exact_binary"]], rel=1e-9)


def test_enumeration_convolution_and_simulation_agree_with_r():
    difference = (SMALL["count_b"] - SMALL["count_a"]).to_numpy(dtype=float)
    expected = ORACLE["small"]
    assert sign_flip(difference[:, None]).p[0] == pytest.approx(expected["p_exact_convolution"], rel=1e-9)
    assert by_enumeration(difference) == pytest.approx(expected["p_exact_enumeration"], rel=1e-9)
    simulated = by_simulation(difference[:, None], draws=100_000, seed=3)[0]
    assert simulated == pytest.approx(expected["p_exact_enumeration"], abs=4 * expected["mc"]["mc_se"])


@pytest.mark.parametrize("name", ORACLE["signflip_mc"])
def test_simulation_agrees_with_the_exact_value(name):
    expected = ORACLE["signflip_mc"][name]
    a, b, kind = name.replace("_vs", "").split("_")
    column = "right" if kind == "binary" or name == "m1_vs_m2_score" else "count"
    difference = (DATA[f"{column}_{b}"] - DATA[f"{column}_{a}"]).to_numpy(dtype=float)
    exact = sign_flip(difference[:, None]).p[0]
    p = by_simulation(difference[:, None], draws=20_000, seed=1)[0]
    assert p == pytest.approx(exact, abs=1 / 20_001 + 4 * np.sqrt(exact * (1 - exact) / 20_000))
    assert p >= 1 / 20_001
    if name != "m1_vs_m2_score":  # there the script stored the exact value of another column beside it
        assert exact == pytest.approx(expected["p_exact"], rel=1e-9)


@given(st.integers(0, 40), st.integers(0, 40))
def test_without_clusters_the_test_is_exact_mcnemar(a, b):
    sums = np.array([1.0] * a + [-1.0] * b + [0.0] * 3)
    assert sign_flip(sums[:, None]).p[0] == pytest.approx(mcnemar.exact(a, b), rel=1e-12)
    if a + b:
        assert sign_flip(sums[:, None]).p[0] == pytest.approx(stats.binomtest(a, a + b).pvalue, rel=1e-9)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=10))
def test_convolution_equals_the_definition(sums):
    observed = abs(sum(sums))
    signs = itertools.product((-1, 1), repeat=len(sums))
    hits = [abs(sum(s * v for s, v in zip(sign, sums, strict=True))) >= observed for sign in signs]
    assert sign_flip(np.array(sums, dtype=float)[:, None]).p[0] == pytest.approx(np.mean(hits), rel=1e-12)


@given(
    st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=10).filter(
        lambda values: max(map(abs, values)) > 1e-3
    )
)
def test_enumeration_counts_ties_and_ignores_order_and_sign(values):
    sums = np.array(values)
    p = by_enumeration(sums)
    assert p == pytest.approx(by_enumeration(-sums[::-1]), abs=1e-12)
    assert 2 / 2 ** len(sums) <= p <= 1


def test_sums_that_round_apart_still_tie():
    sums = np.array([0.1, 0.2, 0.3, 0.1 + 0.2])
    exact = sign_flip(np.array([1.0, 2, 3, 3])[:, None]).p[0]
    assert by_enumeration(sums) == pytest.approx(exact, abs=1e-12)
    assert sign_flip(sums[:, None], denominators=[10]).p[0] == pytest.approx(exact, abs=1e-12)


def test_method_follows_the_sums():
    rng = np.random.default_rng(1)
    few, many = rng.normal(size=14), rng.normal(size=15)
    assert sign_flip(few[:, None]).method == (permutation.ENUMERATION,)
    found = sign_flip(np.column_stack([many, np.r_[few, 0.0]]), draws=500)
    assert found.method == (permutation.MONTE_CARLO, permutation.ENUMERATION)
    assert sign_flip(many[:, None], denominators=[0], draws=500).method == (permutation.MONTE_CARLO,)
    assert sign_flip(np.zeros((4, 1))).p.tolist() == [1.0]
    assert sign_flip(np.zeros((0, 2))).p.tolist() == [1.0, 1.0]


def test_denominators_make_shares_of_trials_whole():
    thirds = np.array([1, -1, 2, 1, 1, -2, 3] * 3) / 3
    found = sign_flip(thirds[:, None], denominators=[3])
    assert found.method == (permutation.CONVOLUTION,)
    assert found.p[0] == pytest.approx(sign_flip(np.rint(3 * thirds)[:, None]).p[0], rel=1e-12)
    assert sign_flip(thirds[:, None], denominators=[2], draws=99).method == (permutation.MONTE_CARLO,)


def test_costly_convolutions_are_simulated():
    sums = np.arange(1, 400) * 1_000.0 + 1
    assert sign_flip(sums[:, None] * np.where(np.arange(399) % 2, 1, -1)[:, None], draws=99).method == (
        permutation.MONTE_CARLO,
    )


def test_small_p_values_keep_their_precision():
    assert sign_flip(np.ones((500, 1))).p[0] == pytest.approx(2 * 0.5**500, rel=1e-9)
    some = np.r_[np.ones(200), -np.ones(20)]
    tail = 2 * sum(comb(220, k) for k in range(21)) / 2**220
    assert sign_flip(some[:, None]).p[0] == pytest.approx(tail, rel=1e-9)
    assert sign_flip(np.ones((5000, 1))).p[0] > 0


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_declaring_clusters_takes_away_evidence_from_copies(seed):
    rng = np.random.default_rng(seed)
    difference = rng.integers(-1, 2, 30).astype(float)
    copied = sign_flip((3 * difference)[:, None])  # each item three times, declared as one cluster
    assert copied.p[0] == pytest.approx(sign_flip(difference[:, None]).p[0], rel=1e-12)


def test_same_seed_same_p():
    sums = np.random.default_rng(0).normal(size=(40, 2))
    assert by_simulation(sums, draws=700, seed=5).tolist() == by_simulation(sums, draws=700, seed=5).tolist()
    assert by_simulation(sums, draws=700, seed=5)[0] == by_simulation(sums[:, :1], draws=700, seed=5)[0]
