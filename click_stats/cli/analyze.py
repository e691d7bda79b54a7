"""``click-stats analyze``: files to tables."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

HELP = """Files to tables, as JSON and CSV.

Runs the study NAME, or the one analysis NAME, on FILES and writes results.json, one CSV per table, and a manifest.

Example: click-stats analyze audit results/*.csv -o results
"""


def command(
    name: Annotated[
        str, typer.Argument(help="Name of a study (audit, replication, items) or of one analysis, e.g. irt.")
    ],
    files: o.Files,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write; not needed with --json.", show_default=False)
    ] = None,
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
    reference: o.Reference = None,
    level: o.Level = None,
    interval: o.Interval = None,
    denominator: o.Denominator = None,
    margin: o.Margin = None,
    draws: o.Draws = None,
    seed: o.Seed = None,
    pairwise_items: o.PairwiseItems = False,
    also: o.Also = None,
    same_protocol: o.SameProtocol = False,
    with_texts: o.WithTexts = False,
    setting: o.Setting = None,
    content: o.Content = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.analyze`, and say where the tables are."""
    if out is None and not as_json:
        raise typer.BadParameter("give a folder with -o, or --json to print the results", param_hint="--out")
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
        results = api.analyze(
            name,
            tables.trials,
            tables.items,
            models=tables.models,
            out=out,
            also=also or (),
            same_protocol=same_protocol,
            force=force,
            command=["click-stats", *sys.argv[1:]],
            content=content or (),
            progress=show,
            **o.parameters(
                reference=reference,
                level=level,
                interval=interval,
                denominator=denominator,
                margin=margin,
                draws=draws,
                seed=seed,
                pairwise_items=pairwise_items,
                with_texts=with_texts,
                setting=setting,
            ),
        )
    for warning in results["account"].meta["warnings"]:
        note(f"note: {warning}", quiet=quiet)
    for analysis, result in results.results.items():
        if result.meta.get("reason"):
            note(f"{analysis} stepped aside. {result.meta['reason']}", quiet=quiet)
    if as_json:
        typer.echo(results.to_json(), nl=False)
    if out is not None:
        note(
            f"results.json and {sum(len(r.tables) for r in results.results.values())} tables are in {out}.", quiet=quiet
        )
