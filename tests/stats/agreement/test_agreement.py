"""Agreement beyond chance: against R, statsmodels and published examples; recovery, coverage and edges."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

import click_stats as cs
from click_stats.errors import DataError, UsageError
from click_stats.stats.agreement.measures import cohen, fleiss, krippendorff

ORACLE = Path(__file__).resolve().parents[2] / "oracles" / "agreement"
EXPECTED = json.loads((ORACLE / "expected.json").read_text())
# Krippendorff (2011), "Computing Krippendorff's alpha-reliability": four observers, twelve units, missing values.
FOUR_OBSERVERS = pd.DataFrame(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
).T


def whole(measure):
    return float(measure.value(measure.sums.sum(axis=0)))


def table_of(name):
    return pd.read_csv(ORACLE / name, index_col=0)


def alpha_of(result):
    return result.to_frame().query('measure == "Krippendorff\'s alpha"')["estimate"].item()


def test_nominal_alpha_is_that_of_r_with_and_without_missing_ratings():
    for name, key in (("input.csv", "with_missing"), ("input_complete.csv", "complete")):
        expected = EXPECTED["krippendorff_alpha_nominal"][key]
        row = cs.rater_agreement(table_of(name)).to_frame().iloc[0]
        assert row["estimate"] == pytest.approx(expected["alpha"], abs=1e-9)
        assert 1 - row["agreement_observed"] == pytest.approx(expected["D_observed"], abs=1e-9)
        assert 1 - row["agreement_expected"] == pytest.approx(expected["D_expected"], abs=1e-9)
        assert row["n_items"] == expected["units_used"]
        assert row["n_ratings"] == expected["pairable_values"]


@pytest.mark.parametrize(("scale", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_on_every_scale_is_that_of_the_published_example(scale, published):
    assert alpha_of(cs.rater_agreement(FOUR_OBSERVERS, scale=scale)) == pytest.approx(published, abs=5e-4)


def test_ordinal_alpha_by_hand():
    # Ratings 1 1, 1 2, 3 3: n = (3, 1, 2), N = 6. Squared distances by ranks 2, 3.5, 5.5 (middles of 3, 1 and 2):
    # d12 = (1.5 + 0.5)² = 4, d13 = (1.5 + 1 + 1)² = 12.25, d23 = (0.5 + 1)² = 2.25; observed 2 * 4 = 8 over N = 6;
    # expected 2 (3*1*4 + 3*2*12.25 + 1*2*2.25) / (6*5) = 2 * 90 / 30 = 6.
    ratings = pd.DataFrame({"a": [1, 1, 3], "b": [1, 2, 3]})
    assert alpha_of(cs.rater_agreement(ratings, scale="ordinal")) == pytest.approx(1 - (8 / 6) / 6, abs=1e-12)


def test_fleiss_kappa_is_that_of_r():
    expected = EXPECTED["fleiss_kappa_complete"]
    result = cs.rater_agreement(table_of("input_complete.csv"))
    row = result.to_frame().iloc[1]
    assert row["estimate"] == pytest.approx(expected["kappa"], abs=1e-9)
    assert row["agreement_observed"] == pytest.approx(expected["p_observed"], abs=1e-9)
    found = result.to_frame("categories").set_index("rated_category")["estimate"]
    assert found.to_dict() == pytest.approx(expected["kappa_per_category"], abs=1e-9)


def test_cohens_kappa_is_that_of_r():
    pairs = cs.rater_agreement(table_of("input_complete.csv")).to_frame("pairs").set_index(["unit_a", "unit_b"])
    for expected in EXPECTED["cohen_kappa_complete"]:
        row = pairs.loc[expected["a"], expected["b"]]
        assert row["estimate"] == pytest.approx(expected["kappa"], abs=1e-9)
        assert row["se_null"] == pytest.approx(expected["se_null"], abs=1e-9)
        assert row["statistic"] == pytest.approx(expected["z"], rel=1e-9)
    partly = EXPECTED["cohen_kappa_r1_r2_pairwise_complete"]
    row = cs.rater_agreement(table_of("input.csv")).to_frame("pairs").iloc[0]
    assert row["n_items"] == partly["n"]
    assert row["estimate"] == pytest.approx(partly["kappa"], abs=1e-9)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_is_that_of_statsmodels(weights):
    rng = np.random.default_rng(4)
    first = rng.integers(0, 5, 200)
    second = np.clip(first + rng.integers(-1, 2, 200), 0, 4)
    table = np.zeros((5, 5))
    np.add.at(table, (first, second), 1)
    reference = cohens_kappa(table, wt=weights)
    ratings = pd.DataFrame({"a": first, "b": second})
    row = cs.rater_agreement(ratings, scale="ordinal", weights=weights).to_frame("pairs").iloc[0]
    assert row["estimate"] == pytest.approx(reference.kappa, abs=1e-12)
    assert row["se_null"] == pytest.approx(reference.std_kappa0, abs=1e-12)


def test_the_error_of_kappa_is_near_that_of_large_samples():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, 600)
    ratings = pd.DataFrame({name: np.where(rng.random(600) < 0.7, truth, rng.integers(0, 4, 600)) for name in "ab"})
    table = pd.crosstab(ratings["a"], ratings["b"]).to_numpy()
    row = cs.rater_agreement(ratings, seed=1).to_frame("pairs").iloc[0]
    assert row["std_error"] == pytest.approx(cohens_kappa(table).std_kappa, rel=0.08)


def test_intervals_cover_the_agreement_of_the_population():
    # Two raters agree with the truth with probability q each, else guess among k: alpha tends to q² for even truths.
    q, k, runs, n = 0.7, 4, 300, 120
    rng = np.random.default_rng(6)
    hits = 0
    for run in range(runs):
        truth = rng.integers(0, k, n)
        ratings = pd.DataFrame({j: np.where(rng.random(n) < q, truth, rng.integers(0, k, n)) for j in range(3)})
        row = cs.rater_agreement(ratings, draws=400, seed=run).to_frame().iloc[0]
        hits += row["conf_low"] <= q**2 <= row["conf_high"]
    assert 0.95 - 4 * np.sqrt(0.95 * 0.05 / runs) - 0.02 <= hits / runs <= 0.99


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(7)
    truth = np.repeat(rng.integers(0, 4, 40), 5)
    sure = np.repeat(rng.random(40) < 0.6, 5)
    ratings = pd.DataFrame({j: np.where(sure, truth, rng.integers(0, 4, 200)) for j in range(3)})
    alone = cs.rater_agreement(ratings, seed=1).to_frame().iloc[0]
    together = cs.rater_agreement(ratings, clusters=np.repeat(range(40), 5), seed=1).to_frame().iloc[0]
    assert together["estimate"] == alone["estimate"]
    assert together["std_error"] > 1.5 * alone["std_error"]


def test_agreement_does_not_depend_on_the_order_of_raters_items_or_on_names():
    ratings = table_of("input.csv")
    base = cs.rater_agreement(ratings).to_frame()["estimate"].to_numpy(dtype=float)
    turned = ratings.iloc[::-1, ::-1].replace({"A": "z", "B": "q"})
    np.testing.assert_allclose(
        cs.rater_agreement(turned).to_frame()["estimate"].to_numpy(dtype=float), base, rtol=1e-12
    )


def test_independent_raters_agree_as_by_chance_and_equal_ones_wholly():
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 4, (4000, 2))
    assert abs(whole(krippendorff(codes, np.arange(4.0)))) < 4 / np.sqrt(4000)
    same = np.column_stack([codes[:, 0], codes[:, 0]])
    assert [whole(m) for m in (krippendorff(same, np.arange(4.0)), fleiss(same, 4), cohen(same, 0, 1, 4))] == [1, 1, 1]


def test_constant_ratings_have_no_agreement_beyond_chance():
    result = cs.rater_agreement(pd.DataFrame({"a": ["x"] * 5, "b": ["x"] * 5}))
    for name in ("estimates", "pairs"):
        frame = result.to_frame(name)
        assert frame["estimate"].isna().all()
        assert (frame["reason"] == "every rating is the same: agreement by chance would be perfect too").all()


def test_ratings_may_be_lists():
    table = [["x", "y"], ["x", "x"], ["y", "y"], ["y", "y"]]
    frames = [cs.rater_agreement(one, seed=1).to_frame() for one in (table, pd.DataFrame(table))]
    pd.testing.assert_frame_equal(*frames)


def test_one_rater_or_no_item_in_common_steps_aside():
    for ratings in (pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": ["x", None], "b": [None, "y"]})):
        result = cs.rater_agreement(ratings)
        assert "two raters" in result.meta["reason"]
        assert not len(result.to_frame())


def test_one_item_is_estimated_without_an_interval():
    row = cs.rater_agreement(pd.DataFrame({"a": ["x"], "b": ["y"]})).to_frame().iloc[0]
    assert row["estimate"] == pytest.approx(0.0)  # observed and expected disagreement are both 1
    assert np.isnan(row["conf_low"])
    assert row["reason"] == "one cluster of items: nothing can be drawn"


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"scale": "ratio"}, "no scale"),
        ({"weights": "cubic"}, "no weights"),
        ({"weights": "linear"}, "categories in an order"),
        ({"draws": 10}, "at least 200"),
        ({"level": 1.0}, "level"),
        ({"clusters": [1]}, "do not fit"),
    ],
)
def test_wrong_parameters_are_errors(change, found):
    with pytest.raises(UsageError, match=found):
        cs.rater_agreement(FOUR_OBSERVERS, **change)


def test_words_cannot_be_ordered_and_nothing_cannot_be_rated():
    with pytest.raises(DataError, match="must be numbers"):
        cs.rater_agreement(pd.DataFrame({"a": ["x", "y"], "b": ["x", "x"]}), scale="ordinal")
    with pytest.raises(DataError, match="finite"):
        cs.rater_agreement(pd.DataFrame({"a": [1, np.inf], "b": [1, 2]}), scale="interval")
    with pytest.raises(DataError, match="no ratings"):
        cs.rater_agreement(pd.DataFrame({"a": [None], "b": [None]}))


def test_models_agree_on_options_and_on_errors(three_files):
    trials = cs.read_trials(three_files)
    result = cs.agreement(trials, by=["overall", "category"], draws=300, seed=1)
    frame = trials.frame().assign(right=lambda f: f["prediction"] == f["item"].map(trials.items.frame["gold"]))
    first, second = sorted(frame["model"].unique(), key=str.casefold)[:2]
    spoke = frame[~frame["status"].isin(["failed", "filtered"])]
    wide = spoke.pivot_table(index="item", columns="model", values="right", aggfunc="first")[[first, second]].dropna()
    table = pd.crosstab(wide[first].astype(bool), wide[second].astype(bool)).to_numpy()
    pairs = result.to_frame("pairs").set_index(["unit_a", "unit_b", "rated"])
    assert pairs.loc[(first, second, "right or wrong"), "estimate"] == pytest.approx(
        cohens_kappa(table).kappa, abs=1e-12
    )
    overall = result.to_frame().query("by == 'overall'")
    assert set(overall["rated"]) == {"option chosen", "right or wrong"}
    assert overall["conf_low"].lt(overall["estimate"]).all()


def test_one_model_steps_aside(three_files):
    result = cs.agreement(cs.read_trials(three_files[0]))
    assert "two models or more" in result.meta["reason"]
    assert not len(result.to_frame())
