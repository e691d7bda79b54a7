"""Sensitivity in reports: tables, figures and the finding, in both languages, and with little to say."""

import re

import numpy as np
import pandas as pd
import pytest

from click_stats.counts import STATUSES, Counts
from click_stats.render import codes
from click_stats.render.figures.sensitivity import figure_sensitivity, figure_sensitivity_designs
from click_stats.render.findings_sensitivity import sensitivity as find
from click_stats.render.report_tables.base import Maker
from click_stats.render.report_tables.sensitivity import tables
from click_stats.responses import Responses
from click_stats.results import ResultSet
from click_stats.stats.sensitivity import sensitivity

FULL = [
    "components", "across", "generalisability", "designs", "cheapest", "cheapest-between", "wordings", "control",
]  # fmt: skip


def results(shape, **parameters):
    """Results of models x items x wordings x rotations x replicates, right or wrong at random."""
    rng = np.random.default_rng(5)
    ease = rng.random(shape[1])[None, :, None, None, None]
    correct = rng.random(shape) < 0.5 * (ease + np.linspace(0.3, 0.9, shape[0])[:, None, None, None, None])
    unit, item, wording, rotation, replicate = (index.ravel() for index in np.indices(shape))
    gold = item % 4
    prediction = np.where(correct.ravel(), gold, (gold + 1) % 4)
    frame = pd.DataFrame(
        {
            "unit": unit, "item": item, "wording": (wording + 1).astype(str), "rotation": rotation,
            "replicate": replicate, "prediction": prediction, "position": (prediction - rotation) % 4,
            "gold_position": (gold - rotation) % 4, "correct": correct.ravel(),
        }
    )  # fmt: skip
    items = pd.DataFrame(
        {"category": "A", "domain": "D", "source": "s", "n_options": 4, "gold": np.arange(shape[1]) % 4,
         "cluster": [f"c{k}" for k in range(shape[1])]},
        index=pd.Index([f"i{k}" for k in range(shape[1])], name="item"),
    )  # fmt: skip
    names = pd.Index([f"m{k}" for k in range(shape[0])], name="unit")
    options = np.zeros((*shape[:2], 4), dtype=np.int64)
    np.add.at(options, (unit, item, prediction), 1)
    statuses = np.zeros((*shape[:2], len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = options.sum(axis=2)
    units = pd.DataFrame({"model": list(names), "condition": "default", "protocol": ""}, index=names)
    counts = Counts(
        units, items, options, statuses, statuses.sum(axis=2), None, ("A",), ("D",), responses=Responses(frame)
    )
    return ResultSet("test", {"sensitivity": sensitivity(counts, draws=400, **parameters)}, {})


@pytest.fixture(scope="module")
def full():
    return results((3, 40, 2, 4, 2))


@pytest.fixture(scope="module")
def single():
    return results((3, 40, 1, 1, 1))


def made(found, lang):
    return {table.id.removeprefix("tbl-sensitivity-"): table for table in tables(Maker(found, lang))}


def test_both_languages_have_the_same_tables_and_rows(full):
    english, korean = made(full, "en"), made(full, "ko")
    assert list(english) == FULL == list(korean)
    for name, table in english.items():
        assert table.anchors == korean[name].anchors
        assert len(table.rows) == len(korean[name].rows) > 0
        assert "nan" not in table.render("markdown")
        assert not re.search("[가-힣]", table.render("text"))


def test_korean_tables_hold_no_english_remark(full):
    for name, table in made(full, "ko").items():
        words = re.sub(r"\b(?:m\d|REML|max|T|F|G|A|B|results\.json|p|Φ|x)\b", "", table.render("text"))
        assert re.findall("[a-z]{4,}", words) == [], name


def test_every_remark_of_the_result_is_known(full, single):
    for found in (full, single):
        result = found["sensitivity"]
        said = {result.meta["method"], *result.meta["warnings"]}
        for frame in result.tables.values():
            for column in ("flag", "note", "reason", "method", "interval_method", "universe", "component", "control"):
                if column in frame:
                    said |= set(frame[column].dropna()) - {""}
        assert [text for text in said if not re.search("[가-힣]|REML", codes.text(text, "ko"))] == []


def test_more_wordings_than_observed_carry_a_footnote():
    table = made(results((2, 40, 2, 4, 1), wordings="random"), "en")["designs"]
    assert any("extrapolation" in note for _, note in table.footnotes)


def test_components_below_0_are_shown_as_0_with_a_note(full):
    below = full["sensitivity"].to_frame().query("flag.str.contains('below 0')")
    assert len(below)
    assert (below["variance"] == 0).all()
    assert any("set to 0" in note for _, note in made(full, "en")["components"].footnotes)


def test_one_answer_an_item_leaves_models_and_items(single):
    assert list(made(single, "en")) == ["across", "generalisability", "cheapest-between"]
    assert figure_sensitivity(single) is None
    assert figure_sensitivity_designs(single) is None
    finding = find(single)
    assert finding.table == "tbl-sensitivity-generalisability"
    assert finding.facts["n_pairs"] == 0
    assert finding.facts["run"]["n_items"] == 40


def test_finding_counts_pairs_of_wordings(full):
    facts = find(full).facts
    verdicts = full["sensitivity"].to_frame("wordings")["verdict"]
    assert facts["n_pairs"] == 3
    assert facts["n_separated"] == (verdicts == "separated").sum()
    assert facts["control"]["control"] == "replicates"
    assert 0 < facts["shares"]["item"] < 1
    assert find(ResultSet("none", {}, {})) is None


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_figures_draw_what_the_tables_say(full, lang):
    shares, designs = figure_sensitivity(full, lang), figure_sensitivity_designs(full, lang)
    bars = [bar.get_width() for container in shares.figure.axes[0].containers for bar in container]
    assert sum(bars) == pytest.approx(100 * shares.data["variance_share"].sum())
    assert len(designs.figure.axes[0].get_lines()) == 3  # two wordings, and the wanted error
    for drawing in (shares, designs):
        assert drawing.alt != drawing.caption
        assert "{" not in drawing.alt + drawing.caption + drawing.how_to_read


def test_the_result_draws_itself(full, single):
    axes = full["sensitivity"].plot()
    assert len(axes.get_yticklabels()) == 3
    with pytest.raises(Exception, match="could be split"):
        single["sensitivity"].plot()
