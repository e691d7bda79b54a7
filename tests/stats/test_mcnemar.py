import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from click_stats.stats.tools import intervals
from click_stats.stats.tools.mcnemar import bonett_price, exact, mid_p, odds_ratio

ORACLE = json.loads((Path(__file__).parents[1] / "oracles" / "paired" / "expected.json").read_text())["pairs"]


@pytest.mark.parametrize("pair", ORACLE)
def test_agrees_with_r(pair):
    expected = ORACLE[pair]
    a, b = expected["only_a_right"], expected["only_b_right"]
    assert exact(a, b) == pytest.approx(expected["p_exact"], rel=1e-9)
    assert mid_p(a, b) == pytest.approx(expected["p_mid"], rel=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_exact_agrees_with_statsmodels(a, b):
    if a + b:
        assert exact(a, b) == pytest.approx(statsmodels_mcnemar([[0, a], [b, 0]], exact=True).pvalue, rel=1e-9)
    assert exact(a, b) == exact(b, a)


@given(st.integers(0, 30), st.integers(0, 30))
def test_mid_p_counts_half_of_the_outcomes_as_extreme(a, b):
    total = a + b
    counts = np.arange(total + 1)
    weight = stats.binom.pmf(counts, total, 0.5)
    beyond, tied = abs(2 * counts - total) > abs(a - b), abs(2 * counts - total) == abs(a - b)
    definition = (weight * (beyond + 0.5 * tied)).sum() if total else 1.0
    assert mid_p(a, b) == pytest.approx(definition, abs=1e-12)


def test_eight_against_two():
    """The case of 8 and 2 discordant items of 100."""
    assert round(float(exact(8, 2)), 3) == 0.109
    assert round(float(mid_p(8, 2)), 3) == 0.065
    found = odds_ratio(8, 2)
    assert found.estimate == 4
    low, high = stats.binomtest(8, 10).proportion_ci(0.95, method="exact")
    assert [found.low, found.high] == pytest.approx([low / (1 - low), high / (1 - high)])


def test_no_discordant_items_is_no_evidence():
    assert exact(0, 0) == mid_p(0, 0) == 1
    assert np.isnan(list(odds_ratio(0, 0))).all()
    centre, error = bonett_price(0, 0, 50)
    assert centre == 0
    assert error > 0


def test_odds_ratio_at_the_ends():
    found = odds_ratio([0, 5], [5, 0])
    assert found.estimate.tolist() == [0, np.inf]
    assert found.low[0] == 0
    assert found.high[1] == np.inf
    assert found.high[0] == pytest.approx(1 / found.low[1])


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 100), st.sampled_from([0.8, 0.95, 0.99]))
def test_bonett_price_adds_an_item_to_each_discordant_count(a, b, alike, level):
    answers = np.array([1] * (a + 1) + [-1] * (b + 1) + [0] * alike)  # two items more than there are
    n = len(answers)
    centre, error = bonett_price(a, b, n - 2)
    assert centre == pytest.approx(answers.mean(), abs=1e-12)
    assert error == pytest.approx(answers.std() / np.sqrt(n), rel=1e-12)
    half = stats.norm.isf((1 - level) / 2) * error
    found = intervals.bonett_price(a, b, n - 2, level)
    assert [found.low, found.high] == pytest.approx([max(-1, centre - half), min(1, centre + half)], abs=1e-12)


def _size(test, n, discordance):
    """Exact probability of p < .05 for two equally good models: all numbers of discordant items of both kinds."""
    weight = stats.binom.pmf(np.arange(n + 1), n, discordance)
    found = 0.0
    for total in np.flatnonzero(weight > 1e-12):
        a = np.arange(total + 1)
        found += weight[total] * stats.binom.pmf(a, total, 0.5)[test(a, total - a) < 0.05].sum()
    return found


@pytest.mark.parametrize("discordance", [0.05, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("n", [20, 84, 309])
def test_size(n, discordance):
    assert _size(exact, n, discordance) <= 0.055
    if n * discordance >= 8 and discordance <= 0.5:
        assert 0.03 <= _size(mid_p, n, discordance) <= 0.065
