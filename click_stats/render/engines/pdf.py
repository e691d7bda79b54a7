"""Sets a report in PDF: typst, in this process, with the Korean font, tagged for readers who cannot see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render import fonts
from click_stats.render.engines.document import REGION

if TYPE_CHECKING:
    from pathlib import Path

    from click_stats.render.engines.document import Document

INSTALL = 'pip install "click-stats[report]"'
_EPOCH = 1_767_225_600  # 2026-01-01: a fixed creation date, so that the same report has the same bytes


def font_variables(document: Document) -> list[str]:
    """Return pandoc's arguments for the fonts, language and region of the typst template.

    Raises
    ------
    MissingDependencyError
        A Korean report, and no Korean font.
    """
    lang, region = REGION[document.lang].split("-")
    families = [choice.family for choice in _korean(document)] + [fonts.SYMBOLS]
    return [f"--variable=lang={lang}", f"--variable=region={region}", *(f"--variable=font={name}" for name in families)]


def _korean(document: Document) -> list[fonts.FontChoice]:
    """Return the Korean font; none is a fault only where the report is in Korean."""
    try:
        return [fonts.korean_font()]
    except MissingDependencyError:
        if document.lang == "ko":
            raise
        return []


def typeset(folder: Path, source: Path, target: Path, document: Document) -> list[str]:
    """Compile the typst file ``source`` to the PDF ``target`` and return notes.

    The file is first held to PDF/UA-1, which refuses a picture or an equation without a text of its own and a
    character that no font has. Where only the former is at fault a tagged PDF without that mark is made, with a note.

    Parameters
    ----------
    folder
        Root of the project: pictures are named from there.
    source, target
        The typst file and the PDF, both inside ``folder``.
    document
        The report's front matter.

    Raises
    ------
    RenderError
        typst refused the file, or a font or a character is missing.
    MissingDependencyError
        typst is not installed, or there is no Korean font.
    """
    try:
        import typst  # noqa: PLC0415 (an extra)
    except ImportError as error:
        raise MissingDependencyError("PDF needs typst, which is not installed.", do=f"{INSTALL}") from error
    chosen = _korean(document)
    folders = [str(path) for choice in chosen for path in choice.folders] + [str(fonts.symbol_folder())]
    known = typst.Fonts(font_paths=folders)
    families = set(known.families())
    for choice in chosen:
        if choice.family not in families:
            raise RenderError(
                "typst does not find the Korean font.", found=f"no {choice.family} ({choice.source})", do=fonts.ADVICE
            )
    # typst reads pictures from the folder of the file, so the text is handed over as if it lay in the project.
    entry = folder / f"{source.parent.name}.typ"
    options: dict[str, Any] = {"root": str(folder), "font_paths": known, "timestamp": _EPOCH}
    notes: list[str] = []
    try:
        source.replace(entry)
        try:
            made, warned = typst.compile_with_warnings(str(entry), pdf_standards=["ua-1"], **options)
        except typst.TypstError as error:
            if not _only_lacks_texts(error):
                raise
            # PDF/A-2u asks for no texts, but refuses a missing character just the same.
            typst.compile(str(entry), pdf_standards=["a-2u"], **options)
            made, warned = typst.compile_with_warnings(str(entry), **options)
            notes.append("The PDF is tagged but does not meet PDF/UA-1: " + error.message)
    except typst.TypstError as error:
        raise _explained(error) from error
    finally:
        entry.unlink(missing_ok=True)
    unknown = [warning.message for warning in warned if "unknown font family" in warning.message]
    if unknown:
        raise RenderError("A font that the report names is not there.", found="; ".join(unknown), do=fonts.ADVICE)
    target.write_bytes(made)
    return notes + [f"typst: {warning.message}" for warning in warned]


def _only_lacks_texts(error: Any) -> bool:
    return "alt" in error.message and "missing" in error.message


def _explained(error: Any) -> RenderError:
    message = str(error.message)
    found = "\n".join(part for part in (message, *map(str, error.hints)) if part)
    if "could not be displayed" in message or "notdef" in message:
        return RenderError("The report holds a character that no font here has.", found=found, do=fonts.ADVICE)
    return RenderError(
        "typst could not set the report.",
        found=found,
        do="Look at report.qmd: typst's message names the piece.",
    )
