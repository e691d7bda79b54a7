import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from click_stats.errors import UsageError
from click_stats.stats.tools.clustered import ClusteredMean, cluster_mean
from click_stats.stats.tools.intervals import (
    bonett_price,
    clopper_pearson,
    clustered_t,
    clustered_wilson,
    plain_refusal,
    wilson,
)

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "intervals" / "expected.json").read_text())["one"]


@pytest.mark.parametrize(
    ("name", "make"),
    [("wilson", lambda x, n, c: wilson(x / n, n, c)), ("clopper_pearson", clopper_pearson)],
)
def test_intervals_agree_with_r(name, make):
    cases = list(zip(ORACLE["x"], ORACLE["n"], ORACLE["conf"], strict=True))
    assert len(cases) == 252
    found = np.array([make(*case)[:2] for case in cases])
    assert found[:, 0] == pytest.approx(ORACLE[name]["lower"], abs=1e-10)
    assert found[:, 1] == pytest.approx(ORACLE[name]["upper"], abs=1e-10)


@pytest.mark.parametrize(("x", "n"), [(0, 7), (1, 7), (40, 84), (279, 280), (280, 280)])
def test_intervals_agree_with_statsmodels(x, n):
    assert wilson(x / n, n)[:2] == pytest.approx(proportion_confint(x, n, method="wilson"), abs=1e-10)
    assert clopper_pearson(x, n)[:2] == pytest.approx(proportion_confint(x, n, method="beta"), abs=1e-10)


def test_twenty_of_twenty():
    """Case S33: never of zero width, never beyond 1, and flagged."""
    found = clustered_wilson(cluster_mean(np.ones(20), np.arange(20)))
    assert (round(found.low, 3), found.high, found.flag) == (0.820, 1.0, "degenerate")
    plain = wilson(1.0, 20)
    assert (round(plain.low, 3), plain.high, plain.flag) == (0.839, 1.0, "degenerate")
    assert round(clopper_pearson(20, 20).low, 3) == 0.832
    assert clopper_pearson(20, 20).high == 1.0
    none = clustered_wilson(cluster_mean(np.zeros(20), np.arange(20)))
    assert none[:2] == pytest.approx((1 - found.high, 1 - found.low))


def test_clustered_wilson_is_the_score_interval_at_the_effective_n():
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(20), 4)
    mean = cluster_mean((rng.random(80) < np.repeat(rng.random(20), 4)).astype(float), clusters)
    found = clustered_wilson(mean, 0.9)
    n_eff = mean.estimate * (1 - mean.estimate) / mean.std_error**2
    quantile = stats.t.ppf(0.95, 19)
    for end in found[:2]:  # the ends solve (p - estimate)² = t² p(1 - p)/n_eff
        assert (end - mean.estimate) ** 2 == pytest.approx(quantile**2 * end * (1 - end) / n_eff, rel=1e-9)
    assert found.df == 19


def test_without_clusters_and_with_single_trials_clustered_wilson_is_nearly_plain():
    """n_eff is n - 1 then, and t replaces z: all that is left of a difference."""
    y = np.r_[np.ones(700), np.zeros(300)]
    mean = cluster_mean(y, np.arange(1000))
    assert mean.estimate * (1 - mean.estimate) / mean.std_error**2 == pytest.approx(999)
    assert clustered_wilson(mean)[:2] == pytest.approx(wilson(0.7, 1000)[:2], abs=1e-4)


def test_t_interval_by_hand():
    y = np.array([0.25, 0.5, 1.0, 0.75, 0.5])
    found = clustered_t(cluster_mean(y, np.arange(5)))
    assert found[:2] == pytest.approx(stats.t.interval(0.95, 4, y.mean(), stats.sem(y)))
    wide = clustered_t(cluster_mean(np.array([1.0, 1.0, 0.0]), np.arange(3)))
    assert wide[:2] == (0.0, 1.0)
    negative = clustered_t(cluster_mean(np.array([-1.0, -1.0, 0.0]), np.arange(3)), limits=(-1.0, 1.0))
    assert negative.low == -1.0
    assert negative.high > 0


def test_bonett_price_by_hand():
    """Example of the paper's form: 12 and 3 discordant of 100."""
    a, b = 13 / 102, 4 / 102
    half = stats.norm.ppf(0.975) * np.sqrt((a + b - (a - b) ** 2) / 102)
    assert bonett_price(12, 3, 100)[:2] == pytest.approx((a - b - half, a - b + half), abs=1e-12)


def test_two_identical_models_have_an_interval_with_a_width():
    """Case S36."""
    found = bonett_price(0, 0, 50)
    assert found.low == -found.high < 0 < found.high


@pytest.mark.parametrize(
    "found",
    [
        clustered_wilson(cluster_mean(np.full(5, 0.5), np.arange(5))),
        clustered_wilson(cluster_mean(np.array([1.0]), np.array([0]))),
        clustered_wilson(cluster_mean(np.array([np.nan]), np.array([0]))),
        clustered_t(cluster_mean(np.array([1.0, 0.0]), np.array([0, 0]))),
        clustered_t(cluster_mean(np.ones(4), np.arange(4))),
        wilson(np.nan, 0),
    ],
)
def test_undefined_intervals_have_a_reason(found):
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert found.reason


def test_plain_wilson_is_refused_where_answers_are_not_independent():
    assert plain_refusal(most_trials=1, shared=False) == ""
    assert "several trials" in plain_refusal(most_trials=3, shared=False)
    assert "passage" in plain_refusal(most_trials=1, shared=True)
    assert "categories" in plain_refusal(most_trials=1, shared=False, several_means=True)


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, np.nan])
def test_levels_are_checked(level):
    mean = cluster_mean(np.array([1.0, 0.0]), np.arange(2))
    for call in (
        lambda: wilson(0.5, 10, level),
        lambda: clustered_wilson(mean, level),
        lambda: clustered_t(mean, level),
        lambda: bonett_price(1, 1, 10, level),
        lambda: clopper_pearson(1, 10, level),
    ):
        with pytest.raises(UsageError, match="level"):
            call()


@pytest.mark.parametrize(
    "call", [lambda: bonett_price(3, 3, 5), lambda: bonett_price(0, 0, 0), lambda: clopper_pearson(6, 5)]
)
def test_parts_larger_than_the_whole_are_refused(call):
    with pytest.raises(UsageError, match="part of all"):
        call()


@given(st.floats(0, 1), st.floats(0.001, 1), st.integers(1, 500))
def test_intervals_lie_within_bounds_and_hold_the_estimate(p, error, df):
    found = clustered_wilson(ClusteredMean(p, error, float(df), df + 1, df + 1, "")) if 0 < p < 1 else wilson(p, df)
    assert 0 <= found.low <= p + 1e-12
    assert p - 1e-12 <= found.high <= 1
    assert found.low < found.high


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 100))
def test_swapping_the_models_turns_the_paired_interval_round(a, b, agree):
    first, second = bonett_price(a, b, a + b + agree), bonett_price(b, a, a + b + agree)
    assert first[:2] == pytest.approx((-second.high, -second.low))
