"""Finds the files to read and which importer each is for."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import DataError, UsageError
from click_stats.trials.importers.base import HOW_TO_READ, Source, UnknownKindError, bind_columns
from click_stats.trials.importers.inspect_file import is_log
from click_stats.trials.importers.inspect_log import InspectLog
from click_stats.trials.importers.lighteval import LightEval
from click_stats.trials.importers.lm_eval import LmEval, is_array
from click_stats.trials.importers.long_table import JSON_LINES, LongTable, whole_lines
from click_stats.trials.importers.result_csv import ResultCsv
from click_stats.trials.importers.run_folder import RunFolder, is_run_file
from click_stats.trials.model_names import clean_name
from click_stats.trials.schema import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.trials.importers.base import Importer

RUN = RunFolder()
IMPORTERS: tuple[Importer, ...] = (RUN, LmEval(), InspectLog(), LightEval(), ResultCsv(), LongTable())
"""Asked in turn; the first that knows a file reads it."""
SUFFIXES = tuple(dict.fromkeys(suffix for importer in IMPORTERS for suffix in importer.suffixes))
WITH_FILTERS = (LmEval.name, InspectLog.name)
"""Importers of logs that may hold each answer as several filters or scorers took it."""
NOT_IN_FOLDERS = (".txt",)
"""Endings that are read when named, but in a folder are more likely notes and licences."""


def find_sources(paths: Sequence[str | Path]) -> list[Source]:
    """Return the files below ``paths``, each once, sorted within a folder.

    Raises
    ------
    DataError
        A path does not exist, or a folder holds no file that could be read.
    """
    found: dict[Path, Path] = {}
    searched: set[Path] = set()
    for path in map(Path, paths):
        if path.is_dir():
            inside = [
                file
                for file in sorted(path.rglob("*"))
                if file.is_file() and not file.name.startswith(".") and _wanted(file)
            ]
            if not inside:
                raise DataError(
                    f"The folder {path} holds no file that can be read.",
                    found=", ".join(sorted(file.name for file in path.iterdir())[:5]) or "nothing",
                    do="Files end in " + ", ".join(suffix for suffix in SUFFIXES if suffix not in NOT_IN_FOLDERS) + ".",
                )
            fresh = {file.resolve(): file for file in inside if file.resolve() not in found}
            found |= fresh
            searched |= set(fresh)
        elif path.is_file():
            found.setdefault(path.resolve(), path)
            searched.discard(path.resolve())
        else:
            raise DataError(f"There is no file {path}.", do="Check the path.")
    if not found:
        raise UsageError("There are no files to read.", do="Give one or more files or folders.")
    names = _names(list(found.values()))
    return [
        Source(path, name, readable=path, from_folder=whole in searched)
        for (whole, path), name in zip(found.items(), names, strict=True)
    ]


def _wanted(file: Path) -> bool:
    """Tell whether a file of a folder may hold answers; most JSON files hold settings and results instead."""
    suffix = file.suffix.lower()
    if suffix not in SUFFIXES or suffix in NOT_IN_FOLDERS:
        return False
    try:
        return suffix != ".json" or is_log(file)
    except OSError:
        return True  # reading it says what is wrong


def recognise(
    source: Source, form: str | None, mapping: Mapping[str, str], work: Path, *, texts: bool = False
) -> Importer:
    """Find the importer of a file, and note its columns in ``source``.

    Parameters
    ----------
    form
        Name of the importer to use; None: the first that knows the file.
    mapping
        Our column names -> the file's, as told by the user.
    work
        Folder for repaired copies.
    texts
        Whether a file may hold responses only, without the answers taken from them.

    Raises
    ------
    DataError
        No importer knows the file; the message says which columns are needed.
    UsageError
        There is no importer ``form``.
    """
    suffix = source.path.suffix.lower()
    importers = [importer for importer in IMPORTERS if form in (None, importer.name)]
    if not importers:
        raise UsageError(
            f"There is no format {form!r}.", do="Use one of: " + ", ".join(importer.name for importer in IMPORTERS)
        )
    if RUN in importers and RUN.columns(source.path, mapping) is not None:
        RUN.prepare(source, work)
        return RUN
    if suffix in JSON_LINES and not is_array(source.path):
        source.readable, fragment = whole_lines(source.path, work)
        if fragment:
            source.left_out["last line cut off"] = [fragment]
    readers = [importer for importer in importers if suffix in importer.suffixes]
    for importer in readers:
        columns = importer.columns(source.readable, mapping)
        if columns is not None and (texts or ANSWERS & set(columns)):
            source.columns, source.importer = columns, importer.name
            return importer
    raise _unknown(source, readers, mapping)


def file_digest(path: Path) -> str:
    """Return the first 16 hex digits of the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def _unknown(source: Source, readers: Sequence[Importer], mapping: Mapping[str, str]) -> UnknownKindError:
    if not readers:
        return UnknownKindError(
            f"The file {source.name} is of no kind that can be read.",
            found=source.path.suffix or "no ending",
            do="Files end in " + ", ".join(SUFFIXES) + ".",
        )
    header = readers[-1].header(source.readable)
    bound = bind_columns(header, mapping)
    if "text" in bound and {"id", "item"} & set(bound) and not ANSWERS & set(bound):
        return UnknownKindError(
            f"The file {source.name} has responses but no column with the answer taken from them.",
            found=", ".join(header),
            do=HOW_TO_READ,
        )
    return UnknownKindError(
        f"The file {source.name} lacks columns that are needed.",
        found=", ".join(header) or "no columns",
        do="Needed: "
        + "; or ".join(f"{importer.needs()} ({importer.name})" for importer in readers)
        + ". Other names can be mapped with --columns our_name=their_name.",
    )


def _names(paths: Sequence[Path]) -> list[str]:
    """Return short names: the file's own, with as many parent folders as it takes to tell files apart."""
    # The trials of every run have the same file name: what tells runs apart is their folder.
    names = ["/".join(path.resolve().parts[-2:]) if is_run_file(path) else path.name for path in paths]
    depth = 1
    while len(set(names)) < len(names) and depth < max(len(path.resolve().parts) for path in paths):
        depth += 1
        names = [
            "/".join(path.resolve().parts[-depth:]) if names.count(name) > 1 else name
            for path, name in zip(paths, names, strict=True)
        ]
    clean = [clean_name(name) or name for name in names]
    return clean if len(set(clean)) == len(set(names)) else names
