"""The Quarto engine: the Quarto CLI on a copy of the project, its messages read with suspicion."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import MissingDependencyError, RenderError
from click_stats.render import fonts
from click_stats.render.engines.base import SHARED, SOURCE
from click_stats.render.engines.document import lang_of, picture_texts
from click_stats.render.engines.docx_finish import finish, stem
from click_stats.render.engines.process import disk_full, run, said_disk_full

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.render.engines.base import Format

WANTED = (1, 4)  # the first with typst
INSTALL = "Install Quarto 1.4 or later (https://quarto.org or pip install quarto-cli), or use engine builtin."
_TO = {"html": "html", "pdf": "typst", "docx": "docx"}
_VERSION_TIMEOUT = 30.0

_UNRESOLVED = re.compile(
    r"Unable to resolve (?:crossref|link|reference)|citation .* not found|Could not fetch resource", re.IGNORECASE
)
_FONT = re.compile(r"unknown font family", re.IGNORECASE)
_WARNING = re.compile(r"^\s*(?:\[?WARN(?:ING)?\]?\b|warning:)", re.IGNORECASE)


@dataclass(frozen=True)
class Quarto:
    """A Quarto program of a version that knows typst."""

    program: str
    version: str

    @property
    def name(self) -> str:
        """Name and version, for people."""
        return f"Quarto {self.version}"

    def render(self, folder: Path, fmt: Format, target: Path, *, timeout: float) -> list[str]:
        """Write ``target``; see :class:`click_stats.render.engines.base.Engine`.

        Quarto leaves folders and intermediate files beside the source, so it works on a copy.
        """
        text = (folder / SOURCE).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="click-stats-") as place:
            copy = Path(place) / "report"
            shutil.copytree(folder, copy, ignore=_not_needed)
            if fmt == "pdf":
                _give_fonts(copy, required=lang_of(text) == "ko")
            argv = [self.program, "render", SOURCE, "--to", _TO[fmt]]
            ended = run(argv, cwd=copy, timeout=timeout, extra_env={"NO_COLOR": "1"})
            if said_disk_full(ended.stderr):
                raise disk_full(target)
            if ended.code != 0:
                raise RenderError(
                    f"Quarto could not write {fmt} (exit code {ended.code}).",
                    found=ended.tail(),
                    do=f"Look at {SOURCE}, or use engine builtin.",
                )
            notes = warnings_in(ended.stderr)
            made = copy / target.name
            if not made.is_file():
                raise RenderError(
                    f"Quarto said it was done, but there is no {target.name}.",
                    found=ended.tail() or "no message",
                    do="Remove output-dir and output-file from _quarto.yml, or use engine builtin.",
                )
            shutil.copyfile(made, target)
        if fmt == "docx":
            notes += finish(target, {stem(path): alt for path, alt in picture_texts(text).items()})
        return notes


def look_for_quarto(*, required: bool) -> tuple[Quarto | None, str]:
    """Return Quarto, or None, and why.

    ``QUARTO_PATH`` (the program or its folder) comes before ``PATH``.

    Raises
    ------
    MissingDependencyError
        It is ``required`` and absent, too old or does not start.
    """
    named = os.environ.get("QUARTO_PATH", "")
    program = _program(named)
    if program is None:
        why = f"QUARTO_PATH names no program ({named})" if named else "Quarto was not found on PATH"
    else:
        where = "QUARTO_PATH" if named else "PATH"
        try:
            ended = run([program, "--version"], cwd=Path.cwd(), timeout=_VERSION_TIMEOUT)
            version = (ended.stdout or ended.stderr).strip().splitlines()[-1:] or [""]
        except (RenderError, MissingDependencyError) as error:
            why = f"Quarto on {where} does not start ({error.what})"
        else:
            numbers = tuple(int(part) for part in re.findall(r"\d+", version[0])[:2])
            if ended.code == 0 and numbers >= WANTED:
                return Quarto(program, version[0]), f"found by {where}"
            why = f"Quarto on {where} is {version[0] or 'of no known version'}, 1.4 or later is needed"
    if required:
        raise MissingDependencyError("Quarto was asked for and cannot be used.", found=why, do=INSTALL)
    return None, why


def warnings_in(stderr: str) -> list[str]:
    """Return Quarto's warnings as notes; raise on those that leave a hole in the report.

    Raises
    ------
    RenderError
        A reference, citation or picture was not resolved, or a font is missing: Quarto ends with 0 all the same.
    """
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    holes = [line for line in lines if _UNRESOLVED.search(line)]
    if holes:
        raise RenderError(
            "The report refers to what it does not hold.",
            found="; ".join(dict.fromkeys(holes)),
            do=f"Correct the reference in {SOURCE} or add what it names.",
        )
    fonts_lacking = [line for line in lines if _FONT.search(line)]
    if fonts_lacking:
        raise RenderError("A font that the report names is not there.", found="; ".join(fonts_lacking), do=fonts.ADVICE)
    return list(dict.fromkeys(f"Quarto: {line}" for line in lines if _WARNING.match(line)))


def _program(named: str) -> str | None:
    if not named:
        return shutil.which("quarto")
    path = Path(named)
    return shutil.which("quarto", path=str(path)) if path.is_dir() else shutil.which(str(path))


def _not_needed(folder: str, names: Sequence[str]) -> set[str]:
    """Leave out of the copy what rendering does not read: results, tables as CSV, earlier outputs, hidden folders."""
    del folder
    left = {"results.json", "report.html", "report.pdf", "report.docx", "report_files"}
    return {name for name in names if name in left or name.startswith(".") or name.endswith(".csv")}


def _give_fonts(copy: Path, *, required: bool) -> None:
    """Put a packaged Korean font where ``_quarto.yml`` tells typst to look."""
    try:
        choice = fonts.korean_font()
    except MissingDependencyError:
        if required:
            raise
        return
    if choice.folders:
        place = copy / SHARED / "fonts"
        place.mkdir(parents=True, exist_ok=True)
        for path in choice.files:
            shutil.copyfile(path, place / path.name)
