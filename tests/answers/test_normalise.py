"""Texts that count as the same, and texts that do not (S12, S13)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.answers import collapse, normalise


def test_decomposed_hangul_quotes_and_a_final_period_do_not_matter():
    option = "한글은 세종 때 만들어졌다."
    response = unicodedata.normalize("NFD", '"한글은  세종 때\n만들어졌다"')
    assert response != option
    assert normalise(response) == normalise(option)


@pytest.mark.parametrize(
    "text",
    ["끝", "끝.", "끝 .", '"끝"', '"끝."', '"끝".', "“끝”", "‘끝.’", "「끝」", "  끝。 ", "'끝'", "『「끝」』"],
)
def test_forms_of_one_text(text):
    assert normalise(text) == "끝"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("'가'와 '나'", "'가'와 '나'"),
        ("끝..", "끝."),
        (".", "."),
        ('"', '"'),
        ("“끝", "“끝"),
        ("3.5", "3.5"),
        ("끝?", "끝?"),
        ("", ""),
    ],
)
def test_what_is_not_taken_away(text, expected):
    assert normalise(text) == expected


def test_case_and_parts_matter():
    assert normalise("a") != normalise("A")
    assert normalise("새마을상호은행") != normalise("은행")


@given(st.text())
def test_collapse_is_idempotent_and_has_no_outer_blanks(text):
    once = collapse(text)
    assert collapse(once) == once == once.strip()
    assert "  " not in once


@given(st.text(alphabet=st.characters(categories=["L", "N"]), min_size=1))
def test_blanks_quotes_and_a_period_never_matter(text):
    assert normalise(f" “{text}.” ") == normalise(text)


def test_long_texts_are_composed_like_short_ones():
    text = unicodedata.normalize("NFD", "한글은 세종 때 만들어졌다. Café " * 100)
    assert collapse(text) == unicodedata.normalize("NFC", text).strip()


def test_long_runs_of_marks_lose_no_character():
    text = "a" + "\u0316\u0301" * 2_000
    found = collapse(text)
    assert unicodedata.normalize("NFD", found).count("\u0316") == 2_000
    assert unicodedata.normalize("NFD", found).count("\u0301") == 2_000
