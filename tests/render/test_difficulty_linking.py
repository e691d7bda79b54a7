"""Difficulty and linking in tables, figures, findings and sections, in both languages, and with nothing to say."""

import re
from dataclasses import replace
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
from click_stats.render.figures.difficulty import figure_difficulty
from click_stats.render.findings_difficulty import difficulty as difficulty_finding
from click_stats.render.findings_linking import linking as linking_finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.difficulty import analysis, difficulty, rows, terms
from click_stats.stats.linking import analysis as linking_analysis
from click_stats.stats.linking import linking
from click_stats.stats.linking import rows as linking_rows

LANGUAGES = ("en", "ko")
REPORTS = Path(__file__).parents[2] / "reports"
HANGUL = re.compile("[가-힣]")
TABLES = [
    "tbl-difficulty", "tbl-difficulty-tests", "tbl-difficulty-variance", "tbl-difficulty-groups", "tbl-linking",
    "tbl-linking-drift",
]  # fmt: skip


def make_counts(n_units=24, n=60, seed=3):
    rng = np.random.default_rng(seed)
    hard = rng.normal(0, 0.7, n) + np.where(np.arange(n) % 2 == 1, 0.9, 0.0)
    correct = rng.binomial(1, expit(rng.normal(0, 0.8, n_units)[:, None] - hard))
    items = pd.DataFrame(
        {
            "category": np.repeat(["A", "B"], n // 2), "domain": "D", "source": np.tile(["KIIP", "CSAT"], n // 2),
            "n_options": np.tile([4, 5], n // 2), "gold": 0, "cluster": [f"c{k}" for k in range(n)],
            "n_chars": rng.integers(20, 900, n), "negated": rng.random(n) < 0.3,
        },
        index=pd.Index([f"{k}/a_b|{k}" for k in range(n)], name="item"),
    )  # fmt: skip
    options = np.zeros((n_units, n, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = correct, 1 - correct
    statuses = np.zeros((n_units, n, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = 1
    names = pd.Index([f"<b>{k}_x" for k in range(n_units)], name="unit")
    access = np.where(np.arange(n_units) % 2 == 1, "open", "api")
    units = pd.DataFrame({"model": list(names), "condition": "default", "protocol": "", "access": access}, index=names)
    return Counts(units, items, options, statuses, statuses.sum(axis=2), None, ("A", "B"), ("D",)), hard


@pytest.fixture(scope="module")
def parameters(tmp_path_factory):
    counts, hard = make_counts()
    path = tmp_path_factory.mktemp("scale") / "parameters.csv"
    frame = pd.DataFrame({"item": counts.items.index, "difficulty": hard, "difficulty_se": 0.3})
    frame.to_csv(path, index=False)
    return str(path)


def results_of(counts, parameters=""):
    made = {
        "accuracy": accuracy(counts), "difficulty": difficulty(counts, seed=1),
        "linking": linking(counts, parameters=parameters, draws=100),
    }  # fmt: skip
    return ResultSet("items", made, {"benchmark": "CLIcK"})


@pytest.fixture(scope="module")
def full(parameters):
    return results_of(make_counts()[0], parameters)


@pytest.fixture(scope="module")
def aside():
    return results_of(make_counts(2)[0])


def sections(results, name, lang):
    context = Context.of(results, lang)
    made = qmd.environment([REPORTS / "items", REPORTS / "_shared"], lang, context.filters())
    macros = f'<% import "_{name}.{lang}.qmd.jinja" as part with context %>'
    body = f"""{macros}<% for f in findings if f.kind == "{name}" %><< part.finding(f) >>
<% endfor %><< part.section() >>
<< part.methods() >>"""
    return made.from_string(body).render(context.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_table_is_made_and_renders(full, lang):
    tables = {name: table for name, table in report_tables(full, lang).items() if name in TABLES}
    assert list(tables) == TABLES
    for table in tables.values():
        assert table.rows
        for fmt in ("text", "markdown", "html", "latex", "csv"):
            assert table.render(fmt)
    text = tables["tbl-difficulty"].render("text")
    assert ("출처 시험: CSAT" if lang == "ko" else "source exam: CSAT") in text
    first = full["linking"].to_frame().sort_values("linked_score")["unit"].iloc[-1]
    assert first in str(tables["tbl-linking"].rows[0][0])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_figure_shows_every_finite_effect(full, lang):
    drawing = figure_difficulty(full, lang)
    effects = full["difficulty"].to_frame().dropna(subset=["difficulty_effect"])
    assert len(drawing.data) == len(effects)
    assert str(len(effects)) in drawing.alt
    assert bool(HANGUL.search(drawing.caption)) == (lang == "ko")


@pytest.mark.parametrize("name", ["difficulty", "linking"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_sections_are_filled(full, name, lang):
    text = sections(full, name, lang)
    assert f"{{#sec-{name}}}" in text
    assert f"{{#sec-methods-{name}}}" in text
    assert "None" not in text
    assert "nan" not in text
    for table in TABLES:
        if table.startswith(f"tbl-{name}"):
            assert table in text


@pytest.mark.parametrize("name", ["difficulty", "linking"])
def test_both_languages_have_the_same_ids(full, name):
    ids = [re.findall(r"\{#([\w-]+)", sections(full, name, lang)) for lang in LANGUAGES]
    assert ids[0] == ids[1]


@pytest.mark.parametrize("name", ["difficulty", "linking"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_stepping_aside_says_why(aside, name, lang):
    assert figure_difficulty(aside, lang) is None
    assert not [table for table in report_tables(aside, lang) if table in TABLES]
    assert difficulty_finding(aside) is None
    assert linking_finding(aside) is None
    text = sections(aside, name, lang)
    assert ("모델을 더 읽어야" in text or "매개변수가 주어지지 않았다" in text) == (lang == "ko")


def test_the_finding_tells_what_the_tables_tell(full):
    facts = difficulty_finding(full).facts
    tests = full["difficulty"].tables["tests"].set_index("term")
    assert facts["share"]["variance_share"] == pytest.approx(full["difficulty"].summary["variance_share"])
    assert [row["term"] for row in facts["apart"]] == list(tests.index[tests["verdict"] == "separated"])
    assert [row["term"] for row in facts["aliased"]] == ["n_options"]
    assert linking_finding(full).facts["n_units"] == 24


def test_few_models_in_a_group_are_said(parameters):
    counts = make_counts(8)[0]
    counts = replace(counts, units=counts.units.assign(access=["api"] * 6 + ["open"] * 2))
    found = results_of(counts, parameters)
    assert "tbl-difficulty-groups" not in report_tables(found)
    assert "each needs 3" in sections(found, "difficulty", "en")


def test_a_result_draws_itself(full):
    assert full["difficulty"].plot() is not None
    figure = Figure()
    full["difficulty"].plot(figure.subplots())
    with pytest.raises(UsageError):
        difficulty(make_counts(2)[0]).plot()


@pytest.mark.parametrize(
    "sentence",
    [
        analysis.METHOD, analysis.FEW_MODELS.format(n=3, m=2), analysis.FEW_ITEMS.format(n=4), analysis.NOTHING_VARIES,
        analysis.NOT_FITTED, analysis.NO_VALUE.format(n=3, term="frequency"), terms.ABSENT, terms.NO_VALUE,
        terms.CONSTANT, terms.DEPENDENT.format(names="source CSAT"), terms.MIXTURE, rows.ALL_RIGHT, rows.ALL_WRONG,
        rows.SEPARATED_TOGETHER, rows.NO_COEFFICIENT, rows.NOT_IN_NULL, rows.NO_SPREAD, rows.FEW_SLOPES,
        linking_analysis.METHOD, linking_analysis.NOTHING, linking_analysis.NO_ANSWER, linking_analysis.NO_ERRORS,
        linking_analysis.MISFITS.format(units="a, b"),
        linking_analysis.LEFT_OUT.format(n=3, reason=linking_analysis.CHANGED), linking_analysis.NOT_HERE,
        linking_analysis.NO_PARAMETERS, linking_analysis.CHANGED, linking_rows.EVERY_RIGHT, linking_rows.EVERY_WRONG,
        linking_rows.AT_THE_FLOOR, linking_rows.NO_COMMON, linking_rows.MISFIT, linking_rows.FEW_ITEMS.format(n=20),
        linking_rows.FEW_ANSWERS, linking_rows.NO_SHIFT,
    ],
)  # fmt: skip
def test_every_sentence_has_korean(sentence):
    said = codes.text(sentence, "ko")
    assert HANGUL.search(said)
    # Nothing of the sentence stays English but commands, names of terms and units.
    kept = re.sub(
        r"click-stats analyze irt FILES -o calibrated|--set parameters=\S+|source CSAT|frequency|\ba, b\b", "", said
    )
    assert not re.search("[A-Za-z]{2,}", kept)
