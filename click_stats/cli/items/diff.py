"""``click-stats items diff``: what another revision of the items changed."""

from __future__ import annotations

from typing import Annotated

import typer

from click_stats import api
from click_stats.cli import options as o

HELP = """What another revision of the items changed.

Names the items that were added or removed, and those whose key, category, texts or options differ.

Example: click-stats items diff CLIcK-old/ CLIcK-new/
"""


def command(
    old: Annotated[str, typer.Argument(help="Items before: a folder, a table, or 'packaged' for CLIcK's own keys.")],
    new: Annotated[str, typer.Argument(help="Items after.")],
    *,
    with_texts: Annotated[
        bool, typer.Option("--with-texts", help="Show the texts that differ: not for publication without a licence.")
    ] = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    benchmark: o.Benchmark = None,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.diff_items`, and print what differs."""
    tables = [api.read_items(None if path == "packaged" else path, definition=benchmark) for path in (old, new)]
    found = api.diff_items(*tables, with_texts=with_texts)
    if as_json:
        typer.echo(found.to_json(), nl=False)
        return
    if not len(found.tables["changes"]):
        typer.echo(f"No item differs: {len(tables[0]):,} items, digest {tables[0].digest}.")
        return
    for name in ("aspects", "changes"):
        typer.echo(found.to_text(name, lang=lang))
