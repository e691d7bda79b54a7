"""``click-stats compare``: a quick answer in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note, progress

if TYPE_CHECKING:
    from click_stats.results import Result

HELP = """Which models differ, in the terminal.

Prints accuracies, then differences to a reference.

Example: click-stats compare results/*.csv --reference gpt-4o --by category
"""

ACCURACY_COLUMNS = ("unit", "group", "estimate", "conf_low", "conf_high", "n_items", "coverage")
PAIR_COLUMNS = ("unit_a", "unit_b", "group", "estimate", "conf_low", "conf_high", "p_adjusted", "verdict")


def command(
    files: o.Files,
    *,
    by: Annotated[
        str, typer.Option("--by", help="overall, domain, category, an item column, or a crossing 'a x b'.")
    ] = "overall",
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="Every pair, not only pairs with the reference.")
    ] = False,
    lang: Annotated[str, typer.Option("--lang", help="Language of the headings: en or ko.")] = "en",
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
    denominator: o.Denominator = None,
    margin: o.Margin = None,
    draws: o.Draws = None,
    seed: o.Seed = None,
    pairwise_items: o.PairwiseItems = False,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.compare`, and print two tables; of one model the first only."""
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
        shared = o.parameters(level=level, denominator=denominator)
        found = api.compare(
            tables.trials,
            tables.items,
            models=tables.models,
            by=by,
            **shared,
            **o.parameters(reference=reference, margin=margin, draws=draws, seed=seed, pairwise_items=pairwise_items),
        )
        if as_json:
            typer.echo(found.to_json(), nl=False)
            return
        scores = api.accuracy(tables.trials, tables.items, models=tables.models, by=by, **shared)
    typer.echo(scores.to_text(lang=lang, columns=ACCURACY_COLUMNS))
    pairs = "estimates" if all_pairs else "reference"
    if len(found.tables[pairs]):
        typer.echo(found.to_text(pairs, lang=lang, columns=PAIR_COLUMNS))
        note(_how(scores, found, pairs), quiet=quiet)
    warnings = [*tables.trials.account.meta.get("warnings", ()), *found.meta.get("warnings", ())]
    for warning in dict.fromkeys(warnings):  # analyses hand on those of the data
        note(f"note: {warning}", quiet=quiet)


def _how(scores: Result, found: Result, pairs: str) -> str:
    """Say in a line how the numbers came about: level, methods, family of tests, reference."""
    methods = ", ".join(dict.fromkeys(scores.to_frame()["method"]))
    family = found.tables[pairs]["test_family"].iloc[0]
    families = found.to_frame("families").set_index("test_family")
    tests = families.loc[[family], "n_estimable"].iloc[0]
    return (
        f"{scores.meta['level']:.0%} intervals: {methods}; of differences: paired, per comparison. "
        f"p (adjusted): by step-down max-T over {tests} tests ({family}). "
        f"Reference: {found.meta['reference']} ({found.meta['reference_chosen']})."
    )
