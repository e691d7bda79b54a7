"""Difficulty explained by facts of items: against glmmTMB and statsmodels, by simulation, and at the edges."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import special, stats

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.stats.difficulty import difficulty
from click_stats.stats.difficulty.interactions import compared, departures, slopes
from click_stats.stats.difficulty.model import score_change, wald
from click_stats.stats.difficulty.terms import build

ORACLE = Path(__file__).resolve().parents[2] / "oracles" / "glmm_real"


@pytest.fixture
def made(counts_of):
    """Counts drawn from the model, with columns ``size`` (a number) and ``kind_of`` (three levels) of the items."""

    def make(seed=1, n_models=12, n_items=120, trials=1, *, size=0.6, kinds=(0.0, 0.8, -0.5), sd=0.8, gap=0.0, per=1):
        rng = np.random.default_rng(seed)
        kind = np.arange(n_items) % len(kinds)
        numbers = rng.normal(0, 1, n_items)
        passage = np.arange(n_items) // per
        hard = size * numbers + np.take(kinds, kind) + rng.normal(0, sd, n_items)
        open_ = np.arange(n_models) % 2
        eta = rng.normal(0.3, 0.7, n_models)[:, None] - hard - gap * open_[:, None] * (kind == 1)
        counts = counts_of(rng.binomial(trials, special.expit(eta)), trials, cluster=passage)
        items = counts.items.assign(size=numbers, kind_of=[f"k{k}" for k in kind])
        units = counts.units.assign(access=np.where(open_ == 1, "open", "api"))
        return replace(counts, items=items, units=units)

    return make


def rows(result, name="estimates"):
    return result.tables[name].set_index(["term", "term_level"] if name != "variance" else "component")


def test_coefficients_are_those_of_glmmtmb():
    table = pd.read_csv(ORACLE / "input.csv.gz")
    engine = json.loads((ORACLE / "expected.json").read_text())["passage"]["glmmTMB"]
    unit, units = pd.factorize(table["model"], sort=True)
    item, keys = pd.factorize(table["item"], sort=True)
    facts = table.groupby("item", sort=True)[["category", "passage"]].first()
    options = np.zeros((len(units), len(keys), 4), dtype=np.int64)
    right = table["correct"].to_numpy()
    options[unit, item, 1 - right] = 1
    statuses = np.zeros((len(units), len(keys), len(STATUSES)), dtype=np.int64)
    statuses[unit, item, 0] = 1
    items = pd.DataFrame(
        {"category": facts["category"], "source": "s", "n_options": 4, "gold": 0, "cluster": facts["passage"]},
        index=pd.Index(keys, name="item"),
    )
    frame = pd.DataFrame({"model": units, "condition": "", "protocol": ""}, index=pd.Index(units, name="unit"))
    counts = Counts(
        frame, items, options, statuses, statuses.sum(axis=2), categories=tuple(sorted(set(facts["category"])))
    )
    result = difficulty(counts, terms="category")
    found = rows(result)
    base = found["base"].iloc[0]
    r = {name.removeprefix("category"): value for name, value in engine["fixef"].items()}
    r[next(iter(set(facts["category"]) - set(r)))] = 0.0
    for (_, level), row in found.iterrows():
        # glmmTMB maximises the likelihood, here it is the restricted one: 1,000 items tell them hardly apart.
        assert row["difficulty_effect"] == pytest.approx(-(r[level] - r[base]), abs=0.03 * row["difficulty_effect_se"])
    sd = result.tables["variance"].set_index("component")["sd_logit"]
    assert sd["item"] == pytest.approx(engine["random_sd"]["item"], rel=0.01)
    assert sd["passage"] == pytest.approx(engine["random_sd"]["passage"], rel=0.02)


def test_slopes_of_a_model_are_those_of_statsmodels(made):
    counts = made()
    scores = counts.scores()[0]
    scores[0, :30] = np.nan
    design = build(counts.items, ["size", "kind_of"], np.ones(120, dtype=bool))
    found = slopes(scores, design.matrix)
    for row in (0, 1):
        there = np.isfinite(scores[row])
        expected = sm.OLS(scores[row, there], sm.add_constant(design.matrix[there])).fit().params[1:]
        np.testing.assert_allclose(found[row], expected, rtol=1e-9, atol=1e-12)


def test_departures_are_one_step_of_a_logistic_regression():
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(4000, 2))
    common = 0.4 + matrix @ [0.5, -0.3]
    own = common + 0.1 + matrix @ [0.15, 0.0]
    right = rng.binomial(3, special.expit(own)).astype(float)
    found = departures(right[None], np.full((1, 4000), 3.0), special.expit(common)[None], matrix)[0]
    design, binomial = sm.add_constant(matrix), sm.families.Binomial()
    model = sm.GLM(np.column_stack([right, 3 - right]), design, family=binomial, offset=common)
    step = model.fit(start_params=np.zeros(3), maxiter=1)
    np.testing.assert_allclose(found, step.params[1:], rtol=1e-8)


def test_groups_of_models_are_compared_by_welch():
    rng = np.random.default_rng(1)
    own = rng.normal(size=(11, 2))
    member = (np.arange(11) > 6).astype(float)
    found = compared(own, member)
    expected = stats.ttest_ind(own[member == 1], own[member == 0], equal_var=False)
    np.testing.assert_allclose(found.p_value, expected.pvalue)
    np.testing.assert_allclose(found.df, expected.df)
    np.testing.assert_allclose(found.estimate, own[member == 1].mean(axis=0) - own[member == 0].mean(axis=0))


def test_wald_of_one_coefficient_is_its_square():
    found = wald(np.array([1.5, np.nan]), np.diag([0.25, np.nan]), [0, 1])
    assert (found.statistic, found.df) == (pytest.approx(9.0), 1)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(3.0))


def test_change_of_score_is_that_of_all_answers_moved():
    values = np.array([1.0, 0.0, 0.0])
    eta = np.array([0.2, -1.0, 0.5])
    found = score_change(special.expit(eta), values, np.array([-0.7]), indicator=True)
    start = eta + 0.7 * values
    assert found[0] == pytest.approx((special.expit(start - 0.7) - special.expit(start)).mean())


def test_effects_are_covered_and_the_share_explained_is_found(made):
    """Over 24 data sets: coverage within 4 Monte Carlo errors, the mean of the share near the truth."""
    truth = {("size", ""): 0.6, ("kind_of", "k1"): 0.8, ("kind_of", "k2"): -0.5}
    inside, found_shares, true_shares, covered = [], [], [], []
    for seed in range(24):
        counts = made(seed, n_models=8, n_items=90)
        result = difficulty(counts, terms="size,kind_of", by_models="access")
        table = rows(result)
        for key, value in truth.items():
            inside.append(table.loc[key, "difficulty_effect_low"] <= value <= table.loc[key, "difficulty_effect_high"])
        kinds = np.take((0.0, 0.8, -0.5), np.arange(90) % 3)
        explained = (0.6 * counts.items["size"] + kinds).var(ddof=0)
        true_shares.append(explained / (explained + 0.64))
        row = rows(result, "variance").loc["terms"]
        found_shares.append(row["variance_share"])
        covered.append(row["share_low"] <= true_shares[-1] <= row["share_high"])
    assert abs(np.mean(inside) - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 72)
    error = np.std(np.subtract(found_shares, true_shares)) / np.sqrt(24)
    assert abs(np.mean(np.subtract(found_shares, true_shares))) < 4 * error
    assert np.mean(covered) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 24)


def test_without_an_effect_little_is_explained(made):
    found = [
        difficulty(made(seed, size=0.0, kinds=(0.0, 0.0, 0.0)), terms=["size", "kind_of"]).summary["variance_share"]
        for seed in range(6)
    ]
    assert np.mean(found) < 0.05


def test_a_term_that_acts_otherwise_in_one_group_of_models_is_found(made):
    table = rows(difficulty(made(3, n_models=24, n_items=300, gap=2.0), terms="kind_of,size"), "interactions")
    assert table.loc[("kind_of", "k1"), "verdict"] == "separated"
    assert table.loc[("kind_of", "k1"), "difficulty_effect_low"] > 0
    assert table.loc[("kind_of", "k1"), "conf_high"] < 0
    assert table.loc[("size", ""), "verdict"] == "not separated"
    assert list(table["n_focal"]) == [12, 12, 12]


def test_groups_of_unequal_ability_alone_are_no_interaction(made):
    """In points the slopes of the abler group are flatter; on the model's scale they are not."""
    rejected, flatter = [], []
    for seed in range(8):
        counts = made(seed, n_models=12, n_items=120)
        options = counts.options.copy()
        rng = np.random.default_rng(seed)
        hard = 0.6 * counts.items["size"].to_numpy() + np.take((0.0, 0.8, -0.5), np.arange(120) % 3)
        ability = np.where(np.arange(12) % 2 == 1, 0.0, 3.0) + rng.normal(0, 0.3, 12)
        right = rng.random((12, 120)) < special.expit(ability[:, None] - hard - rng.normal(0, 0.5, 120))
        options[:, :, 0], options[:, :, 1] = right, ~right
        table = rows(difficulty(replace(counts, options=options), terms="size,kind_of"), "interactions")
        rejected += list(table["verdict"] == "separated")
        flatter.append(table.loc[("size", ""), "slope_reference"] > table.loc[("size", ""), "slope_focal"])
    assert np.mean(flatter) > 0.8
    assert np.mean(rejected) < 0.1


def test_terms_that_say_the_same_are_named(made):
    counts = made()
    twice = counts.items["size"] * 2 + 1
    counts = replace(counts, items=counts.items.assign(double=twice, same="x", copy=counts.items["kind_of"]))
    table = rows(difficulty(counts, terms="size,kind_of,double,same,copy"))
    assert table.loc[("double", ""), "reason"] == "not told apart from size"
    assert table.loc[("same", "x"), "reason"] == "the same for all items"
    assert table.loc[("copy", "k1"), "reason"] == "not told apart from kind_of k1"
    assert table.loc["copy"]["difficulty_effect"].isna().all()
    plain = rows(difficulty(made(), terms="size,kind_of"))
    pd.testing.assert_series_equal(table.loc[plain.index, "difficulty_effect"], plain["difficulty_effect"], rtol=1e-5)


def test_a_level_that_nobody_misses_has_a_reason(made):
    counts = made()
    options = counts.options.copy()
    third = (counts.items["kind_of"] == "k2").to_numpy()
    options[:, third, 0], options[:, third, 1] = 1, 0
    table = rows(difficulty(replace(counts, options=options), terms="size,kind_of"))
    assert table.loc[("kind_of", "k2"), "reason"] == "every answer here is right: no finite effect"
    assert np.isnan(table.loc[("kind_of", "k2"), "difficulty_effect"])
    assert table.loc[("kind_of", "k2"), "verdict"] == "not decided"
    assert np.isfinite(table.loc[("kind_of", "k1"), "difficulty_effect"])


def test_items_without_a_value_are_left_out_and_counted(made):
    counts = made()
    values = counts.items["size"].astype(object).copy()
    values.iloc[:7] = ""
    result = difficulty(replace(counts, items=counts.items.assign(size=values.astype(str))), terms="size")
    assert result.summary["n_items"] == 113
    assert "Items left out because they have no value of size: 7." in result.meta["warnings"]


def test_usual_terms_that_the_table_lacks_are_said_and_others_refused(made):
    table = rows(difficulty(made()))
    assert table.loc[("negated", ""), "reason"] == "the table of items has no such column"
    assert table.loc[("category", "A"), "reason"] == "the same for all items"
    with pytest.raises(UsageError, match="no fact of the items"):
        difficulty(made(), terms="frequency")
    with pytest.raises(UsageError, match="no fact of the items"):
        difficulty(made(), terms="digest")
    with pytest.raises(UsageError, match="given twice"):
        difficulty(made(), terms="size,size")
    with pytest.raises(UsageError, match="hardly two items are alike"):
        difficulty(replace(made(), items=made().items.assign(name=[f"n{k}" for k in range(120)])), terms="name")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"n_models": 1}, "Difficulty is modelled from 3 models on, and 1 have answers"),
        ({"n_models": 2}, "Difficulty is modelled from 3 models on, and 2 have answers"),
        ({"n_items": 6}, "6 items have answers and a value in every term"),
        ({"size": 0.0, "kinds": (-40.0,), "sd": 0.0}, "Every answer is right"),
    ],
)
def test_it_steps_aside(made, change, reason):
    result = difficulty(made(**change), terms="size")
    assert result.meta["reason"].startswith(reason)
    assert all(not len(table) for table in result.tables.values())


def test_people_take_no_part(made):
    counts = made(n_models=13)
    counts = replace(counts, units=counts.units.assign(kind=["model"] * 12 + ["human"]))
    assert difficulty(counts, terms="size").summary["n_units"] == 12


def test_few_models_in_a_group_leave_the_rest_and_a_reason(made):
    counts = made(n_models=5)
    counts = replace(counts, units=counts.units.assign(access=["open", "open", "api", "api", "api"]))
    result = difficulty(counts, terms="size")
    assert result.tables["estimates"]["difficulty_effect"].notna().all()
    assert "each needs 3" in result.tables["interactions"]["reason"].iloc[0]


def test_repeated_trials_and_passages_are_random(made):
    result = difficulty(made(trials=4, per=3, n_models=6, n_items=60), terms="size")
    assert result.meta["random_effects"] == ["item", "model", "passage", "cell"]
    shares = result.tables["variance"]["variance_share"]
    assert shares.sum() == pytest.approx(1.0)


def test_many_cells_are_fitted_without_an_effect_of_each_and_say_so(made, monkeypatch):
    counts = made(trials=4, n_models=6, n_items=40)
    assert "cell" in difficulty(counts, terms="size").meta["random_effects"]
    monkeypatch.setattr("click_stats.stats.difficulty.model.MOST_CELLS", 200)
    result = difficulty(counts, terms="size")
    assert "cell" not in result.meta["random_effects"]
    assert any("(240) are left out" in text for text in result.meta["warnings"])
