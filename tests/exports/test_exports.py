"""Files for other programs: what is in them, read back by the rules of those who read them."""

import json
from pathlib import Path

import fastjsonschema
import numpy as np
import pandas as pd
import pytest

from click_stats import api
from click_stats.errors import DataError, UsageError
from click_stats.exports import item_table
from click_stats.items import Errata, read_items
from click_stats.trials import read_trials

DEFINITION = """
name = "Tiny"
domains = [{ name = "D" }]
categories = [{ name = "One", domain = "D" }]
"""
ITEMS = [
    {"id": "a", "category": "One", "passage": "Rain.", "question": "Wet?", "options": ["yes", "no", "so"], "gold": 0},
    {"id": "b", "category": "One", "passage": "", "question": "Dry?", "options": ["가", "나"], "gold": 1},
    {"id": "c", "category": "One", "passage": "", "question": "Odd?", "options": ["1", "2"], "gold": 0},
]
SINGLE = "item,model,prediction\nOne/a,m,0\nOne/b,m,0\nOne/c,m,0\nOne/a,n,1\nOne/b,n,1\n"
SEVERAL = (
    "item,model,prediction,rotation,replicate,status,text,input_tokens,output_tokens,seconds,rule\n"
    'One/a,m,0,0,0,ok,"the ""yes""\n option",7,3,0.5,cue\n'
    "One/a,m,1,1,0,ok,A,,,,\n"
    "One/b,m,1,0,0,ok,B,,,,\n"
    "One/b,m,1,1,0,ok,A,,,,\n"
    "One/c,m,,0,0,failed,,,,,\n"
    "One/c,m,,1,0,refused,I would rather not,,,,\n"
)


@pytest.fixture
def items(tmp_path):
    (tmp_path / "tiny.toml").write_text(DEFINITION, encoding="utf-8")
    (tmp_path / "items.json").write_text(json.dumps(ITEMS), encoding="utf-8")
    return read_items(tmp_path / "items.json", tmp_path / "tiny.toml")


@pytest.fixture
def trials(tmp_path, items):
    def _trials(text, of=items):
        path = tmp_path / "answers.csv"
        path.write_text(text, encoding="utf-8")
        return read_trials(path, of)

    return _trials


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def left_out(result):
    return dict(result.to_frame("left_out").to_numpy().tolist())


# --- py-irt --------------------------------------------------------------------------------------------------------


def test_py_irt_has_a_line_per_model_and_leaves_out_what_was_not_answered(trials, tmp_path):
    path = tmp_path / "out.jsonlines"
    result = api.export("py-irt", trials(SINGLE), path)
    assert lines(path) == [
        {"subject_id": "m", "responses": {"One/a": 1, "One/b": 0, "One/c": 1}},
        {"subject_id": "n", "responses": {"One/a": 0, "One/b": 1}},
    ]
    assert result.to_frame("written").to_numpy().tolist() == [["out.jsonlines", 2, 3, 2]]
    assert left_out(result) == {"model and item without a counted trial": 1}


def test_py_irt_takes_no_counts_unless_a_majority_is_asked_for(trials, tmp_path):
    path = tmp_path / "out.jsonlines"
    several = trials(SEVERAL)
    with pytest.raises(DataError, match="one answer per model and item") as error:
        api.export("py-irt", several, path)
    assert "--majority" in str(error.value)
    assert not path.exists()
    result = api.export("py-irt", several, path, majority=True)
    assert lines(path)[0]["responses"] == {"One/a": 0, "One/b": 1, "One/c": 0}  # one of two is no majority
    assert "a tie counts as wrong" in result.meta["warnings"][0]


# --- wide ----------------------------------------------------------------------------------------------------------


def test_wide_is_a_row_per_model_and_a_column_per_item(trials, tmp_path):
    path = tmp_path / "out.csv"
    api.export("wide", trials(SINGLE), path)
    assert path.read_text(encoding="utf-8") == "model,One/a,One/b,One/c\nm,1,0,1\nn,0,1,NA\n"
    assert not (tmp_path / "out.trials.csv").exists()


def test_wide_counts_have_the_numbers_of_trials_beside_them(trials, tmp_path):
    path = tmp_path / "out.csv"
    result = api.export("wide", trials(SEVERAL), path)
    assert path.read_text(encoding="utf-8") == "model,One/a,One/b,One/c\nm,1,2,0\n"
    assert (tmp_path / "out.trials.csv").read_text(encoding="utf-8") == "model,One/a,One/b,One/c\nm,2,2,1\n"
    assert result.to_frame("written")["file"].tolist() == ["out.csv", "out.trials.csv"]
    assert "out.trials.csv" in result.meta["warnings"][0]


def test_wide_of_the_real_files_gives_their_accuracies_back(tmp_path):
    real = api.read_trials(Path(__file__).parents[2] / "fixtures" / "real-results")
    api.export("wide", real, tmp_path / "out.csv")
    frame = pd.read_csv(tmp_path / "out.csv", index_col=0)
    accuracy = api.accuracy(real, by="overall").to_frame().set_index("unit")["estimate"]
    assert frame.mean(axis=1).to_numpy() == pytest.approx(accuracy[frame.index].to_numpy())
    api.export("py-irt", real, tmp_path / "out.jsonlines")
    for line in lines(tmp_path / "out.jsonlines"):
        assert np.mean(list(line["responses"].values())) == pytest.approx(accuracy[line["subject_id"]])


def test_an_export_follows_the_errata(trials, items, tmp_path):
    words = {"reason": "r", "reviewer": "k", "date": "2026-01-02", "source": "s"}
    given = [
        {"key": "One/a", "action": "also-accept", "labels": ["B"]},
        {"key": "One/b", "action": "drop"},
        {"key": "One/c", "action": "retext", "text": {"question": "New?"}},
    ]
    listed = [{**one, "digest": items.frame.loc[one["key"], "digest"], **words} for one in given]
    corrected = items.with_errata(Errata.model_validate({"erratum": listed}))
    found = trials(SINGLE, corrected)
    result = api.export("wide", found, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "model,One/a,One/c\nm,1,NA\nn,1,NA\n"
    assert result.meta["digests"]["errata"] == corrected.errata_digest
    result = api.export("every-eval-ever", found, tmp_path / "out.jsonl")
    assert [(one["sample_id"], one["input"]["reference"]) for one in lines(tmp_path / "out.jsonl")] == [
        ("One/a", ["A", "B"])
    ] * 2
    assert left_out(result) == {"trial that errata leave out": 3}


# --- items ---------------------------------------------------------------------------------------------------------


def test_the_item_table_has_facts_and_proportions(trials):
    frame = item_table(trials(SINGLE).counts())
    assert frame["proportion"].tolist() == [0.5, 0.5, 1.0]
    assert frame["n_units"].tolist() == [2, 2, 1]
    assert frame["gold"].tolist() == [0, 1, 0]


def test_the_item_table_takes_parameters_and_gives_them_back(trials, tmp_path):
    given = tmp_path / "p.csv"
    given.write_text("item,difficulty,discrimination,floor\nOne/a,0.5,1.5,0.25\nOne/b,-1,,\n", encoding="utf-8")
    path = tmp_path / "out.csv"
    result = api.export("items", trials(SINGLE), path, parameters=given)
    assert left_out(result) == {"item without parameters": 1}
    again = api.read_parameters(path)
    assert list(again.pop("digest")) == list(pd.read_csv(path, index_col="item").loc[again.index, "digest"])
    assert again.to_dict("index") == {
        "One/a": {"difficulty": 0.5, "discrimination": 1.5, "floor": 0.25},
        "One/b": {"difficulty": -1, "discrimination": 1, "floor": 0},
    }


def test_parameters_of_other_items_are_refused(trials, tmp_path):
    given = tmp_path / "p.csv"
    given.write_text("item,difficulty\nSix/z,0.5\n", encoding="utf-8")
    with pytest.raises(DataError, match="of none of these items"):
        api.export("items", trials(SINGLE), tmp_path / "out.csv", parameters=given)
    assert not (tmp_path / "out.csv").exists()


# --- every eval ever -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def valid():
    path = Path(__file__).parent / "schema" / "instance_level_eval.schema.json"
    return fastjsonschema.compile(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("with_texts", [False, True])
@pytest.mark.parametrize("answers", [SINGLE, SEVERAL])
def test_records_follow_the_schema(trials, tmp_path, valid, answers, with_texts):
    path = tmp_path / "out.jsonl"
    result = api.export("every-eval-ever", trials(answers), path, with_texts=with_texts)
    found = lines(path)
    assert len(found) == answers.count("One/") == result.summary["n_rows"]
    for record in found:
        valid(record)
        assert record["schema_version"] == "0.3.0"


def test_the_schema_can_refuse(valid):
    with pytest.raises(fastjsonschema.JsonSchemaException):
        valid({"schema_version": "0.3.0"})


def test_records_show_options_as_the_model_saw_them(trials, tmp_path):
    path = tmp_path / "out.jsonl"
    api.export("every-eval-ever", trials(SEVERAL), path, with_texts=True)
    first, turned, *_, failed, refused = lines(path)
    assert first["input"] == {"raw": "Rain.\n\nWet?", "reference": ["A"], "choices": ["yes", "no", "so"]}
    assert first["output"]["raw"] == ['the "yes"\n option']
    assert first["answer_attribution"][0]["extracted_value"] == "A"
    assert first["answer_attribution"][0]["extraction_method"] == "cue"
    assert first["evaluation"] == {"score": 1.0, "is_correct": True}
    assert first["token_usage"] == {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}
    assert first["performance"] == {"latency_ms": 500}
    # Rotation 1 shows option 1 first: the model's A is option 1, and the right one stands last.
    assert turned["input"] == {"raw": "Rain.\n\nWet?", "reference": ["C"], "choices": ["no", "so", "yes"]}
    assert turned["answer_attribution"][0]["extracted_value"] == turned["output"]["raw"][0] == "A"
    assert turned["evaluation"]["is_correct"] is False
    assert first["sample_hash"] != turned["sample_hash"]
    assert (failed["error"], failed["answer_attribution"], failed["output"]["raw"]) == ("failed", [], [])
    assert (refused["error"], refused["evaluation"]["score"]) == (None, 0.0)
    assert refused["metadata"]["status"] == "refused"


def test_no_text_leaves_unless_asked(trials, tmp_path):
    path = tmp_path / "out.jsonl"
    result = api.export("every-eval-ever", trials(SEVERAL), path)
    text = path.read_text(encoding="utf-8")
    assert not any(word in text for word in ("Wet", "Rain", "yes", "rather"))
    assert lines(path)[0]["output"]["raw"] == ["A"]
    assert "not included" in result.meta["warnings"][0]


def test_texts_that_are_not_there_cannot_be_written(tmp_path, trials, items):
    keys = tmp_path / "keys.csv"
    items.frame[["id", "category", "n_options", "gold"]].to_csv(keys, index=False)
    table = read_items(keys, tmp_path / "tiny.toml")
    with pytest.raises(DataError, match="has keys only"):
        api.export("every-eval-ever", trials(SINGLE, table), tmp_path / "out.jsonl", with_texts=True)


# --- the verb and the command --------------------------------------------------------------------------------------


def test_wrong_calls(trials, tmp_path):
    path = tmp_path / "out.x"
    with pytest.raises(UsageError, match="no export format 'xlsx'"):
        api.export("xlsx", trials(SINGLE), path)
    with pytest.raises(UsageError, match="'majority' is for the format py-irt"):
        api.export("wide", trials(SINGLE), path, majority=True)
    path.write_text("mine", encoding="utf-8")
    for form in ("wide", "py-irt", "items", "every-eval-ever"):
        with pytest.raises(UsageError, match="exists"):
            api.export(form, trials(SINGLE), path)
    assert path.read_text(encoding="utf-8") == "mine"
    api.export("wide", trials(SINGLE), path, force=True)
    assert path.read_text(encoding="utf-8").startswith("model,")


def test_the_models_table_selects(trials, tmp_path):
    models = tmp_path / "models.csv"
    models.write_text("model,include\nm,false\nn,true\n", encoding="utf-8")
    for form in ("py-irt", "every-eval-ever", "wide"):
        result = api.export(form, trials(SINGLE), tmp_path / f"out.{form}", models=api.read_models(models))
        assert result.to_frame("written")["n_units"].tolist() == [1]


def test_the_command_prints_the_account(click_stats, tmp_path, items, trials):
    trials(SINGLE)
    words = ["--items", tmp_path / "items.json", "--benchmark", tmp_path / "tiny.toml", "-o"]
    run = click_stats("export", "wide", tmp_path / "answers.csv", *words, tmp_path / "out.csv")
    assert run.code == 0
    assert "out.csv" in run.out
    assert "model and item without a counted trial" in run.out
    run = click_stats("export", "items", tmp_path / "answers.csv", *words, tmp_path / "i.csv", "--json", "--quiet")
    assert json.loads(run.out)["tables"]["written"]["rows"] == [["i.csv", 2, 3, 3]]
    run = click_stats("export", "sas", tmp_path / "answers.csv", *words, tmp_path / "x")
    assert run.code == 2
    assert "py-irt, wide, items, every-eval-ever" in run.err
