"""The convergence gate on made-up draws."""

import numpy as np
import pytest

from click_stats.stats.bayes.gate import gate, verdict

pytestmark = pytest.mark.bayes


def made(values, divergent=0):
    import arviz as az

    stuck = np.zeros(values.shape[:2], dtype=bool)
    stuck.flat[:divergent] = True
    return az.from_dict(posterior={"effects": values, "model_z": values * np.nan}, sample_stats={"diverging": stuck})


def normal(chains=4, draws=500, size=2, seed=0):
    return np.random.default_rng(seed).normal(size=(chains, draws, size))


def test_good_chains_pass():
    found = gate(made(normal()), 0.5)
    assert found.passed
    assert found.advice == ""
    row = found.rows.iloc[0]
    assert (row["parameter"], row["n_values"], row["n_draws"], row["n_divergent"]) == ("effects", 2, 2000, 0)
    assert len(found.rows) == 1  # deviates are the same parameters in another form


def test_one_divergence_refuses():
    found = gate(made(normal(), divergent=1), 0.5)
    assert found.problems == ("1 divergent transition (none allowed)",)
    assert "target_accept" in found.advice


def test_chains_that_disagree_are_refused():
    values = normal()
    values[0, :, 1] += 1.0
    found = gate(made(values), 0.5)
    assert any("R-hat" in text and "effects" in text for text in found.problems)
    assert "more draws" in found.advice


def test_few_effective_draws_are_refused():
    values = np.cumsum(normal(draws=500, size=1), axis=1)
    found = gate(made(values - values.mean(axis=(0, 1))), 0.5)
    assert any("effective draws in the bulk" in text for text in found.problems)
    short = gate(made(normal(draws=60)), 0.5)
    assert any("effective draws in the tails" in text for text in short.problems)


def test_chains_that_never_moved_are_refused():
    found = gate(made(np.zeros((4, 500, 2))), 0.5)
    assert not found.passed
    assert found.rows["reason"].iloc[0] == "the chains did not move"
    assert "R-hat is undefined" in found.problems


def test_the_limits_themselves_pass():
    rows = gate(made(normal()), 0.5).rows.assign(r_hat=1.01, ess_bulk=400.0, ess_tail=400.0)
    assert verdict(rows) == ((), "")
    assert verdict(rows.assign(r_hat=1.0101))[0]
    assert verdict(rows.assign(ess_bulk=399.0))[0]
