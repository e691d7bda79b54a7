"""The application: its commands, and the exit codes and messages of everything that can go wrong."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from click_stats import __version__
from click_stats.cli import analyze, backends, compare, doctor, explore, export, import_, items, plan, report, run
from click_stats.errors import EXIT_DATA, EXIT_INTERRUPTED, EXIT_USAGE, ClickStatsError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Interrupted(Exception):  # noqa: N818 -- not an error: a person stopped us
    """Ctrl-C, kept from Typer, which would end the program without a word."""


class Commands(TyperGroup):
    """The commands; tells an interruption from an exit code that a command chose."""

    def invoke(self, ctx: Any) -> Any:
        """Invoke the command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise Interrupted from error
        except RuntimeError as error:
            if str(error) == QUERY_INTERRUPTED:
                raise Interrupted from error
            raise


QUERY_INTERRUPTED = "Query interrupted"
"""What DuckDB makes of a Ctrl-C during a query."""
NO_SPACE = "No space left on device"

app = typer.Typer(
    name="click-stats",
    cls=Commands,
    help="How sure a benchmark score is, which differences are real, and which questions are broken.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("report", help=report.HELP)(report.command)
app.command("analyze", help=analyze.HELP)(analyze.command)
app.command("compare", help=compare.HELP)(compare.command)
app.command("explore", help=explore.HELP)(explore.command)
app.command("import", help=import_.HELP)(import_.command)
app.command("export", help=export.HELP)(export.command)
app.add_typer(items.app, name="items")
app.command("backends", help=backends.HELP)(backends.command)
app.command("plan", help=plan.HELP)(plan.command)
app.command("run", help=run.HELP)(run.command)
app.command("doctor", help=doctor.HELP)(doctor.command)


@app.callback()
def options(
    *,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error (anywhere on the line).")
    ] = False,
) -> None:
    """Take the options that stand before a command; ``--debug`` was taken by :func:`main` already."""
    del debug
    if version:
        typer.echo(__version__)
        raise typer.Exit


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: 0 done, 1 data or render wrong, 2 usage, 3 dependency missing, 130 interrupted."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    if words == ["--version"]:
        sys.stdout.write(f"{__version__}\n")
        sys.exit(0)
    try:
        code = app(words, standalone_mode=False)
    except ClickStatsError as error:
        _fail(str(error), error.exit_code, debug=debug)
    except (typer.Abort, Interrupted, KeyboardInterrupt):
        _fail("Interrupted: nothing was written.", EXIT_INTERRUPTED, debug=debug)
    except TyperException as error:
        if debug:
            raise
        show = getattr(error, "show", None)  # writes the usage line and a hint to stderr
        if show is None:
            sys.stderr.write(f"click-stats: {error}\n")
        else:
            show()
        sys.exit(EXIT_USAGE)
    except BrokenPipeError:
        # The reader of our output (head, less) has gone: not an error of ours, and nothing more can be said.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except MemoryError:
        _fail("The memory does not suffice.\n  to do: fewer --draws, or a larger machine.", EXIT_DATA, debug=debug)
    except Exception as error:  # noqa: BLE001 -- the last resort: a person never sees a traceback unasked
        if NO_SPACE in str(error) or getattr(error, "errno", None) == errno.ENOSPC:
            # Not where we write a report, which says more: the folder of temporary files, or a redirected output.
            do = "Make room, or set TMPDIR to a folder on another disk."
            _fail(f"A disk is full.\n  found: {error}\n  to do: {do}", EXIT_DATA, debug=debug)
        message = f"Something failed that should not: {type(error).__name__}: {error}"
        _fail(f"{message}\n  to do: run again with --debug and report what it prints.", EXIT_DATA, debug=debug)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str, code: int, *, debug: bool) -> None:
    if debug:
        raise  # noqa: PLE0704 -- called inside an except block only
    sys.stderr.write(f"click-stats: {message}\n")
    sys.exit(code)
