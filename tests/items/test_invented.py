"""An invented benchmark runs through the same calls as CLIcK."""

from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

import click_stats as cs
from click_stats.errors import DataError, UsageError
from click_stats.items import read_items

FIXTURES = Path(__file__).parents[2] / "fixtures"


def test_table(invented):
    frame = invented.frame
    assert len(frame) == 31
    assert list(dict.fromkeys(frame["category"])) == ["Sea", "Market", "Words"]
    assert dict(frame["n_options"].value_counts()) == {4: 27, 5: 2, 3: 1, 10: 1}
    assert invented.by_id("k1") == ["Sea/k1", "Market/k1"]
    assert invented.by_id("nothing") == []
    assert frame.loc["Sea/s5", "gold"] == 1
    assert frame.loc["Market/m6", "note"] == "ten options"
    assert frame["negated"].sum() == 5
    assert invented.warnings == ("Whitespace repaired to find the right option: 1 item (Sea/s5).",)


def test_passages(invented):
    cluster = invented.frame["cluster"]
    sizes = cluster.value_counts()
    assert sorted(sizes[sizes > 1]) == [3, 3]
    assert cluster["Sea/s1"] == cluster["Sea/s2"] == cluster["Sea/s3"]
    assert cluster["Market/m1"] == cluster["Market/m2"] == cluster["Words/w1"]
    assert cluster["Words/w2"] == "Words/w2"
    assert invented.frame.loc["Words/w2", "has_passage"]


def test_labels_of_single_items(invented):
    assert invented.labels("Market/m7") == ("1", "2", "3", "4")
    assert invented.frame.loc["Market/m7", "gold"] == 2
    assert invented.labels("Market/m6") == tuple("ABCDEFGHIJ")
    assert invented.labels("Sea/s6") == ("A", "B", "C")
    with pytest.raises(UsageError, match="no item 'Sea/m7'") as error:
        invented.labels("Sea/m7")
    assert "Market/m7" in error.value.do


def test_text_stays_text(invented):
    assert invented.frame.loc["Sea/s5", "options"][0] == "01월"
    assert invented.frame.loc["Sea/s10", "options"][1] == "NA"
    assert invented.frame.loc["Sea/s9", "options"] == ("112", "119", "120", "121")


def test_groups(invented):
    groups = invented.groups_result().to_frame("groups").set_index("group")
    assert list(groups.index) == [
        "all items",
        "mean of 3 categories",
        "Life",
        "Language",
        "Sea",
        "Market",
        "Words",
    ]
    assert groups.loc["Market", "n_items"] == 10
    assert groups.loc["Market", "chance"] == pytest.approx((9 / 4 + 1 / 10) / 10)
    assert groups.loc["Words", "label_ko"] == "낱말"


def test_answers_run_through_the_same_calls(invented):
    trials = cs.read_trials(FIXTURES / "invented" / "results.csv", items=invented)
    counts = trials.counts()
    assert list(counts.units.index) == ["pebble", "tide-large", "tide-small"]
    # Two rotations an item, but one of the category Words for one model.
    assert counts.n("ok").sum(axis=1).tolist() == [52, 62, 62]
    accuracy = cs.accuracy(trials, invented, by=["overall", "category"]).to_frame()
    assert set(accuracy["group"]) == {"all items", "Sea", "Market", "Words"}
    overall = accuracy[accuracy["by"] == "overall"].set_index("unit")["estimate"]
    # Counted from the file by hand: right answers over two trials an item, mean over 31 items.
    assert overall["tide-large"] == pytest.approx(55 / 62)
    assert overall["tide-large"] > overall["tide-small"] > overall["pebble"]


def test_no_table_of_it_is_packaged(invented):
    with pytest.raises(DataError, match="No items of Rainbow Island come with the package"):
        read_items(None, invented.definition)


def test_texts_can_be_required(invented, click):
    invented.require_text()
    with pytest.raises(DataError, match="keys only") as error:
        click.require_text()
    assert "--items" in error.value.do


def test_tables_are_frozen(invented):
    with pytest.raises(FrozenInstanceError):
        invented.frame = None
