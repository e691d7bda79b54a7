"""Choosing an engine, whole files or none, errors of the built-in engine, programs that must not outlive us."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from click_stats.errors import MissingDependencyError, RenderError, UsageError
from click_stats.render.engines import base, builtin, choose, render_project, rendering
from click_stats.render.engines.checks import check, check_html, check_pdf, pdf_characters
from click_stats.render.engines.document import Document, lang_of, picture_texts, read_ast
from click_stats.render.engines.process import run

pytestmark = pytest.mark.report

FRONT = '---\ntitle: "T"\nlang: en\n---\n\n'
FIGURES = Path(__file__).parent / "sample" / "figures"


@pytest.fixture(autouse=True)
def _no_quarto(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("QUARTO_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere") + os.pathsep + "/usr/bin:/bin")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "report"
    made.mkdir()
    return made


def write(folder: Path, body: str, front: str = FRONT) -> Path:
    (folder / "report.qmd").write_text(front + body, encoding="utf-8")
    return folder


class TestChoice:
    def test_auto_without_quarto_says_why(self):
        chosen = choose("auto")
        assert chosen.engine.name.startswith("built-in engine (pandoc 3.")
        assert "Quarto" in chosen.reason
        assert chosen.reason.startswith("built-in engine: ")

    def test_quarto_asked_for_and_absent_is_an_error_with_the_install_hint(self, monkeypatch):
        monkeypatch.setattr(shutil, "which", lambda *_a, **_k: None)
        with pytest.raises(MissingDependencyError) as caught:
            choose("quarto")
        assert "quarto.org" in caught.value.do
        assert caught.value.exit_code == 3

    def test_unknown_engine(self):
        with pytest.raises(UsageError, match="no such engine"):
            choose("latex")

    @pytest.mark.parametrize("formats", [[], ["html", "tex"]])
    def test_unknown_formats(self, folder, formats):
        with pytest.raises(UsageError, match="html, pdf and docx"):
            render_project(write(folder, "x"), formats)

    def test_formats_come_once_and_in_order(self):
        assert base.known_formats(["docx", "html", "html"]) == ["html", "docx"]

    def test_missing_extra_names_the_pip_command(self, folder, monkeypatch):
        monkeypatch.setitem(sys.modules, "pypandoc", None)
        with pytest.raises(MissingDependencyError) as caught:
            render_project(write(folder, "x"), ["html"], engine="builtin")
        assert 'pip install "click-stats[report]"' in caught.value.do

    def test_old_pandoc_is_refused(self, monkeypatch):
        import pypandoc

        monkeypatch.setattr(pypandoc, "get_pandoc_version", lambda: "3.1.11")
        with pytest.raises(MissingDependencyError) as caught:
            builtin.Builtin.found()
        assert caught.value.found == "3.1.11"

    def test_missing_typst_names_the_pip_command(self, folder, monkeypatch):
        monkeypatch.setitem(sys.modules, "typst", None)
        with pytest.raises(MissingDependencyError, match="typst") as caught:
            render_project(write(folder, "x"), ["pdf"], engine="builtin")
        assert "pip install" in caught.value.do
        assert list(folder.iterdir()) == [folder / "report.qmd"]


class TestWholeOrNot:
    def test_progress_says_engine_and_formats(self, folder):
        lines: list[str] = []
        rendered = render_project(write(folder, "# A {#sec-a}\n"), ["html"], progress=lines.append)
        assert lines[0].startswith("built-in engine: ")
        assert lines[1:] == ["rendering html"]
        assert rendered[0].seconds > 0
        assert rendered[0].format == "html"

    def test_no_source(self, folder):
        with pytest.raises(RenderError, match="no report to render"):
            render_project(folder, ["html"], engine="builtin")

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, folder):
        (folder / "report.html").write_text("old")
        with pytest.raises(RenderError):
            render_project(write(folder, "See @fig-none."), ["html"], engine="builtin")
        assert (folder / "report.html").read_text() == "old"
        assert sorted(path.name for path in folder.iterdir()) == ["report.html", "report.qmd"]

    def test_disk_full_while_the_file_is_put_in_place(self, folder, monkeypatch):
        def full(*_args):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(rendering.os, "replace", full)
        with pytest.raises(RenderError, match="disk is full") as caught:
            render_project(write(folder, "x"), ["html"], engine="builtin")
        assert str(folder) in caught.value.found
        assert [path.name for path in folder.iterdir()] == ["report.qmd"]

    def test_disk_full_in_pandoc(self, folder, monkeypatch):
        fake = folder.parent / "pandoc"
        fake.write_text(
            f"#!{sys.executable}\nimport sys\n"
            "if '--to=json' in sys.argv: print('{\"meta\":{},\"blocks\":[]}'); sys.exit(0)\n"
            "sys.stderr.write('pandoc: report.html: withBinaryFile: resource exhausted (No space left on device)')\n"
            "sys.exit(1)\n"
        )
        fake.chmod(0o755)
        monkeypatch.setattr(builtin.Builtin, "found", classmethod(lambda cls: cls(str(fake), "3.9")))
        with pytest.raises(RenderError, match="disk is full"):
            render_project(write(folder, "x"), ["html"], engine="builtin")

    def test_folder_that_cannot_be_written(self, folder, monkeypatch):
        def refuse(**_kwargs):
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))

        monkeypatch.setattr(rendering.tempfile, "mkdtemp", refuse)
        with pytest.raises(RenderError, match="cannot be written") as caught:
            render_project(write(folder, "x"), ["html"], engine="builtin")
        assert str(folder) in caught.value.found

    def test_source_in_a_broken_encoding(self, folder):
        (folder / "report.qmd").write_bytes(b"# \xff\xfe\n")
        with pytest.raises(RenderError, match="source cannot be read"):
            render_project(folder, ["html"], engine="builtin")


class TestBuiltinRefuses:
    @pytest.mark.parametrize("fmt", ["html", "pdf"])
    @pytest.mark.parametrize(
        ("body", "named"),
        [
            ("See @fig-none.", "@fig-none"),
            ("See [@tbl-none; @sec-none].", "@tbl-none"),
            ("See [row](#row-9).", "#row-9"),
            ("# A {#sec-a .unnumbered}\n\nSee @sec-a.", "@sec-a"),
            ("{{< video x.mp4 >}}", "video"),
            ('![c](figures/absent){#fig-a fig-alt="a"}', "figures/absent"),
            ('![c](figures/ladder){#fig-a fig-alt="a"}\n\n![c](figures/ladder){#fig-a fig-alt="a"}', "fig-a"),
        ],
    )
    def test_what_is_not_there(self, folder, body, named, fmt):
        shutil.copytree(FIGURES, folder / "figures")
        with pytest.raises(RenderError) as caught:
            render_project(write(folder, body), [fmt], engine="builtin")
        assert named in caught.value.found

    def test_missing_citation(self, folder):
        (folder / "references.bib").write_text("@book{a, title = {T}, year = 2020}\n")
        front = FRONT.replace("lang: en", "lang: en\nbibliography: references.bib")
        with pytest.raises(RenderError) as caught:
            render_project(write(folder, "See [@b].", front), ["html"], engine="builtin")
        assert "b" in caught.value.found

    def test_missing_bibliography(self, folder):
        front = FRONT.replace("lang: en", "lang: en\nbibliography: absent.bib")
        with pytest.raises(RenderError) as caught:
            render_project(write(folder, "x", front), ["html"], engine="builtin")
        assert "absent.bib" in caught.value.found

    def test_broken_front_matter(self, folder):
        with pytest.raises(RenderError) as caught:
            render_project(write(folder, "x", '---\ntitle: "unclosed\n---\n\n'), ["html"], engine="builtin")
        assert caught.value.found

    def test_picture_without_a_text_is_noted(self, folder):
        shutil.copytree(FIGURES, folder / "figures")
        (rendered,) = render_project(write(folder, "![cap](figures/ladder){#fig-a}"), ["html"], engine="builtin")
        assert "figures/ladder" in rendered.notes[0]

    def test_headings_may_start_at_any_level(self, folder):
        render_project(
            write(folder, "## One {#sec-one}\n\n### Two {#sec-two}\n\nSee @sec-two.\n"), ["html"], engine="builtin"
        )
        page = (folder / "report.html").read_text()
        assert "Section\u00a01.1" in page
        assert "<h2>" in page

    def test_sections_are_not_numbered_when_told(self, folder):
        front = FRONT.replace("lang: en", "lang: en\nnumber-sections: false\ntoc: false")
        render_project(write(folder, "# One {#sec-one}\n", front), ["html"], engine="builtin")
        page = (folder / "report.html").read_text()
        assert "header-section-number" not in page.split("<body>")[1]
        assert 'id="TOC"' not in page


class TestProcess:
    def test_time_out_ends_the_program_and_its_children(self, tmp_path):
        script = tmp_path / "parent.py"
        script.write_text(
            "import subprocess, sys, time\n"
            "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
            "open('pid', 'w').write(str(child.pid))\n"
            "time.sleep(60)\n"
        )
        start = time.monotonic()
        with pytest.raises(RenderError, match=r"did not finish in 1\.5 seconds"):
            run([sys.executable, str(script)], cwd=tmp_path, timeout=1.5)
        assert time.monotonic() - start < 20
        assert gone(int((tmp_path / "pid").read_text()))

    @pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
    def test_ctrl_c_ends_the_program(self, tmp_path):
        script = tmp_path / "sleep.py"
        script.write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")

        def interrupt() -> None:
            deadline = time.monotonic() + 20
            while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
                time.sleep(0.05)
            # a real signal: a flag set by _thread.interrupt_main() would not end a wait in the kernel
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        waiter = threading.Thread(target=interrupt)
        waiter.start()
        try:
            with pytest.raises(KeyboardInterrupt):
                run([sys.executable, str(script)], cwd=tmp_path, timeout=60)
        finally:
            waiter.join()
            signal.signal(signal.SIGINT, before)
        assert gone(int((tmp_path / "pid").read_text()))

    def test_colours_are_stripped_and_the_tail_is_short(self, tmp_path):
        code = "import sys; [print(f'\\x1b[31mline {i}\\x1b[0m', file=sys.stderr) for i in range(50)]; sys.exit(3)"
        ended = run([sys.executable, "-c", code], cwd=tmp_path, timeout=30)
        assert ended.code == 3
        assert ended.stderr.splitlines()[0] == "line 0"
        assert ended.tail().splitlines()[0] == "line 38"

    def test_a_program_that_is_not_there(self, tmp_path):
        with pytest.raises(MissingDependencyError, match="could not be started"):
            run([str(tmp_path / "absent")], cwd=tmp_path, timeout=5)


def gone(pid: int) -> bool:
    """Whether the process ends within a moment (a zombie has ended)."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        state = subprocess.run(
            ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
        ).stdout
        if not state.strip() or state.strip().startswith("Z"):
            return True
        time.sleep(0.1)
    return False


class TestChecks:
    def test_absent_and_empty_files(self, tmp_path):
        target = tmp_path / "report.html"
        with pytest.raises(RenderError, match="wrote no file"):
            check(target, "html", text="")
        target.touch()
        with pytest.raises(RenderError, match="wrote no file"):
            check(target, "html", text="")

    @pytest.mark.parametrize("left", ["?@fig-x", "(tbl-desc?)"])
    def test_html_with_an_unresolved_reference(self, left):
        with pytest.raises(RenderError) as caught:
            check_html(f"<html><body><p>See <strong>{left}</strong></p></body></html>")
        assert caught.value.found == left

    def test_html_that_breaks_off(self):
        with pytest.raises(RenderError, match="breaks off"):
            check_html("<html><body><p>half")

    def test_html_that_fetches_is_noted(self):
        page = (
            "<html><head><script src='https://a.example/x.js'></script><style>@import url(https://b.example/f.css)</style>"
            "</head><body><a href='https://c.example'>link</a><img src='data:image/png;base64,AA'></body></html>"
        )
        assert [note.split()[3] for note in check_html(page)] == ["https://a.example/x.js", "a"]

    def test_broken_docx(self, tmp_path):
        target = tmp_path / "report.docx"
        target.write_bytes(b"PK\x03\x04 half")
        with pytest.raises(RenderError, match="broken"):
            check(target, "docx", text="")

    def test_pdf_that_breaks_off(self):
        with pytest.raises(RenderError, match="breaks off"):
            check_pdf(b"%PDF-1.7 half", FRONT)

    def test_pdf_without_the_hangul_of_the_source(self, tmp_path):
        import typst

        source = tmp_path / "t.typ"
        source.write_text('#set text(font: "Libertinus Serif", fallback: false)\nHello 역사 한국 world')
        raw = typst.compile(str(source), ignore_system_fonts=True)
        assert "H" in set(pdf_characters(raw))
        with pytest.raises(RenderError, match="lacks the report's Hangul") as caught:
            check_pdf(raw, "---\nlang: ko\n---\n\n역사 한국")
        assert "4 of 4" in caught.value.found
        assert "fonts-nanum" in caught.value.do
        assert check_pdf(raw, FRONT) == []


class TestDocument:
    @pytest.mark.parametrize(
        ("text", "lang"),
        [
            ("---\nlang: ko\n---\n", "ko"),
            ('---\ntitle: "a"\nlang: "ko-KR"\n---\nlang: en\n', "ko"),
            ("---\nlang: en\n---\nlang: ko\n", "en"),
            ("no front matter\nlang: ko\n", "en"),
        ],
    )
    def test_language_of_a_source(self, text, lang):
        assert lang_of(text) == lang

    def test_texts_of_pictures(self):
        text = (
            '![a [b](#c) \\] d](figures/x){#fig-x fig-alt="say \\"hi\\" &amp; {go}" width=50%} ![y](figures/y){#fig-y}'
        )
        assert picture_texts(text) == {"figures/x": 'say "hi" & {go}'}

    def test_not_pandocs_json(self):
        with pytest.raises(RenderError):
            read_ast("{}")

    def test_flags(self):
        document = Document({"toc": False, "title": "T"})
        assert not document.flag("toc", default=True)
        assert document.flag("number-sections", default=True)
        assert document.text("title") == "T"
        assert document.lang == "en"
