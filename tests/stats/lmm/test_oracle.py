"""The fits, tests and means of lme4, lmerTest, pbkrtest and emmeans on the same data."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.lmm import (
    f_table,
    fit_lmm,
    joint_test,
    kenward_roger,
    likelihood_ratio,
    marginal_means,
    pairwise,
    t_table,
)

ORACLE = Path(__file__).parents[2] / "oracles" / "lmm"
FIXED = "category + log10_params + corpus"
SETS = {
    "cells": ("input.csv", "logit", ("model",)),
    "cells_unbalanced": ("input_unbalanced.csv", "logit", ("model",)),
    "items": ("input_items.csv", "score", ("item", "model")),
}
# Estimates and standard deviations 1e-6 relative, log-likelihoods 1e-6 absolute, df and F 1e-3 relative: R's
# derivatives by the variances are numerical.
DF = 1e-3


@pytest.fixture(scope="module")
def expected():
    return json.loads((ORACLE / "expected.json").read_text())


@pytest.fixture(scope="module")
def fits():
    found = {}
    for key, (file, response, random) in SETS.items():
        table = pd.read_csv(ORACLE / file)
        found[key] = {reml: fit_lmm(table, response, FIXED, random, restricted=reml) for reml in (True, False)}
    return found


@pytest.mark.parametrize("key", SETS)
def test_estimates(fits, expected, key):
    reference = expected[key]
    reml, ml = fits[key][True], fits[key][False]
    np.testing.assert_allclose(reml.beta, list(reference["fixef"].values()), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ml.beta, list(reference["fixef_ml"].values()), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(reml.vcov, reference["vcov"]["values"], rtol=5e-6, atol=1e-9)
    for fit, sd in ((reml, reference["sd_reml"]), (ml, reference["sd_ml"])):
        np.testing.assert_allclose(
            [*fit.sd, fit.residual_sd], [sd[name] for name in (*fit.random, "Residual")], rtol=1e-6
        )
    assert reml.loglik == pytest.approx(reference["logLik_reml"], abs=1e-6)
    assert -2 * reml.loglik == pytest.approx(reference["reml_criterion"], abs=1e-6)
    assert ml.loglik == pytest.approx(reference["logLik_ml"], abs=1e-6)
    assert ml.aic == pytest.approx(reference["AIC_ml"], abs=1e-5)
    assert ml.bic == pytest.approx(reference["BIC_ml"], abs=1e-5)
    assert reml.n_rows == reference["nobs"]


@pytest.mark.parametrize("key", SETS)
@pytest.mark.parametrize(("method", "table"), [("satterthwaite", "coef_satterthwaite"), ("kenward-roger", "coef_kr")])
def test_coefficients(fits, expected, key, method, table):
    reference, found = expected[key][table], t_table(fits[key][True], method)
    np.testing.assert_allclose(found["std_error"], reference["Std. Error"], rtol=1e-6)
    np.testing.assert_allclose(found["df"], reference["df"], rtol=DF)
    np.testing.assert_allclose(found["statistic"], reference["t value"], rtol=1e-5)
    np.testing.assert_allclose(found["p_value"], reference["Pr(>|t|)"], rtol=1e-2)


@pytest.mark.parametrize("key", SETS)
def test_adjusted_covariance(fits, expected, key):
    np.testing.assert_allclose(
        kenward_roger(fits[key][True]).vcov, expected[key]["vcov_kr"]["values"], rtol=5e-6, atol=1e-9
    )


@pytest.mark.parametrize("key", SETS)
@pytest.mark.parametrize(
    ("kind", "method", "table"),
    [
        ("I", "satterthwaite", "anova_type1_satterthwaite"),
        ("II", "satterthwaite", "anova_type2_satterthwaite"),
        ("III", "satterthwaite", "anova_type3_satterthwaite"),
        ("III", "kenward-roger", "anova_type3_kr"),
    ],
)
def test_terms(fits, expected, key, kind, method, table):
    reference, found = expected[key][table], f_table(fits[key][True], kind, method)
    assert list(found.index) == reference["rows"]
    np.testing.assert_allclose(found["statistic"], reference["F value"], rtol=DF)
    np.testing.assert_array_equal(found["df_num"], reference["NumDF"])
    np.testing.assert_allclose(found["df"], reference["DenDF"], rtol=DF)
    np.testing.assert_allclose(found["p_value"], reference["Pr(>F)"], rtol=1e-2)


@pytest.mark.parametrize("key", SETS)
def test_marginal_means_and_pairs(fits, expected, key):
    reference, found = expected[key]["emmeans_category_kr"], marginal_means(fits[key][True], "category")
    assert list(found.index) == reference["category"]
    for ours, theirs, rel in (
        ("estimate", "emmean", 1e-6),
        ("std_error", "SE", 1e-6),
        ("df", "df", DF),
        ("conf_low", "lower.CL", 1e-4),
        ("conf_high", "upper.CL", 1e-4),
    ):
        np.testing.assert_allclose(found[ours], reference[theirs], rtol=rel)
    reference, found = expected[key]["emmeans_pairs_kr"], pairwise(fits[key][True], "category")
    assert [f"{a} - {b}" for a, b in zip(found["level"], found["other"], strict=True)] == reference["contrast"]
    for ours, theirs, rel in (("estimate", "estimate", 1e-6), ("std_error", "SE", 1e-6), ("df", "df", DF)):
        np.testing.assert_allclose(found[ours], reference[theirs], rtol=rel, atol=1e-9)
    np.testing.assert_allclose(found["p_holm"], reference["p_holm"], rtol=1e-2)
    # Both programs integrate the studentized range numerically: far in the tail only the size agrees.
    np.testing.assert_allclose(found["p_tukey"], reference["p_tukey"], rtol=1e-3, atol=1e-9)


def test_scale_and_corpus_together(fits, expected):
    reference = expected["kr_joint_scale_corpus"]
    found = joint_test(fits["cells"][True], ["log10_params", "corpus"])
    assert found.statistic == pytest.approx(reference["stat"], rel=DF)
    assert found.numerator == reference["ndf"]
    assert found.df == pytest.approx(reference["ddf"], rel=DF)
    assert found.scale == pytest.approx(reference["F.scaling"], rel=DF)
    small = fit_lmm(pd.read_csv(ORACLE / "input.csv"), "logit", "category", restricted=False)
    ratio = likelihood_ratio(small, fits["cells"][False])
    reference = expected["lrt_joint_scale_corpus"]
    assert ratio.statistic == pytest.approx(reference["chi2"], rel=1e-6)
    assert ratio.df == reference["df"]
    assert ratio.p_value == pytest.approx(reference["p"], rel=1e-5)
