"""Files that choose items: one key a line, or a table with a column ``item``."""

from __future__ import annotations

import csv
from pathlib import Path

from click_stats.errors import DataError

COLUMN = "item"


def read_keys(path: str | Path) -> tuple[str, ...]:
    """Read the keys of items, each once, in the order of the file.

    Parameters
    ----------
    path
        A CSV file with a column ``item``, or a text file with one key (``<category>/<id>``) a line. Empty lines and
        what follows a ``#`` at the start of a line are passed over.

    Raises
    ------
    DataError
        The file cannot be read, or names no item.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise DataError(f"The item keys in {path} cannot be read.", found=reason, do="Check the path.") from error
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    header = next(csv.reader(lines[:1]), [])
    if COLUMN in header:
        found = [(row.get(COLUMN) or "").strip() for row in csv.DictReader(lines)]
    else:
        found = [line.strip() for line in lines]
    keys = tuple(dict.fromkeys(key for key in found if key))
    if not keys:
        raise DataError(
            f"The file {path} names no item.",
            do="Write one key a line, e.g. History/Kedu_history_23, or a table with a column item.",
        )
    return keys
