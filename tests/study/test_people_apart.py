"""People are read and compared, but never pooled with models: one rule, before every analysis."""

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats.study.run import without_people
from click_stats.trials import Trials


def rows(model, condition, items, predictions):
    return [
        {"model": model, "condition": condition, "item": item, "prediction": prediction, "status": "ok"}
        for item, prediction in zip(items, predictions, strict=True)
    ]


@pytest.fixture
def items():
    table = cs.read_items()
    return table.only(map(str, table.frame.index[:40]))


@pytest.fixture
def keys(items):
    return list(map(str, items.frame.index[:40]))


@pytest.fixture
def frame(items, keys):
    gold = items.frame.loc[keys, "gold"].to_numpy()
    wrong = (gold + 1) % 4
    half = np.arange(40) % 2 == 0
    return pd.DataFrame(
        rows("m1", "default", keys, gold)
        + rows("m2", "default", keys, np.where(half, gold, wrong))
        + rows("r1", "human", keys[:5], gold[:5])
    )


def test_a_person_does_not_shrink_the_set_of_common_items(frame, items):
    trials = Trials.from_frame(frame, items)
    alone = cs.compare(Trials.from_frame(frame[frame["model"] != "r1"], items)).to_frame()
    beside = cs.compare(trials)
    pd.testing.assert_frame_equal(beside.to_frame(), alone)
    assert "Answers of people are kept apart from those of models: r1 (human)." in beside.meta["warnings"]


@pytest.mark.parametrize("name", ["accuracy", "ranks", "agreement", "item_analysis", "item_answers"])
def test_no_analysis_of_models_sees_a_person(frame, items, name):
    found = getattr(cs, name)(Trials.from_frame(frame, items))
    for table in found.tables.values():
        for column in ("unit", "unit_a", "unit_b", "model"):
            if column in table:
                assert "r1" not in " ".join(map(str, table[column]))


def test_a_study_names_models_only_and_says_so(frame, items):
    results = cs.analyze("accuracy", Trials.from_frame(frame, items))
    assert results["models"].to_frame("models")["unit"].tolist() == ["m1", "m2"]
    assert set(results["accuracy"].to_frame()["unit"]) == {"m1", "m2"}


def test_the_table_of_models_can_say_who_is_a_person(frame, items, tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("model,kind\nm1,\nm2,human\n", encoding="utf-8")
    found = cs.accuracy(Trials.from_frame(frame, items), models=cs.read_models(path)).to_frame()
    assert set(found["unit"]) == {"m1"}


def test_what_a_file_marks_as_a_person_stays_one(items, frame, tmp_path):
    path = tmp_path / "models.csv"
    path.write_text("model,kind\nr1,model\n", encoding="utf-8")
    trials = Trials.from_frame(frame, items)
    facts = cs.read_models(path).facts(trials.units).to_frame("models").set_index("unit")
    assert facts.loc["r1 (human)", "kind"] == "human"


def test_people_alone_are_compared_with_each_other(frame, items):
    both = pd.concat([frame[frame["model"] == "r1"], frame[frame["model"] == "r1"].assign(model="r2", prediction=0)])
    counts = Trials.from_frame(both, items).counts()
    assert counts.people.all()
    assert without_people(counts) is counts
    assert set(cs.accuracy(Trials.from_frame(both, items)).to_frame()["unit"]) == {"r1 (human)", "r2 (human)"}


def test_models_alone_are_left_as_they_are(frame, items):
    counts = Trials.from_frame(frame[frame["model"] != "r1"], items).counts()
    assert without_people(counts) is counts
