"""Detectable differences and equivalence, against statsmodels, R's documented values and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestPower

from click_stats.stats.tools.detection import detectable, items_needed, noncentrality, tost_p, tost_power


@pytest.mark.parametrize("n", [20, 59, 309, 1995])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_statsmodels_gives_the_detectable_difference_this_power(n, power):
    # the other way round than solving: statsmodels' own solver stops at 1e-5
    sd = 0.4
    effect = detectable(sd / math.sqrt(n), n - 1, power=power) / sd
    assert TTestPower().power(effect, n, 0.05, alternative="two-sided") == pytest.approx(power, abs=1e-9)


@pytest.mark.parametrize("df", [1, 2, 5])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_noncentrality_with_few_clusters_by_integration(df, power):
    # statsmodels gives NaN here: integrate over the chi-squared of the standard error instead
    shift, quantile = noncentrality(df, power, 0.05), stats.t.ppf(0.975, df)

    def found(chi2):
        bound = quantile * math.sqrt(chi2 / df)
        return (stats.norm.sf(bound - shift) + stats.norm.cdf(-bound - shift)) * stats.chi2.pdf(chi2, df)

    pieces = [integrate.quad(found, a, b, epsabs=1e-12, limit=400)[0] for a, b in ((0, 1e-3), (1e-3, 1), (1, 200))]
    assert sum(pieces) == pytest.approx(power, abs=1e-7)


def test_normal_limit():
    # (z[.975] + z[.8]) standard errors
    assert noncentrality(10**7, 0.8, 0.05) == pytest.approx(stats.norm.ppf(0.975) + stats.norm.ppf(0.8), abs=1e-5)


@pytest.mark.parametrize("difference", [0.01, 0.03, 0.1, 0.5])
def test_items_needed_is_the_smallest_number(difference):
    found = items_needed(difference, 0.5)
    assert found.power >= 0.8
    fewer = detectable(0.5 / math.sqrt(found.n_items - 1), found.n_items - 2)
    assert fewer > difference
    assert detectable(0.5 / math.sqrt(found.n_items), found.n_items - 1) <= difference + 1e-9


def test_items_needed_agrees_with_statsmodels():
    n = TTestPower().solve_power(effect_size=0.05 / 0.5, alpha=0.05, power=0.8, alternative="two-sided")
    assert items_needed(0.05, 0.5).n_items == math.ceil(n)


def test_shared_passages_cost_degrees_of_freedom():
    # few clusters: the same spread needs more items
    assert items_needed(0.3, 0.5, clusters_per_item=0.25).n_items > items_needed(0.3, 0.5).n_items


@pytest.mark.parametrize(("difference", "sd"), [(0.0, 0.5), (0.1, 0.0), (0.1, float("nan"))])
def test_items_needed_refuses_what_has_no_answer(difference, sd):
    with pytest.raises(ValueError, match="need no number"):
        items_needed(difference, sd)


def test_items_needed_stops_at_the_largest():
    with pytest.raises(ValueError, match="more than 1000 items"):
        items_needed(0.001, 0.5, largest=1000)


@pytest.mark.parametrize(("df", "power"), [(0.5, 0.8), (10, 0.04), (10, 1.0)])
def test_noncentrality_refuses_impossible_arguments(df, power):
    with pytest.raises(ValueError, match="must"):
        noncentrality(df, power, 0.05)


@given(st.floats(-0.2, 0.2), st.floats(0.001, 0.1), st.integers(1, 2000), st.floats(0.005, 0.2))
def test_tost_is_the_larger_one_sided_p_and_even(estimate, se, df, margin):
    p = tost_p(estimate, se, df, margin)
    assert p == pytest.approx(tost_p(-estimate, se, df, margin), rel=1e-9, abs=1e-300)
    inside = abs(estimate) + stats.t.ppf(0.95, df) * se < margin
    assert (p < 0.05) == inside or p == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize(("df", "margin"), [(4, 2.5), (10, 2.0), (10, 3.5), (58, 1.5), (58, 3.0), (1900, 3.0)])
def test_tost_power_equals_simulation(df, margin):
    rng = np.random.default_rng(5)
    draws = 400_000
    se = np.sqrt(rng.chisquare(df, draws) / df)
    shown = np.abs(rng.standard_normal(draws)) < margin - stats.t.ppf(0.95, df) * se
    tolerance = 4 * math.sqrt(0.25 / draws)
    assert tost_power(1.0, df, margin) == pytest.approx(shown.mean(), abs=tolerance)


def test_power_of_the_detectable_difference_in_a_simulation():
    rng = np.random.default_rng(11)
    n, sd = 59, 0.6
    difference = detectable(sd / math.sqrt(n), n - 1)
    x = rng.normal(difference, sd, (20_000, n))
    t = x.mean(axis=1) / (x.std(axis=1, ddof=1) / math.sqrt(n))
    found = (np.abs(t) > stats.t.ppf(0.975, n - 1)).mean()
    assert found == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 20_000))
