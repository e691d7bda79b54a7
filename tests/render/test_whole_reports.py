"""Reports written from many shapes of data are whole: ids, references, citations, figures, tables, fences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from click_stats.content import find

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = ("en", "ko")
SHAPES = ("simulated", "real", "one model", "accuracy only")
REPORTS = ("replication", "items")
ID = re.compile(r"\{#([\w-]+)")
REFERENCE = re.compile(r"(?<![\\\w])@((?:tbl|fig|eq|sec)-[\w-]+)")
LINK = re.compile(r"\]\(#([\w-]+)\)")
CITATION = re.compile(r"(?<![\\\w])@([a-z]+\d{4}[a-z]*)")
IMAGE = re.compile(r"^!\[(.*)\]\((\S+)\)\{(.*)\}$", re.MULTILINE)
LITERAL = re.compile(r"(?<![\w.-])\d*\.\d+(?!\w)")
SPOKEN = re.compile(r"<<.*?>>|<%.*?%>|<#.*?#>|\$\$.*?\$\$|\$[^$]+\$|\{[#.].*?\}|\(https?:\S+\)", re.DOTALL)
every_report = pytest.mark.parametrize("name", REPORTS)
every_shape = pytest.mark.parametrize("shape", SHAPES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@every_report
@every_shape
def test_both_languages_have_the_same_ids_in_the_same_order(written: Callable, name: str, shape: str) -> None:
    english, korean = (ID.findall(written(name, shape, lang)[0]) for lang in LANGUAGES)
    assert english == korean
    assert len(english) > 10


@every_report
@every_shape
@every_language
def test_ids_are_unique_and_references_resolve(written: Callable, name: str, shape: str, lang: str) -> None:
    text, _ = written(name, shape, lang)
    ids = ID.findall(text)
    assert sorted(ids) == sorted(set(ids))
    assert set(REFERENCE.findall(text)) - set(ids) == set()
    assert set(LINK.findall(text)) - set(ids) == set()


@every_report
@every_shape
@every_language
def test_every_citation_is_in_the_bibliography(written: Callable, name: str, shape: str, lang: str) -> None:
    text, folder = written(name, shape, lang)
    keys = re.findall(r"^@\w+\{([\w-]+),", (folder / "references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(keys) == sorted(set(keys))
    cited = set(CITATION.findall(text))
    assert cited
    assert cited - set(keys) == set()


@every_report
@every_shape
@every_language
def test_figures_have_an_alternative_text_and_are_all_placed(
    written: Callable, name: str, shape: str, lang: str
) -> None:
    text, folder = written(name, shape, lang)
    placed = []
    for caption, path, attributes in IMAGE.findall(text):
        alt = re.search(r'fig-alt="((?:[^"\\]|\\.)*)"', attributes)
        assert alt is not None
        assert len(alt.group(1)) > 20
        assert alt.group(1) != caption
        placed.append(Path(path).name)
    drawn = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert drawn - set(placed) <= {"fig-ladder"}  # the audit's: its findings, and this report's table, say the same


@every_report
@every_shape
@every_language
def test_every_table_is_placed(written: Callable, name: str, shape: str, lang: str) -> None:
    text, folder = written(name, shape, lang)
    placed = {name.removeprefix("tbl-") for name in ID.findall(text) if name.startswith("tbl-")}
    assert {path.stem for path in (folder / "tables").glob("*.csv")} - placed == set()


@every_report
@every_shape
@every_language
def test_fences_close_tables_stand_free_and_bold_closes(written: Callable, name: str, shape: str, lang: str) -> None:
    text, _ = written(name, shape, lang)
    depth = 0
    for line in text.splitlines():
        depth += line.startswith("::: ") - (line == ":::")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"^(?!\||\n).+\n\|", text, re.MULTILINE)
    assert [line for line in text.splitlines() if re.sub(r"\\.|`[^`]*`|\$[^$]*\$", "", line).count("**") % 2] == []


@pytest.mark.parametrize(
    "path", sorted(path for name in REPORTS for path in find("reports", name).glob("report.*.jinja")), ids=str
)
def test_no_number_with_decimals_stands_in_the_text(path: Path) -> None:
    text = SPOKEN.sub(" ", path.read_text(encoding="utf-8"))
    assert LITERAL.findall(text) == []
