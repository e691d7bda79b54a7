"""Builds a report: results in, a complete Quarto project and its rendered files out."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from click_stats import content as declarations
from click_stats.errors import RenderError, UsageError
from click_stats.folders import whole_folder
from click_stats.glossary import LANGUAGES
from click_stats.render import beside, project, qmd
from click_stats.render.bibliography import bibliography
from click_stats.render.context import Context
from click_stats.render.engines import FORMATS, choose, render_project
from click_stats.render.figures import save, save_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from click_stats.render.engines.document import Lang
    from click_stats.render.table import Table
    from click_stats.results import ResultSet

    Progress = Callable[[int, int, str], None]

SHARED = "_shared"


def check(
    name: str,
    *,
    lang: str = "en",
    formats: str | Sequence[str] = "html",
    engine: str = "auto",
    content: Sequence[Path] = (),
) -> None:
    """Raise what :func:`write_report` would raise about its arguments, before anything is computed.

    Raises
    ------
    UsageError
        Unknown report, language, format or engine.
    MissingDependencyError
        The engine is not installed.
    """
    folder = declarations.find("reports", name, content)
    _template(folder, lang)
    beside.declared(folder)
    if listed(formats):
        choose(engine)


def write_report(
    name: str,
    results: ResultSet,
    out: Path,
    *,
    lang: str = "en",
    formats: str | Sequence[str] = "html",
    engine: str = "auto",
    force: bool = False,
    command: Sequence[str] = (),
    content: Sequence[Path] = (),
    progress: Progress | None = None,
    remark: Callable[[str], None] | None = None,
) -> list[Path]:
    """Write a report and render it.

    The folder is a complete Quarto project without executed cells: ``report.qmd``, ``_quarto.yml``, ``figures/``
    (SVG, PNG, and PDF for papers), ``tables/`` (CSV and LaTeX), ``references.bib``, ``results.json``, and the
    rendered files. It appears whole or not at all.

    Parameters
    ----------
    name
        Name of the report: a folder among the reports.
    results
        Results of the study.
    out
        Folder to write.
    lang
        Language, ``en`` or ``ko``.
    formats
        Any of ``html``, ``pdf``, ``docx``, as a list or separated by commas; none writes the project only.
    engine
        ``auto``, ``quarto`` or ``builtin``.
    force
        Replace what stands in ``out``.
    command
        The words of the command that made the report, to be printed in it; empty when it was made from Python.
    content
        Folders of the user's own, searched first for the report.
    progress
        Called as ``progress(done, total, stage)``.
    remark
        Called with one line for a person: which engine is used and why, and what an engine noted.

    Returns
    -------
    list of Path
        The rendered files, and the pages that the report's ``report.toml`` puts beside them.

    Raises
    ------
    UsageError
        Unknown report, language or format, or ``out`` holds files.
    RenderError
        A template or the rendering failed.
    """
    wanted = listed(formats)
    folder = declarations.find("reports", name, content)
    total = 1 + len(wanted)
    say = progress or (lambda _done, _total, _stage: None)
    tell = remark or (lambda _line: None)
    if wanted:
        tell(choose(engine).reason)
    with whole_folder(out, force=force) as building:
        say(0, total, "tables and figures")
        pages = write_project(folder, results, building, lang=lang, command=command)
        rendered = []
        for done, fmt in enumerate(wanted, start=1):
            say(done, total, fmt)
            rendered += render_project(building, [fmt], engine=engine)
        say(total, total, "")
    for note in dict.fromkeys(note for one in rendered for note in one.notes):
        tell(note)
    return [out / path.name for path in (*(one.path for one in rendered), *pages)]


def write_project(
    folder: Path, results: ResultSet, out: Path, *, lang: str = "en", command: Sequence[str] = ()
) -> list[Path]:
    """Write the Quarto project of the report in ``folder`` into ``out``, without rendering it.

    Returns the pages that stand beside the report.

    Raises
    ------
    RenderError
        The template is wrong, or names what the results do not give.
    """
    template = _template(folder, lang)
    pages = beside.declared(folder)
    context = Context.of(results, lang, command, pages)
    shared = [root / "reports" / SHARED for root in declarations.roots()]
    folders = [folder, folder.parent / SHARED, *shared]
    environment = qmd.environment(folders, lang, filters=context.filters())
    text = qmd.fill(environment, template.name, context.values())
    project.write_project(out, lang=cast("Lang", lang))
    (out / "report.qmd").write_text(text, encoding="utf-8", newline="\n")
    (out / "results.json").write_text(results.to_json(), encoding="utf-8", newline="\n")
    (out / "references.bib").write_text(bibliography(folders), encoding="utf-8", newline="\n")
    write_tables(context.tables.values(), out / "tables")
    for drawing in context.figures.values():
        save(drawing, out / "figures")
        save_data(drawing, out / "figures")
    return beside.write(list(pages), results, out, lang=lang)


def write_tables(tables: Iterable[Table], out: Path) -> None:
    """Write every table as CSV and as LaTeX."""
    out.mkdir()
    for table in tables:
        for fmt, ending in (("csv", "csv"), ("latex", "tex")):
            path = out / f"{table.id.removeprefix('tbl-')}.{ending}"
            path.write_text(table.render(fmt), encoding="utf-8", newline="")


def listed(formats: str | Sequence[str]) -> list[str]:
    """Return the formats, each once, in the order in which they are rendered.

    Raises
    ------
    UsageError
        A format that reports do not have.
    """
    names = [name.strip() for name in formats.split(",")] if isinstance(formats, str) else list(formats)
    unknown = [name for name in names if name and name not in FORMATS]
    if unknown:
        raise UsageError(
            f"Reports have no format {unknown[0]!r}.",
            found=", ".join(names),
            do="Use any of: " + ", ".join(FORMATS) + ".",
        )
    return [name for name in FORMATS if name in names]


def _template(folder: Path, lang: str) -> Path:
    if lang not in LANGUAGES:
        raise UsageError(f"Reports have no language {lang!r}.", do="Use one of: " + ", ".join(LANGUAGES) + ".")
    template = folder / f"report.{lang}.qmd.jinja"
    if not template.is_file():
        raise RenderError(f"The report {folder.name!r} has no template in this language.", found=template.name)
    return template
