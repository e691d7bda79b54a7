"""Finding the right option: whole texts only, repairs noted, nothing guessed (S12, S25)."""

import unicodedata

import pytest

from click_stats.items import gold, labels

LETTERS = labels(4)


@pytest.mark.parametrize(
    ("answer", "options", "position", "notes"),
    [
        ("새마을상호은행", ["은행", "새마을상호은행", "보험사", "증권사"], 1, []),
        ("은행", ["새마을상호은행", "은행", "보험사", "증권사"], 1, []),
        ("추석 ", ["단오", "추석", "설날", "한식"], 1, [gold.REPAIRED]),
        ("추석", ["단오", "추석 ", "설날", "한식"], 1, [gold.REPAIRED]),
        (unicodedata.normalize("NFD", "추석"), ["단오", "추석", "설날", "한식"], 1, [gold.REPAIRED]),
        ('"추석"', ["단오", "추석.", "설날", "한식"], 1, [gold.SET_ASIDE]),
        ("가", ["가", "나", "가", "다"], 0, [gold.TWICE]),
        ("C", ["가", "나", "다", "라"], 2, []),
        # An exact match wins over one that needs repair.
        ("끝", ["끝.", "끝", "시작", "중간"], 1, []),
    ],
)
def test_found(answer, options, position, notes):
    assert gold.from_answer(answer, options, LETTERS) == (position, notes)


@pytest.mark.parametrize(
    ("answer", "options", "fault"),
    [
        ("은", ["은행", "금", "동", "철"], "is not among the options"),
        ("", ["가", "나", "다", "라"], "is not among the options"),
        ("c", ["가", "나", "다", "라"], "is not among the options"),
        ('"끝"', ["끝.", "끝", "시작", "중간"], "matches several options"),
        ("E", ["가", "나", "다", "라"], "is not among the options"),
    ],
)
def test_not_found(answer, options, fault):
    found, notes = gold.from_answer(answer, options, LETTERS)
    assert fault in found
    assert notes == []


def test_a_number_that_is_both_text_and_label_is_refused():
    found, _ = gold.from_answer("3", ["2", "3", "4", "5"], labels(4, "digits"))
    assert "the text of one option and the label of another" in found
    assert gold.from_answer("3", ["1", "2", "3", "4"], labels(4, "digits")) == (2, [])


def test_positions_and_labels():
    assert gold.from_position("3", 4) == 3
    assert "not among 0 to 3" in gold.from_position("4", 4)
    for text in ("-1", "1.0", "B", "", "³", "１"):
        assert "no position" in gold.from_position(text, 4)
    assert gold.from_label(" B ", LETTERS) == 1
    assert "'E' is not among A, B, C, D" in gold.from_label("E", LETTERS)
