"""Counts of models with known sizes; what samples is skipped when PyMC is not there."""

import os
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

REASON = "needs PyMC and ArviZ: pip install 'click-stats[bayes]'"


def pytest_collection_modifyitems(items):
    """Skip what needs the extra when it is not there, or fail when it was promised."""
    if find_spec("pymc") and find_spec("arviz"):
        return
    for item in items:
        if item.get_closest_marker("bayes"):
            if os.environ.get("CLICK_STATS_REQUIRE_BAYES") == "1":
                pytest.exit(f"{item.nodeid} {REASON}", returncode=1)
            item.add_marker(pytest.mark.skip(reason=REASON))


@pytest.fixture(scope="session")
def with_facts(counts_of):
    """Make counts of models with facts; what is not given is not known."""

    def make(correct, trials=6, *, category=None, **facts):
        counts = counts_of(correct, trials, category=category)
        return replace(counts, units=counts.units.assign(**facts))

    return make


SIZES = np.array([1.0, 3.0, 7.0, 13.0, 30.0, 70.0])
CORPUS = ["yes", "no", "yes", "no", "yes", "no"]


@pytest.fixture(scope="session")
def six_models(with_facts):
    """Six models on 30 items in three categories, one of which nobody misses; size helps by 1.2 logits per tenfold."""
    rng = np.random.default_rng(5)
    size = np.log10(SIZES)
    level = 1.2 * (size - size.mean()) + rng.normal(0, 0.15, 6)
    logit = level[:, None] + rng.normal(0, 0.8, 30)
    correct = rng.binomial(6, 1 / (1 + np.exp(-logit)))
    correct[:, 20:] = 6
    return with_facts(correct, category=["A"] * 10 + ["B"] * 10 + ["C"] * 10, parameters=SIZES, korean_corpus=CORPUS)
