"""Writes the key table of CLIcK (no texts) from the dataset's folder.

python scripts/make_items.py PATH_OF_DATASET [OUTPUT]
"""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from click_stats.items import ItemTable, read_items

OUTPUT = Path(__file__).parent.parent / "click_stats" / "items" / "click-items.csv"
COLUMNS = ("id", "category", "source", "n_options", "gold", "cluster", "has_passage", "n_chars", "negated", "digest")


def key_table(items: ItemTable) -> str:
    """Return the key table as CSV: the columns that hold no text of the dataset."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["item", *COLUMNS])
    for row in items.frame[list(COLUMNS)].itertuples(name=None):
        writer.writerow([str(value).lower() if isinstance(value, bool) else value for value in row])
    return buffer.getvalue()


def main(arguments: list[str]) -> int:
    if len(arguments) not in {1, 2}:
        print(__doc__, file=sys.stderr)
        return 2
    items = read_items(arguments[0])
    output = Path(arguments[1]) if len(arguments) == 2 else OUTPUT
    output.write_text(key_table(items), encoding="utf-8", newline="")
    print(f"{output}: {len(items)} items, digest {items.digest}")
    for warning in items.warnings:
        print(f"  {warning}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
