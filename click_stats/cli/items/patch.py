"""``click-stats items patch``: errata as changes of the dataset's own files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note

HELP = """Errata as changes of the dataset's own JSON files.

Prints a unified patch; with -o writes the changed files, the patch and a changelog into a folder. The dataset itself is
never written to.

Example: click-stats items patch errata.toml --items CLIcK/ -o corrected
"""


def command(
    errata: Annotated[Path, typer.Argument(help="TOML file of corrections.")],
    *,
    items: o.Items = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder for the changed files, patch and changelog.", show_default=False),
    ] = None,
    benchmark: o.Benchmark = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.patch_items`, and print the patch or write the files."""
    if items is None:
        raise typer.BadParameter("give the dataset whose files are to be changed", param_hint="--items")
    found = api.patch_items(errata, items, definition=benchmark, out=out, force=force)
    if as_json:
        written = {"files": [change.name for change in found.changes]}
        typer.echo(json.dumps({**written, "patch": found.patch, "changelog": found.changelog}, ensure_ascii=False))
    elif out is None:
        sys.stdout.write(found.patch)
    note(f"{len(found.changes)} files are changed." + ("" if out is None else f" Written to {out}."), quiet=quiet)
