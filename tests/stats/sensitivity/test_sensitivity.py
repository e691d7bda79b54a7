"""The analysis as a whole: recovery, other designs, wordings, the control, and what cannot be said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from click_stats.errors import UsageError
from click_stats.stats.sensitivity import sensitivity

DRAWS = 400


def run(counts, **parameters):
    return sensitivity(counts, draws=DRAWS, **parameters)


def component(result, name, unit="m0", group="4 options"):
    frame = result.to_frame()
    row = frame[(frame["unit"] == unit) & (frame["group"] == group) & (frame["component"] == name)]
    assert len(row) == 1
    return row.iloc[0]


class TestWithin:
    def test_components_are_recovered(self, answers, simulated):
        rng = np.random.default_rng(1)
        found = run(answers(simulated(rng, (1, 3000, 3, 4, 1), wording=0.8, position=1.0)))
        # The truth: the same model with 400,000 items and no chance in the answers.
        logit = 0.3 + rng.normal(0, 1.5, (400_000, 1, 1))
        logit = logit + 0.8 * np.linspace(-1, 1, 3)[None, :, None] + np.linspace(1, -1, 4)[None, None, :]
        shares = 1 / (1 + np.exp(-logit))
        means = shares.mean(axis=0)
        spread = found.to_frame("estimates").set_index("component")["variance"]
        assert spread["wording"] == pytest.approx(means.mean(axis=1).var(ddof=1), rel=0.35)
        assert spread["position"] == pytest.approx(means.mean(axis=0).var(ddof=1), rel=0.35)
        assert spread["residual"] == pytest.approx((shares * (1 - shares)).mean(), rel=0.05)

    def test_shares_add_up(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(2), (2, 40, 3, 4, 2)))).to_frame()
        totals = found.groupby("unit")["variance_share"].sum()
        # Negative estimates were set to 0 before shares were taken, so shares add up to 1 all the same.
        assert totals.to_numpy() == pytest.approx([1.0, 1.0])

    def test_each_number_of_options_is_split_by_itself(self, answers, simulated):
        correct = simulated(np.random.default_rng(3), (2, 60, 2, 5, 1))
        found = run(answers(correct, n_options=[4] * 40 + [5] * 20))
        sizes = found.to_frame().groupby("group")[["n_items", "n_rotations"]].first()
        assert sizes.loc["4 options"].tolist() == [40, 4]
        assert sizes.loc["5 options"].tolist() == [20, 5]
        alone = run(answers(correct[:, :40], n_options=4))
        assert component(found, "item")["variance"] == pytest.approx(component(alone, "item")["variance"])

    def test_one_answer_to_a_prompt_is_said_to_be_confounded(self, answers, simulated):
        correct = simulated(np.random.default_rng(4), (1, 40, 2, 4, 2))
        once, twice = run(answers(correct[..., :1])), run(answers(correct))
        assert "highest interaction" in component(once, "residual")["flag"]
        assert "item:wording:position" not in set(once.to_frame()["component"])
        assert component(twice, "residual")["flag"] == ""
        assert "item:wording:position" in set(twice.to_frame()["component"])
        assert any("One answer to a prompt" in text for text in once.meta["warnings"])
        assert not any("One answer to a prompt" in text for text in twice.meta["warnings"])

    def test_negative_components_are_0_with_a_note(self, answers):
        # Each item is right in exactly half of its cells: items are more alike than chance would make them.
        rng = np.random.default_rng(28)
        half = np.array([True] * 4 + [False] * 4)
        correct = np.stack([rng.permutation(half) for _ in range(30)]).reshape(1, 30, 2, 4, 1)
        row = component(run(answers(correct)), "item")
        assert row["variance"] == 0
        assert "set to 0" in row["flag"]

    def test_wordings_as_a_sample_have_an_interval_and_a_note(self, answers, simulated):
        counts = answers(simulated(np.random.default_rng(5), (1, 200, 3, 4, 1), wording=1.0))
        fixed, random = run(counts), run(counts, wordings="random")
        assert component(fixed, "wording")["universe"] == "fixed levels"
        row = component(random, "wording")
        assert row["universe"] == "random"
        assert row["interval_method"] == "modified large sample"
        assert row["conf_low"] < row["variance"] < row["conf_high"]
        assert row["conf_high"] > 5 * row["variance"], "three wordings say little"
        assert "3 wordings" in row["flag"]
        assert any("sample of all wordings" in text for text in random.meta["warnings"])

    def test_a_few_missing_answers_leave_the_complete_items(self, answers, simulated):
        correct = simulated(np.random.default_rng(6), (1, 50, 3, 4, 1))
        kept = np.ones_like(correct)
        kept[0, [3, 7], 1, 2] = False
        found = run(answers(correct, kept=kept))
        row = component(found, "item")
        assert row["n_items"] == 48
        assert row["note"] == "from 48 of 50 items: the others lack answers"
        kept[0, [3, 7]] = False
        without = run(answers(correct, kept=kept))
        assert component(without, "residual")["variance"] == component(found, "residual")["variance"]

    def test_incomplete_rotations_go_to_reml(self, answers, simulated):
        correct = simulated(np.random.default_rng(7), (1, 120, 2, 4, 1), position=1.0)
        kept = np.ones_like(correct)
        kept[:, :, :, 3] = False
        full, part = run(answers(correct)), run(answers(correct, kept=kept))
        assert set(part.to_frame()["method"]) == {"REML"}
        assert component(part, "item")["n_rotations"] == 3
        for name in ("item", "residual"):
            assert component(part, name)["variance"] == pytest.approx(component(full, name)["variance"], rel=0.3)


class TestDesigns:
    def test_the_error_of_the_design_as_run_is_the_clustered_one(self, answers, simulated):
        # All rotations and wordings of independent items, in the long run: SE² = variance of item means / items.
        correct = simulated(np.random.default_rng(8), (1, 300, 3, 4, 1))
        designs = run(answers(correct)).to_frame("designs").set_index(["n_wordings", "n_rotations"])
        means = correct[0].mean(axis=(1, 2, 3))
        row = designs.loc[(3, 4)]
        assert row["se_sampled"] == pytest.approx(means.std(ddof=1) / np.sqrt(300), rel=1e-6)
        assert row["n_calls"] == 3600

    def test_more_of_anything_lowers_the_error(self, answers, simulated):
        counts = answers(simulated(np.random.default_rng(9), (1, 200, 3, 4, 2), wording=0.5, position=0.5))
        table = run(counts).to_frame("designs").set_index(["n_wordings", "n_rotations", "n_replicates"])
        for which in ("se_sampled", "se_fixed"):
            for more, less in (((2, 1, 1), (1, 1, 1)), ((1, 2, 1), (1, 1, 1)), ((3, 4, 2), (3, 4, 1))):
                assert table.loc[more, which] < table.loc[less, which]
        assert (table["se_fixed"] < table["se_sampled"]).all()

    def test_more_wordings_than_observed_are_marked(self, answers, simulated):
        counts = answers(simulated(np.random.default_rng(10), (1, 60, 2, 4, 1)))
        fixed, random = (run(counts, wordings=how).to_frame("designs") for how in ("fixed", "random"))
        assert fixed["n_wordings"].max() == 2
        assert not fixed["extrapolated"].any()
        assert (random["extrapolated"] == (random["n_wordings"] > 2)).all()
        assert random["n_wordings"].max() == 4

    def test_the_cheapest_design_reaches_the_error_with_the_fewest_prompts(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(11), (1, 200, 3, 4, 1), position=1.0)), wanted_se=0.04)
        row = found.to_frame("cheapest").set_index("target").loc["sampled"]
        assert row["se"] <= 0.04
        # No design of the table that keeps all items is cheaper and good enough.
        designs = found.to_frame("designs")
        enough = designs[designs["se_sampled"] <= 0.04]
        scaled = enough["n_calls"] * (enough["se_sampled"] / 0.04) ** 2
        assert row["n_calls"] <= np.ceil(scaled.min() + 12)

    def test_an_error_out_of_reach_has_a_reason(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(12), (1, 40, 2, 4, 1))), wanted_se=0.001)
        row = found.to_frame("cheapest").set_index("target").loc["sampled"]
        assert pd.isna(row["n_calls"])
        assert row["reason"].startswith("no design")
        assert row["least_se"] == pytest.approx(found.to_frame("designs")["se_sampled"].min())

    def test_certain_answers_and_every_prompt_leave_nothing_to_vary(self, answers, simulated):
        counts = answers(simulated(np.random.default_rng(13), (1, 60, 2, 4, 1)))
        table = run(counts, residual="interaction").to_frame("designs").set_index(["n_wordings", "n_rotations"])
        row = table.loc[(2, 4)]
        assert np.isnan(row["se_fixed"])
        assert row["reason"].startswith("every prompt asked")
        as_answers = run(counts).to_frame("designs").set_index(["n_wordings", "n_rotations"])
        assert row["se_sampled"] == pytest.approx(as_answers.loc[(2, 4), "se_sampled"])


class TestAcross:
    def test_coefficients_are_those_of_the_two_way_analysis(self, answers, simulated):
        correct = simulated(np.random.default_rng(14), (6, 80, 3, 4, 1))
        found = run(answers(correct)).to_frame("generalisability")
        row = found[(found["group"] == "4 options") & found["as_run"].astype(bool)].iloc[0]
        scores = correct.mean(axis=(2, 3, 4))
        between = 80 * scores.mean(axis=1).var(ddof=1)
        rest = scores - scores.mean(axis=1, keepdims=True) - scores.mean(axis=0, keepdims=True) + scores.mean()
        error = (rest**2).sum() / (5 * 79)
        # With wordings and positions fixed and complete, G is 1 - MS(model x item) / MS(model).
        assert row["g_coefficient"] == pytest.approx(1 - error / between, rel=1e-9)
        assert row["g_low"] < row["g_coefficient"] < row["g_high"]
        assert row["phi"] <= row["g_coefficient"]

    def test_models_asked_in_other_designs_share_items_only(self, answers, simulated):
        correct = simulated(np.random.default_rng(15), (3, 60, 2, 4, 1))
        kept = np.ones_like(correct)
        kept[0, :, 1], kept[0, :, :, 1:] = False, False
        found = run(answers(correct, kept=kept))
        table = found.to_frame("across")
        assert table[table["group"] == "4 options"]["reason"].tolist() == [
            "the models were not asked in the same wordings and rotations"
        ]
        assert set(table[table["group"] == "all items"]["component"]) == {"model", "item", "residual"}

    def test_items_that_some_model_lacks_are_left_out_and_counted(self, answers, simulated):
        correct = simulated(np.random.default_rng(31), (2, 30, 2, 4, 1))
        kept = np.ones_like(correct)
        kept[1, :3] = False
        found = run(answers(correct, kept=kept))
        assert set(found.to_frame("across")["n_items"]) == {27}
        assert any("27 of 30 items" in text for text in found.meta["warnings"])


class TestWordings:
    def test_differences_and_changed_answers_by_hand(self, answers):
        correct = np.zeros((1, 12, 2, 4, 1), dtype=bool)
        correct[0, :6, 0], correct[0, :3, 1] = True, True
        row = run(answers(correct)).to_frame("wordings").iloc[0]
        assert row["estimate"] == pytest.approx(0.25)
        assert (row["n_prompts"], row["n_changed"], row["n_items_changed"]) == (48, 12, 3)
        assert row["share_changed"] == pytest.approx(0.25)

    def test_one_wording_has_a_reason(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(16), (1, 30, 1, 4, 1))))
        assert found.to_frame("wordings")["reason"].tolist() == ["one wording: nothing to compare it with"]
        assert component(found, "wording")["reason"].startswith("one wording")
        assert set(found.to_frame("control")["n_tests"]) == {0}


class TestControl:
    def test_replicates_are_called_different_at_about_the_level(self, answers, simulated):
        rng = np.random.default_rng(17)
        found = run(answers(simulated(rng, (60, 80, 1, 2, 2), spread=1.0), n_options=2))
        row = found.to_frame("control").set_index("by").loc["overall"]
        assert row["control"] == "replicates"
        assert row["n_estimable"] == 60
        assert row["n_different"] <= 9, "about 3 expected; 10 or more have a probability of .001"
        assert row["conf_low"] <= 0.05 <= row["conf_high"]

    def test_a_true_difference_is_found(self, answers):
        rng = np.random.default_rng(18)
        correct = rng.random((10, 100, 1, 2, 2)) < np.array([0.3, 0.7])
        row = run(answers(correct, n_options=2)).to_frame("control").set_index("by").loc["overall"]
        assert row["n_different"] == 10

    def test_without_replicates_wordings_stand_in_and_are_named_so(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(19), (2, 40, 2, 4, 1))))
        assert set(found.to_frame("control")["control"]) == {"wordings"}
        assert set(found.to_frame("control_tests")["level_b"]) == {"2"}


class TestWhatCannotBeSaid:
    def test_one_answer_an_item_leaves_models_and_items(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(20), (4, 50, 1, 4, 1))[:, :, :, :1]))
        assert found.to_frame()["variance"].isna().all()
        assert (found.to_frame()["reason"] != "").all()
        assert "partial" in found.meta
        assert found.to_frame("designs").empty
        assert set(found.to_frame("across")["component"]) == {"model", "item", "residual"}

    def test_one_order_confounds_position_with_item(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(21), (1, 50, 3, 4, 1))[:, :, :, :1]))
        assert "one order" in component(found, "position")["reason"]
        assert component(found, "item")["variance"] > 0
        assert found.to_frame("designs")["n_rotations"].unique().tolist() == [1]

    @pytest.mark.parametrize("value", [True, False])
    def test_all_right_or_all_wrong(self, answers, value):
        found = run(answers(np.full((2, 20, 2, 4, 1), value)))
        assert found.to_frame()["variance"].isna().all()
        assert found.to_frame()["reason"].str.contains("nothing varies").all()
        assert found.to_frame("across")["variance"].isna().all()
        assert set(found.to_frame("wordings")["estimate"]) == {0.0}

    def test_a_model_that_always_answers_a(self, answers):
        position = (np.arange(40)[:, None] % 4 - np.arange(4)) % 4
        found = run(answers(np.broadcast_to((position == 0)[None, :, None, :, None], (2, 40, 3, 4, 1))))
        assert component(found, "position")["variance"] == pytest.approx(0.25)
        assert component(found, "position")["variance_share"] == pytest.approx(1)
        assert np.isnan(component(found, "item")["conf_high"])
        assert "no interval" in component(found, "item")["flag"]
        designs = found.to_frame("designs")
        table = designs[designs["unit"] == "m0"].set_index(["n_wordings", "n_rotations"])
        assert table.loc[(1, 1), "se_fixed"] == pytest.approx(np.sqrt(3 / 16 / 40))  # of 0/1 with a mean of 1/4
        assert np.isnan(table.loc[(1, 4), "se_fixed"])
        coefficients = found.to_frame("generalisability")
        assert coefficients["g_coefficient"].isna().all()
        assert (coefficients["reason"] != "").all()

    def test_two_items(self, answers, simulated):
        found = run(answers(simulated(np.random.default_rng(29), (1, 2, 3, 4, 2))))
        assert np.isfinite(component(found, "residual")["variance"])

    def test_answers_here_and_there_go_to_reml_with_their_replicates(self, answers, simulated):
        rng = np.random.default_rng(30)
        kept = rng.random((1, 50, 2, 4, 2)) < 0.6
        found = run(answers(simulated(rng, (1, 50, 2, 4, 2)), kept=kept))
        assert set(found.to_frame()["method"]) == {"REML"}
        assert component(found, "residual")["flag"] == ""
        assert len(found.to_frame()) == 8

    def test_one_item_and_one_model(self, answers):
        found = run(answers(np.array([[[[[True], [False]], [[True], [True]]]]]), n_options=2))
        assert found.to_frame()["reason"].tolist() == ["fewer than 2 items"]
        assert (found.to_frame("across")["reason"] != "").all()

    def test_few_items_have_no_interval(self, answers, simulated):
        row = component(run(answers(simulated(np.random.default_rng(22), (1, 8, 2, 4, 1)))), "item")
        assert np.isfinite(row["variance"])
        assert np.isnan(row["conf_low"])
        assert "no interval" in row["flag"]

    def test_no_answer_at_all_steps_aside(self, answers):
        correct = np.zeros((1, 5, 1, 4, 1), dtype=bool)
        found = run(answers(correct, kept=np.zeros_like(correct)))
        assert found.meta["reason"].startswith("No model answered")
        assert found.to_frame()["reason"].tolist() == ["no answers"]

    def test_a_model_without_answers_among_others(self, answers, simulated):
        correct = simulated(np.random.default_rng(23), (3, 30, 2, 4, 1))
        kept = np.ones_like(correct)
        kept[0] = False
        found = run(answers(correct, kept=kept))
        assert found.to_frame().set_index("unit").loc["m0", "reason"] == "no answers"
        across = found.to_frame("across")
        assert across["n_units"].unique().tolist() == [2]
        assert np.isfinite(across["variance"]).all()
        assert np.isfinite(component(found, "item", unit="m2")["variance"])

    def test_counts_without_responses_are_refused(self, answers, simulated):
        counts = answers(simulated(np.random.default_rng(24), (1, 5, 1, 4, 1)))
        with pytest.raises(UsageError, match="single responses"):
            sensitivity(replace(counts, responses=None))

    @pytest.mark.parametrize(
        "wrong", [{"wordings": "some"}, {"residual": "none"}, {"wanted_se": 0.0}, {"level": 1.0}, {"draws": 3}]
    )
    def test_arguments_out_of_range_are_refused(self, answers, simulated, wrong):
        counts = answers(simulated(np.random.default_rng(25), (1, 5, 1, 4, 1)))
        with pytest.raises(UsageError):
            sensitivity(counts, **wrong)


def test_the_same_seed_gives_the_same_bytes_and_json_has_no_nan(answers, simulated):
    counts = answers(simulated(np.random.default_rng(26), (2, 30, 2, 4, 1)))
    first, second = (run(counts, seed=3).to_json() for _ in range(2))
    assert first == second
    assert "NaN" not in first


def test_names_of_models_do_not_matter(answers, simulated):
    correct = simulated(np.random.default_rng(27), (3, 40, 2, 4, 1))
    one, turned = run(answers(correct)), run(answers(correct[::-1]))
    for name in ("item", "residual"):
        assert component(one, name, "m0")["variance"] == pytest.approx(component(turned, name, "m2")["variance"])
    columns = ["group", "g_coefficient"]
    pd.testing.assert_frame_equal(
        one.to_frame("generalisability")[columns], turned.to_frame("generalisability")[columns]
    )
