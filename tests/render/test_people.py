"""People in the report on items: tables, figure, finding and part in both languages, with people and without."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import click_stats as cs
from click_stats.content import find
from click_stats.items.review import codes as review_codes
from click_stats.render import codes, figures, report
from click_stats.render.findings_people import people as finding
from click_stats.render.report_tables import report_tables
from click_stats.results import ResultSet
from click_stats.stats.people import analysis, difficulty
from click_stats.stats.review import analysis as of_review
from click_stats.stats.review import rates
from click_stats.trials import Trials

LANGUAGES = ("en", "ko")
HANGUL = re.compile("[가-힣]")


def frame(items, n_people):
    rng = np.random.default_rng(1)
    keys = [key for _, own in items.frame.groupby("category") for key in own.index[:12]]
    gold, n = items.frame.loc[keys, "gold"].to_numpy(), items.frame.loc[keys, "n_options"].to_numpy()
    parts = []
    for name, condition, share in [
        *((f"m{k}", "default", 0.3 + 0.05 * k) for k in range(8)),
        *((f"r{k}", "human", 0.8) for k in range(n_people)),
    ]:
        p = np.full(len(keys), share)
        p[:2] = 0.98 if condition == "human" else 0.02
        right = rng.random(len(keys)) < p
        parts.append(
            pd.DataFrame(
                {
                    "model": name,
                    "condition": condition,
                    "item": keys,
                    "prediction": np.where(right, gold, (gold + 1) % n),
                }
            )
        )
    return pd.concat(parts)


@pytest.fixture(scope="module")
def studied():
    items = cs.read_items()
    found = {}
    for n_people in (0, 12):
        trials = Trials.from_frame(frame(items, n_people), items)
        results = cs.analyze("people", trials, also=["accuracy", "item_answers"])
        found[n_people] = ResultSet("items", results.results, results.meta)
    return found


@pytest.mark.parametrize("lang", LANGUAGES)
def test_tables_show_what_was_computed(studied, lang):
    results = studied[12]
    tables = report_tables(results, lang)
    assert {"tbl-people", "tbl-people-respondents", "tbl-people-items"} <= tables.keys()
    assert len(tables["tbl-people"].rows) == 12
    assert len(tables["tbl-people-respondents"].rows) == 12
    items = results["people"].to_frame("items")
    assert len(tables["tbl-people-items"].rows) == (items["verdict"] == "separated").sum() >= 2
    shown = "".join(tables["tbl-people"].render(fmt) for fmt in ("text", "markdown", "html", "latex"))
    assert bool(HANGUL.search(shown)) is (lang == "ko")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_figure_tells_its_highest_and_lowest_category(studied, lang):
    drawing = figures.FIGURES["fig-people"](studied[12], lang)
    assert drawing is not None
    means = studied[12]["people"].to_frame().query("by == 'category' and who == 'mean of people'")["estimate"]
    assert f"{100 * means.max():.1f}" in drawing.alt
    assert f"{100 * means.min():.1f}" in drawing.alt
    assert figures.FIGURES["fig-people"](studied[0], lang) is None


def test_the_result_draws_itself(studied):
    axes = studied[12]["people"].plot()
    assert len(axes.get_yticklabels()) == 11
    axes.figure.clear()


def test_the_finding_counts_the_items_that_part(studied):
    found = finding(studied[12])
    assert found is not None
    assert len(found.facts["easier"]) >= 2
    assert found.facts["n_people"] == 12
    assert finding(studied[0]) is None


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("n_people", [0, 12])
def test_the_report_has_its_part_and_pools_nobody(studied, tmp_path, monkeypatch, lang, n_people):
    monkeypatch.setattr(report, "save", lambda *_: None)
    report.write_project(find("reports", "items"), studied[n_people], tmp_path, lang=lang)
    text = (tmp_path / "report.qmd").read_text(encoding="utf-8")
    section = text.split("{#sec-people}")[1].split("\n# ")[0]
    assert ("{#tbl-people}" in section) is bool(n_people)
    assert ("finding-people" in text) is bool(n_people)
    assert "sec-methods-people" in text
    if not n_people:
        assert "items quiz" in section.replace("\\", "")
        assert bool(HANGUL.search(section)) is (lang == "ko")
    accuracy = studied[n_people]["accuracy"].to_frame()
    assert not accuracy["unit"].str.contains("human").any()


def test_every_text_of_the_results_is_there_in_korean():
    texts = [
        analysis.METHOD, analysis.NOBODY, analysis.NO_MODEL, analysis.NO_SCORE, analysis.BEST_OF.format(n=3),
        analysis.ONE_PERSON, analysis.FEW_PEOPLE.format(n=3), analysis.BOOTSTRAP, difficulty.CONSTANT, difficulty.RARE,
        difficulty.TOO_FEW.format(n=10), difficulty.EASIER, difficulty.HARDER, analysis.MEAN_PEOPLE,
        analysis.BEST_PERSON, analysis.MAJORITY, analysis.MEAN_MODELS, analysis.BEST_MODEL, "no person has a score",
        "no model has a score", "nobody answered half of the items",
        of_review.METHOD, of_review.WAITING.format(n=2), of_review.AWAITING.format(n=2), of_review.ENRICHED, of_review.ANY,
        of_review.KEY, of_review.FLAGGED, of_review.NOT_FLAGGED, of_review.ALL, rates.WILSON, rates.STRATIFIED,
        rates.ALL_READ, rates.NONE_READ, rates.ONE_READ, "agreed", "adjudicated", "pending",
    ]  # fmt: skip
    assert [text for text in texts if not HANGUL.search(codes.text(text, "ko"))] == []
    for one in review_codes():
        assert codes.text(one.code, "ko") == one.label["ko"]
