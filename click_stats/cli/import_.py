"""``click-stats import``: foreign logs to a trial table, with an account of what became of every row."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

HELP = """Foreign logs to one trial table.

Reads FILES and says what became of every row.

Example: click-stats import results/*.csv -o trials.parquet
"""


def command(
    files: o.Files,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write: .parquet, .csv or .jsonl.", show_default=False),
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    items: o.Items = None,
    items_from: o.ItemsFrom = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    runs: o.Runs = None,
    format: o.Format = None,  # noqa: A002 -- the name of the option
    columns: o.Columns = None,
    reparse: o.Reparse = None,
    filter: o.Filter = None,  # noqa: A002 -- the name of the option
    drop_hidden_options: o.DropHidden = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.read_trials`, write the table and print the account."""
    with progress(quiet=quiet) as show:
        tables = o.read_tables(
            files,
            items=items,
            items_from=items_from,
            errata=errata,
            benchmark=benchmark,
            models=None,
            runs=runs,
            format=format,
            columns=columns,
            reparse=reparse,
            filter=filter,
            drop_hidden_options=drop_hidden_options,
            progress=show,
        )
        if out is not None:
            tables.trials.write(out, force=force)
    account = tables.trials.account
    if as_json:
        typer.echo(account.to_json(), nl=False)
        return
    for name in ("sources", "dropped", "statuses", "duplicates", "gold", "reparsed"):
        if name in account.tables and len(account.tables[name]):
            typer.echo(account.to_text(name, lang=lang))
    for warning in account.meta.get("warnings", ()):
        note(f"note: {warning}", quiet=quiet)
    if out is not None:
        note(f"Written: {out}", quiet=quiet)
