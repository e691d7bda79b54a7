"""Small helpers for SQL text: values and names that cannot be parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path


def literal(value: object) -> str:
    """Return a text literal."""
    return "'" + str(value).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return a quoted column name."""
    return '"' + name.replace('"', '""') + '"'


def glob_free(path: Path) -> str:
    """Return a path whose ``*``, ``?`` and ``[`` stand for themselves: DuckDB reads file names as patterns."""
    return "".join(f"[{mark}]" if mark in "*?[" else mark for mark in str(path))


def unreadable(path: Path, error: Exception) -> DataError:
    """Return the error for a file that DuckDB refuses."""
    return DataError(
        f"The file {path.name} cannot be read.",
        found=str(error).splitlines()[0].replace(str(path), path.name),
        do="Check that the file is whole and of the kind that its ending says.",
    )
