"""The restricted likelihood: against full matrices, and against regression where the counts say everything."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, gammaln

from click_stats.stats.glmm import GlmmData, GlmmSpec, fit
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import groupings
from click_stats.stats.glmm.laplace import Laplace
from click_stats.stats.glmm.restricted import Restricted

RANDOM = (
    ("item", "model"),
    ("item", "model", "model:category"),
    ("cell", "item", "passage", "model", "model:category"),
    ("item", "passage"),
    ("model",),
    (),
)


def dense(data, design, groups, log_sd):
    """Laplace over all effects with a flat prior on the fixed ones; the value and the fixed effects."""
    blocks = [design]
    for (_, group), value in zip(groups.items(), log_sd, strict=True):
        indicator = np.zeros((len(data), len(group.levels)))
        indicator[np.arange(len(data)), group.codes] = np.exp(value)
        blocks.append(indicator)
    whole = np.hstack(blocks)
    prior = np.r_[np.zeros(design.shape[1]), np.ones(whole.shape[1] - design.shape[1])]
    at = np.zeros(len(prior))
    for _ in range(50):
        p = expit(whole @ at)
        curvature = np.diag(prior) + whole.T @ ((data.trials * p * (1 - p))[:, None] * whole)
        at = at + np.linalg.solve(curvature, whole.T @ (data.correct - data.trials * p) - prior * at)
    choose = gammaln(data.trials + 1) - gammaln(data.correct + 1) - gammaln(data.trials - data.correct + 1)
    value = (data.correct * (whole @ at) - data.trials * np.logaddexp(0, whole @ at) + choose).sum()
    value += -0.5 * (prior * at) @ at - 0.5 * np.linalg.slogdet(curvature)[1]
    return value + 0.5 * design.shape[1] * np.log(2 * np.pi), at[: design.shape[1]]


@pytest.fixture(params=RANDOM, ids="+".join)
def case(request, cells):
    data = GlmmData.from_frame(cells(4, 21, 5, seed=3, kinds=2).sample(frac=0.8, random_state=4))
    spec = GlmmSpec("category + log10_params", request.param)
    groups = groupings(data, spec)
    design = designs.build(data, spec).matrix
    model = Restricted(data.correct, data.trials, design, structures.build(groups, len(data)), list(groups))
    return data, groups, design, model, np.linspace(-0.9, 0.2, len(groups))


def test_value_gradient_and_fixed_effects(case):
    data, groups, design, model, log_sd = case
    value, beta = dense(data, design, groups, log_sd)
    found, gradient = model.value_and_gradient(log_sd)
    assert found == pytest.approx(value, abs=1e-9)
    np.testing.assert_allclose(model.beta, beta, atol=1e-7)
    for k in range(len(log_sd)):
        step = np.zeros(len(log_sd))
        step[k] = 1e-3
        ends = [dense(data, design, groups, log_sd + sign * step)[0] for sign in (-2, -1, 1, 2)]
        assert gradient[k] == pytest.approx((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / 12e-3, abs=2e-6)


def test_many_trials_give_least_squares():
    """With ten million trials the logits are known: sd^2 is RSS / (M - p) restricted, RSS / M by maximum likelihood."""
    rng = np.random.default_rng(8)
    size, corpus = rng.normal(size=13), np.arange(13) % 2
    logit = 0.3 + 0.8 * size + 0.4 * corpus + rng.normal(0, 0.4, 13)
    trials = 10_000_000
    table = pd.DataFrame(
        {
            "item": "all",
            "model": [f"m{k:02d}" for k in range(13)],
            "log10_params": size,
            "corpus": corpus,
            "trials": trials,
            "correct": np.round(trials / (1 + np.exp(-logit))),
        }
    )
    design = np.column_stack([np.ones(13), size, corpus])
    beta, residual, *_ = np.linalg.lstsq(design, logit)
    spread = np.linalg.inv(design.T @ design)
    data, spec = GlmmData.from_frame(table), GlmmSpec("log10_params + corpus", ("model",))
    plain, restricted = fit(data, spec), fit(data, spec, restricted=True)
    assert restricted.restricted
    for found, denominator in ((plain, 13), (restricted, 10)):
        variance = residual[0] / denominator
        np.testing.assert_allclose(found.beta, beta, atol=1e-5)
        assert found.sd[0] ** 2 == pytest.approx(variance, rel=1e-4)
        np.testing.assert_allclose(found.se, np.sqrt(variance * np.diag(spread)), rtol=1e-4)
        assert found.log_sd_se[0] == pytest.approx(1 / np.sqrt(2 * denominator), rel=1e-3)


def test_fixed_effects_are_those_of_the_likelihood_at_these_deviations(cells):
    """And their covariance is the inverse information there plus D C D', D by differences of whole maximisations."""
    data = GlmmData.from_frame(cells(8, 60, 6, seed=9, sd_cell=0.8))
    spec = GlmmSpec("category + log10_params", ("item", "model", "cell"))
    found = fit(data, spec, restricted=True)
    groups = groupings(data, spec)
    design = designs.build(data, spec).matrix
    model = Laplace(data.correct, data.trials, design, structures.build(groups, len(data)), list(groups))

    def slope(beta, log_sd):
        return model.value_and_gradient(np.r_[beta, log_sd])[1][:4]

    def best(log_sd):
        beta = found.beta
        for _ in range(8):
            beta = beta + np.linalg.solve(information, slope(beta, log_sd))
        return beta

    steps = 1e-3 * np.eye(4)
    information = (
        np.array([slope(found.beta - one, found.log_sd) - slope(found.beta + one, found.log_sd) for one in steps])
        / 2e-3
    )
    np.testing.assert_allclose(best(found.log_sd), found.beta, atol=1e-4 * found.se.min())
    steps = 1e-2 * np.eye(3)
    slopes = np.stack([(best(found.log_sd + one) - best(found.log_sd - one)) / 2e-2 for one in steps], axis=1)
    among = found.covariance[-3:, -3:]
    np.testing.assert_allclose(found.vcov, np.linalg.inv(information) + slopes @ among @ slopes.T, rtol=1e-3, atol=2e-5)
    np.testing.assert_allclose(found.covariance[:-3, -3:], slopes @ among, atol=1e-5)


def test_few_models_get_a_larger_variance(cells):
    data, spec = GlmmData.from_frame(cells(8, 60, 12, seed=9)), GlmmSpec("category + log10_params + corpus")
    plain, restricted = fit(data, spec), fit(data, spec, restricted=True)
    # Three of eight degrees of freedom went into coefficients: sqrt(8 / 5) on the part that is the models' own.
    assert 1.15 < restricted.sd[1] / plain.sd[1] < 1.35
    assert restricted.se[-2] > 1.1 * plain.se[-2]
    np.testing.assert_allclose(restricted.beta, plain.beta, atol=0.1 * plain.se.max())


def test_without_random_effects_the_estimates_are_those_of_the_likelihood(cells):
    data, spec = GlmmData.from_frame(cells()), GlmmSpec("category", ())
    plain, restricted = fit(data, spec), fit(data, spec, restricted=True)
    np.testing.assert_allclose(restricted.beta, plain.beta, atol=1e-7)
    np.testing.assert_allclose(restricted.se, plain.se, rtol=1e-6)


def test_separation_is_handled_alike(cells):
    table = cells()
    table.loc[table["category"] == "Q", "correct"] = 6
    found = fit(GlmmData.from_frame(table), GlmmSpec("category"), restricted=True)
    without = fit(GlmmData.from_frame(table[table["category"] != "Q"]), GlmmSpec("category"), restricted=True)
    assert list(np.isnan(found.beta)) == [False, True, False]
    np.testing.assert_allclose(found.sd, without.sd, rtol=1e-4)
