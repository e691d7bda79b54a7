"""Write the pages that are generated: columns of the results, backends, and the help of the command line.

python scripts/make_docs.py          writes them
python scripts/make_docs.py --check  says which are stale and exits with 1
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from click_stats import content, glossary
from click_stats.adapters.backend import read_backend
from click_stats.adapters.listing import NEEDS

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "docs" / "reference"
COMMANDS = (
    "",
    "report",
    "analyze",
    "compare",
    "explore",
    "import",
    "items",
    "items check",
    "items list",
    "items show",
    "backends",
    "plan",
    "run",
    "doctor",
)
GENERATED = "<!-- Written by scripts/make_docs.py (make docs): change the source, not this page. -->\n"


def columns_page() -> str:
    """Return the glossary as a page."""
    lines = [
        "# Columns of the result tables",
        "",
        GENERATED,
        "Every table of every result has columns from this list and no others. Shares are of 1 (0.25 is 25 %); reports",
        "show them in percent and differences in points. A missing number stands in a row whose `reason` says why.",
        "",
        "| Column | Type | Unit | Meaning | 뜻 |",
        "| --- | --- | --- | --- | --- |",
    ]
    for column in glossary.columns().values():
        cells = (f"`{column.name}`", column.type, column.unit, column.meaning["en"], column.meaning["ko"])
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def command_page() -> str:
    """Return the help of every command as a page."""
    lines = ["# The command line", "", GENERATED]
    for command in COMMANDS:
        words = [sys.executable, "-c", "from click_stats.cli import main; main()", *command.split(), "--help"]
        environment = {**os.environ, "COLUMNS": "110", "TERMINAL_WIDTH": "110", "NO_COLOR": "1"}
        shown = subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout
        shown = shown.replace("Usage: -c ", "Usage: click-stats ").replace("Usage: root ", "Usage: click-stats ")
        text = "\n".join(line.rstrip() for line in shown.strip().splitlines())
        lines += [f"## {('click-stats ' + command).strip()}", "", "```text", text, "```", ""]
    return "\n".join(lines)


def backends_page() -> str:
    """Return the adapters and the declared backends as a page."""
    lines = [
        "# Backends",
        "",
        GENERATED,
        "## Adapters",
        "",
        "| Adapter | Packages | Extra | Key |",
        "| --- | --- | --- | --- |",
    ]
    for name, needs in NEEDS.items():
        packages = ", ".join(f"`{package}`" for package in needs.packages) or "none"
        extra = f"`click-stats[{needs.extra}]`" if needs.extra else "none"
        lines.append(f"| `{name}` | {packages} | {extra} | {f'`{needs.key}`' if needs.key else 'none'} |")
    lines += [
        "",
        "## Models",
        "",
        "Parameters are in billions; prices in US dollars per million tokens, input and output, as the source states",
        "them at its date. An empty cell is not disclosed, or we are not sure. What is installed and missing on a",
        "machine: `click-stats backends`.",
        "",
        "| Backend | Adapter | Model | Vendor | Billion | Korean corpus | Tuned | Prices |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    found = [read_backend(content.find("backends", name)) for name in content.names("backends")]
    for backend in found:
        facts, prices = backend.model_facts(), backend.prices
        cells = (
            f"`{backend.name}`",
            f"`{backend.adapter}`",
            f"`{backend.model or backend.address}`" if backend.model or backend.address else "",
            facts.vendor or "",
            "" if facts.parameters is None else f"{facts.parameters:g}",
            facts.korean_corpus or "",
            facts.tuned or "",
            f"{prices.input:g} / {prices.output:g} ({prices.source})" if prices else "",
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    lines += ["", "## Remarks", ""]
    lines += [f"- `{backend.name}`: {backend.note}" for backend in found if backend.note]
    return "\n".join(lines) + "\n"


PAGES = {"backends.md": backends_page, "columns.md": columns_page, "command-line.md": command_page}


def main() -> None:
    """Write the pages, or check them."""
    stale = []
    for name, make in PAGES.items():
        path, text = REFERENCE / name, make()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(str(path.relative_to(ROOT)))
        else:
            REFERENCE.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        sys.exit(f"stale, write them again with make docs: {', '.join(stale)}")


if __name__ == "__main__":
    main()
