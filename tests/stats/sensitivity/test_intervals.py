"""Intervals of components: exact cases, coverage in a small simulation, and where there is none."""

import math

import numpy as np
import pytest
from scipy import stats

from click_stats.stats.sensitivity import intervals
from click_stats.stats.sensitivity.components import components, finite, mean_squares


def test_jackknife_by_hand():
    values = np.arange(12.0)
    left_out = np.array([values.mean(), *((values.sum() - v) / 11 for v in values)])
    found = intervals.jackknife(left_out, 0.95)
    error = values.std(ddof=1) / math.sqrt(12)  # the jackknife of a mean is its standard error
    assert found.std_error == pytest.approx(error)
    assert found.high == pytest.approx(5.5 + stats.t.ppf(0.975, 11) * error)


def test_jackknife_interval_of_a_negative_estimate_starts_and_is_centred_at_0():
    found = intervals.jackknife(np.r_[-0.5, np.linspace(-0.6, -0.4, 20)], 0.95)
    assert found.low == 0
    assert found.high == pytest.approx(stats.t.ppf(0.975, 19) * found.std_error)


def test_few_clusters_give_no_interval():
    assert all(np.isnan(intervals.jackknife(np.ones(intervals.FEW_CLUSTERS), 0.95)))


def test_one_mean_square_has_its_exact_interval():
    found = intervals.large_sample({"a": 0.5}, {"a": 4.0}, {"a": 7.0}, 0.9)
    ends = 2.0 * 7 / stats.chi2.ppf([0.95, 0.05], 7)
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_a_difference_of_mean_squares_is_near_the_interval_of_williams_and_tukey():
    f = 9.0
    found = intervals.large_sample({"a": 1, "b": -1}, {"a": f, "b": 1.0}, {"a": 12.0, "b": 3000.0}, 0.95)
    low, high = (f / (stats.chi2.ppf(p, 12) / 12) - 1 for p in (0.975, 0.025))
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.02)


def test_satterthwaite_is_chi_square_of_two_moments():
    found = intervals.satterthwaite(2.0, 0.5, 0.95)  # df = 32
    assert (found.low, found.high) == pytest.approx(tuple(64 / stats.chi2.ppf([0.975, 0.025], 32)))
    assert all(np.isnan(intervals.satterthwaite(0.0, 0.1, 0.95)))
    assert all(np.isnan(intervals.satterthwaite(1.0, np.nan, 0.95)))
    wide = intervals.satterthwaite(1.0, 2.0, 0.95)
    assert (wide.low, wide.high) == pytest.approx((0.0, 1 + 1.959964 * 2), abs=1e-5)


def test_feldt_bounds_the_coefficient():
    low, high = intervals.feldt(20.0, 12, 2000, 0.95)
    assert low < 1 - 1 / 20 < high < 1
    assert (1 - low) * 20 == pytest.approx(stats.f.ppf(0.975, 12, 2000))


def test_coverage_of_right_and_wrong_answers():
    # 60 items, 3 wordings, 4 positions. The truth of item comes from one large population of the same kind.
    rng = np.random.default_rng(11)
    facets, universe = ("item", "wording", "position"), {"wording": 3, "position": 4}
    shift = np.array([-0.3, 0.0, 0.3])[:, None] + np.array([-0.4, 0.2, 0.1, 0.1])[None, :]

    def draw(n):
        return 1 / (1 + np.exp(-(rng.normal(0, 1.5, (n, 1, 1)) + shift)))

    population = components(mean_squares(draw(200_000), facets, residual=False))
    truth = {name: value[0] for name, value in finite(population, universe).items()}
    hits = {"item": 0, "wording": 0, "position": 0}
    replications = 300
    for _ in range(replications):
        cells = (rng.random((60, 3, 4)) < draw(60)).astype(float)
        split = mean_squares(cells, facets, clusters=np.arange(60))
        found = finite(components(split), universe)
        for name in hits:
            low, high = intervals.jackknife(found[name], 0.95)[1:]
            if name != "item":
                pair = [(split.squares[key][0], split.degrees[key][0]) for key in (name, f"item:{name}")]
                answers = 60 * (4 if name == "wording" else 3)
                low, high = intervals.noncentral(pair[0][0], pair[1][0], pair[0][1], pair[1][1], answers, 0.95)
            hits[name] += low <= truth[name] <= high
    for name, count in hits.items():
        assert 0.91 <= count / replications <= 1.0, (name, count)
