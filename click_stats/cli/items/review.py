"""``click-stats items review``: people read items without knowing which are suspects."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

if TYPE_CHECKING:
    from click_stats.trials import Trials

EXPORT = """A blind packet for reviewers.

Suspects (items that the item analysis flags) are mixed with items that it does not flag; reviewers see texts, but
neither keys nor answers of models. Contains the benchmark's texts: not for publication.

Example: click-stats items review export results/*.csv --items CLIcK/ --seed 1 --lang ko -o packet
"""
IMPORT = """What reviewers found: agreement, error rates, items to adjudicate, a draft of errata.

Give the packet's folder and the file of every reviewer; in a second round also the adjudication.csv, filled in.

Example: click-stats items review import packet one.csv two.csv --items CLIcK/ -o review
"""

NUMBERS = ("estimate", "conf_low", "conf_high", "n_defective", "n_items", "n_items_total", "n_open", "reason")
SHOWN = {
    "estimates": ("stratum", "defect", *NUMBERS),
    "rules": ("flag_rule", "defect", *NUMBERS),
    "codes": None,
    "agreement": ("rated", "measure", "estimate", "conf_low", "conf_high", "agreement_observed", "n_items", "reason"),
}
"""Tables that are printed, and their columns; None: all."""

app = typer.Typer(help="Have people read items, blind: export a packet, import what they found.", no_args_is_help=True)


@app.command("export", help=EXPORT)
def export(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Result files, or one results.json (or its folder) with an item analysis.", show_default=False
        ),
    ],
    *,
    items: o.Items = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder to write.")] = Path("packet"),
    suspects: Annotated[int, typer.Option("--suspects", min=0, help="Number of flagged items, drawn at random.")] = 50,
    good: Annotated[int, typer.Option("--good", min=0, help="Number of other items, drawn at random.")] = 50,
    reviewers: Annotated[int, typer.Option("--reviewers", help="Number of reviewers.")] = 2,
    flag: Annotated[
        list[str] | None,
        typer.Option("--flag", help="Flag that makes a suspect; may be repeated. Default: all.", show_default=False),
    ] = None,
    shuffle: Annotated[
        bool, typer.Option("--shuffle", help="Show the options in an order of its own to each reviewer.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of all draws.")] = 0,
    lang: Annotated[str, typer.Option("--lang", help="Language of the forms: en or ko.")] = "en",
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    models: o.Models = None,
    format: o.Format = None,  # noqa: A002 -- the name of the option
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Parse and call :func:`click_stats.api.export_review`."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    table.require_text()
    source: Path | Trials = files[0]
    if not api.holds_results(files):
        with progress(quiet=quiet) as show:
            source = api.read_trials(files, table, format=format, progress=show)
    packet = api.export_review(
        source,
        table,
        models=None if models is None else api.read_models(models),
        out=out,
        suspects=suspects,
        good=good,
        reviewers=reviewers,
        flags=flag or (),
        shuffle=shuffle,
        seed=seed,
        lang=lang,
        force=force,
    )
    typer.echo(out)
    drawn = sum(entry.stratum == "flagged" for entry in packet.entries)
    note(
        f"{drawn} of {packet.n_flagged:,} flagged and {len(packet.entries) - drawn} of {packet.n_not_flagged:,} other "
        f"items. Send each reviewer one folder; {out / 'private'} stays with you. Contains texts of "
        f"{packet.benchmark}: not for publication.",
        quiet=quiet,
    )


@app.command("import", help=IMPORT)
def import_(
    packet: Annotated[Path, typer.Argument(help="Folder of the packet.", show_default=False)],
    files: Annotated[list[Path], typer.Argument(help="Filled files, one of each reviewer.", show_default=False)],
    *,
    items: o.Items = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder to write; nothing when left out.", show_default=False)
    ] = None,
    level: o.Level = None,
    draws: o.Draws = None,
    errata: o.Errata = None,
    benchmark: o.Benchmark = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
    force: o.Force = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.import_review`, and print its tables."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    found = api.import_review(packet, files, table, out=out, force=force, **o.parameters(level=level, draws=draws))
    result = found.result
    if as_json:
        typer.echo(result.to_json(), nl=False)
    else:
        for name, columns in SHOWN.items():
            if len(result.tables[name]):
                typer.echo(result.to_text(name, lang=lang, columns=columns))
    for warning in result.meta["warnings"]:
        note(f"note: {warning}", quiet=quiet)
    if out is not None:
        parts = (("adjudication.csv", found.adjudication), ("errata-draft.toml", found.errata))
        written = ", ".join(name for name, text in parts if text)
        note(f"Written to {out}{f': {written}' if written else ''}.", quiet=quiet)
        if found.adjudication and table.has_text:
            note(f"adjudication.csv contains texts of {table.definition.name}: not for publication.", quiet=quiet)
