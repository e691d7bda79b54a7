"""``click-stats backends``: the models there are declarations of, and what each lacks here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

HELP = """Models that can be asked.

Lists the backends, with what is installed and what is missing here.
"""


def command(
    names: Annotated[
        list[str] | None, typer.Argument(help="Only these, with their remarks.", show_default=False)
    ] = None,
    *,
    content: o.Content = None,
    as_json: o.Json = False,
) -> None:
    """Call :func:`click_stats.api.backends` and print a line each."""
    found = api.backends(content or ())
    if names:
        known = {entry.name for entry in found}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise UsageError(
                f"There is no backend {unknown[0]!r}.", found=", ".join(sorted(known)), do="Use one of these names."
            )
        found = [entry for entry in found if entry.name in names]
    if as_json:
        typer.echo(json.dumps([entry.as_dict() for entry in found], ensure_ascii=False))
        return
    rows = [
        (
            "ready" if entry.ready else "lacks",
            entry.name,
            entry.adapter,
            entry.model or entry.address or "-",
            "-" if entry.parameters is None else f"{entry.parameters:g}",
            ", ".join(entry.missing) or "-",
        )
        for entry in found
    ]
    typer.echo("\n".join(_table([("", "backend", "adapter", "model", "billion", "missing here"), *rows])))
    remedies = list(dict.fromkeys(entry.remedy for entry in found if entry.remedy))
    for remedy in remedies:
        typer.echo(f"to do: {remedy}")
    for entry in found if names else ():
        if entry.note:
            typer.echo(f"note: {entry.name}: {entry.note}")


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
