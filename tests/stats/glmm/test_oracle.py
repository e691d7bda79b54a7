"""The fits of glmmTMB (and lme4) on the same data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

ORACLES = Path(__file__).parents[2] / "oracles"
SIMULATED = {
    "base": ("correct", ("item", "model")),
    "model_category": ("correct_mc", ("item", "model", "model:category")),
    "model_category_reduced": ("correct_mc", ("item", "model")),
    "olre": ("correct_od", ("item", "model", "cell")),
    "olre_reduced": ("correct_od", ("item", "model")),
}
REAL = {"base": ("item", "model"), "passage": ("item", "passage", "model")}


def expected(folder):
    return json.loads((ORACLES / folder / "expected.json").read_text())


def ours(name):
    """R's name of a coefficient as ours."""
    if name == "(Intercept)":
        return "(intercept)"
    return f"category[{name.removeprefix('category')}]" if name.startswith("category") else name


def named(values):
    return {ours(name): value for name, value in values.items()}


def sd_of(engine, random):
    return np.array([engine["random_sd"]["obs" if name == "cell" else name] for name in random])


@pytest.fixture(scope="module")
def simulated():
    table = pd.read_csv(ORACLES / "glmm" / "input.csv.gz")
    found = {}
    for key, (response, random) in SIMULATED.items():
        data = GlmmData.from_frame(table, correct=response, trials="n")
        found[key] = fit(data, GlmmSpec("category + log10_params + corpus", random))
    return found


@pytest.fixture(scope="module")
def real():
    data = GlmmData.from_frame(pd.read_csv(ORACLES / "glmm_real" / "input.csv.gz"), trials=None)
    return {key: fit(data, GlmmSpec("category", random)) for key, random in REAL.items()}


@pytest.mark.parametrize("key", SIMULATED)
def test_simulated_fits_are_those_of_glmmtmb(simulated, key):
    found, engine = simulated[key], expected("glmm")[key]["glmmTMB"]
    assert found.names == tuple(named(engine["fixef"]))
    assert found.loglik == pytest.approx(engine["logLik"], abs=2e-4)
    assert found.n_parameters == engine["df"]
    se = np.array(list(engine["se"].values()))
    beta = np.array(list(engine["fixef"].values()))
    assert np.all(np.abs(found.beta - beta) < np.maximum(1e-3 * se, 5e-4))
    np.testing.assert_allclose(found.se, se, rtol=3e-3)
    np.testing.assert_allclose(np.sqrt(np.diag(found.vcov)), se, rtol=3e-3)
    np.testing.assert_allclose(found.vcov, engine["vcov"]["values"], rtol=0, atol=1e-4)
    log_sd = np.log(sd_of(engine, found.random))
    log_sd_se = np.array([engine["log_sd_se"]["obs" if name == "cell" else name] for name in found.random])
    assert np.all(np.abs(found.log_sd - log_sd) < np.maximum(1e-3 * log_sd_se, 5e-4))
    np.testing.assert_allclose(found.log_sd_se, log_sd_se, rtol=3e-3)
    # A higher likelihood than the reference's is no error; a lower one means that the maximum was missed.
    assert found.loglik > engine["logLik"] - 1e-6


@pytest.mark.parametrize("key", SIMULATED)
def test_modes_are_those_of_lme4(simulated, key):
    engine = expected("glmm")[key]["glmer"]
    for part, reference, tolerance in (("modes", "ranef_model", 1e-3), ("mode_sd", "condsd_model", 2e-5)):
        # lme4 gives the conditional variance of each effect at fixed beta, as here.
        found = getattr(simulated[key], part)["model"]
        for name, value in engine[reference].items():
            assert found[name] == pytest.approx(value, abs=tolerance)


def test_likelihood_ratios(simulated):
    reference = expected("glmm")
    for test, full, reduced in (
        ("lrt_model_category", "model_category", "model_category_reduced"),
        ("lrt_olre", "olre", "olre_reduced"),
    ):
        chi2 = 2 * (simulated[full].loglik - simulated[reduced].loglik)
        assert chi2 == pytest.approx(reference[test]["chi2"], abs=1e-3)


def test_without_random_effects_it_is_logistic_regression():
    data = GlmmData.from_frame(pd.read_csv(ORACLES / "glmm" / "input.csv.gz"), trials="n")
    found = fit(data, GlmmSpec("category + log10_params + corpus", ()))
    reference = expected("glmm")["glm"]
    np.testing.assert_allclose(found.beta, list(reference["coef"].values()), rtol=0, atol=1e-7)
    np.testing.assert_allclose(found.se, list(reference["se"].values()), rtol=1e-5)
    assert found.loglik == pytest.approx(reference["logLik"], abs=1e-7)


@pytest.mark.parametrize("key", REAL)
def test_real_fits_are_those_of_glmmtmb(real, key):
    found, engine = real[key], expected("glmm_real")[key]["glmmTMB"]
    assert found.names == tuple(named(engine["fixef"]))
    assert found.loglik == pytest.approx(engine["logLik"], abs=2e-4)
    np.testing.assert_allclose(found.beta, list(engine["fixef"].values()), rtol=0, atol=1e-3)
    np.testing.assert_allclose(found.sd, sd_of(engine, found.random), rtol=0, atol=5e-4)
    np.testing.assert_allclose(found.se, list(engine["se"].values()), rtol=4e-3)


def test_real_modes_and_ratio(real):
    reference = expected("glmm_real")
    assert 2 * (real["passage"].loglik - real["base"].loglik) == pytest.approx(
        reference["lrt_passage"]["chi2"], abs=1e-3
    )
    for key in REAL:
        glmer = reference[key]["glmer"]
        assert real[key].n_levels == glmer.get("ngrps")
        for name, value in glmer["ranef_model"].items():
            assert real[key].modes["model"][name] == pytest.approx(value, abs=1e-3)
