"""Suspected keys: hand values, copies of a model, families, planted keys."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.item_analysis import miskey
from click_stats.stats.item_analysis.answers import Answers


def answers_of(chosen, gold, n_options=4, family=None):
    """Answers of units that each chose one option (units, items); -1: no answer."""
    chosen, gold = np.asarray(chosen), np.asarray(gold)
    n_units, n_items = chosen.shape
    shares = np.zeros((n_units, n_items, n_options))
    rows, columns = np.nonzero(chosen >= 0)
    shares[rows, columns, chosen[rows, columns]] = 1
    scores = np.where(chosen >= 0, chosen == gold, np.nan)
    units = pd.DataFrame({"family": family or [None] * n_units}, index=[f"m{k}" for k in range(n_units)])
    items = pd.DataFrame({"category": "A"}, index=[f"i{k}" for k in range(n_items)])
    n = np.full(n_items, n_options)
    right = np.arange(n_options) == gold[:, None]
    return Answers(units, items, scores, shares, (chosen >= 0).astype(int), gold, n, right, np.arange(n_units))


def simulated(rng, n_units, n_items, accuracy, n_options=4):
    gold = rng.integers(n_options, size=n_items)
    wrong = (gold + rng.integers(1, n_options, (n_units, n_items))) % n_options
    right = rng.random((n_units, n_items)) < np.asarray(accuracy)[:, None]
    return np.where(right, gold, wrong), gold


def test_weight_is_the_log_likelihood_ratio():
    weight = miskey.weights(np.array([0.7, 0.2]), np.array([4, 5]))
    assert weight[0] == pytest.approx([np.log(0.7 / (0.3 / 3)), np.log(0.7 / (0.3 / 4))])
    assert weight[1].tolist() == [0.0, 0.0]


def test_score_by_hand():
    found = answers_of([[1], [1], [0]], [0])
    known = miskey.Voters(np.array([0.9, 0.8, 0.6]), np.array([0.5, 0.5, 1.0]), np.eye(3))
    votes = miskey.vote(found, known)
    expected = 0.5 * np.log(0.9 * 3 / 0.1) + 0.5 * np.log(0.8 * 3 / 0.2) - np.log(0.6 * 3 / 0.4)
    assert votes.score[0] == pytest.approx(expected)
    assert votes.other[0] == 1
    assert (votes.share_other[0], votes.share_key[0]) == (0.5, 0.5)


def test_agreement_on_errors():
    rng = np.random.default_rng(7)
    chosen, gold = simulated(rng, 3, 6000, [0.5, 0.5, 0.5])
    chosen = np.vstack([chosen, chosen[0]])
    agreement = miskey.agreement_on_errors(answers_of(chosen, gold))
    assert agreement[0, 3] == pytest.approx(1)
    assert agreement[0, 1] < 0.06  # independent errors: 0 up to the error of about 1,500 shared errors
    assert np.allclose(agreement, agreement.T)


def test_a_copy_is_no_second_witness():
    """One copied model among independent ones: votes and effective number stay nearly as they were."""
    rng = np.random.default_rng(8)
    chosen, gold = simulated(rng, 5, 4000, [0.8, 0.7, 0.7, 0.6, 0.6])
    once, twice = answers_of(chosen, gold), answers_of(np.vstack([chosen, chosen[0]]), gold)
    few, many = miskey.voters(once), miskey.voters(twice)
    assert many.independence.sum() == pytest.approx(few.independence.sum(), rel=0.05)
    assert many.independence[0] == pytest.approx(few.independence[0] / 2, rel=0.05)
    plain = few._replace(independence=np.ones(5))
    assert np.corrcoef(miskey.vote(once, few).score, miskey.vote(twice, many).score)[0, 1] > 0.99
    undiscounted = miskey.vote(twice, many._replace(independence=np.ones(6))).score
    assert np.corrcoef(miskey.vote(once, plain).score, undiscounted)[0, 1] < 0.99


def test_planted_keys_come_first():
    rng = np.random.default_rng(9)
    chosen, gold = simulated(rng, 10, 300, [0.75] * 10)
    planted = np.arange(10)
    gold[planted] = (gold[planted] + 1) % 4
    found = answers_of(chosen, gold)
    score = miskey.vote(found, miskey.voters(found)).score
    assert set(np.argsort(-score)[:10]) == set(planted)


def test_families_vote_once():
    chosen = np.array([[1, 0], [1, 0], [1, 0], [0, 0], [0, 0]])
    found = answers_of(chosen, [0, 0], family=["a", "a", "a", "b", None])
    known = miskey.Voters(np.full(5, 0.7), np.ones(5), np.eye(5))
    assert miskey.vote(found, known).score[0] > 0
    votes = miskey.vote_by_family(found, known, miskey.family_names(found))
    assert votes.score[0] < 0
    assert votes.share_other[0] == pytest.approx(1 / 3)


def test_an_option_that_the_item_lacks_gets_no_vote_and_nobody_no_score():
    found = answers_of([[0, -1], [0, -1]], [0, 1], n_options=5)
    found = replace(found, n_options=np.array([4, 4]))
    votes = miskey.vote(found, miskey.voters(found))
    assert votes.other[0] in {1, 2, 3}
    assert np.isnan(votes.score[1])
    assert votes.other[1] == -1


def test_what_is_accepted_besides_the_key_speaks_for_it():
    found = answers_of([[1], [1], [1], [2]], [0])
    known = miskey.Voters(np.full(4, 0.7), np.ones(4), np.eye(4))
    assert miskey.vote(found, known).other[0] == 1
    accepted = replace(found, right=np.array([[True, True, False, False]]))
    votes = miskey.vote(accepted, known)
    assert votes.other[0] == 2
    assert votes.score[0] < 0
    assert votes.share_key[0] == 0.75
    every = replace(found, right=np.ones((1, 4), dtype=bool))
    assert np.isnan(miskey.vote(every, known).score[0])


def test_relabelling_options_changes_nothing():
    rng = np.random.default_rng(10)
    chosen, gold = simulated(rng, 6, 80, [0.6] * 6)
    turned = answers_of((chosen + 1) % 4, (gold + 1) % 4)
    first = answers_of(chosen, gold)
    one, two = miskey.vote(first, miskey.voters(first)), miskey.vote(turned, miskey.voters(turned))
    assert two.score == pytest.approx(one.score)
    assert two.share_other == pytest.approx(one.share_other)
