"""Answers read from responses: the shared cases, S01 to S16, and every rule and note of the extractor."""

import json
import unicodedata
from pathlib import Path

import pytest

from click_stats.answers import POLICIES, extract
from click_stats.answers.extract import NOTHING, UNCLOSED
from click_stats.answers.reading import CONFLICT, FOREIGN, ORDINAL
from click_stats.answers.rules import DENIED, DISCUSSED, RULES, SAME_TEXT, SEVERAL
from click_stats.errors import UsageError

FIXTURE = Path(__file__).parents[2] / "fixtures" / "extraction.jsonl"
CASES = [json.loads(line) for line in FIXTURE.read_text(encoding="utf-8").splitlines()]
PALACES = ("경복궁", "창덕궁", "덕수궁", "창경궁")
FEASTS = ("설날", "단오", "추석", "한식", "동지")
LABELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def label(found):
    return None if found.option is None else LABELS[found.option]


def read(text, options=PALACES, **settings):
    return extract(text, options, **settings)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_shared_cases(case, policy):
    ordinal = case["why"].startswith("[ordinal]") and policy == "paper"
    found = extract(case["response"], case["options"], policy=policy)
    assert label(found) == (None if ordinal else case["expected"])
    assert (found.status == "ok") == (found.option is not None)


def test_there_are_seventy_shared_cases():
    assert len({case["id"] for case in CASES}) == len(CASES) == 70


@pytest.mark.parametrize(
    ("case", "text", "expected"),
    [
        ("S01", "Answer:\n\nAnswer: C", "C"),
        ("S02", "The answer is B because a king lived there.", "B"),
        ("S02", "b", "B"),
        ("S03", "The answer is B. Note that A is a common distractor.", "B"),
        ("S04", "Answer: None of the above", None),
        ("S04", "I don't know.", None),
        ("S04", "The answer is debatable.", None),
        ("S05", "정답: **C**", "C"),
        ("S05", "ANSWER: $B$", "B"),
        ("S05", "Answer: [D]", "D"),
        ("S05", r"\boxed{A}", "A"),
        ("S06", "정답은 B입니다.", "B"),
        ("S06", "답은 (C) 입니다", "C"),
        ("S06", "D를 고르겠습니다.", "D"),
        ("S07", "", None),
        ("S07", "\n\n", None),
        ("S08", "<think>A일까 C일까. 정답은 A인 듯하다.</think>\nC", "C"),
        ("S08", "…아니다.</think>\n\n정답: D", "D"),
        ("S10", "A: 경복궁, B: 창덕궁, C: 덕수궁, D: 창경궁\n정답: B", "B"),
        ("S10", "A: 경복궁, B: 창덕궁, C: 덕수궁, D: 창경궁", None),
        ("S14", "정답은 A가 아니라 B입니다.", "B"),
        ("S14", "A는 정답이 아닙니다.", None),
        ("S14", "옳지 않은 것은 B입니다.", "B"),
        ("S15", "죄송하지만 답변을 드릴 수 없습니다.", None),
    ],
)
def test_reported_cases(case, text, expected):
    assert label(read(text)) == expected, case


def test_s09_reasoning_cut_off_is_truncated_and_not_an_answer():
    assert read(None, finish_reason="length")[:2] == (None, "truncated")
    cut = read("<think>먼저 A를 보면 정답은 B", finish_reason="length")
    assert cut == (None, "truncated", "none", UNCLOSED)


def test_s11_the_label_set_is_that_of_the_item():
    assert read("E")[:2] == (None, "out_of_option")
    assert read("E", FEASTS).option == 4
    assert read("정답: E")[1:] == ("out_of_option", "cue", FOREIGN)


def test_s12_an_option_that_is_part_of_another():
    banks = ("은행", "새마을상호은행", "보험사", "증권사")
    assert read("새마을상호은행", banks).option == 1
    assert read("정답은 새마을상호은행입니다", banks).option == 1
    assert read("정답은 은행이다", banks).option == 0
    assert read("정답은 은행나무이다", banks).option is None


def test_s13_normalised_texts_are_equal():
    options = ("한글은 세종 때 만들어졌다.", "나", "다", "라")
    response = unicodedata.normalize("NFD", '"한글은  세종 때 만들어졌다"')
    assert read(response, options) == (0, "ok", "whole_text", "")


@pytest.mark.parametrize(("text", "expected"), [("정답은 ④번입니다.", 3), ("3번", 2), ("정답: 나", 1)])
def test_s16_exam_marks_are_read_under_lenient_only(text, expected):
    assert read(text, policy="lenient").option == expected
    assert read(text)[:2] == (None, "out_of_option")


# ---- rules and notes ----
@pytest.mark.parametrize(
    ("text", "rule", "option", "note"),
    [
        (" (b). ", "whole_label", 1, ""),
        ("【덕수궁】", "whole_text", 2, ""),
        ("정답(Answer): **B**", "cue", 1, ""),
        ("정답: 창덕궁 (B)", "cue", 1, ""),
        ("정답: 창덕궁 (A)", "cue", 0, CONFLICT),
        ("정답: B. 덕수궁", "cue", 1, CONFLICT),
        ("정답: E", "cue", None, FOREIGN),
        ("정답: 2", "cue", None, ORDINAL),
        ("정답은 A와 D입니다.", "cue", None, SEVERAL),
        ("A와 D가 정답입니다.", "cue", None, SEVERAL),
        ("A는 옳다. 따라서 옳지 않은 것은 B이다.", "conclusion", 1, ""),
        ("Therefore, D. A is older.", "conclusion", 3, ""),
        ("B\n해설: A는 먼저, C는 나중에 지어졌다", "label_line", 1, ""),
        ("A는 먼저, C는 나중에 지어졌다\n**B. 창덕궁**", "label_line", 1, ""),
        ("창덕궁\nA는 경복궁, C는 덕수궁이다", "label_line", 1, ""),
        ("C) 1897년에 지어졌다. A는 1395년이다", "opening", 2, ""),
        ("그쪽은 B일 것이다", "single_label", 1, ""),
        ("보기 중 B: 덕수궁 쪽이다", "single_label", 1, CONFLICT),
        ("A 또는 C", "single_label", None, SEVERAL),
        ("A는 아니다", "single_label", None, DENIED),
        ("하나씩 본다.\n- **선택지 A**: 1395년에", "single_label", None, DISCUSSED),
        ("One by one.\n* Option A - it was", "single_label", None, DISCUSSED),
        ("하나씩 본다.\n- **A 선택지**: 1395년에 A는", "single_label", None, DISCUSSED),
        ("살펴보면\n- B이다", "single_label", 1, ""),
        ("살펴보면\nB: 창덕궁 쪽이다", "single_label", 1, ""),
        ("글쎄요", "none", None, NOTHING),
    ],
)
def test_each_rule_decides(text, rule, option, note):
    found = read(text)
    assert (found.rule, found.option, found.note) == (rule, option, note)


@pytest.mark.parametrize(
    ("text", "option", "note"),
    [("②", 1, ""), ("(3번)입니다.", 2, ""), ("④ 창경궁", 3, ""), ("⑤", None, FOREIGN), ("② 창경궁", None, NOTHING)],
)
def test_whole_ordinals(text, option, note):
    found = read(text, policy="lenient")
    assert (found.option, found.note) == (option, note)
    assert found.rule == ("none" if note == NOTHING else "whole_ordinal")


def test_every_rule_is_tested_above():
    marks = test_each_rule_decides.pytestmark[0].args[1]
    assert {rule for _, rule, *_ in marks} | {"whole_ordinal"} == {*RULES, "none"}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_name_beside_an_exam_mark_counts(policy):
    assert read("정답은 4번 D입니다", policy=policy).option == 3
    assert read("정답: ② 창덕궁", policy=policy).option == 1
    assert read("정답은 ②번 창덕궁이 아니라 ③", policy=policy).option == (2 if policy == "lenient" else None)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("②", ("① 가", "② 나", "③ 다", "④ 라")),
        ("3", ("1개", "3개", "5개", "7개")),
        ("정답: 나", ("가, 나", "나, 다", "가, 다", "다")),
        ("정답: ②", None),
    ],
)
def test_exam_marks_are_not_read_where_options_use_them_or_are_unknown(text, options):
    assert extract(text, options, labels="ABCD", policy="lenient").option is None


def test_equal_option_texts_cannot_be_told_apart():
    twins = ("단오", "추석", "단오", "설날")
    assert read("단오", twins) == (None, "out_of_option", "whole_text", SAME_TEXT)
    assert read("정답은 단오입니다", twins)[2:] == ("cue", SAME_TEXT)
    assert read("정답: 단오 (C)", twins) == (2, "ok", "cue", "")


def test_a_label_beats_an_option_text_that_looks_like_another_label():
    blood = ("B", "A", "O", "AB")
    assert read("A", blood) == (0, "ok", "whole_label", CONFLICT)
    assert read("AB", blood) == (3, "ok", "whole_text", "")
    villages = ("B 마을", "A 마을", "C 마을", "D 마을")
    assert read("정답은 A 마을입니다", villages).option == 1


def test_combinations_are_read_whole():
    options = ("ㄱ", "ㄱ, ㄴ", "ㄴ, ㄷ", "ㄱ, ㄴ, ㄷ")
    assert read("정답: ㄱ, ㄴ", options).option == 1
    assert read("정답: ㄱ,ㄴ,ㄷ", options).option == 3
    assert read("정답: ㄱ, ㄷ", options).option is None
    assert read("정답: ㄱ", options).option == 0


def test_empty_option_texts_equal_nothing():
    assert read("", ("", "나무", "다리", "라면")).status == "empty"
    assert read("정답: 나무", ("", "나무", "다리", "라면")).option == 1


# ---- cues ----
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("### ANSWER\nB", "B"),
        ("B\n\n### ANSWER\nB", "B"),
        ("A\n### Answer\nB", "B"),
        ("정답은 'B. 창덕궁'입니다", "B"),
        ("**정답: B**", "B"),
        ("**정답**: B", "B"),
        ("[정답] B", "B"),
        ("<answer>b</answer>\nA is old", "B"),
        ("정답 : b", "B"),
        ("최종 답변은 B번입니다. A는 아니다.", "B"),
        ("정답은B입니다", "B"),
        ("정답 B\nA는 오래되었다", "B"),
        ("정답 A는 오래되었고 B는 새롭다", None),
        ("The correct answer is\nB", "B"),
        ("B is the answer\nA is wrong", "B"),
        ("The most likely choice is the option (C), as A and B are older", None),
        ("I'd go with C because A is old.", "C"),
        ("Answer: A traditional palace.", None),
        ("The answer is a king of B.", "B"),
        ("The answer is a.", "A"),
        ("The answer is not A but C.", "C"),
        ("The answer is not A. It was B or C.", None),
        ("It isn't A; the answer: B", "B"),
        ("정답은 A가 아닙니다. B입니다.", "B"),
        ("정답: A. 아니, 정답은 A가 아닙니다.", None),
        ("정답: A. 아니, 정답은 A가 아닙니다. 정답: A", "A"),
        ("정답은 덕수궁이 아니라 창덕궁입니다.", "B"),
        ("답은 A일까? 답은 C이다.", "C"),
        ("정답은 A 아니면 B", None),
        ("정답은 A, B, C, D 중 B입니다.", "B"),
        ("정답: B, A는 틀렸다.", "B"),
        ("정답: B, A, 그리고 나머지", None),
        ("정답: 경복궁, 창덕궁", None),
        ("정답은 뒤에 적은 B이다. A는 아니다. C도 있다", "B"),
        ("정답은 뒤에 적은 B와 C이다. A도 있다", None),
        ("정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.", None),
        ("오답: A", None),
        ("오답은 A와 C이고 정답은 B이다", "B"),
        ("B가 정답이고 A는 아니다. C도 있다", "B"),
        ("A와 C는 옛것이다. B를 선택합니다.", "B"),
        ("A 말고 B", "B"),
        ("A를 제외하면 B", "B"),
        ("A일 수도, B일 수도 있다", None),
    ],
)
def test_cues(text, expected):
    assert label(read(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "A형 간염",
        "A+ 등급",
        "B-29 폭격기",
        "Q&A 시간",
        "기원전 B.C. 57년",
        "King's A's",
        "Bé",
        "A급",
        "K-B-C",
        "WB A4 용지",
    ],
)
def test_letters_of_other_things_are_no_labels(text):
    assert extract(text, None, labels="ABCD").option is None


def test_pronoun_and_article_are_no_labels_of_long_lists():
    many = [f"보기 {n}째" for n in range(26)]
    assert read("I think it was a palace.", many).option is None
    assert read("A palace, I think.", many).option is None
    assert read("I", many).option == 8
    assert read("Answer: I because it is older", many).option == 8


# ---- digits as labels ----
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 2),
        ("정답은 3번입니다.", 2),
        ("(3)", 2),
        ("3이 답이다", 2),
        ("1919년 3월 1일", None),
        ("2만 명과 3가지", None),
        ("정답: 7", None),
        ("3.5", None),
        ("제3공화국", None),
        ("정답: B", None),
        ("12번", None),
    ],
)
def test_digit_labels(text, expected):
    assert extract(text, None, labels="12345").option == expected


def test_two_digit_labels():
    labels = [str(n) for n in range(1, 13)]
    assert extract("정답: 12", None, labels=labels).option == 11
    assert extract("정답: 1", None, labels=labels).option == 0
    assert extract("1번이 아니라 11번", None, labels=labels).option == 10


# ---- statuses ----
@pytest.mark.parametrize(
    ("text", "finish_reason", "status"),
    [
        (None, "", "empty"),
        (" \u200b\n", "stop", "empty"),
        ("<think>A</think>", "stop", "empty"),
        ("궁궐은", "length", "truncated"),
        ("궁궐은", "MAX_TOKENS", "truncated"),
        ("<think>A", "", "truncated"),
        ("<think>A", "stop", "empty"),
        ("", "content_filter", "filtered"),
        ("", "refusal", "refused"),
        ("As an AI language model, I cannot choose an option.", "", "refused"),
        ("모르겠습니다.", "stop", "out_of_option"),
        ("정답: B", "length", "ok"),
    ],
)
def test_statuses(text, finish_reason, status):
    assert read(text, finish_reason=finish_reason).status == status


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[THINK]A[/THINK]B", "B"),
        ("정답: C <think>정답: A</think>", "C"),
        ("<think>A<think>B</think>정답: A</think>D", "D"),
        ("<|channel|>analysis<|message|>A?<|end|>assistant<|channel|>final<|message|>B", "B"),
        ("thoughts: A</thinking>C", "C"),
    ],
)
def test_reasoning_is_dropped(text, expected):
    assert label(read(text)) == expected


# ---- use ----
def test_what_cannot_be_asked():
    with pytest.raises(UsageError, match="no extraction policy 'strict'"):
        read("A", policy="strict")
    with pytest.raises(UsageError, match="Neither labels nor options"):
        extract("A", None)
    with pytest.raises(UsageError, match="a label for every option"):
        extract("A", PALACES, labels="ABC")
    for labels in (["A", "a"], ["가", "나"], ["A", "2"], []):
        with pytest.raises(UsageError, match="Labels are letters or numbers"):
            extract("A", None, labels=labels)


def test_without_option_texts_only_labels_are_read():
    assert extract("창덕궁", None, labels="ABCD").option is None
    assert extract("정답: B. 덕수궁", None, labels="ABCD") == (1, "ok", "cue", "")
