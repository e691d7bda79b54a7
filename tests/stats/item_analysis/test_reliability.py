"""Reliability and item-rest correlations against psych (R), and where they are undefined."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from click_stats.stats.item_analysis import classical
from click_stats.stats.item_analysis.reliability import (
    CONSTANT,
    FEW_ITEMS,
    FEW_UNITS,
    MORE_ITEMS,
    NO_TOTAL,
    NOT_BINARY,
    SINGULAR,
    lambda6,
    reliability,
)

ORACLE = Path(__file__).parents[2] / "oracles" / "agreement"
EXPECTED = json.loads((ORACLE / "expected.json").read_text(encoding="utf-8"))
NAMES = ("binary", "counts")


def scores_of(name):
    return pd.read_csv(ORACLE / f"input_{name}.csv").to_numpy(dtype=float)


@pytest.mark.parametrize("name", NAMES)
def test_psych(name):
    expected, scores = EXPECTED[f"reliability_{name}"], scores_of(name)
    found = reliability(scores, 0.95)
    assert found.alpha.value == pytest.approx(expected["cronbach_alpha"], abs=1e-9)
    assert found.lambda6.value == pytest.approx(expected["guttman_lambda6"], abs=1e-9)
    assert [found.low, found.high] == pytest.approx(expected["feldt_ci95"], abs=1e-9)
    assert found.dropped == pytest.approx(list(expected["alpha_if_dropped"].values()), abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_item_rest_is_the_corrected_item_total(name):
    expected, scores = EXPECTED[f"reliability_{name}"], scores_of(name)
    scores = scores / scores.max()
    found = classical.correlations(scores, classical.rest_scores(scores), np.arange(len(scores)), 0.95)
    assert found.value == pytest.approx(list(expected["corrected_item_total_r"].values()), abs=1e-9)
    assert not any(found.reason)


def test_kr20_is_alpha_of_zeros_and_ones():
    found = reliability(scores_of("binary"), 0.95)
    assert found.kr20.value == pytest.approx(EXPECTED["reliability_binary"]["kr20_population_variance"], abs=1e-9)
    shares = reliability(scores_of("counts") / 12, 0.95)
    assert np.isnan(shares.kr20.value)
    assert shares.kr20.reason == NOT_BINARY


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.ones((1, 5)), FEW_UNITS),
        (np.ones((5, 1)), FEW_ITEMS),
        (np.ones((5, 4)), NO_TOTAL),
        (np.array([[1.0, 0.0], [0.0, 1.0]]), NO_TOTAL),
    ],
)
def test_undefined_alpha(scores, reason):
    found = reliability(scores, 0.95)
    assert np.isnan([found.alpha.value, found.low, found.high, found.kr20.value, found.lambda6.value]).all()
    assert found.alpha.reason == reason


def test_lambda6_needs_more_models_than_items():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(8, 8)) + rng.normal(size=(8, 1))
    assert lambda6(scores) == (pytest.approx(np.nan, nan_ok=True), MORE_ITEMS)
    assert np.isfinite(lambda6(scores[:, :7]).value)
    constant = scores[:, :4].copy()
    constant[:, 0] = 1
    assert lambda6(constant).reason == CONSTANT
    twice = scores[:, [0, 1, 1]]
    assert lambda6(twice).reason == SINGULAR


def test_two_items_have_no_alpha_if_dropped():
    assert np.isnan(reliability(scores_of("binary")[:, :2], 0.95).dropped).all()


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(10)), st.integers(-3, 3))
def test_order_and_shift_do_not_matter(order, shift):
    scores = scores_of("counts")
    first, second = reliability(scores, 0.9), reliability(scores[:, list(order)] + shift, 0.9)
    assert second.alpha.value == pytest.approx(first.alpha.value, abs=1e-9)
    assert second.lambda6.value == pytest.approx(first.lambda6.value, abs=1e-9)
    assert second.dropped == pytest.approx(first.dropped[list(order)], abs=1e-9)


def test_feldt_interval_covers():
    """Normal scores with equal covariances: the interval is exact. 400 sets: Monte Carlo error .011."""
    rng = np.random.default_rng(2)
    n, k, sd = 15, 20, 0.5
    truth = k * sd**2 / (1 + k * sd**2)
    inside = 0
    for _ in range(400):
        found = reliability(sd * rng.normal(size=(n, 1)) + rng.normal(size=(n, k)), 0.95)
        inside += found.low <= truth <= found.high
    assert abs(inside / 400 - 0.95) < 3 * 0.011
