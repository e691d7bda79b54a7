"""The report of the replication: its parts, its marks, and numbers that are those of the results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from click_stats.render import report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click_stats.results import ResultSet


LANGUAGES = ("en", "ko")
ID = re.compile(r"\{#([\w-]+)")
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@every_language
def test_every_analysis_of_the_study_has_its_part(
    written: Callable, replication: dict[str, ResultSet], lang: str
) -> None:
    ids = set(ID.findall(written("replication", "simulated", lang)[0]))
    shown = {"account", "items", "models", "extraction", "accuracy", "compare", "published"}
    parts = set(replication["simulated"].results) - shown
    assert {"anova", "sensitivity", "calibration", "human"} <= parts
    for name in parts:
        assert f"sec-{name}" in ids
        assert f"sec-methods-{name}" in ids


@every_language
def test_simulated_answers_are_marked_in_the_first_finding_and_the_subtitle(written: Callable, lang: str) -> None:
    text, _ = written("replication", "simulated", lang)
    assert ID.findall(text)[1] == "finding-marks"
    word = {"en": "simulated answers", "ko": "모의 답"}[lang]
    assert word in text.split("---\n")[1]
    assert "finding-marks" not in written("replication", "real", lang)[0]


@every_language
def test_the_published_numbers_are_those_of_the_results(
    written: Callable, replication: dict[str, ResultSet], lang: str
) -> None:
    text, folder = written("replication", "simulated", lang)
    summary = replication["simulated"]["published"].summary
    finding = text.split("{#finding-published")[1].split("**")[1]
    assert str(summary["n_inside"]) in finding
    assert str(summary["n_published"]) in finding
    table = (folder / "tables" / "paper-averages.csv").read_text(encoding="utf-8")
    assert table.count("\n") - 1 == len(replication["simulated"]["published"].to_frame().query("by == 'domain'"))


@every_language
def test_analyses_that_the_data_do_not_allow_step_aside_with_their_reason(
    written: Callable, replication: dict[str, ResultSet], lang: str
) -> None:
    text, _ = written("replication", "real", lang)
    aside = [name for name, result in replication["real"].results.items() if result.meta.get("reason")]
    assert {"published", "calibration"} <= set(aside)
    assert "sec-paper" in ID.findall(text)
    assert "finding-published" not in text


@pytest.mark.report
def test_the_built_in_engine_renders_it(replication: dict[str, ResultSet], tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    made = report.write_report(
        "replication", replication["simulated"], tmp_path / "out", lang="ko", formats=["html"], engine="builtin"
    )
    assert [path.name for path in made] == ["report.html"]
    assert made[0].stat().st_size > 100_000
