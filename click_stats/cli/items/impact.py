"""``click-stats items impact``: what errata do to scores, ranks and verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

if TYPE_CHECKING:
    from click_stats.results import Result

HELP = """What errata do to scores, ranks and verdicts.

Scores FILES by the items before and after ERRATA (a TOML file of corrections), all together and each alone.

Example: click-stats items impact errata.toml results/*.csv
"""

ALL = "all"
SCORES = (
    *("unit", "score_before", "score_after", "change", "se_before", "n_gaining", "n_losing"),
    *("rank_before", "rank_after"),
)


def command(
    errata: Annotated[Path, typer.Argument(help="TOML file of corrections.")],
    files: o.Files,
    *,
    together: Annotated[
        bool, typer.Option("--together", help="Only all errata together: quicker where there are many.")
    ] = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    items: o.Items = None,
    items_from: o.ItemsFrom = None,
    benchmark: o.Benchmark = None,
    models: o.Models = None,
    runs: o.Runs = None,
    format: o.Format = None,  # noqa: A002 -- the name of the option
    columns: o.Columns = None,
    reparse: o.Reparse = None,
    filter: o.Filter = None,  # noqa: A002 -- the name of the option
    drop_hidden_options: o.DropHidden = False,
    denominator: o.Denominator = None,
    draws: o.Draws = None,
    seed: o.Seed = None,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.impact`, and print its tables."""
    corrections = api.read_errata(errata)
    with progress(quiet=quiet) as show:
        tables = o.read_tables(
            files,
            items=items,
            items_from=items_from,
            errata=None,
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
        found = api.impact(
            corrections,
            tables.trials,
            models=tables.models,
            one_by_one=not together,
            progress=show,
            **o.parameters(denominator=denominator, draws=draws, seed=seed),
        )
    if as_json:
        typer.echo(found.to_json(), nl=False)
        return
    whole = _together(found)
    typer.echo(whole.to_text(lang=lang, columns=SCORES))
    for name in ("errata", "verdicts", "items"):
        if len(whole.tables[name]):
            typer.echo(whole.to_text(name, lang=lang))
    note(f"{found.meta['method']}\n{found.meta['uncertainty']}", quiet=quiet)
    for warning in found.meta["warnings"]:
        note(f"note: {warning}", quiet=quiet)


def _together(found: Result) -> Result:
    """Return what is shown: overall scores, and items and verdicts under all errata; the errata each alone too."""
    shown = dict(found.tables)
    for name in ("estimates", "verdicts", "items"):
        frame = shown[name]
        shown[name] = frame[frame["erratum"] == ALL]
    shown["estimates"] = shown["estimates"][shown["estimates"]["by"] == "overall"]
    return type(found)(found.name, shown, found.summary, found.meta)
