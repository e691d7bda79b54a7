"""Positions: hand values, always the same position, size of the test."""

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.responses import Responses
from click_stats.stats.confident_errors import confident_errors
from click_stats.stats.position import position
from click_stats.stats.position.balance import CLUSTERED_F, SHIFTS, balance
from click_stats.stats.position.preference import adjusted, preference


def counts_of(chosen, gold, n=4):
    """Counts of (units, items, n rotations) chosen displayed positions (-1: none), gold the original option."""
    chosen, gold = np.asarray(chosen), np.asarray(gold)
    n_units, n_items, n_rotations = chosen.shape
    unit, item, rotation = (part.ravel() for part in np.indices(chosen.shape))
    place = chosen.ravel()
    prediction = np.where(place >= 0, (place + rotation) % n, -1)
    frame = pd.DataFrame({"unit": unit, "item": item, "wording": "1", "rotation": rotation, "replicate": 0})
    frame["prediction"], frame["position"] = prediction, place
    frame["gold_position"] = (gold[item] - rotation) % n
    frame["correct"] = prediction == gold[item]
    options = np.zeros((n_units, n_items, 5), dtype=np.int64)
    named = place >= 0
    np.add.at(options, (unit[named], item[named], prediction[named]), 1)
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = options.sum(axis=2)
    statuses[:, :, 1] = n_rotations - statuses[:, :, 0]
    keys = [f"i{k}" for k in range(n_items)]
    items = pd.DataFrame(
        {"category": "A", "domain": "D", "source": "s", "n_options": n, "gold": gold, "cluster": keys},
        index=pd.Index(keys, name="item"),
    )
    names = pd.Index([f"m{k}" for k in range(n_units)], name="unit")
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=names)
    planned = statuses.sum(axis=2)
    return Counts(units, items, options, statuses, planned, None, ("A",), ("D",), {}, Responses(frame))


def knows(gold, n=4):
    """(items, n) displayed positions of the right option."""
    return (np.asarray(gold)[:, None] - np.arange(n)) % n


GOLD = np.arange(12) % 4


def test_a_model_that_always_names_the_first_position():
    always, right = np.zeros((12, 4), dtype=int), knows(GOLD)
    counts = counts_of([always, right], GOLD)
    found = position(counts)
    shares = found.to_frame().pivot_table(index="unit", columns="position", values="estimate")
    assert shares.loc["m0"].tolist() == [1, 0, 0, 0]
    assert shares.loc["m1"].tolist() == [0.25] * 4
    tests = found.to_frame("tests").set_index(["unit", "measure"])
    assert tests.loc[("m0", "choices"), "verdict"] == "separated"
    assert tests.loc[("m1", "choices"), "verdict"] == "not separated"
    assert set(tests["p_method"]) == {SHIFTS}
    scores = found.to_frame("accuracies").pivot_table(index="unit", columns="measure", values="estimate")
    assert scores.loc["m0", "strict circular accuracy"] == 0
    assert scores.loc["m0", "majority-vote accuracy"] == 0.25  # four options tie: a quarter each
    assert scores.loc["m0", "mean accuracy"] == pytest.approx(0.25)
    assert (scores.loc["m1"] == 1).all()


def test_content_and_position_entropy_differ_for_them():
    counts = counts_of([np.zeros((12, 4), dtype=int), (knows(GOLD) + 1) % 4], GOLD)
    found = confident_errors(counts)
    means = found.to_frame().set_index(["unit", "item_scope", "measure"])["estimate"]
    assert means["m0", "all items", "content entropy"] == pytest.approx(1)
    assert means["m0", "all items", "position entropy"] == pytest.approx(0)
    assert means["m1", "challenging items", "content entropy"] == pytest.approx(0)
    row = found.to_frame("challenging").query("unit == 'm1' and by == 'overall'").iloc[0]
    assert (row["n_challenging"], row["n_uncertain"], row["n_sure"]) == (12, 0, 12)
    sure = found.to_frame("confident").query("by == 'overall' and set_by == 'model'")["n_confident"]
    assert sure.tolist() == [0, 12]
    first = found.to_frame("challenging").query("unit == 'm0' and by == 'overall'").iloc[0]
    assert first["n_challenging"] == 0  # exactly at chance is not below it


def test_one_order_steps_aside():
    counts = counts_of(np.array([[[0], [1], [0]]]), [0, 1, 2])
    found = position(counts)
    assert "all orders" in found.meta["reason"]
    assert len(found.to_frame("tests")) == 0
    assert found.to_frame()["estimate"].tolist() == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert found.to_frame("accuracies")["estimate"].isna().all()
    errors = confident_errors(counts)
    assert errors.meta["reason"]
    assert errors.to_frame()["estimate"].isna().all()
    assert errors.to_frame("challenging")["n_challenging"].iloc[0] == 1


def test_no_option_named_and_a_missing_order():
    chosen = np.zeros((1, 4, 4), dtype=int)
    chosen[0, 0] = -1
    counts = counts_of(chosen, [0, 1, 2, 3])
    assert position(counts).to_frame()["n_items"].tolist() == [3] * 4
    torn = Responses(counts.responses.frame.drop(index=15))
    found = position(counts.__class__(**{**vars(counts), "responses": torn}))
    assert found.to_frame("accuracies")["n_items_lost"].tolist() == [1] * 4


def test_without_responses(counts_of):
    with pytest.raises(UsageError, match="responses"):
        position(counts_of([[1, 0]]))
    with pytest.raises(UsageError, match="responses"):
        confident_errors(counts_of([[1, 0]]))


def test_the_test_holds_its_level_with_clusters_and_finds_a_shift():
    """500 data sets of 40 clusters of 2: rejections at 5 % within four Monte Carlo errors (.0097)."""
    rng = np.random.default_rng(7)
    clusters = np.repeat(np.arange(40), 2)
    hits = found = 0
    for _ in range(500):
        common = np.repeat(rng.standard_normal((40, 4)), 2, axis=0)
        rows = common + rng.standard_normal((80, 4))
        rows -= rows.mean(axis=1, keepdims=True)
        hits += balance(rows, clusters, draws=1, seed=0).p_value < 0.05
        found += balance(rows + np.array([0.9, -0.3, -0.3, -0.3]), clusters, draws=1, seed=0).p_value < 0.05
    assert abs(hits / 500 - 0.05) < 0.039
    assert found / 500 > 0.9


def test_the_statistic_by_hand():
    """Independent items, two positions: F is the squared t of a one-sample test."""
    from scipy import stats

    x = np.random.default_rng(3).standard_normal(20)
    one = balance(np.column_stack([x, -x]), np.arange(20), draws=1, seed=0)
    t = stats.ttest_1samp(x, 0)
    assert one.method == CLUSTERED_F
    assert one.statistic == pytest.approx(t.statistic**2)
    assert one.p_value == pytest.approx(t.pvalue)


# ---- preferences and the accuracy without them ------------------------------------------------------------------------


def drawn(rng, weights, n_items, blocks=3, n=4):
    """Blocks of answers that weigh content by preference; returns places, items, gold and the accuracy without it."""
    gold = rng.integers(n, size=n_items)
    u = rng.standard_normal((n_items, n))
    u[np.arange(n_items), gold] += 0.8 + 1.2 * rng.standard_normal(n_items)
    content = np.exp(u)
    item = np.repeat(np.arange(n_items), blocks)
    option = (np.arange(n) + np.arange(n)[:, None]) % n  # (rotations, positions)
    chance = content[item][:, option] * np.exp(weights)
    chance /= chance.sum(axis=2, keepdims=True)
    places = (rng.random((*chance.shape[:2], 1)) > chance.cumsum(axis=2)).sum(axis=2)
    truth = float((content[np.arange(n_items), gold] / content.sum(axis=1)).mean())
    return places, item, gold, truth


def test_a_pair_of_answers_by_hand():
    """Two options: w_1 - w_2 = logit of the penalised share of exchanges that keep the first position, over 2."""
    places = np.array([[0, 0]] * 7 + [[1, 1]] * 2 + [[0, 1]] * 5)  # always first, always second, always option A
    found = preference(places, np.arange(14), 14)
    assert found.n_pairs == 9
    # Jeffreys' penalty adds half a pair to either side: x is 2, and the difference of the weights logit(7.5/2.5)/2.
    assert found.weights == pytest.approx([np.log(3) / 4, -np.log(3) / 4])
    assert found.influence.sum(axis=0) == pytest.approx([0, 0])


def test_preferences_and_the_accuracy_without_them_are_recovered():
    """60 data sets of 400 items: means within four Monte Carlo errors; the share of the position would stay off."""
    weights = np.array([0.9, 0.1, -0.3, -0.7])
    rng = np.random.default_rng(17)
    estimates, gaps, plain = [], [], []
    for _ in range(60):
        places, item, gold, truth = drawn(rng, weights, 400)
        found = preference(places, item, 400)
        estimates.append(found.weights)
        gaps.append(adjusted(places, item, gold, found).mean() - truth)
        plain.append(((places + np.arange(4)) % 4 == gold[item][:, None]).mean() - truth)
    errors = np.std(estimates, axis=0) / np.sqrt(60)
    assert (np.abs(np.mean(estimates, axis=0) - weights) < 4 * errors).all()
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(60)
    assert np.mean(plain) < -8 * np.std(plain) / np.sqrt(60)  # the mean accuracy over all orders lies below


def test_the_error_of_the_preferences_is_in_the_spread():
    """The standard error from linearised values is that of repeated data, within its Monte Carlo error (9 %)."""
    weights = np.array([1.5, 0.0, 0.0, -1.5])
    rng = np.random.default_rng(23)
    means, errors, wide = [], [], []
    for _ in range(60):
        places, item, gold, truth = drawn(rng, weights, 150, blocks=1)
        found = preference(places, item, 150)
        values = adjusted(places, item, gold, found)
        means.append(values.mean() - truth)
        errors.append(values.std(ddof=1) / np.sqrt(150))
        wide.append(found.influence[:, 0].std(ddof=1) * np.sqrt(150))
    # Items are drawn too: the accuracy of these items varies with them, so the error of the difference is smaller.
    assert 0.5 < np.std(means) / np.mean(errors) < 1.1
    firsts = [preference(*drawn(rng, weights, 150, blocks=1)[:2], 150).weights[0] for _ in range(60)]
    assert np.std(firsts) / np.mean(wide) == pytest.approx(1, abs=0.36)


def test_preferences_at_the_edges():
    always, right = np.zeros((12, 4), dtype=int), knows(GOLD)
    found = position(counts_of([always, right], GOLD))
    table = found.to_frame("preferences").set_index(["unit", "position"])
    assert table.loc[("m0", 1), "preference"] > 1  # every exchange goes one way: finite all the same
    assert np.isfinite(table.loc["m0", "preference"]).all()
    assert table.loc["m1", "preference"].isna().all()
    assert table.loc["m1", "reason"].str.contains("no answer changed").all()
    accuracies = found.to_frame("accuracies").set_index(["unit", "measure"])["estimate"]
    assert accuracies["m0", "bias-adjusted accuracy"] == pytest.approx(0.25)
    assert accuracies["m1", "bias-adjusted accuracy"] == 1


def test_an_answer_without_an_option_stays_wrong():
    places = np.array([[0, -1, 2, 1], [-1, -1, -1, -1]])
    found = preference(places, np.array([0, 1]), 2)
    values = adjusted(places, np.array([0, 1]), np.array([0, 0]), found)
    assert values[1] == pytest.approx(0, abs=0.05)
    assert 0 <= values.mean() <= 1


def test_renaming_options_changes_no_preference():
    rng = np.random.default_rng(2)
    places, item, gold, _ = drawn(rng, np.array([0.5, 0.0, 0.0, -0.5]), 60)
    one = preference(places, item, 60)
    # The same answers to a source order that begins two options later: positions stay, rotations move.
    two = preference(np.roll(places, 2, axis=1), item, 60)
    assert one.weights == pytest.approx(two.weights)
    assert adjusted(places, item, gold, one).mean() == pytest.approx(
        adjusted(np.roll(places, 2, axis=1), item, (gold + 2) % 4, two).mean()
    )
