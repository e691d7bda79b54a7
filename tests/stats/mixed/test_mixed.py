"""The analysis: rows against what they are made of, exact permutations, and data that do not allow it."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.glmm import GlmmSpec, fit
from click_stats.stats.mixed import mixed
from click_stats.stats.mixed.cells import cells
from click_stats.stats.mixed.levels import ModelLevels, model_levels
from click_stats.stats.mixed.lineage import base_of, change
from click_stats.stats.mixed.permutation import within_blocks
from click_stats.stats.mixed.points import in_points
from click_stats.stats.mixed.second_stage import second_stage
from click_stats.stats.tools.multiplicity import holm


def described(counts, **facts):
    return counts.with_units(counts.units.assign(**facts))


@pytest.fixture(scope="module")
def counts(counts_of):
    """Eight models of five families, 45 items in 3 categories, 6 trials each."""
    rng = np.random.default_rng(5)
    size = np.array([1.0, 4.0, 6.0, 13.0, 6.0, 13.0, 7.0, 13.0])
    level = 0.6 * np.log10(size) + rng.normal(0, 0.3, 8)
    easy = rng.normal(0, 1, 45)
    correct = rng.binomial(6, 1 / (1 + np.exp(-(level[:, None] + easy - 0.5))))
    made = counts_of(correct, 6, category=list("ABC") * 15)
    return described(
        made,
        parameters=size,
        family=["P", "P", "P", "P", "K", "K", "L", "M"],
        base_model=[None, None, None, None, "m2", "m3", None, None],
        korean_corpus=["pre"] * 4 + ["pre + tuned"] * 2 + ["trace"] * 2,
        tuned=["no"] * 4 + ["yes"] * 2 + ["no"] * 2,
        access=["open"] * 7 + ["api"],
    )


@pytest.fixture(scope="module")
def result(counts):
    return mixed(counts)


def rows(result, table="estimates", **columns):
    found = result.tables[table]
    for name, value in columns.items():
        found = found[found[name] == value]
    return found


def test_scale_is_the_second_stage_with_t_of_models(counts, result):
    found = cells(counts, parameters="total", denominator="responded", threshold=())
    expected = second_stage(model_levels(found.data), found.units, "log10_params").table().loc["log10_params"]
    row = rows(result, design="scale").iloc[0]
    assert row["df"] == 8 - 2
    for name, column in (("effect_logit", "estimate"), ("effect_logit_se", "std_error"), ("p_value", "p_value")):
        assert row[name] == pytest.approx(expected[column], rel=1e-9)
    assert row["p_wald"] < row["p_value"]


def test_other_random_structures_begin_with_the_restricted_fit(counts, result):
    found = cells(counts, parameters="total", denominator="responded", threshold=())
    for structure in ("item + model", "item + model + cell"):
        one = fit(found.data, GlmmSpec("category + log10_params + corpus", structure.split(" + ")), restricted=True)
        place = one.names.index("log10_params")
        row = rows(result, "structures", structure=structure, term="log10_params").iloc[0]
        assert row["effect_logit"] == pytest.approx(one.beta[place], abs=0.1 * one.se[place])
        assert row["effect_logit_se"] == pytest.approx(one.se[place], rel=0.1)
        assert row["df"] == 8 - 4
    joint = rows(result, design="scale and corpus", term="log10_params").iloc[0]
    plain = rows(result, "structures", structure="item + model", term="log10_params").iloc[0]
    assert joint["effect_logit"] == plain["effect_logit"]
    shown = set(result.tables["structures"]["structure"])
    assert shown >= {"item + model + cell + model:category", "item + model + cell + family", "cell logits"}


def test_a_corpus_of_whole_families_has_no_p_from_models(result):
    shared = rows(result, design="corpus")
    assert len(shared) == 2
    assert shared["effect_logit"].notna().all()
    assert shared[["p_value", "conf_low", "conf_high", "p_wald"]].isna().all(axis=None)
    assert set(shared["verdict"]) == {"not decided"}
    assert shared["reason"].str.contains("shared by all models of a family").all()
    families = rows(result, design="corpus, families as units")
    assert set(families["df"]) == {1.0}  # four families, three coefficients
    assert (families["n_families"] == 4).all()


def test_points_are_the_mean_change_and_keep_the_order():
    fitted = np.array([0.2, 0.5, 0.9, 1.0])
    step = 1e-4
    slope = (fitted * (1 - fitted)).mean()
    assert in_points(step, fitted) == pytest.approx(step * slope, rel=1e-6)
    assert in_points(-0.7, fitted) == -in_points(0.7, fitted)
    assert np.isnan(in_points(np.nan, fitted))


def test_permutation_within_blocks_is_exact():
    y = np.array([0.1, 0.4, 0.3, 0.9, -1.0, 0.5])
    x = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
    blocks = ["a", "a", "a", "a", "b", "b"]
    found = within_blocks(y, x, blocks)
    sums = [
        sum((y[:4] - y[:4].mean()) * np.array(p)) + sum((y[4:] - y[4:].mean()) * np.array(q))
        for p in permutations(x[:4] - x[:4].mean())
        for q in permutations(x[4:] - x[4:].mean())
    ]
    seen = abs(sums[0])
    assert found.n_arrangements == 48
    assert found.exact
    assert found.p_value == pytest.approx(np.mean(np.abs(sums) >= seen - 1e-12))
    assert found.p_least == pytest.approx(2 / 48)
    assert np.isnan(within_blocks(y, x, list("abcdef")).p_value)


def test_permutation_holds_its_size():
    rng = np.random.default_rng(3)
    x = np.array([0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0])
    blocks = list("aaaabbb")
    family = np.array([0, 0, 0, 0, 3.0, 3.0, 3.0])  # families that differ much leave no trace
    p = [within_blocks(family + rng.normal(size=7), x, blocks).p_value for _ in range(400)]
    assert np.mean(np.array(p) <= 0.05) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.08)


def test_corpus_is_permuted_within_base_model_and_size(result):
    row = rows(result, design="corpus within base model and size").iloc[0]
    assert row["n_units"] == 4
    assert row["p_least"] == 0.5  # two blocks of two
    assert row["p_permutation"] in {0.5, 1.0}
    assert row["verdict"] == "not decided"


def test_derived_less_base_on_shared_items(counts, result):
    found = rows(result, "contrasts")
    assert list(zip(found["unit_a"], found["unit_b"], strict=True)) == [("m4", "m2"), ("m5", "m3")]
    levels = model_levels(cells(counts, parameters="total", denominator="responded", threshold=()).data)
    assert found["effect_logit"].iloc[0] == pytest.approx(levels.levels[4] - levels.levels[2])
    assert (found["n_items"] == 45).all()
    assert set(found["made_by"]) == {"tuning"}  # a stage of tuning in the corpus is no further pretraining
    assert found["corpus_a"].tolist() == ["pre + tuned"] * 2
    assert (found["p_adjusted"] >= found["p_value"]).all()
    changes = result.tables["changes"].set_index("made_by")
    gap = found["effect_logit"].mean()
    assert changes.loc["tuning", "effect_logit"] == pytest.approx(gap)
    assert changes.loc["tuning", "n_contrasts"] == 2
    assert np.isnan(changes.loc["further pretraining", "effect_logit"])
    assert changes.loc["further pretraining", "reason"]


def test_a_base_model_is_found_by_its_name_behind_a_prefix():
    units = pd.DataFrame(
        {"model": ["x/base-1b", "base-1b-chat", "other"], "base_model": [None, "base-1b", "base"]},
        index=["x/base-1b", "base-1b-chat", "other"],
    )
    assert base_of(units, "base-1b-chat") == "x/base-1b"
    assert base_of(units, "other") is None
    assert base_of(units, "x/base-1b") is None


def test_predictions_are_drawn_towards_the_middle(counts, result):
    found = result.tables["predictions"]
    assert len(found) == 8 * 3
    raw = counts.correct[0, ::3].mean() / 6
    assert rows(result, "predictions", unit="m0", category="A")["accuracy_raw"].iloc[0] == pytest.approx(raw)
    spread = found.groupby("category")[["accuracy_raw", "estimate"]].std()
    assert (spread["estimate"] < spread["accuracy_raw"]).all()
    assert set(result.tables["pairs"]["by"]) == {"model", "family"}
    assert (rows(result, "pairs", by="model")["unit_a"].count()) == 28


def test_models_without_size_are_named(counts):
    size = counts.units["parameters"].to_numpy().copy()
    size[[1, 6]] = np.nan
    found = mixed(described(counts, parameters=size))
    left = rows(found, "models", design="scale", used=False)
    assert set(left["unit"]) == {"m1", "m6"}
    assert set(left["reason"]) == {"unknown: log10_params"}
    assert rows(found, design="scale")["n_units"].iloc[0] == 6


def test_fewer_than_four_models_give_no_scale_test(counts):
    found = mixed(counts.select(["m0", "m1", "m2"]))
    row = rows(found, design="scale").iloc[0]
    assert np.isnan(row["effect_logit"])
    assert row["verdict"] == "not decided"
    assert "needs 4 or more" in row["reason"]
    assert any("needs 4 or more" in text for text in found.meta["warnings"])
    assert len(found.tables["structures"]) == 0


def test_one_corpus_and_unknown_facts(counts, counts_of):
    found = mixed(described(counts, korean_corpus="pre"))
    assert rows(found, design="corpus")["reason"].iloc[0] == "all models have the same corpus"
    bare = counts_of(counts.correct, 6, category=counts.items["category"])
    found = mixed(bare)
    assert found.tables["estimates"]["effect_logit"].isna().all()
    assert len(found.tables["predictions"]) == 24


@pytest.mark.parametrize("value", [0, 6])
def test_all_right_or_all_wrong_steps_aside(counts_of, value):
    found = mixed(counts_of(np.full((5, 12), value), 6))
    assert found.meta["reason"]
    assert found.meta["reason"] in found.meta["warnings"]
    assert all(len(table) == 0 for table in found.tables.values())


def test_one_model_and_one_item_step_aside(counts_of):
    assert "needs 2 or more" in mixed(counts_of([[1, 0, 1]])).meta["reason"]
    assert mixed(counts_of([[1], [0], [1], [1], [0]])).meta["reason"]


def test_separation_is_said(counts, counts_of):
    correct = counts.correct.copy()
    correct[:, ::3] = 6
    facts = counts.units.drop(columns=["model", "condition", "protocol"])
    made = counts_of(correct, 6, category=counts.items["category"])
    found = mixed(described(made, **{name: facts[name].to_numpy() for name in facts}))
    table = found.tables["separation"]
    assert table.to_dict("records") == [{"term": "category[A]", "separated_by": "every trial right", "n_cells": 8 * 15}]
    assert any(text.startswith("separation: category A (every trial right)") for text in found.meta["warnings"])
    fixed = rows(found, "tests", term="category").iloc[0]
    assert np.isnan(fixed["p_lr"])
    assert "separation" in fixed["reason"]
    assert rows(found, design="scale")["effect_logit"].notna().all()  # the models' levels stay finite
    assert not len(mixed(counts).tables["separation"])


def test_a_term_of_items_and_models_is_fitted_at_once(counts):
    found = mixed(counts, fixed="category*log10_params", random=("item", "model", "model:category"))
    table = found.tables["estimates"]
    assert list(table["term"]) == ["log10_params", "category[B]:log10_params", "category[C]:log10_params"]
    assert set(table["df"]) == {6.0}


@pytest.mark.parametrize(
    "wrong",
    [{"level": 1.0}, {"alpha": 0}, {"margin": 2.0}, {"threshold": 0.0}, {"random": ("item",)}, {"fixed": "nothing"}],
)
def test_arguments_out_of_range(counts, wrong):
    with pytest.raises(UsageError):
        mixed(counts, **wrong)


def test_equivalence_needs_the_whole_interval_inside(counts):
    assert rows(mixed(counts, margin=0.9), design="scale")["verdict"].iloc[0] == "equivalent"
    assert rows(mixed(counts, margin=0.001), design="scale")["verdict"].iloc[0] != "equivalent"


def test_active_parameters_and_a_stated_threshold(counts):
    active = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 50.0])
    found = cells(
        described(counts, parameters_active=active), parameters="active", denominator="planned", threshold=(5.0,)
    )
    np.testing.assert_allclose(found.units["log10_params"].astype(float), np.log10(active))
    np.testing.assert_allclose(found.units["above_threshold"].astype(float), np.maximum(0, np.log10(active / 5)))
    assert found.knots == pytest.approx((5.0,))


def test_several_sizes_at_which_the_slope_may_change(counts):
    found = mixed(counts, threshold=(10.0, 5.0))
    assert found.meta["threshold"] == [5.0, 10.0]
    steps = rows(found, design="threshold", term="above_threshold")
    assert list(steps["knot"]) == [5.0, 10.0]
    assert (steps["df"] == 8 - 4).all()
    known = cells(counts, parameters="total", denominator="responded", threshold=(5.0, 10.0))
    formula = "log10_params + above_threshold + above_threshold_2"
    expected = second_stage(model_levels(known.data), known.units, formula).table()
    assert steps["effect_logit"].iloc[1] == pytest.approx(expected.loc["above_threshold_2", "estimate"])
    notes = " ".join(rows(found, "confounded", design="threshold")["note"])
    assert "Up to 5 billion parameters: 2 models; above: 6." in notes
    assert "2 changes of slope are estimated together from 8 models" in notes
    assert mixed(counts).tables["estimates"]["knot"].notna().sum() == 1


def test_a_size_beyond_all_models_gives_no_estimate(counts):
    row = rows(mixed(counts, threshold=100.0), design="threshold").iloc[0]
    assert np.isnan(row["effect_logit"])
    assert row["reason"] == "all models have the same above_threshold"


def test_likelihood_ratio_tests_are_those_of_the_fits_written_out(counts, result):
    found = cells(counts, parameters="total", denominator="responded", threshold=())
    spec = GlmmSpec("model + category", ("item", "cell"))
    whole = fit(found.data, spec).loglik
    tests = result.tables["tests"].set_index("term")
    gains = {
        "item": 2 * (whole - fit(found.data, GlmmSpec("model + category", ("cell",))).loglik),
        "category": 2 * (whole - fit(found.data, GlmmSpec("model", ("item", "cell"))).loglik),
        "model:category": 2
        * (fit(found.data, GlmmSpec(spec.fixed, ("item", "cell", "model:category"))).loglik - whole),
    }
    for term, gain in gains.items():
        assert tests.loc[term, "statistic"] == pytest.approx(gain, abs=1e-4)
    assert tests.loc["item", "p_lr"] == pytest.approx(0.5 * stats.chi2.sf(gains["item"], 1), rel=1e-3)
    assert tests.loc["category", "p_lr"] == pytest.approx(stats.chi2.sf(gains["category"], 2), rel=1e-3)
    assert tests.loc["category", "p_wald"] == pytest.approx(tests.loc["category", "p_lr"], abs=0.1)
    assert not set(tests.index) & {"log10_params", "corpus"}  # effects of models have the t test only


def test_the_test_of_the_variance_over_models_is_that_of_the_restricted_likelihood():
    levels = np.array([0.3, -0.8, 1.1, 0.2, -0.9, 0.7])
    names = [f"m{k}" for k in range(6)]
    one = second_stage(ModelLevels(tuple(names), levels, 0.1 * np.eye(6), None, ()), pd.DataFrame(index=names), "")
    rest = ((levels - levels.mean()) ** 2).sum()

    def deviance(variance):
        return 5 * np.log(variance) + rest / variance

    gain = deviance(0.1) - deviance(rest / 5)
    assert one.variance_test.statistic == pytest.approx(gain, rel=1e-6)
    assert one.variance_test.p_value == pytest.approx(0.5 * stats.chi2.sf(gain, 1), rel=1e-6)
    z = levels.mean() / np.sqrt(rest / 6 / 6)  # by maximum likelihood: rest / models
    assert one.p_wald[0] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-6)


def test_families_that_differ_have_a_variance():
    rng = np.random.default_rng(4)
    names = [f"m{k:02d}" for k in range(30)]
    family = np.repeat(np.arange(6), 5)
    levels = rng.normal(0, 1, 6)[family] + rng.normal(0, 0.2, 30)
    facts = pd.DataFrame({"family": family.astype(str)}, index=names)
    given = ModelLevels(tuple(names), levels, 1e-4 * np.eye(30), None, ())
    one = second_stage(given, facts, "", families=facts["family"])
    # Balanced one-way layout: REML is the analysis of variance.
    means = levels.reshape(6, 5).mean(axis=1)
    within = ((levels - means[family]) ** 2).sum() / 24
    assert one.sd == pytest.approx(np.sqrt(within - 1e-4), rel=1e-4)
    assert one.family_sd == pytest.approx(np.sqrt(means.var(ddof=1) - within / 5), rel=1e-4)
    assert one.variance_test.p_value < 0.001


def test_pairs_are_corrected_within_their_family(result):
    for by in ("model", "family"):
        found = rows(result, "pairs", by=by)
        np.testing.assert_allclose(found["p_adjusted"], holm(found["p_value"].to_numpy()))
        assert ((found["verdict"] == "separated") == (found["p_adjusted"] < 0.05)).all()


def test_degrees_of_freedom_of_cell_logits_do_not_exceed_those_of_models(counts, counts_of):
    rng = np.random.default_rng(8)
    same = counts_of(rng.binomial(6, 0.5, (8, 45)), 6, category=list("ABC") * 15)
    facts = {name: counts.units[name].to_numpy() for name in ("parameters", "family", "korean_corpus")}
    found = mixed(described(same, **facts), fixed="category + log10_params")
    row = rows(found, "structures", structure="cell logits").iloc[0]
    assert row["model_sd_logit"] == 0
    assert row["df"] == 8 - 2
    assert "Satterthwaite" in row["note"]
    reach = stats.t.ppf(0.975, 6) * row["effect_logit_se"]
    assert row["effect_logit_high"] == pytest.approx(row["effect_logit"] + reach)


def test_tuning_and_pretraining_are_told_apart():
    units = pd.DataFrame(
        {
            "tuned": ["no", "yes", "no", "yes", None, "no"],
            "korean_corpus": ["Web", "Web + instruction tuning", "Web + news", "web+news + SFT", "Web", "web "],
        },
        index=list("abcdef"),
    )
    kinds = [change(units, unit, "a").change for unit in "bcdef"]
    assert kinds == [
        "tuning", "further pretraining", "tuning and further pretraining", "not known", "no change stated",
    ]  # fmt: skip


def test_a_base_model_that_is_absent_is_named(counts):
    found = rows(mixed(counts.select(["m0", "m1", "m3", "m4", "m6"])), "contrasts")
    assert list(found["unit_b"]) == ["m2"]
    assert "not among the models" in found["reason"].iloc[0]
