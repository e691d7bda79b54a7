"""``click-stats items check``: read the items and say what looks wrong."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o


def command(
    *,
    items: o.Items = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    as_json: o.Json = False,
) -> None:
    """Read the items, check them, and print their groups and what looks wrong."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    groups = table.groups_result()
    if as_json:
        facts = {"benchmark": table.definition.name, "n_items": len(table), "digest": table.digest}
        if errata is not None:
            facts["errata"] = table.errata_digest
        typer.echo(json.dumps({**facts, "warnings": list(table.warnings), **groups.to_dict()}, ensure_ascii=False))
        return
    texts = "with texts" if table.has_text else "keys only, no texts"
    typer.echo(f"{table.definition.name}: {len(table):,} items, {texts}, digest {table.digest}")
    typer.echo(groups.to_text("groups", lang=lang, columns=["by", "group", "n_items", "n_clusters", "chance"]))
    for warning in table.warnings:
        typer.echo(f"warning: {warning}")
