"""Options that several commands share, and reading the three tables that they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from click_stats import api
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click_stats.items import ItemTable
    from click_stats.models import ModelTable
    from click_stats.trials import Trials

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Result files, trial tables, run folders, logs of harnesses, or folders of these.", show_default=False
    ),
]
Items = Annotated[
    str | None,
    typer.Option(
        "--items",
        envvar="CLICK_STATS_ITEMS",
        help="Items: the dataset's folder, one table (JSON, JSONL, CSV, parquet) or a Hugging Face id. "
        "Default: the packaged keys of CLIcK.",
        show_default=False,
    ),
]
ItemsFrom = Annotated[
    Path | None,
    typer.Option(
        "--items-from",
        help="File that chooses items: one key a line, or a CSV file with a column item. Only these count.",
        show_default=False,
    ),
]
Errata = Annotated[
    Path | None,
    typer.Option("--errata", help="TOML file of corrections to lay over the items before scoring.", show_default=False),
]
Benchmark = Annotated[
    Path | None,
    typer.Option("--benchmark", help="TOML file that defines another benchmark.", show_default=False),
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        help="CSV file with facts of the models: selects, orders and, in reports, names them.",
        show_default=False,
    ),
]
Runs = Annotated[
    Path | None,
    typer.Option("--runs", help="CSV file with facts of the runs (prompt, order, shots, ...).", show_default=False),
]
Format = Annotated[
    str | None,
    typer.Option("--format", help="Format of the files; found by looking when left out.", show_default=False),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        help="OURS=THEIRS: a column of a long table, e.g. id=question; may be repeated.",
        show_default=False,
    ),
]
Reparse = Annotated[
    str | None,
    typer.Option(
        "--reparse",
        help="Read the answers again from the responses in the files, by the policy paper or lenient.",
        show_default=False,
    ),
]
Filter = Annotated[
    str | None,
    typer.Option(
        "--filter",
        help="Filter (lm-evaluation-harness) or scorer (Inspect) whose answers count, where a log has several.",
        show_default=False,
    ),
]
DropHidden = Annotated[
    bool,
    typer.Option(
        "--drop-hidden-options",
        help="Leave out answers to prompts that did not show every option (click tasks of lm-evaluation-harness).",
    ),
]
Reference = Annotated[
    str | None,
    typer.Option("--reference", help="Model to compare with; default: the most accurate.", show_default=False),
]
Level = Annotated[
    float | None, typer.Option("--level", help="Confidence level of the intervals (0.95).", show_default=False)
]
Interval = Annotated[
    str | None,
    typer.Option(
        "--interval",
        help="wilson (clustered, default), wilson-plain, t, percentile, bca or studentised.",
        show_default=False,
    ),
]
Denominator = Annotated[
    str | None,
    typer.Option("--denominator", help="responded (default), planned or in_option.", show_default=False),
]
Margin = Annotated[
    float | None,
    typer.Option("--margin", help="Margin of equivalence as a share, e.g. 0.02 for 2 points.", show_default=False),
]
Draws = Annotated[
    int | None, typer.Option("--draws", help="Random draws of bootstrap and max-T (10000).", show_default=False)
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of all random draws.", show_default=False)]
PairwiseItems = Annotated[
    bool,
    typer.Option("--pairwise-items", help="Compare each pair on its own common items, not on those of all models."),
]
Also = Annotated[
    list[str] | None,
    typer.Option("--also", help="Analysis to run besides those of the study, e.g. bayes; may be repeated."),
]
SameProtocol = Annotated[
    bool, typer.Option("--same-protocol", help="Refuse to compare models whose stated protocols differ.")
]
WithTexts = Annotated[
    bool,
    typer.Option(
        "--with-texts",
        help="Show texts of items where they are discussed (needs --items with texts); not for publication.",
    ),
]
Setting = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="NAME=VALUE: any other parameter of the analyses, e.g. target=fixed; a wrong name prints the right ones.",
        show_default=False,
    ),
]
Content = Annotated[
    list[Path] | None,
    typer.Option(
        "--content",
        envvar="CLICK_STATS_CONTENT",
        help="Folder with analyses/, backends/, protocols/ or reports/ of your own, searched first.",
        show_default=False,
    ),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        help="Protocol: paper (default), three-rotations, single, choices-only, question-only, or a TOML file's name.",
        show_default=False,
    ),
]
Replicates = Annotated[
    int | None,
    typer.Option("--replicates", min=1, help="How often each prompt is asked.", show_default=False),
]
Force = Annotated[bool, typer.Option("--force", help="Replace what an earlier run left in the output folder.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no notes on stderr.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


class Tables(NamedTuple):
    """The three tables of a call."""

    trials: Trials
    items: ItemTable
    models: ModelTable | None


def read_tables(
    files: Sequence[Path],
    *,
    items: str | None,
    items_from: Path | None,
    errata: Path | None,
    benchmark: Path | None,
    models: Path | None,
    runs: Path | None,
    format: str | None,  # noqa: A002 -- the name of the option
    columns: Sequence[str] | None,
    reparse: str | None,
    filter: str | None,  # noqa: A002 -- the name of the option
    drop_hidden_options: bool,
    progress: Callable[[int, int, str], None] | None,
) -> Tables:
    """Read items, trials and models as the options say."""
    table = api.read_items(items, definition=benchmark, errata=errata)
    trials = api.read_trials(
        list(files),
        table,
        format=format,
        columns=dict(pair(entry, "--columns") for entry in columns or ()) or None,
        runs=runs,
        reparse=reparse,
        filter=filter,
        drop_hidden_options=drop_hidden_options,
        only=None if items_from is None else api.read_keys(items_from),
        progress=progress,
    )
    return Tables(trials, trials.items, None if models is None else api.read_models(models))


def parameters(
    *,
    reference: str | None = None,
    level: float | None = None,
    interval: str | None = None,
    denominator: str | None = None,
    margin: float | None = None,
    draws: int | None = None,
    seed: int | None = None,
    pairwise_items: bool = False,
    with_texts: bool = False,
    setting: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the parameters of the analyses that were given; what was not given keeps the study's value."""
    given: dict[str, Any] = {
        "reference": reference,
        "level": level,
        "interval": interval,
        "denominator": denominator,
        "margin": margin,
        "draws": draws,
        "seed": seed,
        "pairwise_items": pairwise_items or None,
        "with_texts": with_texts or None,
    }
    given |= dict(pair(entry, "--set") for entry in setting or ())
    return {name: value for name, value in given.items() if value is not None}


def pair(entry: str, option: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, sign, value = entry.partition("=")
    if not (name and sign and value):
        raise UsageError(f"{option} needs NAME=VALUE.", found=entry, do=f"Write for example {option} name=value.")
    return name.strip(), value.strip()
