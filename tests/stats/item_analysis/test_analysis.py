"""The analysis as a whole: what it flags, what it says of odd data, and what it refuses."""

import numpy as np
import pandas as pd
import pytest

from click_stats import glossary
from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.item_analysis import analysis, flags, item_analysis
from click_stats.stats.item_answers.analysis import WITH_TEXTS


def simulated(n_units=12, n_items=60, *, seed=20, texts=False, gold=None):
    """Counts of models of varied ability on items of two categories; the key of the first item is wrong."""
    rng = np.random.default_rng(seed)
    right = rng.integers(4, size=n_items)
    strength = np.linspace(0.95, 0.5, n_units)[:, None]
    chosen = np.where(
        rng.random((n_units, n_items)) < strength, right, (right + rng.integers(1, 4, (n_units, n_items))) % 4
    )
    chosen[:, 0] = right[0]
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    np.put_along_axis(options, chosen[:, :, None], 1, axis=2)
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = 1
    key = right.copy() if gold is None else gold
    key[0] = (right[0] + 1) % 4
    names = [f"m{k}" for k in range(n_units)]
    keys = [f"A/i{k}" for k in range(n_items)]
    table = {
        "category": np.where(np.arange(n_items) < n_items // 2, "A", "B"), "domain": "D", "source": "S",
        "n_options": 4, "gold": key, "cluster": keys, "digest": [f"d{k}" for k in range(n_items)],
    }  # fmt: skip
    if texts:
        table |= {
            "passage": "", "question": [f"Invented question number {k}?" for k in range(n_items)],
            "options": [tuple(f"answer {k}-{j}" for j in range(4)) for k in range(n_items)],
        }  # fmt: skip
    units = {"model": names, "condition": "default", "protocol": "", "access": ["open", "api"] * (n_units // 2)}
    if n_units % 2:
        units.pop("access")
    return Counts(
        pd.DataFrame(units, index=pd.Index(names, name="unit")), pd.DataFrame(table, index=pd.Index(keys, name="item")),
        options, stored, stored.sum(axis=2), None, ("A", "B"), ("D",),
    )  # fmt: skip


def blank(counts, units, items):
    """The same counts without the answers of some units to some items."""
    options, statuses, planned = (array.copy() for array in (counts.options, counts.statuses, counts.planned))
    for array in (options, statuses, planned):
        array[np.ix_(units, items)] = 0
    return Counts(counts.units, counts.items, options, statuses, planned, None, counts.categories, counts.domains)


def test_a_wrong_key_has_the_first_card():
    found = item_analysis(simulated())
    assert found.tables["suspects"]["item"].iloc[0] == "A/i0"
    card = found.tables["cards"].iloc[0]
    assert card["item"] == "A/i0"
    assert card["flag"].split("; ") == [flags.MISKEY, flags.NOBODY]
    assert card["note"].startswith("option ")
    row = found.to_frame().iloc[0]
    assert row["estimate"] == 0
    assert row["reason"] == "every model wrong"
    assert row["flag"] == card["flag"]
    assert "texts" not in found.tables
    assert not card["contains_text"]


def test_tables_hang_together():
    found = item_analysis(simulated(), by_models="access")
    options = found.tables["options"]
    assert options.groupby("item")["share_mean"].sum().to_numpy() == pytest.approx(1)
    keys = options[options["is_key"]].set_index("item")["share_mean"]
    estimates = found.to_frame().set_index("item")["estimate"]
    assert keys.reindex(estimates.index).to_numpy() == pytest.approx(estimates.to_numpy())
    assert found.tables["reliability"]["group"].tolist() == ["all items", "A", "B"]
    groups = found.tables["model_groups"]
    assert set(groups["group"]) == {"open", "api"}
    assert groups[groups["item"] == "A/i3"]["estimate"].mean() == pytest.approx(estimates["A/i3"])
    for name, frame in found.tables.items():
        glossary.check(frame.columns, name)
    assert Result.from_dict(found.to_dict()).to_json() == found.to_json()


def test_undefined_has_a_reason():
    found = item_analysis(simulated())
    items = found.to_frame()
    assert (items.loc[items["item_rest"].isna(), "reason"] != "").all()
    options = found.tables["options"]
    assert (options.loc[options["option_rest"].isna(), "reason"] != "").all()
    reliability = found.tables["reliability"]
    assert (reliability.loc[reliability["lambda6"].isna(), "reason"] != "").all()
    checks = found.tables["checks"]
    assert (checks.loc[~checks["computable"], "reason"] != "").all()
    assert checks.loc[~checks["computable"], "n_items"].isna().all()


def test_texts_only_on_request():
    counts = simulated(texts=True)
    plain = item_analysis(counts)
    assert "Invented question" not in plain.to_json()
    shown = item_analysis(counts, with_texts=True)
    assert shown.tables["texts"]["item"].tolist() == shown.tables["cards"]["item"].tolist()
    assert shown.tables["cards"]["contains_text"].all()
    assert WITH_TEXTS in shown.meta["warnings"]
    with pytest.raises(UsageError, match="keys only"):
        item_analysis(simulated(), with_texts=True)


@pytest.mark.parametrize("n_units", [1, 2, 3])
def test_few_models(n_units):
    found = item_analysis(simulated(n_units))
    items = found.to_frame()
    assert len(items) == 60
    assert items["item_rest_low"].isna().all()
    assert found.tables["headroom"]["reason"].iloc[-1] == "fewer models than this"
    if n_units < 3:
        assert not len(found.tables["suspects"])
        assert analysis.FEW_VOTERS in found.meta["warnings"]
    if n_units == 1:
        assert items["conf_low"].isna().all()
        assert found.tables["reliability"]["reason"].iloc[0].startswith("fewer than 2 models")


def test_no_answers_step_aside():
    counts = simulated(3)
    empty = blank(counts, [0, 1, 2], np.arange(60))
    for found in (item_analysis(empty), item_analysis(counts.select([]))):
        assert found.meta["reason"] == analysis.NOTHING
        assert all(not len(frame) for frame in found.tables.values())
        assert next(iter(found.tables)) == "estimates"


def test_people_and_controls_are_no_respondents():
    counts = simulated()
    kinds = ["human", *["model"] * 11]
    conditions = ["default", "choices-only", *["default"] * 10]
    found = item_analysis(counts.with_units(counts.units.assign(kind=kinds, condition=conditions)))
    assert found.tables["voters"]["unit"].tolist() == [f"m{k}" for k in range(2, 12)]
    assert found.tables["controls"]["n_units"].eq(1).all()
    assert found.tables["hints"]["unit"].tolist() == ["m1"]


def test_a_category_that_one_model_lacks_and_an_item_that_all_lack():
    counts = blank(blank(simulated(), [4], np.arange(30, 60)), np.arange(12), [7])
    found = item_analysis(counts)
    by = found.tables["reliability"].set_index("group")
    assert by.loc["B", "n_units"] == 11
    assert by.loc["A", "n_items"] == 29
    row = found.to_frame().set_index("item").loc["A/i7"]
    assert row["n_units"] == 0
    assert np.isnan(row["estimate"])
    assert row["reason"] == "no model answered"
    assert (found.tables["options"].set_index("item").loc["A/i7", "reason"] == "no model answered").all()


def test_blocks_that_share_no_item():
    counts = blank(blank(simulated(), np.arange(6), np.arange(30)), np.arange(6, 12), np.arange(30, 60))
    assert analysis.BLOCKS.format(n=2) in item_analysis(counts).meta["warnings"]


def test_one_item():
    counts = simulated()
    found = item_analysis(counts.select(items=np.arange(60) == 5))
    assert len(found.to_frame()) == 1
    assert found.tables["reliability"]["reason"].iloc[0].startswith("fewer than 2 items")


def test_conditions_of_one_model_are_named():
    counts = simulated()
    same = counts.with_units(counts.units.assign(model=["x", "x", *counts.units["model"][2:]]))
    found = item_analysis(same)
    assert analysis.CONDITIONS in found.meta["warnings"]
    assert found.to_frame()["df"].max() == 10


def test_same_data_same_bytes_and_seed_is_no_matter():
    assert item_analysis(simulated(), seed=1).to_json() == item_analysis(simulated(), seed=2).to_json()


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 1.0}, {"least_score": 0}, {"similarity": 2}, {"precision": -0.1}, {"n_reviewed": 10},
        {"by_models": "colour"}, {"top": [1]}, {"suspects": 0}, {"denominator": "all"},
    ],
)  # fmt: skip
def test_wrong_parameters(wrong):
    with pytest.raises(UsageError):
        item_analysis(simulated(4), **wrong)
