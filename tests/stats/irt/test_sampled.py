"""The sampled engine agrees with the fast one, and shows nothing when its chains did not converge."""

import numpy as np
import pytest
from scipy.special import expit

from click_stats.stats.irt import irt

pytest.importorskip("pymc")


def test_the_sampled_posterior_is_near_that_of_the_fast_engine(counts_of):
    rng = np.random.default_rng(3)
    p = 0.25 + 0.75 * expit(rng.normal(0, 1, 10)[:, None] - rng.normal(0, 1.2, 30))
    counts = counts_of(rng.binomial(4, p), 4)
    fast = irt(counts, passages=False)
    result = irt(counts, passages=False, engine="mcmc", draws=1000, tune=800, chains=2, seed=1)
    assert result.meta["reason"] == ""
    first, second = fast.to_frame(), result.to_frame()
    assert second["difficulty"].to_numpy() == pytest.approx(first["difficulty"].to_numpy(), abs=0.15)
    ratio = second["difficulty_se"] / first["difficulty_se"]
    assert 0.9 < ratio.median() < 1.2
    assert result.to_frame("abilities")["ability"].to_numpy() == pytest.approx(
        fast.to_frame("abilities")["ability"].to_numpy(), abs=0.12
    )


def test_chains_that_did_not_converge_show_nothing(counts_of):
    rng = np.random.default_rng(4)
    result = irt(counts_of(rng.binomial(1, 0.6, (8, 12))), engine="mcmc", draws=20, tune=20, chains=2)
    assert result.to_frame().empty
    assert "did not converge" in result.meta["reason"]
