"""``click-stats items quiz``: a form in which people answer a sample of items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note

HELP = """A form in which people answer a sample of items.

Writes one html file that opens from disk, sends nothing, and saves answers as a CSV file; give those files to analyze,
report or compare beside the results of models. The form contains the benchmark's texts: not for publication.

Example: click-stats items quiz --items CLIcK/ --n 100 --seed 1 --lang ko -o quiz.html
"""


def command(
    *,
    items: o.Items = None,
    n: Annotated[int, typer.Option("--n", min=1, help="Number of items.")] = 100,
    stratify: Annotated[
        str, typer.Option("--stratify", help="Column whose groups keep their shares (category, source, ...), or none.")
    ] = "category",
    shuffle: Annotated[
        bool,
        typer.Option("--shuffle", help="Turn the options of each item by a random number of places, which is kept."),
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the sample.")] = 0,
    lang: Annotated[str, typer.Option("--lang", help="Language of the form: en or ko.")] = "en",
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("quiz.html"),
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Parse and call :func:`click_stats.api.quiz`."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    path = api.quiz(table, n=n, stratify=stratify, shuffle=shuffle, seed=seed, lang=lang, out=out, force=force)
    typer.echo(path)
    note(f"{n} items. The file contains texts of {table.definition.name}: not for publication.", quiet=quiet)
