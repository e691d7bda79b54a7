"""The built-in engine: pandoc with our filter for html and docx, pandoc and typst for PDF."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render.engines.assets import asset
from click_stats.render.engines.base import SOURCE
from click_stats.render.engines.document import REGION, Document, read_ast
from click_stats.render.engines.docx_finish import finish
from click_stats.render.engines.process import disk_full, run, said_disk_full

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.render.engines.base import Format

_ACCEPTED = (3, 8, 3)  # earlier ones write typst that typst >= 0.14 refuses
INSTALL = 'pip install "click-stats[report]"'
_OURS = re.compile(r"^\[click-stats\] (.*)$", re.MULTILINE)
_WARNING = re.compile(r"^\[WARNING\] (.*)$", re.MULTILINE)
_SHORTCODE = re.compile(r"\{\{<\s*([\w-]+)")
_CONTENTS = {"en": "Contents", "ko": "차례"}
_SUMMARY = {"en": "Summary", "ko": "요약"}


@dataclass(frozen=True)
class Builtin:
    """pandoc as a program, typst in this process."""

    pandoc: str
    version: str

    @classmethod
    def found(cls) -> Builtin:
        """Return the engine with the pandoc that ``pypandoc_binary`` brings.

        Raises
        ------
        MissingDependencyError
            pandoc is absent or too old.
        """
        try:
            import pypandoc  # noqa: PLC0415 (an extra)

            path = str(pypandoc.get_pandoc_path())
            version = str(pypandoc.get_pandoc_version())
        except (ImportError, OSError) as error:
            raise MissingDependencyError(
                "Reports need pandoc, which is not installed. The report's source, report.qmd, can still be written.",
                found=str(error).splitlines()[0] if str(error) else "no pypandoc",
                do=f"{INSTALL}, or install Quarto.",
            ) from error
        if tuple(int(part) for part in re.findall(r"\d+", version)[:3]) < _ACCEPTED:
            raise MissingDependencyError("pandoc is too old for reports.", found=version, do=f"{INSTALL} --upgrade")
        return cls(path, version)

    @property
    def name(self) -> str:
        """Name and version, for people."""
        return f"built-in engine (pandoc {self.version})"

    def read(self, folder: Path, *, timeout: float) -> Document:
        """Return the front matter of the report in ``folder``."""
        ended = run([self.pandoc, "--from=markdown", "--to=json", SOURCE], cwd=folder, timeout=timeout)
        if ended.code != 0:
            raise RenderError("The report's text could not be read.", found=ended.tail(), do=f"Look at {SOURCE}.")
        return read_ast(ended.stdout)

    def render(self, folder: Path, fmt: Format, target: Path, *, timeout: float) -> list[str]:
        """Write ``target``; see :class:`click_stats.render.engines.base.Engine`."""
        known_shortcodes((folder / SOURCE).read_text(encoding="utf-8"))
        document = self.read(folder, timeout=timeout)
        if fmt == "pdf":
            from click_stats.render.engines.pdf import typeset  # noqa: PLC0415 (matplotlib behind it is heavy)

            typed = target.with_suffix(".typ")
            notes = self._pandoc(folder, document, "typst", typed, timeout)
            return notes + typeset(folder, typed, target, document)
        notes = self._pandoc(folder, document, fmt, target, timeout)
        # The filter has set the texts of pictures already; widths, footers and dates remain.
        return notes + finish(target, {}) if fmt == "docx" else notes

    def _pandoc(self, folder: Path, document: Document, to: str, target: Path, timeout: float) -> list[str]:
        argv = [self.pandoc, SOURCE, f"--output={target}", *arguments(folder, document, to)]
        ended = run(argv, cwd=folder, timeout=timeout)
        if said_disk_full(ended.stderr):
            raise disk_full(target)
        if ended.code != 0 or not target.is_file():
            raise RenderError(f"pandoc could not write {to}.", found=ended.tail(), do=f"Look at {SOURCE}.")
        return complaints(ended.stderr)


def arguments(folder: Path, document: Document, to: str) -> list[str]:
    """Return pandoc's arguments for the format ``to`` (html, docx or typst), without input and output."""
    lang = REGION[document.lang]
    argv = [
        "--from=markdown",
        f"--to={'html5' if to == 'html' else to}",
        "--standalone",
        # Widths come from the table's own attribute, never from the length of its lines.
        "--columns=100000",
        "--wrap=none",
        f"--default-image-extension={'png' if to == 'docx' else 'svg'}",
        f"--metadata=lang={document.text('lang') or 'en' if to == 'html' else lang}",
        f"--metadata=toc-title={document.text('toc-title') or _CONTENTS[document.lang]}",
        f"--metadata=abstract-title={document.text('abstract-title') or _SUMMARY[document.lang]}",
        *(f"--lua-filter={asset(folder, name)}" for name in ("filter.lua", "pages.lua", "tables.lua")),
    ]
    # Without a word on it, as `_quarto.yml` has it: sections are numbered and listed.
    numbered = document.flag("number-sections", default=True)
    argv.append(f"--metadata=number-sections={'true' if numbered else 'false'}")
    if document.flag("toc", default=True):
        depth = int(document.text("toc-depth") or 2)
        argv += ["--toc", f"--toc-depth={depth + (to == 'html')}"]
    if document.meta.get("bibliography"):
        argv += ["--citeproc", "--metadata=link-citations=true"]
        if not document.text("csl"):
            argv.append(f"--csl={asset(folder, 'references.csl')}")
    match to:
        case "html":
            argv += [
                f"--template={asset(folder, 'template.html')}",
                f"--css={asset(folder, 'style.css')}",
                "--embed-resources",
                "--mathml",
                "--section-divs",
            ]
        case "docx":
            argv.append(f"--reference-doc={asset(folder, 'reference.docx')}")
        case _:
            from click_stats.render.engines.pdf import font_variables  # noqa: PLC0415 (matplotlib behind it is heavy)

            argv += font_variables(document)
            argv.append(f"--template={asset(folder, 'template.typst')}")
            argv.append(f"--include-in-header={asset(folder, 'preamble.typ')}")
    return argv


def known_shortcodes(text: str) -> None:
    """Raise on a shortcode that only Quarto knows; a page break is all that our reports use.

    Raises
    ------
    RenderError
        There is another one.
    """
    unknown = [name for name in _SHORTCODE.findall(text) if name != "pagebreak"]
    if unknown:
        raise RenderError(
            "The report uses shortcodes that only Quarto knows.",
            found=", ".join(dict.fromkeys(unknown)),
            do="Use engine quarto, or take them out.",
        )


def complaints(stderr: str) -> list[str]:
    """Return the notes in what pandoc and our filter wrote; raise on what must not pass.

    Raises
    ------
    RenderError
        A reference, a citation or a picture could not be resolved.
    """
    wrong: list[str] = []
    notes: list[str] = []
    for said in _OURS.findall(stderr):
        if said.startswith("no-alt "):
            name = said.removeprefix("no-alt ")
            notes.append(f"The picture {name} has no text of its own for readers who cannot see it.")
        else:
            wrong.append(said)
    for said in _WARNING.findall(stderr):
        if "Could not fetch" in said or "Citeproc" in said or "not found" in said:
            wrong.append(said)
        else:
            notes.append(f"pandoc: {said}")
    if wrong:
        raise RenderError(
            "The report refers to what it does not hold.",
            found="; ".join(dict.fromkeys(wrong)),
            do=f"Correct the reference in {SOURCE} or add what it names.",
        )
    return list(dict.fromkeys(notes))
