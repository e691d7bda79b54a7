"""The public verbs: read three tables, analyse them, report what was found.

Imports stand inside the functions, so that ``import click_stats`` and the command line's help stay light.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.estimate import Estimate
    from click_stats.adapters.listing import Listed
    from click_stats.counts import Counts
    from click_stats.doctor import Finding
    from click_stats.errors import ClickStatsError
    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.protocol import Plan, Protocol
    from click_stats.results import Result, ResultSet
    from click_stats.running import Progress as RunProgress
    from click_stats.running import RunSummary
    from click_stats.trials import Trials

    PathLike = str | Path
    Progress = Callable[[int, int, str], None]


def read_items(path: PathLike | None = None, *, definition: PathLike | None = None) -> ItemTable:
    """Read the items of a benchmark.

    Parameters
    ----------
    path
        None for the packaged key table of CLIcK (no texts: enough for every analysis of existing results);
        the dataset's folder; one JSON, JSONL, CSV or parquet table; or a Hugging Face id.
    definition
        TOML file with the facts of another benchmark (categories, domains, labels); None for CLIcK.

    Raises
    ------
    DataError
        The items cannot be read or contradict themselves; the message names the item.
    """
    from click_stats import items

    return items.read_items(path, None if definition is None else items.read_definition(definition))


def read_models(path: PathLike) -> ModelTable:
    """Read facts of the models from a CSV file; see ``fixtures/models.csv`` for the columns.

    Raises
    ------
    DataError
        The file cannot be read or has columns or values of another kind.
    """
    from click_stats import models

    return models.read_models(Path(path))


def read_trials(
    paths: PathLike | Sequence[PathLike],
    items: ItemTable | None = None,
    *,
    format: str | None = None,  # noqa: A002 -- the word users know from pandas and the command line
    columns: Mapping[str, str] | None = None,
    runs: PathLike | None = None,
    reparse: str | None = None,
    filter: str | None = None,  # noqa: A002 -- what lm-evaluation-harness and the command line call it
    drop_hidden_options: bool = False,
    progress: Progress | None = None,
) -> Trials:
    """Read answers of models: result files, trial tables, logs of harnesses, or folders of these.

    Parameters
    ----------
    paths
        One or several files or folders.
    items
        The items answered; CLIcK's packaged key table by default.
    format
        Name of the importer; found by looking at each file when None.
    columns
        For long tables: our column name to the file's, e.g. ``{"item_id": "question"}``.
    runs
        CSV file with facts of the runs (prompt, order, shots, decoding, revision) for the comparability table.
    reparse
        Policy by which answers are read again from stored responses: ``paper`` or ``lenient``. Where there is no
        response the answer of the file stays; without a policy all do.
    filter
        For logs that hold each answer as several filters (lm-evaluation-harness) or scorers (Inspect) took it: the
        name of the one that counts.
    drop_hidden_options
        Leave out rows whose prompt did not show every option of the item, as the harness's ``click`` tasks do for
        items with five options.
    progress
        Called as ``progress(done, total, what)``.

    Raises
    ------
    DataError
        A file cannot be read, belongs to other items, or states other answers than the item table.
    UsageError
        There is no such format, column, policy or filter, or a filter must be chosen.
    """
    from click_stats import trials

    return trials.read_trials(
        paths,
        items if items is not None else read_items(),
        format=format,
        columns=columns,
        runs=runs,
        reparse=reparse,
        filter=filter,
        drop_hidden_options=drop_hidden_options,
        progress=progress,
    )


def protocols(content: Sequence[Path] = ()) -> list[str]:
    """Return the names of the protocols; folders in ``content`` may hold ``protocols/NAME.toml`` of one's own."""
    from click_stats import protocol

    return protocol.protocol_names(content)


def plan(
    protocol: str | Protocol = "paper",
    items: ItemTable | None = None,
    *,
    replicates: int | None = None,
    content: Sequence[Path] = (),
) -> Plan:
    """Plan every trial of a protocol: count, digest and, with texts, make its prompts.

    Parameters
    ----------
    protocol
        Name of a protocol, path of a TOML file, or the value itself.
    items
        What is asked; CLIcK's packaged key table by default. Without texts the plan has no prompts.
    replicates
        How often each prompt is asked; the protocol's number by default.
    content
        Folders searched for declarations before the packaged ones.

    Raises
    ------
    UsageError
        There is no such protocol, it has a wrong form, or it does not fit the items.
    DataError
        The protocol shows context that some items do not have.
    """
    from click_stats import protocol as protocols_

    declared = protocols_.read_protocol(protocol, content) if isinstance(protocol, str) else protocol
    table = read_items() if items is None else items
    return protocols_.plan(declared, table, replicates=replicates, needs_text=table.has_text)


def find_backend(name: str, *, content: Sequence[Path] = ()) -> Backend:
    """Return a backend by name, or one written in place, e.g. ``openai:MODEL``.

    Raises
    ------
    UsageError
        There is none; similar names are suggested.
    """
    from click_stats.adapters import backend

    return backend.find_backend(name, content)


def backends(content: Sequence[Path] = ()) -> list[Listed]:
    """Return the backends there are, with what each lacks here; see ``click-stats backends``."""
    from click_stats.adapters import listing

    return listing.list_backends(content)


def estimate(
    plan: Plan, backend: Backend, *, chars_per_token: float | None = None, output_tokens: int | None = None
) -> Estimate:
    """Estimate tokens and cost of a plan; see :func:`click_stats.adapters.estimate.estimate`."""
    from click_stats.adapters import estimate as estimates

    return estimates.estimate(plan, backend, chars_per_token=chars_per_token, output_tokens=output_tokens)


def run(
    backends: str | Backend | Sequence[str | Backend],
    items: ItemTable | None = None,
    *,
    out: PathLike,
    protocol: str | Protocol = "paper",
    replicates: int | None = None,
    settings: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    condition: str | None = None,
    policy: str = "paper",
    limit: int | None = None,
    content: Sequence[Path] = (),
    progress: Callable[[RunProgress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    failed: Callable[[str, ClickStatsError], None] | None = None,
) -> list[RunSummary]:
    """Ask models what a protocol plans; what is stored already is not asked again.

    Parameters
    ----------
    backends
        Names of backends, backends written in place (``transformers:PATH_OR_ID``), or the values themselves.
    items
        What is asked; CLIcK's packaged key table by default, which suffices for simulated models only.
    out
        Each run has its folder in this one; read them with :func:`read_trials`.
    protocol, replicates
        How it is asked, and how often each prompt.
    settings
        Request settings (effort, thinking, max tokens, ...) on top of the backend's; they name the condition.
    options
        Settings of the adapter itself (method, dtype, concurrency, ...) on top of the backend's.
    condition
        Name of the condition, in place of one made of ``settings`` and the protocol.
    policy
        How answers are extracted from texts: ``paper`` or ``lenient``.
    limit
        Ask this many items only, spread over the benchmark.
    content
        Folders searched for declarations before the packaged ones.
    progress
        Called after every response.
    stop
        Asked before requests are handed out; True ends the call once what was handed out is stored.
    failed
        Called with the name of a backend that cannot go on, and why; then the others are run. None: raise.

    Returns
    -------
    list
        What became of each run, in order; shorter than ``backends`` when stopped or failed.

    Raises
    ------
    ClickStatsError
        Nothing can go on. What was answered is stored, and the same call goes on from there.
    """
    from click_stats import protocol as protocols_
    from click_stats.adapters.backend import Backend
    from click_stats.running.session import run_all

    declared = protocols_.read_protocol(protocol, content) if isinstance(protocol, str) else protocol
    named = [backends] if isinstance(backends, (str, Backend)) else backends
    return run_all(
        [find_backend(name, content=content) if isinstance(name, str) else name for name in named],
        declared,
        read_items() if items is None else items,
        out,
        replicates=replicates,
        settings=settings or {},
        options=options or {},
        condition=condition,
        policy=policy,
        limit=limit,
        progress=progress,
        stop=stop,
        failed=failed,
    )


def accuracy(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return how good each model is and how sure that is; see :func:`click_stats.stats.accuracy.accuracy`.

    Examples
    --------
    >>> cs.accuracy(trials, by="category", interval="bca", seed=1).to_frame()  # doctest: +SKIP
    """
    return _run("accuracy", trials, items, parameters)


def compare(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return which models differ; see :func:`click_stats.stats.compare.compare`."""
    return _run("compare", trials, items, parameters)


def ranks(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return which ranks the data leave possible; see :func:`click_stats.stats.ranks.ranks`."""
    return _run("ranks", trials, items, parameters)


def power(trials: Trials | Counts, items: ItemTable | None = None, **parameters: Any) -> Result:
    """Return which differences the data could show; see :func:`click_stats.stats.power.power`."""
    return _run("power", trials, items, parameters)


def analyze(
    study: str,
    trials: Trials,
    items: ItemTable | None = None,
    *,
    models: ModelTable | None = None,
    out: PathLike | None = None,
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
        Name of a declaration in ``analyses/``, e.g. ``audit``.
    trials, items, models
        The three tables; ``items`` defaults to those the trials were read with.
    out
        Folder for ``results.json``, one CSV per table, and a manifest.
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
    declared = read_study(study, content).with_parameters(**parameters)
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
    trials, items, models, same_protocol, force, command, content, progress, parameters
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


def _run(name: str, trials: Trials | Counts, items: ItemTable | None, parameters: Mapping[str, Any]) -> Result:
    from click_stats.counts import Counts
    from click_stats.study.registry import ANALYSES

    if isinstance(trials, Counts):
        counts = trials
    else:
        source = trials if items is None else trials.with_items(items)
        counts = source.counts(cells=parameters.get("target") == "fixed")
    return ANALYSES[name](counts, **parameters)


def doctor() -> list[Finding]:
    """Return what is installed, and what each lack costs; see ``click-stats doctor``."""
    from click_stats.doctor import examine

    return examine()
