"""Tables of fit, dependence and information: complete, right on simulated answers, with reasons where undefined."""

import numpy as np
import pytest
from scipy.special import expit

from click_stats.stats.irt import assessment, fit, irt
from click_stats.stats.irt.information import total_information

CATEGORY = ["A"] * 60 + ["B"] * 60


def simulated(seed, n_units=20, passage_sd=0.0, trials=1, floor=0.25):
    rng = np.random.default_rng(seed)
    ability, difficulty = rng.normal(0, 1.3, (n_units, 1)), rng.normal(-0.5, 1.2, 120)
    cluster = np.arange(120) // 3
    level = ability + rng.normal(0, passage_sd, (n_units, 40))[:, cluster]
    return rng.binomial(trials, floor + (1 - floor) * expit(level - difficulty)), cluster


@pytest.fixture(scope="module")
def plain(counts_of):
    correct, cluster = simulated(1)
    return irt(counts_of(correct, category=CATEGORY, cluster=cluster), seed=2)


def test_answers_of_the_model_fit_it(plain):
    found = plain.to_frame("fit").set_index("check")
    predictive = found[found["method"] == assessment.PREDICTIVE]
    assert predictive["p_predictive"].dropna().between(0.005, 0.995).all()
    assert (found["observed"].notna() | found["statistic"].notna() | (found["reason"] != "")).all()
    assert found.loc[fit.DISPERSION, "reason"] == fit.ONE_TRIAL
    andersen = found.loc[assessment.ANDERSEN]
    assert andersen["df"] == andersen["n_items"] - 1
    assert andersen["statistic"] > 0
    items = plain.to_frame()
    assert items[["infit", "outfit"]].notna().all(axis=None)
    assert 0.5 < items["infit"].mean() < 1.1


def test_passage_effects_are_found_although_the_model_has_them(counts_of):
    correct, cluster = simulated(3, passage_sd=1.5)
    found = irt(counts_of(correct, category=CATEGORY, cluster=cluster), seed=2)
    row = found.to_frame("fit").set_index("check").loc[assessment.WITHIN]
    assert row["p_value"] < 0.01
    assert row["observed"] > row["predicted"]
    pairs = found.to_frame("dependence")
    assert (np.diff(pairs["q3_star"]) <= 0).all()
    assert (pairs["p_adjusted"] >= pairs["p_value"]).all()
    assert pairs["category"].isin(["A", "B"]).all()
    assert len(pairs) <= 120
    assert pairs["q3_star"].iloc[0] > pairs["chance_high"].iloc[0]


def test_chance_alone_finds_no_passages(plain):
    assert plain.to_frame("fit").set_index("check").loc[assessment.WITHIN, "p_value"] > 0.01


def test_information_is_that_of_the_parts_and_near_that_of_the_estimates(plain):
    found = plain.to_frame("information")
    whole = found[found["by"] == "overall"].set_index("ability")["information"]
    parts = found[found["by"] == "category"].groupby("ability")["information"].sum()
    assert whole.to_numpy() == pytest.approx(parts.to_numpy())
    assert found["std_error"].to_numpy() == pytest.approx(found["information"].to_numpy() ** -0.5)
    items = plain.to_frame()
    here = total_information(whole.index.to_numpy(), items["difficulty"].to_numpy(), 1.0, 0.25)
    assert whole.to_numpy() == pytest.approx(here, rel=0.35)
    abilities = plain.to_frame("abilities")
    assert whole.index.min() < abilities["ability"].min()
    assert whole.index.max() > abilities["ability"].max()


def test_several_trials_have_no_andersen_test_and_sticky_trials_show(counts_of):
    correct, _ = simulated(4, n_units=8)
    found = irt(counts_of(12 * correct, 12, category=CATEGORY), passages=False).to_frame("fit").set_index("check")
    assert found.loc[assessment.ANDERSEN, "reason"] == assessment.PARTS_OF_TRIALS
    assert found.loc[assessment.WITHIN, "reason"]
    assert found.loc[fit.DISPERSION, "observed"] > found.loc[fit.DISPERSION, "predicted_high"]


def test_the_seed_decides_the_draws(counts_of, plain):
    correct, cluster = simulated(1)
    again = irt(counts_of(correct, category=CATEGORY, cluster=cluster), seed=2)
    assert again.to_json() == plain.to_json()
