"""The item response model in tables, figures, the finding and sections, in both languages, and with little to say."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy.special import expit

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.render import codes, qmd
from click_stats.render.context import Context
from click_stats.render.figures.irt import MOST_COLUMNS, apart, figure_irt
from click_stats.render.figures.irt_groups import figure_irt_groups
from click_stats.render.figures.irt_information import figure_irt_information
from click_stats.render.findings_irt import irt as irt_finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.irt import alternatives, assessment, conditional, data, dependence, fit, irt, rasch, rows

LANGUAGES = ("en", "ko")
REPORTS = Path(__file__).parents[2] / "reports"
HANGUL = re.compile("[가-힣]")
TABLES = [
    "tbl-irt-hardest", "tbl-irt-easiest", "tbl-irt-extreme", "tbl-irt-abilities", "tbl-irt-profile", "tbl-irt-groups",
    "tbl-irt-fit", "tbl-irt-dependence", "tbl-irt-comparison",
]  # fmt: skip


def make_counts(n_units=10, *, categories=("A", "B"), passages=True, n=60, seed=3):
    rng = np.random.default_rng(seed)
    ability, difficulty = np.linspace(-2, 2, n_units)[:, None], rng.normal(-0.5, 1.3, n)
    correct = rng.binomial(1, 0.25 + 0.75 * expit(ability - difficulty))
    correct[:, 0], correct[:, 1] = 1, 0
    items = pd.DataFrame(
        {
            "category": np.repeat(categories, n // len(categories)), "domain": "D",
            "source": np.tile(["KIIP", "CSAT"], n // 2), "n_options": 4, "gold": 0,
            "cluster": [f"c{k // 3 if passages else k}" for k in range(n)],
        },
        index=pd.Index([f"{k}/a_b|{k}" for k in range(n)], name="item"),
    )  # fmt: skip
    options = np.zeros((n_units, n, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = correct, 1 - correct
    statuses = np.zeros((n_units, n, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = 1
    names = pd.Index([f"<b>{k}_x" for k in range(n_units)], name="unit")
    units = pd.DataFrame({"model": list(names), "condition": "default", "protocol": ""}, index=names)
    return Counts(units, items, options, statuses, statuses.sum(axis=2), None, tuple(categories), ("D",))


def results_of(counts, **parameters):
    made = {"accuracy": accuracy(counts), "irt": irt(counts, seed=1, **parameters)}
    return ResultSet("items", made, {"benchmark": "CLIcK"})


@pytest.fixture(scope="module")
def full():
    return results_of(make_counts())


@pytest.fixture(scope="module")
def aside():
    return results_of(make_counts(3))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_table_is_made_and_renders(full, lang):
    tables = {name: table for name, table in report_tables(full, lang).items() if "-irt-" in name}
    assert list(tables) == TABLES
    for table in tables.values():
        assert table.rows
        for fmt in ("text", "markdown", "html", "latex", "csv"):
            assert table.render(fmt)
    hardest, items = tables["tbl-irt-hardest"], full["irt"].to_frame()
    ranked = items[items["estimable"]].set_index("item")
    assert hardest.rows[0][0] == ranked["rank"].astype(int).idxmin()
    assert tables["tbl-irt-easiest"].rows[0][0] == ranked["rank"].astype(int).idxmax()
    shown = {row[0] for name in TABLES[:2] for row in tables[name].rows}
    assert not shown & {"0/a_b|0", "1/a_b|1"}
    extreme = tables["tbl-irt-extreme"].render("text")
    assert "1/a_b|1" in extreme
    assert "0/a_b|0" not in extreme


def test_korean_tables_hold_no_english_sentence(full):
    for name, table in report_tables(full, "ko").items():
        if "-irt-" in name:
            notes = [text for _, text in table.below()]
            for text in (table.caption, *notes):
                assert HANGUL.search(text), (name, text)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figures_say_what_they_show(full, lang):
    abilities = full["irt"].to_frame("abilities").query("by == 'overall'").set_index("unit")["ability"]
    for made in (figure_irt(full, lang), figure_irt_groups(full, lang), figure_irt_information(full, lang)):
        assert made is not None
        made.figure.draw_without_rendering()
        assert len(made.data)
        for text in (made.title, made.caption, made.alt, made.how_to_read):
            assert text
            assert "{" not in text
            assert (HANGUL.search(text) is not None) == (lang == "ko")
    wright = figure_irt(full, lang)
    assert abilities.idxmax() in wright.alt
    shown = [text.get_text() for text in wright.figure.axes[0].texts]
    assert set(abilities.index) <= set(shown)
    apart_from_scale = full["irt"].to_frame().query("not estimable")
    for category, own in apart_from_scale.groupby("category"):
        for number in own.groupby(own["proportion"] > 0.5).size():
            assert str(number) in shown, category


def test_names_of_models_stand_apart_and_as_near_as_may_be():
    values = np.array([3.0, 1.0, 0.99, 0.98, -2.0])
    found = apart(values, 0.5)
    assert (np.diff(found) <= -0.5 + 1e-12).all()
    assert found[[0, 4]] == pytest.approx([3.0, -2.0])
    assert found[1:4] == pytest.approx([1.49, 0.99, 0.49])


def test_many_categories_stand_in_one_column():
    names = tuple(f"K{k:02d}" for k in range(MOST_COLUMNS + 1))
    drawn = figure_irt(results_of(make_counts(categories=names, n=4 * len(names))), "en")
    texts = [text.get_text() for text in drawn.figure.axes[0].texts]
    assert f"all items ({4 * len(names)})" in texts
    assert not any(text.startswith("K00") for text in texts)


def test_plot_is_the_wright_map(full, aside):
    ax = full["irt"].plot(Figure().subplots())
    assert any("<b>9_x" in text.get_text() for text in ax.texts)
    with pytest.raises(UsageError, match="at least 6 models"):
        aside["irt"].plot()


def test_the_finding_counts_what_the_answers_leave_open(full, aside):
    facts = irt_finding(full).facts
    items = full["irt"].to_frame()
    known = items[items["estimable"]]
    assert facts["n_told"] == len(known)
    assert facts["n_right"] + facts["n_wrong"] + facts["n_told"] == facts["n_items"] == 60
    assert facts["n_wrong"] >= 1
    assert facts["width"] == pytest.approx((known["difficulty_high"] - known["difficulty_low"]).median())
    groups = full["irt"].to_frame("groups").query("by == 'category'").set_index("group")["difficulty"]
    assert facts["hardest"]["group"] == groups.idxmax()
    assert facts["easiest"]["group"] == groups.idxmin()
    assert irt_finding(aside) is None
    assert irt_finding(ResultSet("items", {}, {})) is None
    assert irt_finding(results_of(make_counts(categories=("A",)))).facts["hardest"] is None


def section(results, lang):
    context = Context.of(results, lang)
    environment = qmd.environment([REPORTS / "items", REPORTS / "_shared"], lang, filters=context.filters())
    text = (
        f'<% import "_irt.{lang}.qmd.jinja" as part with context %>'
        '<% for f in findings if f.kind == "irt" %><< part.finding(f) >><% endfor %>\n'
        "<< part.section() >>\n<< part.methods() >>"
    )
    return qmd.tidy(environment.from_string(text).render(context.values()))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_section_places_all_and_stands_apart_from_its_tables(full, lang):
    said = section(full, lang)
    for name in TABLES:
        assert f"{{#{name}}}" in said
    for name in ("fig-irt", "fig-irt-groups", "fig-irt-information"):
        assert f"{{#{name} " in said
    lines = said.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("|") and not lines[number - 1].startswith("|"):
            assert lines[number - 1] == "", (number, lines[number - 1])
    assert "None" not in said
    assert "nan" not in said.lower().replace("finance", "")


def test_both_languages_have_the_same_ids_and_citations_with_entries(full):
    said = {lang: section(full, lang) for lang in LANGUAGES}
    ids = {lang: re.findall(r"\{#([\w-]+)", text) for lang, text in said.items()}
    assert ids["en"] == ids["ko"]
    assert len(ids["en"]) == len(set(ids["en"]))
    entries = "".join(path.read_text() for path in (*REPORTS.glob("items/*.bib"), *REPORTS.glob("_shared/*.bib")))
    for text in said.values():
        for key in re.findall(r"@([a-z]+\d{4})", text):
            assert re.search(rf"@\w+\{{{key},", entries), key


@pytest.mark.parametrize("lang", LANGUAGES)
def test_with_too_few_models_the_section_is_the_reason(aside, lang):
    assert not [name for name in report_tables(aside, lang) if "-irt-" in name]
    assert figure_irt(aside, lang) is None
    assert figure_irt_groups(aside, lang) is None
    assert figure_irt_information(aside, lang) is None
    said = section(aside, lang)
    assert ("at least 6 models" if lang == "en" else "적어도 6개") in said


@pytest.mark.parametrize(("settings", "lang"), [({"floor": "none"}, "en"), ({"categories": False}, "ko")])
def test_other_settings_are_said(settings, lang):
    results = results_of(make_counts(n=30, passages=False), **settings)
    assert "tbl-irt-dependence" not in report_tables(results, lang)
    said = section(results, lang)
    assert ("Guessing is left out" if lang == "en" else "찍어 맞힐 수 있다") in said


def test_one_category_has_no_profile_and_no_groups_of_categories():
    results = results_of(make_counts(categories=("A",)))
    assert "tbl-irt-profile" not in report_tables(results, "en")
    assert section(results, "en")
    assert set(figure_irt_groups(results, "en").data["by"]) == {"source"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_conditional_engine_has_its_own_words(lang):
    results = results_of(make_counts(), engine="conditional", floor="none")
    assert results["irt"].meta["reason"] == ""
    said = section(results, lang)
    assert "@andersen1972" in said
    assert "@bradlow1999" not in said
    wright = figure_irt(results, lang)
    assert {"1"} <= {
        text.get_text() for text in wright.figure.axes[0].texts
    }  # all right and all wrong are still counted
    assert irt_finding(results).facts["rank_width"] is None


def texts_of(*modules):
    return sorted(
        {
            value
            for module in modules
            for name, value in vars(module).items()
            if name.isupper() and isinstance(value, str) and " " in value and "{" not in value
        }
    )


@pytest.mark.parametrize("text", texts_of(alternatives, assessment, conditional, data, dependence, fit, rasch, rows))
def test_every_text_of_the_analysis_has_korean(text):
    assert HANGUL.search(codes.text(text, "ko"))


def test_every_text_in_results_has_korean(full, aside):
    said = {str(full["irt"].meta["method"]), str(aside["irt"].meta["reason"])}
    for frame in full["irt"].tables.values():
        for name in ("reason", "flag", "method", "check", "measure"):
            if name in frame:
                said |= set(frame[name].dropna().astype(str))
    for text in said - {""}:
        assert HANGUL.search(codes.text(text, "ko")), text
