"""``click-stats doctor``: what is installed, and what each lack costs."""

from __future__ import annotations

import json

import typer

from click_stats import api
from click_stats.cli import options as o

HELP = """What is installed.

Says which engines, fonts and extras are there, and what each lack costs.
"""


def command(*, as_json: o.Json = False) -> None:
    """Call :func:`click_stats.api.doctor` and print its findings."""
    findings = api.doctor()
    if as_json:
        typer.echo(json.dumps([finding._asdict() for finding in findings], ensure_ascii=False))
        return
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        typer.echo(f"{'ok  ' if finding.found else 'none'} {finding.name:<{width}}  {finding.detail}")
        if not finding.found:
            typer.echo(f"     {'':<{width}}  costs: {finding.cost}")
            typer.echo(f"     {'':<{width}}  to do: {finding.remedy}")
