"""A table with one row per trial, as CSV, JSON lines or parquet; also the trial tables we write ourselves."""

from __future__ import annotations

import codecs
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from click_stats.errors import DataError
from click_stats.trials.importers.base import STAGE, Source, bind_columns
from click_stats.trials.importers.result_csv import load_csv
from click_stats.trials.importers.text import ENCODINGS, CsvTable, ends_with_newline, find_encoding
from click_stats.trials.schema import ANSWERS
from click_stats.trials.sql import glob_free, identifier, literal, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

JSON_LINES = (".jsonl", ".ndjson")
PARQUET = (".parquet",)


class LongTable:
    """Importer of long tables.

    ``prediction`` is the option chosen, counted from 0 in the source's order; ``label`` is the letter as it was
    displayed, and is mapped back by ``rotation``. ``gold`` is a label in the source's order.
    """

    name = "long"
    suffixes: tuple[str, ...] = (".csv", ".tsv", ".txt", *JSON_LINES, *PARQUET)
    named_by_file = False

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a file that names items and answers."""
        bound = bind_columns(self.header(path), mapping)
        named = {"item", "id"} & set(bound)
        answered = (ANSWERS | {"text"}) & set(bound)
        return bound if named and answered else None

    def header(self, path: Path) -> list[str]:
        """Return the names of the file's columns."""
        return _header(path)

    def needs(self) -> str:
        """Say which columns a file of this kind must have."""
        return "item or id, model, and prediction (from 0) or label (or response, with --reparse)"

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows to the stage; parquet and JSON lines never pass through Python."""
        suffix = source.path.suffix.lower()
        if suffix not in (*JSON_LINES, *PARQUET):
            load_csv(connection, number, source, tick)
            return
        fields = ", ".join(f"nullif(CAST({identifier(name)} AS VARCHAR), '')" for name in source.columns.values())
        targets = ", ".join(["file", "row", *source.columns, *source.fixed])
        constants = "".join(", ?" for _ in source.fixed)
        relation = _parquet(source.readable) if suffix in PARQUET else _json_lines(source)
        sql = (
            f"INSERT INTO {STAGE} ({targets}) "
            f"SELECT {number}, row_number() OVER (), {fields}{constants} FROM {relation}"
        )
        try:
            connection.execute(sql, list(source.fixed.values())).fetchall()
        except duckdb.Error as error:
            raise unreadable(source.path, error) from error
        counted = connection.execute(f"SELECT count(*) FROM {STAGE} WHERE file = ?", [number]).fetchall()
        source.n_read = int(counted[0][0]) + sum(map(len, source.left_out.values()))
        tick(source.path.stat().st_size)


def whole_lines(path: Path, work: Path) -> tuple[Path, int]:
    """Return a UTF-8 file of whole lines of JSON, and the number of a last line that was cut off (0: none).

    The file itself is returned when it needs no repair, else a copy in the folder ``work``.

    Raises
    ------
    DataError
        The file is empty or cannot be decoded.
    """
    if not path.stat().st_size:
        raise DataError(f"The file {path.name} is empty.", do="Remove it, or get it again.")
    encoding = find_encoding(path)
    with path.open("rb") as file:
        marked = file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    whole = ends_with_newline(path)
    if whole and encoding == ENCODINGS[0] and not marked:
        return path, 0
    copy = Path(tempfile.mkdtemp(dir=work)) / path.name
    fragment = 0
    with (
        path.open(encoding=encoding, errors="replace", newline="\n") as file,
        copy.open("w", encoding="utf-8", newline="\n") as out,
    ):
        for number, line in enumerate(file, start=1):
            if line.endswith("\n") or _is_json(line):  # a cut object is no JSON, so a whole one was not cut
                out.write(line.rstrip("\n") + "\n")
            else:
                fragment = number
    return copy, fragment


def _is_json(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _header(path: Path) -> list[str]:
    suffix = path.suffix.lower()
    if suffix not in (*JSON_LINES, *PARQUET):
        return CsvTable(path).header
    if suffix in PARQUET:
        query = f"SELECT column_name FROM (DESCRIBE SELECT * FROM {_parquet(path)})"
    else:
        query = (
            "SELECT DISTINCT unnest(json_keys(json)) AS key "
            f"FROM read_json_objects({literal(glob_free(path))}, format = 'newline_delimited') ORDER BY key"
        )
    try:
        with duckdb.connect() as connection:
            return [str(row[0]) for row in connection.execute(query).fetchall()]
    except duckdb.Error as error:
        raise unreadable(path, error) from error


def _parquet(path: Path) -> str:
    return f"read_parquet({literal(glob_free(path))})"


def _json_lines(source: Source) -> str:
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in source.columns.values())
    path = literal(glob_free(source.readable))
    return f"read_json({path}, format = 'newline_delimited', columns = {{{types}}})"
