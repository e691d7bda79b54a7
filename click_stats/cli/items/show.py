"""``click-stats items show``: everything known of one item."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.errors import UsageError


def command(
    key: Annotated[str, typer.Argument(help="Key of an item (Category/id), or an id.")],
    *,
    items: o.Items = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    as_json: o.Json = False,
) -> None:
    """Print everything known of one item; its texts too when --items has them."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    keys = [key] if key in table.frame.index else table.by_id(key)
    if not keys:
        raise UsageError(f"There is no item {key!r}.", do="List the keys with: click-stats items list")
    rows = json.loads(table.frame.loc[keys].reset_index().to_json(orient="records", force_ascii=False))
    for row, item in zip(rows, keys, strict=True):
        row["labels"] = list(table.labels(item))
        row["gold_label"] = row["labels"][row["gold"]]
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        width = max(map(len, row))
        typer.echo("\n".join(f"{name:<{width}}  {value}" for name, value in row.items()) + "\n")
