"""The analysis of power: detectable differences agree with a t test by hand, edges are undefined with a reason."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.stats.compare import compare
from click_stats.stats.power import power
from click_stats.stats.tools.detection import detectable


def make_counts(right, category=None, cluster=None):
    """Counts of single trials: ``right`` (units, items) of 0, 1 and NaN (not answered)."""
    right = np.asarray(right, dtype=float)
    n_units, n_items = right.shape
    keys = [f"i{k}" for k in range(n_items)]
    items = pd.DataFrame(
        {
            "category": category if category is not None else ["C"] * n_items,
            "domain": "D",
            "source": "S",
            "n_options": 4,
            "gold": 0,
            "cluster": cluster if cluster is not None else keys,
        },
        index=pd.Index(keys, name="item"),
    )
    names = [f"m{k}" for k in range(n_units)]
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = right == 1, right == 0
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = ~np.isnan(right)
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=pd.Index(names, name="unit"))
    planned = np.ones((n_units, n_items), dtype=np.int64)
    return Counts(units, items, options, statuses, planned, None, tuple(dict.fromkeys(items["category"])), ("D",))


@pytest.fixture
def random_right():
    rng = np.random.default_rng(3)
    ability, difficulty = np.array([0.0, 0.4, 1.0]), rng.normal(0, 1, 200)
    return (rng.random((3, 200)) < 1 / (1 + np.exp(difficulty - ability[:, None]))).astype(float)


def test_detectable_difference_by_hand(random_right):
    found = power(make_counts(random_right), reference="m2", by="overall").to_frame().set_index("unit_a")
    difference = random_right[0] - random_right[2]
    error = difference.std(ddof=1) / math.sqrt(200)
    assert found.loc["m0", "std_error"] == pytest.approx(error, rel=1e-12)
    assert found.loc["m0", "detectable"] == pytest.approx(detectable(error, 199), rel=1e-12)
    expected = np.corrcoef(random_right[0], random_right[2])[0, 1]
    assert found.loc["m0", "correlation"] == pytest.approx(expected, rel=1e-9)
    normal = (stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * error
    assert found.loc["m0", "detectable"] == pytest.approx(normal, rel=0.02)


def test_errors_are_those_of_the_comparison(random_right):
    counts = make_counts(random_right, category=["A"] * 120 + ["B"] * 80, cluster=[k // 2 for k in range(200)])
    keys = ["unit_a", "by", "group"]
    mine = power(counts, reference="m1").to_frame().set_index(keys)
    theirs = compare(counts, reference="m1", draws=1000).to_frame("reference").set_index(keys).loc[mine.index]
    for column in ("std_error", "correlation", "n_items", "n_clusters", "df"):
        np.testing.assert_allclose(mine[column].astype(float), theirs[column].astype(float), rtol=1e-9)


def test_needed_and_curve_meet_the_detectable_difference():
    rng = np.random.default_rng(8)
    right = (rng.random((2, 400)) < 0.6).astype(float)
    found = power(make_counts(right), by="overall", differences=[0.02, 0.08])
    row = found.to_frame().iloc[0]
    needed = found.to_frame("needed").set_index("difference")["n_needed"]
    spread = row["std_error"] * math.sqrt(400)
    for difference in (0.02, 0.08):
        n = int(needed[difference])
        assert detectable(spread / math.sqrt(n), n - 1) <= difference < detectable(spread / math.sqrt(n - 1), n - 2)
    curve = found.to_frame("curve")
    assert (np.diff(curve["detectable"]) < 0).all()
    assert np.interp(400, curve["n_items"], curve["detectable"]) == pytest.approx(row["detectable"], rel=0.02)


def test_a_simulated_difference_of_the_detectable_size_is_found_with_that_power():
    rng = np.random.default_rng(21)
    n, p, replications = 150, 0.5, 2000
    difference = 0.13
    right = rng.random((replications, 2, n)) < np.array([p, p + difference])[None, :, None]
    d = right[:, 1].astype(float) - right[:, 0]
    t = d.mean(axis=1) / (d.std(axis=1, ddof=1) / math.sqrt(n))
    reached = (np.abs(t) > stats.t.ppf(0.975, n - 1)).mean()
    detected = [
        power(make_counts(pair.astype(float)), by="overall", power=reached).to_frame()["detectable"][0]
        for pair in right[:40]
    ]
    assert np.median(detected) == pytest.approx(difference, rel=0.05)


def test_equivalence_with_a_margin(random_right):
    found = power(make_counts(random_right), by="overall", margin=0.1, reference="m0")
    row = found.to_frame("equivalence").set_index("unit_a").loc["m1"]
    difference = random_right[1] - random_right[0]
    error, df = difference.std(ddof=1) / math.sqrt(200), 199
    above = stats.t.sf((difference.mean() + 0.1) / error, df)
    below = stats.t.cdf((difference.mean() - 0.1) / error, df)
    assert row["p_tost"] == pytest.approx(max(above, below), rel=1e-9)
    assert 0 < row["power"] < 1
    assert "equivalence" not in power(make_counts(random_right)).tables


@pytest.mark.parametrize(
    ("right", "reason"),
    [
        ([[1, 0, 1], [1, 0, 1]], "no spread"),
        ([[1], [0]], "one cluster"),
        ([[1, 1, 1], [0, 0, 0]], "no spread"),
        ([[np.nan] * 4, [1, 0, 1, 1]], "no item was answered"),
    ],
)
def test_what_is_undefined_has_its_reason(right, reason):
    frame = power(make_counts(right), reference="m1").to_frame()
    assert frame["detectable"].isna().all()
    assert frame["reason"].str.contains(reason).all(), list(frame["reason"])


def test_one_model_has_no_pairs():
    found = power(make_counts([[1, 0, 1, 1]]))
    assert found.to_frame().empty
    assert found.to_frame("needed")["n_needed"].isna().all()
    assert (found.to_frame("needed")["reason"] != "").all()
    assert "one model" in found.meta["warnings"][0]


def test_a_category_answered_under_half_is_left_out(random_right):
    random_right[1, 120:170] = np.nan
    counts = make_counts(random_right, category=["A"] * 120 + ["B"] * 80)
    frame = power(counts, reference="m2", by="category").to_frame().set_index(["unit_a", "group"])
    assert math.isnan(frame.loc[("m1", "B"), "detectable"])
    assert "under half" in frame.loc[("m1", "B"), "reason"]
    assert frame.loc[("m0", "B"), "n_items"] == 80


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"power": 0.01}, "between the level and 1"),
        ({"power": 1.0}, "between the level and 1"),
        ({"differences": [2.0]}, "shares between 0 and 1"),
        ({"margin": 2}, "shares between 0 and 1"),
        ({"reference": "nobody"}, "no model 'nobody'"),
        ({"by": "colour"}, "cannot be grouped"),
    ],
)
def test_bad_arguments_are_named(random_right, parameters, message):
    with pytest.raises(UsageError, match=message):
        power(make_counts(random_right), **parameters)
