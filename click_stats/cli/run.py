"""``click-stats run``: ask models; what is stored already is not asked again."""

from __future__ import annotations

import json
import signal
import sys
import threading
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bars

from click_stats import api
from click_stats.cli import options as o
from click_stats.cli.progress import note
from click_stats.cli.settings import parse_settings
from click_stats.errors import EXIT_INTERRUPTED, ClickStatsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from click_stats.items import ItemTable
    from click_stats.results import Result
    from click_stats.running import Progress, RunSummary

HELP = """Ask models, and store every answer.

Asks the questions of a protocol. Run it again to go on after an interruption.

Example: click-stats run gpt-4.1 --items PATH -o runs. To try it with nothing at hand: click-stats run simulate -o runs
"""
ACCURACY_COLUMNS = ("unit", "estimate", "conf_low", "conf_high", "n_items", "coverage", "method")


class Stop:
    """What Ctrl-C sets: first a wish to stop after the requests in hand, then, pressed again, the end."""

    def __init__(self, *, quiet: bool) -> None:
        self.wished = False
        self.quiet = quiet

    def __call__(self) -> bool:
        """Tell whether a stop is wished."""
        return self.wished

    def interrupt(self, *_: object) -> None:
        """Take the signal."""
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True
        note("\nStopping once the requests in hand are answered; Ctrl-C again stops at once.", quiet=self.quiet)


def command(
    backends: Annotated[
        list[str],
        typer.Argument(
            help="Names of backends, or backends written in place: transformers:PATH_OR_ID, openai:MODEL, "
            "anthropic:MODEL, openai_compatible:BASE_URL#MODEL, simulate:NAME.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the runs, one folder each.")],
    protocol: o.Protocol = None,
    replicates: o.Replicates = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            "--set", help="KEY=VALUE: a request setting, e.g. effort=high; names the condition.", show_default=False
        ),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            help="KEY=VALUE: a setting of the adapter, e.g. method=cache, concurrency=8.",
            show_default=False,
        ),
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option("--condition", help="Name of the condition, in place of the settings'.", show_default=False),
    ] = None,
    policy: Annotated[str, typer.Option("--policy", help="How answers are extracted: paper or lenient.")] = "paper",
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Ask this many items only, spread over the benchmark.", show_default=False),
    ] = None,
    items_from: Annotated[
        Path | None,
        typer.Option(
            "--items-from",
            help="Ask the items of this file only: one key a line, or a CSV file with a column item.",
            show_default=False,
        ),
    ] = None,
    items: o.Items = None,
    benchmark: o.Benchmark = None,
    content: o.Content = None,
    quiet: o.Quiet = False,
    as_json: o.Json = False,
) -> None:
    """Parse, call :func:`click_stats.api.run`, and say what became of it."""
    table = api.read_items(items, definition=benchmark)
    only = None if items_from is None else api.read_keys(items_from)
    stop = Stop(quiet=quiet)
    faults: list[ClickStatsError] = []

    def fail(name: str, error: ClickStatsError) -> None:
        faults.append(error)
        sys.stderr.write(f"click-stats: {name}: {error}\n")

    try:
        with interrupts(stop), shown(quiet=quiet) as show:
            summaries = api.run(
                backends,
                table,
                out=out,
                protocol=protocol or "paper",
                replicates=replicates,
                settings=parse_settings(setting or (), "--set"),
                options=parse_settings(option or (), "--option"),
                condition=condition,
                policy=policy,
                limit=limit,
                only=only,
                content=content or (),
                progress=show,
                stop=stop,
                failed=fail if len(backends) > 1 else None,
            )
    except KeyboardInterrupt:
        resume(quiet=quiet)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    scores = accuracies(summaries, table, only)
    if as_json:
        runs = [{**asdict(summary), "folder": str(summary.folder)} for summary in summaries]
        accuracy = None if scores is None else json.loads(scores.to_json())
        typer.echo(json.dumps({"runs": runs, "accuracy": accuracy}, ensure_ascii=False))
    else:
        for summary in summaries:
            typer.echo("\n".join(lines(summary)))
        if scores is not None:
            typer.echo(scores.to_text(columns=ACCURACY_COLUMNS))
    for summary in summaries:
        for remark in summary.notes:
            note(f"note: {summary.folder.name}: {remark}", quiet=quiet)
    if stop.wished and (
        len(summaries) + len(faults) < len(backends) or any(summary.interrupted for summary in summaries)
    ):
        resume(quiet=quiet)
        raise typer.Exit(EXIT_INTERRUPTED)
    if faults:
        raise typer.Exit(faults[0].exit_code)


def resume(*, quiet: bool) -> None:
    """Say how to go on."""
    note("Interrupted: every answer that came is stored. Run the same command again to go on.", quiet=quiet)


@contextmanager
def interrupts(stop: Stop) -> Iterator[None]:
    """Let Ctrl-C set ``stop`` within the block; signals can be taken in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, stop.interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def shown(*, quiet: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Give a callback that draws a bar per backend on stderr, or None when nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[state]}"))
    with Bars(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, Any] = {}

        def show(progress: Progress) -> None:
            if progress.backend not in tasks:
                tasks[progress.backend] = bars.add_task(progress.backend, total=progress.total, state="")
            bars.update(tasks[progress.backend], completed=progress.done, total=progress.total, state=state(progress))

        yield show


def state(progress: Progress) -> str:
    """Return rate, time left, cost and out-of-option rate as far as they are known."""
    parts = []
    if progress.rate:
        parts.append(f"{progress.rate:,.1f}/s")
    if progress.time_left is not None:
        minutes, seconds = divmod(round(progress.time_left), 60)
        hours, minutes = divmod(minutes, 60)
        parts.append(f"{hours}:{minutes:02}:{seconds:02} left")
    if progress.cost is not None:
        parts.append(f"${progress.cost:,.2f}")
    if progress.out_of_option is not None:
        parts.append(f"{progress.out_of_option:.1%} no option")
    if progress.statuses["failed"]:
        parts.append(f"{progress.statuses['failed']:,} failed")
    return ", ".join(parts)


def lines(summary: RunSummary) -> Iterator[str]:
    """Yield what is said of a run at its end."""
    mark = " [simulated: drawn from a stated model]" if summary.simulated else ""
    yield f"{summary.folder}{mark}"
    left = "complete" if summary.complete else f"{summary.total - summary.done:,} to go"
    yield f"  {summary.done:,} of {summary.total:,} trials ({left})"
    yield f"  {summary.asked:,} asked in {summary.seconds:,.1f} s"
    if summary.cost is not None:
        yield f"  cost of this session: {summary.cost:,.2f} US dollars"
    yield "  " + ", ".join(
        f"{status} {n:,}" for status, n in sorted(summary.statuses.items(), key=lambda pair: -pair[1])
    )


def accuracies(summaries: list[RunSummary], items: ItemTable, only: Sequence[str] | None) -> Result | None:
    """Return the accuracy of the runs that have answers, with its clustered interval; None without any.

    ``only``: keys of the items that were to be asked; None for all.
    """
    answered = [summary.folder for summary in summaries if summary.done]
    if not answered:
        return None
    with api.read_trials(answered, items, only=only) as trials:
        return api.accuracy(trials)
