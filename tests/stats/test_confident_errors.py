"""Entropy, guessers, shared sets and the model-level test against R, enumeration and hand values."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.responses import Responses
from click_stats.stats.confident_errors import confident_errors, shared
from click_stats.stats.confident_errors.entropy import entropy, guesser, is_challenging, miller_madow
from click_stats.stats.confident_errors.scale import model_tests
from click_stats.stats.tools.median import clustered_median

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


def test_options_never_chosen_count_in_the_norm_and_one_option_has_no_entropy():
    """Three options three times each of four: 1.585 bits of 2; always the same: 0, not NaN."""
    table = np.array([[3.0, 3.0, 3.0, 0.0], [9.0, 0.0, 0.0, 0.0]])
    assert entropy(table, np.array([4, 4])) == pytest.approx([np.log2(3) / 2, 0.0])
    assert np.log2(3) / 2 == pytest.approx(0.792, abs=5e-4)
    # Of five options the same choices say less; the norm is the item's own.
    assert entropy(np.array([[3.0, 3.0, 3.0, 0.0, 0.0]]), np.array([5]))[0] == pytest.approx(np.log(3) / np.log(5))


def test_the_guesser_by_enumeration():
    """All answers to two complete rotations of three options; the right one is option 0."""
    values, below = [], []
    for places in product(range(3), repeat=6):
        options = [(place + trial % 3) % 3 for trial, place in enumerate(places)]
        content, where = (np.bincount(one, minlength=3)[None].astype(float) for one in (options, places))
        n = np.array([3])
        values.append([entropy(content, n)[0], miller_madow(content, n)[0], entropy(where, n)[0]])
        below.append(content[0, 0] * 3 < 6)
    found = guesser(6, 3)
    assert found.every == pytest.approx(np.mean(values, axis=0))
    assert found.challenging == pytest.approx(np.mean(np.array(values)[below], axis=0))
    assert guesser(12, 4).every.content == pytest.approx(0.90, abs=0.005)
    assert guesser(12, 4).challenging.content == pytest.approx(0.89, abs=0.005)
    assert np.isnan(guesser(7, 3).every.place)


def test_independence_by_hand():
    below = np.array([[True, True, False, False], [True, False, True, False]])
    assert shared.independent(below, np.zeros(4, dtype=int)) == pytest.approx(1.0)
    assert shared.independent(below, np.array([0, 0, 1, 1])) == pytest.approx(1.0)
    assert shared.independent(~below, np.array([0, 0, 1, 1])) == pytest.approx(1.0)
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
    holds = shared.events(is_challenging(correct, trials, 4, None), correct, trials)
    assert set(holds) == {shared.CHALLENGING, shared.HANDLED, shared.EVERY_TRIAL, shared.NO_TRIAL}
    for statement, own in holds.items():
        seen = own.all(axis=0).sum()
        given = shared.expected(chances, statement, np.arange(5), items)
        low, high = shared.limits(given, 0.999)
        assert low <= seen <= high, statement
    hard = holds[shared.CHALLENGING]
    assert shared.independent(hard, np.zeros(400, dtype=int)) < 0.5 * hard.all(axis=0).sum()


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


# ---- confident errors, by hand ----------------------------------------------------------------------------------------


@pytest.fixture
def sure():
    """Three models, six items of four options, gold A: what each chooses in all rotations (a pair: in turn)."""
    right, wrong, split = 0, 1, (1, 2)
    chosen = [
        [wrong, wrong, right, right, split, 2],
        [wrong, 2, right, right, wrong, 2],
        [right, 2, right, wrong, right, right],
    ]
    facts = {"family": ["F", "F", None], "parameters": [1.0, 7.0, 7.0]}
    return answers_of(chosen, facts)


def answers_of(chosen, facts=None, rotations=4):
    n_units, n_items = len(chosen), len(chosen[0])
    rows = [
        (unit, item, rotation, what[rotation % 2] if isinstance(what, tuple) else what)
        for unit, own in enumerate(chosen)
        for item, what in enumerate(own)
        for rotation in range(rotations)
    ]
    frame = pd.DataFrame(rows, columns=["unit", "item", "rotation", "prediction"]).assign(wording="1", replicate=0)
    frame["position"] = (frame["prediction"] - frame["rotation"]) % 4
    frame["gold_position"] = -frame["rotation"] % 4
    frame["correct"] = frame["prediction"] == 0
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    np.add.at(options, (frame["unit"], frame["item"], frame["prediction"]), 1)
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = rotations
    keys = [f"i{k}" for k in range(n_items)]
    items = pd.DataFrame(
        {"category": "A", "domain": "D", "source": "s", "n_options": 4, "gold": 0, "cluster": keys},
        index=pd.Index(keys, name="item"),
    )
    names = pd.Index([f"m{k}" for k in range(n_units)], name="unit")
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": "", **(facts or {})}, index=names)
    return Counts(units, items, options, statuses, statuses.sum(axis=2), None, ("A",), ("D",), {}, Responses(frame))


def test_confident_errors_by_model_family_and_size(sure):
    found = confident_errors(sure).to_frame("confident").query("by == 'overall'").set_index(["set_by", "model_set"])
    assert found["n_confident"].to_dict() == {
        ("model", "m0"): 3, ("model", "m1"): 4, ("model", "m2"): 2, ("family", "F"): 7,
        ("family", "family not known"): 2, ("size", "below 3B"): 3, ("size", "3B to 10B"): 6,
    }  # fmt: skip
    # Agreed: m0 and m1 on item 0 and item 5, m1 and m2 on item 1.
    assert found["n_agreed"].tolist() == [2, 3, 1, 5, 1, 2, 4]
    assert found.loc[("family", "F"), "estimate"] == pytest.approx(7 / 12)
    # By hand: item values 1, 1, 0, 0, .5, 1; their mean and its standard error.
    values = np.array([1, 1, 0, 0, 0.5, 1])
    assert found.loc[("family", "F"), "std_error"] == pytest.approx(values.std(ddof=1) / np.sqrt(6))
    assert found.loc[("size", "3B to 10B"), "members"] == "m1, m2"
    assert (found["conf_low"] < found["estimate"]).all()
    assert (found["conf_high"] > found["estimate"]).all()
    classes = confident_errors(sure, sizes=(2, 7, 8)).to_frame("confident")
    assert set(classes.loc[classes["set_by"] == "size", "model_set"]) == {"below 2B", "7B to 8B"}


def test_options_on_which_models_agree_and_the_list_of_errors(sure):
    result = confident_errors(sure)
    agreed = result.to_frame("agreed").set_index(["model_set", "item"])
    assert agreed.loc["all models", "members"].to_dict() == {"i0": "m0, m1", "i1": "m1, m2", "i5": "m0, m1"}
    assert agreed.loc["all models", "option"].to_dict() == {"i0": 2, "i1": 3, "i5": 3}
    assert list(agreed.loc["F"].index) == ["i0", "i5"]
    assert list(agreed.loc["3B to 10B"].index) == ["i1"]
    errors = result.to_frame("errors").set_index(["unit", "item"])
    assert len(errors) == 9
    assert errors.loc[("m0", "i1"), ["option", "chosen_share", "n_others"]].tolist() == [2, 1.0, 0]
    assert errors.loc[("m1", "i0"), "n_others"] == 1


def test_both_readings_of_items_that_all_know_and_that_all_miss(sure):
    shared_items = confident_errors(sure).to_frame("shared").query("model_set == 'all models' and by == 'overall'")
    assert shared_items.set_index("statement")["n_shared"].to_dict() == {
        "challenging for all": 1, "challenging for none": 1, "right in every trial by all": 1,
        "right in no trial by any": 1,
    }  # fmt: skip


def test_without_all_rotations_confident_errors_are_undefined():
    result = confident_errors(answers_of([[1, 1, 0], [1, 0, 0]], rotations=3))
    found = result.to_frame("confident")
    assert found["estimate"].isna().all()
    assert found["n_confident"].isna().all()
    assert found["reason"].str.contains("liked position").all()
    assert len(result.to_frame("agreed")) == len(result.to_frame("errors")) == 0
    assert result.to_frame("challenging")["n_challenging"].tolist() == [2, 2, 1, 1]


def test_one_model_shares_nothing_and_all_right_makes_no_error():
    result = confident_errors(answers_of([[0, 0, 0]]))
    found = result.to_frame("confident").query("by == 'overall' and set_by == 'model'").iloc[0]
    assert (found["n_confident"], found["estimate"]) == (0, 0.0)
    assert pd.isna(found["n_agreed"])
    assert found["conf_high"] > 0
    assert result.to_frame("shared")["reason"].tolist() == ["one model: nothing is shared"]


@pytest.mark.parametrize("sizes", [(), (3, 3), (10, 3), (0, 1)])
def test_bounds_of_size_increase(sure, sizes):
    with pytest.raises(UsageError, match="increasing"):
        confident_errors(sure, sizes=sizes)


# ---- the median and its interval --------------------------------------------------------------------------------------


def test_the_interval_of_a_median_holds_what_tests_of_shares_do_not_reject():
    values = np.arange(1.0, 22.0)
    found = clustered_median(values, np.arange(21))
    assert found.estimate == 11
    # Of 21 different values k are at most v: not rejected while the clustered Wilson interval of k/21 reaches 1/2.
    for end, inner in ((found.low, 1), (found.high, -1)):
        assert end in values
        assert abs(end - 11) < 6
        assert abs(end + inner - 11) < abs(end - 11)
    assert 11 - found.low == found.high - 11
    assert np.isnan(clustered_median(values, np.zeros(21, dtype=int)).low)
    assert np.isnan(clustered_median(np.full(3, np.nan), np.arange(3)).estimate)
    constant = clustered_median(np.full(9, 0.5), np.arange(9))
    assert constant == (0.5, 0.5, 0.5)


def test_the_interval_of_a_median_covers_with_ties_and_clusters():
    """300 data sets of 40 clusters of 1 to 3 rounded values: at least .95 less three Monte Carlo errors (.0126)."""
    rng = np.random.default_rng(11)
    codes = np.repeat(np.arange(40), np.resize([1, 2, 3], 40))
    hits = 0
    for _ in range(300):
        x = np.round(rng.standard_normal(40)[codes] + rng.standard_normal(codes.size), 1)
        found = clustered_median(x, codes)
        hits += found.low <= 0 <= found.high
    assert hits / 300 >= 0.912
