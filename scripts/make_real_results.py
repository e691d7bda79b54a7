"""Bring the real per-question result files into ``fixtures/real-results`` without any text of the dataset.

    python scripts/make_real_results.py SOURCE [--items DATASET]

``SOURCE`` holds the CSV files and their ``LICENSE-MIT.txt``. The dataset has no licence, so its texts may not
enter the project. A response stays only if it is nothing but labels, sentinels of the producer and the
heading ``### ANSWER``; every other response becomes ``[cut]``. All other bytes stay as they are: the script
refuses a file that it could not write back byte by byte. With ``--items`` it also checks that no kept
response is an option text of its own item.

What was cut is listed in ``fixtures/README.md`` between two markers.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import shutil
import unicodedata
from collections import defaultdict
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
LICENCE = "LICENSE-MIT.txt"
CUT = "[cut]"
BEGIN = "<!-- real-results: begin (written by scripts/make_real_results.py) -->"
END = "<!-- real-results: end -->"
MODEST = re.compile(
    r"(?:\(?[A-Ea-e]\)?|### ?ANSWER|###|\[EMPTY_RESPONSE\]|BAD_REQUEST_ERROR|CONTENT_FILTER_ERROR|[\s,.:])*"
)
"""Responses that can hold no text of the dataset. An allow-list: whatever is not foreseen is cut."""


def cut_file(path: Path, options: dict[str, set[str]]) -> tuple[str, int]:
    """Return the file's text with quoting responses replaced, and how many were."""
    text = path.read_bytes().decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    if _write(rows) != text:
        raise SystemExit(f"{path.name}: writing it back would change more than the responses.")
    column, key = rows[0].index("response"), rows[0].index("id")
    n_cut = 0
    for row in rows[1:]:
        response = row[column]
        if not MODEST.fullmatch(response) or _plain(response) in options.get(row[key], set()):
            row[column] = CUT
            n_cut += 1
    return _write(rows), n_cut


def option_texts(dataset: Path) -> dict[str, set[str]]:
    """Return, by id, the option texts of the dataset that are more than a letter."""
    texts: dict[str, set[str]] = defaultdict(set)
    for path in sorted(dataset.rglob("*.json")):
        for item in json.loads(path.read_text(encoding="utf-8")):
            texts[item["id"]] |= {_plain(choice) for choice in item["choices"] if len(_plain(choice)) > 1}
    return texts


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _write(rows: list[list[str]]) -> str:
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _section(cuts: dict[str, int], rows: dict[str, int]) -> str:
    lines = [BEGIN, "", "| File | Rows | Responses replaced by `[cut]` |", "| --- | ---: | ---: |"]
    lines += [f"| `{name}` | {rows[name]:,} | {cuts[name]} |" for name in sorted(cuts)]
    lines += [f"| all | {sum(rows.values()):,} | {sum(cuts.values())} |", "", END]
    return "\n".join(lines)


def main() -> None:
    """Write the fixtures and the list of what was cut."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--items", type=Path, help="the dataset folder, for a second check")
    arguments = parser.parse_args()

    options = option_texts(arguments.items) if arguments.items else {}
    target = FIXTURES / "real-results"
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(arguments.source / LICENCE, target / LICENCE)
    cuts, rows = {}, {}
    for path in sorted(arguments.source.glob("*.csv")):
        text, cuts[path.name] = cut_file(path, options)
        rows[path.name] = sum(1 for _ in csv.reader(io.StringIO(text, newline=""))) - 1
        (target / path.name).write_bytes(text.encode("utf-8"))

    readme = FIXTURES / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    readme.write_text(before + _section(cuts, rows) + after, encoding="utf-8")
    print(f"{len(cuts)} files, {sum(rows.values()):,} rows, {sum(cuts.values())} responses cut.")


if __name__ == "__main__":
    main()
