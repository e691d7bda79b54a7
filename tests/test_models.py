"""Facts of models: a table of the user's that orders, selects and names."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.errors import DataError
from click_stats.models import Model, ModelTable, read_models

FIXTURE = Path(__file__).parents[1] / "fixtures" / "models.csv"
HEADER = "model,aliases,label,vendor,parameters,release_date,access,include\n"


def units(*names):
    """Units as the counts have them; a name in brackets is the condition."""
    parts = [re.fullmatch(r"(.*?)(?: \((.*)\))?", name).groups() for name in names]
    return pd.DataFrame(
        {"model": [part[0] for part in parts], "condition": [part[1] or "default" for part in parts], "protocol": ""},
        index=pd.Index(names, name="unit"),
    )


@pytest.fixture
def read(tmp_path):
    def _read(text, encoding="utf-8"):
        path = tmp_path / "models.csv"
        path.write_bytes(text.encode(encoding))
        return read_models(path)

    return _read


@pytest.fixture
def table(read):
    return read(
        HEADER
        + "big,Big-1|org/big,Big One,Acme,70.5,2024-05,open,\n"
        + "small,,,Acme,,,api,yes\n"
        + "old,,,,,1999,,no\n"
    )


def test_facts_are_matched_by_name_or_alias_whatever_the_case(table):
    facts = table.facts(units("BIG-1", "small")).to_frame("models").set_index("unit")
    assert facts.loc["BIG-1", ["model", "label", "vendor", "parameters", "release_date"]].tolist() == [
        "BIG-1",
        "Big One",
        "Acme",
        70.5,
        "2024-05",
    ]
    assert facts.loc["small", "label"] == "small"
    assert facts.loc["small", "access"] == "api"
    assert facts.loc["small", "kind"] == "model"
    assert np.isnan(facts.loc["small", "parameters"])
    assert facts.loc["small", "release_date"] is None


def test_unknown_models_are_kept_with_missing_facts_and_named(table):
    result = table.facts(units("new", "big", "newer (high)"))
    facts = result.to_frame("models").set_index("unit")
    assert list(facts.index) == ["big", "new", "newer (high)"]
    assert facts.loc["newer (high)", "label"] == "newer (high)"
    assert facts.loc["new", ["kind", "vendor", "family", "sources"]].isna().all()
    assert result.meta["warnings"] == ["No facts are known of new, newer."]
    assert result.summary["n_units"] == 3


def test_the_condition_shows_in_the_label(table):
    facts = table.facts(units("big", "big (high)")).to_frame("models")
    assert list(facts["label"]) == ["Big One", "Big One (high)"]


def test_the_file_orders_and_the_rest_comes_last(table):
    assert table.order(units("z", "small (b)", "a", "small (a)", "big")) == ["big", "small (b)", "small (a)", "z", "a"]


def test_a_model_can_be_left_out_and_is_named(table):
    given = units("old", "big")
    assert table.order(given) == ["big"]
    result = table.facts(given)
    assert list(result.to_frame("models")["unit"]) == ["big"]
    assert result.meta["warnings"] == ["Left out by the table of models: old."]


def test_selecting_counts(table):
    given = units("old", "new", "big")
    statuses = np.zeros((3, 1, len(STATUSES)), dtype=np.int64)
    options = np.array([[[1, 0]], [[2, 0]], [[3, 0]]], dtype=np.int64)
    items = pd.DataFrame({"gold": [0]}, index=pd.Index(["i"], name="item"))
    counts = Counts(given, items, options, statuses, options.sum(axis=2))
    selected = table.select(counts)
    assert list(selected.units.index) == ["big", "new"]
    assert selected.options[:, 0, 0].tolist() == [3, 2]


def test_the_empty_table_knows_nothing(table):
    for empty in (ModelTable.empty(), read_models()):
        result = empty.facts(units("big", "a"))
        assert list(result.to_frame("models")["label"]) == ["big", "a"]
        assert result.meta["warnings"] == ["No facts are known of big, a."]


def test_missing_facts_are_null_in_json(table):
    text = table.facts(units("new")).to_json()
    assert "NaN" not in text
    assert "null" in text


def test_spreadsheet_encodings(read):
    text = "model,vendor\nhan,한국 회사\n"
    for encoding in ("utf-8", "utf-8-sig", "cp949"):
        assert read(text, encoding).find("han").vendor == "한국 회사"


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("model,colour\na,red\n", ["columns that a table of models does not have", "colour", "release_date"]),
        ("vendor\nAcme\n", ["no column 'model'"]),
        ("", ["no column 'model'"]),
        ("model,model\na,b\n", ["a column twice"]),
        ("model,release_date\na,May 2024\n", ["line 2", "release_date", "not an ISO date"]),
        ("model,release_date\na,2024-13\n", ["not an ISO date"]),
        ("model,release_date\na,2023-02-29\n", ["not an ISO date"]),
        ("model,parameters\nb,1\na,many\n", ["line 3", "the facts of a are wrong", "parameters"]),
        ("model,parameters\na,0\n", ["greater than 0"]),
        ("model,parameters\na,nan\n", ["parameters"]),
        ("model,parameters\na,inf\n", ["parameters"]),
        ("model,access\na,closed\n", ["'open' or 'api'"]),
        ("model,kind\na,robot\n", ["'model' or 'human'"]),
        ("model,include\na,perhaps\n", ["include"]),
        ("model,vendor\n,Acme\n", ["model: Field required"]),
        ("model,vendor\na\n", ["a wrong number of columns"]),
        ("model,aliases\na,b\nb,\n", ["stands more than once", "b"]),
        ("model\na\nA\n", ["stands more than once"]),
        ('model\n"a\n', ["is no CSV"]),
    ],
)
def test_wrong_tables(read, text, messages):
    with pytest.raises(DataError) as error:
        read(text)
    for message in messages:
        assert message in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_models(tmp_path / "none.csv")


# --- the table that comes with the project -----------------------------------------------------------------------


def test_the_fixture_knows_the_models_of_the_real_files():
    files = sorted(path.stem for path in (FIXTURE.parent / "real-results").glob("*.csv"))
    names = [re.sub(r"\(.*\)", "", re.sub(r"-(\d{6}|\d{4}-\d{2}-\d{2})$", "", stem)) for stem in files]
    assert len(files) == 20
    assert len(set(names)) == 19
    table = read_models(FIXTURE)
    assert {model.model for model in table.models} == set(names)


def test_every_stated_fact_has_a_source_and_nothing_undisclosed_is_stated():
    for model in read_models(FIXTURE).models:
        assert model.sources, model.model
        assert model.vendor
        assert model.release_date
        if model.access == "open":
            assert model.parameters
            assert model.parameters_active <= model.parameters
            assert "https://huggingface.co/" in model.sources
        else:
            assert model.parameters is None
            assert "undisclosed" in model.sources


def test_units_are_described_with_the_facts_of_their_models():
    table = ModelTable((Model(model="m", parameters=7.0, family="F", label="M"),))
    units = pd.DataFrame(
        {"model": ["x", "m"], "condition": ["default", "cot"]}, index=pd.Index(["x", "m (cot)"], name="unit")
    )
    described = table.describe(units)
    assert described.index.equals(units.index)
    assert described["label"].tolist() == ["x", "M (cot)"]
    assert described["parameters"].isna().tolist() == [True, False]
    assert described.loc["m (cot)", "family"] == "F"
    assert "unit" not in described
