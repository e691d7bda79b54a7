"""Progress on stderr: a bar where a person looks at a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def progress(*, quiet: bool) -> Iterator[Callable[[int, int, str], None] | None]:
    """Give a callback ``(done, total, what)`` that draws a bar, or None when nobody is looking."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task("", total=None)

        def show(done: int, total: int, what: str) -> None:
            bars.update(task, completed=done, total=total, description=what)

        yield show


def note(text: str, *, quiet: bool) -> None:
    """Write a remark for the person at the terminal to stderr."""
    if not quiet:
        sys.stderr.write(f"{text}\n")
