"""Reads logs into a trial table: find the files, load them as text, map, check, account for it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError
from click_stats.trials.account import DROPPED, DUPLICATES, dropped_duplicates, examples, make_account
from click_stats.trials.checks import check_gold, check_items, check_rows, drop_repeats
from click_stats.trials.counting import count
from click_stats.trials.database import Database
from click_stats.trials.identify import LEFT_OUT, identify
from click_stats.trials.importers.base import STAGE, Source, UnknownKindError, bind_columns, our_names
from click_stats.trials.importers.sniff import file_digest, find_sources, recognise
from click_stats.trials.mapping import TRIAL, create_trials, create_view
from click_stats.trials.model_names import name_runs
from click_stats.trials.runs import RunFacts, protocol_digest, read_runs
from click_stats.trials.schema import DEFAULT_CONDITION, RAW, unit_label
from click_stats.trials.table import Trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.table import ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials.schema import Progress


def read_trials(
    paths: str | Path | Sequence[str | Path],
    items: ItemTable,
    *,
    format: str | None = None,  # noqa: A002 -- the word users know from pandas and the command line
    columns: Mapping[str, str] | None = None,
    models: ModelTable | None = None,
    runs: str | Path | None = None,
    progress: Progress | None = None,
) -> Trials:
    """Read answers of models from result files, long tables, or folders of these.

    Parameters
    ----------
    paths
        Files or folders (searched through, sorted).
    items
        The items that were answered.
    format
        Name of the importer (``result-csv``, ``long``); None: found by looking at each file.
    columns
        Our column name -> the file's, e.g. ``{"item_id": "qid"}``.
    models
        Names that models go by; unknown ones keep theirs.
    runs
        CSV with facts of the runs (``file`` or ``unit``, then date, prompt_digest, ...).
    progress
        Called with bytes read, bytes in all, and the file's name.

    Raises
    ------
    DataError
        A file cannot be read, contradicts itself, or is about other items.
    UsageError
        There is no such format or column.
    """
    mapping = our_names(columns)
    facts = read_runs(runs)
    sources = find_sources([paths] if isinstance(paths, (str, Path)) else list(paths))
    database = Database()
    try:
        notes = _load(database, sources, items, format, mapping, progress)
        return _finish(database, sources, items, models, facts, notes)
    except BaseException:
        database.close()
        raise


def trials_from_frame(
    frame: pd.DataFrame,
    items: ItemTable,
    *,
    columns: Mapping[str, str] | None = None,
    models: ModelTable | None = None,
) -> Trials:
    """Make a trial table from a frame with the columns of a long table.

    Raises
    ------
    DataError
        Columns are missing, or rows contradict themselves.
    """
    flat = frame.reset_index() if frame.index.name in RAW else frame
    names = list(map(str, flat.columns))
    bound = bind_columns(names, our_names(columns))
    needed = [{"item", "id"}, {"prediction", "label", "status"}, {"model"}]
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
    database = Database()
    try:
        database.prepare(items)
        database.connection.register("incoming", text.assign(row=np.arange(1, len(text) + 1)))
        fields = ", ".join(text.columns)
        values = ", ".join(f"nullif({name}, '')" for name in text.columns)
        database.execute(f"INSERT INTO {STAGE} (file, row, {fields}) SELECT 0, row, {values} FROM incoming")  # noqa: S608
        database.connection.unregister("incoming")
        return _finish(database, [source], items, models, RunFacts(), [])
    except BaseException:
        database.close()
        raise


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
) -> list[str]:
    """Load all files into the stage; files of a folder that no importer knows are taken out and noted."""
    notes = []
    readers = {}
    for source in list(sources):
        try:
            readers[source.name] = recognise(source, form, mapping, database.folder)
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
        source.digest = file_digest(source.path)
        readers[source.name].load(database.connection, number, source, tick)
        if not source.n_read:
            raise DataError(f"The file {source.name} holds no rows.", do="Remove it, or get it again.")
        done += source.path.stat().st_size
    if progress is not None:
        progress(total, total, "")
    return notes


def _finish(
    database: Database,
    sources: Sequence[Source],
    items: ItemTable,
    models: ModelTable | None,
    facts: RunFacts,
    notes: list[str],
) -> Trials:
    """Map what was loaded to trials, check it, and write the account."""
    files = [source.name for source in sources]
    has_text = pd.DataFrame({"file": range(len(files)), "has_text": ["text" in source.columns for source in sources]})
    database.store("file_t", has_text)
    _refuse_texts_only(database, files)
    units = _name_units(database, models)
    identify(database, items)
    create_view(database)
    unknown = check_items(database, files, items.definition.name, len(items))
    check_rows(database, files)
    labels = list(units.index)
    gold = check_gold(database, files, labels, items.definition.revision)
    create_trials(database)
    repeats = drop_repeats(database, files, labels)

    table = _sources(database, sources, units)
    known = {unit: facts.of(unit, part["file"]) for unit, part in table.groupby("unit", sort=False)}
    for unit, part in table.groupby("unit", sort=False):
        dates = sorted(set(part["date"]) - {""})
        if dates:
            known[unit].setdefault("date", ", ".join(dates))
    units["protocol"] = [protocol_digest(known.get(unit, {})) for unit in units.index]
    unused = facts.unused(units.index, files)
    if unused:
        notes.append("Facts are stated for runs that were not read: " + examples(unused) + ".")
    duplicates = _duplicates(database, files)
    dropped = _dropped(database, sources, unknown, repeats, duplicates)
    digests = {"trials": _digest(sources), "items": items.digest}
    places = np.arange(len(items), dtype=np.int64)
    counts = count(database, units, items, places, cells=False, meta={})
    gold = gold.assign(file=[files[n] for n in gold["file"]], unit=[labels[n] for n in gold["unit"]])
    account = make_account(table, dropped, gold, duplicates, counts, known, digests, notes)
    database.execute(f"DROP VIEW mapped; DROP TABLE {STAGE}; DROP TABLE ambiguous; DROP TABLE resolution")
    return Trials(items, units, account, digests, database, tuple(map(str, items.frame.index)))


def _refuse_texts_only(database: Database, files: Sequence[str]) -> None:
    found = database.execute(
        f"""
        SELECT file FROM {STAGE} LEFT JOIN sentinel_t ON place = 'text' AND word = trim(text) GROUP BY file
        HAVING count(label) + count(prediction) + count(stage.status) = 0
            AND count(*) FILTER (text IS NOT NULL AND word IS NULL) > 0
        ORDER BY file
        """  # noqa: S608
    )
    if found:
        raise DataError(
            f"The file {files[found[0][0]]} has responses, but no answer taken from them.",
            do="Fill a column pred with the letter chosen: extracting answers from texts comes later.",
        )


def _name_units(database: Database, models: ModelTable | None) -> pd.DataFrame:
    """Number the units, in the order of their names, and return them."""
    raw = database.execute(
        f"SELECT DISTINCT model, coalesce(condition, '{DEFAULT_CONDITION}') FROM {STAGE} WHERE model IS NOT NULL"  # noqa: S608
    )
    named = {pair: (str(pair[0]).strip(), str(pair[1]).strip()) for pair in raw}
    pairs = sorted(set(named.values()), key=lambda pair: (pair[0].casefold(), pair[1] != DEFAULT_CONDITION, pair))
    labels = [unit_label(*pair) for pair in pairs]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise DataError("Two models with conditions come out at one name.", found=", ".join(twice))
    numbers = {pair: number for number, pair in enumerate(pairs)}
    rows = [(*pair, numbers[clean]) for pair, clean in named.items()]
    database.store("unit_t", pd.DataFrame(rows, columns=["raw_model", "raw_condition", "unit"]))
    names = pd.DataFrame(pairs, columns=["model", "condition"], index=pd.Index(labels, name="unit", dtype=object))
    database.store("unit_name_t", names.reset_index(drop=True).assign(unit=range(len(pairs))))
    return names.astype(object)


def _sources(database: Database, sources: Sequence[Source], units: pd.DataFrame) -> pd.DataFrame:
    read = database.execute(
        f"SELECT file, unit, count(*) FROM {STAGE} s JOIN unit_t u ON u.raw_model = s.model "  # noqa: S608
        f"AND u.raw_condition = coalesce(s.condition, '{DEFAULT_CONDITION}') GROUP BY ALL ORDER BY file, unit"
    )
    kept = {
        (file, unit): n for file, unit, n in database.execute(f"SELECT file, unit, count(*) FROM {TRIAL} GROUP BY ALL")
    }
    n_units = pd.Series([file for file, _, _ in read]).value_counts()
    rows = []
    for file, unit, n_rows in read:
        source = sources[file]
        if n_units[file] == 1:
            n_rows = source.n_read  # with the rows that could not be read
        model, condition = units.iloc[unit][["model", "condition"]]
        rows.append(
            {
                "file": source.name,
                "format": source.importer,
                "digest": source.digest,
                "date": source.date,
                "unit": units.index[unit],
                "model": model,
                "condition": condition,
                "rows_read": n_rows,
                "rows_kept": kept.get((file, unit), 0),
            }
        )
    return pd.DataFrame(rows)


def _duplicates(database: Database, files: Sequence[str]) -> pd.DataFrame:
    rows = database.execute(
        f"""
        SELECT a.file, a.id, coalesce(i.item, ''), coalesce(r.resolved_by, '{LEFT_OUT}'), count(*)
        FROM ambiguous a LEFT JOIN resolution r USING (file, row) LEFT JOIN item_t i ON i.ix = r.ix
        GROUP BY ALL ORDER BY ALL
        """  # noqa: S608
    )
    return pd.DataFrame([(files[file], *rest) for file, *rest in rows], columns=DUPLICATES)


def _dropped(
    database: Database,
    sources: Sequence[Source],
    unknown: pd.DataFrame,
    repeats: pd.DataFrame,
    duplicates: pd.DataFrame,
) -> pd.DataFrame:
    rows = [
        (source.name, reason, len(lines), "line " + examples(lines))
        for source in sources
        for reason, lines in source.left_out.items()
    ]
    rows += [
        (sources[file].name, "unknown id", int(part["n_rows"].sum()), examples(list(part["key"])))
        for file, part in unknown.groupby("file")
    ]
    for reason, condition in (("no id", "key IS NULL"), ("never run", "ix IS NOT NULL AND state = 'missing'")):
        found = database.execute(
            f"SELECT file, count(*), min(row) FROM mapped WHERE {condition} GROUP BY file ORDER BY file"  # noqa: S608
        )
        rows += [(sources[file].name, reason, n, f"line {row}") for file, n, row in found]
    rows += [(sources[r.file].name, "repeats another row", r.n_rows, r.example) for r in repeats.itertuples()]
    return pd.concat([pd.DataFrame(rows, columns=DROPPED), dropped_duplicates(duplicates)], ignore_index=True)


def _digest(sources: Sequence[Source]) -> str:
    parts = sorted(f"{source.name}\x1f{source.digest}" for source in sources)
    return hashlib.sha256("\x1e".join(parts).encode()).hexdigest()[:16]
