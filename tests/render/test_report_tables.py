from __future__ import annotations

import csv
import io
import re

import pytest

from click_stats import glossary
from click_stats.render.report_tables import report_tables
from click_stats.render.report_tables.base import texts
from click_stats.render.table import row_anchor
from click_stats.results import Result, ResultSet

LANGUAGES = ("en", "ko")
PARTICLES = "은|는|이|가|을|를|과|와|으로|로|의|에|에서|보다|도|만"


@pytest.fixture(scope="module")
def tables(results):
    return {lang: report_tables(results, lang) for lang in LANGUAGES}


def values(table, key):
    place = [column.key for column in table.columns].index(key)
    return [row[place] for row in table.rows]


def test_both_languages_have_the_same_tables_rows_and_anchors(tables):
    assert list(tables["en"]) == list(tables["ko"])
    for name, table in tables["en"].items():
        other = tables["ko"][name]
        assert table.id == name
        assert table.anchors == other.anchors
        assert len(set(table.anchors)) == len(table.anchors)
        assert [column.key for column in table.columns] == [column.key for column in other.columns]
        assert table.caption != other.caption
        assert table.caption.endswith(".")


def test_ids_that_findings_and_templates_name_are_there(tables):
    wanted = {
        "accuracy", "domains" , "categories", "denominators", "bounds", "alternatives", "families", "item-sets", "reference",
        "reference-categories", "letters", "pairs", "ranks", "ranks-categories", "detectable", "needed", "sources", "dropped",
        "gold", "duplicates", "statuses", "coverage", "comparability", "versions",
    }  # fmt: skip
    assert {f"tbl-{name}" for name in wanted} <= set(tables["en"])


def test_every_table_is_written_in_every_format_without_a_bare_nan(tables):
    for lang in LANGUAGES:
        for table in tables[lang].values():
            for fmt in ("text", "markdown", "html", "latex", "csv"):
                assert not re.search(r"\bnan\b|<NA>|\bNone\b", table.render(fmt)), (table.id, fmt)


def test_every_text_has_both_languages_with_the_same_gaps_and_no_glued_particle():
    glued = re.compile(rf"\}}\)?(?:{PARTICLES})(?![가-힣])")
    for key, entry in texts().items():
        assert set(entry) == set(LANGUAGES), key
        gaps = [set(re.findall(r"\{(\w+)\}", entry[lang])) for lang in LANGUAGES]
        assert gaps[0] == gaps[1], key
        assert not glued.search(entry["ko"]), key


def test_overall_accuracy_holds_the_estimates_and_the_best_comes_first(tables, results):
    table = tables["en"]["tbl-accuracy"]
    overall = results["accuracy"].to_frame().query("by == 'overall'").set_index("unit")
    shown = values(table, "unit")
    assert set(shown) == set(overall.index)
    assert values(table, "estimate") == list(overall.loc[shown, "estimate"])
    assert values(table, "estimate") == sorted(values(table, "estimate"), reverse=True)
    ranks = results["ranks"].to_frame().query("by == 'overall'").set_index("unit")
    assert values(table, "ranks") == [(ranks.loc[unit, "rank_low"], ranks.loc[unit, "rank_high"]) for unit in shown]


def test_categories_are_wide_and_mark_the_cell_that_was_left_out(tables, invented):
    table = tables["ko"]["tbl-categories"]
    assert len(table.columns) == 12
    assert table.columns[1].label == "역사 (280)"
    row = values(table, "unit").index(invented.GAP_UNIT)
    place = [column.key for column in table.columns].index("Functional")
    text, mark = table.shown()[row][place]
    assert mark
    assert re.fullmatch(r"\d+\.\d \[\d+\.\d, \d+\.\d\]", text)
    noted = [cell for shown in table.shown() for cell in shown if cell.mark]
    assert len(noted) == 1


def test_wide_tables_keep_their_raw_values_in_csv(tables, results):
    rows = list(csv.DictReader(io.StringIO(tables["en"]["tbl-categories"].render("csv"))))
    frame = results["accuracy"].to_frame()
    expected = frame[(frame["unit"] == rows[0]["unit"]) & (frame["group"] == "History")].iloc[0]
    for name in ("estimate", "conf_low", "conf_high"):
        assert float(rows[0][f"History: {name}"]) == pytest.approx(expected[name], rel=1e-11)


def test_differences_left_out_are_dashes_with_their_reason(tables, invented):
    table = tables["en"]["tbl-reference-categories"]
    row = values(table, "unit_a").index(invented.GAP_UNIT)
    place = [column.key for column in table.columns].index("Functional")
    assert table.shown()[row][place] == ("–", "a")
    assert table.footnotes == (("a", "one of the two answered under half of the items"),)


def test_verdicts_that_depend_on_missing_answers_say_so(tables, results):
    frame = results["compare"].to_frame().query("by == 'overall'")
    table = tables["en"]["tbl-pairs"]
    assert len(table.rows) == len(frame)
    place = [column.key for column in table.columns].index("verdict")
    marked = [bool(row[place].mark) for row in table.shown()]
    assert marked == list(frame["verdict_changes"])
    assert any(marked)


def test_coverage_shows_only_what_is_not_full(tables, invented):
    table = tables["en"]["tbl-coverage"]
    assert invented.GAP_UNIT in values(table, "unit")
    place = values(table, "unit").index(invented.GAP_UNIT)
    assert values(table, "Functional")[place] == 14
    assert len(table.rows) < len(invented.UNITS)
    assert "answered every item" in table.notes[0]


def test_bounds_and_statuses_leave_out_what_never_occurs(tables):
    keys = [column.key for column in tables["en"]["tbl-bounds"].columns]
    assert keys == [
        "unit",
        "estimate",
        "missing n_trials",
        "missing",
        "filtered n_trials",
        "filtered",
        "all n_trials",
        "all",
    ]
    assert "failed" in tables["en"]["tbl-bounds"].notes[1]
    keys = [column.key for column in tables["en"]["tbl-statuses"].columns]
    assert keys == ["unit", "n_ok", "n_empty", "n_filtered", "n_missing"]


def test_plain_wilson_names_the_categories_in_which_it_may_not_be_used(tables):
    table = tables["ko"]["tbl-alternatives"]
    assert len(table.columns) == 9
    assert "독해, 화용, 문법" in table.notes[0]


def test_rows_can_be_pointed_at_by_name(tables, invented):
    table = tables["en"]["tbl-pairs"]
    first, second = invented.UNITS[:2]
    anchor = row_anchor("tbl-pairs", first, second)
    assert re.fullmatch(r"row-pairs-[a-z0-9-]+", anchor)
    assert table.anchors[0] == anchor
    assert f"{{#{anchor}}}" in table.render("markdown")
    assert f'id="{anchor}"' in table.render("html")
    assert row_anchor("tbl-pairs", "a_b", "c") != row_anchor("tbl-pairs", "a", "b c")


def test_one_unit_gives_the_tables_that_need_no_comparison(invented):
    found = report_tables(invented.result_set(1), "ko")
    assert {"tbl-accuracy", "tbl-categories", "tbl-statuses", "tbl-sources"} <= set(found)
    assert not {"tbl-pairs", "tbl-reference", "tbl-detectable"} & set(found)


def test_results_without_an_analysis_leave_out_its_tables(results):
    alone = ResultSet("x", {"accuracy": Result("accuracy", {"estimates": results["accuracy"].to_frame()})})
    assert set(report_tables(alone)) == {"tbl-accuracy", "tbl-domains", "tbl-categories"}


def test_headings_come_from_the_glossary_unless_they_need_a_unit(tables):
    table = tables["ko"]["tbl-sources"]
    assert [column.label for column in table.columns] == [glossary.label(column.key, "ko") for column in table.columns]
