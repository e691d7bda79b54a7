"""Standard deviations at and near 0, where the likelihood is flat in log sd."""

import numpy as np
import pytest

from click_stats.errors import ClickStatsError
from click_stats.stats.glmm import ConvergenceError, GlmmData, GlmmSpec, fit
from click_stats.stats.glmm.data import groupings
from click_stats.stats.glmm.design import build
from click_stats.stats.glmm.laplace import Laplace
from click_stats.stats.glmm.structure import build as structure_of

RANDOM = (
    ("item", "model"),
    ("item", "model", "model:category"),
    ("item", "passage", "model"),
    ("item", "model", "model:category", "cell"),
    ("item", "passage", "model", "model:category", "cell"),
)


def study(cells, seed):
    """A study whose true standard deviations are 0 as often as not."""
    rng = np.random.default_rng(seed)
    trials, sizes = int(rng.choice([1, 3, 12])), (int(rng.integers(5, 12)), int(rng.integers(20, 60)))
    random = RANDOM[seed % len(RANDOM)]
    if trials == 1:
        random = tuple(name for name in random if name != "cell")
    names = ("sd_item", "sd_model", "sd_cross", "sd_cell", "sd_passage")
    sds = {name: float(rng.choice([0.0, 0.0, 0.3, 0.8])) for name in names}
    return GlmmData.from_frame(cells(*sizes, trials, seed=seed, **sds)), GlmmSpec("category + log10_params", random)


@pytest.mark.parametrize("seed", range(20))
def test_a_maximum_is_found_and_none_lies_beside_it(cells, seed):
    data, spec = study(cells, seed)
    found = fit(data, spec)
    groups = groupings(data, spec)
    model = Laplace(data.correct, data.trials, build(data, spec).matrix, structure_of(groups, len(data)), list(groups))
    log_sd = np.where(found.sd > 0, found.log_sd, np.log(1e-3))
    here = np.r_[found.beta, log_sd]
    assert model.value_and_gradient(here)[0] == pytest.approx(found.loglik, abs=1e-3)
    for k in range(len(groups)):
        for other in (0.002, 0.02, 0.05, 0.1, 0.2, 0.4, 1.0):
            trial = here.copy()
            trial[len(found.beta) + k] = np.log(other)
            assert model.value_and_gradient(trial)[0] <= found.loglik + 2e-4
    assert len(found.notes) == (found.sd == 0).sum()


def test_a_variance_that_is_clearly_there_is_never_0(cells):
    for seed in range(5):
        data = GlmmData.from_frame(cells(8, 60, 12, seed=seed, sd_cross=0.5))
        found = fit(data, GlmmSpec("category", ("item", "model", "model:category")))
        assert np.all(found.sd[[0, 2]] > 0.2)


def test_errors_are_errors_of_the_package():
    assert issubclass(ConvergenceError, ClickStatsError)
