"""Densities and weights against a model that is normal throughout, where the posterior is known."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from click_stats.stats.bayes.conditional import conditional
from click_stats.stats.bayes.model import LEVEL_SD
from click_stats.stats.bayes.quick import rough

M, SD, ERROR = 8, 0.3, 0.1
X = np.linspace(-1, 1, M)[:, None]
DATA = SimpleNamespace(of_models=SimpleNamespace(matrix=X), groups=SimpleNamespace(names=()))
OBSERVED = 0.2 + 0.25 * X[:, 0] + np.random.default_rng(2).normal(0, 0.3, M)


def exact(prior_sd):
    """Mean and standard deviation of the slope, and of the levels, when levels are seen with a normal error."""
    design = np.column_stack([np.ones(M), X])
    prior = np.diag([LEVEL_SD**2, prior_sd**2])
    of_levels = SD**2 * np.eye(M) + design @ prior @ design.T
    of_data = of_levels + ERROR**2 * np.eye(M)
    gain = prior @ design.T @ np.linalg.inv(of_data)
    slope = (gain @ OBSERVED)[1], np.sqrt((prior - gain @ design @ prior)[1, 1])
    pull = of_levels @ np.linalg.inv(of_data)
    return slope, (pull @ OBSERVED, of_levels - pull @ of_levels)


def draws(prior_sd, n=8000, seed=1):
    _, (mean, covariance) = exact(prior_sd)
    levels = np.random.default_rng(seed).multivariate_normal(mean, covariance, n, method="cholesky")
    return SimpleNamespace(chains=4, level=levels, offset=np.zeros_like(levels), sd_model=np.full(n, SD), group=None)


def test_one_draw_gives_the_regression_with_known_variance():
    found = conditional(OBSERVED[None], np.array([SD]), X, 0.5)
    design = np.column_stack([np.ones(M), X])
    covariance = np.linalg.inv(design.T @ design / SD**2 + np.diag([LEVEL_SD**-2, 0.5**-2]))
    mean = covariance @ design.T @ OBSERVED / SD**2
    assert found.mean[0, 0] == pytest.approx(mean[1], abs=1e-12)
    assert found.sd[0, 0] == pytest.approx(np.sqrt(covariance[1, 1]), abs=1e-12)
    np.testing.assert_allclose(found.root[0] @ found.root[0].T, covariance, atol=1e-12)
    assert found.density(0.1, 0)[0, 0] == pytest.approx(stats.norm.pdf(0.1, mean[1], found.sd[0, 0]), abs=1e-12)


def test_marginal_densities_of_the_levels_differ_as_they_should():
    def log_density(prior_sd):
        covariance = SD**2 * np.eye(M) + LEVEL_SD**2 + prior_sd**2 * X @ X.T
        return stats.multivariate_normal(np.zeros(M), covariance).logpdf(OBSERVED)

    got = [conditional(OBSERVED[None], np.array([SD]), X, sd).log_marginal[0] for sd in (0.25, 1.0)]
    assert got[0] - got[1] == pytest.approx(log_density(0.25) - log_density(1.0), abs=1e-10)


@pytest.mark.bayes
@pytest.mark.parametrize("prior_sd", [0.25, 0.5, 1.0])
def test_savage_dickey_under_every_prior_from_draws_under_the_middle_one(prior_sd):
    from click_stats.stats.bayes.effects import curve, posterior, savage_dickey

    found = posterior(draws(0.5), DATA, prior_sd, 0.5, seed=3)
    (mean, sd), _ = exact(prior_sd)
    expected = stats.norm.pdf(0, mean, sd) / stats.norm.pdf(0, 0, prior_sd)
    factor = savage_dickey(found, 0)
    assert abs(mean) / sd < 2.5
    assert abs(factor.value - expected) < 4 * factor.error
    assert factor.error < 0.03 * expected
    assert found.effects[:, 0].mean() == pytest.approx(mean, abs=5 * sd / np.sqrt(4000))
    assert found.effects[:, 0].std() == pytest.approx(sd, rel=0.05)
    points = np.array([mean - sd, mean, mean + sd])
    np.testing.assert_allclose(curve(found, 0, points), stats.norm.pdf(points, mean, sd), rtol=0.05)
    assert np.isnan(found.k_hat) if prior_sd == 0.5 else found.k_hat < 0.7


@pytest.mark.bayes
def test_the_bound_lies_above_the_density_at_0():
    from click_stats.stats.bayes.effects import posterior, savage_dickey

    far = draws(0.5)
    far.level += 2.0 * X[:, 0]
    found = posterior(far, DATA, 0.5, 0.5, seed=3)
    factor = savage_dickey(found, 0)
    at_zero = found.given.density(0.0, 0).mean() / stats.norm.pdf(0, 0, 0.5)
    assert np.isnan(factor.value)
    assert at_zero < factor.bound < 1 / 3
    assert factor.evidence == "for an effect"


def test_the_quick_fit_stays_finite():
    correct = np.array([[6.0, 6, 6], [0, 0, 0], [3, 2, 0]])
    trials = np.array([[6, 6, 6], [6, 6, 6], [6, 6, 0]])
    found = rough(correct, trials, np.array([0, 0, 1]))
    assert all(np.isfinite(part).all() for part in found)
    assert found.level_alone[0] > found.level_alone[2] > found.level_alone[1]
