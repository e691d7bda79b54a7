"""Text files as they come: their encoding, and tables in CSV of which the end may be missing."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from typing import TYPE_CHECKING, BinaryIO

from click_stats.errors import DataError

if TYPE_CHECKING:
    import _csv
    from collections.abc import Callable, Iterator
    from pathlib import Path

CHUNK = 1 << 20
ENCODINGS = ("utf-8-sig", "cp949")
"""Tried in turn: UTF-8 with or without byte-order mark, then the encoding of Korean spreadsheets."""
LONGEST_FRAGMENT = 1000
"""Lines; an open quote before more than these is damage, not a file that was cut off."""
HANGUL_UTF8 = re.compile(rb"[\xea-\xed][\x80-\xbf][\x80-\xbf]")
DELIMITERS = ",\t;"


def find_encoding(path: Path) -> str:
    """Return the encoding of a text file; decode errors are never passed over.

    A character cut off at the very end does not count against UTF-8: the last line is left out anyway.

    Raises
    ------
    DataError
        Neither UTF-8 nor CP949; or UTF-8 with broken characters, which CP949 would read as other ones.
    """
    faults = []
    for encoding in ENCODINGS:
        decoder = codecs.getincrementaldecoder(encoding)()
        offset = 0
        try:
            with path.open("rb") as file:
                while chunk := file.read(CHUNK):
                    decoder.decode(chunk)
                    offset += len(chunk)
        except UnicodeDecodeError as error:
            faults.append(f"{encoding.removesuffix('-sig').upper()}: {error.reason} after byte {offset + error.start}")
            if encoding == ENCODINGS[0] and _was_utf8(path):
                break
        else:
            return encoding
    raise DataError(
        f"The text of {path.name} cannot be decoded.",
        found="; ".join(faults),
        do="Save the file as UTF-8. Encodings tried: UTF-8 (with or without byte-order mark), CP949.",
    )


def _was_utf8(path: Path) -> bool:
    """Tell whether most characters beyond ASCII are Hangul in UTF-8."""
    with path.open("rb") as file:
        sample = file.read(4 * CHUNK)
    beyond = sum(byte > 0x7F for byte in sample)
    return sample.startswith(codecs.BOM_UTF8) or 3 * len(HANGUL_UTF8.findall(sample)) > beyond / 2


CUT_CHARACTER = "\ufffd"
"""What the decoder puts where the file ends within a character."""


def ends_with_newline(path: Path) -> bool:
    """Tell whether the file's last byte ends a line."""
    with path.open("rb") as file:
        file.seek(-1, io.SEEK_END)
        return file.read(1) in b"\r\n"


class CsvTable:
    """A CSV file read row by row, every value as text.

    Attributes
    ----------
    header
        Names of the columns.
    malformed
        Line numbers of rows with a wrong number of fields, which are left out.
    fragment
        Line number of a last row that was cut off and is left out; 0 when the file is whole.

    Raises
    ------
    DataError
        The file is empty, cannot be decoded, names a column twice, or is no CSV.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.stat().st_size:
            raise DataError(f"The file {path.name} is empty.", do="Remove it, or get it again.")
        self.encoding = find_encoding(path)
        self.delimiter = ","
        self.malformed: list[int] = []
        self.fragment = 0
        with path.open("rb") as raw, self._decoded(raw) as file:
            line = file.readline()
            self.delimiter = max(DELIMITERS, key=line.count) if any(mark in line for mark in DELIMITERS) else ","
        with path.open("rb") as raw, self._decoded(raw) as file:
            self.header = [name.strip() for name in next(filter(None, self._reader(file)), [])]
        twice = sorted({name for name in self.header if name and self.header.count(name) > 1})
        if not any(self.header):
            raise DataError(f"The file {path.name} holds no columns.", do="Remove it, or get it again.")
        if twice:
            raise DataError(
                f"The file {path.name} names a column twice.",
                found=", ".join(twice),
                do="Rename one of them; if the file has no line with the columns' names, put one first.",
            )

    def _decoded(self, raw: BinaryIO) -> io.TextIOWrapper:
        # A character cut off at the end of the file would raise; the row it stands in is left out anyway.
        return io.TextIOWrapper(raw, encoding=self.encoding, errors="replace", newline="")

    def _reader(self, file: io.TextIOWrapper) -> _csv.Reader:
        csv.field_size_limit(min(sys.maxsize, 2**31 - 1))  # responses are longer than the default allows
        return csv.reader(file, delimiter=self.delimiter, strict=True)

    def rows(self, tick: Callable[[int], None] | None = None) -> Iterator[tuple[int, list[str]]]:
        """Yield ``(line number, fields)`` of every whole row; ``tick`` is told the bytes read so far."""
        n_fields = len(self.header)
        self.malformed, self.fragment = [], 0
        with self.path.open("rb") as raw, self._decoded(raw) as file:
            reader = self._reader(file)
            held: tuple[int, list[str]] | None = None  # one row late, to know which one is the last
            start = 1
            in_header = True
            try:
                for fields in reader:
                    line, start = start, reader.line_num + 1
                    if not fields or in_header:
                        in_header = in_header and not fields
                        continue
                    if held is not None:
                        if len(held[1]) == n_fields:
                            yield held
                        else:
                            self.malformed.append(held[0])
                    held = (line, fields)
                    if tick is not None and not line % 10_000:
                        tick(raw.tell())
            except csv.Error as error:
                if "unexpected end" not in str(error) or reader.line_num - start > LONGEST_FRAGMENT:
                    raise DataError(
                        f"The file {self.path.name} is no CSV.",
                        found=f"the row that starts on line {start}: {error}",
                        do="Check the quotation marks of that row.",
                    ) from error
                self.fragment = start
        if held is None:
            return
        # Many programs write no newline after the last row: it counts when every field of it is there.
        ended = ends_with_newline(self.path) or (held[1][-1] != "" and CUT_CHARACTER not in held[1][-1])
        cut_off = not self.fragment and (len(held[1]) < n_fields or not ended)
        if cut_off:
            self.fragment = held[0]
        elif len(held[1]) == n_fields:
            yield held
        else:
            self.malformed.append(held[0])
