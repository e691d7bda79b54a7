"""``click-stats report``: files to a report that can be published."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

HELP = """Files to a report: HTML, PDF, docx.

Runs the study NAME on FILES and writes the report of that name.

Example: click-stats report audit results/*.csv -o out --to html,pdf,docx --lang ko
"""


def command(
    name: Annotated[str, typer.Argument(help="Name of the report: audit, replication, items, or one of your own.")],
    files: o.Files,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")],
    to: Annotated[
        str,
        typer.Option(
            "--to", help="Formats, separated by commas: html, pdf, docx; empty writes the Quarto project only."
        ),
    ] = "html",
    lang: Annotated[str, typer.Option("--lang", help="Language: en or ko.")] = "en",
    engine: Annotated[str, typer.Option("--engine", help="auto, quarto or builtin.")] = "auto",
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
    """Parse, call :func:`click_stats.api.report`, and say where the files are."""
    remarks: list[str] = []
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
        paths = api.report(
            name,
            tables.trials,
            tables.items,
            out=out,
            to=[word.strip() for word in to.split(",") if word.strip()],
            lang=lang,
            models=tables.models,
            engine=engine,
            also=also or (),
            same_protocol=same_protocol,
            force=force,
            command=["click-stats", *sys.argv[1:]],
            content=content or (),
            progress=show,
            remark=remarks.append,
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
    for line in remarks:
        note(line, quiet=quiet)
    if as_json:
        typer.echo(json.dumps({"files": [str(path) for path in paths]}, ensure_ascii=False))
        return
    for path in paths:
        typer.echo(str(path))
    note(f"Tables, figures and results.json are in {out}.", quiet=quiet)
