import json

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from click_stats.errors import DataError, UsageError
from click_stats.trials import Trials, read_trials

ROWS = [
    {"model": "m", "item": "One/a1", "wording": "1", "rotation": 0, "replicate": 0, "label": "A"},
    {"model": "m", "item": "One/a1", "wording": "1", "rotation": 1, "replicate": 0, "label": "A"},
    {"model": "m", "item": "One/a4", "wording": "2", "rotation": 3, "replicate": 0, "label": "D"},
    {"model": "n", "item": "Two/b1", "wording": "1", "rotation": 0, "replicate": 1, "label": "Z"},
    {"model": "n", "item": "Two/b2", "wording": "1", "rotation": 2, "replicate": 0, "label": "C"},
]


def stored(folder, rows, kind):
    frame = pd.DataFrame(rows)
    path = folder / f"long.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    else:
        with duckdb.connect() as connection:
            connection.register("frame", frame)
            connection.execute(f"COPY frame TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "frame"])
def test_every_form_gives_the_same_trials_and_cube(tmp_path, tiny, kind):
    if kind == "frame":
        trials = Trials.from_frame(pd.DataFrame(ROWS), tiny)
    else:
        trials = read_trials(stored(tmp_path, ROWS, kind), tiny)
    frame = trials.frame()
    found = [tuple(row) for row in frame[["model", "item", "rotation", "status"]].itertuples(index=False)]
    assert found == [
        ("m", "One/a1", 0, "ok"),
        ("m", "One/a1", 1, "ok"),
        ("m", "One/a4", 3, "ok"),
        ("n", "Two/b1", 0, "out_of_option"),
        ("n", "Two/b2", 2, "ok"),
    ]
    # Displayed position p under rotation r shows original option (p + r) mod N: A under 1 is B; D under 3 of five
    # options is (3 + 3) mod 5; C under 2 of four is (2 + 2) mod 4.
    assert frame["prediction"].tolist() == [0, 1, 1, pd.NA, 0]
    counts = trials.counts(cells=True)
    assert counts.units.index.tolist() == ["m", "n"]
    assert counts.options.sum() == 4
    assert counts.n("out_of_option").sum() == 1
    assert counts.cells["n_trials"].sum() == 5
    assert counts.cells["n_correct"].sum() == counts.correct.sum() == 1


@given(st.integers(2, 26), st.data())
def test_rotation_mapping_is_a_permutation_that_the_display_undoes(n_options, data):
    rotation = data.draw(st.integers(0, n_options - 1))
    displayed = [(position + rotation) % n_options for position in range(n_options)]
    assert sorted(displayed) == list(range(n_options))
    option = data.draw(st.integers(0, n_options - 1))
    assert displayed[(option - rotation) % n_options] == option


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_labels_as_displayed_come_back_as_the_options_chosen(tmp_path, tiny, data):
    rows, chosen = [], {}
    for item, n_options in tiny.frame["n_options"].items():
        option = data.draw(st.integers(0, int(n_options) - 1))
        rotation = data.draw(st.integers(0, int(n_options) - 1))
        shown = [(position + rotation) % n_options for position in range(n_options)].index(option)
        rows.append({"model": "m", "item": item, "rotation": rotation, "label": "ABCDE"[shown]})
        chosen[item] = option
    frame = Trials.from_frame(pd.DataFrame(rows), tiny).frame()
    assert dict(zip(frame["item"], frame["prediction"], strict=True)) == chosen


def test_prediction_counts_from_zero_in_the_order_of_the_source(read, by_item):
    content = (
        "model,item,rotation,prediction\nm,One/a1,0,0\nm,One/a2,3,1\nm,One/a3,1,4\nm,One/a4,1,4.0\nm,Two/b1,0,-1\n"
    )
    assert by_item(read(content)) == {
        "One/a1": ("ok", 0),
        "One/a2": ("ok", 1),  # rotation does not touch it
        "One/a3": ("out_of_option", None),
        "One/a4": ("ok", 4),
        "Two/b1": ("out_of_option", None),
    }


def test_prediction_and_label_may_agree_but_not_contradict(read, by_item):
    head = "model,item,rotation,prediction,label\n"
    assert by_item(read(head + "m,One/a1,1,2,B\nm,One/a2,0,,C\n")) == {"One/a1": ("ok", 2), "One/a2": ("ok", 2)}
    for row in ("m,One/a1,1,1,B", "m,One/a1,0,0,E", "m,One/a1,0,7,A"):
        with pytest.raises(DataError, match="contradict") as caught:
            read(head + row + "\n")
        assert "One/a1" in caught.value.found
        assert "m.csv" in caught.value.found


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("m,One/a1,4,0,0,,", "rotation"),
        ("m,One/a1,-1,0,0,,", "rotation"),
        ("m,One/a1,1.5,0,0,,", "rotation"),
        ("m,One/a1,0,first,0,,", "replicate"),
        ("m,One/a1,0,0,A,,", "prediction"),
        ("m,One/a1,0,0,1.5,,", "prediction"),
        ("m,One/a1,0,0,0,wonderful,", "status"),
        ("m,One/a1,0,0,,ok,", "ok"),
        ("m,One/a1,0,0,0,,many", "input_tokens"),
        (",One/a1,0,0,0,,", "model"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(read, row, message):
    with pytest.raises(DataError, match=message) as caught:
        read("model,item,rotation,replicate,prediction,status,input_tokens\nm,Two/b1,0,0,0,,\n" + row + "\n")
    assert "row 3" in caught.value.found
    assert "m.csv" in caught.value.found


def test_a_stated_status_stands(read, by_item):
    content = (
        "model,item,prediction,status\nm,One/a1,,refused\nm,One/a2,,TRUNCATED\nm,One/a3,,filtered\nm,Two/b1,,missing\n"
    )
    trials = read(content)
    assert {item: status for item, (status, _) in by_item(trials).items()} == {
        "One/a1": "refused",
        "One/a2": "truncated",
        "One/a3": "filtered",
    }
    assert list(trials.account.to_frame("dropped")["reason"]) == ["never run"]


def test_columns_are_mapped_by_name(read, by_item):
    content = "llm;qid;shown as;turn\nm;a1;B;1\n"
    columns = {"model": "llm", "item_id": "qid", "label": "shown as", "rotation": "turn"}
    assert by_item(read(content, columns=columns)) == {"One/a1": ("ok", 2)}


def test_a_mapping_wins_over_a_name(read, by_item):
    content = "model,item,label,final\nm,One/a1,A,B\n"
    assert by_item(read(content, columns={"label": "final"})) == {"One/a1": ("ok", 1)}


def test_wrong_mappings_are_refused(read):
    content = "model,item,label\nm,One/a1,A\n"
    with pytest.raises(DataError, match="no column 'nothing'"):
        read(content, columns={"label": "nothing"})
    with pytest.raises(UsageError, match="no column 'colour'"):
        read(content, columns={"colour": "label"})
    with pytest.raises(UsageError, match="mapped twice"):
        read(content, columns={"id": "item", "item_id": "item"})


def test_a_long_table_without_a_model_is_named_by_its_file(read):
    trials = read("item,label\nOne/a1,A\n", "[Tiny] some-model(high)-240513.csv")
    assert trials.units.index.tolist() == ["some-model (high)"]
    assert trials.account.to_frame("sources")["date"].tolist() == ["2024-05-13"]


def test_several_units_of_one_file_are_told_apart(read):
    trials = read("model,condition,item,label\nb,,One/a1,A\nb,cot,One/a1,B\nA,default,One/a1,C\n")
    assert trials.units.index.tolist() == ["A", "b", "b (cot)"]
    assert trials.account.to_frame("sources")["rows_kept"].tolist() == [1, 1, 1]


def test_shards_of_one_model_are_put_together_but_never_counted_twice(write, tiny):
    head = "model,item,label\n"
    one, two = write("one.csv", head + "m,One/a1,A\n"), write("two.csv", head + "m,One/a2,A\n")
    assert len(read_trials([one, two], tiny)) == 2
    three = write("three.csv", head + "m,One/a2,A\n")
    with pytest.raises(DataError, match="Two files hold the same trials") as caught:
        read_trials([one, two, three], tiny)
    assert "two.csv" in caught.value.found
    assert "three.csv" in caught.value.found


def test_text_stays_text_and_log_numbers_become_numbers(tmp_path, tiny):
    rows = [
        {"model": "01", "item": "One/a1", "label": "A", "response": "2024-01-01", "scores": [-28.9, None, -3.1, -30.0]},
        {"model": "NA", "item": "One/a1", "label": "B", "response": "NA", "seconds": 1.5, "input_tokens": 12},
    ]
    path = stored(tmp_path, rows, "jsonl")
    frame = read_trials(path, tiny).frame()
    assert frame["model"].tolist() == ["01", "NA"]
    assert frame["text"].tolist() == ["2024-01-01", "NA"]
    np.testing.assert_array_equal(np.asarray(frame["scores"][0], dtype=float), [-28.9, np.nan, -3.1, -30.0])
    assert frame["seconds"][1] == 1.5
    assert frame["input_tokens"].tolist() == [pd.NA, 12]


def test_numbers_for_ids_keep_their_form(tmp_path):
    from click_stats.items import read_items

    (tmp_path / "d.toml").write_text(
        'name = "N"\ndomains = [{name = "D"}]\ncategories = [{name = "C", domain = "D"}]\n'
    )
    (tmp_path / "keys.csv").write_text("id,category,source,n_options,gold\n01,C,S,4,0\n1,C,S,4,1\n18_19,C,S,4,2\n")
    items = read_items(tmp_path / "keys.csv", tmp_path / "d.toml")
    (tmp_path / "m.csv").write_text("id,trial,answer,pred,response\n01,0,A,A,01\n1,0,B,B,1\n18_19,0,C,C,NA\n")
    frame = read_trials(tmp_path / "m.csv", items).frame()
    assert frame[["item", "text"]].to_numpy().tolist() == [["C/01", "01"], ["C/1", "1"], ["C/18_19", "NA"]]


def test_the_invented_benchmark_runs_through_the_same_calls():
    from pathlib import Path

    from click_stats.items import read_items

    folder = Path(__file__).parents[2] / "fixtures" / "invented"
    items = read_items(folder / "items.jsonl", folder / "benchmark.toml")
    trials = read_trials(folder / "results.csv", items)
    assert trials.units.index.tolist() == ["pebble", "tide-large", "tide-small"]
    assert len(trials) == 52 + 62 + 62
    missing = trials.counts().n("missing").sum(axis=1)
    assert missing.tolist() == [10, 0, 0]  # pebble lacks one rotation of the ten items in Words


def test_a_frame_without_needed_columns_is_refused(tiny):
    with pytest.raises(DataError, match="lacks columns") as caught:
        Trials.from_frame(pd.DataFrame({"item": ["One/a1"], "label": ["A"]}), tiny)
    assert caught.value.found == "item, label"


def test_a_frame_indexed_by_item_is_read(tiny):
    frame = pd.DataFrame({"item": ["One/a1"], "label": ["A"], "model": ["m"]}).set_index("item")
    assert len(Trials.from_frame(frame, tiny)) == 1


def test_predictions_that_seem_to_count_from_one_are_told(tiny):
    def warned(first):
        rows = [("m", item, n % 4 + first) for n, item in enumerate(["One/a1", "One/a2", "One/a3", "Two/b1", "Two/b2"])]
        trials = Trials.from_frame(pd.DataFrame(rows, columns=["model", "item", "prediction"]), tiny)
        return [text for text in trials.account.meta["warnings"] if "count from 1" in text]

    assert len(warned(1)) == 1
    assert warned(0) == []
