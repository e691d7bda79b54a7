"""Opens logs of Inspect: the zip archive ``.eval`` and the single object ``.json``."""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from click_stats.errors import DataError
from click_stats.trials.sql import glob_free, literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOG = re.compile(rb'^\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"')
"""How the JSON form begins."""
HEADERS = ("header.json", "_journal/start.json")
"""Members with the header, in order; the first is written last, so a log that was cut off has the second only."""
ZSTANDARD = 93
"""Compression of zip archives that Python reads from version 3.14 on; DuckDB reads it everywhere."""
LOCAL_HEADER = 30
"""Bytes before the name of a member."""
PIECE = 64
"""Members unpacked at a time."""


def is_log(path: Path) -> bool:
    """Tell whether a file is a log of Inspect, without reading all of it."""
    if path.suffix.lower() == ".eval":
        return zipfile.is_zipfile(path)
    with path.open("rb") as file:
        return LOG.match(file.read(512)) is not None


def read_log(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """Return the header of a log, and its samples one after the other.

    Raises
    ------
    DataError
        The file is damaged.
    """
    if path.suffix.lower() != ".eval":
        try:
            log = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise _damaged(path, error) from error
        return log, iter(log.pop("samples", None) or [])
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile as error:
        raise _damaged(path, error) from error
    named = {member.filename: member for member in members}
    header = next((named[name] for name in HEADERS if name in named), None)
    if header is None:
        raise DataError(
            f"The file {path.name} is no log of Inspect: it has no header.",
            found=", ".join(list(named)[:5]) or "an empty archive",
            do="Give a log that Inspect wrote.",
        )
    samples = [member for name, member in named.items() if name.startswith("samples/") and name.endswith(".json")]
    return next(_unpacked(path, [header])), _unpacked(path, samples)


def _unpacked(path: Path, members: Sequence[zipfile.ZipInfo]) -> Iterator[dict[str, Any]]:
    for start in range(0, len(members), PIECE):
        piece = members[start : start + PIECE]
        try:
            if all(member.compress_type == ZSTANDARD for member in piece):
                texts = _zstandard(path, piece)
            else:
                with zipfile.ZipFile(path) as archive:
                    texts = [archive.read(member).decode("utf-8") for member in piece]
            yield from map(json.loads, texts)
        except (ValueError, OSError, zipfile.BadZipFile, NotImplementedError, duckdb.Error) as error:
            raise _damaged(path, error) from error


def _zstandard(path: Path, members: Sequence[zipfile.ZipInfo]) -> list[str]:
    """Return the texts of members that zlib cannot unpack."""
    with tempfile.TemporaryDirectory(prefix="click-stats-") as folder:
        with path.open("rb") as file:
            for place, member in enumerate(members):
                file.seek(member.header_offset)
                head = file.read(LOCAL_HEADER)
                file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
                (Path(folder) / f"{place:06d}.zst").write_bytes(file.read(member.compress_size))
        largest = max(member.file_size for member in members) + 1024
        files = f"{glob_free(Path(folder))}/*.zst"
        with duckdb.connect() as connection:
            found = connection.execute(
                f"SELECT json FROM read_json_objects({literal(files)}, format = 'unstructured', "
                f"compression = 'zstd', filename = true, maximum_object_size = {largest}) ORDER BY filename"
            ).fetchall()
    if len(found) != len(members):
        raise ValueError(f"{len(members)} parts, {len(found)} of them could be read")
    return [str(text) for (text,) in found]


def _damaged(path: Path, error: Exception) -> DataError:
    return DataError(
        f"The file {path.name} is a damaged log of Inspect.",
        found=str(error).splitlines()[0] if str(error) else type(error).__name__,
        do="Get the file again: it may be cut off.",
    )
