import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.tools.bootstrap import FELL_BACK, accelerations, bootstrap_intervals
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_wilson

ORACLES = Path(__file__).parents[1] / "oracles" / "boot"
EXPECTED = json.loads((ORACLES / "expected.json").read_text())
KINDS = {"percentile": "percentile", "bca": "bca_midrank_z0", "studentised": "studentised"}
SEEDS = 4


@pytest.fixture(scope="module")
def frame():
    return pd.read_csv(ORACLES / "input.csv").assign(
        score=lambda d: d["count"] / d["n_trials"], passage=lambda d: pd.factorize(d["passage"])[0]
    )


def targets():
    for kind in ("simple", "binary", "clustered"):
        for name in EXPECTED[kind]:
            yield kind, name
    yield from (("overall_micro_clustered", ""), ("overall_macro_stratified", ""), ("paired_difference_b_minus_a", ""))


def target(frame, kind, name):
    """Values, clusters, strata and the expected result; the last is the step of the statistic's lattice."""
    part = frame[frame["category"] == name] if name else frame
    items = np.arange(len(part))
    score, passage = part["score"].to_numpy(), part["passage"].to_numpy()
    if kind == "binary":
        return part["binary"].to_numpy(dtype=float), items, None, EXPECTED[kind][name], 1 / len(part)
    if kind == "simple":
        return score, items, None, EXPECTED[kind][name], 1 / (12 * len(part))
    if kind == "clustered":
        return score, passage, None, EXPECTED[kind][name], 0
    if kind == "overall_micro_clustered":
        return score, passage, None, EXPECTED[kind], 0
    if kind == "overall_macro_stratified":
        return score, items, pd.factorize(part["category"])[0], EXPECTED[kind], 0
    difference = ((part["count_b"] - part["count"]) / part["n_trials"]).to_numpy()
    return difference, items, None, EXPECTED[kind], 1 / (12 * len(part))


@pytest.mark.parametrize(("kind", "name"), list(targets()))
def test_intervals_agree_with_r_boot(frame, kind, name):
    """R's mean over 20 seeds of 20,000 resamples against ours over 4; 4 standard errors of one run, or one step."""
    values, clusters, strata, expected, step = target(frame, kind, name)
    if expected["degenerate"]:
        for ours in ("percentile", "bca"):
            (found,) = bootstrap_intervals(values[None], clusters, strata, kind=ours)
            assert np.isnan(found.low)
            assert "no width" in found.reason
        return
    assert accelerations(values[None], clusters, strata)[0] == pytest.approx(expected["acceleration"], abs=1e-10)
    for ours, theirs in KINDS.items():
        runs = [
            bootstrap_intervals(values[None], clusters, strata, kind=ours, draws=20_000, seed=seed, limits=(-1, 1))[0]
            for seed in range(SEEDS)
        ]
        found = np.mean([run[:2] for run in runs], axis=0)
        wanted = expected["intervals"][theirs]
        tolerance = np.maximum(4 * np.array(wanted["mc_sd"]), step + 1e-9)
        assert (np.abs(found - wanted["mean"]) < tolerance).all(), (ours, found, wanted)


@pytest.mark.parametrize(("ours", "theirs"), [("percentile", "percentile"), ("bca", "BCa")])
def test_intervals_agree_with_scipy(ours, theirs):
    rng = np.random.default_rng(11)
    values = rng.binomial(12, 0.8, (3, 80)) / 12
    draws = 20_000
    mine = bootstrap_intervals(values, np.arange(80), kind=ours, draws=draws, seed=1)
    reference = stats.bootstrap(
        (values,), np.mean, axis=-1, method=theirs, n_resamples=draws, batch=500, rng=np.random.default_rng(2)
    )
    # The Monte Carlo sd of a 2.5 % quantile is about 2.7 se/sqrt(draws); of a difference, sqrt(2) of it.
    error = 2.7 * np.sqrt(2) * reference.standard_error / np.sqrt(draws)
    tolerance = 4.5 * error + 1 / (12 * 80)
    assert (np.abs([i.low for i in mine] - reference.confidence_interval.low) < tolerance).all()
    assert (np.abs([i.high for i in mine] - reference.confidence_interval.high) < tolerance).all()


def test_percentiles_of_single_answers_are_binomial_quantiles():
    """With one 0/1 answer per item the resampled total is binomial: the exact ends are known."""
    y = np.r_[np.ones(62), np.zeros(22)]
    (found,) = bootstrap_intervals(y[None], np.arange(84), kind="percentile", draws=200_000, seed=3)
    assert found[:2] == pytest.approx(stats.binom.ppf([0.025, 0.975], 84, 62 / 84) / 84, abs=1e-9)


def test_trials_are_not_questions():
    """Case S34: questions are resampled, so that 36 trials of 4 questions stay 4 answers."""
    (found,) = bootstrap_intervals(np.array([[1.0, 1.0, 0.0, 0.0]]), np.arange(4), kind="percentile", seed=1)
    assert found[:2] == (0.0, 1.0)


@pytest.fixture(scope="module")
def some():
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), 3)
    return rng.binomial(3, rng.random(40)[clusters], (4, 120)) / 3, clusters


@pytest.mark.parametrize("kind", list(KINDS))
def test_same_seed_same_interval_whatever_other_units_there_are(some, kind):
    values, clusters = some
    holes = values.copy()
    holes[2, 5:20] = np.nan
    all_units = bootstrap_intervals(holes, clusters, kind=kind, seed=8)
    assert bootstrap_intervals(holes[::-1], clusters, kind=kind, seed=8) == all_units[::-1]
    for row in range(4):
        (alone,) = bootstrap_intervals(holes[row : row + 1], clusters, kind=kind, seed=8)
        assert alone[:2] == pytest.approx(all_units[row][:2], abs=1e-12)
    assert bootstrap_intervals(holes, clusters, kind=kind, seed=9) != all_units


@pytest.mark.parametrize("kind", list(KINDS))
def test_missing_is_the_same_as_left_out(some, kind):
    values, clusters = some
    holes = values[:1].copy()
    holes[0, ::7] = np.nan
    kept = ~np.isnan(holes[0])
    found = bootstrap_intervals(holes, clusters, kind=kind, seed=8)
    assert found == bootstrap_intervals(holes[:, kept], clusters[kept], kind=kind, seed=8)


@pytest.mark.parametrize("kind", list(KINDS))
def test_weights_that_are_equal_change_nothing(some, kind):
    values, clusters = some
    plain = bootstrap_intervals(values, clusters, kind=kind, seed=8)
    weighted = bootstrap_intervals(values, clusters, None, np.full(values.shape, 3.0), kind=kind, seed=8)
    for one, other in zip(plain, weighted, strict=True):
        assert one[:2] == pytest.approx(other[:2], abs=1e-12)


def test_scores_without_a_common_denominator_go_in_double_precision(some):
    values, clusters = some
    scaled = values * (1 + 1e-7 * np.pi)
    assert bootstrap_intervals(scaled, clusters, kind="bca", seed=8)[0][:2] == pytest.approx(
        bootstrap_intervals(values, clusters, kind="bca", seed=8)[0][:2], abs=1e-6
    )


def test_weighted_mean_of_trials_is_a_ratio_of_sums():
    """Items of 1 and of 3 trials: the interval surrounds correct over counted trials."""
    rng = np.random.default_rng(4)
    trials = rng.integers(1, 4, 90)
    correct = rng.binomial(trials, 0.6)
    (found,) = bootstrap_intervals((correct / trials)[None], np.arange(90), None, trials[None] * 1.0, kind="bca")
    picks = np.random.default_rng(5).integers(0, 90, (20_000, 90))
    resampled = correct[picks].sum(axis=1) / trials[picks].sum(axis=1)
    assert found[:2] == pytest.approx(np.quantile(resampled, [0.025, 0.975]), abs=0.006)


def test_a_passage_that_crosses_categories_is_drawn_whole():
    """Against a plain loop: clusters drawn in the category that holds most of their items."""
    rng = np.random.default_rng(6)
    clusters = np.r_[np.arange(30), 30, 30, 30, np.arange(31, 61)]
    strata = np.r_[np.zeros(32), np.ones(31)].astype(int)  # cluster 30: two items in category 0, one in 1
    values = rng.random(63).round(1)
    (found,) = bootstrap_intervals(values[None], clusters, strata, kind="percentile", draws=20_000, seed=1)
    plain = []
    for _ in range(4000):
        drawn = np.bincount(np.r_[rng.integers(0, 31, 31), rng.integers(31, 61, 30)], minlength=61)[clusters]
        plain.append(np.mean([np.average(values[strata == s], weights=drawn[strata == s]) for s in (0, 1)]))
    assert found[:2] == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.006)


def test_studentised_falls_back_where_a_resample_has_no_spread():
    y = np.r_[np.ones(19), 0.0]
    (found,) = bootstrap_intervals(y[None], np.arange(20), kind="studentised")
    default = clustered_wilson(cluster_mean(y, np.arange(20)))
    assert found[:4] == default[:4]
    assert found.flag == FELL_BACK
    (all_right,) = bootstrap_intervals(np.ones((1, 20)), np.arange(20), kind="studentised")
    assert all_right.flag.startswith("degenerate; ")


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize(
    ("values", "clusters", "strata", "reason"),
    [
        ([np.nan, np.nan], [0, 1], None, "no item"),
        ([1.0, 0.0], [0, 0], None, "only one cluster"),
        ([0.5, 0.5, 0.5], [0, 1, 2], None, "same mean"),
        ([1.0, 0.0, 1.0], [0, 1, 2], [0, 0, 1], "only one cluster"),
        ([1.0, 0.0, np.nan], [0, 1, 2], [0, 0, 1], "1 of 2"),
    ],
)
def test_undefined_intervals_have_a_reason(kind, values, clusters, strata, reason):
    (found,) = bootstrap_intervals(
        np.array([values]), np.array(clusters), None if strata is None else np.array(strata), kind=kind
    )
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert reason in found.reason


def test_arguments_are_checked(some):
    values, clusters = some
    with pytest.raises(UsageError, match="1000 resamples"):
        bootstrap_intervals(values, clusters, kind="bca", draws=999)
    with pytest.raises(UsageError, match="level"):
        bootstrap_intervals(values, clusters, kind="bca", level=95)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 7)), min_size=3, max_size=40), st.sampled_from(list(KINDS)))
def test_intervals_stay_within_bounds(items, kind):
    values, clusters = np.array([score / 4 for score, _ in items]), np.array([code for _, code in items])
    (found,) = bootstrap_intervals(values[None], clusters, kind=kind, draws=1000)
    if np.isnan(found.low):
        assert found.reason
    else:
        assert 0 <= found.low <= found.high <= 1
