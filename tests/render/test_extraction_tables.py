"""Tables of extraction: policies side by side, what decided, and answers read otherwise than the files state."""

import dataclasses
import re

import pandas as pd
import pytest

from click_stats.glossary import LANGUAGES
from click_stats.render.report_tables import report_tables
from click_stats.render.report_tables.extraction import SHOWN
from click_stats.results import Result, ResultSet

UNITS = ("b", "a")
RULES = ("whole_label", "cue", "single_label", "none", "logged")


def policies():
    rows = [
        (unit, policy, estimate, 10, 20, 20 - none, none, 0, 0, 0, "")
        for unit, shift in zip(UNITS, (0, 0.1), strict=True)
        for policy, estimate, none in (
            ("paper", 0.5 + shift, 3),
            ("lenient", 0.6 + shift, 1),
            ("logged", 0.4 + shift, 0),
        )
    ]
    rows[-1] = ("a", "logged", float("nan"), 0, 0, 0, 0, 0, 0, 0, "the files hold responses only")
    names = ["unit", "policy", "estimate", "n_items", "n_trials", "n_ok", "n_out_of_option", "n_empty", "n_refused"]
    return pd.DataFrame(rows, columns=[*names, "n_truncated", "reason"])


def rules():
    rows = [(unit, policy, rule, 4, 0.2) for unit in UNITS for policy in ("paper", "lenient") for rule in RULES]
    return pd.DataFrame(rows, columns=["unit", "policy", "rule", "n_trials", "share"])


def reparsed(n_rows):
    rows = [("b.csv", "b", f"One/i{n}", "A", "out_of_option", "single_label", 1) for n in range(n_rows)]
    return pd.DataFrame(rows, columns=["file", "unit", "item", "label_logged", "label_read", "rule", "n_rows"])


@pytest.fixture(scope="module")
def results():
    extraction = Result("extraction", {"policies": policies(), "rules": rules()}, {}, {"option_texts": False})
    account = Result("account", {"reparsed": reparsed(SHOWN + 3)}, {}, {"policy": "paper"})
    return ResultSet("audit", {"account": account, "extraction": extraction})


@pytest.fixture(scope="module", params=LANGUAGES)
def tables(request, results):
    return request.param, report_tables(results, request.param)


def test_every_policy_has_its_accuracy_and_its_trials_without_an_option(tables):
    lang, made = tables
    table = made["tbl-policies"]
    first, second = (list(row) for row in table.rows)
    assert first[1:] == [0.5, 3, 0.6, 1, 0.4, 0]
    assert second[5].value is None
    assert second[5].note == {"en": "the files hold responses only", "ko": "파일에 응답만 있고 답이 없음"}[lang]
    assert second[6] is None
    assert any(
        {"en": "used in this report: Paper", "ko": "이 보고서가 쓴 방법: 논문 기준"}[lang] in note
        for note in table.notes
    )
    assert len(table.notes) == 2, "that option texts were missing is said"


def test_rules_are_added_up_and_named_in_words(tables):
    lang, made = tables
    table = made["tbl-rules"]
    assert [list(row)[1:] for row in table.rows] == [[8, 0.2, 8, 0.2]] * len(RULES)
    words = [row[0] for row in table.rows]
    assert not set(words) & set(RULES)
    assert all(re.search("[가-힣]" if lang == "ko" else "[a-z]", word) for word in words)


def test_disagreements_are_cut_and_the_rest_counted(tables):
    _, made = tables
    table = made["tbl-reparsed"]
    assert len(table.rows) == SHOWN
    assert any("3" in note for note in table.notes)


def test_formats_hold_no_bare_nan(tables):
    _, made = tables
    for name in ("tbl-policies", "tbl-rules", "tbl-reparsed"):
        for fmt in ("text", "markdown", "html", "latex", "csv"):
            assert not re.search(r"\bnan\b|<NA>|\bNone\b", made[name].render(fmt))


def test_without_responses_there_is_no_table(results):
    bare = dataclasses.replace(results, results={})
    assert not {"tbl-policies", "tbl-rules", "tbl-reparsed"} & set(report_tables(bare))


def test_few_disagreements_are_all_shown(results):
    account = Result("account", {"reparsed": reparsed(2)})
    few = dataclasses.replace(results, results={"account": account})
    table = report_tables(few)["tbl-reparsed"]
    assert (len(table.rows), table.notes) == (2, ())
