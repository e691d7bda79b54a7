"""Entropy, guessers, shared sets and the model-level test against R, enumeration and hand values."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.confident_errors import shared
from click_stats.stats.confident_errors.entropy import entropy, guesser, is_challenging, miller_madow
from click_stats.stats.confident_errors.scale import model_tests

ORACLE = Path(__file__).parents[1] / "oracles" / "entropy"


def test_entropy_agrees_with_r():
    for row in json.loads((ORACLE / "expected.json").read_text(encoding="utf-8"))["entropy"]:
        counts, n = np.array([row["counts"]], dtype=float), np.array([row["options"]])
        if row["normalised"] is None:
            assert np.isnan(entropy(counts, n)[0])
            assert np.isnan(miller_madow(counts, n)[0])
        else:
            assert entropy(counts, n)[0] == pytest.approx(row["normalised"], abs=1e-12)
            expected = row["miller_madow_nats"] / np.log(row["options"])
            assert miller_madow(counts, n)[0] == pytest.approx(expected, abs=1e-12)


def test_below_chance_is_decided_in_integers():
    correct, trials, n = np.array([3, 2, 3, 0, 1]), np.array([12, 12, 15, 1, 1]), np.array([4, 4, 5, 4, 4])
    assert is_challenging(correct, trials, n, None).tolist() == [False, True, False, True, False]
    assert is_challenging(correct, trials, n, 0.5).tolist() == [True, True, True, True, False]


def test_the_guesser_by_enumeration():
    every, kept = [], []
    for answers in product(range(3), repeat=6):
        counts = np.bincount(answers, minlength=3)
        value = entropy(counts[None].astype(float), np.array([3]))[0]
        every.append(value)
        if counts[0] * 3 < 6:
            kept.append(value)
    assert guesser(6, 3) == pytest.approx((np.mean(every), np.mean(kept)))
    assert guesser(12, 4).every == pytest.approx(0.90, abs=0.005)
    assert guesser(12, 4).challenging == pytest.approx(0.89, abs=0.005)


def test_independence_by_hand():
    below = np.array([[True, True, False, False], [True, False, True, False]])
    assert shared.independent(below, np.zeros(4, dtype=int), none=False) == pytest.approx(1.0)
    assert shared.independent(below, np.array([0, 0, 1, 1]), none=False) == pytest.approx(1.0)
    assert shared.independent(below, np.array([0, 0, 1, 1]), none=True) == pytest.approx(1.0)
    assert shared.poisson_binomial(np.full(5, 0.5)) == pytest.approx(np.array([1, 5, 10, 10, 5, 1]) / 32)


def test_expected_sets_are_found_when_models_agree_only_through_difficulty(counts_of):
    """Answers from a 1PL: the number shared given difficulty is near what is seen, far from independence."""
    rng = np.random.default_rng(5)
    p = 1 / (1 + np.exp(-(rng.normal(0, 1.5, 400) + rng.normal(0, 0.5, (5, 1)))))
    correct = rng.binomial(12, p)
    counts = counts_of(correct, 12)
    trials = np.full(correct.shape, 12)
    items = np.arange(400)
    chances = shared.chances(counts, correct, trials, items, None)
    below = is_challenging(correct, trials, 4, None)
    seen = below.all(axis=0).sum()
    given = shared.expected(chances, np.arange(5), items, none=False)
    low, high = shared.limits(given, 0.999)
    assert low <= seen <= high
    assert shared.independent(below, np.zeros(400, dtype=int), none=False) < 0.5 * seen


def test_scale_is_tested_on_models(counts_of):
    counts = counts_of(np.ones((6, 3), dtype=int))
    facts = {"parameters": [1, 2, 4, 1, 2, 4], "family": list("aaabbb"), "korean_corpus": list("xxxyyy")}
    counts = counts.with_units(counts.units.assign(**facts))
    y = np.array([0.9, 0.7, 0.5, 0.8, 0.7, 0.4])
    rows = pd.DataFrame(model_tests(counts, y, 0.95)).set_index(["design", "term"])
    scale = rows.loc[("scale", "log10_params")]
    assert scale["df"] == 4
    assert scale["p_permutation"] == pytest.approx(2 / 36)
    assert scale["p_least"] == pytest.approx(2 / 36)
    assert rows.loc[("scale + corpus", "log10_params"), "df"] == 3
    none = model_tests(counts_of(np.ones((6, 3), dtype=int)), y, 0.95)
    assert all(row["reason"] for row in none)
