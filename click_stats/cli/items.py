"""``click-stats items``: check, list and show the items of a benchmark."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.errors import UsageError

app = typer.Typer(help="Check, list and show the items of a benchmark.", no_args_is_help=True)

LIST_COLUMNS = ["category", "source", "n_options", "gold", "cluster", "n_chars", "negated"]


@app.command("check")
def check(
    *,
    items: o.Items = None,
    benchmark: o.Benchmark = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    as_json: o.Json = False,
) -> None:
    """Read the items, check them, and print their groups and what looks wrong."""
    table = api.read_items(items, definition=benchmark)
    groups = table.groups_result()
    if as_json:
        facts = {"benchmark": table.definition.name, "n_items": len(table), "digest": table.digest}
        typer.echo(json.dumps({**facts, "warnings": list(table.warnings), **groups.to_dict()}, ensure_ascii=False))
        return
    texts = "with texts" if table.has_text else "keys only, no texts"
    typer.echo(f"{table.definition.name}: {len(table):,} items, {texts}, digest {table.digest}")
    typer.echo(groups.to_text("groups", lang=lang, columns=["by", "group", "n_items", "n_clusters", "chance"]))
    for warning in table.warnings:
        typer.echo(f"warning: {warning}")


@app.command("list")
def show_list(
    *,
    category: Annotated[str | None, typer.Option("--category", help="Only this category.", show_default=False)] = None,
    source: Annotated[str | None, typer.Option("--source", help="Only this source.", show_default=False)] = None,
    items: o.Items = None,
    benchmark: o.Benchmark = None,
    as_json: o.Json = False,
) -> None:
    """Print one line per item: key, category, source, options, gold (from 0), cluster (as CSV)."""
    table = api.read_items(items, definition=benchmark)
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
        typer.echo(frame[LIST_COLUMNS].reset_index().to_json(orient="records", force_ascii=False))
    else:
        typer.echo(frame[LIST_COLUMNS].to_csv(lineterminator="\n"), nl=False)


@app.command("show")
def show(
    key: Annotated[str, typer.Argument(help="Key of an item (Category/id), or an id.")],
    *,
    items: o.Items = None,
    benchmark: o.Benchmark = None,
    as_json: o.Json = False,
) -> None:
    """Print everything known of one item; its texts too when --items has them."""
    table = api.read_items(items, definition=benchmark)
    keys = [key] if key in table.frame.index else table.by_id(key)
    if not keys:
        raise UsageError(f"There is no item {key!r}.", do="List the keys with: click-stats items list")
    rows = json.loads(table.frame.loc[keys].reset_index().to_json(orient="records", force_ascii=False))
    for row, item in zip(rows, keys, strict=True):
        row["labels"] = list(table.labels(item))
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    for row in rows:
        width = max(map(len, row))
        typer.echo("\n".join(f"{name:<{width}}  {value}" for name, value in row.items()) + "\n")
