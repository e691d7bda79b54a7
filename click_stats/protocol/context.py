"""Retrieved text for each item, read from a table of the user's."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.items.raw import decode
from click_stats.protocol.prompt import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from click_stats.protocol.protocol import Context

COLUMNS = ("item", "text")
EXAMPLES = 5


def read_context(context: Context, items: Iterable[str]) -> dict[str, str]:
    """Return the text of each item that has one.

    Raises
    ------
    DataError
        The file cannot be read, names an item twice, or lacks one that is needed.
    """
    path = context.file
    if not path.is_file():
        raise DataError(f"There is no file {path} with the context of the items.", do="Correct context.file.")
    text = decode(path)
    rows = _json_lines(text, path.name) if path.suffix.lower() in {".jsonl", ".ndjson"} else _csv(text, path.name)
    found: dict[str, str] = {}
    for where, row in rows:
        item, own = row.get("item"), row.get("text")
        if not isinstance(item, str) or not isinstance(own, str):
            raise DataError(f"{where} has no item and text.", do=f"Every row has {' and '.join(COLUMNS)}.")
        if item.strip() in found:
            raise DataError(f"{where}: an item stands twice.", found=item, do="Give each item one text.")
        found[item.strip()] = clean(own)
    needed = list(items)
    missing = [item for item in needed if not found.get(item)]
    if missing and context.missing == "error":
        raise DataError(
            f"{path.name} has no context for {len(missing)} of {len(needed)} items.",
            found=", ".join(missing[:EXAMPLES]),
            do='Add them, or set context.missing = "without" to ask these without.',
        )
    return {item: found[item] for item in needed if found.get(item)}


def _csv(text: str, name: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            yield f"{name}, line {reader.line_num}", row
    except csv.Error as error:
        raise DataError(f"{name} is no CSV.", found=f"line {reader.line_num}: {error}") from error


def _json_lines(text: str, name: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{name}, line {number}"
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError(f"{where} is no JSON.", found=str(error)) from error
        if not isinstance(row, dict):
            raise DataError(f"{where} is no object.", found=line[:40])
        yield where, row
