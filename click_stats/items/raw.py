"""Files of items as rows of text: CSV, JSON, JSON lines, parquet. Nothing is guessed about types."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ENCODINGS = ("utf-8-sig", "cp949")
"""Tried in turn: UTF-8 with or without a byte-order mark, then what a Korean spreadsheet saves."""
HANGUL_UTF8 = re.compile(rb"[\xea-\xed][\x80-\xbf][\x80-\xbf]")
TABLES = (".csv", ".json", ".jsonl", ".parquet")


@dataclass(frozen=True)
class Row:
    """One row as read: its values, as text or lists of text, and the place to name in an error."""

    values: Mapping[str, Any]
    where: str


def decode(path: Path) -> str:
    """Return the text of a file; errors of decoding are never passed over.

    Raises
    ------
    DataError
        The file cannot be read, or is in none of :data:`ENCODINGS`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise DataError(
            f"The file {path} cannot be read.", found=str(error.strerror or error), do="Check the path."
        ) from error
    faults = []
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError as error:
            faults.append(f"{encoding.removesuffix('-sig').upper()}: {error.reason} at byte {error.start}")
        if _looks_like_utf8(data):
            # CP949 would read broken UTF-8 as other characters, without an error.
            break
    raise DataError(
        f"The text of {path} cannot be decoded.",
        found="; ".join(faults),
        do="Save the file as UTF-8. Encodings tried: UTF-8 (with or without byte-order mark), CP949.",
    )


def _looks_like_utf8(data: bytes) -> bool:
    """Whether most bytes beyond ASCII belong to Hangul in UTF-8."""
    beyond = sum(byte > 0x7F for byte in data)
    return data.startswith(codecs.BOM_UTF8) or 2 * 3 * len(HANGUL_UTF8.findall(data)) > beyond > 0


def read_rows(path: Path, *, may_be_empty: bool = False) -> list[Row]:
    """Read a table of items; every value comes back as text (or a list of text), as it was written.

    Raises
    ------
    DataError
        The file is empty, broken, or of no known kind.
    """
    readers = {".csv": _csv, ".json": _json, ".jsonl": _json_lines, ".parquet": _parquet}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            f"{path} is no table of items.", found=path.suffix or "no extension", do="Use " + ", ".join(TABLES)
        )
    rows = list(reader(path))
    if not rows and not may_be_empty:
        raise DataError(f"{path} holds no items.", do="Check that the file is complete.")
    return rows


def _csv(path: Path) -> Iterator[Row]:
    lines = csv.reader(io.StringIO(decode(path), newline=""), strict=True)
    try:
        header = next(lines, [])
        for values in lines:
            if not values:
                continue
            if len(values) != len(header):
                raise DataError(
                    f"Line {lines.line_num} of {path} has a wrong number of columns.",
                    found=f"{len(values)} instead of {len(header)}",
                )
            yield Row(dict(zip(header, values, strict=True)), f"{path.name}, line {lines.line_num}")
    except csv.Error as error:
        raise DataError(f"{path} is no CSV.", found=f"line {lines.line_num}: {error}") from error


def _json(path: Path) -> Iterator[Row]:
    data = _load(decode(path), str(path))
    if not isinstance(data, list):
        raise DataError(f"{path} is no list of items.", found=type(data).__name__, do="Use [{...}, {...}].")
    for number, entry in enumerate(data, start=1):
        yield _row(entry, f"{path.name}, entry {number}")


def _json_lines(path: Path) -> Iterator[Row]:
    for number, line in enumerate(decode(path).split("\n"), start=1):
        if line.strip():
            yield _row(_load(line, f"Line {number} of {path}"), f"{path.name}, line {number}")


def _load(text: str, where: str) -> Any:
    if not text.strip():
        raise DataError(f"{where} is empty.", do="Check that the file is complete.")
    try:
        # Numbers stay as they are written: 01 and 1.0 in an option are text.
        return json.loads(text, parse_int=str, parse_float=str)
    except ValueError as error:
        raise DataError(f"{where} is no JSON.", found=str(error)) from error


def _parquet(path: Path) -> Iterator[Row]:
    import duckdb  # noqa: PLC0415 -- only this format needs it

    try:
        with duckdb.connect() as connection:
            # SQL takes no parameter here for a name with glob characters: those are doubled into classes.
            name = "".join(f"[{char}]" if char in "*?[" else char for char in str(path))
            cursor = connection.execute("SELECT * FROM read_parquet(?)", [name])
            header = [str(column[0]) for column in cursor.description or ()]
            rows = cursor.fetchall()
    except duckdb.Error as error:
        raise DataError(f"{path} cannot be read as parquet.", found=str(error).splitlines()[0]) from error
    for number, values in enumerate(rows, start=1):
        yield _row(dict(zip(header, values, strict=True)), f"{path.name}, row {number}")


def _row(entry: object, where: str) -> Row:
    if not isinstance(entry, dict):
        raise DataError(f"{where}: an item must be an object with named fields.", found=str(entry)[:60])
    return Row({str(name): _text(value, where) for name, value in entry.items()}, where)


def _text(value: object, where: str) -> str | list[str]:
    if isinstance(value, (list, tuple)):
        return [text for text in (_text(part, where) for part in value) if isinstance(text, str)]
    if isinstance(value, dict):
        raise DataError(f"{where}: a field of an item cannot be an object.", found=str(value)[:60])
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
