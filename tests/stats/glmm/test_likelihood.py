"""The eliminations against the same algebra on full matrices."""

import numpy as np
import pytest
from scipy.special import expit, gammaln

from click_stats.stats.glmm import GlmmData, GlmmSpec
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import groupings
from click_stats.stats.glmm.laplace import Laplace

RANDOM = (
    ("item", "model"),
    ("item", "model", "model:category"),
    ("cell", "item", "passage", "model", "model:category"),
    ("passage", "model"),
    ("model",),
    ("cell", "item"),
    ("item", "passage"),
    ("item", "model", "category"),
    ("item", "model:category"),
    (),
)


def dense(data, design, groups, parameters):
    """Laplace log-likelihood, conditional variances of predictor and effects, all on full matrices."""
    columns = design.shape[1]
    blocks = []
    for (_, group), log_sd in zip(groups.items(), parameters[columns:], strict=True):
        indicator = np.zeros((len(data), len(group.levels)))
        indicator[np.arange(len(data)), group.codes] = np.exp(log_sd)
        blocks.append(indicator)
    effects = np.hstack([np.zeros((len(data), 0)), *blocks])
    u, fixed = np.zeros(effects.shape[1]), design @ parameters[:columns]
    for _ in range(50):
        p = expit(fixed + effects @ u)
        curvature = np.eye(len(u)) + effects.T @ ((data.trials * p * (1 - p))[:, None] * effects)
        u = u + np.linalg.solve(curvature, effects.T @ (data.correct - data.trials * p) - u)
    eta = fixed + effects @ u
    p = expit(eta)
    curvature = np.eye(len(u)) + effects.T @ ((data.trials * p * (1 - p))[:, None] * effects)
    choose = gammaln(data.trials + 1) - gammaln(data.correct + 1) - gammaln(data.trials - data.correct + 1)
    value = (data.correct * eta - data.trials * np.logaddexp(0, eta) + choose).sum()
    value += -0.5 * u @ u - 0.5 * np.linalg.slogdet(curvature)[1]
    inverse = np.linalg.inv(curvature)
    return value, u, np.einsum("ij,jk,ik->i", effects, inverse, effects), np.diag(inverse)


@pytest.fixture(params=RANDOM, ids="+".join)
def case(request, cells):
    table = cells(4, 21, 5, seed=3, kinds=2).sample(frac=0.8, random_state=4)  # cells missing, in no order
    data = GlmmData.from_frame(table)
    spec = GlmmSpec("category + log10_params", request.param)
    groups = groupings(data, spec)
    design = designs.build(data, spec).matrix
    model = Laplace(data.correct, data.trials, design, structures.build(groups, len(data)), list(groups))
    parameters = np.r_[0.3, -0.5, 0.4, np.linspace(-0.9, 0.2, len(groups))]
    return data, groups, design, model, parameters


def test_value_and_variances(case):
    data, groups, design, model, parameters = case
    value, u, of_predictor, of_effects = dense(data, design, groups, parameters)
    assert model.value_and_gradient(parameters)[0] == pytest.approx(value, abs=1e-9)
    sd = model.deviations(np.exp(parameters[3:]))
    mode = model.mode(parameters[:3], sd)
    spread = mode.factor.spread()
    np.testing.assert_allclose(spread.predictor, of_predictor[model.structure.order], atol=1e-9)
    at = 0
    for name, group in groups.items():
        size = len(group.levels)
        # The engine numbers levels its own way; the sets agree.
        np.testing.assert_allclose(np.sort(model.part(mode.effects, name)), np.sort(u[at : at + size]), atol=1e-7)
        np.testing.assert_allclose(
            np.sort(model.part(spread.effects, name)), np.sort(of_effects[at : at + size]), atol=1e-9
        )
        at += size


def test_gradient_is_the_derivative(case):
    *_, model, parameters = case
    gradient = model.value_and_gradient(parameters)[1]
    for k in range(len(parameters)):
        step = np.zeros(len(parameters))
        step[k] = 1e-4
        ends = [model.value_and_gradient(parameters + sign * step)[0] for sign in (-2, -1, 1, 2)]
        slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / 12e-4
        assert gradient[k] == pytest.approx(slope, abs=2e-6)


def test_solve_inverts_the_curvature(case):
    *_, model, parameters = case
    sd = model.deviations(np.exp(parameters[3:]))
    mode = model.mode(parameters[:3], sd)
    rng = np.random.default_rng(5)
    zero = model.zero()
    right = type(zero)(*(rng.normal(size=len(part)) for part in zero))
    # Effects that the model does not have stay apart with curvature 1.
    solved = mode.factor.solve(right)
    back = mode.factor.spread_cells(mode.factor.weights * mode.factor.predictor(solved))
    np.testing.assert_allclose(solved.item + back[0], right.item, atol=1e-10)
    np.testing.assert_allclose(solved.passage + back[1], right.passage, atol=1e-10)
    np.testing.assert_allclose(solved.outer + back[2], right.outer, atol=1e-10)
    np.testing.assert_allclose(
        solved.cell + sd.cell * mode.factor.weights * mode.factor.predictor(solved), right.cell, atol=1e-10
    )


def test_crossings_divide_the_items_into_blocks(cells):
    data = GlmmData.from_frame(cells(4, 40, 5, kinds=3))
    for random, blocks, common in ((("item", "model", "model:category"), 3, 4), (("item", "model"), 1, 4)):
        groups = groupings(data, GlmmSpec("", random))
        found = structures.build(groups, len(data))
        assert (len(found.blocks), found.n_global) == (blocks, common)
        assert sorted(found.order) == list(range(len(data)))


def test_more_parts_than_blocks_are_joined(cells):
    table = cells(3, 160, 4).assign(fine=lambda t: t["passage"])  # 40 passages crossed with models: 40 parts
    data = GlmmData.from_frame(table)
    spec = GlmmSpec("log10_params", ("item", "model", "model:fine"))
    groups = groupings(data, spec)
    structure = structures.build(groups, len(data))
    assert len(structure.blocks) == structures.MAX_BLOCKS
    design = designs.build(data, spec).matrix
    model = Laplace(data.correct, data.trials, design, structure, list(groups))
    parameters = np.array([0.1, 0.5, 0.1, -1.0, -0.7])
    assert model.value_and_gradient(parameters)[0] == pytest.approx(
        dense(data, design, groups, parameters)[0], abs=1e-8
    )
