"""Finds the shared pieces of reports: the project's own copy first, then the packaged one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.content import roots
from click_stats.errors import RenderError
from click_stats.render.engines.base import SHARED

if TYPE_CHECKING:
    from pathlib import Path

PROJECT_FILES = ("pages.lua", "preamble.typ", "quarto.css", "reference.docx", "references.csl", "tables.lua")
"""What a project needs for ``quarto render``; the built-in engine takes its other pieces from the package."""


def packaged(name: str) -> Path:
    """Return the path of the shared file ``name`` that ships with click-stats.

    Raises
    ------
    RenderError
        The installation lacks it.
    """
    for root in roots():
        path = root / "reports" / SHARED / name
        if path.is_file():
            return path
    raise RenderError(
        "A shared piece of the reports is absent.", found=name, do="Install click-stats again: it is incomplete."
    )


def asset(folder: Path, name: str) -> Path:
    """Return the shared file ``name``: the copy in ``folder``, which a user may have changed, else the packaged one."""
    own = folder / SHARED / name
    return own if own.is_file() else packaged(name)
