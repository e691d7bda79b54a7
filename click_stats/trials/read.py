"""Reads logs into a trial table: find the files, load them as text, map, check, account for it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.answers.policies import check_policy
from click_stats.errors import DataError, UsageError
from click_stats.trials.assemble import assemble
from click_stats.trials.database import new_database
from click_stats.trials.importers.base import STAGE, Source, UnknownKindError, bind_columns, our_names
from click_stats.trials.importers.harness import HIDDEN
from click_stats.trials.importers.sniff import WITH_FILTERS, file_digest, find_sources, recognise
from click_stats.trials.manifest import asked_digest
from click_stats.trials.model_names import name_runs
from click_stats.trials.runs import RunFacts, read_runs
from click_stats.trials.schema import ANSWERS, RAW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click_stats.items.table import ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials.database import Database
    from click_stats.trials.schema import Progress
    from click_stats.trials.table import Trials


def read_trials(
    paths: str | Path | Sequence[str | Path],
    items: ItemTable,
    *,
    format: str | None = None,  # noqa: A002 -- the word users know from pandas and the command line
    columns: Mapping[str, str] | None = None,
    models: ModelTable | None = None,
    runs: str | Path | None = None,
    reparse: str | None = None,
    filter: str | None = None,  # noqa: A002 -- what the harness and the command line call it
    drop_hidden_options: bool = False,
    only: Sequence[str] | None = None,
    progress: Progress | None = None,
) -> Trials:
    """Read answers of models from result files, long tables, logs of harnesses, or folders of these.

    Parameters
    ----------
    paths
        Files or folders (searched through, sorted).
    items
        The items that were answered. With errata, answers are read as to the items before them and scored by them.
    format
        Name of the importer (``result-csv``, ``long``, ``lm-eval``, ...); None: found by looking at each file.
    columns
        Our column name -> the file's, e.g. ``{"item_id": "qid"}``.
    models
        Names that models go by; unknown ones keep theirs.
    runs
        CSV with facts of the runs (``file`` or ``unit``, then date, prompt_digest, ...).
    reparse
        Policy by which answers are read again from stored responses (``paper`` or ``lenient``); where there is no
        response, the answer of the file stays. None: all answers are those of the files.
    filter
        Name of the filter (lm-evaluation-harness) or scorer (Inspect) whose answers count, where logs hold those of
        several.
    drop_hidden_options
        Leave out rows whose prompt did not show every option of the item, as the harness's ``click`` tasks do.
    only
        Keys of the items that count, e.g. those of a short form. Answers to others are left out, with an account.
    progress
        Called with bytes read, bytes in all, and the file's name.

    Raises
    ------
    DataError
        A file cannot be read, contradicts itself, or is about other items.
    UsageError
        There is no such format, column or policy, or a filter must be chosen.
    """
    if items.overlay is not None:  # read as they were asked, then scored as they are now
        read = read_trials(
            paths,
            items.original,
            format=format,
            columns=columns,
            models=models,
            runs=runs,
            reparse=reparse,
            filter=filter,
            drop_hidden_options=drop_hidden_options,
            only=only,
            progress=progress,
        )
        return read.with_items(items if only is None else items.only(set(only) - items.overlay.dropped))
    if reparse is not None:
        check_policy(reparse)
    mapping = our_names(columns)
    facts = read_runs(runs)
    sources = find_sources([paths] if isinstance(paths, (str, Path)) else list(paths))
    for source in sources:
        source.filter, source.drop_hidden = filter, drop_hidden_options
    with new_database() as database:
        notes = _load(database, sources, items, format, mapping, progress, texts=reparse is not None)
        if filter is not None and not any(source.filter == filter for source in sources):
            raise UsageError(
                f"No file has a filter {filter!r} to choose.",
                do="Leave --filter out: it is for logs that hold answers as several filters or scorers took them.",
            )
        facts = facts.completed({source.name: source.facts for source in sources})
        return assemble(database, sources, items, models, facts, notes, reparse, only)


def trials_from_frame(
    frame: pd.DataFrame,
    items: ItemTable,
    *,
    columns: Mapping[str, str] | None = None,
    models: ModelTable | None = None,
    reparse: str | None = None,
) -> Trials:
    """Make a trial table from a frame with the columns of a long table; see :func:`read_trials`.

    Raises
    ------
    DataError
        Columns are missing, or rows contradict themselves.
    """
    if items.overlay is not None:
        read = trials_from_frame(frame, items.original, columns=columns, models=models, reparse=reparse)
        return read.with_items(items)
    if reparse is not None:
        check_policy(reparse)
    flat = frame.reset_index() if frame.index.name in RAW else frame
    names = list(map(str, flat.columns))
    bound = bind_columns(names, our_names(columns))
    needed = [{"item", "id"}, {*ANSWERS, "status", *(["text"] if reparse else [])}, {"model"}]
    if not all(choice & set(bound) for choice in needed):
        raise DataError(
            "The frame lacks columns that are needed.",
            found=", ".join(names),
            do="Needed: item or id, model, and prediction (from 0) or label.",
        )
    text = pd.DataFrame({ours: _as_text(flat[theirs]) for ours, theirs in bound.items()}, dtype=object)
    source = Source(Path("frame"), "frame", importer="frame", columns=bound, n_read=len(text))
    hashed = pd.util.hash_pandas_object(text.fillna(""), index=False).to_numpy()
    source.digest = hashlib.sha256(np.sort(hashed).tobytes()).hexdigest()[:16]
    with new_database() as database:
        database.prepare(items)
        database.connection.register("incoming", text.assign(row=np.arange(1, len(text) + 1)))
        fields = ", ".join(text.columns)
        values = ", ".join(f"nullif({name}, '')" for name in text.columns)
        database.execute(f"INSERT INTO {STAGE} (file, row, {fields}) SELECT 0, row, {values} FROM incoming")
        database.connection.unregister("incoming")
        return assemble(database, [source], items, models, RunFacts(), [], reparse)


def _as_text(column: pd.Series) -> list[str | None]:
    """Return values as text: whole numbers without a decimal point, lists as DuckDB writes them."""
    return [None if value is None else _text(value) for value in column]


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join("NULL" if pd.isna(part) else repr(float(part)) for part in value) + "]"
    if pd.isna(value):  # type: ignore[call-overload]
        return None
    return str(value)


def _load(
    database: Database,
    sources: list[Source],
    items: ItemTable,
    form: str | None,
    mapping: Mapping[str, str],
    progress: Progress | None,
    *,
    texts: bool,
) -> list[str]:
    """Load all files into the stage; files of a folder that no importer knows are taken out and noted."""
    notes = []
    readers = {}
    for source in list(sources):
        try:
            with readable(source):
                readers[source.name] = recognise(source, form, mapping, database.folder, texts=texts)
            if readers[source.name].name not in WITH_FILTERS:
                source.filter = None
        except UnknownKindError as error:
            if not source.from_folder:
                raise
            sources.remove(source)
            notes.append(f"{source.name} was not read: {error.what} Found: {error.found}.")
    if not sources:
        raise DataError("There is no file that can be read.", found=" ".join(notes), do="Check the folder.")
    named = {
        source.name: source.path.stem
        for source in sources
        if readers[source.name].named_by_file or "model" not in source.columns
    }
    runs = name_runs(named, items.definition.name)
    database.prepare(items)
    total, done = sum(source.path.stat().st_size for source in sources), 0
    for number, source in enumerate(sources):
        if source.name in runs:
            run = runs[source.name]
            source.date = run.date
            source.fixed = {"model": run.model}
            if "condition" not in source.columns:
                source.fixed["condition"] = run.condition

        def tick(n_bytes: int, before: int = done, name: str = source.name) -> None:
            if progress is not None:
                progress(min(before + n_bytes, total), total, name)

        tick(0)
        with readable(source):
            source.digest = file_digest(source.path)
            readers[source.name].load(database.connection, number, source, tick)
        if source.n_read == sum(map(len, source.left_out.values())) and HIDDEN not in source.left_out:
            raise DataError(
                f"The file {source.name} holds no rows that can be read.",
                found="; ".join(f"{reason}: {len(lines)}" for reason, lines in source.left_out.items()),
                do="Remove it, or get it again.",
            )
        done += source.path.stat().st_size
    if not database.execute(f"SELECT 1 FROM {STAGE} LIMIT 1"):
        raise DataError("Every row was left out: no prompt shows every option.", do="Keep them, or give other files.")
    _join_parts(sources)
    if progress is not None:
        progress(total, total, "")
    notes += [note for source in sources for note in source.notes]
    others = [source.name for source in sources if source.asked and source.asked != asked_digest(items)]
    if others:
        notes.append(
            "The items given are not quite those that were asked (other texts, or another selection): "
            + ", ".join(others)
            + "."
        )
    return list(dict.fromkeys(notes))


def _join_parts(sources: Sequence[Source]) -> None:
    """Give all parts of a run the facts of the run: where they differ by part, every value."""
    parts = defaultdict(list)
    for source in sources:
        if source.part_of:
            parts[source.part_of].append(source)
    for run in parts.values():
        for fact in dict.fromkeys(fact for source in run for fact in source.facts):
            stated = sorted({source.facts[fact] for source in run if fact in source.facts})
            for source in run:
                source.facts[fact] = "; ".join(stated)


@contextmanager
def readable(source: Source) -> Iterator[None]:
    """Turn an error of the file system into a sentence that names the file."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"The file {source.name} cannot be read.", found=error.strerror or str(error), do="Check its permissions."
        ) from error
