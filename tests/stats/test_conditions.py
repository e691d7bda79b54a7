"""Settings of one model: gains by hand, settings without effect, baselines, controls."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats.counts import STATUSES, Counts
from click_stats.stats.compare import compare
from click_stats.stats.conditions import NO_SIGN, conditions

FIXTURES = Path(__file__).parents[2] / "fixtures" / "real-results"


def make(right, units, tokens=None, category=None):
    """Counts of single trials from ``right`` (units, items) and ``[(model, condition), ...]``."""
    right = np.asarray(right, dtype=float)
    n_units, n_items = right.shape
    items = pd.DataFrame(
        {
            "category": category or ["C"] * n_items,
            "domain": "D",
            "source": "S",
            "n_options": 4,
            "gold": 0,
            "cluster": [str(k) for k in range(n_items)],
        },
        index=pd.Index([f"i{k}" for k in range(n_items)], name="item"),
    )
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = right == 1, right == 0
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = ~np.isnan(right)
    names = [f"{model} ({condition})" if condition != "default" else model for model, condition in units]
    frame = pd.DataFrame(units, columns=["model", "condition"], index=pd.Index(names, name="unit")).assign(protocol="")
    frame["output_tokens"] = tokens if tokens is not None else np.nan
    planned = np.ones((n_units, n_items), dtype=np.int64)
    return Counts(frame, items, options, statuses, planned, None, tuple(dict.fromkeys(items["category"])), ("D",))


FAST = {"draws": 1000}


def test_gain_by_hand():
    rng = np.random.default_rng(2)
    base = (rng.random(60) < 0.5).astype(float)
    better = np.where(rng.random(60) < 0.3, 1.0, base)
    worse = base.copy()
    worse[:4] = 1 - worse[:4]
    counts = make([base, better, worse], [("m", "default"), ("m", "high"), ("m", "low")], tokens=[10.0, 90.0, 5.0])
    frame = conditions(counts, by="overall", **FAST).to_frame().set_index("unit_a")
    assert list(frame.index) == ["m (high)", "m (low)"]
    assert frame.loc["m (high)", "estimate"] == pytest.approx(better.mean() - base.mean())
    assert frame.loc["m (high)", "n_gained"] == int((better > base).sum())
    assert frame.loc["m (high)", "n_lost"] == 0
    assert frame.loc["m (low)", "n_gained"] + frame.loc["m (low)", "n_lost"] == 4
    assert frame.loc["m (low)", "share_same"] == pytest.approx(56 / 60)
    assert list(frame["output_tokens_a"]) == [90.0, 5.0]
    assert (frame["output_tokens_b"] == 10.0).all()
    assert not frame["flag"].str.contains(NO_SIGN).any()


def test_a_setting_without_effect_is_told():
    right = [[1, 0, 1, 1, 0]] * 3
    units = [("m", "default"), ("m", "effort=high"), ("m", "effort=low")]
    frame = conditions(make(right, units, tokens=[7.0, 7.0, 9.0]), by="overall", **FAST).to_frame().set_index("unit_a")
    assert NO_SIGN in frame.loc["m (effort=high)", "flag"]
    assert NO_SIGN not in frame.loc["m (effort=low)", "flag"]  # it generated more, so it reached the model
    assert (frame["share_same"] == 1).all()


def test_the_baseline_is_the_default_else_the_first():
    right = [[1, 0, 1, 1, 0, 1]] * 4
    units = [("m", "x"), ("m", "default"), ("n", "b"), ("n", "a")]
    frame = conditions(make(right, units), by="overall", **FAST).to_frame()
    assert list(zip(frame["unit_a"], frame["unit_b"], strict=True)) == [("m (x)", "m"), ("n (a)", "n (b)")]


def test_controls_are_no_settings_and_are_held_against_chance():
    right = [[1, 0, 1, 1, 0, 1, 0, 0], [1, 0, 0, 0, 0, 1, 0, 0]]
    found = conditions(make(right, [("m", "default"), ("m", "choices-only")]), by="overall", **FAST)
    assert found.to_frame().empty
    control = found.to_frame("controls").iloc[0]
    assert control["unit"] == "m (choices-only)"
    assert control["chance"] == 0.25
    assert control["difference"] == pytest.approx(0.0)


def test_models_of_one_condition_give_no_rows_and_a_note():
    found = conditions(make([[1, 0], [0, 1]], [("m", "default"), ("n", "default")]), **FAST)
    assert all(len(frame) == 0 for frame in found.tables.values())
    assert found.meta["notes"]


def test_missing_answers_of_one_setting():
    right = [[1, 0, 1, 1, np.nan, np.nan], [1, 1, 1, 0, 1, np.nan]]
    row = conditions(make(right, [("m", "default"), ("m", "high")]), by="overall", **FAST).to_frame().iloc[0]
    assert (row["n_items"], row["n_gained"], row["n_lost"]) == (4, 1, 1)


def test_the_two_settings_of_the_real_files():
    names = ("gpt-5.2-2025-12-11", "gpt-5.2(medium)-2025-12-11")
    counts = cs.read_trials([FIXTURES / f"{name}.csv" for name in names]).counts()
    frame = conditions(counts, **FAST).to_frame()
    overall = frame[frame["by"] == "overall"].iloc[0]
    assert (overall["unit_a"], overall["unit_b"]) == ("gpt-5.2 (medium)", "gpt-5.2")
    assert overall["verdict"] == "separated"
    assert overall["n_gained"] - overall["n_lost"] == round(overall["estimate"] * overall["n_items"])
    pair = compare(counts, reference="gpt-5.2", draws=1000).to_frame("reference")
    np.testing.assert_allclose(frame["estimate"], pair["estimate"])
    assert len(frame) == 12
