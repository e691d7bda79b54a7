"""The twenty real files: keys that were read by eye and found wrong stand first; flipped keys are found; duplicates."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import click_stats as cs
from click_stats.stats.item_analysis import item_analysis, miskey
from click_stats.stats.item_analysis.answers import answers
from click_stats.stats.item_analysis.duplicates import SAME, duplicates

REAL = Path(__file__).parents[3] / "fixtures" / "real-results"
READ_AND_WRONG = {"Geography/CSAT_geography_11_3", "Geography/KIIP_geography_78", "History/PSE_history_16_3"}
"""Of docs/design/flagged-items.md: keys that are wrong, among the first ten suspects."""


@pytest.fixture(scope="module")
def counts():
    return cs.read_trials(REAL, items=cs.read_items()).counts(responses=True)


def test_wrong_keys_that_were_read_stand_first(counts):
    found = item_analysis(counts)
    suspects = found.tables["suspects"]
    assert set(suspects["item"][:10]) >= READ_AND_WRONG
    assert (suspects["family_place"][:10] <= 20).all()
    assert found.summary["n_suspects"] == 48
    assert found.summary["effective_models"] == pytest.approx(2.83, abs=0.01)
    functional = found.tables["reliability"].set_index("group").loc["Functional"]
    assert functional["n_units"] == 15  # five files have 14 of the 133 items


def test_flipped_keys_are_found(counts):
    """Ten seeds of the benchmark, whose mean over 200 is 12.0 of 20 with a spread of 2.2 a seed."""
    known = answers(counts, "responded")
    hits = []
    for seed in range(10):
        rng = np.random.default_rng([99, seed])
        flipped = rng.choice(len(known.gold), 20, replace=False)
        gold = known.gold.copy()
        gold[flipped] = (gold[flipped] + rng.integers(1, known.n_options[flipped])) % known.n_options[flipped]
        right = np.arange(known.shares.shape[2]) == gold[:, None]
        scores = np.where(known.there, np.where(right, known.shares, 0.0).sum(axis=2), np.nan)
        changed = replace(known, gold=gold, right=right, scores=scores)
        score = miskey.vote(changed, miskey.voters(changed)).score
        hits.append(np.isin(flipped, np.argsort(-score, kind="stable")[:40]).sum())
    assert np.mean(hits) > 12 - 3 * 2.2 / np.sqrt(10)


@pytest.mark.dataset
def test_the_dataset_has_one_item_in_two_categories():
    items = cs.read_items(os.environ["CLICK_STATS_ITEMS"]).frame
    pairs = duplicates(items, 0.8)
    same = [(items.index[pair.a], items.index[pair.b], pair.same_key) for pair in pairs if pair.kind == SAME]
    assert same == [("Functional/CSAT_korean_13_11", "Grammar/CSAT_korean_13_11", True)]
    assert len(pairs) == 29
