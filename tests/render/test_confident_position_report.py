"""Confident errors and displayed positions in tables, figures, findings and sections, in both languages."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.render import figures, qmd
from click_stats.render.context import Context
from click_stats.render.figures.challenging import figure_challenging
from click_stats.render.figures.position import figure_confident_errors, figure_position
from click_stats.render.figures.style import settings
from click_stats.render.findings_position import confident_errors as errors_finding
from click_stats.render.findings_position import position as position_finding
from click_stats.render.report_tables import report_tables
from click_stats.responses import Responses
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.confident_errors import confident_errors
from click_stats.stats.position import position

LANGUAGES = ("en", "ko")
REPORTS = Path(__file__).parents[2] / "reports"
UNITS = ("first|place", "knows_all", "<b>sure and wrong", "guesser")
N, OPTIONS = 40, 4
FACTS = {
    "family": ["F", None, "F", None],
    "parameters": [1.0, None, 12.0, 13.0],
    "korean_corpus": ["x", None, "x", "y"],
}


def make_results(rotations=OPTIONS):
    """Four units: always the first position, always right, right by halves and else sure of a wrong one, guessing."""
    rng = np.random.default_rng(3)
    gold = np.arange(N) % OPTIONS
    order = np.arange(rotations)
    right = (gold[:, None] - order) % OPTIONS
    mostly_first = np.where(rng.random((N, rotations)) < 0.8, 0, rng.integers(OPTIONS, size=(N, rotations)))
    chosen = np.stack(
        [
            mostly_first, right, np.where(np.arange(N)[:, None] < N // 2, right, (right + 1) % OPTIONS),
            rng.integers(OPTIONS, size=(N, rotations)),
        ]
    )  # fmt: skip
    unit, item, rotation = (part.ravel() for part in np.indices(chosen.shape))
    place = chosen.ravel()
    frame = pd.DataFrame({"unit": unit, "item": item, "wording": "1", "rotation": rotation, "replicate": 0})
    frame["prediction"], frame["position"] = (place + rotation) % OPTIONS, place
    frame["gold_position"] = (gold[item] - rotation) % OPTIONS
    frame["correct"] = frame["prediction"] == gold[item]
    options = np.zeros((len(UNITS), N, 5), dtype=np.int64)
    np.add.at(options, (unit, item, frame["prediction"]), 1)
    statuses = np.zeros((len(UNITS), N, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = rotations
    keys = [f"i{k}" for k in range(N)]
    items = pd.DataFrame(
        {"category": ["A", "B"] * (N // 2), "domain": "D", "source": "s", "n_options": OPTIONS, "gold": gold, "cluster": keys},
        index=pd.Index(keys, name="item"),
    )  # fmt: skip
    names = pd.Index(UNITS, name="unit")
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": "", **FACTS}, index=names)
    counts = Counts(
        units, items, options, statuses, statuses.sum(axis=2), None, ("A", "B"), ("D",), {}, Responses(frame)
    )
    made = {"accuracy": accuracy(counts), "confident_errors": confident_errors(counts), "position": position(counts)}
    return ResultSet("replication", made, {"benchmark": "CLIcK"})


@pytest.fixture(scope="module")
def results():
    return make_results()


@pytest.fixture(scope="module")
def aside():
    return make_results(rotations=1)


@pytest.fixture(params=["results", "aside"])
def every(request):
    return request.getfixturevalue(request.param)


def own(names):
    return [name for name in names if re.search("position|confident_errors|challenging", name)]


def test_which_tables_and_figures_there_are(results, aside):
    assert own(report_tables(results)) == [
        "tbl-confident_errors", "tbl-confident_errors-sure", "tbl-confident_errors-entropy",
        "tbl-confident_errors-shared", "tbl-confident_errors-groups", "tbl-confident_errors-without",
        "tbl-confident_errors-agreed", "tbl-confident_errors-sets", "tbl-confident_errors-scale", "tbl-position",
        "tbl-position-accuracy", "tbl-position-all",
    ]  # fmt: skip
    assert own(report_tables(aside)) == [
        "tbl-confident_errors", "tbl-confident_errors-shared", "tbl-confident_errors-groups",
        "tbl-confident_errors-without", "tbl-position", "tbl-position-all",
    ]  # fmt: skip
    assert own(figures.draw(results)) == ["fig-challenging", "fig-confident_errors", "fig-position"]
    assert own(figures.draw(aside)) == ["fig-challenging"]


def test_tables_agree_in_both_languages_and_hold_no_bare_nan(every):
    tables = {lang: report_tables(every, lang) for lang in LANGUAGES}
    assert list(tables["en"]) == list(tables["ko"])
    for name in own(tables["en"]):
        english, korean = tables["en"][name], tables["ko"][name]
        assert english.anchors == korean.anchors
        assert len(set(english.anchors)) == len(english.anchors) == len(english.rows) > 0
        assert english.caption != korean.caption
        for table in (english, korean):
            for fmt in ("text", "markdown", "html", "latex", "csv"):
                assert not re.search(r"\bnan\b|<NA>|\bNone\b", table.render(fmt)), (name, fmt)


def test_positions_have_one_row_per_model(results):
    tables = report_tables(results)
    for name in ("tbl-position", "tbl-position-accuracy"):
        assert sorted(row[0] for row in tables[name].rows) == sorted(UNITS)
    columns = [column.key for column in tables["tbl-position"].columns]
    row = next(row for row in tables["tbl-position"].rows if row[0] == "first|place")
    shares = results["position"].to_frame().query("unit == 'first|place' and position == 1")
    assert row[columns.index("position")] == 1
    assert row[columns.index("estimate")][0] == shares["estimate"].iloc[0]
    assert row[columns.index("verdict")] == "separated"
    strict = next(row for row in tables["tbl-position-accuracy"].rows if row[0] == "knows_all")[2]
    assert strict[0] == 1


def test_shared_items_are_shown_overall_and_by_category(results):
    tables = report_tables(results)
    assert len(tables["tbl-confident_errors-shared"].rows) == 4  # for all, for none, every trial, no trial
    assert {row[0] for row in tables["tbl-confident_errors-groups"].rows} <= {"A", "B", "s"}
    assert len(tables["tbl-confident_errors-without"].rows) == 1 + len(UNITS)


def test_who_is_sure_by_model_family_and_size(results):
    table = report_tables(results)["tbl-confident_errors-sure"]
    assert [row[0] for row in table.rows[4:]] == ["F", "family not known", "below 3B", "10B and more", "size not known"]
    first = next(row for row in table.rows if row[0] == "<b>sure and wrong")
    assert first[2][0] == 0.5
    assert first[3] == N // 2
    korean = report_tables(results, "ko")["tbl-confident_errors-sure"]
    assert [row[0] for row in korean.rows[5:]] == ["계열을 모름", "3B 미만", "10B 이상", "크기를 모름"]


def test_every_position_stands_in_a_wide_table(results):
    table = report_tables(results)["tbl-position-all"]
    columns = [column.key for column in table.columns]
    assert len(table.rows) == len(UNITS) * OPTIONS
    row = next(row for row in table.rows if row[0] == "first|place" and row[2] == 1)
    assert row[columns.index("preference")] > 1
    assert row[columns.index("gold")][0] > 0.8


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figures_say_what_they_show(results, lang):
    for make in (figure_challenging, figure_position, figure_confident_errors):
        drawing = make(results, lang)
        with settings():
            FigureCanvasAgg(drawing.figure).draw()
        for text in (drawing.title, drawing.caption, drawing.alt, drawing.how_to_read):
            assert text.strip()
            assert not re.search(r"\{|\bnan\b|<NA>|None", text)
    assert "first|place" in figure_position(results, lang).alt


@pytest.mark.parametrize("name", ["position", "confident_errors"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_result_draws_itself_or_says_why_not(results, aside, name, lang):
    from matplotlib import pyplot as plt

    axes = figures.plot(results[name], lang=lang)
    axes.figure.canvas.draw()
    plt.close("all")
    with pytest.raises(UsageError, match="all orders of the options"):
        figures.plot(aside[name], lang=lang)
    plt.close("all")


def test_findings_hold_the_facts(results, aside):
    facts = position_finding(results).facts
    assert facts["n"] == len(UNITS)
    assert [row["unit"] for row in facts["separated"]] == ["first|place"]
    assert position_finding(aside) is None
    found = errors_finding(results).facts
    assert found["most"]["unit"] == "<b>sure and wrong"
    assert found["most"]["estimate"] == 0.5
    assert errors_finding(aside).facts["most"] is None
    assert errors_finding(ResultSet("r", {}, {})) is None


def sections(results, lang):
    made = Context.of(results, lang)
    environment = qmd.environment([REPORTS / "replication", REPORTS / "_shared"], lang, made.filters())
    found = {}
    for name in ("confident_errors", "position"):
        template = environment.from_string(
            f'<% import "_{name}.{lang}.qmd.jinja" as x with context %>'
            f'<% for f in findings if f.kind == "{name}" %><< x.finding(f) >><% endfor %>\n<< x.section() >>\n<< x.methods() >>'
        )
        found[name] = qmd.tidy(template.render(made.values()))
    return found


def test_sections_have_the_same_ids_and_sources_in_both_languages(every):
    english, korean = sections(every, "en"), sections(every, "ko")
    known = "".join(path.read_text(encoding="utf-8") for path in REPORTS.glob("*/references*.bib"))
    for name in english:
        ids = [re.findall(r"\{#([\w-]+)", text[name]) for text in (english, korean)]
        assert ids[0] == ids[1]
        assert {f"sec-{name}", f"sec-methods-{name}", f"eq-{name}"} <= set(ids[0])
        assert len(set(ids[0])) == len(ids[0])
        cited = [sorted(set(re.findall(r"@([a-z]+\d{4})", text[name]))) for text in (english, korean)]
        assert cited[0] == cited[1] != []
        assert all(f"{{{key}," in known for key in cited[0])


def test_sections_word_what_was_found(results, aside):
    english, korean = sections(results, "en"), sections(results, "ko")
    assert "The choices of 1 of 4 models are separated" in english["position"]
    assert "Most confident errors: \\<b\\>sure and wrong, on 50.0% of the items" in english["confident_errors"]
    assert "may also come from misfit" in english["confident_errors"]
    assert "challenging for none" in english["confident_errors"]
    assert "모형의 부적합" in korean["confident_errors"]
    stepped = sections(aside, "en")
    for name in stepped:
        assert "No model answered all orders of the options of any item" in stepped[name]
        assert f"{{#fig-{name}" not in stepped[name]
    assert "모든 배열" in sections(aside, "ko")["position"]
