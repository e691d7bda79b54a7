"""Chooses the Korean font of PDF and figures: one of the system with a bold face, else the packaged NanumGothic.

A missing font does not stop typst or matplotlib: they draw boxes. So the font is looked for first, and a glyph that
no font has is an error.
"""

from __future__ import annotations

import logging
import re
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import MissingDependencyError, RenderError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Name for typst -> names under which matplotlib lists it (of a collection it sees the first face only).
_SYSTEM = {
    "Noto Sans KR": ("Noto Sans KR",),
    "Noto Sans CJK KR": ("Noto Sans CJK KR", "Noto Sans CJK JP"),
    "Pretendard": ("Pretendard",),
    "Malgun Gothic": ("Malgun Gothic",),
    "Apple SD Gothic Neo": ("Apple SD Gothic Neo",),
    "NanumGothic": ("NanumGothic",),
    "NanumBarunGothic": ("NanumBarunGothic",),
}
_ALL_WEIGHTS_IN_ONE_FILE = {"Apple SD Gothic Neo"}
_PACKAGE = "koreanize_matplotlib"
_PACKAGED = "NanumGothic"
_PACKAGED_FILES = ("NanumGothic.ttf", "NanumGothicBold.ttf")
SYMBOLS = "DejaVu Sans"
"""Ships with matplotlib and has what Korean fonts lack, U+2212 (minus) first of all."""

_BOLD = 600
_HANGUL = (0xAC00, 0xD7A3)
_MISSING = re.compile(r"Glyph (\d+) .*missing from")

ADVICE = (
    "Install a Korean font with a bold face (Debian: apt-get install fonts-nanum), "
    'or pip install "click-stats[report]", which brings NanumGothic.'
)


@dataclass(frozen=True)
class FontChoice:
    """A Korean font family with a regular and a bold face.

    Attributes
    ----------
    family
        The name typst, Quarto and Word know.
    files
        Its font files.
    source
        ``system`` or ``koreanize-matplotlib``.
    plot_family
        The name matplotlib knows.
    """

    family: str
    files: tuple[Path, ...]
    source: str
    plot_family: str

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders to search beside the system's, for typst; empty for a system font."""
        if self.source == "system":
            return ()
        return tuple(dict.fromkeys(path.parent for path in self.files))


@dataclass(frozen=True)
class FontReport:
    """What ``doctor`` says of one font: whether it has a bold face, and whether it is the one used."""

    family: str
    source: str
    bold: bool
    chosen: bool


def korean_font() -> FontChoice:
    """Return the Korean font of reports.

    Raises
    ------
    MissingDependencyError
        There is none; the message names the fonts looked for.
    """
    for choice, bold in _candidates():
        if bold:
            return choice
    raise MissingDependencyError(
        "There is no Korean font with a bold face, so Hangul would come out as boxes.",
        found=f"none of {', '.join(_SYSTEM)}",
        do=ADVICE,
    )


def report_fonts() -> list[FontReport]:
    """Return every Korean font found, the one in use marked."""
    found = _candidates()
    chosen = next((choice for choice, bold in found if bold), None)
    return [FontReport(choice.family, choice.source, bold, choice is chosen) for choice, bold in found]


def symbol_folder() -> Path:
    """Return the folder of matplotlib's own fonts, with DejaVu Sans."""
    import matplotlib as mpl  # noqa: PLC0415 (heavy)

    return Path(mpl.get_data_path()) / "fonts" / "ttf"


def plot_families() -> list[str]:
    """Make the Korean font known to matplotlib and return the value for ``font.family``.

    Raises
    ------
    MissingDependencyError
        There is no Korean font.
    """
    from matplotlib import font_manager  # noqa: PLC0415 (heavy)

    choice = korean_font()
    known = {entry.fname for entry in font_manager.fontManager.ttflist}
    for path in choice.files:
        if str(path) not in known:
            font_manager.fontManager.addfont(str(path))
    return [choice.plot_family, SYMBOLS]


@contextmanager
def every_glyph() -> Iterator[None]:
    """Turn matplotlib's warning about missing glyphs into an error, while figures are drawn and saved.

    Its font subsetter, which says of every figure that it drops hinting tables, is kept quiet meanwhile.

    Raises
    ------
    RenderError
        A character that no font of the figure has; the message names it.
    """
    with warnings.catch_warnings(), _quiet_subsetter():
        warnings.filterwarnings("error", message=r"Glyph \d+ .*missing from")
        try:
            yield
        except UserWarning as warning:
            found = _MISSING.search(str(warning))
            if not found:
                raise
            code = int(found[1])
            raise RenderError(
                "A figure holds a character that its fonts lack.",
                found=f"{chr(code)} (U+{code:04X}); {warning}",
                do=ADVICE
                if _HANGUL[0] <= code <= _HANGUL[1]
                else "Rename what is shown, or install a font that has it.",
            ) from None


@contextmanager
def _quiet_subsetter() -> Iterator[None]:
    logger = logging.getLogger("fontTools.subset")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@cache
def _candidates() -> tuple[tuple[FontChoice, bool], ...]:
    """Return the Korean fonts found, in order of preference, each with whether it has a bold face."""
    found: list[tuple[FontChoice, bool]] = []
    system = _system_faces()
    for family, names in _SYSTEM.items():
        for name in names:
            faces = system.get(name)
            if not faces:
                continue
            files = tuple(path for path, _weight in faces)
            bold = family in _ALL_WEIGHTS_IN_ONE_FILE or any(weight >= _BOLD for _path, weight in faces)
            if _has_hangul(files[0]):
                found.append((FontChoice(family, files, "system", name), bold))
                break
    packaged = _packaged_files()
    if packaged:
        found.append((FontChoice(_PACKAGED, packaged, "koreanize-matplotlib", _PACKAGED), True))
    return tuple(found)


def _system_faces() -> dict[str, list[tuple[Path, int]]]:
    """Return family -> (file, weight) of the fonts matplotlib lists, without those of the packaged folder."""
    from matplotlib import font_manager  # noqa: PLC0415 (heavy)

    faces: dict[str, list[tuple[Path, int]]] = {}
    packaged = set(_packaged_files())
    for entry in font_manager.fontManager.ttflist:
        path = Path(entry.fname)
        if path in packaged or not path.is_file():
            continue
        weight = entry.weight
        number = weight if isinstance(weight, int) else font_manager.weight_dict.get(str(weight), 400)
        faces.setdefault(entry.name, []).append((path, number))
    # Regular first: it answers for the family.
    return {name: sorted(found, key=lambda face: (abs(face[1] - 400), str(face[0]))) for name, found in faces.items()}


def _has_hangul(path: Path) -> bool:
    from matplotlib.ft2font import FT2Font  # noqa: PLC0415 (heavy)

    try:
        known = FT2Font(str(path)).get_charmap()
    except (OSError, RuntimeError):
        return False
    return all(code in known for code in _HANGUL)


def _packaged_files() -> tuple[Path, ...]:
    """Return NanumGothic's files from koreanize-matplotlib, which is never imported: importing it changes settings."""
    spec = find_spec(_PACKAGE)
    if spec is None:
        return ()
    places = [Path(place) for place in spec.submodule_search_locations or ()]
    if spec.origin:
        places.append(Path(spec.origin).parent)
    for place in places:
        files = tuple(place / "fonts" / name for name in _PACKAGED_FILES)
        if all(path.is_file() for path in files):
            return files
    return ()
