"""The restricted fits of glmmTMB (REML = TRUE) on the same data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.glmm import GlmmData, GlmmSpec, fit
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import groupings
from click_stats.stats.glmm.restricted import Restricted

ORACLES = Path(__file__).parents[2] / "oracles"
FITS = {
    "base": ("correct", ("item", "model")),
    "model_category": ("correct_mc", ("item", "model", "model:category")),
    "olre": ("correct_od", ("item", "model", "cell")),
    "few_models": ("correct", ("item", "model")),
}


@pytest.mark.parametrize("key", FITS)
def test_restricted_fits_are_those_of_glmmtmb(key):
    response, random = FITS[key]
    reference = json.loads((ORACLES / "glmm_reml" / "expected.json").read_text())[key]
    table = pd.read_csv(ORACLES / "glmm" / "input.csv.gz")
    data = GlmmData.from_frame(table[table["model"].isin(reference["models"])], correct=response, trials="n")
    spec = GlmmSpec("category + log10_params + corpus", random)
    found = fit(data, spec, restricted=True)
    names = ["obs" if name == "cell" else name for name in random]
    sd = np.array([reference["random_sd"][name] for name in names])
    sd_error = np.array([reference["log_sd_se"][name] for name in names])
    assert reference["convergence"] == 0
    # glmmTMB stops within 5e-9 of the maximum; a log-likelihood below its own would be a maximum missed.
    assert -1e-8 < found.loglik - reference["logLik"] < 1e-7
    assert np.all(np.abs(found.log_sd - np.log(sd)) < 1e-3 * sd_error)
    np.testing.assert_allclose(found.log_sd_se, sd_error, rtol=5e-4)
    np.testing.assert_allclose(found.se, list(reference["se"].values()), rtol=2e-3)
    # glmmTMB reports the fixed effects of the joint mode; ours are those of the likelihood at the same variances.
    groups = groupings(data, spec)
    model = Restricted(
        data.correct, data.trials, designs.build(data, spec).matrix, structures.build(groups, len(data)), list(groups)
    )
    model.value_and_gradient(found.log_sd)
    np.testing.assert_allclose(model.beta, list(reference["fixef"].values()), rtol=0, atol=2e-5)
