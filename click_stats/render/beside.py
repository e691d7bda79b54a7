"""What stands in a report's folder beside the report: declared in its ``report.toml``."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from click_stats.errors import RenderError
from click_stats.render import explorer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click_stats.results import ResultSet

PAGES: Mapping[str, tuple[str, Callable[..., Path]]] = {"explorer": (explorer.FILE, explorer.write)}
"""By name in ``report.toml``: the file's name, and what writes it from results, path and language."""


class Declaration(BaseModel):
    """What ``report.toml`` may say.

    Attributes
    ----------
    beside
        Pages written beside the report.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    beside: tuple[Literal["explorer"], ...] = ()


def declared(folder: Path) -> dict[str, str]:
    """Return the files that the report in ``folder`` has beside it, by the name of the page; most have none.

    Raises
    ------
    RenderError
        ``report.toml`` is not TOML of the right form.
    """
    path = folder / "report.toml"
    if not path.is_file():
        return {}
    try:
        told = Declaration.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise RenderError(
            f"The declaration of the report {folder.name!r} has a wrong form.",
            found=f"{path.name}: {error}",
            do=f"It may hold: beside = {list(PAGES)}",
        ) from error
    return {name: PAGES[name][0] for name in told.beside}


def write(pages: Sequence[str], results: ResultSet, out: Path, *, lang: str) -> list[Path]:
    """Write the pages into the folder ``out`` and return their paths."""
    return [PAGES[name][1](results, out / PAGES[name][0], lang=lang) for name in pages]
