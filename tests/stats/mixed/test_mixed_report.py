"""The mixed model in the report: tables, finding and section from a fit of a small simulated study."""

import numpy as np
import pytest

from click_stats.render.findings_mixed import mixed as finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.mixed import mixed


@pytest.fixture(scope="module")
def results(counts_of):
    rng = np.random.default_rng(5)
    size = np.array([1.0, 2, 4, 8, 16, 32])
    logits = 0.4 * np.log10(size)[:, None] + rng.normal(0, 0.1, (6, 1)) + rng.normal(0, 1, 40)
    counts = counts_of(rng.binomial(12, 1 / (1 + np.exp(-logits))), 12, category=["A"] * 20 + ["B"] * 20)
    counts = counts.with_units(counts.units.assign(parameters=size, family=list("abcdef")))
    return ResultSet("mine", {"mixed": mixed(counts, level=0.9)})


def test_the_finding_is_the_row_of_the_test_of_size(results):
    found = finding(results)
    rows = results["mixed"].to_frame()
    row = rows[(rows["design"] == "scale") & (rows["term"] == "log10_params")].iloc[0]
    assert found.facts["scale"]["p_value"] == row["p_value"]
    assert found.facts["scale"]["df"] == 4
    assert found.facts["both"] is None  # no corpus is known


def test_without_the_test_there_is_no_finding():
    assert finding(ResultSet("mine", {})) is None


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_tables_show_the_rows_of_the_result(results, lang):
    tables = report_tables(results, lang)
    assert {"tbl-mixed-effects", "tbl-mixed-structures", "tbl-mixed-models"} <= set(tables)
    frame = results["mixed"].to_frame()
    assert len(tables["tbl-mixed-effects"].rows) == len(frame)
    text = tables["tbl-mixed-effects"].render("text")
    assert f"{100 * frame['estimate'].iloc[0]:+.1f}" in text
    assert "None" not in text
    assert "nan" not in text


def test_a_family_for_every_model_leaves_no_size_within_family_and_says_so(results):
    rows = results["mixed"].to_frame()
    within = rows[rows["design"] == "size within family"]
    assert within["p_value"].isna().all()
    assert within["reason"].str.len().gt(0).all()
