"""Trials that responded, one by one: positions, selection, scores."""

import numpy as np
import pandas as pd
import pytest

from click_stats.responses import RESPONSE_COLUMNS
from click_stats.trials import Trials

NAMES = ["model", "condition", "item", "wording", "rotation", "replicate", "status", "label"]
ROWS = [
    ("m", "default", "One/a1", "1", 0, 0, "ok", "A"),
    ("m", "default", "One/a1", "1", 1, 0, "ok", "B"),
    ("m", "default", "One/a1", "2", 0, 0, "failed", None),
    ("m", "default", "One/a2", "1", 0, 0, "ok", "B"),
    ("m", "default", "One/a2", "1", 0, 1, "out_of_option", None),
    ("n", "default", "Two/b1", "1", 2, 0, "refused", None),
    ("n", "default", "Two/b2", "foreign", 0, 0, "filtered", None),
    ("n", "default", "One/a1", "1", 3, 0, "ok", "D"),
]


@pytest.fixture(scope="module")
def trials(tiny):
    frame = pd.DataFrame(ROWS, columns=NAMES)
    return Trials.from_frame(frame.assign(scores=[[-0.5, -1.0, None, -3.0], *[None] * 7], policy="paper"), tiny)


def test_they_are_not_fetched_unless_asked_for(trials):
    assert trials.counts().responses is None


def test_one_row_per_trial_that_responded(trials):
    counts = trials.counts(responses=True)
    frame = counts.responses.frame
    assert tuple(frame.columns) == RESPONSE_COLUMNS
    assert len(counts.responses) == 6  # neither failed nor filtered
    assert counts.responses.scores is None
    assert frame[["unit", "item", "wording", "rotation", "replicate"]].apply(tuple, axis=1).is_monotonic_increasing
    silent = frame[frame["prediction"] < 0]
    assert (silent["position"] == -1).all()
    assert not silent["correct"].any()


def test_with_rotation_r_position_p_shows_option_p_plus_r(trials):
    counts = trials.counts(responses=True)
    frame = counts.responses.frame
    n_options = counts.items["n_options"].to_numpy()[frame["item"]]
    gold = counts.items["gold"].to_numpy()[frame["item"]]
    spoke = (frame["prediction"] >= 0).to_numpy()
    shown = (frame["position"] + frame["rotation"]).to_numpy() % n_options
    assert (shown[spoke] == frame["prediction"].to_numpy()[spoke]).all()
    assert ((frame["gold_position"] + frame["rotation"]).to_numpy() % n_options == gold).all()
    labels = frame.loc[spoke, "position"].tolist()
    assert labels == [0, 1, 1, 3]  # the labels that were written


def test_they_agree_with_the_counts(real):
    counts = real.counts(responses=True)
    frame = counts.responses.frame
    assert (frame.groupby("unit")["correct"].sum().to_numpy() == counts.correct.sum(axis=1)).all()
    chosen = frame[frame["prediction"] >= 0]
    options = np.zeros_like(counts.options)
    np.add.at(options, (chosen["unit"], chosen["item"], chosen["prediction"]), 1)
    assert (options == counts.options).all()


def test_scores_keep_their_gaps(trials):
    scores = trials.counts(responses=True, scores=True).responses.scores
    assert scores.shape[0] == 6
    assert scores[0, [0, 1, 3]].tolist() == [-0.5, -1.0, -3.0]
    assert np.isnan(scores[0, 2])
    assert np.isnan(scores[1:]).all()


def test_selected_counts_keep_their_own_responses(real):
    counts = real.counts(responses=True)
    order = [str(counts.units.index[k]) for k in (3, 1)]
    mask = (counts.items["category"] == "Law").to_numpy()
    part = counts.select(order, mask)
    frame = part.responses.frame
    assert (frame.groupby("unit")["correct"].sum().to_numpy() == part.correct.sum(axis=1)).all()
    assert frame["unit"].is_monotonic_increasing
    assert frame["item"].max() < mask.sum()
    assert len(counts.select([]).responses) == 0
