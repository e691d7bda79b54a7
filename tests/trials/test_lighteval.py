import shutil
from pathlib import Path

import duckdb
import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import read_items
from click_stats.trials import read_trials

LOGS = Path(__file__).parents[2] / "fixtures" / "harness-logs"
STAMP = "2026-11-30T00-00-00.000000"


@pytest.fixture(scope="module")
def island():
    return read_items(LOGS / "items.jsonl")


@pytest.fixture
def output(tmp_path):
    """Lay a layout out as lighteval does, under the names it gives."""

    def _output(layout):
        run = Path("org") / "tiny-random-llama"
        details = tmp_path / layout / "details" / run / STAMP
        details.mkdir(parents=True)
        for path in sorted((LOGS / "lighteval" / layout).glob("*.parquet")):
            shutil.copy(path, details / f"details_community|click:{path.stem}|0_{STAMP}.parquet")
        (tmp_path / layout / "results" / run).mkdir(parents=True)
        shutil.copy(LOGS / "lighteval" / "results.json", tmp_path / layout / "results" / run / f"results_{STAMP}.json")
        return tmp_path / layout

    return _output


def details(folder, sql, task="tiny:one", shots=0):
    path = folder / f"details_custom|{task}|{shots}_{STAMP}.parquet"
    duckdb.sql(f"COPY ({sql}) TO '{path}' (FORMAT parquet)")
    return path


def nested(id_, scores="[-1.0, -2.0, -3.0, -4.0]", gold=0, texts="[]", choices="['A', 'B', 'C', 'D']", acc="1.0"):
    return (
        f"SELECT {{'query': 'q', 'choices': {choices}, 'gold_index': {gold}, 'specific': {{'id': '{id_}'}}, "
        f"'id': '0'}} AS doc, {{'logprobs': {scores}, 'text': {texts}}} AS model_response, {{'acc': {acc}}} AS metric"
    )


@pytest.mark.parametrize("layout", ["nested", "flat"])
def test_both_layouts_give_the_trials_of_the_log_they_were_made_from(layout, output, island):
    folder = output(layout)
    trials = read_trials(folder, island)
    source = [
        path for path in (LOGS / "lm-eval" / "tiny-random-llama").glob("*.jsonl") if "generative" not in path.name
    ]
    made_from = read_trials(source, island).frame()
    frame = trials.frame()
    assert trials.units.index.tolist() == ["org/tiny-random-llama"]
    assert frame["item"].tolist() == made_from["item"].tolist()
    assert frame["prediction"].tolist() == made_from["prediction"].tolist()
    assert frame["scores"].map(list).tolist() == made_from["scores"].map(list).tolist()
    facts = trials.account.to_frame("comparability").iloc[0]
    assert (facts["scoring"], facts["shots"], facts["date"]) == ("log-probability, label", "0", "2026-11-30")
    assert set(trials.account.to_frame("duplicates")["resolved_by"]) == {"texts of the question"}
    assert any("size 10864" in line for line in trials.account.meta["warnings"])
    assert sum("do not show every option" in line for line in trials.account.meta["warnings"]) == 2
    assert len(read_trials(folder, island, drop_hidden_options=True)) == 11


def test_the_task_tells_items_of_one_id_apart(tmp_path, tiny):
    details(tmp_path, nested("x1"), task="tiny:one")
    details(tmp_path, nested("x1", gold=2, scores="[-3.0, -2.0, -1.0, -4.0]"), task="tiny:two")
    trials = read_trials(tmp_path, tiny)
    assert trials.frame()[["item", "prediction"]].values.tolist() == [["One/x1", 0], ["Two/x1", 2]]
    assert set(trials.account.to_frame("duplicates")["resolved_by"]) == {"name of the task"}


def test_rankings_of_option_texts_and_shots(tmp_path, tiny):
    path = details(tmp_path, nested("a2", gold="[1]", choices="['w', 'x', 'y', 'z']"), shots=5)
    trials = read_trials(path, tiny)
    assert trials.units["condition"].tolist() == ["5-shot"]
    facts = trials.account.to_frame("comparability").iloc[0]
    assert (facts["scoring"], facts["shots"]) == ("log-probability, option", "5")
    assert any("own score" in line for line in trials.account.meta["warnings"])  # acc says 1, the answer is wrong


def test_texts_are_read_by_a_policy_and_samples_are_replicates(tmp_path, tiny):
    path = details(tmp_path, nested("a1", scores="[]::DOUBLE[]", texts="['Answer: C', 'Answer: A']"))
    with pytest.raises(DataError) as caught:
        read_trials(path, tiny)
    assert "--reparse" in caught.value.do
    frame = read_trials(path, tiny, reparse="paper").frame()
    assert frame[["replicate", "prediction"]].values.tolist() == [[0, 2], [1, 0]]


def test_flat_layout_without_ids_finds_items_by_their_texts(tmp_path, island):
    row = island.frame.loc["Functional/PSE_korean_901"]
    options = ", ".join(f"'{option}'" for option in row["options"])
    sql = (
        f"SELECT '{row['question']}' AS example, [{options}] AS choices, [{row['gold']}] AS gold_index, "
        "[-1.0, -0.5, -2.0, -3.0] AS predictions"
    )
    frame = read_trials(details(tmp_path, sql), island).frame()
    assert frame[["item", "prediction"]].values.tolist() == [["Functional/PSE_korean_901", 1]]


def test_rows_without_any_id_are_left_out_or_refused(tmp_path, tiny):
    sql = "SELECT 'x' AS example, ['A', 'B'] AS choices, [0] AS gold_index, [-1.0, -2.0] AS predictions"
    with pytest.raises(DataError, match="No id"):
        read_trials(details(tmp_path, sql), tiny)


def test_details_have_no_filters(tmp_path, tiny):
    with pytest.raises(UsageError, match="No file has a filter"):
        read_trials(details(tmp_path, nested("a1")), tiny, filter="strict")


def test_damaged_details_name_the_file(tmp_path, tiny):
    path = details(tmp_path, nested("a1"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="cannot be read"):
        read_trials(path, tiny)
