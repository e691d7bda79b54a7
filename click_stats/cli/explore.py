"""``click-stats explore``: files to a page that shows single items."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

HELP = """Files to one html file that shows every item and every answer.

The file opens from disk and fetches nothing. Texts of the items are in it only with --with-texts.

Example: click-stats explore results/*.csv -o explorer.html --lang ko
"""


def command(
    files: o.Files,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.")] = Path("explorer.html"),
    lang: Annotated[str, typer.Option("--lang", help="Language: en or ko.")] = "en",
    quick: Annotated[
        bool, typer.Option("--quick", help="Only who answered what: no flags, no difficulties, in a moment.")
    ] = False,
    with_texts: o.WithTexts = False,
    items: o.Items = None,
    items_from: o.ItemsFrom = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    models: o.Models = None,
    runs: o.Runs = None,
    format: o.Format = None,  # noqa: A002 -- the name of the option
    columns: o.Columns = None,
    reparse: o.Reparse = None,
    filter: o.Filter = None,  # noqa: A002 -- the name of the option
    drop_hidden_options: o.DropHidden = False,
    also: o.Also = None,
    seed: o.Seed = None,
    setting: o.Setting = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Parse, call :func:`click_stats.api.explore`, and say where the file is."""
    with progress(quiet=quiet) as show:
        tables = o.read_tables(
            files,
            items=items,
            items_from=items_from,
            errata=errata,
            benchmark=benchmark,
            models=models,
            runs=runs,
            format=format,
            columns=columns,
            reparse=reparse,
            filter=filter,
            drop_hidden_options=drop_hidden_options,
            progress=show,
        )
        path = api.explore(
            tables.trials,
            tables.items,
            out=out,
            lang=lang,
            models=tables.models,
            with_texts=with_texts,
            quick=quick,
            also=also or (),
            force=force,
            progress=show,
            **o.parameters(seed=seed, setting=setting),
        )
    typer.echo(str(path))
    note(f"{path} opens in any browser, from disk.", quiet=quiet)
