"""``click-stats items list``: one line per item."""

from __future__ import annotations

from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.errors import UsageError

COLUMNS = ["category", "source", "n_options", "gold", "cluster", "n_chars", "negated"]


def command(
    *,
    category: Annotated[str | None, typer.Option("--category", help="Only this category.", show_default=False)] = None,
    source: Annotated[str | None, typer.Option("--source", help="Only this source.", show_default=False)] = None,
    items: o.Items = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    as_json: o.Json = False,
) -> None:
    """Print one line per item: key, category, source, options, gold (from 0), cluster (as CSV)."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    frame = table.frame
    for column, wanted in (("category", category), ("source", source)):
        if wanted is not None:
            known = sorted(frame[column].unique())
            if wanted not in known:
                raise UsageError(
                    f"No item has the {column} {wanted!r}.", found=", ".join(known), do="Use one of these."
                )
            frame = frame[frame[column] == wanted]
    if as_json:
        typer.echo(frame[COLUMNS].reset_index().to_json(orient="records", force_ascii=False))
    else:
        typer.echo(frame[COLUMNS].to_csv(lineterminator="\n"), nl=False)
