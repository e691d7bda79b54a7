"""What an engine is, and which one renders: the Quarto CLI when it is there, else pandoc and typst."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, get_args

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Format = Literal["html", "pdf", "docx"]
FORMATS: tuple[Format, ...] = get_args(Format)
EngineName = Literal["auto", "quarto", "builtin"]

SOURCE = "report.qmd"
SHARED = "_shared"
"""Folder of a project with the style sheets, filters and reference documents of both engines."""


@dataclass(frozen=True)
class Rendered:
    """One finished file.

    Attributes
    ----------
    path
        Where it is.
    format
        ``html``, ``pdf`` or ``docx``.
    engine
        Name and version of the engine, such as ``built-in engine (pandoc 3.9)`` or ``Quarto 1.6.40``.
    seconds
        Wall time of the rendering.
    notes
        What a reader of the file should know: what was left out, what was replaced.
    """

    path: Path
    format: Format
    engine: str
    seconds: float
    notes: tuple[str, ...] = field(default=())


class Engine(Protocol):
    """Turns a finished project folder into one file."""

    @property
    def name(self) -> str:
        """Name and version, for people."""

    def render(self, folder: Path, fmt: Format, target: Path, *, timeout: float) -> list[str]:
        """Write ``target`` and return notes.

        ``folder`` holds ``report.qmd`` and is left as it was; ``target`` lies in a scratch folder inside it.

        Raises
        ------
        RenderError
            The report is wrong, or the engine failed.
        MissingDependencyError
            The engine lacks a part.
        """


@dataclass(frozen=True)
class Choice:
    """The engine chosen and one line saying which and why."""

    engine: Engine
    reason: str


def known_formats(formats: Sequence[str]) -> list[Format]:
    """Return ``formats`` without repeats, in the order html, pdf, docx.

    Raises
    ------
    UsageError
        A name is not one of them, or there is none.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown or not formats:
        raise UsageError(
            "A report can be rendered to html, pdf and docx.",
            found=", ".join(unknown) or "no format",
            do="Name one or more of html, pdf, docx.",
        )
    return [name for name in FORMATS if name in formats]


def choose(engine: str = "auto") -> Choice:
    """Return the engine to use.

    Parameters
    ----------
    engine
        ``quarto``, ``builtin``, or ``auto``: Quarto (``QUARTO_PATH``, then ``PATH``) when its version is at
        least 1.4, which brought typst; else the built-in engine.

    Raises
    ------
    MissingDependencyError
        The engine asked for is not there.
    UsageError
        There is no engine of that name.
    """
    # Imported here: each engine imports this module.
    from click_stats.render.engines.builtin import Builtin  # noqa: PLC0415
    from click_stats.render.engines.quarto import look_for_quarto  # noqa: PLC0415

    if engine == "builtin":
        return Choice(Builtin.found(), "built-in engine: asked for")
    if engine not in {"auto", "quarto"}:
        raise UsageError("There is no such engine.", found=engine, do="Use auto, quarto or builtin.")
    quarto, why = look_for_quarto(required=engine == "quarto")
    if quarto is not None:
        return Choice(quarto, f"{quarto.name}: {'asked for' if engine == 'quarto' else why}")
    return Choice(Builtin.found(), f"built-in engine: {why}")
