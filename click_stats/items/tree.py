"""The folder tree in which CLIcK is published: ``Dataset/<domain>/<folder>/<category>_<source>.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.items.raw import TABLES, Row, read_rows

if TYPE_CHECKING:
    from pathlib import Path

ROOT = "Dataset"


def read_tree(folder: Path) -> list[Row]:
    """Read all JSON files below a folder (or below its ``Dataset``); a folder with one table gives that table.

    Raises
    ------
    DataError
        There is nothing to read, or a file's name is not ``<category>_<source>.json``.
    """
    root = folder / ROOT if (folder / ROOT).is_dir() else folder
    paths = sorted(root.rglob("*.json"))
    if not paths:
        return _single(root)
    rows: list[Row] = []
    for path in paths:
        category, _, source = path.stem.rpartition("_")
        if not category or not source:
            raise DataError(
                f"The file {path} is not named <category>_<source>.json.",
                do="Hand over the folder of the dataset only, or one table of items.",
            )
        here = read_rows(path, may_be_empty=True)  # its last item may have been dropped or moved
        rows += [Row({**row.values, "category": category, "source": source}, row.where) for row in here]
    if not rows:
        raise DataError(f"The files in {root} hold no items.", do="Check that the folder is complete.")
    return rows


def _single(root: Path) -> list[Row]:
    tables = sorted(path for path in root.rglob("*") if path.suffix.lower() in TABLES)
    if len(tables) == 1:
        return read_rows(tables[0])
    raise DataError(
        f"There are no items in the folder {root}.",
        found=", ".join(path.name for path in tables[:5]) if tables else "no JSON file",
        do=f"Hand over the folder that holds {ROOT}/<domain>/<folder>/<category>_<source>.json, or one table of items.",
    )
