"""The analysis on tiny data: recovery, both samplers, reweighting, the saved draws, refusal."""

import json

import numpy as np
import pytest

from click_stats import glossary
from click_stats.stats.bayes import analysis, bayes
from click_stats.stats.bayes.analysis import Settings, judge
from click_stats.stats.bayes.data import prepare
from click_stats.stats.bayes.draws import Draws
from click_stats.stats.bayes.effects import posterior
from click_stats.stats.bayes.model import Sampler, Sampling
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

pytestmark = pytest.mark.bayes
RUN = {"draws": 1500, "tune": 500, "target_accept": 0.95, "seed": 3}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    return tmp_path_factory.mktemp("bayes") / "draws.nc"


@pytest.fixture(scope="module")
def found(six_models, saved):
    return bayes(six_models, margin=0.05, save=str(saved), **RUN)


def test_it_converges_and_recovers(found):
    assert "reason" not in found.meta
    rows = found.to_frame().set_index("term")
    assert list(rows.index) == ["log10_params", "corpus[yes]"]
    size, corpus = rows.loc["log10_params"], rows.loc["corpus[yes]"]
    assert size["logit_low"] < 1.2 < size["logit_high"]
    assert corpus["logit_low"] < 0.0 < corpus["logit_high"]
    assert size["p_positive"] > 0.95
    assert corpus["verdict"] == "not decided"
    assert (size["n_units"], size["n_items"], size["n_trials"]) == (6, 30, 1080)
    assert corpus["base"] == "no"


def test_points_are_the_average_difference_of_probabilities(found):
    rows = found.to_frame().set_index("term")
    # Between 0 and the largest slope of the logistic curve, times the share of items that are not certain.
    size = rows.loc["log10_params"]
    assert 0 < size["estimate"] < size["logit"] / 4
    assert size["conf_low"] < size["estimate"] < size["conf_high"]


def test_every_prior_has_a_row_and_wider_priors_shrink_less(found):
    rows = found.to_frame("priors")
    size = rows[rows["term"] == "log10_params"]
    assert size["prior_sd"].tolist() == [0.25, 0.5, 1.0]
    assert np.all(np.diff(size["logit"]) > 0)
    assert set(rows["evidence"]) <= {"for no effect", "for an effect", "weak evidence", ""}
    undefined = rows["bayes_factor"].isna()
    assert (rows.loc[undefined, "reason"] != "").all()
    assert undefined.any() or rows["bayes_factor"].notna().all()


def test_tables_hold_glossary_columns_and_plain_values(found):
    for frame in found.tables.values():
        glossary.check(frame.columns, "bayes")
    assert list(found.tables) == list(analysis.TABLES)
    json.loads(found.to_json())


def test_it_agrees_with_the_likelihood(found, six_models):
    """With the widest prior the slope is near that of the restricted likelihood without the category all got right."""
    data = prepare(six_models)
    model, item = np.divmod(np.arange(data.trials.size), data.trials.shape[1])
    import pandas as pd

    cells = pd.DataFrame(
        {
            "model": model,
            "item": item,
            "category": np.char.mod("c%d", data.category[item]),
            "log10_params": data.of_models.raw[model, 0],
            "corpus": data.of_models.raw[model, 1],
            "correct": data.correct.ravel(),
            "trials": data.trials.ravel(),
        }
    )
    kept = cells[cells["category"] != "c2"]
    other = fit(GlmmData.from_frame(kept), GlmmSpec("category + log10_params + corpus"), restricted=True)
    rows = found.to_frame("priors").query("prior_sd == 1.0").set_index("term")
    for name, column in (("log10_params", "log10_params"), ("corpus[yes]", "corpus")):
        beta = other.beta[other.names.index(column)]
        assert abs(rows.loc[name, "logit"] - beta) < 0.5 * rows.loc[name, "logit_sd"]


def test_other_sampler_and_other_prior_agree_with_reweighting(found, six_models):
    """PyMC's own sampler under the narrow prior against nutpie's draws reweighted to it (or the other way round)."""
    data = prepare(six_models)
    run = Sampling(draws=750, tune=500, chains=4, target_accept=0.95, engine="pymc", seed=8)
    idata = Sampler(data, 0.25, run).sample()
    own = posterior(Draws.of(idata, data), data, 0.25, 0.25, seed=1)
    rows = found.to_frame("priors").query("prior_sd == 0.25").set_index("term")
    sampled = np.asarray(idata.posterior["effects"]).reshape(-1, 2)
    for k, name in enumerate(data.of_models.names):
        error = rows.loc[name, "logit_sd"] / np.sqrt(300)
        assert abs(own.effects[:, k].mean() - rows.loc[name, "logit"]) < 4 * error
        assert abs(own.effects[:, k].mean() - sampled[:, k].mean()) < 4 * error  # conditional draws are draws
        assert rows.loc[name, "logit_sd"] == pytest.approx(sampled[:, k].std(), rel=0.2)


def test_the_saved_draws_are_read_back(found, saved, six_models):
    import arviz as az

    idata = az.from_netcdf(str(saved))
    assert {"posterior", "sample_stats", "observed_data", "posterior_predictive", "constant_data"} <= set(
        idata.groups()
    )
    assert idata.posterior["model_level"].shape == (4, 1500, 6)
    np.testing.assert_array_equal(idata.observed_data["correct"], six_models.correct)
    assert json.loads(idata.constant_data.attrs["click_stats"])["prior_sd"] == 0.5
    assert found.meta["saved"] == "draws.nc"

    data = prepare(six_models)
    settings = Settings(0.05, (0.25, 0.5, 1.0), 0.95, ("item", "model"), Sampling(**RUN))
    again = judge(idata, data, settings, {"warnings": []})
    assert again.to_frame("priors").equals(found.to_frame("priors"))

    short = idata.isel(draw=slice(0, 40))
    refused = judge(short, data, settings, {"warnings": []})
    assert len(refused.to_frame()) == 0
    assert len(refused.to_frame("priors")) == 0
    assert len(refused.to_frame("diagnostics")) > 3
    assert refused.meta["reason"].startswith("The chains did not converge: ")
    assert refused.meta["advice"].startswith("Try more draws")
    assert refused.meta["reason"] in refused.meta["warnings"]


def test_predictive_checks_of_data_from_the_model_fit(found):
    checks = found.to_frame("checks")
    assert checks["check"].tolist()[:3] == ["dispersion of cells", "spread of items", "spread in categories"]
    assert (checks["check"] == "accuracy").sum() == 6
    assert checks["p_predictive"].between(0, 1).all()
    assert (checks.query("check == 'accuracy'")["flag"] == "").all()
    assert (checks["predicted_low"] <= checks["predicted_high"]).all()


def test_over_dispersed_cells_are_noticed(six_models):
    from click_stats.stats.bayes.checks import OVER_DISPERSED, predictive, remarks, replicates

    data = prepare(six_models)
    shape = data.trials.shape
    rng = np.random.default_rng(4)
    draws = Draws(1, np.zeros((50, 6)), np.zeros((50, 6)), np.ones(50), np.zeros((50, shape[1])))
    fair = rng.binomial(data.trials, 0.5)
    wild = rng.binomial(1, 0.5, shape) * data.trials
    for correct, noticed in ((fair, False), (wild, True)):
        own = type(data)(**{**vars(data), "correct": correct})
        checks = predictive(*replicates(draws, own, seed=1), own, 0.95)
        assert (OVER_DISPERSED in remarks(checks)) is noticed
