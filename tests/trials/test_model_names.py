import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats.errors import DataError
from click_stats.trials.model_names import clean_name, name_runs, parse_stem
from click_stats.trials.schema import unit_label


@pytest.mark.parametrize(
    ("stem", "model", "condition", "day"),
    [
        ("gpt-4o-240513", "gpt-4o", "default", "2024-05-13"),
        ("gpt-5-chat-2025-08-08", "gpt-5-chat", "default", "2025-08-08"),
        ("gpt-5.2(medium)-2025-12-11", "gpt-5.2", "medium", "2025-12-11"),
        ("gpt-5.2-2025-12-11(medium)", "gpt-5.2", "medium", "2025-12-11"),
        ("gpt-51-medium-2025-11-13", "gpt-51-medium", "default", "2025-11-13"),
        ("[CLIcK] phi-4", "phi-4", "default", ""),
        ("[click]phi-4", "phi-4", "default", ""),
        ("llama-3-1-8b-instruct", "llama-3-1-8b-instruct", "default", ""),
        ("model-241399", "model-241399", "default", ""),  # no such day
        ("model-2024-02-30", "model-2024-02-30", "default", ""),
        ("240513", "240513", "default", ""),  # nothing would be left of the name
        ("(medium)", "(medium)", "default", ""),
    ],
)
def test_a_stem_gives_model_condition_and_date(stem, model, condition, day):
    assert parse_stem(stem)[:3] == (model, condition, day)


@given(
    st.from_regex(r"[a-z][a-z0-9.]{0,10}(-[a-z]{1,6})?", fullmatch=True),
    st.sampled_from(["default", "low", "high effort"]),
    st.none() | st.dates(min_value=date(2000, 1, 1), max_value=date(2099, 12, 31)),
    st.booleans(),
    st.booleans(),
)
def test_what_is_written_into_a_stem_is_read_from_it(model, condition, day, short, prefixed):
    stem = ("[CLIcK] " if prefixed else "") + model
    stem += "" if condition == "default" else f"({condition})"
    stem += "" if day is None else day.strftime("-%y%m%d" if short else "-%Y-%m-%d")
    run = parse_stem(stem)
    assert (run.model, run.condition, run.date) == (model, condition, day.isoformat() if day else "")


def test_two_dates_of_one_model_stay_in_its_name():
    runs = name_runs({"a": "m-240513", "b": "m-2024-08-06", "c": "n-2024-08-06"})
    assert [run.model for run in runs.values()] == ["m-240513", "m-2024-08-06", "n"]
    assert [run.date for run in runs.values()] == ["2024-05-13", "2024-08-06", "2024-08-06"]


def test_two_conditions_of_one_date_are_one_model():
    runs = name_runs({"a": "m(low)-240513", "b": "m-240513"})
    assert [(run.model, run.condition) for run in runs.values()] == [("m", "low"), ("m", "default")]


def test_the_same_model_condition_and_date_twice_names_both_files():
    with pytest.raises(DataError) as caught:
        name_runs({"m-240513.csv": "m-240513", "[CLIcK] m-2024-05-13.csv": "[CLIcK] m-2024-05-13"})
    assert "m-240513.csv" in caught.value.found
    assert "[CLIcK] m-2024-05-13.csv" in caught.value.found
    assert "default" in caught.value.what


def test_the_unit_is_the_model_and_a_condition_that_is_not_the_default():
    assert unit_label("m", "default") == "m"
    assert unit_label("m", "low") == "m (low)"


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        (unicodedata.normalize("NFD", "한국어 모델"), "한국어 모델"),  # as some systems store file names
        ("line\nbreak\ttab", "line break tab"),
        ("red\x1b[31m\x07", "red[31m"),
        ("\ufeffzero\u200bwidth\u202e", "zerowidth"),
        (" my_model-7b_v2|ko * 95% <b> ", "my_model-7b_v2|ko * 95% <b>"),
        ("\x1b", ""),
    ],
)
def test_names_are_as_typed_and_printed(name, clean):
    assert clean_name(name) == clean


def test_a_decomposed_file_name_is_the_model_that_one_types():
    assert parse_stem(unicodedata.normalize("NFD", "모델-240513")).model == "모델"
