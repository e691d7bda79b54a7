from __future__ import annotations

import csv
import io

import pytest

from click_stats.errors import UsageError
from click_stats.render.tables import frame_table, result_table


def test_every_table_of_every_result_is_shown_in_both_languages(results):
    for result in results.results.values():
        for name, frame in result.tables.items():
            for lang in ("en", "ko"):
                table = result_table(result, name, lang=lang)
                assert len(table.rows) == len(frame)
                assert table.columns
                assert table.caption


def test_csv_of_a_result_gives_the_frame_back(results):
    frame = results["accuracy"].to_frame()
    rows = list(csv.DictReader(io.StringIO(frame_table(frame, columns=list(frame.columns)).render("csv"))))
    assert [row["unit"] for row in rows] == list(frame["unit"])
    for name in ("estimate", "conf_low", "conf_high", "n_items"):
        assert [float(row[name]) for row in rows] == pytest.approx(list(frame[name]), rel=1e-11)


def test_ends_of_an_interval_become_one_column(results):
    table = result_table(results["accuracy"])
    keys = [column.key for column in table.columns]
    assert "conf" in keys
    assert not {"conf_low", "conf_high"} & set(keys)
    place = keys.index("conf")
    first = results["accuracy"].to_frame().iloc[0]
    assert table.rows[0][place] == (first["conf_low"], first["conf_high"])


def test_differences_are_signed_points_and_accuracies_are_percent(results):
    kinds = {column.key: column.kind for column in result_table(results["compare"]).columns}
    assert (kinds["estimate"], kinds["conf"], kinds["p_adjusted"]) == ("points", "interval_points", "p")
    kinds = {column.key: column.kind for column in result_table(results["accuracy"]).columns}
    assert (kinds["estimate"], kinds["conf"]) == ("percent", "interval")


def test_reason_is_the_footnote_of_what_it_explains(results):
    frame = results["compare"].to_frame()
    table = frame_table(frame[frame["reason"] != ""])
    assert table.footnotes == (("a", "one of the two answered under half of the items"),)
    assert table.shown()[0][[column.key for column in table.columns].index("estimate")] == ("–", "a")


def test_a_flag_is_a_footnote_of_the_row(results, invented):
    frame = results["accuracy"].to_frame()
    table = frame_table(frame[frame["flag"] != ""])
    assert table.shown()[0][0] == (invented.GAP_UNIT, "a")
    assert "answered under half of the items" in table.render("text")


def test_what_all_rows_share_is_said_once_below(results):
    table = result_table(results["accuracy"], lang="ko")
    assert "method" not in [column.key for column in table.columns]
    assert "방법: 군집 윌슨" in table.notes
    assert "수준: 95%" in table.notes


def test_the_unit_stands_for_its_model_and_condition(results):
    heads = [column.label for column in result_table(results["accuracy"]).columns]
    assert heads.count("Model") == 1
    assert "Condition" not in heads
    asked = result_table(results["accuracy"], columns=["unit", "model", "condition"])
    assert [column.key for column in asked.columns] == ["unit", "model", "condition"]


def test_columns_and_sort(results):
    table = result_table(results["accuracy"], columns=["unit", "estimate"], sort="-estimate")
    values = [row[1] for row in table.rows]
    assert [column.key for column in table.columns] == ["unit", "estimate"]
    assert values == sorted(values, reverse=True)
    with pytest.raises(UsageError, match="no column"):
        result_table(results["accuracy"], columns=["unit", "wealth"])
    with pytest.raises(UsageError, match="no column"):
        result_table(results["accuracy"], sort="wealth")


def test_results_show_themselves(results):
    result = results["ranks"]
    assert result.to_text().startswith("ranks: estimates")
    assert "| gpt-5.2 (medium) |" in result.to_markdown()
    assert "\\toprule" in result.to_latex(lang="ko")
    assert "<table>" in result._repr_html_()
