"""Items unfair to a group of models: against R, by simulation, and at the edges."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import special

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.dif import dif
from click_stats.stats.dif.adjusted import adjusted
from click_stats.stats.dif.groups import contrast
from click_stats.stats.dif.logistic import logistic
from click_stats.stats.dif.mantel_haenszel import ets_class, mantel_haenszel
from click_stats.stats.dif.matching import matched, matching_score, purified, strata_of

ORACLE = Path(__file__).resolve().parents[2] / "oracles" / "dif"
EXPECTED = json.loads((ORACLE / "expected.json").read_text())
ORDER = EXPECTED["order"]


@pytest.fixture(scope="module")
def exam():
    frame = pd.read_csv(ORACLE / "input.csv")
    return frame[ORDER].to_numpy(dtype=float), (frame["group"] == "focal").to_numpy(dtype=float)


def of_r(key):
    return np.array([EXPECTED["items"][item][key] for item in ORDER])


def simulate(rng, per_group, n_items, planted=(), shift=0.0, gap=0.5):
    """Answers of two groups under a Rasch model; planted items are harder for the focal group by ``shift`` logits."""
    focal = np.repeat([0.0, 1.0], per_group)
    ability = rng.normal(size=2 * per_group) - gap * focal
    difficulty = np.tile(rng.normal(size=n_items), (2 * per_group, 1))
    difficulty[:, list(planted)] += shift * focal[:, None]
    return (rng.random(difficulty.shape) < special.expit(ability[:, None] - difficulty)).astype(float), focal


def test_mantel_haenszel_is_that_of_r(exam):
    y, focal = exam
    found = matched(y, focal, np.ones(30, dtype=bool))
    np.testing.assert_allclose(np.exp(found.log_odds), of_r("mh_common_or"), rtol=1e-9)
    np.testing.assert_allclose(found.std_error, of_r("mh_log_or_se"), rtol=1e-9)
    np.testing.assert_allclose(found.delta, of_r("mh_delta"), rtol=1e-9)
    np.testing.assert_allclose(found.statistic, of_r("mh_chi2"), rtol=1e-9)
    np.testing.assert_allclose(found.p_value, of_r("mh_p"), rtol=1e-9)
    assert list(found.n_strata) == list(of_r("strata"))
    assert list(found.n_used) == list(of_r("n_used"))
    assert dict(zip(ORDER, ets_class(found), strict=True)) == EXPECTED["ets_class"]


def test_logistic_regressions_are_those_of_r(exam):
    y, focal = exam
    found = logistic(y, focal, matching_score(y, np.ones(30, dtype=bool)))
    for mine, key in (
        (found.uniform, "lr_uniform"), (found.nonuniform, "lr_nonuniform"), (found.total, "lr_total"),
        (found.p_uniform, "p_uniform"), (found.p_nonuniform, "p_nonuniform"), (found.p_total, "p_total"),
        (found.r2_change, "delta_nagelkerke_total"),
    ):  # fmt: skip
        np.testing.assert_allclose(mine, of_r(key), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(found.group, [one["g"] for one in of_r("coef_m1")], rtol=1e-6)
    np.testing.assert_allclose(found.group_error, [one["g"] for one in of_r("se_m1")], rtol=1e-6)


def test_the_adjusted_difference_is_that_of_least_squares(exam):
    y, focal = exam
    y = y.copy()
    y[::7, 3] = np.nan
    score = matching_score(y, np.ones(30, dtype=bool))
    found = adjusted(y, focal, score)
    for item in (0, 3, 17):
        there = np.isfinite(y[:, item])
        design = sm.add_constant(np.column_stack([score[there, item], focal[there]]))
        reference = sm.OLS(y[there, item], design).fit()
        assert found.estimate[item] == pytest.approx(reference.params[2], rel=1e-9)
        assert found.std_error[item] == pytest.approx(reference.bse[2], rel=1e-9)
        assert found.p_value[item] == pytest.approx(reference.pvalues[2], rel=1e-8)


def test_planted_items_are_found_and_leave_the_anchor(exam, counts_of):
    y, focal = exam
    result = run(counts_of, y, focal)
    frame = result.to_frame().set_index("item")
    keys = dict(zip(ORDER, frame.index, strict=True))
    planted = {keys[EXPECTED["planted"][kind]] for kind in ("uniform", "nonuniform")}
    assert set(frame.index[frame["verdict"] == "separated"]) == planted
    assert frame.loc[keys[EXPECTED["planted"]["uniform"]], "estimate"] < -0.1  # harder for the focal group
    anchor, _ = purified(y, focal)
    assert not anchor[[ORDER.index(item) for item in EXPECTED["planted"].values()]].any()
    assert result.to_frame("contrasts")["n_anchor"].item() == anchor.sum() >= 26


def run(counts_of, y, focal, **parameters):
    counts = counts_of(np.nan_to_num(y).astype(int), np.isfinite(y).astype(int))
    facts = counts.units.assign(access=np.where(focal > 0, "open", "api"))
    return dif(counts.with_units(facts), contrasts=["access=open"], **parameters)


def test_without_a_difference_few_items_are_called_different():
    rng = np.random.default_rng(3)
    false, tested = 0, 0
    for _ in range(6):
        y, focal = simulate(rng, 60, 60)
        p = logistic(y, focal, matching_score(y, purified(y, focal)[0])).p_joint
        false, tested = false + int((p < 0.05).sum()), tested + int(np.isfinite(p).sum())
    # matching on an observed score with a difference in ability is a little liberal
    assert 0.02 < false / tested < 0.10


def test_power_grows_with_the_difference():
    rng = np.random.default_rng(4)
    found = []
    for shift in (0.0, 0.8, 1.6):
        y, focal = simulate(rng, 100, 60, planted=range(6), shift=shift)
        p = logistic(y, focal, matching_score(y, purified(y, focal)[0])).p_joint
        found.append((p[:6] < 0.05).mean())
    assert found[0] < found[1] < found[2]
    assert found[2] > 0.8


def test_intervals_cover_the_difference_at_equal_score():
    # Linear truth, so that the regression is right: scores on the anchor are given, groups differ by .1.
    rng = np.random.default_rng(5)
    hits, runs = 0, 400
    focal = np.repeat([0.0, 1.0], 8)
    for _ in range(runs):
        score = rng.uniform(0.3, 0.9, (16, 1))
        y = 0.2 + 0.5 * score + 0.1 * focal[:, None] + rng.normal(0, 0.1, (16, 1))
        found = adjusted(y, focal, score)
        half = found.quantile(0.95) * found.std_error
        hits += bool(abs(found.estimate[0] - 0.1) <= half[0])
    assert abs(hits / runs - 0.95) < 4 * np.sqrt(0.95 * 0.05 / runs)


def test_relabelling_the_groups_turns_the_sign(exam):
    y, focal = exam
    here, there = (mantel_haenszel(y, group, strata_of(y.mean(axis=1))) for group in (focal, 1 - focal))
    np.testing.assert_allclose(here.log_odds, -there.log_odds, rtol=1e-9)
    score = matching_score(y, np.ones(30, dtype=bool))
    np.testing.assert_allclose(adjusted(y, focal, score).estimate, -adjusted(y, 1 - focal, score).estimate, rtol=1e-9)


def test_trials_do_not_multiply_models(counts_of):
    rng = np.random.default_rng(6)
    y, focal = simulate(rng, 25, 20)
    once, often = counts_of(y.astype(int)), counts_of(12 * y.astype(int), 12)
    access = np.where(focal > 0, "open", "api")
    frames = [
        dif(one.with_units(one.units.assign(access=access)), contrasts=["access=open"]).to_frame()
        for one in (once, often)
    ]
    pd.testing.assert_frame_equal(*frames)


def test_conditions_do_not_multiply_models_and_controls_take_no_part(counts_of):
    rng = np.random.default_rng(16)
    y, focal = simulate(rng, 12, 20)
    once = counts_of(2 * y.astype(int), 2)
    thrice = counts_of(np.tile(y.astype(int), (3, 1)))
    units = thrice.units.assign(
        model=np.tile(once.units.index, 3),
        condition=np.repeat(["default", "cot", "choices-only"], 24),
        access=np.tile(np.where(focal > 0, "open", "api"), 3),
    )
    alone = dif(once.with_units(once.units.assign(access=np.where(focal > 0, "open", "api"))), contrasts="access")
    found = dif(thrice.with_units(units), contrasts="access")
    for name in alone.tables:
        pd.testing.assert_frame_equal(found.to_frame(name), alone.to_frame(name))
    assert found.to_frame("contrasts").loc[0, "n_reference"] == 12
    assert any("added up" in warning for warning in found.meta["warnings"])


def test_numbers_of_models_and_items_are_whole_in_json_where_others_are_undefined(counts_of):
    counts = facts(counts_of, access=["api"] * 3 + ["open"] * 3)
    result = dif(counts, contrasts=["access", "parameters"])
    assert Result.from_dict(json.loads(result.to_json())).to_json() == result.to_json()
    assert '"n_anchor"' in result.to_json()
    assert type(json.loads(result.to_json())["tables"]["contrasts"]["rows"][0][8]) is int


def test_a_separated_item_is_tested_without_a_coefficient():
    focal = np.repeat([0.0, 1.0], 30)
    y = np.column_stack([1 - focal, np.tile([0.0, 1.0], 30), np.ones(60)])
    found = logistic(y, focal, np.tile([[0.2], [0.4], [0.6]], (20, 3)))
    assert found.separated[0]
    assert np.isnan(found.group[0])
    assert found.p_uniform[0] < 1e-10
    assert not found.separated[1]
    assert np.isnan(found.p_total[2])  # all right: nothing to explain


def test_small_groups_get_no_verdict_and_no_test(counts_of):
    rng = np.random.default_rng(7)
    y, focal = simulate(rng, 10, 30)
    frame = run(counts_of, y, focal).to_frame()
    assert set(frame["verdict"]) == {"not decided"}
    assert frame[["p_value", "p_adjusted", "p_mh", "p_uniform", "p_nonuniform"]].isna().all(axis=None)
    assert frame["estimate"].notna().any()
    assert frame["detectable"].gt(0).any()
    assert frame["reason"].str.len().gt(0).all()


def test_an_item_everyone_gets_right_has_a_reason(counts_of):
    rng = np.random.default_rng(8)
    y, focal = simulate(rng, 25, 20)
    y[:, 4] = 1
    row = run(counts_of, y, focal).to_frame().set_index("item").loc["i4"]
    assert np.isnan(row["p_value"])
    assert row["verdict"] == "not decided"
    assert row["reason"] == "every model of the contrast has the same score here"


def test_an_item_that_one_group_did_not_answer_is_left_out(counts_of):
    rng = np.random.default_rng(9)
    y, focal = simulate(rng, 25, 20)
    y[focal > 0, 2] = np.nan
    result = run(counts_of, y, focal)
    assert "i2" not in set(result.to_frame()["item"])
    assert result.to_frame("contrasts")["n_items"].item() == 19


def test_a_category_is_compared_on_the_rest(counts_of):
    rng = np.random.default_rng(10)
    y, focal = simulate(rng, 12, 200, planted=range(100), shift=1.5, gap=0.0)
    counts = counts_of(y.astype(int), category=["A"] * 100 + ["B"] * 100)
    counts = counts.with_units(counts.units.assign(access=np.where(focal > 0, "open", "api")))
    groups = dif(counts, contrasts=["access=open"]).to_frame("groups").query("by == 'category'").set_index("group")
    assert groups.loc["A", "verdict"] == "separated"
    assert groups.loc["A", "conf_high"] < 0 < groups.loc["B", "estimate"]


def facts(counts_of, **columns):
    size = len(next(iter(columns.values())))
    counts = counts_of(np.tile([1, 0, 1, 0], (size, 1)))
    return counts.with_units(counts.units.assign(**columns))


def test_models_are_divided_by_numbers_dates_and_words(counts_of):
    counts = facts(
        counts_of,
        parameters=[1.0, 8.0, None, 70.0, 13.0, 4.0, 30.0],
        release_date=["2024-05", "2024-05-13", "2025", "2025-12-01", None, "2023-01", "2025-01-01"],
        access=["api", "open", "open", "api", "api", "open", "api"],
    )
    sizes = contrast(counts, "parameters")
    assert (sizes.focal, sizes.reference) == ("up to 8", "above 8")
    assert list(sizes.units) == [0, 1, 3, 4, 5, 6]
    assert list(sizes.member) == [1, 1, 0, 0, 1, 0]
    dates = contrast(counts, "release_date")
    assert (dates.focal, dates.reference) == ("up to 2024-05-13", "after 2024-05-13")
    named = contrast(counts, "access=open")
    assert (named.focal, named.reference, list(named.member)) == ("open", "not open", [0, 1, 1, 0, 0, 1, 0])


@pytest.mark.parametrize(
    ("columns", "spec", "found"),
    [
        ({"access": ["api", "api", "api"]}, "access", "the same for all"),
        ({"access": ["api", "open", "open", "open"]}, "access", "a group has 1 model; each needs 3"),
        ({"access": ["a", "b", "c"]}, "access", "has 3 values"),
        ({"access": [None, None, None]}, "access", "known of no model"),
        ({"access": ["a", "b", "b"]}, "parameters", "known of no model"),
    ],
)
def test_a_division_that_cannot_be_made_says_why(counts_of, columns, spec, found):
    assert found in contrast(facts(counts_of, **columns), spec).reason
    result = dif(facts(counts_of, **columns), contrasts=[spec])
    assert "--models" in result.meta["reason"]
    assert found in result.to_frame("contrasts")["reason"].item()


def test_without_residuals_there_is_no_error_and_nothing_detectable():
    y = np.column_stack([np.ones(8), np.tile([0.0, 1.0], 4)])
    focal = np.repeat([0.0, 1.0], 4)
    score = np.column_stack([np.linspace(0.2, 0.9, 8)] * 2)
    found = adjusted(y, focal, score)
    assert found.estimate[0] == pytest.approx(0)
    assert np.isnan(found.std_error[0])
    assert found.std_error[1] > 0.1


def test_an_unknown_fact_or_value_is_an_error(counts_of):
    counts = facts(counts_of, access=["api", "open", "open"])
    with pytest.raises(UsageError, match="no fact of them"):
        contrast(counts, "colour")
    with pytest.raises(UsageError, match="No model has access 'closed'"):
        contrast(counts, "access=closed")
    with pytest.raises(UsageError, match="between 0 and 1"):
        dif(counts, alpha=0)


def test_a_number_names_a_group_too(counts_of):
    counts = facts(counts_of, parameters=[7.0, 7.0, 7.0, 13.0, 13.0, 13.0, None])
    assert list(contrast(counts, "parameters=7").member) == [1, 1, 1, 0, 0, 0]
