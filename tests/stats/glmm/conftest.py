"""Cells of small made-up studies."""

import numpy as np
import pandas as pd
import pytest


def _cells(
    n_models=5,
    n_items=60,
    trials=6,
    *,
    seed=2,
    kinds=3,
    sd_item=1.1,
    sd_model=0.35,
    sd_cross=0.0,
    sd_cell=0.0,
    sd_passage=0.0,
):
    """Cells of models with a size and a corpus; items take turns in the categories P, Q, R, ..., four to a passage."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n_items) // 4 % kinds
    eta = -0.2 + rng.normal(0, sd_item, n_items) + np.linspace(-0.4, 0.4, kinds)[kind]
    eta = eta + rng.normal(0, sd_passage, n_items // 4 + 1)[np.arange(n_items) // 4]
    size, corpus = rng.normal(0, 0.5, n_models), np.arange(n_models) % 2
    eta = eta + (0.9 * size + 0.4 * corpus + rng.normal(0, sd_model, n_models))[:, None]
    eta = eta + rng.normal(0, sd_cross, (n_models, kinds))[:, kind] + rng.normal(0, sd_cell, (n_models, n_items))
    model, item = np.divmod(np.arange(n_models * n_items), n_items)
    return pd.DataFrame(
        {
            "model": [f"m{k:03d}" for k in model],
            "item": [f"i{k:04d}" for k in item],
            "passage": [f"p{k // 4:04d}" for k in item],
            "category": np.array(list("PQRSTUVWXYZ"))[kind[item]],
            "log10_params": size[model],
            "corpus": corpus[model],
            "trials": trials,
            "correct": rng.binomial(trials, 1 / (1 + np.exp(-eta))).ravel(),
        }
    )


@pytest.fixture
def cells():
    return _cells
