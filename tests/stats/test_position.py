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
    assert (row["n_challenging"], row["n_confident"], row["n_uncertain"]) == (12, 12, 0)
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
