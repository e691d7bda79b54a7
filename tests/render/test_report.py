from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from click_stats.content import find
from click_stats.errors import RenderError, UsageError
from click_stats.render import report
from click_stats.results import Result, ResultSet

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from click_stats.render.figures import Drawing

LANGUAGES = ("en", "ko")
ID = re.compile(r"\{#([\w-]+)")
REFERENCE = re.compile(r"(?<![\\\w])@((?:tbl|fig|eq|sec)-[\w-]+)")
LINK = re.compile(r"\]\(#([\w-]+)\)")
CITATION = re.compile(r"(?<![\\\w])@([a-z]+\d{4}[a-z]*)")
IMAGE = re.compile(r"^!\[(.*)\]\((\S+)\)\{(.*)\}$", re.MULTILINE)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[ResultSet, str], Path]:
    """Write the project of the audit once for each set of results and language, with empty pictures: drawing is slow."""
    made: dict[tuple[int, str], Path] = {}

    def write(results: ResultSet, lang: str) -> Path:
        key = (id(results), lang)
        if key not in made:
            made[key] = tmp_path_factory.mktemp(lang)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(report, "save", touch)
                report.write_project(
                    find("reports", "audit"), results, made[key], lang=lang, command=["click-stats", "report"]
                )
        return made[key]

    return write


def touch(drawing: Drawing, folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for ending in ("svg", "png", "pdf"):
        (folder / f"{drawing.id}.{ending}").touch()


def text_of(folder: Path) -> str:
    return (folder / "report.qmd").read_text(encoding="utf-8")


def without(results: ResultSet, *names: str) -> ResultSet:
    return ResultSet(
        results.name, {name: one for name, one in results.results.items() if name not in names}, results.meta
    )


@pytest.fixture(scope="module")
def shapes(invented: ModuleType) -> dict[str, ResultSet]:
    """Studies of every size and gap that a report must do for."""
    eight = invented.result_set(8)
    compare = eight["compare"]
    tables = {name: frame for name, frame in compare.tables.items() if name != "reference"}
    without_reference = Result("compare", tables, compare.summary, compare.meta)
    return {
        "20 models": invented.result_set(),
        "8 models": eight,
        "2 models": invented.result_set(2),
        "1 model": invented.result_set(1),
        "no gap": invented.result_set(7),
        "no reference": ResultSet("audit", {**eight.results, "compare": without_reference}, eight.meta),
        "accuracy only": without(eight, "account", "models", "items", "compare", "ranks", "power"),
        "no account": without(eight, "account"),
    }


SHAPES = ("20 models", "8 models", "2 models", "1 model", "no gap", "no reference", "accuracy only", "no account")
every_shape = pytest.mark.parametrize("shape", SHAPES)
every_language = pytest.mark.parametrize("lang", LANGUAGES)


@every_shape
def test_both_languages_have_the_same_ids_in_the_same_order(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str
) -> None:
    english, korean = (ID.findall(text_of(written(shapes[shape], lang))) for lang in LANGUAGES)
    assert english == korean
    assert len(english) > 10


@every_shape
@every_language
def test_ids_are_unique_and_references_resolve(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str, lang: str
) -> None:
    text = text_of(written(shapes[shape], lang))
    ids = ID.findall(text)
    assert sorted(ids) == sorted(set(ids))
    assert set(REFERENCE.findall(text)) - set(ids) == set()
    assert set(LINK.findall(text)) - set(ids) == set()


@every_shape
@every_language
def test_every_citation_is_in_the_bibliography(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str, lang: str
) -> None:
    folder = written(shapes[shape], lang)
    keys = set(re.findall(r"^@\w+\{(\w+),", (folder / "references.bib").read_text(encoding="utf-8"), re.MULTILINE))
    cited = set(CITATION.findall(text_of(folder)))
    assert cited
    assert cited - keys == set()


@every_shape
@every_language
def test_every_figure_has_an_alternative_text_of_its_own(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str, lang: str
) -> None:
    folder = written(shapes[shape], lang)
    for caption, path, attributes in IMAGE.findall(text_of(folder)):
        alt = re.search(r'fig-alt="((?:[^"\\]|\\.)*)"', attributes)
        assert alt is not None
        assert len(alt.group(1)) > 20
        assert alt.group(1) != caption
        for ending in ("svg", "png", "pdf"):
            assert (folder / f"{path}.{ending}").is_file()


@every_shape
@every_language
def test_the_front_matter_is_yaml(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str, lang: str
) -> None:
    yaml = pytest.importorskip("yaml")
    front = yaml.safe_load(text_of(written(shapes[shape], lang)).split("---\n")[1])
    assert front["lang"] == lang
    assert front["title"]
    assert front["subtitle"]


@every_shape
@every_language
def test_fences_close_and_tables_stand_free(
    shapes: dict[str, ResultSet], written: Callable[..., Path], shape: str, lang: str
) -> None:
    text = text_of(written(shapes[shape], lang))
    depth = 0
    for line in text.splitlines():
        if line.startswith("::: "):
            depth += 1
        elif line == ":::":
            depth -= 1
        assert depth >= 0
    assert depth == 0
    # A pipe table that touches the text before it is read as text.
    assert not re.search(r"^(?!\||\n).+\n\|", text, re.MULTILINE)
    # Bold that does not close on its line is not bold.
    assert [line for line in text.splitlines() if re.sub(r"\\.|`[^`]*`|\$[^$]*\$", "", line).count("**") % 2] == []


@pytest.mark.usefixtures("undrawn")
@every_language
def test_hostile_benchmark_names_survive(invented: ModuleType, tmp_path: Path, lang: str) -> None:
    yaml = pytest.importorskip("yaml")
    name = 'A: "quoted" #1 *bench* {{< meta x >}} @you'
    results = invented.result_set(2)
    report.write_project(
        find("reports", "audit"),
        ResultSet("audit", results.results, {**results.meta, "benchmark": name}),
        tmp_path,
        lang=lang,
    )
    front = yaml.safe_load(text_of(tmp_path).split("---\n")[1])
    assert name in re.sub(r"\\(.)", r"\1", front["title"])
    assert set(re.findall(r"\{\{<.*?>\}\}", text_of(tmp_path))) <= {"{{< pagebreak >}}"}
    assert "@kim2024click" not in text_of(tmp_path)


@pytest.mark.report
@every_language
def test_hostile_model_names_come_out_as_typed(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    pypandoc = pytest.importorskip("pypandoc")
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", "markdown", "-t", "plain", "--wrap=none", "--columns=400"],
        input=text_of(written(shapes["20 models"], lang)).encode(),
        capture_output=True,
        check=True,
    )
    plain = done.stdout.decode()
    for name in ("my_model-7b_v2|ko", "<b>&$#@%", "모델-한국어_7B*", "gpt-5.2 (medium)"):
        assert plain.count(name) > 3
    assert "\\" not in re.sub(r"\$.*?\$|\\\w+", "", plain.replace("$$", "$"), flags=re.DOTALL) or "\\_" not in plain


@every_language
def test_one_model_is_reported_without_comparisons(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    text = text_of(written(shapes["1 model"], lang))
    ids = ID.findall(text)
    assert "finding-single" in ids
    assert not {"sec-differences", "sec-ranks", "sec-detectable", "tbl-pairs", "fig-pairs", "eq-difference"} & set(ids)
    assert {"sec-accuracy", "tbl-accuracy", "sec-methods", "sec-reproduce"} <= set(ids)


@every_language
def test_all_co_leaders_and_models_are_named(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    results = shapes["20 models"]
    ranks = results["ranks"].tables["estimates"]
    leaders = ranks[(ranks["by"] == "overall") & ranks["co_leader"].fillna(value=False).astype(bool)]["unit"]
    text = text_of(written(results, lang))
    line = text.split("{#finding-leaders")[1].split("**")[1]
    assert len(leaders) > 1
    for unit in leaders:
        assert unit in line


@every_language
def test_findings_have_a_plain_line_and_the_numbers(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    text = text_of(written(shapes["20 models"], lang))
    blocks = re.findall(r"^::: \{#finding-([\w-]+) \.finding\}\n(.*?)^:::$", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 12
    for kind, block in blocks:
        plain, numbers = block.strip().split("\n\n")
        assert plain.startswith("**")
        assert plain.endswith((".**", ".**"))
        assert re.search(r"\d", plain + numbers), kind
        assert kind == "undecided" or "@tbl-" in numbers, kind
        assert not re.search(r" [.,;]|\.\.|  ", plain), kind


@every_language
def test_warnings_of_the_results_are_printed(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    text = text_of(written(shapes["20 models"], lang))
    assert "callout-warning" in text
    assert "was scored against the item table" in text


@every_language
def test_every_table_is_placed_and_also_written_for_papers(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    folder = written(shapes["20 models"], lang)
    placed = {name.removeprefix("tbl-") for name in ID.findall(text_of(folder)) if name.startswith("tbl-")}
    files = {path.stem for path in (folder / "tables").glob("*.csv")}
    assert placed == files
    for name in placed:
        assert "\\toprule" in (folder / "tables" / f"{name}.tex").read_text(encoding="utf-8")


@every_language
def test_every_figure_is_placed_and_its_data_written(
    shapes: dict[str, ResultSet], written: Callable[..., Path], lang: str
) -> None:
    folder = written(shapes["20 models"], lang)
    placed = {path for _, path, _ in IMAGE.findall(text_of(folder))}
    assert placed == {f"figures/{path.stem}" for path in (folder / "figures").glob("*.svg")}
    assert placed == {f"figures/{path.stem}" for path in (folder / "figures").glob("*.csv")}
    assert len(placed) == 7
    assert text_of(folder).count("{.figure-how}") == 7


def test_results_stand_beside_the_report(shapes: dict[str, ResultSet], written: Callable[..., Path]) -> None:
    folder = written(shapes["2 models"], "en")
    assert (folder / "results.json").read_text(encoding="utf-8") == shapes["2 models"].to_json()
    assert (folder / "_quarto.yml").is_file()


def test_the_same_results_give_the_same_bytes(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        report.write_project(find("reports", "audit"), shapes["2 models"], folder, lang="ko")
    paths = [path for path in sorted(first.rglob("*")) if path.is_file()]
    assert {path.suffix for path in paths} >= {".qmd", ".svg", ".png", ".pdf", ".csv", ".tex", ".json", ".bib", ".yml"}
    for path in paths:
        assert (second / path.relative_to(first)).read_bytes() == path.read_bytes(), path.name


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "save", touch)


@pytest.mark.usefixtures("undrawn")
def test_the_command_is_printed_as_typed(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    command = ["click-stats", "report", "audit", "my results/*.csv", "한글 모델.csv", "e\x1bs\nc.csv", "--lang", "ko"]
    report.write_project(find("reports", "audit"), shapes["2 models"], tmp_path, lang="en", command=command)
    files = r"'my results/*.csv' '한글 모델.csv' 'e\x1bs\nc.csv'"
    assert f"\nclick-stats report audit {files} --lang ko\n" in text_of(tmp_path)


def test_unknown_names_are_refused_before_anything_is_written(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(UsageError, match="no 'none' among the reports"):
        report.write_report("none", shapes["2 models"], out, formats=())
    with pytest.raises(UsageError, match="language 'fr'"):
        report.write_report("audit", shapes["2 models"], out, lang="fr", formats=())
    with pytest.raises(UsageError, match="format 'odt'"):
        report.write_report("audit", shapes["2 models"], out, formats="html,odt")
    assert not out.exists()


def test_a_broken_template_leaves_nothing_behind(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "reports" / "audit"
    folder.mkdir(parents=True)
    (folder / "report.en.qmd.jinja").write_text("<< results_that_are_not_there >>", encoding="utf-8")
    with pytest.raises(RenderError, match="does not exist"):
        report.write_report("audit", shapes["2 models"], tmp_path / "out", formats=(), content=[tmp_path / "mine"])
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.usefixtures("undrawn")
def test_a_report_of_the_users_own_may_use_the_shared_macros(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "reports" / "brief"
    folder.mkdir(parents=True)
    (folder / "report.en.qmd.jinja").write_text(
        '<% import "macros.jinja" as m with context %>\n# Short {#sec-short}\n\n<< m.place("tbl-ranks") >>\n',
        encoding="utf-8",
    )
    report.write_report("brief", shapes["2 models"], tmp_path / "out", formats=(), content=[tmp_path / "mine"])
    assert "{#tbl-ranks}" in text_of(tmp_path / "out")


@pytest.mark.usefixtures("undrawn")
def test_a_folder_that_holds_files_is_kept_without_force(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="not empty"):
        report.write_report("audit", shapes["2 models"], tmp_path, formats=())
    report.write_report("audit", shapes["2 models"], tmp_path, formats=(), force=True)
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "x"
    assert (tmp_path / "report.qmd").is_file()


@pytest.mark.report
def test_the_built_in_engine_renders_it(shapes: dict[str, ResultSet], tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    stages: list[str] = []
    files = report.write_report(
        "audit", shapes["2 models"], tmp_path / "out", lang="ko", formats=["html"], engine="builtin",
        progress=lambda _done, _total, stage: stages.append(stage),
    )  # fmt: skip
    assert [path.name for path in files] == ["report.html"]
    assert files[0].is_file()
    assert stages[-1] == ""
    assert "html" in stages
