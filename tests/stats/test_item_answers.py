"""Answers by item: packed without loss, means over models, texts only when asked for."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.counts import INCORRECT, STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.item_answers import item_answers
from click_stats.stats.item_answers.packed import OUTCOMES, unpack


def test_words_by_hand(counts_of):
    counts = counts_of(
        [[1, 0, 8], [0, 0, 1]],
        [[1, 1, 10], [0, 0, 1]],
        statuses={"out_of_option": [[0, 0, 2], [1, 0, 0]], "failed": [[0, 0, 0], [0, 1, 0]]},
        missing=[[0, 0, 0], [0, 0, 11]],
    )
    assert item_answers(counts).to_frame("answers")["answers"].tolist() == ["A B A8B2o2", "o x Am11"]


def test_what_was_not_planned_is_nothing(counts_of):
    counts = counts_of([[0, 1]], [[0, 1]])
    assert item_answers(counts).to_frame("answers")["answers"].tolist() == ["- A"]


@given(data=st.data(), n_units=st.integers(1, 3), n_items=st.integers(1, 4))
def test_packing_loses_nothing(counts_of, data, n_units, n_items):
    draw = st.lists(
        st.sampled_from([0, 0, 1, 2, 12, 103]), min_size=n_units * n_items * 13, max_size=n_units * n_items * 13
    )
    cells = np.array(data.draw(draw)).reshape(n_units, n_items, 13)
    empty = counts_of(np.zeros((n_units, n_items), dtype=int), 0)
    statuses = np.concatenate([cells[:, :, :5].sum(axis=2, keepdims=True), cells[:, :, 5:11]], axis=2)
    planned = statuses.sum(axis=2) + cells[:, :, 11]
    counts = Counts(**{**vars(empty), "options": cells[:, :, :5], "statuses": statuses, "planned": planned})
    for unit, line in enumerate(item_answers(counts).to_frame("answers")["answers"]):
        words = unpack(line)
        assert len(words) == n_items
        for item, found in enumerate(words):
            assert [found.pop(letter, 0) for letter in "ABCDE"] == cells[unit, item, :5].tolist()
            for name in (*STATUSES[1:], "missing"):
                assert found.pop(OUTCOMES[name], 0) == counts.n(name)[unit, item]
            assert found == {}


def test_estimates_are_means_of_item_scores(counts_of):
    counts = counts_of(
        [[1, 3, 0], [4, 0, 0]], [[2, 4, 0], [4, 4, 0]], statuses={"refused": [[0, 0, 0], [0, 4, 0]]}
    )  # fmt: skip
    result = item_answers(counts)
    items, units = result.to_frame(), result.to_frame("units")
    assert items["estimate"].tolist()[:2] == [0.75, 0.375]  # refusing is incorrect
    assert items["n_units"].tolist() == [2, 2, 0]
    assert items["n_trials"].tolist() == [6, 12, 0]
    assert np.isnan(items["estimate"][2])
    assert items["reason"].tolist() == ["", "", "no trial responded"]
    assert units["estimate"].tolist() == [0.625, 0.5]
    assert units["n_items"].tolist() == [2, 2]
    assert result.summary == {"n_units": 2, "n_items": 3, "n_trials": 18}
    assert result.meta["reason"] == ""


def test_statuses_that_are_incorrect_come_before_those_that_are_no_answer():
    assert list(OUTCOMES)[: len(INCORRECT)] == list(INCORRECT)
    assert len(set(OUTCOMES.values())) == len(OUTCOMES)


@pytest.mark.parametrize("n_units", [0, 2])
def test_without_any_answer_it_says_so(counts_of, n_units):
    counts = counts_of(np.zeros((n_units, 2), dtype=int), 0, missing=1)
    result = item_answers(counts)
    assert result.meta["reason"].startswith("There is no answer to show")
    assert result.to_frame("answers")["answers"].tolist() == ["m m"] * n_units
    assert Result.from_dict(json.loads(result.to_json())).to_json() == result.to_json()


def with_texts(counts):
    texts = {"passage": "", "question": ["1 < 2?", "다음 중?"], "options": [("yes", "no"), ("가", "나")]}
    return Counts(**{**vars(counts), "items": counts.items.assign(n_options=2, **texts)})


def test_texts_come_only_when_asked_for(counts_of):
    counts = with_texts(counts_of([[1, 0]]))
    quiet = item_answers(counts)
    assert list(quiet.tables) == ["estimates", "units", "answers"]
    assert "다음" not in quiet.to_json()
    asked = item_answers(counts, with_texts=True)
    assert asked.to_frame("texts")["question"].tolist() == ["1 < 2?", "다음 중?"]
    assert asked.to_frame("option_texts")["option_text"].tolist() == ["yes", "no", "가", "나"]
    assert asked.to_frame("option_texts")["option"].tolist() == [1, 2, 1, 2]
    assert "not for publication" in asked.meta["warnings"][-1]


def test_asking_for_texts_that_are_not_there_is_refused(counts_of):
    with pytest.raises(UsageError, match="keys only"):
        item_answers(counts_of([[1]]), with_texts=True)
