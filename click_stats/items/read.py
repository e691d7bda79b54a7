"""Reads the questions of a benchmark from wherever they are."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.items import columns, hub, revision
from click_stats.items.build import build
from click_stats.items.definition import Definition, read_definition
from click_stats.items.raw import TABLES, Row, read_rows
from click_stats.items.tree import read_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable


def read_items(path: str | Path | None = None, definition: Definition | str | Path | None = None) -> ItemTable:
    """Read a benchmark's questions.

    Parameters
    ----------
    path
        None: the packaged key table of CLIcK (no texts). Otherwise the dataset's folder; one table (JSON, JSON
        lines, CSV, parquet) with texts or with keys only; or the id of a dataset on the Hugging Face hub
        (``owner/name`` or ``owner/name@revision``).
    definition
        A definition or the path of one; CLIcK's by default.

    Raises
    ------
    DataError
        The data are missing or wrong; the message names the file and the items.
    MissingDependencyError
        A hub id without the extra ``hub``.
    """
    known = definition if isinstance(definition, Definition) else read_definition(definition)
    if path is None:
        return packaged(known)
    rows = _rows(path, known)
    if not known.key_table:
        return build(rows, known, str(path))
    keys = packaged(known)
    if not any("category" in columns.row(row.values) for row in rows):
        rows = revision.placed(rows, keys)
    return revision.compared(build(rows, known, str(path)), keys)


def packaged(definition: Definition) -> ItemTable:
    """Return the key table that comes with the package."""
    if not definition.key_table:
        raise DataError(f"No items of {definition.name} come with the package.", do="Hand over a table of items.")
    with as_file(files("click_stats.items").joinpath(definition.key_table)) as table:
        return build(read_rows(table), definition, definition.key_table)


def _rows(path: str | Path, definition: Definition) -> Sequence[Row]:
    where = Path(path)
    if not where.exists():
        if isinstance(path, str) and where.suffix.lower() not in TABLES and hub.is_id(path):
            return read_tree(hub.fetch(path))
        raise DataError(f"There are no items at {where}.", do=definition.obtain or "Check the path.")
    return read_tree(where) if where.is_dir() else read_rows(where)
