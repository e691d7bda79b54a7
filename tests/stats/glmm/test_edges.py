"""What cannot be fitted says so; what can only be fitted in part says which part."""

import numpy as np
import pandas as pd
import pytest

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm import ConvergenceError, GlmmData, GlmmSpec, fit


def fitted(table, fixed="category", random=("item", "model"), **options):
    return fit(GlmmData.from_frame(table), GlmmSpec(fixed, random, **options))


def test_a_category_that_is_always_right_has_no_estimate(cells):
    table = cells()
    table.loc[table["category"] == "Q", "correct"] = 6
    found = fitted(table)
    assert any(note.startswith("separation: category Q") for note in found.notes)
    assert np.isnan(found.beta[1])
    assert np.isnan(found.se[1])
    assert list(found.separation.direction) == [0, 1, 0]
    assert np.all(found.fitted[table["category"] == "Q"] == 1)
    # The rest is the fit without that category.
    without = fitted(table[table["category"] != "Q"])
    np.testing.assert_allclose(found.beta[[0, 2]], without.beta, atol=1e-6)
    np.testing.assert_allclose(found.se[[0, 2]], without.se, rtol=1e-5)
    assert found.loglik == pytest.approx(without.loglik, abs=1e-8)


def test_the_likelihood_under_separation_is_its_supremum(cells):
    """With the coefficient fixed far out the likelihood comes as near as one likes, and never above."""
    table = cells()
    table.loc[table["category"] == "Q", "correct"] = 6
    found = fitted(table)
    nearly = table.copy()
    nearly.loc[nearly.index[(nearly["category"] == "Q")][0], "correct"] = 5
    assert fitted(nearly).separation is None
    assert fitted(nearly).loglik < found.loglik


def test_separation_case_of_two_categories():
    table = pd.DataFrame({"item": list("ab"), "model": "m", "category": ["P", "Q"], "trials": 10, "correct": [5, 10]})
    found = fitted(table, random=())
    assert found.separation.names == ("category Q (every trial right)",)
    assert found.beta[0] == pytest.approx(0, abs=1e-9)
    assert np.isnan(found.beta[1])


def test_a_base_level_that_is_always_wrong_takes_the_contrasts_with_it(cells):
    table = cells()
    table.loc[table["category"] == "P", "correct"] = 0
    found = fitted(table)
    assert found.separation.names == ("category P (every trial wrong)",)
    assert np.isnan(found.beta).all()
    other = fitted(table, base={"category": "R"})
    assert list(np.isnan(other.beta)) == [False, True, False]
    assert other.loglik == pytest.approx(found.loglik, abs=1e-8)


def test_a_predictor_that_separates_is_named(cells):
    table = cells()
    table.loc[table["model"] == "m004", "correct"] = 6
    assert fitted(table).separation is None  # the model's effect is normal: it has a mode
    table["large"] = (table["model"] == "m004").astype(float)
    found = fitted(table, "category + large")
    assert found.separation.names == ("large",)
    assert np.isnan(found.beta[-1])
    assert np.isfinite(found.beta[:-1]).all()


def test_an_interaction_that_separates_is_named(cells):
    table = cells()
    table.loc[(table["model"] == "m004") & (table["category"] == "Q"), "correct"] = 6
    found = fitted(table, "category*model", ("item",))
    assert found.separation.names == ("category[Q]:model[m004]",)
    assert np.isnan(found.beta).sum() == 1


def test_everything_separated(cells):
    table = cells()
    table["correct"] = np.where(table["category"] == "Q", 6, 0)
    with pytest.raises(DataError, match="Nothing is left"):
        fitted(table)


@pytest.mark.parametrize(("value", "word"), [(6, "right"), (0, "wrong")])
def test_all_right_and_all_wrong(cells, value, word):
    with pytest.raises(DataError, match=f"Every trial is {word}"):
        fitted(cells().assign(correct=value))


@pytest.mark.parametrize(("column", "level"), [("model", "m000"), ("item", "i0000")])
def test_one_level_has_no_variance(cells, column, level):
    table = cells()
    with pytest.raises(DataError, match=f"{column!r} has one level only"):
        fitted(table[table[column] == level], "")


def test_one_model_without_its_effect(cells):
    table = cells(trials=12, n_items=90)
    found = fitted(table[table["model"] == "m000"], "category", ("item",))
    assert found.random == ("item",)
    assert found.sd[0] > 0.5


def test_dependent_predictors_are_named(cells):
    table = cells().assign(constant=3.0, twice=lambda t: 2 * t["log10_params"])
    with pytest.raises(DataError, match="linear combinations") as caught:
        fitted(table, "category + constant")
    assert caught.value.found == "(intercept), constant"
    with pytest.raises(DataError) as caught:
        fitted(table, "category + log10_params + corpus + twice")
    assert caught.value.found == "log10_params, twice"


def test_more_coefficients_than_models(cells):
    table = cells(2)
    with pytest.raises(DataError, match="variance of 'model' cannot be estimated"):
        fitted(table, "log10_params")
    with pytest.raises(DataError, match="variance of 'model' cannot be estimated"):
        fitted(cells(), "model")


def test_variance_of_zero_is_said():
    model, item = np.divmod(np.arange(300), 60)
    table = pd.DataFrame({"model": model, "item": item, "category": np.array(list("PQR"))[item % 3], "trials": 6})
    # Exactly as many right in every item and every model: less spread than chance makes.
    table["correct"] = np.where((model + item) % 2 == 0, 4, 3)
    found = fitted(table, "category", ("item", "model"))
    assert list(found.sd) == [0, 0]
    assert list(found.log_sd) == [-np.inf, -np.inf]
    assert np.isnan(found.log_sd_se).all()
    assert sum("variance" in note for note in found.notes) == 2
    plain = fitted(table, "category", ())
    np.testing.assert_allclose(found.beta, plain.beta, atol=1e-7)
    np.testing.assert_allclose(found.se, plain.se, rtol=1e-6)
    assert (found.modes["model"] == 0).all()


def test_a_variance_that_runs_off_is_no_number(cells):
    table = cells()
    table["correct"] = np.where(table["item"].str[-1].astype(int) % 2 == 0, 6, 0)
    table.loc[0, "correct"] = 3
    with pytest.raises(ConvergenceError, match="'item' grows without bound"):
        fitted(table, "")


def test_cells_may_be_missing_and_in_any_order(cells):
    table = cells(6, 80, 10)
    whole = fitted(table, "category + log10_params", ("item", "model", "model:category", "cell"))
    shuffled = fitted(
        table.sample(frac=1, random_state=1), "category + log10_params", ("model:category", "cell", "model", "item")
    )
    np.testing.assert_allclose(whole.beta, shuffled.beta, atol=1e-5)
    np.testing.assert_allclose(whole.sd, shuffled.sd[[3, 2, 0, 1]], atol=1e-4)
    half = fitted(table.sample(frac=0.5, random_state=1), "category + log10_params")
    assert np.all(half.se > 0)
    assert half.n_cells == 240


def test_modes_and_fitted_follow_the_cells(cells):
    table = cells(6, 40, 12).sample(frac=0.9, random_state=5)
    found = fitted(table, "category", ("item", "model", "cell"))
    data = GlmmData.from_frame(table)
    logit = (
        found.beta[0]
        + (data.columns["category"] == "Q") * found.beta[1]
        + (data.columns["category"] == "R") * found.beta[2]
    )
    logit = (
        logit
        + found.modes["item"][data.columns["item"]].to_numpy()
        + found.modes["model"][data.columns["model"]].to_numpy()
    )
    logit = logit + found.modes["cell"].to_numpy()
    np.testing.assert_allclose(found.fitted, 1 / (1 + np.exp(-logit)), atol=1e-8)


def test_a_start_is_used_and_checked(cells):
    data, spec = GlmmData.from_frame(cells()), GlmmSpec("category")
    first = fit(data, spec)
    again = fit(data, spec, start=np.r_[first.beta, first.log_sd])
    np.testing.assert_allclose(again.beta, first.beta, atol=1e-5)
    assert again.n_evaluations <= first.n_evaluations
    with pytest.raises(UsageError, match="start"):
        fit(data, spec, start=np.zeros(2))


@pytest.mark.parametrize(
    ("fixed", "random", "message"),
    [
        ("nope", ("item",), "no column 'nope'"),
        ("category:corpus", ("item",), "without the main effect"),
        ("category::corpus", ("item",), "cannot be read"),
        ("category*log10_params*corpus", ("item",), "cannot be read"),
        ("", ("item", "item"), "given twice"),
        ("", ("family",), "no column 'family'"),
    ],
)
def test_specifications_that_cannot_be_read(cells, fixed, random, message):
    with pytest.raises(UsageError, match=message):
        fitted(cells(), fixed, random)


def test_base_levels_are_checked(cells):
    with pytest.raises(UsageError, match="does not occur"):
        fitted(cells(), base={"category": "Z"})
    with pytest.raises(UsageError, match="no categorical fixed effect"):
        fitted(cells(), base={"corpus": "1"})


def test_groupings_that_cannot_be_told_apart(cells):
    table = cells()
    with pytest.raises(DataError, match="group the cells alike"):
        fitted(table.assign(passage=table["item"]), "", ("item", "passage", "model"))
    crossed = table.assign(passage=["ab"[k % 2] for k in range(len(table) - 1)] + ["a"])
    crossed.loc[0, "passage"] = "b"
    with pytest.raises(DataError, match="more than one passage"):
        fitted(crossed, "", ("item", "passage", "model"))
    single = table.assign(trials=1, correct=(table["correct"] > 3).astype(int))
    with pytest.raises(DataError, match="one trial"):
        fitted(single, "", ("item", "model", "cell"))


def test_bad_counts(cells):
    table = cells()
    for bad in (7, -1, 2.5, np.nan):
        with pytest.raises(DataError, match="1 cells do not hold counts"):
            GlmmData.from_frame(table.assign(correct=[bad, *table["correct"][1:]]))
    with pytest.raises(DataError, match="No cell has a trial"):
        GlmmData.from_frame(table.assign(correct=0, trials=0))
    with pytest.raises(UsageError, match="no column 'right'"):
        GlmmData.from_frame(table, correct="right")
    table.loc[:4, ["correct", "trials"]] = 0
    data = GlmmData.from_frame(table)
    assert (len(data), data.n_empty) == (295, 5)


def test_a_predictor_that_is_unknown_for_some_models(cells):
    table = cells()
    table.loc[table["model"] == "m001", "log10_params"] = np.nan
    with pytest.raises(DataError, match="no value in 60 of 300 cells") as caught:
        fitted(table, "log10_params")
    assert "m001" in caught.value.found
