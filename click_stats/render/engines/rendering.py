"""Renders a project folder: each file appears whole, checked, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import RenderError
from click_stats.render.engines.base import SOURCE, Rendered, choose, known_formats
from click_stats.render.engines.checks import check
from click_stats.render.engines.process import disk_full

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SCRATCH = ".rendering-"


def render_project(
    folder: str | Path,
    formats: Sequence[str],
    *,
    engine: str = "auto",
    timeout: float = 120,
    progress: Callable[[str], None] | None = None,
) -> list[Rendered]:
    """Render ``report.qmd`` in ``folder`` to ``report.html``, ``report.pdf``, ``report.docx`` beside it.

    Parameters
    ----------
    folder
        A project folder: ``report.qmd``, ``_quarto.yml``, ``figures/``, ``references.bib``.
    formats
        Any of ``html``, ``pdf``, ``docx``.
    engine
        ``auto``, ``quarto`` or ``builtin``; see :func:`click_stats.render.engines.base.choose`.
    timeout
        Seconds allowed for each format.
    progress
        Called with one line when the engine is chosen and before each format.

    Returns
    -------
    list of Rendered
        In the order html, pdf, docx.

    Raises
    ------
    RenderError
        The report is wrong (an unresolved reference, a missing picture or font), the engine failed, or the folder
        cannot be written. Files finished before stay; the one that failed is not there, or is the old one.
    MissingDependencyError
        Neither Quarto nor the ``report`` extra is installed.
    UsageError
        Unknown format or engine.
    """
    folder = Path(folder).resolve()  # the engines run inside it
    wanted = known_formats(formats)
    say = progress or (lambda _line: None)
    text = _source(folder)
    choice = choose(engine)
    say(choice.reason)
    done: list[Rendered] = []
    for fmt in wanted:
        say(f"rendering {fmt}")
        start = time.perf_counter()
        final = folder / f"report.{fmt}"
        with scratch(folder) as place:
            target = place / final.name
            notes = choice.engine.render(folder, fmt, target, timeout=timeout)
            notes += check(target, fmt, text=text)
            os.replace(target, final)  # noqa: PTH105 (the atomic call, by its name)
        seconds = time.perf_counter() - start
        done.append(Rendered(final, fmt, choice.engine.name, seconds, tuple(notes)))
    return done


def _source(folder: Path) -> str:
    try:
        return (folder / SOURCE).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise RenderError(
            "There is no report to render.", found=f"no {SOURCE} in {folder}", do="Write the report first."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise RenderError("The report's source cannot be read.", found=f"{SOURCE}: {error}") from error


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """Give a folder inside ``folder`` for half-finished files; it is removed whatever happens.

    Inside, so that the last step is a rename on one disk.

    Raises
    ------
    RenderError
        The folder cannot be written, or the disk is full.
    """
    place: Path | None = None
    try:
        place = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=folder))
        yield place
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise disk_full(folder) from error
        if isinstance(error, PermissionError) or error.errno in {errno.EROFS, errno.EACCES}:
            raise RenderError(
                "The report's folder cannot be written.",
                found=str(error.filename or folder),
                do="Give a folder where you may write; close the file if another program has it open.",
            ) from error
        raise
    finally:
        if place is not None:
            shutil.rmtree(place, ignore_errors=True)
