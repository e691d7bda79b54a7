import json
import shutil
from pathlib import Path

import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import read_items
from click_stats.trials import read_trials

LOGS = Path(__file__).parents[2] / "fixtures" / "harness-logs"
NEW, OLD = LOGS / "lm-eval" / "tiny-random-llama", LOGS / "lm-eval-old"
STAMP = "2026-11-30T01-02-03.000004"


@pytest.fixture(scope="module")
def island():
    return read_items(LOGS / "items.jsonl")


def ranked_files(folder):
    return [path for path in sorted(folder.glob("*.jsonl")) if "generative" not in path.name]


def sample(id_, scores, *, target="A", choices=None, filter="none", number=0, **more):  # noqa: A002
    options = choices or [f"{id_} {mark}" for mark in "ABCDE"[: len(scores)]]
    doc = {"id": id_, "question": f"What of {id_}?", "choices": options}
    shown = ", ".join(f"{mark}: {text}" for mark, text in zip("ABCDE", options, strict=False))
    requests = {f"gen_args_{i}": {"arg_0": shown, "arg_1": f" {'ABCDE'[i]}"} for i in range(len(scores))}
    kept = [[str(score), "False"] for score in scores]
    row = {"doc_id": number, "doc": doc, "target": target, "arguments": requests, "resps": [kept]}
    return row | {"filtered_resps": kept, "filter": filter, "metrics": ["acc"]} | more


def log(folder, rows, task="tiny_one", name=None, results=None):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (name or f"samples_{task}_{STAMP}.jsonl")
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    if results is not None:
        (folder / f"results_{STAMP}.json").write_text(json.dumps({"results": {}, "config": {}} | results))
    return path


def right(trials):
    """item -> whether its one answer is right."""
    gold = trials.items.frame["gold"]
    return {row.item: row.status == "ok" and row.prediction == gold[row.item] for row in trials.frame().itertuples()}


@pytest.mark.parametrize("folder", [NEW, OLD])
def test_accuracy_of_each_task_is_that_of_the_harness(folder, island):
    results = json.loads(next(folder.glob("results*.json")).read_text(encoding="utf-8"))["results"]
    tasks = [task for task in results if "generative" not in task]
    assert len(tasks) == 5
    for task in tasks:
        trials = read_trials(next(folder.glob(f"*{task}*.jsonl")), island)
        found = right(trials)
        assert sum(found.values()) / len(found) == results[task]["acc,none"]
    assert {results[task]["acc,none"] for task in tasks} != {0.0}


def test_both_ages_of_the_log_give_the_same_trials(island):
    new, old = (read_trials(ranked_files(folder), island).frame() for folder in (NEW, OLD))
    assert len(new) == len(island) == 15
    assert new["item"].tolist() == old["item"].tolist()
    assert new["prediction"].tolist() == old["prediction"].tolist()
    for one, other in zip(new["scores"], old["scores"], strict=True):
        assert list(one) == pytest.approx(list(other), abs=1e-4)
    assert set(new["policy"]) == {"score"}
    best = [max(range(len(scores)), key=list(scores).__getitem__) for scores in new["scores"]]
    assert new["prediction"].tolist() == best
    assert new["scores"].map(len).tolist() == island.frame.loc[new["item"], "n_options"].tolist()


def test_texts_then_the_task_tell_items_of_one_id_apart(tmp_path, island, by_item):
    trials = read_trials(ranked_files(NEW), island)
    told = trials.account.to_frame("duplicates")
    assert set(told["resolved_by"]) == {"texts of the question"}
    # The harness's rule by ids puts the Functional copy of this item into its grammar task; the texts do not follow.
    moved = told[told["file"].str.contains("grammar") & (told["id"] == "CSAT_korean_13_911")]
    assert moved["item"].tolist() == ["Functional/CSAT_korean_13_911", "Grammar/CSAT_korean_13_911"]

    for path in ranked_files(NEW):
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        for line in lines:
            line["doc"] = {"id": line["doc"]["id"]}
            line["arguments"] = {}
        log(tmp_path / "m", lines, name=path.name)
    bare = read_trials(tmp_path, island)
    told = bare.account.to_frame("duplicates").set_index("id")["resolved_by"]
    assert set(told["Kedu_16_901"]) == {"name of the task"}
    assert told["CSAT_korean_13_911"] == "not resolved, left out"  # the task holds both
    answers, with_texts = by_item(bare), by_item(trials)
    assert answers["Functional/Kedu_16_901"] == with_texts["Functional/Kedu_16_901"]
    assert answers == {item: with_texts[item] for item in answers}
    assert len(answers) == 13


def test_numbers_and_booleans_written_as_text(tmp_path, tiny):
    # As text, "-28.9" sorts before "-3.1"; as a truth value, "False" is true.
    rows = [sample("a1", ["-28.9", "-3.1", "-100", "-4"]), sample("a2", [-28.9, -3.1, -100.0, -4.0], number=1)]
    rows[0]["filtered_resps"] = [["-28.9", "False"], ["-3.1", "True"], ["-100", "False"], ["-4", "False"]]
    rows[1]["filtered_resps"] = [[-28.9, False], [-3.1, True], [-100.0, False], [-4.0, False]]
    rows[1]["target"] = "B"
    frame = read_trials(log(tmp_path, rows), tiny).frame()
    assert frame["prediction"].tolist() == [1, 1]
    assert frame["scores"].map(list).tolist() == [[-28.9, -3.1, -100.0, -4.0]] * 2


def test_a_filter_must_be_chosen_by_name(tmp_path, tiny, by_item):
    texts = [("strict", "a1", "A"), ("strict", "a2", "[invalid]"), ("flexible", "a1", "B"), ("flexible", "a2", "b")]
    rows = []
    for name, id_, taken in texts:
        row = sample(id_, [0, 0, 0, 0], filter=name, target="AB"[id_ == "a2"], number=int(id_[1]))
        rows.append(row | {"resps": [[f"I say {taken}"]], "filtered_resps": [taken]})
    path = log(tmp_path, rows)
    with pytest.raises(UsageError, match="several filters") as caught:
        read_trials(path, tiny)
    assert caught.value.found == "flexible, strict"
    assert "--filter" in caught.value.do
    with pytest.raises(UsageError, match="no filter 'loose'"):
        read_trials(path, tiny, filter="loose")
    strict = read_trials(path, tiny, filter="strict")
    assert by_item(strict) == {"One/a1": ("ok", 0), "One/a2": ("out_of_option", None)}
    assert strict.frame()["text"].tolist() == ["I say A", "I say [invalid]"]
    assert strict.units.index.tolist() == [f"{tmp_path.name} (strict)"]
    dropped = strict.account.to_frame("dropped")
    assert dropped[["reason", "n_rows"]].values.tolist() == [["other filter", 2]]
    flexible = read_trials(path, tiny, filter="flexible").frame()
    assert flexible["prediction"].tolist() == [1, 1]
    assert set(flexible["rule"]) == {"flexible"}


def test_rankings_beside_a_filtered_task_need_no_filter(tmp_path, island, read):
    trials = read_trials(NEW, island, filter="flexible")
    assert trials.units.index.tolist() == ["tiny-random-llama", "tiny-random-llama (flexible)"]
    with pytest.raises(UsageError, match="several filters"):
        read_trials(NEW, island)
    with pytest.raises(UsageError, match="No file has a filter"):
        read_trials(ranked_files(NEW), island, filter="flexible")
    with pytest.raises(UsageError, match="No file has a filter"):
        read("id,pred\na1,A\n", filter="flexible")


def test_hidden_options_are_told_and_can_be_left_out(island):
    trials = read_trials(ranked_files(NEW), island)
    warned = [line for line in trials.account.meta["warnings"] if "do not show every option" in line]
    assert len(warned) == 2
    text = next(line for line in warned if "lang_text" in line)
    assert "2 trials of 2 items, 1 of them without the right one" in text
    assert "--drop-hidden-options" in text
    left = read_trials(ranked_files(NEW), island, drop_hidden_options=True)
    assert len(left) == 11
    assert not set(island.frame.index[island.frame["n_options"] == 5]) & set(left.frame()["item"])
    dropped = left.account.to_frame("dropped")
    assert set(dropped["reason"]) == {"an option was not shown"}
    assert dropped["n_rows"].sum() == 4
    sources = left.account.to_frame("sources")
    assert (sources["rows_read"].sum(), sources["rows_kept"].sum()) == (15, 11)


def test_a_file_of_nothing_but_hidden_options_leaves_the_others(tmp_path, tiny):
    hidden = sample("a4", [-1.0, -2.0, -3.0, -4.0, -5.0], target="E")
    for part in hidden["arguments"].values():
        part["arg_0"] = part["arg_0"].partition(", E:")[0]
    log(tmp_path / "m", [hidden], task="tiny_one")
    with pytest.raises(DataError, match="Every row was left out"):
        read_trials(tmp_path, tiny, drop_hidden_options=True)
    log(tmp_path / "m", [sample("b1", [-1.0, -2.0, -3.0, -4.0], target="D")], task="tiny_two")
    trials = read_trials(tmp_path, tiny, drop_hidden_options=True)
    assert trials.frame()["item"].tolist() == ["Two/b1"]
    assert len(read_trials(tmp_path, tiny)) == 2


def test_options_shown_in_full_raise_no_warning(tmp_path, tiny):
    rows = [sample("a4", [-1.0, -2.0, -3.0, -4.0, -5.0], target="E")]
    account = read_trials(log(tmp_path, rows), tiny).account
    assert not [line for line in account.meta["warnings"] if "show every option" in line]


def test_every_item_of_the_harness_click_tasks_is_found_by_keys_alone(tmp_path, click):
    """Logs of the real tasks without any text: 1,995 rows in 11 files, named and filled as the harness does."""
    tasks = {"Popular": "cul_kpop", "Textual": "lang_text", "Functional": "lang_function", "Grammar": "lang_grammar"}
    copies = ("Functional/CSAT_korean_13_11", "Grammar/CSAT_korean_13_11")
    files = {}
    for item, row in click.frame.iterrows():
        category = "Grammar" if item in copies else row["category"]
        task = "click_" + tasks.get(category, f"cul_{category.lower()}")
        scores = [[f"-{1 + (option != row['gold'])}.5", "False"] for option in range(row["n_options"])]
        line = {"doc_id": 0, "doc": {"id": row["id"]}, "target": "ABCDE"[row["gold"]], "arguments": {}}
        files.setdefault(task, []).append(line | {"resps": [scores], "filtered_resps": scores, "filter": "none"})
    for task, lines in files.items():
        log(tmp_path / "org__model", lines, task=task)
    trials = read_trials(tmp_path, click)
    assert trials.units.index.tolist() == ["org/model"]
    found = right(trials)
    assert set(found) == set(click.frame.index) - set(copies)
    assert all(found.values())
    warnings = trials.account.meta["warnings"]
    hidden = [line for line in warnings if "do not show every option" in line]
    counts = [
        [int(word.replace(",", "")) for word in line.split() if word.replace(",", "").isdigit()] for line in hidden
    ]
    # 256 items with five options, of which the two copies share one id; E is the answer of 49.
    assert sum(n_trials for n_trials, *_ in counts) == 256
    assert sum(n_gold for *_, n_gold in counts) == 49


@pytest.mark.dataset
def test_every_item_is_found_by_its_texts_and_hidden_options_by_the_prompt(tmp_path, dataset_path):
    """All questions in one task whose name tells nothing, asked as the harness asks them."""
    items = read_items(dataset_path)
    lines = []
    for path in sorted(dataset_path.rglob("*.json")):
        for doc in json.loads(path.read_text(encoding="utf-8")):
            options = [option.strip() for option in doc["choices"]]
            gold = options.index(doc["answer"].strip())
            shown = ", ".join(f"{mark}: {text}" for mark, text in zip("ABCD", doc["choices"], strict=False))
            prompt = f"{doc.get('paragraph') or ''}\n{doc['question']}\nA, B, C, D\n{shown}\n:"
            letters = "ABCDE"[: len(options)]
            requests = {f"gen_args_{i}": {"arg_0": prompt, "arg_1": f" {mark}"} for i, mark in enumerate(letters)}
            kept = [[f"-{1 + (option != gold)}.5", "False"] for option in range(len(options))]
            line = {"doc_id": len(lines), "doc": doc, "target": letters[gold], "arguments": requests}
            lines.append(line | {"resps": [kept], "filtered_resps": kept, "filter": "none", "acc": 1.0})
    path = log(tmp_path / "m", lines, task="all")
    trials = read_trials(path, items)
    found = right(trials)
    assert len(found) == len(trials) == len(items) == 1995
    assert all(found.values())
    assert trials.account.to_frame("gold").empty
    warning = next(line for line in trials.account.meta["warnings"] if "do not show every option" in line)
    assert "256 trials of 256 items, 49 of them" in warning
    assert not any("own score" in line for line in trials.account.meta["warnings"])
    left = read_trials(path, items, drop_hidden_options=True)
    assert len(left) == 1995 - 256
    assert not left.frame()["item"].map(items.frame["n_options"]).eq(5).any()


def test_ties_are_settled_by_the_key_and_told(tmp_path, tiny):
    rows = [sample(id_, [-1.0] * 4, target=mark) for id_, mark in zip(("a1", "a2", "a3"), "ABC", strict=True)]
    first = read_trials(log(tmp_path / "one", rows), tiny)
    again = read_trials(log(tmp_path / "two" / "one", list(reversed(rows))), tiny)
    assert first.frame()["prediction"].tolist() == again.frame()["prediction"].tolist()
    assert set(first.frame()["rule"]) == {"tie"}
    assert any("In 3 of 3 ranked trials" in line for line in first.account.meta["warnings"])


@pytest.mark.parametrize("score", ["nan", "-inf"])
def test_scores_that_rank_nothing_are_failures(tmp_path, tiny, score):
    rows = [sample("a1", [score] * 4), sample("a2", [-1.0, -2.0, "-inf", -3.0], target="B")]
    frame = read_trials(log(tmp_path, rows), tiny).frame()
    assert frame["status"].tolist() == ["failed", "ok"]
    assert frame["prediction"].iloc[1] == 0


def test_what_the_results_file_states(tmp_path, island, tiny):
    account = read_trials(ranked_files(NEW), island).account
    facts = account.to_frame("comparability").iloc[0]
    assert (facts["shots"], facts["decoding"]) == ("0", "none")
    assert (facts["scoring"], facts["order"]) == ("log-probability, label", "as in the source")
    assert len(facts["prompt_digest"]) == 16
    assert (
        facts["prompt_digest"]
        == (read_trials(ranked_files(OLD), island).account.to_frame("comparability")["prompt_digest"].iloc[0])
    )
    said = next(line for line in account.meta["warnings"] if "results file states" in line)
    for words in ("lm-evaluation-harness 0.4.13", "parameters 10,864", "dtype float32", "seeds 0, 1234, 1234, 1234"):
        assert words in said

    results = {
        "model_name": "/home/me/models/llama",
        "chat_template_sha": "abcdef0123456789abcdef",
        "n-shot": {"tiny_one": 5},
        "config": {"limit": 3},
        "configs": {"tiny_one": {"doc_to_text": "{{question}}", "num_fewshot": 5}},
    }
    trials = read_trials(log(tmp_path / "x", [sample("a1", [-1.0, -2.0, -3.0, -4.0])], results=results), tiny)
    assert trials.units.index.tolist() == ["llama (5-shot, chat template)"]
    assert any("chat template abcdef0123456789." in line for line in trials.account.meta["warnings"])
    assert any("limit 3" in line for line in trials.account.meta["warnings"])
    assert trials.account.to_frame("comparability")["shots"].tolist() == ["5"]


def test_prompts_of_tasks_that_differ_are_all_stated(tmp_path, tiny):
    configs = {"tiny_one": {"doc_to_text": "one"}, "tiny_two": {"doc_to_text": "two"}}
    log(tmp_path / "m", [sample("a1", [-1.0, -2.0, -3.0, -4.0])], results={"configs": configs})
    log(tmp_path / "m", [sample("b4", [-1.0, -2.0, -3.0, -4.0])], task="tiny_two")
    facts = read_trials(tmp_path, tiny).account.to_frame("comparability")
    assert len(facts["prompt_digest"].iloc[0].split("; ")) == 2


def test_a_prompt_known_by_address_only_is_not_stated(tmp_path, tiny):
    results = {"configs": {"tiny_one": {"doc_to_text": "<function text at 0x7f00>"}}}
    path = log(tmp_path / "m", [sample("a1", [-1.0, -2.0, -3.0, -4.0])], results=results)
    assert read_trials(path, tiny).account.to_frame("comparability")["prompt_digest"].tolist() == ["not stated"]


def test_without_a_results_file_the_folder_names_the_model(tmp_path, tiny):
    path = log(tmp_path / "org__llama", [sample("a1", [-1.0, -2.0, -3.0, -4.0])])
    trials = read_trials(path, tiny)
    assert trials.units.index.tolist() == ["org/llama"]
    assert any("no results file" in line for line in trials.account.meta["warnings"])
    old = log(
        tmp_path / "o", [sample("a1", [-1.0] * 3 + [0.0])], name="pretrained__org__llama,dtype__x_click_one.jsonl"
    )
    assert read_trials(old, tiny).units.index.tolist() == ["org/llama"]


def test_broken_logs(tmp_path, tiny):
    rows = [sample("a1", [-1.0, -2.0, -3.0, -4.0]), sample("a2", [-1.0, 0.0, -3.0, -4.0], target="B")]
    whole = log(tmp_path / "m", rows).read_text()
    path = tmp_path / "m" / f"samples_tiny_one_{STAMP}.jsonl"
    path.write_text(whole[:-40])
    trials = read_trials(path, tiny)
    assert len(trials) == 1
    assert trials.account.to_frame("dropped")[["reason", "examples"]].values.tolist() == [
        ["last line cut off", "line 2"]
    ]
    lines = whole.splitlines()
    path.write_text("\n".join([lines[0], "not json", '{"other": 1}', lines[1]]) + "\n")
    dropped = read_trials(path, tiny).account.to_frame("dropped")
    assert dropped[["reason", "n_rows"]].values.tolist() == [["no sample of the harness", 2]]
    path.write_text(json.dumps(rows, indent=2)[:-30])
    with pytest.raises(DataError, match="is no JSON"):
        read_trials(path, tiny)


def test_unfiltered_texts_are_read_by_a_policy(tmp_path, tiny):
    rows = [sample("a1", [0, 0, 0, 0]), sample("a2", [0, 0, 0, 0], target="B")]
    for row, text in zip(rows, ("A", "Answer: C"), strict=True):
        row |= {"resps": [[text]], "filtered_resps": [text]}
    path = log(tmp_path, rows)
    with pytest.raises(DataError) as caught:
        read_trials(path, tiny)
    assert "--reparse" in caught.value.do
    assert read_trials(path, tiny, reparse="paper").frame()["prediction"].tolist() == [0, 2]


def test_several_responses_are_replicates_and_texts_name_options(tmp_path, tiny):
    row = sample("a1", [0, 0, 0, 0], filter="take") | {
        "resps": [["I say B", "none"]],
        "filtered_resps": [["B", "a1 C"]],
    }
    frame = read_trials(log(tmp_path, [row]), tiny, filter="take").frame()
    assert frame["replicate"].tolist() == [0, 1]
    assert frame["prediction"].tolist() == [1, 2]


def test_a_log_whose_own_accuracy_is_another_is_told(tmp_path, tiny):
    rows = [sample("a1", [-1.0, -2.0, -3.0, -4.0], acc=0.0), sample("a2", [-1.0, 0.0, -3.0, -4.0], target="B", acc=1.0)]
    warnings = read_trials(log(tmp_path, rows), tiny).account.meta["warnings"]
    assert any("In 1 rows" in line and "own score" in line for line in warnings)


def test_another_gold_letter_stands_in_the_account(tmp_path, tiny):
    rows = [sample("a1", [-1.0, -2.0, -3.0, -4.0], target="C"), sample("a2", [-1.0, 0.0, -3.0, -4.0], target="B")]
    gold = read_trials(log(tmp_path, rows), tiny).account.to_frame("gold")
    assert gold[["item", "gold_file", "gold_items"]].values.tolist() == [["One/a1", "C", "A"]]


def test_ids_under_another_name(tmp_path, tiny):
    row = sample("a1", [-1.0, -2.0, -3.0, -4.0])
    row["doc"]["key"] = row["doc"].pop("id")
    path = log(tmp_path, [row])
    assert read_trials(path, tiny, columns={"id": "key"}).frame()["item"].tolist() == ["One/a1"]
    with pytest.raises(DataError, match="No id"):
        read_trials(path, tiny)


def test_an_unknown_id_with_known_texts_is_found(tmp_path, island):
    path = next(NEW.glob("*lang_function*"))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for place, line in enumerate(lines):
        line["doc"]["id"] = place
    found = read_trials(log(tmp_path / "m", lines), island).frame()["item"]
    assert found.tolist() == ["Functional/Kedu_16_901", "Functional/PSE_korean_901"]


def test_results_files_are_no_logs(tmp_path, island):
    with pytest.raises(DataError) as caught:
        read_trials(next(NEW.glob("results*.json")), island)
    assert "samples_*.jsonl" in caught.value.do
    shutil.copy(next(NEW.glob("results*.json")), tmp_path)
    with pytest.raises(DataError, match="holds no file"):
        read_trials(tmp_path, island)
