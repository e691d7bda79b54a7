"""The fast engine: against exact integrals, a direct maximum, recovery, and what must not matter."""

import itertools

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import expit, logsumexp

from click_stats.stats.irt import abilities, dispersion, item_posterior, marginal, posterior
from click_stats.stats.irt.data import Responses, leaves


def responses(correct, trials=1, *, floor=0.0, category=None, clusters=None):
    correct = np.asarray(correct, dtype=float)
    n_items = correct.shape[1]
    category = np.zeros(n_items, dtype=np.int64) if category is None else np.asarray(category)
    clusters = np.arange(n_items) if clusters is None else np.asarray(clusters)
    leaf, leaf_category, leaf_passage = leaves(category, clusters, passages=True)
    shown = np.broadcast_to(np.asarray(trials, dtype=float), correct.shape)
    return Responses(correct, shown, np.full(n_items, floor), category, leaf, leaf_category, leaf_passage)


def simulated(seed, units=20, items=300, trials=1, *, floor=0.25, slope_sd=0.0, sd=1.2):
    rng = np.random.default_rng(seed)
    ability = rng.normal(0, 1, units)
    ability -= ability.mean()
    difficulty, slope = rng.normal(-0.5, sd, items), np.exp(slope_sd * rng.standard_normal(items))
    p = floor + (1 - floor) * expit(slope * (ability[:, None] - difficulty))
    return responses(rng.binomial(trials, p), trials, floor=floor), ability, difficulty, slope


@pytest.mark.parametrize("slopes", [False, True])
@pytest.mark.parametrize("floor", [0.0, 0.2])
def test_derivatives_are_those_of_the_expected_likelihood(slopes, floor):
    # the bound changes with the mean of one level as the gradient says, items held at their best
    data, _, _, _ = simulated(1, 7, 40, floor=floor)
    fit = marginal.fit(data, slopes=slopes)
    parts = item_posterior.blocks(data)
    known = fit.abilities

    def evidence(shift):
        moved = known.leaf.copy()
        moved[2, 0] += shift
        here = abilities.Abilities(**{**vars(known), "leaf": moved})
        return item_posterior.posterior(data, parts, here, fit.prior, fit.grid).evidence

    found = item_posterior.posterior(data, parts, known, fit.prior, fit.grid)
    assert found.gradient[2, 0] == pytest.approx((evidence(1e-4) - evidence(-1e-4)) / 2e-4, abs=1e-5)
    assert found.information[2, 0] > 0


def test_the_tree_is_the_joint_normal_posterior():
    rng = np.random.default_rng(3)
    spread = abilities.Spread(1.1, 0.6, 0.4)
    leaf_category, leaf_passage = np.array([0, 0, 1, 1]), np.array([False, True, False, True])
    target, information = rng.normal(size=(3, 4)), rng.uniform(0.2, 4, (3, 4))
    information[1, 2] = 0.0
    found = abilities.update(target, information, spread, leaf_category, leaf_passage)
    same = leaf_category[:, None] == leaf_category
    prior = 1.1**2 + 0.6**2 * same + np.diag(0.4**2 * leaf_passage)
    for u in range(3):
        covariance = np.linalg.inv(np.linalg.inv(prior) + np.diag(information[u]))
        assert found.leaf[u] == pytest.approx(covariance @ (information[u] * target[u]))
        assert found.leaf_var[u] == pytest.approx(np.diag(covariance))
        weights = 1.1**2 * np.ones(4) @ np.linalg.inv(prior)
        assert found.general[u] == pytest.approx(weights @ found.leaf[u])
    exact = 0.0
    for u in range(3):
        covariance = np.linalg.inv(np.linalg.inv(prior) + np.diag(information[u]))
        m = found.leaf[u]
        exact += 0.5 * (
            np.trace(np.linalg.solve(prior, covariance)) + m @ np.linalg.solve(prior, m) - 4
            + np.linalg.slogdet(prior)[1] - np.linalg.slogdet(covariance)[1]
        )  # fmt: skip
    assert found.divergence == pytest.approx(exact)


def test_difficulties_are_those_of_the_exact_posterior_when_abilities_are_known():
    # 400 items make abilities of 8 models nearly known: the posterior of one item is then an integral in one dimension
    data, ability, _, _ = simulated(4, 8, 400, 3)
    fit = marginal.fit(data)
    found = posterior.difficulty(fit, data, 0.9)
    b = np.linspace(-9, 9, 4001)
    p = 0.25 + 0.75 * expit(fit.abilities.general[:, None] - b)
    for item in (0, 1, 2):
        y = data.correct[:, item, None]
        log = (y * np.log(p) + (3 - y) * np.log(1 - p)).sum(axis=0)
        log += stats.norm.logpdf(b, fit.prior.means[0], fit.prior.sd)
        weight = np.exp(log - logsumexp(log))
        assert found.mean[item] == pytest.approx(weight @ b, abs=0.03)
        assert np.interp(found.low[item], b, np.cumsum(weight)) == pytest.approx(0.05, abs=0.006)
        assert np.interp(found.high[item], b, np.cumsum(weight)) == pytest.approx(0.95, abs=0.006)
    assert np.abs(fit.abilities.general - ability).max() < 0.35


@pytest.mark.parametrize("floor", [0.0, 0.25])
@pytest.mark.parametrize("slopes", [False, True])
def test_common_levels_stand_for_the_levels_of_every_model(slopes, floor):
    # posteriors of items and the gradient of a level, by quadrature over each model's own ability
    data, _, _, _ = simulated(5, 150, 12, floor=floor, slope_sd=0.4 if slopes else 0.0)
    correct = data.correct.copy()
    correct[0], correct[1] = 1, 0  # far out
    data = responses(correct, floor=floor)
    fit = marginal.fit(data, slopes=slopes)
    known, prior, nodes = fit.abilities, fit.prior, fit.grid
    root, weight = np.polynomial.hermite_e.hermegauss(21)
    weight /= weight.sum()
    theta = known.leaf + np.sqrt(known.leaf_var) * root  # (U, K): one leaf
    b = prior.means[0] + prior.sd * nodes.x[:, None]
    a = np.exp(prior.slope_sd * nodes.z)
    logit = a * (theta[..., None, None] - b)  # (U, K, X, Z)
    guessed = np.log(floor) if floor else -np.inf
    wrong = np.log1p(-floor) - np.logaddexp(0, logit)
    right = np.logaddexp(guessed, np.log1p(-floor) - np.logaddexp(0, -logit))
    p, likelihood = np.exp(right), np.stack([wrong, right])
    expected = np.einsum("yukxz,k->yuxz", likelihood, weight)
    found = item_posterior.posterior(data, item_posterior.blocks(data), known, prior, nodes)
    gradient = np.zeros(150)
    of_level = a * expit(logit) / p  # of the log odds of p
    for item in range(12):
        y = data.correct[:, item].astype(int)
        log = expected[y, np.arange(150)].sum(axis=0) + nodes.log_prior
        log -= logsumexp(log)
        assert np.exp(found.log_posterior[item]) == pytest.approx(np.exp(log), abs=1e-4)
        slope = np.einsum("ukxz,k,xz->u", of_level * (y[:, None, None, None] - p), weight, np.exp(log))
        gradient += slope
    assert found.gradient[:, 0] == pytest.approx(gradient, abs=2e-3)


def test_the_bound_is_close_below_the_exact_marginal_likelihood():
    # three models, two items: the integral over five normal variables, by quadrature
    data = responses([[1, 0], [1, 1], [0, 0]])
    fit = marginal.fit(data)
    root, weight = np.polynomial.hermite_e.hermegauss(15)
    weight /= weight.sum()
    total = 0.0
    for place in itertools.product(range(15), repeat=3):
        theta = fit.abilities.spread.general * root[list(place)]
        p = expit(theta[:, None] - (fit.prior.means[0] + fit.prior.sd * root))
        inside = 1.0
        for item in range(2):
            y = data.correct[:, item, None]
            inside *= float(weight @ (p**y * (1 - p) ** (1 - y)).prod(axis=0))
        total += float(weight[list(place)].prod()) * inside
    assert fit.bound <= np.log(total) + 1e-6
    assert fit.bound == pytest.approx(np.log(total), abs=0.25)


def test_modes_agree_with_a_direct_maximum_of_the_same_posterior():
    data, _, _, _ = simulated(6, 9, 60, 4)
    fit = marginal.fit(data)
    level = fit.abilities.general

    def loss(b):
        p = 0.25 + 0.75 * expit(level[:, None] - b)
        log = (data.correct * np.log(p) + (4 - data.correct) * np.log(1 - p)).sum()
        return -log + 0.5 * (((b - fit.prior.means[0]) / fit.prior.sd) ** 2).sum()

    direct = optimize.minimize(loss, np.full(60, fit.prior.means[0]), method="L-BFGS-B").x
    found = posterior.modes(fit, data)
    assert found.difficulty == pytest.approx(direct, abs=0.08)  # abilities are held at their means here
    assert np.corrcoef(found.difficulty, direct)[0, 1] > 0.999


def test_intervals_cover_and_standard_deviations_are_recovered():
    inside, spread = [], []
    for seed in range(6):
        data, _, difficulty, _ = simulated(100 + seed, 13, 200)
        fit = marginal.fit(data)
        found = posterior.difficulty(fit, data, 0.95)
        inside.append(((found.low <= difficulty) & (difficulty <= found.high)).mean())
        spread.append(fit.prior.sd)
        assert fit.converged
    assert np.mean(inside) == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / 1200))
    assert np.mean(spread) == pytest.approx(1.2, abs=0.2)


def test_discriminations_are_recovered_with_positive_sign_whatever_the_extremes():
    data, ability, _, slope = simulated(8, 60, 150, slope_sd=0.5)
    correct = data.correct.copy()
    correct[0], correct[1] = 1, 0  # a model with all right, one with all wrong
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(60)
        fit = marginal.fit(responses(correct[order], floor=0.25), slopes=True)
        found = posterior.discrimination(fit, 0.95)
        assert (found.low > 0).all()
        assert np.corrcoef(np.log(found.mean), np.log(slope))[0, 1] > 0.5
        general = fit.abilities.general[np.argsort(order)]
        assert np.corrcoef(general[2:], ability[2:])[0, 1] > 0.9
        assert general[0] == general.max()
        assert general[1] == general.min()


def test_order_of_models_and_items_does_not_matter():
    data, _, _, _ = simulated(9, 10, 50)
    units, items = np.random.default_rng(1).permutation(10), np.random.default_rng(2).permutation(50)
    first = posterior.difficulty(marginal.fit(data), data, 0.95)
    other = responses(data.correct[units][:, items], floor=0.25)
    second = posterior.difficulty(marginal.fit(other), other, 0.95)
    assert second.mean == pytest.approx(first.mean[items], abs=2e-3)
    assert second.low == pytest.approx(first.low[items], abs=5e-3)


def test_answers_that_repeat_themselves_count_for_less():
    rng = np.random.default_rng(10)
    data, _, difficulty, _ = simulated(10, 13, 300, 12)
    p = data.floor + 0.75 * expit(rng.normal(0, 1, 13)[:, None] - difficulty)
    sticky = rng.binomial(12, rng.beta(p, 1 - p)).astype(float)  # correlation 1/2 within a cell
    _, _, plain = dispersion.fit_dispersed(data)
    fit, weighed, found = dispersion.fit_dispersed(responses(sticky, 12, floor=0.25))
    assert plain < 0.02
    assert found == pytest.approx(0.5, abs=0.08)
    assert weighed.trials.max() == pytest.approx(12 / (1 + 11 * found), abs=0.2)
    assert (
        posterior.difficulty(fit, weighed, 0.95).sd.mean()
        > 2 * posterior.difficulty(marginal.fit(data), data, 0.95).sd.mean()
    )


def test_passages_with_many_trials_are_seen():
    rng = np.random.default_rng(11)
    clusters = np.arange(120) // 3
    level = rng.normal(0, 1, (12, 1)) + rng.normal(0, 0.8, (12, 40))[:, clusters]
    p = expit(level - rng.normal(0, 1, 120))
    fit = marginal.fit(responses(rng.binomial(12, p), 12, clusters=clusters))
    assert fit.abilities.spread.passage == pytest.approx(0.8, abs=0.15)
