"""The report of the replication: whole in both languages, from simulated, real and poor data, with numbers of results only."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import click_stats as cs
from click_stats.content import find
from click_stats.render import report
from click_stats.results import ResultSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from click_stats.render.figures import Drawing

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "ko")
SHAPES = ("simulated", "real", "one model", "accuracy only")
ID = re.compile(r"\{#([\w-]+)")
REFERENCE = re.compile(r"(?<![\\\w])@((?:tbl|fig|eq|sec)-[\w-]+)")
LINK = re.compile(r"\]\(#([\w-]+)\)")
CITATION = re.compile(r"(?<![\\\w])@([a-z]+\d{4}[a-z]*)")
IMAGE = re.compile(r"^!\[(.*)\]\((\S+)\)\{(.*)\}$", re.MULTILINE)
every_shape = pytest.mark.parametrize("shape", SHAPES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory, three_files: list[Path]) -> dict[str, ResultSet]:
    """The study on four items a category of the simulated models, on real files, and on what is left of them."""
    spec = importlib.util.spec_from_file_location("simulate_paper", ROOT / "scripts" / "simulate_paper.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    runs = tmp_path_factory.mktemp("runs")
    items = cs.read_items()
    backends = [script.read_backend(path) for path in sorted(script.SIMULATED.glob("backends/*.toml"))]
    cs.run(backends, script.some_items(items, 4), out=runs)
    models = cs.read_models(ROOT / "fixtures" / "paper-models.csv")
    simulated = cs.analyze("replication", cs.read_trials(runs), models=models)
    real = cs.analyze("replication", cs.read_trials(three_files))
    rest = {name: one for name, one in real.results.items() if name in {"items", "accuracy"}}
    return {
        "simulated": simulated,
        "real": real,
        "one model": cs.analyze("replication", cs.read_trials(three_files[:1])),
        "accuracy only": ResultSet(real.name, rest, real.meta),
    }


@pytest.fixture(scope="module")
def written(
    tmp_path_factory: pytest.TempPathFactory, studies: dict[str, ResultSet]
) -> Callable[[str, str], tuple[str, Path]]:
    """Write the project once for each shape and language, with empty pictures."""
    made: dict[tuple[str, str], Path] = {}

    def write(shape: str, lang: str) -> tuple[str, Path]:
        if (shape, lang) not in made:
            folder = made[shape, lang] = tmp_path_factory.mktemp(lang)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(report, "save", touch)
                report.write_project(find("reports", "replication"), studies[shape], folder, lang=lang)
        folder = made[shape, lang]
        return (folder / "report.qmd").read_text(encoding="utf-8"), folder

    return write


def touch(drawing: Drawing, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{drawing.id}.svg").touch()


@every_shape
def test_both_languages_have_the_same_ids_in_the_same_order(written: Callable, shape: str) -> None:
    english, korean = (ID.findall(written(shape, lang)[0]) for lang in LANGUAGES)
    assert english == korean
    assert len(english) > 10


@every_shape
@every_language
def test_ids_are_unique_and_references_resolve(written: Callable, shape: str, lang: str) -> None:
    text, _ = written(shape, lang)
    ids = ID.findall(text)
    assert sorted(ids) == sorted(set(ids))
    assert set(REFERENCE.findall(text)) - set(ids) == set()
    assert set(LINK.findall(text)) - set(ids) == set()


@every_shape
@every_language
def test_every_citation_is_in_the_bibliography(written: Callable, shape: str, lang: str) -> None:
    text, folder = written(shape, lang)
    keys = re.findall(r"^@\w+\{([\w-]+),", (folder / "references.bib").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(keys) == sorted(set(keys))
    cited = set(CITATION.findall(text))
    assert cited
    assert cited - set(keys) == set()


@every_shape
@every_language
def test_figures_have_an_alternative_text_and_are_all_placed(written: Callable, shape: str, lang: str) -> None:
    text, folder = written(shape, lang)
    placed = []
    for caption, path, attributes in IMAGE.findall(text):
        alt = re.search(r'fig-alt="((?:[^"\\]|\\.)*)"', attributes)
        assert alt is not None
        assert len(alt.group(1)) > 20
        assert alt.group(1) != caption
        placed.append(Path(path).name)
    drawn = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert drawn - set(placed) <= {"fig-ladder"}  # the audit's: its findings, and this report's table, say the same


@every_shape
@every_language
def test_every_table_is_placed(written: Callable, shape: str, lang: str) -> None:
    text, folder = written(shape, lang)
    placed = {name.removeprefix("tbl-") for name in ID.findall(text) if name.startswith("tbl-")}
    assert {path.stem for path in (folder / "tables").glob("*.csv")} - placed == set()


@every_shape
@every_language
def test_fences_close_tables_stand_free_and_bold_closes(written: Callable, shape: str, lang: str) -> None:
    text, _ = written(shape, lang)
    depth = 0
    for line in text.splitlines():
        depth += line.startswith("::: ") - (line == ":::")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"^(?!\||\n).+\n\|", text, re.MULTILINE)
    assert [line for line in text.splitlines() if re.sub(r"\\.|`[^`]*`|\$[^$]*\$", "", line).count("**") % 2] == []


@every_language
def test_every_analysis_of_the_study_has_its_part(written: Callable, studies: dict[str, ResultSet], lang: str) -> None:
    ids = set(ID.findall(written("simulated", lang)[0]))
    shown = {"account", "items", "models", "extraction", "accuracy", "compare", "published"}
    parts = set(studies["simulated"].results) - shown
    assert {"anova", "sensitivity", "calibration", "human"} <= parts
    for name in parts:
        assert f"sec-{name}" in ids
        assert f"sec-methods-{name}" in ids


@every_language
def test_simulated_answers_are_marked_in_the_first_finding_and_the_subtitle(written: Callable, lang: str) -> None:
    text, _ = written("simulated", lang)
    assert ID.findall(text)[1] == "finding-marks"
    word = {"en": "simulated answers", "ko": "모의 답"}[lang]
    assert word in text.split("---\n")[1]
    assert "finding-marks" not in written("real", lang)[0]


@every_language
def test_the_published_numbers_are_those_of_the_results(
    written: Callable, studies: dict[str, ResultSet], lang: str
) -> None:
    text, folder = written("simulated", lang)
    summary = studies["simulated"]["published"].summary
    finding = text.split("{#finding-published")[1].split("**")[1]
    assert str(summary["n_inside"]) in finding
    assert str(summary["n_published"]) in finding
    table = (folder / "tables" / "paper-averages.csv").read_text(encoding="utf-8")
    assert table.count("\n") - 1 == len(studies["simulated"]["published"].to_frame().query("by == 'domain'"))


@every_language
def test_analyses_that_the_data_do_not_allow_step_aside_with_their_reason(
    written: Callable, studies: dict[str, ResultSet], lang: str
) -> None:
    text, _ = written("real", lang)
    aside = [name for name, result in studies["real"].results.items() if result.meta.get("reason")]
    assert {"published", "calibration"} <= set(aside)
    assert "sec-paper" in ID.findall(text)
    assert "finding-published" not in text


LITERAL = re.compile(r"(?<![\w.-])\d*\.\d+(?!\w)")
SPOKEN = re.compile(r"<<.*?>>|<%.*?%>|<#.*?#>|\$\$.*?\$\$|\$[^$]+\$|\{[#.].*?\}|\(https?:\S+\)", re.DOTALL)


@pytest.mark.parametrize("path", sorted(find("reports", "replication").glob("report.*.jinja")), ids=lambda p: p.name)
def test_no_number_with_decimals_stands_in_the_text(path: Path) -> None:
    text = SPOKEN.sub(" ", path.read_text(encoding="utf-8"))
    assert LITERAL.findall(text) == []


@pytest.mark.report
def test_the_built_in_engine_renders_it(studies: dict[str, ResultSet], tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    made = report.write_report(
        "replication", studies["simulated"], tmp_path / "out", lang="ko", formats=["html"], engine="builtin"
    )
    assert [path.name for path in made] == ["report.html"]
    assert made[0].stat().st_size > 100_000
