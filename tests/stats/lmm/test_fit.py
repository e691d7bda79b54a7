"""Linear mixed models: brute-force likelihood, ordinary least squares at the boundary, edges, a small simulation."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from click_stats.errors import DataError, UsageError
from click_stats.stats.lmm import (
    ConvergenceError,
    contrast_table,
    f_table,
    fit_lmm,
    joint_test,
    kenward_roger,
    likelihood_ratio,
    marginal_means,
    pairwise,
    t_table,
)


def study(n_models=8, n_categories=5, seed=1, sd_model=0.4, *, scale=0.8):
    rng = np.random.default_rng(seed)
    model, kind = np.divmod(np.arange(n_models * n_categories), n_categories)
    size = rng.normal(0, 0.5, n_models)
    y = (
        0.3 * kind
        + scale * size[model]
        + sd_model * rng.normal(size=n_models)[model]
        + 0.3 * rng.normal(size=len(model))
    )
    return pd.DataFrame(
        {
            "model": [f"m{k}" for k in model],
            "family": [f"f{k // 2}" for k in model],
            "category": np.array(list("abcdefghij"))[kind],
            "corpus": (model % 2).astype(float),
            "size": size[model],
            "y": y,
        }
    )


def dense_loglik(fit, *, restricted):
    """The (restricted) log-likelihood written out with the full covariance matrix."""
    x, y = fit.solved.matrix, fit.solved.response
    n, p = x.shape
    v = np.eye(n) * fit.residual_sd**2
    for sd, group in zip(fit.sd, fit.solved.groups.values(), strict=True):
        v += sd**2 * (group.codes[:, None] == group.codes)
    inverse = np.linalg.inv(v)
    information = x.T @ inverse @ x
    beta = np.linalg.solve(information, x.T @ inverse @ y)
    rest = y - x @ beta
    value = np.linalg.slogdet(v)[1] + rest @ inverse @ rest + (n - p * restricted) * np.log(2 * np.pi)
    if restricted:
        value += np.linalg.slogdet(information)[1]
    return -0.5 * value, beta, np.linalg.inv(information)


@pytest.mark.parametrize("restricted", [True, False])
@pytest.mark.parametrize("random", [("model",), ("model", "category"), ("family", "model", "family:category")])
def test_likelihood_written_out_is_the_same_and_no_higher_nearby(restricted, random):
    table = study(seed=3).drop([1, 7, 12, 30])
    table["y"] += np.random.default_rng(1).normal(size=20)[pd.factorize(table["family"] + table["category"])[0]]
    fixed = "size" if "category" in random else "category + size"
    fit = fit_lmm(table, "y", fixed, random, restricted=restricted)
    value, beta, vcov = dense_loglik(fit, restricted=restricted)
    assert fit.loglik == pytest.approx(value, abs=1e-8)
    np.testing.assert_allclose(fit.beta, beta, atol=1e-8)
    np.testing.assert_allclose(fit.vcov, vcov, rtol=1e-6, atol=1e-10)

    class Moved:
        solved = fit.solved

    for k in range(len(random) + 1):
        for factor in (0.9, 1.1):
            sd = np.r_[fit.sd, fit.residual_sd]
            sd[k] = sd[k] * factor if sd[k] else 0.05
            Moved.sd, Moved.residual_sd = sd[:-1], sd[-1]
            assert dense_loglik(Moved, restricted=restricted)[0] < fit.loglik + 1e-9


def test_predicted_effects_solve_the_mixed_model_equations():
    fit = fit_lmm(study(seed=3), "y", "category", ("model", "family"))
    z = np.column_stack(
        [
            (fit.columns[name].to_numpy()[:, None] == fit.modes[name].index.to_numpy()).astype(float)
            for name in fit.random
        ]
    )
    penalty = np.repeat(fit.residual_sd**2 / fit.sd**2, [len(fit.modes[name]) for name in fit.random])
    rest = fit.solved.response - fit.solved.matrix @ fit.beta
    expected = np.linalg.solve(z.T @ z + np.diag(penalty), z.T @ rest)
    np.testing.assert_allclose(np.concatenate([fit.modes[name] for name in fit.random]), expected, atol=1e-8)


def alike():
    """Models whose means are nearer to each other than chance allows: the variance is at 0."""
    rng = np.random.default_rng(5)
    table = study(seed=5).drop([2, 3, 17])
    table["y"] = rng.normal(size=len(table))
    table["y"] -= table.groupby("model")["y"].transform("mean")
    table["y"] += table["category"].map(dict(zip("abcde", rng.normal(size=5), strict=True)))
    return table


def test_at_a_variance_of_0_it_is_least_squares():
    table = alike()
    fit = fit_lmm(table, "y", "category*corpus + size")
    assert fit.sd[0] == 0
    assert fit.notes == ("The variance of 'model' is estimated as 0 (at the boundary).",)
    plain = ols("y ~ C(category) * corpus + size", table).fit()
    np.testing.assert_allclose(np.sort(fit.beta), np.sort(plain.params), atol=1e-9)
    found = t_table(fit)
    np.testing.assert_allclose(found["df"], plain.df_resid, rtol=1e-9)
    np.testing.assert_allclose(np.sort(found["std_error"]), np.sort(plain.bse), rtol=1e-8)
    # Kenward and Roger count the variance as estimated there as well: fewer degrees of freedom for what lies between.
    assert t_table(fit, "kenward-roger").loc["size", "df"] < plain.df_resid


@pytest.mark.parametrize("kind", ["I", "II", "III"])
def test_types_of_terms_are_those_of_anova_with_interactions(kind):
    table = alike()
    table["group"] = np.where(table["corpus"] == 1, "yes", "no")
    fit = fit_lmm(table, "y", "group*category")
    coding = ", Sum" if kind == "III" else ""
    plain = ols(f"y ~ C(group{coding}) * C(category{coding})", table).fit()
    reference = anova_lm(plain, typ={"I": 1, "II": 2, "III": 3}[kind])
    reference.index = [name.replace(coding, "").replace("C(", "").replace(")", "") for name in reference.index]
    found = f_table(fit, kind)
    for term, row in found.iterrows():
        assert row["statistic"] == pytest.approx(reference.loc[term, "F"], rel=1e-7)
        assert row["p_value"] == pytest.approx(reference.loc[term, "PR(>F)"], rel=1e-6)


def test_balanced_cells_give_the_test_between_models():
    """With all cells there, a model-level effect is tested by the regression of model means, on models - 2."""
    table = study()
    fit = fit_lmm(table, "y", "category + size")
    means = table.groupby("model").agg(y=("y", "mean"), size=("size", "first"))
    plain = stats.linregress(means["size"], means["y"])
    for method in ("satterthwaite", "kenward-roger"):
        row = t_table(fit, method).loc["size"]
        assert row["estimate"] == pytest.approx(plain.slope, rel=1e-8)
        assert row["std_error"] == pytest.approx(plain.stderr, rel=1e-6)
        assert row["df"] == pytest.approx(6, rel=1e-5)
        assert row["p_value"] == pytest.approx(plain.pvalue, rel=1e-5)
        f = f_table(fit, method=method).loc["size"]
        assert f["statistic"] == pytest.approx(row["statistic"] ** 2, rel=1e-6)
    both = joint_test(fit, ["size", "category"], "satterthwaite")
    assert both.numerator == 5


def test_means_and_differences():
    table = study()
    fit = fit_lmm(table, "y", "category*corpus + size")
    means, pairs = marginal_means(fit, "category"), pairwise(fit, "category", "satterthwaite")
    balanced = table.groupby("category")["y"].mean()
    np.testing.assert_allclose(means["estimate"], balanced, atol=1e-8)  # half of the models have each corpus
    first = pairs.iloc[0]
    assert (first["level"], first["other"]) == ("a", "b")
    assert first["estimate"] == pytest.approx(balanced["a"] - balanced["b"])
    assert (pairs["p_tukey"] >= pairs["p_value"] - 1e-12).all()
    assert (pairs["p_holm"] >= pairs["p_value"] - 1e-12).all()
    with pytest.raises(UsageError, match="no categorical fixed effect"):
        marginal_means(fit, "size")


def test_base_level_and_scale_of_the_response_change_no_test():
    table = study(seed=2).drop([3, 11])
    one = fit_lmm(table, "y", "category + size")
    two = fit_lmm(table.assign(y=1000 * table["y"] + 1e6), "y", "category + size", base={"category": "d"})
    assert two.design.base == {"category": "d"}
    np.testing.assert_allclose(two.sd, 1000 * one.sd, rtol=1e-6)
    # The degrees of freedom of several contrasts together depend a little on how these are written.
    np.testing.assert_allclose(f_table(two), f_table(one), rtol=1e-3)
    np.testing.assert_allclose(f_table(two, method="kenward-roger"), f_table(one, method="kenward-roger"), rtol=1e-6)
    assert t_table(two).loc["category[a]", "estimate"] == pytest.approx(
        -1000 * one.beta[one.names.index("category[d]")]
    )


def test_refusals():
    table = study()
    with pytest.raises(UsageError, match="no column 'z'"):
        fit_lmm(table, "z", "size")
    with pytest.raises(DataError, match="has no value"):
        fit_lmm(table.assign(y=np.nan), "y", "size")
    with pytest.raises(DataError, match="do not vary"):
        fit_lmm(table.assign(y=1.0), "y", "size")
    with pytest.raises(DataError, match="linear combinations"):
        fit_lmm(table.assign(copy=table["size"]), "y", "size + copy")
    with pytest.raises(DataError, match="one level only"):
        fit_lmm(table[table["model"] == "m0"], "y", "", ("model",))
    with pytest.raises(DataError, match="of its own"):
        fit_lmm(table, "y", "", ("model:category",))
    with pytest.raises(DataError, match="alike"):
        fit_lmm(table.assign(other=table["model"]), "y", "", ("model", "other"))
    with pytest.raises(DataError, match="each level a value of its own"):
        fit_lmm(table[table["model"].isin(["m0", "m1"])], "y", "category + size")
    with pytest.raises(ConvergenceError, match="no residual"):
        fit_lmm(table.assign(y=table["size"] + 0.1 * table["corpus"] ** 2), "y", "", ("model",))
    with pytest.raises(UsageError, match="twice"):
        fit_lmm(table, "y", "", ("model", "model"))
    with pytest.raises(UsageError, match="residual"):
        fit_lmm(table, "y", "", ("cell",))
    ml = fit_lmm(table, "y", "category", restricted=False)
    for call in (t_table, kenward_roger):
        with pytest.raises(UsageError, match="REML"):
            call(ml)
    reml = fit_lmm(table, "y", "category + size")
    with pytest.raises(UsageError, match="same rows and by the same"):
        likelihood_ratio(ml, reml)
    with pytest.raises(UsageError, match="same fixed effects"):
        likelihood_ratio(fit_lmm(table, "y", "category"), reml)
    with pytest.raises(UsageError, match="all effects"):
        likelihood_ratio(ml, ml)
    with pytest.raises(UsageError, match="no degrees of freedom"):
        t_table(reml, "z")
    with pytest.raises(UsageError, match="no type"):
        f_table(reml, "IV")
    with pytest.raises(UsageError, match="Name fixed terms"):
        joint_test(reml, ["corpus"])


def test_rows_without_a_response_are_left_out_and_said():
    table = study()
    gaps = table.assign(y=table["y"].where(np.arange(len(table)) % 9 > 0))
    found, same = fit_lmm(gaps, "y", "category"), fit_lmm(gaps.dropna(), "y", "category")
    np.testing.assert_allclose(found.beta, same.beta)
    assert found.notes == ("5 rows without a value of 'y' are left out.",)


def test_many_levels_refuse_the_adjusted_covariance_but_not_satterthwaite():
    rng = np.random.default_rng(8)
    item = np.repeat(np.arange(3100), 2)
    table = pd.DataFrame(
        {"item": item, "x": rng.normal(size=6200), "y": rng.normal(size=6200) + rng.normal(size=3100)[item]}
    )
    fit = fit_lmm(table, "y", "x", ("item",))
    assert t_table(fit).loc["x", "df"] > 3000
    with pytest.raises(UsageError, match="3,100"):
        kenward_roger(fit)


def test_interval_of_a_model_level_effect_covers():
    """Cells missing, 6 models: 200 studies, the share held within 3 Monte Carlo errors of 95 %."""
    held, small = [], []
    for seed in range(200):
        table = study(6, 5, seed=1000 + seed, scale=0.0).drop(np.random.default_rng(seed).choice(30, 4, replace=False))
        row = contrast_table(fit_lmm(table, "y", "category + size"), np.eye(6)[[5]]).iloc[0]
        held.append(row["conf_low"] <= 0 <= row["conf_high"])
        small.append(row["p_value"] < 0.05)
    assert np.mean(held) == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 200))
    assert np.mean(small) == pytest.approx(1 - np.mean(held))
