import json
import zipfile
from pathlib import Path

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import read_items
from click_stats.trials import read_trials

LOGS = Path(__file__).parents[2] / "fixtures" / "harness-logs"
EPOCHS, SHUFFLED, SOLVER = (
    LOGS / "inspect" / name for name in ("click_epochs.eval", "click_shuffled.json", "click_solver_shuffled.json")
)
OPTIONS = ["하나", "둘", "셋", "넷"]


@pytest.fixture(scope="module")
def island():
    return read_items(LOGS / "items.jsonl")


@pytest.fixture
def keys(tmp_path, island):
    """The same items without texts; digests stay."""
    island.frame[["id", "category", "source", "n_options", "gold", "digest"]].to_csv(tmp_path / "k.csv", index=False)
    table = read_items(tmp_path / "k.csv")
    assert not table.has_text
    return table


def sample(id_, answer, *, target="A", epoch=1, stop="stop", choices=None, meta=None, **more):
    text = f"ANSWER: {answer}" if answer else ""
    output = {"model": "m", "choices": [{"stop_reason": stop}], "completion": text, "time": 0.5}
    output["usage"] = {"input_tokens": 7, "output_tokens": 3}
    scores = {"choice": {"value": "C" if answer == target else "I", "answer": answer, "explanation": text}}
    row = {"id": id_, "epoch": epoch, "input": "?", "choices": choices or OPTIONS, "target": target}
    return row | {"output": output, "scores": scores, "metadata": meta or {}} | more


def log(folder, samples, *, name="log.json", **spec):
    header = {"version": 2, "status": spec.pop("status", "success")}
    scorers = [{"name": name} for name in spec.pop("scorers", ["choice"])]
    plan = {"steps": [{"solver": "multiple_choice", "params": spec.pop("params", {})}]}
    header["eval"] = {"task": "t", "model": "mockllm/m-1", "created": "2026-11-30T01:02:03+00:00", "scorers": scorers}
    header["eval"] |= spec
    header["plan"] = plan
    path = folder / name
    if path.suffix == ".json":
        path.write_text(json.dumps(header | {"samples": samples}, ensure_ascii=False), encoding="utf-8")
        return path
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in samples:
            archive.writestr(f"samples/{row['id']}_epoch_{row['epoch']}.json", json.dumps(row))
        archive.writestr("header.json", json.dumps(header))
    return path


def raw(path):
    """item, epoch -> what the log itself says."""
    return {(row["id"], row["epoch"] - 1): row for row in json.loads(path.read_text(encoding="utf-8"))["samples"]}


def test_epochs_are_replicates_and_statuses_are_what_happened(island):
    trials = read_trials(EPOCHS, island)
    frame = trials.frame().set_index(["item", "replicate"])
    assert len(frame) == 30
    assert trials.units.index.tolist() == ["model"]
    statuses = frame["status"]
    assert statuses["History/Kedu_history_901"].tolist() == ["ok", "failed"]  # the solver raised in epoch 2
    assert statuses["History/KHB_901_2"].tolist() == ["filtered"] * 2
    assert statuses["Popular/Kedu_popular_901"].tolist() == ["empty", "out_of_option"]
    assert statuses["Popular/Kedu_popular_902"].tolist() == ["truncated"] * 2
    assert statuses.value_counts().to_dict() == {"ok": 23, "filtered": 2, "truncated": 2, "empty": 1, "failed": 1} | {
        "out_of_option": 1
    }
    answered = frame[statuses == "ok"]
    for text, option in zip(answered["text"], answered["prediction"], strict=True):
        assert text == f"ANSWER: {'ABCDE'[option]}"
    assert set(frame["rule"].dropna()) == {"choice"}
    assert (answered["output_tokens"] == answered["text"].str.len()).all()
    facts = trials.account.to_frame("comparability").iloc[0]
    assert (facts["scoring"], facts["order"]) == ("generated text, scorer choice", "as in the source")
    assert facts["date"] == "2026-11-30"


@pytest.mark.parametrize("path", [SHUFFLED, SOLVER])
def test_what_is_right_is_what_inspect_calls_right(path, island):
    frame = read_trials(path, island).frame()
    gold = island.frame["gold"]
    said = raw(path)
    assert len(frame) == len(said) == 15
    for row in frame.itertuples():
        value = said[row.item, row.replicate]["scores"]["choice"]["value"]
        assert (row.status == "ok" and row.prediction == gold[row.item]) == (value == "C")
    assert {row["scores"]["choice"]["value"] for row in said.values()} == {"C", "I", "N"}


def test_choices_shuffled_in_the_dataset_are_mapped_back(island, keys):
    trials = read_trials(SHUFFLED, island)
    frame, options, said = trials.frame(), island.frame["options"], raw(SHUFFLED)
    moved = 0
    for row in frame[frame["status"] == "ok"].itertuples():
        sample = said[row.item, 0]
        place = "ABCDE".index(sample["scores"]["choice"]["answer"])
        assert sample["choices"][place] == options[row.item][row.prediction]
        moved += place != row.prediction
    assert moved > 3
    assert trials.account.to_frame("gold").empty  # targets are letters of the shuffled order
    assert any("no rotation of the source's" in line for line in trials.account.meta["warnings"])
    # Without texts in the item table, the digest of the item tells the order.
    assert read_trials(SHUFFLED, keys).frame()["prediction"].tolist() == frame["prediction"].tolist()


def test_choices_shuffled_by_the_solver_are_in_the_order_of_the_source_already(island):
    trials = read_trials(SOLVER, island)
    frame = trials.frame()
    answers = {key: row["scores"]["choice"]["answer"] for key, row in raw(SOLVER).items()}
    for row in frame[frame["status"] == "ok"].itertuples():
        assert answers[row.item, 0] == "ABCDE"[row.prediction]
    assert trials.account.to_frame("comparability")["order"].tolist() == ["shuffled by the solver"]
    assert any("texts are not those of the model" in line for line in trials.account.meta["warnings"])


@pytest.mark.parametrize("meta", [{"rotation": 1}, {"permutation": [1, 2, 3, 0]}, {"options": OPTIONS}])
def test_metadata_tell_the_order(tmp_path, tiny, meta):
    rows = [sample("One/a1", "D", target="D", choices=["둘", "셋", "넷", "하나"], meta=meta)]
    trials = read_trials(log(tmp_path, rows), tiny)
    row = trials.frame().iloc[0]
    assert (row["prediction"], row["rotation"]) == (0, 1)
    assert trials.account.to_frame("gold").empty


def test_an_order_that_nothing_tells_is_an_error(tmp_path, tiny):
    ids = ["One/a1", "One/a2", "One/a3"]
    rows = [sample(id_, "D", target="D", choices=["둘", "셋", "넷", "하나"]) for id_ in ids]
    with pytest.raises(DataError, match="another order") as caught:
        read_trials(log(tmp_path, rows), tiny)
    assert "3 of 3" in caught.value.found
    assert "permutation" in caught.value.do
    plain = [sample(id_, "A", target=mark) for id_, mark in zip(ids, "ABC", strict=True)]
    assert read_trials(log(tmp_path, plain), tiny).frame()["prediction"].tolist() == [0, 0, 0]


def test_both_forms_and_compressions_hold_the_same(tmp_path, tiny):
    rows = [sample(id_, "B", target=mark, epoch=epoch) for id_, mark in (("a1", "A"), ("a2", "B")) for epoch in (1, 2)]
    one = read_trials(log(tmp_path, rows), tiny).frame()
    other = read_trials(log(tmp_path, rows, name="log.eval"), tiny).frame()
    assert one.equals(other)
    assert one["replicate"].tolist() == [0, 1, 0, 1]
    assert one[["input_tokens", "output_tokens", "seconds"]].values.tolist() == [[7, 3, 0.5]] * 4
    with zipfile.ZipFile(EPOCHS) as archive:
        assert {member.compress_type for member in archive.infolist()} == {93}  # Zstandard, as Inspect writes it


def test_categories_in_the_metadata_tell_items_of_one_id_apart(tmp_path, tiny):
    rows = [sample("x1", "A", meta={"category": "First"}), sample("x1", "C", target="C", meta={"category": "Two"})]
    trials = read_trials(log(tmp_path, rows), tiny)
    assert trials.frame()["item"].tolist() == ["One/x1", "Two/x1"]
    assert set(trials.account.to_frame("duplicates")["resolved_by"]) == {"category"}


def test_a_scorer_must_be_chosen_by_name(tmp_path, tiny):
    rows = [sample("a1", "A")]
    rows[0]["scores"]["judge"] = {"value": "I", "answer": "B"}
    path = log(tmp_path, rows, scorers=["choice", "judge"])
    with pytest.raises(UsageError, match="several scorers") as caught:
        read_trials(path, tiny)
    assert caught.value.found == "choice, judge"
    assert read_trials(path, tiny, filter="judge").frame()["prediction"].tolist() == [1]
    with pytest.raises(UsageError, match="no scorer 'x'"):
        read_trials(path, tiny, filter="x")


def test_scorers_that_only_the_samples_name_must_be_chosen_too(tmp_path, tiny):
    rows = [sample("a1", "A")]
    rows[0]["scores"]["judge"] = {"value": "I", "answer": "B"}
    path = log(tmp_path, rows, scorers=[])
    with pytest.raises(UsageError, match="several scorers"):
        read_trials(path, tiny)
    assert read_trials(path, tiny, filter="judge").frame()["prediction"].tolist() == [1]


def test_a_log_that_is_still_being_written_holds_what_it_has(tmp_path, tiny):
    start = {"version": 2, "eval": {"task": "t", "model": "x/m", "dataset": {"sample_ids": ["a1", "a2"]}}}
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(start))
        archive.writestr("samples/a1_epoch_1.json", json.dumps(sample("a1", "B")))
    trials = read_trials(path, tiny)
    assert trials.frame()["prediction"].tolist() == [1]
    assert any("(status started): it holds 1 of 2 samples" in line for line in trials.account.meta["warnings"])


def test_limits_errors_and_stops(tmp_path, tiny):
    rows = [
        sample("a1", "", error={"message": "lost"}),
        sample("a2", "", target="B", limit={"type": "token"}),
        sample("a3", "", target="C", limit={"type": "time"}),
        sample("b1", "A, B", target="D"),
        sample("b2", "C", target="C", stop="max_tokens"),
    ]
    frame = read_trials(log(tmp_path, rows), tiny).frame()
    assert frame["status"].tolist() == ["failed", "truncated", "failed", "out_of_option", "ok"]


def test_what_the_header_states(tmp_path, tiny):
    config = {"temperature": 0.0, "reasoning_effort": "high"}
    spec = {"model_generate_config": config, "params": {"cot": True}, "model": "openai/gpt-x"}
    spec |= {"dataset": {"sample_ids": ["a1", "a2"]}, "config": {"epochs": 2}, "status": "cancelled"}
    trials = read_trials(log(tmp_path, [sample("a1", "A")], **spec), tiny)
    assert trials.units.index.tolist() == ["gpt-x (high, chain of thought)"]
    facts = trials.account.to_frame("comparability").iloc[0]
    assert facts["decoding"] == "reasoning_effort=high, temperature=0.0"
    assert any("not complete (status cancelled): it holds 1 of 4 samples" in w for w in trials.account.meta["warnings"])


def test_a_value_that_is_not_that_of_the_answer_is_told(tmp_path, tiny):
    rows = [sample("a1", "B")]
    rows[0]["scores"]["choice"]["value"] = "C"
    warnings = read_trials(log(tmp_path, rows), tiny).account.meta["warnings"]
    assert any("own score is not that of the answer" in line for line in warnings)


def test_unscored_logs_are_read_by_a_policy(tmp_path, tiny):
    path = log(tmp_path, [sample("a1", "C", scores={})], scorers=[])
    with pytest.raises(DataError) as caught:
        read_trials(path, tiny)
    assert "--reparse" in caught.value.do
    assert read_trials(path, tiny, reparse="paper").frame()["prediction"].tolist() == [2]


def test_folders_hold_logs_and_other_json(tmp_path, tiny):
    log(tmp_path, [sample("a1", "A")])
    (tmp_path / "settings.json").write_text('{"a": 1}')
    assert len(read_trials(tmp_path, tiny)) == 1
    with pytest.raises(DataError, match=r"settings\.json"):
        read_trials(tmp_path / "settings.json", tiny)


def test_damaged_logs_name_the_file(tmp_path, tiny, island):
    path = log(tmp_path, [sample("a1", "A")])
    path.write_text(path.read_text()[:-30])
    with pytest.raises(DataError, match=r"log\.json is a damaged log"):
        read_trials(path, tiny)
    data = EPOCHS.read_bytes()
    (tmp_path / "cut.eval").write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match=r"cut\.eval"):
        read_trials(tmp_path / "cut.eval", island)
    middle = data.index(b"samples/") + 500
    (tmp_path / "hole.eval").write_bytes(data[:middle] + bytes(200) + data[middle + 200 :])
    with pytest.raises(DataError, match=r"hole\.eval is a damaged log"):
        read_trials(tmp_path / "hole.eval", island)
    with zipfile.ZipFile(tmp_path / "none.eval", "w") as archive:
        archive.writestr("other.txt", "x")
    with pytest.raises(DataError, match="no header"):
        read_trials(tmp_path / "none.eval", tiny)
