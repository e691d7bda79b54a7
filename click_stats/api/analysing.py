"""Run studies, and report what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.results import ResultSet
    from click_stats.trials import Trials

    PathLike = str | Path
    Progress = Callable[[int, int, str], None]


def analyze(
    study: str,
    trials: Trials,
    items: ItemTable | None = None,
    *,
    models: ModelTable | None = None,
    out: PathLike | None = None,
    also: Sequence[str] = (),
    same_protocol: bool = False,
    force: bool = False,
    command: Sequence[str] = (),
    content: Sequence[Path] = (),
    progress: Progress | None = None,
    **parameters: Any,
) -> ResultSet:
    """Run a study and return its results; with ``out`` also write them into that folder.

    Parameters
    ----------
    study
        Name of a declaration in ``analyses/``, e.g. ``audit``, or of a single analysis, e.g. ``mixed``.
    trials, items, models
        The three tables; ``items`` defaults to those the trials were read with.
    out
        Folder for ``results.json``, one CSV per table, and a manifest.
    also
        Analyses to run besides those of the study, e.g. ``["bayes"]``.
    same_protocol
        Refuse to compare models whose stated protocols differ.
    force
        Replace what an earlier run left in ``out``.
    command
        Command line that is noted in the manifest.
    content
        Folders searched for declarations before the packaged ones.
    parameters
        Set in every analysis of the study that has a parameter of that name, e.g. ``reference="gpt-4o"``.

    Raises
    ------
    UsageError
        There is no such study, or a parameter does not fit.
    DataError
        The data do not allow the study, or ``out`` cannot be written.
    """
    from click_stats.folders import check_folder
    from click_stats.study import read_study, run_study, write_results

    if out is not None:
        check_folder(Path(out), force=force)
    declared = read_study(study, content).also(also).with_parameters(**parameters)
    results = run_study(
        declared,
        trials if items is None else trials.with_items(items),
        models=models,
        same_protocol=same_protocol,
        progress=progress,
    )
    if out is not None:
        write_results(results, Path(out), command=command, force=force)
    return results


def report(
    name: str,
    trials: Trials,
    items: ItemTable | None = None,
    *,
    out: PathLike,
    to: str | Sequence[str] = "html",
    lang: str = "en",
    models: ModelTable | None = None,
    engine: str = "auto",
    also: Sequence[str] = (),
    same_protocol: bool = False,
    force: bool = False,
    command: Sequence[str] = (),
    content: Sequence[Path] = (),
    progress: Progress | None = None,
    remark: Callable[[str], None] | None = None,
    **parameters: Any,
) -> list[Path]:
    """Run the study ``name``, write its report and return the paths of the rendered files.

    The folder ``out`` is a complete Quarto project: ``report.qmd``, figures, tables as CSV and LaTeX,
    ``results.json`` and the rendered files; ``quarto render`` works in it by hand.

    Parameters
    ----------
    to
        Formats: any of ``html``, ``pdf``, ``docx``.
    lang
        ``en`` or ``ko``.
    engine
        ``auto`` (the Quarto CLI when it is installed, else the built-in engine), ``quarto`` or ``builtin``.
    remark
        Called with one line for a person: which engine is used and why, and what it noted.
    trials, items, models, also, same_protocol, force, command, content, progress, parameters
        As in :func:`analyze`.

    Raises
    ------
    MissingDependencyError
        The ``report`` extra, or the engine asked for, is not installed.
    RenderError
        A report could not be rendered, or its output is not what it must be.
    """
    from click_stats.folders import check_folder
    from click_stats.render import report as rendering

    check_folder(Path(out), force=force)
    rendering.check(name, lang=lang, formats=to, engine=engine, content=content)
    results = analyze(
        name,
        trials,
        items,
        models=models,
        also=also,
        same_protocol=same_protocol,
        content=content,
        progress=progress,
        **parameters,
    )
    return rendering.write_report(
        name,
        results,
        Path(out),
        lang=lang,
        formats=to,
        engine=engine,
        force=force,
        command=command,
        content=content,
        progress=progress,
        remark=remark,
    )
