"""The plan: how many trials, which keys, and a digest that changes with all that is asked."""

import json
from dataclasses import replace

import pytest

from click_stats import accuracy, read_trials
from click_stats.errors import DataError, UsageError
from click_stats.items import ItemTable
from click_stats.protocol import Protocol, plan, read_protocol


@pytest.mark.parametrize(
    ("name", "n_trials", "n_sequences"),
    [
        ("paper", 24_708, 102_672),
        ("three-rotations", 5_985, 24_708),
        ("single", 1_995, 8_236),
        ("choices-only", 8_236, 34_224),
        ("question-only", 1_582, None),
    ],
)
def test_the_size_of_each_protocol_over_click(click, name, n_trials, n_sequences):
    found = plan(read_protocol(name), click, needs_text=False)
    assert len(found) == found.n_prompts == n_trials
    if n_sequences:
        assert found.n_sequences == n_sequences
    keys = [request.key for group in found.groups() for request in group]
    assert len(keys) == len(set(keys)) == n_trials
    assert sum(1 for _ in found.groups()) == found.n_groups


def test_question_only_asks_the_353_items_with_a_passage(click):
    found = plan(read_protocol("question-only"), click, needs_text=False)
    assert found.facts()["n_items"] == 353
    unknown = ItemTable(click.frame.assign(has_passage=None), click.definition)
    with pytest.raises(DataError, match="not known which items have a passage"):
        plan(read_protocol("question-only"), unknown, needs_text=False)


def test_groups_hold_one_item_in_one_wording(invented):
    found = plan(read_protocol("paper"), invented, replicates=2)
    seen = []
    for group in found.groups():
        assert len({(request.item, request.wording) for request in group}) == 1
        assert len(group) == 2 * group[0].n_options
        assert [request.replicate for request in group[:2]] == [0, 1]
        assert group[0].prompt == group[1].prompt
        assert all(len(request.shown) == request.n_options == len(request.labels) for request in group)
        seen.append((group[0].item, group[0].wording))
    assert len(seen) == len(set(seen)) == found.n_groups == 3 * len(invented)
    assert len(found) == 2 * found.n_prompts


def test_without_texts_there_are_keys_only(click):
    found = plan(read_protocol("single"), click, needs_text=False)
    (request,) = next(found.groups())
    assert (request.prompt, request.shown, request.labels) == (None, (), ("A", "B", "C", "D"))
    with pytest.raises(DataError, match="needs the texts"):
        plan(read_protocol("single"), click)


def changed(items, column, item, value):
    frame = items.frame.copy()
    frame.at[item, column] = value
    return replace(items, frame=frame)


def test_the_digest_is_stable_and_independent_of_the_order_of_items(invented):
    found = plan(read_protocol("paper"), invented).digest
    assert found == plan(read_protocol("paper"), invented).digest
    assert len(found) == 16
    assert int(found, 16) >= 0
    shuffled = ItemTable(invented.frame.sample(frac=1, random_state=3), invented.definition)
    assert plan(read_protocol("paper"), shuffled).digest == found


def test_the_digest_of_the_packaged_protocol_over_the_packaged_keys(click):
    """Run folders go on with the same digest only: change it on purpose (with plan.FORM), never by the way."""
    assert plan(read_protocol("paper"), click, needs_text=False).digest == DIGEST


DIGEST = "3571b4d60b06a8a8"


def test_the_digest_changes_with_all_that_is_asked(invented):
    item = str(invented.frame.index[0])
    other = str(invented.frame.index[-1])
    base = Protocol(name="own", wordings=("1",), rotations=2)
    wording = {"x": {"instruction": "{labels}", "lines": ("{question}", "{options}", "답:")}}
    changes = [
        plan(base, invented),
        plan(base.model_copy(update={"wordings": ("2",)}), invented),
        plan(base.model_copy(update={"wordings": ("1", "2")}), invented),
        plan(base.model_copy(update={"rotations": 1}), invented),
        plan(base.model_copy(update={"rotations": "all"}), invented),
        plan(base.model_copy(update={"shown": "choices"}), invented),
        plan(base.model_copy(update={"system": "조교"}), invented),
        plan(base.model_copy(update={"chat_template": True}), invented),
        plan(base, invented, replicates=2),
        plan(base, invented, needs_text=False),
        plan(Protocol(name="own", rotations=2, chain_of_thought={}), invented),
        plan(Protocol(name="own", rotations=2, chain_of_thought={"cue": "생각:"}), invented),
        plan(Protocol(name="own", rotations=2, few_shot={"n": 1}), invented),
        plan(Protocol(name="own", rotations=2, few_shot={"n": 1, "seed": 1}), invented),
        plan(Protocol(name="own", rotations=2, wordings=("x",), wording=wording), invented),
        plan(
            Protocol(name="own", rotations=2, wordings=("x",), wording={"x": {**wording["x"], "separator": "\n"}}),
            invented,
        ),
        plan(base, changed(invented, "question", item, "다른 질문?")),
        plan(base, changed(invented, "passage", other, "다른 글")),
        plan(base, replace(invented, frame=invented.frame.drop(index=[item]))),
    ]
    digests = [found.digest for found in changes]
    assert len(set(digests)) == len(digests)


def test_the_digest_does_not_change_with_what_is_not_asked(invented):
    base = Protocol(name="own", rotations=2)
    found = plan(base, invented).digest
    item = str(invented.frame.index[0])
    unused = {"x": {"instruction": "{labels}", "lines": ("{question}", "{options}", "답:")}}
    assert plan(Protocol(name="b", title="t", note="n", rotations=2, wording=unused), invented).digest == found
    corrected = changed(invented, "gold", item, 0 if invented.frame.loc[item, "gold"] else 1)
    assert plan(base, corrected).digest == found  # a corrected key re-scores old runs
    shots = Protocol(name="own", rotations=2, few_shot={"n": 1})
    assert plan(shots, corrected).digest != plan(shots, invented).digest  # examples show it


def test_facts_say_whose_the_wordings_are_and_hold_no_text(invented):
    facts = plan(read_protocol("paper"), invented).facts()
    assert [entry["origin"] for entry in facts["wordings"]] == ["paper", "click-stats", "click-stats"]
    assert "Wordings by click-stats, not the paper's: 2, 3." in facts["remarks"]
    written = json.dumps(facts, ensure_ascii=False)  # a manifest can hold it
    assert not any(question in written for question in invented.frame["question"])
    assert facts["plan_digest"] == plan(read_protocol("paper"), invented).digest


def test_written_prompts_hold_all_that_another_runner_needs(invented, tmp_path):
    found = plan(read_protocol("paper"), invented)
    path = tmp_path / "prompts.jsonl"
    assert found.write_prompts(path) == len(found)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(found)
    for line in lines:
        row = invented.frame.loc[line["item"]]
        assert tuple(row["options"][original] for original in line["original"]) == tuple(line["options"])
        assert line["original"][line["labels"].index(line["gold_label"])] == row["gold"]
        assert f"{line['gold_label']}: {row['options'][row['gold']]}" in line["prompt"]
    with pytest.raises(UsageError, match="exists"):
        found.write_prompts(path)
    assert found.write_prompts(path, force=True) == len(found)
    assert [entry.name for entry in tmp_path.iterdir()] == ["prompts.jsonl"]


def test_answers_of_another_runner_can_be_imported(invented, tmp_path):
    prompts, answers = tmp_path / "prompts.jsonl", tmp_path / "answers.jsonl"
    found = plan(read_protocol("paper"), invented)
    found.write_prompts(prompts)
    lines = [json.loads(line) for line in prompts.read_text(encoding="utf-8").splitlines()]
    with answers.open("w", encoding="utf-8") as file:
        for line in lines:
            wrong = line["labels"][line["labels"].index(line["gold_label"]) - 1]
            label = wrong if line["wording"] == "3" else line["gold_label"]
            file.write(json.dumps({**line, "model": "other", "label": label}, ensure_ascii=False) + "\n")
    trials = read_trials(answers, invented)
    frame = trials.frame()
    assert len(frame) == len(found)
    estimates = accuracy(trials, by="overall").to_frame()
    assert estimates["estimate"].tolist() == pytest.approx([2 / 3])


def test_prompts_of_a_plan_without_texts_are_not_written(click, tmp_path):
    with pytest.raises(DataError, match="needs the texts"):
        plan(read_protocol("single"), click, needs_text=False).write_prompts(tmp_path / "prompts.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_a_plan_made_without_prompts_does_not_write_any(invented, tmp_path):
    with pytest.raises(UsageError, match="without prompts"):
        plan(read_protocol("single"), invented, needs_text=False).write_prompts(tmp_path / "prompts.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_nothing_to_ask_is_an_error(read, entries):
    items = read(entries(1), entries(2))
    with pytest.raises(DataError, match="nothing to ask") as caught:
        plan(read_protocol("question-only"), items)
    assert caught.value.found == "2 items, none with a passage"
    with pytest.raises(UsageError, match="at least once"):
        plan(read_protocol("single"), items, replicates=0)


def test_characters_are_those_of_prompts_and_system_prompts(read, entries):
    items = read(entries(1), entries(2, n=5))
    protocol = Protocol(name="own", rotations=2, system="조교", replicates=3)
    found = plan(protocol, items)
    assert found.n_chars == 3 * sum(
        len(request.prompt) + 2 for group in found.groups() for request in group if request.replicate == 0
    )
    assert plan(protocol, items, needs_text=False).n_chars == 0
