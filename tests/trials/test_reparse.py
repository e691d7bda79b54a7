"""Answers read again from responses: what changes, what stays, and what the account says of it."""

import pandas as pd
import pytest

from click_stats.errors import DataError, UsageError
from click_stats.items import read_items
from click_stats.trials import Trials, read_trials
from click_stats.trials.extraction import NO_ANSWERS

HEADER = "id,trial,answer,pred,response\n"
TEXTS = """{"id": "t1", "category": "One", "source": "S", "question": "?", "options": ["산", "강", "바다", "들"], "answer": "강"}
{"id": "t2", "category": "One", "source": "S", "question": "?", "options": ["봄", "가을", "봄", "겨울"], "answer": "가을"}
{"id": "t3", "category": "Two", "source": "S", "question": "?", "options": ["하나", "둘", "셋", "넷"], "answer": "넷"}
"""


@pytest.fixture
def with_texts(write):
    write("d.toml", 'name = "T"\ndomains = [{ name = "D" }]\ncategories = [{ name = "One", domain = "D" }, '
          '{ name = "Two", domain = "D" }]\n')  # fmt: skip
    items = write("items.jsonl", TEXTS)
    return read_items(items, items.parent / "d.toml")


def answers(trials):
    """(item, rotation) -> status, prediction, rule, policy."""
    frame = trials.frame().astype(object)
    frame = frame.where(frame.notna(), None)
    return {
        (row.item, row.rotation): (row.status, row.prediction, row.rule, row.policy)
        for row in frame[["item", "rotation", "status", "prediction", "rule", "policy"]].itertuples()
    }


def test_answers_are_read_again_where_there_is_a_response(read):
    content = HEADER + (
        "a1,0,A,B,정답: A\n"  # another answer
        "a2,0,B,B,(b)\n"  # the same
        "a3,0,C,,C입니다\n"  # one the file did not find
        'b1,0,D,D,"A, D"\n'  # one that is none
        "b2,0,C,C,[cut]\n"  # withheld
        "b3,0,B,B,\n"  # no response
        "b4,0,A,FAILED,BAD_REQUEST_ERROR\n"
        "a4,0,E,,[EMPTY_RESPONSE]\n"
    )
    trials = read(content, reparse="paper")
    assert answers(trials) == {
        ("One/a1", 0): ("ok", 0, "cue", "paper"),
        ("One/a2", 0): ("ok", 1, "whole_label", "paper"),
        ("One/a3", 0): ("ok", 2, "single_label", "paper"),
        ("Two/b1", 0): ("out_of_option", None, "single_label", "paper"),
        ("Two/b2", 0): ("ok", 2, None, "logged"),
        ("Two/b3", 0): ("ok", 1, None, "logged"),
        ("Two/b4", 0): ("failed", None, None, "logged"),
        ("One/a4", 0): ("empty", None, None, "logged"),
    }
    table = trials.account.to_frame("reparsed")
    assert table[["unit", "item", "label_logged", "label_read", "rule", "n_rows"]].to_numpy().tolist() == [
        ["m", "One/a1", "B", "A", "cue", 1],
        ["m", "One/a3", "out_of_option", "C", "single_label", 1],
        ["m", "Two/b1", "D", "out_of_option", "single_label", 1],
    ]
    warnings = trials.account.meta["warnings"]
    assert "Answers were read again from 4 responses (policy paper): 3 differ from the files' own." in warnings
    assert "2 answers have no response that can be read and stay as the files state them." in warnings
    assert "The option texts are not at hand: from responses only labels were read." in warnings


def test_without_a_policy_nothing_is_read_again(read):
    trials = read(HEADER + "a1,0,A,B,정답: A\n")
    assert answers(trials) == {("One/a1", 0): ("ok", 1, None, "logged")}
    assert "reparsed" not in trials.account.tables
    assert not any("read again" in warning for warning in trials.account.meta["warnings"])


def test_files_of_responses_only_are_read_with_a_policy(read):
    for name, content in (
        ("m.csv", "id,response\na1,정답: A\na2,글쎄요\n"),
        ("m.csv", "model,id,output\nm,a1,A\nm,a2,?\n"),
    ):
        with pytest.raises(DataError, match="responses but no column"):
            read(content, name)
        trials = read(content, name, reparse="paper")
        assert [row[:2] for row in answers(trials).values()] == [("ok", 0), ("out_of_option", None)]
        assert trials.account.to_frame("reparsed").empty, "the file states no answer to differ from"


def test_mapped_columns_of_responses(read):
    content = '{"model": "m", "q": "a1", "said": "B"}\n'
    with pytest.raises(DataError, match="responses but no column"):
        read(content, "m.jsonl", columns={"id": "q", "text": "said"})
    trials = read(content, "m.jsonl", columns={"id": "q", "text": "said"}, reparse="lenient")
    assert answers(trials) == {("One/a1", 0): ("ok", 1, "whole_label", "lenient")}


def test_rotated_options_are_mapped_back(write, with_texts):
    rows = "model,id,rotation,label,response\nm,t1,1,A,A\nm,t1,3,B,정답은 산입니다\nm,t1,2,D,D. 강\nm,t3,1,A,②\n"
    path = write("m.csv", rows)
    trials = read_trials(path, with_texts, reparse="lenient")
    assert answers(trials) == {
        ("One/t1", 1): ("ok", 1, "whole_label", "lenient"),
        ("One/t1", 3): ("ok", 0, "cue", "lenient"),
        ("One/t1", 2): ("ok", 1, "label_line", "lenient"),
        ("Two/t3", 1): ("ok", 2, "whole_ordinal", "lenient"),
    }
    table = trials.account.to_frame("reparsed")
    assert table[["item", "label_logged", "label_read"]].to_numpy().tolist() == [["Two/t3", "A", "B"]]
    assert not any("texts are not at hand" in warning for warning in trials.account.meta["warnings"])


def test_a_finish_by_length_is_read_too(write, with_texts):
    rows = "model,id,response,finish_reason\nm,t1,산과 강은,length\nm,t2,산과 강은,stop\nm,t3,,length\n"
    found = answers(read_trials(write("m.csv", rows), with_texts, reparse="paper"))
    assert [row[0] for row in found.values()] == ["truncated", "out_of_option", "empty"]


def test_repeated_rows_with_one_answer_stay_one_trial(read):
    trials = read(HEADER + "a1,0,A,A,정답: B\na1,0,A,A,B\n", reparse="paper")
    assert len(trials) == 1
    assert trials.account.to_frame("dropped")["n_rows"].tolist() == [1]


def test_frames_are_read_again_too(tiny):
    frame = pd.DataFrame({"model": "m", "id": ["a1", "a2"], "response": ["B", "정답: C"]})
    with pytest.raises(DataError):
        Trials.from_frame(frame, tiny)
    trials = Trials.from_frame(frame, tiny, reparse="paper")
    assert [row[1] for row in answers(trials).values()] == [1, 2]


@pytest.mark.parametrize("policy", ["logged", "strict", ""])
def test_an_unknown_policy_is_refused(read, tiny, policy):
    with pytest.raises(UsageError, match="no extraction policy"):
        read(HEADER + "a1,0,A,A,A\n", reparse=policy)
    with pytest.raises(UsageError, match="no extraction policy"):
        Trials.from_frame(pd.DataFrame({"model": ["m"], "id": ["a1"], "label": ["A"]}), tiny, reparse=policy)


# ---- policies side by side ----
def test_accuracies_under_all_policies(write, with_texts):
    rows = (
        "model,id,replicate,label,response\n"
        "m,t1,0,B,정답: 강\n"  # right under all
        "m,t1,1,,②\n"  # right under lenient only
        "m,t3,0,D,D 또는 A\n"  # right as logged only
        "m,t2,0,B,\n"  # right, nothing to read
        "n,t1,0,A,A\n"
        "n,t3,0,FAILED,D\n"  # no answer: never read
    )
    trials = read_trials(write("x.csv", rows), with_texts, reparse="paper")
    table = trials.extraction().to_frame("policies").set_index(["unit", "policy"]).sort_index()
    estimates = table["estimate"]
    assert estimates["m", "paper"] == pytest.approx((0.5 + 0 + 1) / 3)
    assert estimates["m", "lenient"] == pytest.approx((1 + 0 + 1) / 3)
    assert estimates["m", "logged"] == pytest.approx((0.5 + 1 + 1) / 3)
    assert table.loc[("m", "paper"), ["n_items", "n_trials", "n_ok", "n_out_of_option"]].tolist() == [3, 4, 2, 2]
    assert table.loc[("n", "paper"), ["estimate", "n_items", "n_trials"]].tolist() == [0, 1, 1]
    rules = trials.extraction().to_frame("rules").set_index(["unit", "policy", "rule"]).sort_index()
    assert rules.loc[("m", "lenient"), "n_trials"].to_dict() == {
        "cue": 1, "whole_ordinal": 1, "single_label": 1, "logged": 1,
    }  # fmt: skip
    assert rules.loc[("m", "logged"), "n_trials"].to_dict() == {"not stated": 4}
    assert rules.groupby(["unit", "policy"])["share"].sum().tolist() == pytest.approx([1] * 6)


def test_policies_do_not_depend_on_how_the_trials_were_read(read):
    content = HEADER + "a1,0,A,B,정답: A\na2,0,B,B,(b)\nb1,0,D,D,[cut]\n"
    tables = [read(content, reparse=policy).extraction().to_frame("policies") for policy in (None, "paper", "lenient")]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_units_are_shown_in_the_order_asked(write, tiny):
    path = write("x.csv", "model,id,label,response\na,a1,A,A\nb,a1,A,B\n")
    shown = read_trials(path, tiny).extraction(["b", "a"]).to_frame("policies")
    assert list(dict.fromkeys(shown["unit"])) == ["b", "a"]
    assert set(read_trials(path, tiny).extraction(["b"]).to_frame("rules")["unit"]) == {"b"}


def test_without_stated_answers_the_logged_accuracy_is_undefined_with_a_reason(read):
    table = read("id,response\na1,A\n", reparse="paper").extraction().to_frame("policies").set_index("policy")
    assert table["estimate"].isna().to_dict() == {"paper": False, "lenient": False, "logged": True}
    assert table.loc["logged", "reason"] == NO_ANSWERS


def test_without_responses_there_is_nothing_to_show(read):
    assert read("id,pred\na1,A\n").extraction() is None
    assert read(HEADER + "a1,0,A,FAILED,BAD_REQUEST_ERROR\na2,0,B,B,[cut]\n").extraction() is None


def test_rules_of_our_own_runs_are_kept(read):
    content = "model,id,prediction,response,rule,policy\nm,a1,0,A,whole_label,paper\n"
    rules = read(content).extraction().to_frame("rules").set_index("policy")
    assert rules.loc["logged", "rule"] == "whole_label"


def test_gold_of_other_items_scores_anew(write, tiny, tmp_path):
    trials = read_trials(write("x.csv", "model,id,label,response\na,a1,A,A\na,a2,A,A\n"), tiny)
    frame = tiny.frame.copy()
    frame.loc["One/a2", "gold"] = 0
    import dataclasses

    corrected = trials.with_items(dataclasses.replace(tiny, frame=frame))
    assert trials.extraction().to_frame("policies")["estimate"].tolist() == [0.5] * 3
    assert corrected.extraction().to_frame("policies")["estimate"].tolist() == [1.0] * 3


def test_the_real_responses_agree_with_the_producers_answers(click):
    from pathlib import Path

    trials = read_trials(Path(__file__).parents[2] / "fixtures" / "real-results", click, reparse="paper")
    table = trials.account.to_frame("reparsed")
    assert table["n_rows"].sum() == 5
    assert dict(zip(table["item"], table["label_read"], strict=True)) == {
        "Grammar/CSAT_korean_18_15": "B",  # '(b)'
        **dict.fromkeys(
            ("Society/KIIP_society_206", "Society/KIIP_society_247", "Society/KIIP_society_43"), "out_of_option"
        ),  # 'A, D'
        "Tradition/KIIP_tradition_36": "out_of_option",
    }
    assert (trials.frame()["policy"] == "paper").sum() == 38_482
