"""Conditional maximum likelihood of the Rasch model: R's eRm, enumeration, existence, recovery, edges."""

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from click_stats.errors import DataError
from click_stats.stats.irt import conditional
from click_stats.stats.irt.conditional import ALL_RIGHT, ALL_WRONG, SPLIT, TOO_FEW, andersen, fit
from click_stats.stats.irt.symmetric import abilities, given_scores

ORACLE = Path(__file__).parents[2] / "oracles" / "irt1pl"
INPUTS = {"simulated": "input.csv", "real": "input_real.csv"}


@pytest.fixture(scope="module")
def expected():
    return json.loads((ORACLE / "expected.json").read_text())


def answers(name):
    table = pd.read_csv(ORACLE / INPUTS[name])
    return table.drop(columns="model", errors="ignore").to_numpy()


def simulated(rng, n_units, difficulty, spread=1.2):
    ability = rng.normal(0, spread, n_units)
    return (rng.random((n_units, len(difficulty))) < expit(ability[:, None] - difficulty)).astype(int)


@pytest.mark.parametrize("name", INPUTS)
def test_difficulties_errors_and_abilities_are_those_of_erm(expected, name):
    x, known = answers(name), expected[name]
    found = fit(x)
    assert found.reason == ""
    assert found.difficulty == pytest.approx(list(known["refined"]["difficulty"].values()), abs=1e-5)
    assert found.difficulty.sum() == pytest.approx(0, abs=1e-10)
    assert found.std_error == pytest.approx(list(known["difficulty_se"].values()), rel=1e-3)
    assert found.log_likelihood == pytest.approx(known["refined"]["conditional_logLik"], abs=1e-8)
    assert found.n_parameters == known["npar"]
    scores = x.sum(axis=1)
    compared = 0
    for score, theta, error in zip(known["raw_score"], known["theta_ml"], known["theta_se"], strict=True):
        if error is not None:
            assert found.ability[scores == score] == pytest.approx(theta, abs=1e-3)
            assert found.ability_error[scores == score] == pytest.approx(error, rel=1e-3)
            compared += 1
    assert compared > 10


def test_andersens_test_is_that_of_erm(expected):
    known = expected["simulated"]["andersen_lr_median_split"]
    found = andersen(answers("simulated"))
    assert found.statistic == pytest.approx(known["LR"], abs=1e-3)
    assert found.df == known["df"]
    assert found.p_value == pytest.approx(known["p"], rel=1e-3)


@pytest.mark.parametrize("scale", [0.5, 3.0, 12.0])
def test_probabilities_given_the_score_are_those_of_enumeration(scale):
    rng = np.random.default_rng(4)
    difficulty, size = rng.normal(0, scale, 5), np.array([1, 3, 2, 1, 4])
    every = np.repeat(difficulty, size)
    patterns = np.array(list(itertools.product((0, 1), repeat=every.size)))
    weight = -patterns @ every
    scores = np.arange(1, every.size)
    found = given_scores(difficulty, size, scores)
    first = np.cumsum(size) - size
    for row, r in enumerate(scores):
        own = patterns[patterns.sum(axis=1) == r]
        w = weight[patterns.sum(axis=1) == r]
        assert found.log_total[row] == pytest.approx(np.logaddexp.reduce(w), abs=1e-11)
        share = np.exp(w - np.logaddexp.reduce(w)) @ own
        assert found.right[row] == pytest.approx(share[first], rel=1e-9, abs=1e-12)


def test_two_thousand_items_neither_overflow_nor_lose_digits():
    rng = np.random.default_rng(5)
    difficulty, size = np.sort(rng.normal(0, 2.5, 40)), rng.integers(1, 100, 40)
    n = int(size.sum())
    scores = np.unique(rng.integers(1, n, 60))
    found = given_scores(difficulty, size, scores)
    # The expected number right given the score is the score.
    assert found.right @ size == pytest.approx(scores, rel=1e-10)
    assert (np.diff(found.right, axis=1) < 0).all()
    assert np.isfinite(found.log_total).all()


def test_the_expected_score_at_an_ability_is_the_score():
    difficulty, size = np.array([-30.0, 0.0, 30.0]), np.array([2, 1, 2])
    scores = np.arange(1, 5)
    found = abilities(difficulty, size, scores)
    assert expit(found[:, None] - difficulty) @ size == pytest.approx(scores, abs=1e-9)
    assert (np.diff(found) > 0).all()


def test_the_errors_are_those_of_a_numerical_information():
    rng = np.random.default_rng(6)
    x = simulated(rng, 25, np.linspace(-1.5, 1.5, 6).repeat(2))
    found = fit(x)
    used = x[(x.sum(axis=1) > 0) & (x.sum(axis=1) < x.shape[1])]
    scores, n_at = np.unique(used.sum(axis=1), return_counts=True)
    ones = np.ones(x.shape[1], dtype=int)

    def likelihood(b):
        return -used.sum(axis=0) @ b - n_at @ given_scores(b, ones, scores).log_total

    eye, h, b = np.eye(x.shape[1]), 1e-3, found.difficulty
    hessian = np.array(
        [
            [
                (
                    likelihood(b + h * (u + v))
                    - likelihood(b + h * (u - v))
                    - likelihood(b - h * (u - v))
                    + likelihood(b - h * (u + v))
                )
                / (4 * h * h)
                for u in eye
            ]
            for v in eye
        ]
    )
    assert found.std_error == pytest.approx(np.sqrt(np.diag(np.linalg.pinv(-hessian, rcond=1e-4))), rel=1e-4)
    assert found.log_likelihood == pytest.approx(likelihood(b), abs=1e-10)


def test_the_order_of_items_and_units_does_not_matter_and_equal_scores_have_equal_estimates():
    rng = np.random.default_rng(7)
    x = simulated(rng, 15, rng.normal(0, 1, 40))
    units, items = rng.permutation(15), rng.permutation(40)
    found, other = fit(x), fit(x[units][:, items])
    assert other.difficulty == pytest.approx(found.difficulty[items], nan_ok=True)
    assert other.ability == pytest.approx(found.ability[units], nan_ok=True)
    kept = found.kept
    order = np.argsort(x[:, kept].sum(axis=0), kind="stable")
    right, b = x[:, kept].sum(axis=0)[order], found.difficulty[kept][order]
    assert np.all(np.diff(b)[np.diff(right) > 0] < 0)
    assert np.diff(b)[np.diff(right) == 0] == pytest.approx(0)


def test_items_that_tell_nothing_are_left_out_with_the_reason_also_when_only_a_unit_made_them_differ():
    rng = np.random.default_rng(8)
    x = np.column_stack([np.ones(30, int), np.zeros(30, int), simulated(rng, 30, np.zeros(6)), np.ones(30, int)])
    x[0] = 0  # right in nothing: without this unit the last item is right everywhere
    x[0, 0] = 1
    found = fit(x)
    assert found.left_out[0] == ALL_RIGHT
    assert found.left_out[1] == ALL_WRONG
    assert found.left_out[8] == ALL_RIGHT
    assert found.left_out[2:8] == ("",) * 6
    assert np.isnan(found.ability[0])
    assert found.kept.tolist() == [False, False, *[True] * 6, False]
    alone = fit(x[:, 2:8])
    assert found.difficulty[2:8] == pytest.approx(alone.difficulty)


def test_without_a_finite_maximum_there_is_a_reason_and_no_number():
    easy_first = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0], [1, 1, 0, 1]])
    found = fit(easy_first)
    assert found.reason == SPLIT
    assert np.isnan(found.difficulty).all()
    assert np.isnan(found.log_likelihood)
    linked = np.vstack([easy_first, [1, 0, 1, 0], [0, 1, 1, 1]])
    assert fit(linked).reason == ""


@pytest.mark.parametrize(
    "x",
    [
        np.ones((4, 5), int),
        np.zeros((4, 5), int),
        np.array([[1, 0, 1]]),
        np.array([[0], [1], [1]]),
        np.zeros((0, 3), int),
    ],
    ids=["all right", "all wrong", "one unit", "one item", "no unit"],
)
def test_data_without_two_differing_items_have_a_reason(x):
    found = fit(x)
    assert found.reason == TOO_FEW
    assert np.isnan(found.difficulty).all()
    assert found.ability.shape == (x.shape[0],)
    assert andersen(x).reason == conditional.NOT_IN_GROUPS


def test_two_units_with_opposite_answers_are_equal_difficulties():
    found = fit(np.array([[1, 0], [0, 1]]))
    assert found.difficulty == pytest.approx([0, 0])
    # The information about the difference is 2/4; each difficulty is half of it.
    assert found.std_error == pytest.approx([np.sqrt(2) / 2] * 2)


def test_answers_that_are_not_0_or_1_are_refused():
    with pytest.raises(DataError, match="right or wrong"):
        fit(np.array([[0, 2], [1, 0]]))


def test_items_extreme_in_a_group_leave_the_test_of_all_groups():
    rng = np.random.default_rng(9)
    x = simulated(rng, 60, np.zeros(7))
    split = np.arange(60) % 2
    x[split == 0, 3] = 1
    found = andersen(x, split)
    assert found.kept.tolist() == [True, True, True, False, True, True, True]
    assert found.df == 5
    without = andersen(np.delete(x, 3, axis=1), split)
    assert found.statistic == pytest.approx(without.statistic)


def test_intervals_cover_and_andersens_test_keeps_its_size_and_has_power():
    rng = np.random.default_rng(10)
    difficulty = np.linspace(-1.5, 1.5, 8)
    covered, rejected, seen = [], [], []
    for _ in range(200):
        x = simulated(rng, 120, difficulty)
        found = fit(x)
        covered.append(np.abs(found.difficulty - difficulty) < 1.96 * found.std_error)
        rejected.append(andersen(x).p_value < 0.05)
        slopes = np.linspace(0.2, 2.5, 8)
        ability = rng.normal(0, 1.2, 120)
        unequal = (rng.random((120, 8)) < expit(slopes * (ability[:, None] - difficulty))).astype(int)
        seen.append(andersen(unequal).p_value < 0.05)
    # 1,600 intervals, 200 tests: three Monte Carlo errors.
    assert np.mean(covered) == pytest.approx(0.95, abs=3 * np.sqrt(0.05 * 0.95 / 1600) + 0.005)
    assert np.mean(rejected) == pytest.approx(0.05, abs=3 * np.sqrt(0.05 * 0.95 / 200) + 0.01)
    assert np.mean(seen) > 0.8
