"""Duplicates and near-duplicates, on invented items."""

import pandas as pd
import pytest

from click_stats.stats.item_analysis.duplicates import NEAR, ORDER, SAME, duplicates

QUESTION = "Which invented river flows through the invented town of Arle?"
OPTIONS = ("the Blue Ness", "the Long Tarn", "the Old Rill", "the Wide Mere")


def items_of(*rows):
    frame = pd.DataFrame(rows, columns=["passage", "question", "options", "gold", "digest"])
    return frame.set_axis([f"i{k}" for k in range(len(frame))])


def test_equal_digests_need_no_texts():
    items = items_of(("", "", (), 1, "aa"), ("", "", (), 2, "aa"), ("", "", (), 1, "bb"), ("", "", (), 1, "aa"))
    found = duplicates(items.drop(columns=["passage", "question", "options"]), 0.8)
    assert [(pair.a, pair.b, pair.kind, pair.same_key) for pair in found] == [
        (0, 1, SAME, False), (0, 3, SAME, True), (1, 3, SAME, False),
    ]  # fmt: skip


def test_options_in_another_order_compare_the_key_by_its_text():
    turned = OPTIONS[1:] + OPTIONS[:1]
    items = items_of(("", QUESTION, OPTIONS, 0, "a"), ("", QUESTION, turned, 3, "b"), ("", QUESTION, turned, 0, "c"))
    kinds = {(pair.a, pair.b): (pair.kind, pair.same_key) for pair in duplicates(items, 0.8)}
    assert kinds[0, 1] == (ORDER, True)
    assert kinds[0, 2] == (ORDER, False)
    assert kinds[1, 2] == (SAME, False)


def test_spacing_and_punctuation_are_no_difference():
    loose = QUESTION.replace(" ", "  ").replace("?", " ?")
    items = items_of(("", QUESTION, OPTIONS, 0, "a"), ("", loose, OPTIONS, 0, "b"))
    assert [pair.kind for pair in duplicates(items, 0.8)] == [SAME]


def test_near_duplicates_reach_the_threshold():
    other = QUESTION.replace("Arle", "Orme")
    items = items_of(("", QUESTION, OPTIONS, 0, "a"), ("", other, OPTIONS, 1, "b"), ("", "Why?", ("x", "y"), 0, "c"))
    (pair,) = duplicates(items, 0.8)
    assert (pair.a, pair.b, pair.kind, pair.same_key) == (0, 1, NEAR, None)
    assert 0.8 <= pair.similarity < 1
    assert not duplicates(items, 0.99)


def test_passages_that_differ_make_items_differ_and_a_shared_one_does_not_make_them_alike():
    items = items_of(
        ("A passage about boats on the lake.", QUESTION, OPTIONS, 0, "a"),
        ("Something quite different, of birds.", QUESTION, OPTIONS, 0, "b"),
        ("A passage about boats on the lake.", "Who rows?", ("Ann", "Bea"), 0, "c"),
    )
    assert duplicates(items, 0.5) == []


def test_without_digest_and_texts_there_is_nothing():
    assert duplicates(pd.DataFrame({"gold": [0, 1]}), 0.8) == []


@pytest.mark.parametrize("n", [0, 1])
def test_few_items(n):
    assert duplicates(items_of(*[("", QUESTION, OPTIONS, 0, "a")] * n), 0.8) == []
