"""Stated probabilities and people in tables, figures, findings and sections, in both languages."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy.special import logsumexp, softmax

from click_stats.counts import STATUSES, Counts
from click_stats.render import codes, figures, qmd
from click_stats.render.context import Context
from click_stats.render.figures.calibration import figure_calibration
from click_stats.render.figures.calibration_selective import figure_calibration_selective
from click_stats.render.figures.human import figure_human
from click_stats.render.figures.style import settings
from click_stats.render.findings_calibration import calibration as calibration_finding
from click_stats.render.findings_human import human as human_finding
from click_stats.render.report_tables import report_tables
from click_stats.responses import RESPONSE_COLUMNS, Responses
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.calibration import analysis, calibration, forecasts, measures, temperature
from click_stats.stats.human import analysis as people
from click_stats.stats.human import human
from click_stats.stats.human.boundaries import ONLY_LEVELS, ONLY_SHARES, conflicts, paper_boundaries, paper_table

LANGUAGES = ("en", "ko")
REPORTS = Path(__file__).parents[2] / "reports"
UNITS = ("calm", "sure_of|itself", "<b>silent")
N = 120


def make_counts(*, scores=True, sharp=(1.0, 3.0), exam=True):
    """Three units on 120 items: one calibrated, one overconfident, one without scores."""
    rng = np.random.default_rng(20)
    logits = rng.normal(0, 2, (N, 4))
    gold = (softmax(logits, axis=1).cumsum(axis=1) > rng.random((N, 1))).argmax(axis=1)
    parts = [factor * logits for factor in sharp]
    stated = np.vstack([part - logsumexp(part, axis=1, keepdims=True) for part in parts] + [np.full((N, 4), np.nan)])
    item = np.tile(np.arange(N), 3)
    answer = np.concatenate([logits.argmax(axis=1)] * 2 + [np.zeros(N, dtype=int)])
    frame = pd.DataFrame(
        {
            "unit": np.repeat([0, 1, 2], N), "item": item, "wording": "1", "rotation": 0, "replicate": 0,
            "prediction": answer, "position": answer, "gold_position": gold[item], "correct": answer == gold[item],
        },
        columns=list(RESPONSE_COLUMNS),
    )  # fmt: skip
    sources = ["Kedu"] * 50 + ["CSAT"] * 40 + ["TOPIK"] * 30 if exam else "KIIP"
    domain = ["Culture"] * 50 + ["Language"] * 70
    items = pd.DataFrame(
        {"category": "A", "domain": domain, "source": sources, "n_options": 4, "gold": gold,
         "cluster": [f"c{k}" for k in range(N)]},
        index=pd.Index([f"i{k}" for k in range(N)], name="item"),
    )  # fmt: skip
    options = np.zeros((3, N, 4), dtype=np.int64)
    np.add.at(options, (frame["unit"], item, answer), 1)
    stored = np.zeros((3, N, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = 1
    units = pd.DataFrame(
        {"model": UNITS, "condition": "default", "protocol": "", "label": [*UNITS[:2], "Claude 2"]},
        index=pd.Index(UNITS, name="unit"),
    )
    responses = Responses(frame, stated if scores else None)
    return Counts(
        units, items, options, stored, stored.sum(axis=2), None, ("A",), ("Culture", "Language"), {}, responses
    )


def results_of(counts, **human_settings):
    made = {
        "accuracy": accuracy(counts),
        "calibration": calibration(counts, draws=199),
        "human": human(counts, **human_settings),
    }
    return ResultSet("replication", made, {"benchmark": "CLIcK"})


@pytest.fixture(scope="module")
def results():
    return results_of(make_counts())


@pytest.fixture(scope="module")
def aside():
    return results_of(make_counts(scores=False, exam=False))


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    path = tmp_path_factory.mktemp("human") / "cuts.csv"
    path.write_text(
        "exam,year,score,boundary,source\nTOPIK,2020,30,level 3,board\nTOPIK,2020,90,level 6,board\n", encoding="utf-8"
    )
    return results_of(make_counts(sharp=(1.0, 1.0)), boundaries=str(path))


@pytest.fixture(params=["results", "aside", "several"])
def every(request):
    return request.getfixturevalue(request.param)


def own(names):
    return [name for name in names if "calibration" in name or "human" in name]


def test_tables_agree_in_both_languages_and_hold_no_bare_nan(every):
    tables = {lang: report_tables(every, lang) for lang in LANGUAGES}
    assert list(tables["en"]) == list(tables["ko"])
    for name in own(tables["en"]):
        english, korean = tables["en"][name], tables["ko"][name]
        assert english.anchors == korean.anchors
        assert len(set(english.anchors)) == len(english.anchors) == len(english.rows)
        assert english.caption != korean.caption
        for table in (english, korean):
            for fmt in ("text", "markdown", "html", "latex", "csv"):
                assert not re.search(r"\bnan\b|<NA>|\bNone\b", table.render(fmt)), (name, fmt)


def test_which_tables_and_figures_there_are(results, aside):
    assert own(report_tables(results)) == [
        "tbl-calibration", "tbl-calibration-errors", "tbl-calibration-temperature", "tbl-calibration-selective",
        "tbl-calibration-trials", "tbl-human", "tbl-human-boundaries", "tbl-human-published", "tbl-human-conflicts",
    ]  # fmt: skip
    assert own(report_tables(aside)) == []
    assert own(figures.draw(results)) == ["fig-calibration", "fig-calibration-selective", "fig-human"]
    assert own(figures.draw(aside)) == []


def test_tables_hold_what_the_results_say(results):
    table = report_tables(results)["tbl-calibration-errors"]
    errors = results["calibration"].to_frame("errors").set_index("unit")
    shown = dict(zip([row[0] for row in table.rows], table.rows, strict=True))
    keys = [column.key for column in table.columns]
    assert shown["calm"][keys.index("ece")] == errors.loc["calm", "ece"]
    assert shown["sure_of|itself"][keys.index("verdict")] == "separated"
    people_table = report_tables(results)["tbl-human"]
    rows = results["human"].to_frame().set_index("unit")
    column = [one.key for one in people_table.columns].index("gap")
    assert {row[0]: row[column] for row in people_table.rows} == rows["gap"].to_dict()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_figures_say_what_they_show(every, lang):
    for make in (figure_calibration, figure_calibration_selective, figure_human):
        drawing = make(every, lang)
        if drawing is None:
            continue
        with settings():
            FigureCanvasAgg(drawing.figure).draw()
        for text in (drawing.title, drawing.caption, drawing.alt, drawing.how_to_read):
            assert text.strip()
            assert not re.search(r"\{|\bnan\b|<NA>|None", text)
        assert drawing.alt != drawing.caption


def test_alt_texts_name_the_worst_and_the_human_score(results):
    errors = results["calibration"].to_frame("errors").set_index("unit")
    alt = figure_calibration(results).alt
    assert "1 are separated" in alt
    assert f"sure_of|itself, {100 * errors.loc['sure_of|itself', 'ece']:.1f}%" in alt
    assert "49.9%" in figure_human(results).alt


def test_more_units_than_panels_are_counted(results):
    frame = results["calibration"].to_frame("bins")
    tables = dict(results["calibration"].tables)
    many = pd.concat([frame[frame["unit"] == "calm"].assign(unit=f"m{k}") for k in range(23)])
    errors = results["calibration"].to_frame("errors").query("unit == 'calm'")
    tables |= {"bins": many, "errors": pd.concat([errors.assign(unit=f"m{k}") for k in range(23)])}
    made = results["calibration"].__class__("calibration", tables, {}, {})
    drawing = figure_calibration(ResultSet("r", {"calibration": made}, {}))
    assert "The 3 less accurate models are in the tables." in drawing.caption


@pytest.mark.parametrize("name", ["calibration", "human"])
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_result_draws_itself(results, name, lang):
    axes = figures.plot(results[name], lang=lang)
    axes.figure.canvas.draw()
    from matplotlib import pyplot as plt

    plt.close("all")


def test_findings_hold_the_facts(results, aside, several):
    facts = calibration_finding(results).facts
    assert facts["n"] == 2
    assert [row["unit"] for row in facts["separated"]] == ["sure_of|itself"]
    assert [row["unit"] for row in facts["over"]] == ["sure_of|itself"]
    assert facts["under"] == []
    assert [row["unit"] for row in facts["without"]] == ["<b>silent"]
    assert calibration_finding(aside) is None
    assert human_finding(aside) is None
    assert calibration_finding(ResultSet("r", {}, {})) is None
    scores = human_finding(several).facts["scores"]
    assert [one["boundary"] for one in scores] == ["level 3", "level 6", "mean of participants"]
    assert scores[1]["above"] == []
    assert len(scores[1]["below"]) >= 1
    assert [row["unit"] for row in scores[0]["best"]] == list(UNITS[:2])  # the same answers: a tie is no order
    assert "Highest: calm and sure\\_of\\|itself" in sections(several, "en")["human"]


def sections(results, lang):
    made = Context.of(results, lang)
    environment = qmd.environment([REPORTS / "replication", REPORTS / "_shared"], lang, made.filters())
    found = {}
    for name in ("calibration", "human"):
        template = environment.from_string(
            f'<% import "_{name}.{lang}.qmd.jinja" as x with context %>'
            f'<% for f in findings if f.kind == "{name}" %><< x.finding(f) >><% endfor %>\n<< x.section() >>\n<< x.methods() >>'
        )
        found[name] = qmd.tidy(template.render(made.values()))
    return found


def test_sections_have_the_same_ids_in_both_languages(every):
    english, korean = sections(every, "en"), sections(every, "ko")
    for name in english:
        ids = [re.findall(r"\{#([\w-]+)", text[name]) for text in (english, korean)]
        assert ids[0] == ids[1]
        assert {f"sec-{name}", f"sec-methods-{name}", f"eq-{name}"} <= set(ids[0])
        assert len(set(ids[0])) == len(ids[0])
        cited = [sorted(set(re.findall(r"@([a-z]+\d{4})", text[name]))) for text in (english, korean)]
        assert cited[0] == cited[1]
        known = "".join(path.read_text(encoding="utf-8") for path in REPORTS.glob("*/references*.bib"))
        assert all(f"{{{key}," in known for key in cited[0])


def test_sections_word_what_was_found(results, aside, several):
    english = sections(results, "en")
    assert (
        "1 of 2 models are separated from calibrated ones; too confident: sure\\_of\\|itself" in english["calibration"]
    )
    assert "Without usable probabilities, and left out here: \\<b\\>silent" in english["calibration"]
    assert "none of 2 models are separated from calibrated ones; that does not show that they are" in sections(
        several, "en"
    )["calibration"].replace("The probabilities of ", "")
    stepped = sections(aside, "ko")
    assert "선택지의 로그확률이 있는 시행이 없다" in stepped["calibration"]
    assert "견줄 사람의 점수가 없다" in stepped["human"]
    assert "{#fig-calibration" not in stepped["calibration"]


def test_every_remark_and_code_is_written_in_korean():
    table = paper_table()
    exams = make_counts()
    said = [
        analysis.METHOD, analysis.CORP, analysis.CUT, analysis.FEW_ITEMS, analysis.NO_SCORE, analysis.NOT_USABLE,
        analysis.DIFFERENT.format(n=3, total="1,200"), forecasts.NO_RESPONSES, measures.ZERO_GOLD.format(n=3),
        temperature.ALL_RIGHT, temperature.FLAT, temperature.NOT_POSITIVE, temperature.ZERO_GOLD.format(n=3),
        f"without one fold of items: {temperature.ALL_RIGHT}", temperature.ONE_PASSAGE,
        "m: no trial with usable log-probabilities, left out of calibration.",
        "m: 3 of 1,200 trials have no finite log-probability for every option, left out of calibration.",
        "m: scores of 3 trials add up to a probability above 1; they were taken as unnormalised log-probabilities.",
        "m: the right option has probability 0 in 3 trials.",
        "With 60 models and 999 draws the test of calibration cannot separate any: raise draws.",
        people.METHOD, people.SUBSET, people.NOTHING, people.NOT_HERE, ONLY_LEVELS, ONLY_SHARES,
        *(name for name in vars(measures).values() if isinstance(name, str) and name in MEASURES),
        *(one["says"] for one in conflicts()), *(one.name for one in paper_boundaries(exams)),
        *(one.source for one in paper_boundaries(exams)),
    ]  # fmt: skip
    printed = table[(table["entity_type"] == "model") & table["exam"].isin(one.exam for one in paper_boundaries(exams))]
    said += [text for text in [*printed["notes"], *printed["statistic"], *printed["unit"]] if text]
    for text in said:
        korean = codes.text(text, "ko")
        assert korean != text, text
        assert re.search("[가-힣%]", korean), text
        assert codes.text(text, "en"), text


MEASURES = {
    "Brier score", "log score", "accuracy of the likeliest option", "confidence", "overconfidence",
    "area under accuracy at coverage",
}  # fmt: skip
