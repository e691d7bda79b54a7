"""Reads the questions of a benchmark from wherever they are."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.items.build import build
from click_stats.items.definition import Definition, read_definition
from click_stats.items.raw import read_rows
from click_stats.items.tree import read_tree

if TYPE_CHECKING:
    from click_stats.items.table import ItemTable


def read_items(path: str | Path | None = None, definition: Definition | str | Path | None = None) -> ItemTable:
    """Read a benchmark's questions.

    Parameters
    ----------
    path
        None: the packaged key table of CLIcK (no texts). Otherwise the dataset's folder, or one table (JSON,
        JSON lines, CSV, parquet) with texts or with keys only.
    definition
        A definition or the path of one; CLIcK's by default.

    Raises
    ------
    DataError
        The data are missing or wrong; the message names the file and the items.
    """
    known = definition if isinstance(definition, Definition) else read_definition(definition)
    if path is None:
        return packaged(known)
    where = Path(path)
    if where.is_dir():
        return build(read_tree(where), known, str(where))
    if not where.exists():
        raise DataError(f"There are no items at {where}.", do=known.obtain or "Check the path.")
    return build(read_rows(where), known, str(where))


def packaged(definition: Definition) -> ItemTable:
    """Return the key table that comes with the package."""
    if not definition.key_table:
        raise DataError(f"No items of {definition.name} come with the package.", do="Hand over a table of items.")
    with as_file(files("click_stats.items").joinpath(definition.key_table)) as table:
        return build(read_rows(table), definition, definition.key_table)
