"""Scale and corpus in tables, figures, findings and the sections of the report."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.errors import UsageError
from click_stats.glossary import LANGUAGES
from click_stats.render import codes, figures
from click_stats.render.figures.anova import figure_anova, figure_anova_claim
from click_stats.render.findings_anova import anova as finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.accuracy import accuracy
from click_stats.stats.anova import anova

SIZES = (1.3, 3.8, 5.8, 12.8, 7.0, 13.0)
TABLES = ["tests", "effects", "models", "spread", "checks", "contrasts", "power", "claim", "published", "recomputed"]


def make_counts(sizes=SIZES, corpus=("x", "x", "x", "y", "y", "z"), share=None):
    rng = np.random.default_rng(0)
    n_units, n_items = len(sizes), 55
    p = np.clip(0.4 + rng.normal(0, 0.05, (n_units, 1)) + rng.normal(0, 0.1, n_items), 0.05, 0.95)
    correct = rng.binomial(12, p) if share is None else np.full((n_units, n_items), share)
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = correct, 12 - correct
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = 12
    names = [f"m{k}" for k in range(n_units)]
    units = pd.DataFrame({"model": names, "condition": "default", "protocol": ""}, index=pd.Index(names, name="unit"))
    units = units.assign(parameters=list(sizes), korean_corpus=list(corpus)[:n_units], family=list("ppqqrr")[:n_units])
    categories = [f"C{j:02}" for j in range(11)]
    keys = [f"i{k}" for k in range(n_items)]
    items = pd.DataFrame(
        {
            "category": np.repeat(categories, 5),
            "domain": "D",
            "source": "s",
            "n_options": 4,
            "gold": 0,
            "cluster": keys,
        },
        index=pd.Index(keys, name="item"),
    )
    return Counts(units, items, options, stored, stored.sum(axis=2), None, tuple(categories), ("D",))


def results_of(counts, **more):
    made = {"accuracy": accuracy(counts), "anova": anova(counts, draws=200, **more)}
    return ResultSet("replication", made, {"benchmark": "CLIcK"})


@pytest.fixture(scope="module")
def full():
    return results_of(make_counts())


@pytest.fixture(scope="module")
def aside():
    return results_of(make_counts((1.0, 2.0, 3.0), ("x",) * 3))


@pytest.fixture(scope="module")
def constant():
    return results_of(make_counts(share=12))


@pytest.fixture(scope="module")
def levels():
    return results_of(make_counts(), scale="levels within family", margin=0.2)


@pytest.fixture(params=["full", "aside", "constant", "levels"])
def every(request):
    return request.getfixturevalue(request.param)


def own(names):
    return [name for name in names if "anova" in name]


def test_tables_agree_in_both_languages_and_hold_no_bare_nan(every):
    tables = {lang: report_tables(every, lang) for lang in LANGUAGES}
    assert list(tables["en"]) == list(tables["ko"])
    for name in own(tables["en"]):
        english, korean = tables["en"][name], tables["ko"][name]
        assert english.anchors == korean.anchors
        assert len(set(english.anchors)) == len(english.anchors)
        assert english.caption != korean.caption
        for table in (english, korean):
            for fmt in ("text", "markdown", "html", "latex", "csv"):
                assert not re.search(r"\bnan\b|<NA>|\bNone\b", table.render(fmt)), (name, fmt)


def test_which_tables_and_figures_there_are(full, aside):
    assert own(report_tables(full)) == [f"tbl-anova-{name}" for name in TABLES]
    assert own(report_tables(aside)) == [
        f"tbl-anova-{name}" for name in ("tests", "models", "claim", "published", "recomputed")
    ]
    assert own(figures.draw(full)) == ["fig-anova", "fig-anova-claim"]
    assert own(figures.draw(aside)) == ["fig-anova-claim"]


@pytest.mark.parametrize("name", ["full", "aside", "constant", "levels"])
def test_every_remark_has_korean_words(name, request):
    """Whatever text the analysis puts into a cell of a known kind is said in Korean too."""
    result = request.getfixturevalue(name)["anova"]
    said = set(result.meta["warnings"]) | {result.meta["method"]}
    for frame in result.tables.values():
        for column in ("reason", "note", "method", "design", "term", "test_unit", "reading", "check", "model_sd_at",
                       "claim_design", "numbers_from", "measured_on", "verdict"):  # fmt: skip
            if column in frame:
                said |= {str(text) for text in frame[column].dropna()}
    unsaid = [text for text in said - {"", "HC3"} if not re.search("[가-힣]", codes.text(text, "ko"))]
    assert unsaid == []


def test_the_sentence_on_cells_is_one_remark(full):
    notes = full["anova"].to_frame()["note"]
    note = next(text for text in notes if "F(1,54)" in text)
    assert "모델 6개를 독립인 관측값 66개로" in codes.text(note, "ko")
    assert "F(1,4)" in codes.text(note, "ko")


def test_the_table_shows_what_the_result_holds(full):
    table = report_tables(full)["tbl-anova-tests"]
    found = full["anova"].to_frame()
    assert len(table.rows) == len(found)
    k = next(i for i, row in enumerate(table.rows) if row[1] == "log10 parameters" and row[2] == "models")
    assert table.rows[k][3] == found.iloc[k]["estimate"]
    assert table.rows[k][5] == found.iloc[k]["f_statistic"]
    assert table.rows[k][-1] == found.iloc[k]["verdict"]


def test_figures_say_what_they_show(full):
    drawing = figure_anova(full, "en")
    assert len(drawing.data) == 66
    row = (
        full["anova"].to_frame().query("design == 'scale' and test_unit == 'models' and term == 'log10_params'").iloc[0]
    )
    assert f"{100 * row['estimate']:+.1f}".replace("-", "−") in drawing.alt
    korean = figure_anova_claim(full, "ko")
    assert re.search("[가-힣]", korean.alt + korean.caption + korean.how_to_read)
    assert set(korean.data["claim_design"]) == {"the paper's five models", "the models at hand", "models evenly spread"}


def test_the_finding_gives_facts(full, aside, constant):
    facts = finding(full).facts
    assert facts["scale"]["df_residual"] == 4
    assert facts["scale"]["cells_df"] == 54
    assert facts["claim_low"] <= facts["claim_high"]
    assert finding(aside).facts["scale"]["f_statistic"] is None
    assert finding(aside).facts["scale"]["reason"]
    assert finding(constant).facts["scale"]["verdict"] == "not decided"
    assert finding(ResultSet("x", {}, {})) is None


def test_a_result_can_be_plotted(full, aside):
    ax = full["anova"].plot(lang="ko")
    assert ax.get_xscale() == "log"
    plt.close(ax.figure)
    with pytest.raises(UsageError, match="Size was not tested"):
        aside["anova"].plot()
