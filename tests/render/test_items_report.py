"""The report on items: a part for every analysis, the explorer beside it, and the default study as it is shipped."""

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
    written: Callable, item_study: dict[str, ResultSet], lang: str
) -> None:
    ids = set(ID.findall(written("items", "real", lang)[0]))
    parts = set(item_study["real"].results) - {"account", "items", "models", "extraction", "accuracy", "item_answers"}
    assert {"irt", "item_analysis", "dif", "short_forms", "agreement"} <= parts
    for name in parts:
        assert f"sec-{name}" in ids
        assert f"sec-methods-{name}" in ids


@every_language
@pytest.mark.parametrize("shape", ["one model", "real"])
def test_analyses_that_the_data_do_not_allow_step_aside_with_their_reason(
    written: Callable, item_study: dict[str, ResultSet], shape: str, lang: str
) -> None:
    text, _ = written("items", shape, lang)
    for name, result in item_study[shape].results.items():
        if name in {"irt", "item_analysis", "dif", "short_forms", "agreement"} and result.meta.get("reason"):
            section = text.split(f"{{#sec-{name}}}")[1].split("\n# ")[0]
            assert len(section.strip()) > 20
            assert f"finding-{name}" not in text


@every_language
def test_items_are_named_by_their_keys(written: Callable, item_study: dict[str, ResultSet], lang: str) -> None:
    plain = written("items", "real", lang)[0].replace("\\", "")
    placed = item_study["real"]["irt"].to_frame().dropna(subset=["difficulty"]).sort_values("difficulty")
    assert any(key in plain for key in placed["item"].tail(20))


def test_results_hold_no_texts_unless_asked(item_study: dict[str, ResultSet]) -> None:
    for result in item_study["real"].results.values():
        for frame in result.tables.values():
            assert not {"passage", "question", "option_texts"} & set(frame.columns)


@pytest.mark.report
def test_the_explorer_lies_beside_the_report(item_study: dict[str, ResultSet], tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    made = report.write_report(
        "items", item_study["real"], tmp_path / "out", lang="ko", formats=["html"], engine="builtin"
    )
    assert [path.name for path in made] == ["report.html", "explorer.html"]
    assert "explorer.html" in made[0].read_text(encoding="utf-8")
    assert all(path.stat().st_size > 50_000 for path in made)
