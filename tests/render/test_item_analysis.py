"""Item analysis in tables, figure, finding and section, in both languages."""

import importlib.util
import re
from pathlib import Path

import pytest
from matplotlib import pyplot as plt

from click_stats.render import codes, qmd
from click_stats.render.context import Context
from click_stats.render.figures.item_analysis import figure_item_analysis
from click_stats.render.findings_item_analysis import item_analysis as finding_of
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.item_analysis import item_analysis

LANGUAGES = ("en", "ko")
REPORTS = Path(__file__).parents[2] / "reports"
HANGUL = re.compile("[가-힣]")
PART = (
    '<% import "_item_analysis.LANG.qmd.jinja" as part with context %>'
    '<% for f in findings if f.kind == "item_analysis" %><< part.finding(f) >><% endfor %>'
    "<< part.section() >><< part.methods() >>"
)


def data():
    """The invented counts of the tests of the analysis."""
    path = REPORTS.parent / "tests" / "stats" / "item_analysis" / "test_analysis.py"
    spec = importlib.util.spec_from_file_location("item_analysis_data", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def results_of(counts, **settings):
    made = {"accuracy": accuracy(counts), "item_analysis": item_analysis(counts, **settings)}
    return ResultSet("items", made, {"benchmark": "Invented"})


@pytest.fixture(scope="module")
def results():
    return results_of(data().simulated(texts=True), precision=0.5, n_reviewed=2)


def section(results, lang, tmp_path):
    context = Context.of(results, lang)
    (tmp_path / "part.jinja").write_text(PART.replace("LANG", lang), encoding="utf-8")
    made = qmd.environment([tmp_path, REPORTS / "items", REPORTS / "_shared"], lang, filters=context.filters())
    return qmd.fill(made, "part.jinja", context.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables(results, lang):
    tables = report_tables(results, lang)
    wanted = {
        "tbl-item-checks", "tbl-reliability", "tbl-suspects", "tbl-card-01", "tbl-headroom", "tbl-item-information",
        "tbl-ceiling",
    }  # fmt: skip
    assert wanted <= set(tables)
    assert "A/i0" in tables["tbl-suspects"].render("text")
    card = tables["tbl-card-01"].render("markdown")
    assert "A/i0" in card
    assert "answer 0-0" not in card
    if lang == "ko":
        for name in wanted:
            text = tables[name].render("text")
            assert not re.search(r"\b(models?|items?|undefined|correlations?)\b", text), name


@pytest.mark.parametrize("lang", LANGUAGES)
def test_section(results, lang, tmp_path):
    text = section(results, lang, tmp_path)
    assert "{#sec-item_analysis}" in text
    assert "{#finding-item-analysis .finding}" in text
    assert "{#tbl-card-01}" in text
    assert "{#eq-votes}" in text
    assert "Invented question" not in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_texts_are_shown_and_marked_only_on_request(lang, tmp_path):
    text = section(results_of(data().simulated(texts=True), with_texts=True), lang, tmp_path)
    assert "Invented question number 0?" in text
    assert "answer 0-0" in text
    assert ("Do not publish it" if lang == "en" else "공개하지 않는다") in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_aside(lang, tmp_path):
    module = data()
    counts = module.simulated(3)
    known = results_of(counts)
    empty = item_analysis(module.blank(counts, [0, 1, 2], range(60)))
    text = section(ResultSet("items", {**known.results, "item_analysis": empty}, {}), lang, tmp_path)
    assert qmd.Markdown.escape(codes.text(empty.meta["reason"], lang)) in text
    assert "{#tbl-suspects}" not in text


def test_same_ids_in_both_languages(results, tmp_path):
    ids = [set(re.findall(r"\{#([\w-]+)", section(results, lang, tmp_path))) for lang in LANGUAGES]
    assert ids[0] == ids[1]


def test_every_word_has_korean(results):
    found = results["item_analysis"]
    said = {found.meta["method"], *found.meta["warnings"]}
    for frame in found.tables.values():
        for column in ("reason", "flag", "note", "check", "duplicate_kind", "signal", "scenario"):
            if column in frame:
                said |= set(frame[column])
    for text in filter(None, said):
        korean = codes.text(text, "ko")
        assert HANGUL.search(korean), text
        assert not re.search("[a-z]{4,}", re.sub(r"A/i\d+|choices-only|question-only|exam_date", "", korean)), korean


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figure(results, lang):
    drawing = figure_item_analysis(results, lang)
    assert drawing.id == "fig-item_analysis"
    assert len(drawing.data) == results["item_analysis"].tables["estimates"]["item_rest"].notna().sum()
    if lang == "ko":
        assert HANGUL.search(drawing.alt)
    axes = results["item_analysis"].plot(lang=lang)
    assert axes.get_ylim() == (-1.03, 1.03)
    plt.close(axes.figure)


def test_finding_facts(results):
    facts = finding_of(results).facts
    assert facts["first"]["item"] == "A/i0"
    assert facts["n_suspects"] == results["item_analysis"].summary["n_suspects"] >= 1
    assert facts["ceiling"]["scenario"] == "suspects as reviewed"
    assert finding_of(ResultSet("items", {}, {})) is None
