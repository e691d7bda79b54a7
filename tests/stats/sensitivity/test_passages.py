"""What items that share a passage add to an error, and the intervals of errors of designs."""

import numpy as np
import pytest

from click_stats.stats.sensitivity import passages, sensitivity
from click_stats.stats.sensitivity.layout import layouts
from click_stats.stats.sensitivity.strata import Within
from click_stats.stats.sensitivity.within import within

CODES = np.array([0, 0, 1, 2, 2, 2])


def test_covariance_by_hand_and_without_each_passage():
    deviations = np.array([1.0, 2.0, 5.0, -1.0, 0.0, 2.0])[:, None]
    found = passages.covariance(deviations, CODES)
    # Passage 0: 2 * (1 * 2); passage 1 has one item; passage 2: 2 * (-1 * 0 - 1 * 2 + 0 * 2).
    assert found == pytest.approx([0.0, -4 / 4, 0.0, 4 / 3])


def test_items_alone_add_nothing():
    deviations = np.random.default_rng(1).normal(size=(7, 3))
    assert passages.covariance(deviations, np.arange(7)) == pytest.approx(np.zeros(8))
    assert passages.design_effect(deviations, np.arange(7)) == 1


def test_copies_of_an_item_multiply_the_variance_of_the_mean():
    effects = np.random.default_rng(2).normal(size=(10, 2))
    assert passages.design_effect(np.repeat(effects, 3, axis=0), np.repeat(np.arange(10), 3)) == pytest.approx(3)


@pytest.fixture(scope="module")
def copied(answers, simulated):
    """Thirty items, each asked twice under one passage with the same answers: 60 items that tell no more than 30."""
    correct = simulated(np.random.default_rng(3), (3, 30, 2, 4, 1))
    twice = np.repeat(correct, 2, axis=1)
    rolled = np.array([np.roll(twice[:, k], -((k - k // 2) % 4), axis=2) for k in range(60)]).swapaxes(0, 1)
    return answers(correct), answers(rolled, clusters=np.repeat(np.arange(30), 2))


def test_the_error_with_passages_is_that_of_the_passages(copied):
    once, twice = (sensitivity(counts, draws=300).to_frame("designs") for counts in copied)
    one, two = (table[table["unit"] == "m0"].iloc[-1] for table in (once, twice))
    assert two["n_items"] == 60
    assert two["se_sampled"] == pytest.approx(one["se_sampled"], rel=0.05)
    assert two["se_fixed"] < one["se_fixed"]


def test_the_jackknife_of_an_error_covers_it(answers, simulated):
    rng, hits, n = np.random.default_rng(4), 0, 60
    population = simulated(rng, (1, 20_000, 1, 4, 1), spread=1.2).mean(axis=(2, 3, 4))[0]
    true = population.var() / n  # of a mean of four answers: items and answers together
    for _ in range(100):
        counts = answers(simulated(rng, (1, n, 1, 4, 1), spread=1.2))
        layout = layouts(counts, counts.responses.frame)[4]
        parts = within(counts, layout, wordings="fixed", residual="answers", level=0.95)
        model = Within({4: parts}, {4: n}, n_wordings=1, n_replicates=1, random=False)
        low, high = model.interval("sampled", n, 1, 4, 1, level=0.95)
        hits += low <= true <= high
    assert hits >= 85  # 95 expected, and levels of models differ a little


class TestBetween:
    def test_the_cheapest_design_reaches_the_error_and_no_smaller_one_does(self, copied):
        found = sensitivity(copied[0], wanted_se=0.08, draws=300).to_frame("cheapest_between").set_index("target")
        for target in ("relative", "absolute"):
            row = found.loc[target]
            assert row["se"] <= 0.08
            assert row["se_low"] < row["se"] < row["se_high"]
            assert row["n_calls"] == row["n_items_needed"] * row["n_wordings"] * row["n_rotations"]
        assert found.loc["relative", "n_calls"] <= found.loc["absolute", "n_calls"]

    def test_an_error_out_of_reach_has_a_reason_and_the_least(self, copied):
        found = sensitivity(copied[0], wanted_se=0.0001, draws=300).to_frame("cheapest_between")
        assert found["n_calls"].isna().all()
        assert found["reason"].str.startswith("no design").all()
        assert (found["least_se"] > 0.0001).all()

    def test_errors_have_intervals_unless_wordings_are_a_sample(self, copied):
        fixed = sensitivity(copied[0], draws=300).to_frame("generalisability")
        run = fixed[fixed["as_run"]]
        assert (run["relative_low"] < run["relative_se"]).all()
        assert (run["absolute_se"] < run["absolute_high"]).all()
        sampled = sensitivity(copied[0], wordings="random", draws=300).to_frame("generalisability")
        assert sampled["relative_low"].isna().all()
        assert set(sampled["note"]) == {"wordings are a sample: no interval of the error"}

    def test_one_model_has_none(self, answers, simulated):
        found = sensitivity(answers(simulated(np.random.default_rng(6), (1, 30, 2, 4, 1))), draws=300)
        assert found.to_frame("cheapest_between").empty
