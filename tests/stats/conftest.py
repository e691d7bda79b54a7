"""Counts made by hand."""

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts


def _counts_of(
    correct, trials=1, *, category=None, cluster=None, n_options=4, statuses=None, missing=0, cells=None, names=None
):
    """Counts with ``correct`` of ``trials`` named options right, both (units, items).

    ``statuses`` adds trials of other statuses (name to (units, items)); ``missing`` planned trials never run.
    """
    correct = np.asarray(correct, dtype=np.int64)
    n_units, n_items = correct.shape
    trials = np.broadcast_to(np.asarray(trials, dtype=np.int64), correct.shape)
    keys = [f"i{k}" for k in range(n_items)]
    category = ["A"] * n_items if category is None else list(category)
    items = pd.DataFrame(
        {
            "category": category,
            "domain": "D",
            "source": [f"s{k % 2}" for k in range(n_items)],
            "n_options": n_options,
            "gold": 0,
            "cluster": keys if cluster is None else [f"c{code}" for code in cluster],
        },
        index=pd.Index(keys, name="item"),
    )
    options = np.zeros((n_units, n_items, 5), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = correct, trials - correct
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = trials
    for name, number in (statuses or {}).items():
        stored[:, :, STATUSES.index(name)] += np.asarray(number, dtype=np.int64)
    names = [f"m{k}" for k in range(n_units)] if names is None else names
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=pd.Index(names, name="unit"))
    return Counts(
        units,
        items,
        options,
        stored,
        stored.sum(axis=2) + np.asarray(missing, dtype=np.int64),
        cells,
        tuple(dict.fromkeys(category)),
        ("D",),
    )


@pytest.fixture(scope="session")
def counts_of():
    return _counts_of
