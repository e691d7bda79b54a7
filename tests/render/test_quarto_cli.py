"""The Quarto engine against a program of our own that plays Quarto: arguments, messages, time-outs, lost output."""

from __future__ import annotations

import json
import shutil
import sys
import time
import zipfile
from pathlib import Path

import pytest

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render import fonts
from click_stats.render.engines import choose, render_project
from click_stats.render.engines.quarto import look_for_quarto, warnings_in
from click_stats.render.project import quarto_yml, write_project

pytestmark = [
    pytest.mark.report,
    pytest.mark.skipif(sys.platform == "win32", reason="the played program is a POSIX script"),
]

SAMPLE = Path(__file__).parent / "sample"

# Plays Quarto as `play.json` beside it says, and records what it was asked.
PLAYER = """\
#!{python}
import json, os, pathlib, shutil, sys, time
here = pathlib.Path(__file__).parent
play = json.loads((here / "play.json").read_text())
if sys.argv[1:] == ["--version"]:
    print(play.get("version", "1.6.40"))
    sys.exit(play.get("version_code", 0))
seen = {{"argv": sys.argv[1:], "cwd": os.getcwd(), "colour": os.environ.get("NO_COLOR"),
        "files": sorted(str(p.relative_to(".")) for p in pathlib.Path(".").rglob("*") if p.is_file())}}
(here / "seen.json").write_text(json.dumps(seen))
pathlib.Path("report_files").mkdir()
time.sleep(play.get("sleep", 0))
sys.stderr.write(play.get("stderr", ""))
fmt = sys.argv[sys.argv.index("--to") + 1]
suffix = {{"typst": "pdf"}}.get(fmt, fmt)
made = play.get("makes", {{}}).get(suffix)
if made:
    shutil.copy(made, "report." + suffix)
sys.exit(play.get("code", 0))
"""


class Player:
    def __init__(self, place: Path) -> None:
        self.place = place
        place.mkdir()
        self.program = place / "quarto"
        self.program.write_text(PLAYER.format(python=sys.executable))
        self.program.chmod(0o755)
        self.plays()

    def plays(self, **what) -> None:
        (self.place / "play.json").write_text(json.dumps(what))

    @property
    def seen(self) -> dict:
        return json.loads((self.place / "seen.json").read_text())


@pytest.fixture
def quarto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    player = Player(tmp_path / "bin")
    monkeypatch.delenv("QUARTO_PATH", raising=False)
    monkeypatch.setenv("PATH", str(player.place) + ":/usr/bin:/bin")
    return player


@pytest.fixture
def page(tmp_path: Path) -> str:
    made = tmp_path / "made.html"
    made.write_text("<!DOCTYPE html><html lang='en'><body><p>text</p></body></html>")
    return str(made)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "report"
    shutil.copytree(SAMPLE / "figures", made / "figures")
    shutil.copy(SAMPLE / "report.ko.qmd", made / "report.qmd")
    shutil.copy(SAMPLE / "references.bib", made / "references.bib")
    write_project(made, lang="ko")
    (made / "tables").mkdir()
    (made / "tables" / "accuracy.csv").write_text("a\n")
    (made / "results.json").write_text("{}")
    (made / "report.pdf").write_text("old")
    return made


class TestFinding:
    def test_auto_takes_quarto_from_the_path(self, quarto):
        chosen = choose("auto")
        assert chosen.engine.name == "Quarto 1.6.40"
        assert chosen.reason == "Quarto 1.6.40: found by PATH"

    @pytest.mark.parametrize("folder", [False, True])
    def test_quarto_path_comes_first(self, quarto, tmp_path, monkeypatch, folder):
        other = Player(tmp_path / "other")
        other.plays(version="1.9.2")
        monkeypatch.setenv("QUARTO_PATH", str(other.place if folder else other.program))
        found, why = look_for_quarto(required=True)
        assert found is not None
        assert (found.version, why) == ("1.9.2", "found by QUARTO_PATH")

    def test_a_wrong_quarto_path_is_said(self, quarto, monkeypatch):
        monkeypatch.setenv("QUARTO_PATH", "/absent/quarto")
        assert choose("auto").reason == "built-in engine: QUARTO_PATH names no program (/absent/quarto)"
        with pytest.raises(MissingDependencyError, match="cannot be used") as caught:
            choose("quarto")
        assert "/absent/quarto" in caught.value.found

    @pytest.mark.parametrize(
        ("play", "why"),
        [
            ({"version": "1.3.450"}, "is 1.3.450, 1.4 or later is needed"),
            ({"version": "nonsense"}, "1.4 or later is needed"),
            ({"version": "1.6.1", "version_code": 1}, "1.4 or later is needed"),
        ],
    )
    def test_an_unfit_quarto_gives_way(self, quarto, play, why):
        quarto.plays(**play)
        assert why in choose("auto").reason
        with pytest.raises(MissingDependencyError):
            choose("quarto")

    def test_development_builds_count_as_new(self, quarto):
        quarto.plays(version="99.9.9")
        assert choose("quarto").engine.name == "Quarto 99.9.9"


class TestRendering:
    @pytest.mark.parametrize(("fmt", "to"), [("html", "html"), ("docx", "docx"), ("pdf", "typst")])
    def test_arguments(self, quarto, folder, page, tmp_path, fmt, to):
        quarto.plays(stderr="pandoc\noutput\n")
        with pytest.raises(RenderError, match=f"there is no report.{fmt}"):
            render_project(folder, [fmt], engine="quarto")
        assert quarto.seen["argv"] == ["render", "report.qmd", "--to", to]
        assert quarto.seen["colour"] == "1"

    def test_works_on_a_copy_without_results_and_old_outputs(self, quarto, folder, page):
        quarto.plays(makes={"html": page})
        before = sorted(folder.rglob("*"))
        (rendered,) = render_project(folder, ["html"], engine="quarto")
        assert rendered.engine == "Quarto 1.6.40"
        assert rendered.path.read_bytes() == Path(page).read_bytes()
        assert sorted(folder.rglob("*")) == sorted([*before, folder / "report.html"])
        assert Path(quarto.seen["cwd"]) != folder
        assert not Path(quarto.seen["cwd"]).exists()
        files = quarto.seen["files"]
        assert {"report.qmd", "_quarto.yml", "references.bib", "figures/ladder.svg", "_shared/reference.docx"} <= set(
            files
        )
        assert not [name for name in files if name.endswith(("results.json", ".csv", "report.pdf"))]

    def test_gives_the_packaged_font_to_typst(self, quarto, folder):
        choice = fonts.korean_font()
        with pytest.raises(RenderError):
            render_project(folder, ["pdf"], engine="quarto")
        given = [name for name in quarto.seen["files"] if name.startswith("_shared/fonts/")]
        assert len(given) == (len(choice.files) if choice.folders else 0)

    def test_unresolved_reference_is_an_error_though_the_exit_code_is_0(self, quarto, folder, page):
        quarto.plays(
            makes={"html": page},
            stderr="\x1b[33mWARNING\x1b[39m (/opt/quarto/refs.lua:120) Unable to resolve crossref \x1b[1m@fig-none\x1b[0m\n",
        )
        with pytest.raises(RenderError, match="refers to what it does not hold") as caught:
            render_project(folder, ["html"], engine="quarto")
        assert caught.value.found.endswith("Unable to resolve crossref @fig-none")
        assert not (folder / "report.html").exists()

    def test_exit_code_1_gives_the_end_of_the_message(self, quarto, folder, page):
        lines = "\n".join(f"line {i}" for i in range(40))
        quarto.plays(
            makes={"html": page}, code=1, stderr=f"{lines}\n\x1b[31mERROR: YAMLError: bad indentation\x1b[0m\n"
        )
        with pytest.raises(RenderError, match="exit code 1") as caught:
            render_project(folder, ["html"], engine="quarto")
        assert caught.value.found.splitlines()[-1] == "ERROR: YAMLError: bad indentation"
        assert "line 10" not in caught.value.found.splitlines()
        assert not (folder / "report.html").exists()

    def test_time_out_ends_it(self, quarto, folder):
        quarto.plays(sleep=60)
        start = time.monotonic()
        with pytest.raises(RenderError, match="did not finish in 2 seconds"):
            render_project(folder, ["pdf"], engine="quarto", timeout=2)
        assert time.monotonic() - start < 30
        assert (folder / "report.pdf").read_text() == "old"

    def test_disk_full(self, quarto, folder):
        quarto.plays(code=1, stderr="ERROR: No space left on device (os error 28)\n")
        with pytest.raises(RenderError, match="disk is full"):
            render_project(folder, ["html"], engine="quarto")

    def test_other_warnings_are_notes(self, quarto, folder, page):
        quarto.plays(makes={"html": page}, stderr="WARNING: The option x is deprecated\nOutput created: report.html\n")
        (rendered,) = render_project(folder, ["html"], engine="quarto")
        assert rendered.notes == ("Quarto: WARNING: The option x is deprecated",)

    def test_an_output_that_is_half_is_refused(self, quarto, folder, tmp_path):
        half = tmp_path / "half.html"
        half.write_text("<html><body>")
        quarto.plays(makes={"html": str(half)})
        with pytest.raises(RenderError, match="breaks off"):
            render_project(folder, ["html"], engine="quarto")
        assert not (folder / "report.html").exists()

    def test_a_pdf_in_boxes_is_refused(self, quarto, folder, tmp_path):
        import typst

        source = tmp_path / "t.typ"
        source.write_text('#set text(font: "Libertinus Serif", fallback: false)\n결과 방법 구간')
        boxes = tmp_path / "boxes.pdf"
        boxes.write_bytes(typst.compile(str(source), ignore_system_fonts=True))
        quarto.plays(makes={"pdf": str(boxes)})
        with pytest.raises(RenderError, match="Hangul"):
            render_project(folder, ["pdf"], engine="quarto")
        assert (folder / "report.pdf").read_text() == "old"

    def test_docx_gets_the_texts_of_its_pictures(self, quarto, folder, tmp_path):
        # pandoc alone does to `fig-alt` what Quarto does in docx: nothing.
        from click_stats.render.engines.builtin import Builtin
        from click_stats.render.engines.docx_finish import described
        from click_stats.render.engines.process import run

        argv = [
            Builtin.found().pandoc,
            "report.qmd",
            "-fmarkdown",
            "--default-image-extension=png",
            "-o",
            str(tmp_path / "p.docx"),
        ]
        text = (folder / "report.qmd").read_text()
        (folder / "report.qmd").write_text(text.replace("@", ""))
        assert run(argv, cwd=folder, timeout=60).code == 0
        quarto.plays(makes={"docx": str(tmp_path / "p.docx")})
        render_project(folder, ["docx"], engine="quarto")
        assert described(folder / "report.docx") == [
            '점 두 개와 구간: my_model-7b_v2|ko 61.8 %, "other" 55.0 % & 그 아래.'
        ]
        with zipfile.ZipFile(folder / "report.docx") as archive:
            assert archive.testzip() is None


class TestMessages:
    @pytest.mark.parametrize(
        "line",
        [
            "WARNING (refs.lua:1) Unable to resolve crossref @tbl-x",
            "[WARNING] Citeproc: citation kim2020 not found",
            "[WARNING] Could not fetch resource figures/x.png: replacing image with description",
        ],
    )
    def test_holes(self, line):
        with pytest.raises(RenderError) as caught:
            warnings_in(f"pandoc --to html\n{line}\n")
        assert caught.value.found == line

    def test_missing_font(self):
        with pytest.raises(RenderError) as caught:
            warnings_in("warning: unknown font family: nanumgothic\n  x.typ:3:1\n")
        assert "nanumgothic" in caught.value.found
        assert "fonts-nanum" in caught.value.do

    def test_chatter_is_no_note(self):
        assert warnings_in("pandoc\n  to: html\nOutput created: report.html\n") == []


class TestProjectFile:
    @pytest.mark.parametrize("lang", ["en", "ko"])
    def test_is_yaml_with_what_the_traps_ask_for(self, lang):
        yaml = pytest.importorskip("yaml")
        read = yaml.safe_load(quarto_yml(lang))
        assert read["project"] == {"type": "default", "render": ["report.qmd"]}
        assert read["lang"] == lang
        assert set(read["format"]) == {"html", "typst", "docx"}
        page = read["format"]["html"]
        assert (page["theme"], page["html-math-method"], page["embed-resources"]) == ("default", "mathml", True)
        assert page["default-image-extension"] == read["format"]["typst"]["default-image-extension"] == "svg"
        assert read["format"]["docx"]["default-image-extension"] == "png"
        assert isinstance(read["format"]["typst"]["mainfont"], str)
        words = read.get("language", {})
        assert words.get("crossref-sec-prefix") == {"en": None, "ko": "절"}[lang]
        assert words.get("crossref-eq-prefix") == {"en": None, "ko": "식"}[lang]

    def test_every_file_it_names_is_there(self, tmp_path):
        yaml = pytest.importorskip("yaml")
        written = write_project(tmp_path / "made", lang="ko")
        assert all(path.is_file() for path in written)
        read = yaml.safe_load((tmp_path / "made" / "_quarto.yml").read_text(encoding="utf-8"))
        named = [name for name in read["filters"] if name != "quarto"] + [read["csl"]]
        named += [read["format"]["html"]["css"], read["format"]["docx"]["reference-doc"]]
        named += [entry["file"] for entry in read["format"]["typst"]["include-in-header"]]
        assert named
        assert all((tmp_path / "made" / name).is_file() for name in named)

    def test_without_any_korean_font_the_project_is_still_written(self, monkeypatch):
        def none():
            raise MissingDependencyError("none")

        monkeypatch.setattr(fonts, "korean_font", none)
        assert "mainfont" not in quarto_yml("ko")
