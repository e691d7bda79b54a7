"""Results: strict JSON, stable bytes, undefined values with reasons, columns of the glossary only."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from click_stats import glossary
from click_stats.errors import UsageError
from click_stats.results import Result, ResultSet, dump_json, plain


@pytest.fixture
def result():
    frame = pd.DataFrame(
        {
            "unit": ["a", "b"],
            "estimate": [0.1 + 0.2, np.nan],
            "n_items": pd.array([3, None], dtype="Int64"),
            "sign_conflict": pd.array([True, None], dtype="boolean"),
            "reason": ["", "no item was answered"],
        }
    )
    return Result("accuracy", {"estimates": frame}, {"n_units": np.int64(2)}, {"seed": 1, "warnings": ["가"]})


def test_json_is_strict_and_undefined_is_null(result):
    data = json.loads(result.to_json(), parse_constant=pytest.fail)  # NaN and Infinity would call it
    rows = data["tables"]["estimates"]["rows"]
    assert rows[1] == ["b", None, None, None, "no item was answered"]
    assert rows[0][1] == 0.3  # twelve digits: the order of a sum leaves no trace
    assert "가" in result.to_json()


def test_a_result_survives_json(result):
    back = Result.from_dict(json.loads(result.to_json()))
    assert back.to_json() == result.to_json()
    assert back.to_frame()["n_items"].dtype == "Int64"
    assert math.isnan(back.to_frame()["estimate"][1])


def test_a_result_set_survives_json(result):
    several = ResultSet("audit", {"accuracy": result}, {"seed": 1})
    assert ResultSet.from_json(several.to_json()).to_json() == several.to_json()
    assert "accuracy" in several
    assert several["accuracy"] is result


def test_shown_in_a_prompt_a_result_is_one_line(result):
    assert repr(result) == "<Result accuracy: estimates (2 rows)>"
    assert repr(ResultSet("audit", {"accuracy": result})) == "<ResultSet audit: accuracy>"


def test_a_column_outside_the_glossary_is_refused():
    with pytest.raises(UsageError, match="does not know") as caught:
        Result("accuracy", {"estimates": pd.DataFrame({"estimat": [1.0]})})
    assert "estimat" in str(caught.value)


def test_an_unknown_table_names_those_there_are(result):
    with pytest.raises(UsageError, match="no table 'pairs'") as caught:
        result.to_frame("pairs")
    assert "estimates" in str(caught.value)


def test_tables_cannot_be_changed_through_the_result(result):
    frame = result.to_frame()
    frame.loc[0, "estimate"] = 9.0
    assert result.to_frame()["estimate"][0] != 9.0
    with pytest.raises(TypeError):
        result.tables["estimates"] = None
    with pytest.raises(AttributeError):
        result.name = "x"


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_plain_numbers_are_json_numbers_or_null(value):
    text = dump_json(plain(np.float64(value)))
    back = json.loads(text)
    if math.isfinite(value):
        assert back == pytest.approx(value, rel=1e-11)
    else:
        assert back is None


def test_plain_takes_every_kind_a_table_holds():
    given_values = {"a": np.array([1, 2]), "b": {3, 1}, "c": pd.NaT, "d": np.bool_(True), "e": pd.NA, 5: "x"}
    assert plain(given_values) == {"a": [1, 2], "b": [1, 3], "c": None, "d": True, "e": None, "5": "x"}


@pytest.mark.parametrize("column", glossary.columns().values(), ids=lambda column: column.name)
def test_every_column_is_explained_in_both_languages(column):
    assert column.type in {"text", "integer", "number", "boolean"}
    for lang in glossary.LANGUAGES:
        assert column.label[lang].strip()
        assert column.meaning[lang].strip().endswith((".", "..."))
    assert set(column.label) == set(column.meaning) == set(glossary.LANGUAGES)
    assert any("가" <= letter <= "힣" for letter in column.meaning["ko"])


def test_a_column_of_the_user_is_its_own_label():
    assert glossary.label("estimate", "ko") == "추정값"
    assert glossary.label("difficulty_band") == "difficulty_band"
