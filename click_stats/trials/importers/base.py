"""What an importer is: it finds out whether a file is its own, and loads the rows as text."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.trials.schema import OTHER_NAMES, RAW
from click_stats.trials.sql import literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import duckdb

BATCH = 50_000
"""Rows held in memory at once."""
STAGE = "stage"
"""Table of all rows as read: ``file`` (number), ``row`` (line or row number), then :data:`RAW` as text."""


HOW_TO_READ = "Read the answers from the responses with --reparse paper (or lenient), or fill a column pred."
"""What to do about files that hold responses only."""


class UnknownKindError(DataError):
    """No importer knows the file."""


@dataclass
class Source:
    """One file to read and what became of it.

    Attributes
    ----------
    path
        Where it is.
    name
        How it is called in messages and results: never an absolute path.
    readable
        The file to read: ``path``, or a repaired copy of it.
    from_folder
        Whether it was found in a folder rather than named.
    columns
        Our column name -> the file's.
    fixed
        Values that hold for the whole file (model and condition from its name).
    date
        Date in the file's name, ISO, or empty.
    importer, digest
        Name of the importer; first 16 hex digits of the SHA-256 of the bytes.
    n_read
        Rows read, those left out included.
    left_out
        Why rows were left out while reading -> their line numbers.
    facts
        What the file itself states of its run, by the names of :data:`click_stats.trials.runs.FACTS`.
    notes
        What a reader of the results must know of it, in sentences.
    asked
        Fingerprint of the items that were asked, where the file states one.
    planned
        Number of trials that were planned, where the file states it.
    filter
        Name of the filter or scorer whose answers count, where a log holds those of several; None: not told.
    drop_hidden
        Whether to leave out rows whose prompt did not show every option.
    part_of
        What the file is one part of (a model's run, one file per task): parts may state different facts.
    told_apart
        Rows whose id stands for several items, and what told which: (id, item, how, rows).
    """

    path: Path
    name: str
    readable: Path = field(default_factory=Path)
    from_folder: bool = False
    importer: str = ""
    digest: str = ""
    date: str = ""
    columns: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, str] = field(default_factory=dict)
    n_read: int = 0
    left_out: dict[str, list[int]] = field(default_factory=dict)
    facts: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asked: str = ""
    planned: int | None = None
    filter: str | None = None
    drop_hidden: bool = False
    part_of: str = ""
    told_apart: list[tuple[str, str, str, int]] = field(default_factory=list)


class Importer(Protocol):
    """A kind of log. One module each; :mod:`~click_stats.trials.importers.sniff` lists them."""

    @property
    def name(self) -> str:
        """What ``--format`` calls it."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of the files it may read, in lower case."""

    @property
    def named_by_file(self) -> bool:
        """Whether model and condition come from the file's name."""

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return our column names -> the file's, or None when the file is of another kind."""

    def header(self, path: Path) -> list[str]:
        """Return the names of the file's columns."""

    def needs(self) -> str:
        """Say which columns a file of this kind must have."""

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows of ``source`` to the table :data:`STAGE` and note what was left out."""


def bind_columns(header: Sequence[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return our column names -> the header's: as told by ``mapping``, else by the same or a usual other name.

    Raises
    ------
    DataError
        ``mapping`` names a column that the file does not have.
    """
    bound = {}
    for ours, theirs in mapping.items():
        if theirs not in header:
            raise DataError(f"There is no column {theirs!r}.", found=", ".join(header), do="Check --columns.")
        bound[ours] = theirs
    taken = set(bound.values())
    written = {name: name for name in header}
    for name in header:  # ID and Pred are id and pred, unless the file has those too
        written.setdefault(name.lower(), name)
    for name in RAW:
        if name in written and name not in bound and written[name] not in taken:
            bound[name] = written[name]
    taken = set(bound.values())
    for name, ours in OTHER_NAMES.items():
        if name in written and written[name] not in taken and ours not in bound:
            bound[ours] = written[name]
    return bound


def our_names(mapping: Mapping[str, str] | None) -> dict[str, str]:
    """Check a mapping given by a user, and write usual other names of our columns as our own.

    Raises
    ------
    UsageError
        A key is no column of ours, or two keys mean the same one.
    """
    named: dict[str, str] = {}
    for ours, theirs in (mapping or {}).items():
        name = OTHER_NAMES.get(ours, ours)
        if name not in RAW:
            raise UsageError(
                f"There is no column {ours!r} to map to.", do="Use our_name=their_name with one of: " + ", ".join(RAW)
            )
        if name in named:
            raise UsageError(f"The column {name!r} is mapped twice.", found=f"{named[name]}, {theirs}")
        named[name] = theirs
    return named


def append(
    connection: duckdb.DuckDBPyConnection,
    number: int,
    fixed: Mapping[str, str],
    names: Sequence[str],
    rows: Iterable[tuple[int, list[str]]],
) -> int:
    """Append rows of text to the stage in batches and return how many; empty text is missing.

    Parameters
    ----------
    number
        Number of the file.
    fixed
        Values of columns that are the same in all rows.
    names
        Our names of the fields.
    rows
        Row number and fields.
    """
    n_rows = 0
    fields = ", ".join(f"nullif({name}, '')" for name in names)
    constants = "".join(f", {literal(value)}" for value in fixed.values())
    targets = ", ".join(["file", "row", *names, *fixed])
    for lines, values in _batches(rows):
        batch = pd.DataFrame(dict(zip(names, values, strict=True)), dtype=object)
        batch["row"] = np.array(lines, dtype=np.int64)
        connection.register("batch", batch)
        connection.execute(
            f"INSERT INTO {STAGE} ({targets}) SELECT {number}, row, {fields}{constants} FROM batch"
        ).fetchall()
        connection.unregister("batch")
        n_rows += len(lines)
    return n_rows


def _batches(rows: Iterable[tuple[int, list[str]]]) -> Iterator[tuple[list[int], list[tuple[str, ...]]]]:
    lines: list[int] = []
    values: list[list[str]] = []
    for line, fields in rows:
        lines.append(line)
        values.append(fields)
        if len(lines) == BATCH:
            yield lines, list(zip(*values, strict=True))
            lines, values = [], []
    if lines:
        yield lines, list(zip(*values, strict=True))
