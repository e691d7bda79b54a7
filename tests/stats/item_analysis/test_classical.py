"""Proportions correct and correlations with the rest: hand values, coverage, missing answers, edges."""

import numpy as np
import pytest
from scipy import special

from click_stats.stats.item_analysis import classical
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson


def alone(scores):
    return np.arange(len(scores))


def test_proportion_is_the_clustered_wilson_interval_over_models():
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 4, (12, 6)) / 3
    scores[2, 1] = scores[5, 4] = np.nan
    model = np.array([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9])
    found = classical.proportions(scores, model, 0.9)
    for item in range(6):
        mean = cluster_mean(scores[:, item], model)
        interval = clustered_wilson(mean, 0.9)
        assert found.value[item] == pytest.approx(mean.estimate, abs=1e-12)
        assert found.std_error[item] == pytest.approx(mean.std_error, abs=1e-12)
        assert (found.low[item], found.high[item]) == pytest.approx((interval.low, interval.high), abs=1e-12)


def test_all_right_has_an_interval_and_no_answer_has_none():
    scores = np.array([[1.0, 0.0, np.nan], [1.0, 0.0, np.nan], [1.0, 0.0, np.nan]])
    found = classical.proportions(scores, alone(scores), 0.95)
    assert found.value[:2].tolist() == [1.0, 0.0]
    assert found.low[0] < 1 == found.high[0]
    assert found.low[1] == 0 < found.high[1]
    assert np.isnan(found.value[2])
    assert found.reason == ["", "", classical.NO_ANSWER]


def test_one_model_has_no_error():
    found = classical.proportions(np.array([[1.0, 0.0]]), np.array([0]), 0.95)
    assert np.isnan([found.std_error, found.low, found.high]).all()
    assert found.reason == [classical.ONE_MODEL] * 2


def test_coverage_of_the_proportion():
    """Twenty models drawn from a population with varied ability. 2,000 items of one kind: Monte Carlo error .005."""
    rng = np.random.default_rng(4)
    ability = rng.normal(size=(20, 2000))
    scores = (rng.random((20, 2000)) < special.expit(0.8 + ability)).astype(float)
    truth = special.expit(0.8 + rng.normal(size=400_000)).mean()
    found = classical.proportions(scores, np.arange(20), 0.95)
    coverage = ((found.low <= truth) & (truth <= found.high)).mean()
    assert abs(coverage - 0.95) < 0.02


def test_missing_easy_items_do_not_lower_the_rest_score():
    """Two models alike on what both answered: the one that met fewer easy items has no lower rest score."""
    scores = np.array([[1, 1, 1, 0, 1], [np.nan, np.nan, 1, 0, 1], [1, 1, 0, 1, 0], [1, 1, 0, 0, 1.0]])
    rest = classical.rest_scores(scores)
    assert rest[1, 4] > rest[2, 4]
    assert rest[1, 4] >= rest[0, 4]


def test_reasons_of_correlations():
    scores = np.array([[1, 0, 0.5, 1, np.nan], [1, 0, 0.5, 0, np.nan], [1, 0, 0.5, 1, np.nan], [1, 0, 0.5, 0, np.nan]])
    rest = np.array([0.1, 0.2, 0.3, 0.4])[:, None] * np.ones(5)
    found = classical.correlations(scores, rest, alone(scores), 0.95)
    assert found.reason == [
        classical.ALL_RIGHT, classical.ALL_WRONG, classical.NO_SPREAD, "", classical.NO_ANSWER,
    ]  # fmt: skip
    assert np.isnan(found.value[[0, 1, 2, 4]]).all()
    flat = classical.correlations(scores[:, 3:4], np.zeros((4, 1)), alone(scores), 0.95)
    assert flat.reason == [classical.NO_REST]
    three = classical.correlations(scores[:3, 3:4], rest[:3, :1], np.arange(3), 0.95)
    assert np.isfinite(three.value[0])
    assert np.isnan(three.low[0])
    assert three.reason == [classical.TOO_FEW]


def test_a_perfect_correlation_has_no_interval():
    rest = np.arange(6.0)[:, None]
    found = classical.correlations(2 * rest, rest, np.arange(6), 0.95)
    assert found.value[0] == 1
    assert np.isnan([found.low[0], found.high[0]]).all()
    assert found.reason == [classical.PERFECT]


def test_conditions_of_one_model_widen_the_interval():
    rng = np.random.default_rng(5)
    scores = rng.integers(0, 2, (10, 30)).astype(float)
    rest = classical.rest_scores(scores)
    apart = classical.correlations(scores, rest, np.arange(10), 0.95)
    shared = classical.correlations(scores, rest, np.arange(10) // 2, 0.95)
    known = ~np.isnan(apart.value)
    assert (shared.low[known] < apart.low[known]).all()
    assert shared.value == pytest.approx(apart.value, nan_ok=True)


def test_coverage_of_the_correlation():
    """Normal scores: Fisher's interval is nearly exact. 2,000 items: Monte Carlo error .005."""
    rng = np.random.default_rng(6)
    rest = rng.normal(size=(20, 2000))
    values = 0.6 * rest + 0.8 * rng.normal(size=rest.shape)
    found = classical.correlations(values, rest, np.arange(20), 0.95)
    assert abs(((found.low <= 0.6) & (found.high >= 0.6)).mean() - 0.95) < 0.015


@pytest.mark.parametrize("easiness", [0.0, 1.2])
def test_coverage_of_the_correlation_of_zeros_and_ones(easiness):
    """Fisher's interval is approximate here: it must not be far off. 2,000 items: Monte Carlo error .005."""
    rng = np.random.default_rng(14)

    def drawn(n):
        rest = rng.normal(size=(n, 2000))
        return (rng.random(rest.shape) < special.expit(easiness + 1.5 * rest)).astype(float), rest

    values, rest = drawn(20)
    truth = np.nanmean(classical.correlation(*drawn(1000)))
    found = classical.correlations(values, rest, np.arange(20), 0.95)
    known = ~np.isnan(found.value)
    coverage = ((found.low <= truth) & (truth <= found.high))[known].mean()
    assert 0.93 < coverage < 0.985
