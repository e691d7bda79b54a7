"""Counts with single responses, made by hand."""

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.responses import RESPONSE_COLUMNS, Responses


def _answers(correct, *, n_options=4, clusters=None, kept=None):
    """Counts of units x items x wordings x rotations x replicates, correct or not (another option when not).

    ``n_options`` for all items or each; ``kept`` a mask of the same shape as ``correct``: the answers there are.
    """
    correct = np.asarray(correct, dtype=bool)
    n_units, n_items = correct.shape[:2]
    options = np.broadcast_to(np.asarray(n_options, dtype=np.int64), (n_items,))
    gold = np.arange(n_items) % options
    unit, item, wording, rotation, replicate = (index.ravel() for index in np.indices(correct.shape))
    right = correct.ravel()
    prediction = np.where(right, gold[item], (gold[item] + 1) % options[item])
    frame = pd.DataFrame(
        {
            "unit": unit, "item": item, "wording": [str(w + 1) for w in wording], "rotation": rotation,
            "replicate": replicate, "prediction": prediction, "position": (prediction - rotation) % options[item],
            "gold_position": (gold[item] - rotation) % options[item], "correct": right,
        },
        columns=list(RESPONSE_COLUMNS),
    )  # fmt: skip
    there = rotation < options[item]
    if kept is not None:
        there &= np.asarray(kept, dtype=bool).ravel()
    frame = frame[there].reset_index(drop=True)
    names = pd.Index([f"m{k}" for k in range(n_units)], name="unit")
    items = pd.DataFrame(
        {
            "category": "A", "domain": "D", "source": "s", "n_options": options, "gold": gold,
            "cluster": [f"c{k}" for k in (range(n_items) if clusters is None else clusters)],
        },
        index=pd.Index([f"i{k}" for k in range(n_items)], name="item"),
    )  # fmt: skip
    counted = np.zeros((n_units, n_items, int(options.max())), dtype=np.int64)
    np.add.at(counted, (frame["unit"], frame["item"], frame["prediction"]), 1)
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = counted.sum(axis=2)
    units = pd.DataFrame({"model": list(names), "condition": "default", "protocol": ""}, index=names)
    return Counts(
        units, items, counted, statuses, statuses.sum(axis=2), None, ("A",), ("D",), responses=Responses(frame)
    )


def _simulated(rng, shape, *, spread=1.5, wording=0.0, position=0.0, level=0.3):
    """Correct or not, units x items x wordings x rotations x replicates: logistic, items random and shared."""
    n_units, n_items, n_wordings, n_rotations, _ = shape
    gold = np.arange(n_items) % n_rotations
    place = (gold[:, None] - np.arange(n_rotations)[None, :]) % n_rotations
    logit = level + rng.normal(0, 0.5, (n_units, 1, 1, 1, 1)) + rng.normal(0, spread, (1, n_items, 1, 1, 1))
    logit = logit + wording * np.linspace(-1, 1, n_wordings)[None, None, :, None, None]
    logit = logit + position * np.linspace(1, -1, n_rotations)[place][None, :, None, :, None]
    return rng.random(shape) < 1 / (1 + np.exp(-logit))


@pytest.fixture(scope="session")
def answers():
    return _answers


@pytest.fixture(scope="session")
def simulated():
    return _simulated
