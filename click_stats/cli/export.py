"""``click-stats export``: answers and items for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

HELP = """Answers and items for other programs.

FORMAT is py-irt (JSON lines), wide (CSV for mirt and TAM), items (CSV, with parameters of an item response model where
given) or every-eval-ever (JSON lines, one record per trial).

Example: click-stats export wide results/*.csv -o responses.csv
"""


def command(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="py-irt, wide, items or every-eval-ever.")],
    files: o.Files,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write.", show_default=False)],
    parameters: Annotated[
        Path | None,
        typer.Option(
            "--parameters", help="items: results.json of the analysis irt, or a CSV file.", show_default=False
        ),
    ] = None,
    majority: Annotated[
        bool, typer.Option("--majority", help="py-irt: several trials of an item become one answer.")
    ] = False,
    with_texts: Annotated[
        bool,
        typer.Option("--with-texts", help="every-eval-ever: include texts, not for publication without a licence."),
    ] = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
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
    force: o.Force = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.export`, and print the account."""
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
        found = api.export(
            form,
            tables.trials,
            out,
            models=tables.models,
            parameters=parameters,
            majority=majority,
            with_texts=with_texts,
            force=force,
        )
    if as_json:
        typer.echo(found.to_json(), nl=False)
        return
    for name in ("written", "left_out"):
        if len(found.tables[name]):
            typer.echo(found.to_text(name, lang=lang))
    for warning in dict.fromkeys([*tables.trials.account.meta.get("warnings", ()), *found.meta["warnings"]]):
        note(f"note: {warning}", quiet=quiet)
