"""Words and remarks of results in the reader's language; kept in ``codes*.toml`` and ``remarks*.toml``."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.texts import merged

if TYPE_CHECKING:
    from collections.abc import Mapping

BETWEEN = "; "
"""Stands between several remarks in one cell."""
LOOKED_UP = {"group", "list", "why"}
"""Gaps of remarks that hold remarks themselves."""
_GAP = re.compile(r"\{(\w+)\}")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """Return the words by code, each in English (``en``) and Korean (``ko``)."""
    entries: dict[str, dict[str, str]] = merged("click_stats.render", "codes")
    return entries


@cache
def remarks() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    """Return the remarks that analyses make: what one looks like, and what a reader of each language gets.

    Those that say most before their first gap stand first, since ``not {name}`` would also catch ``not told apart from
    {name}``.
    """
    entries: list[dict[str, str]] = merged("click_stats.render", "remarks")["remark"]
    entries = sorted(entries, key=lambda entry: -len(_GAP.split(entry["is"])[0]))
    return tuple((_pattern(entry["is"]), entry) for entry in entries)


def text(code: Any, lang: str = "en") -> str:
    """Return the word for ``code``, or the remark in the reader's language; what is not listed stays as it is.

    Remarks joined by ``; `` are looked up one by one; what fills a gap of :data:`LOOKED_UP` is looked up as
    well.
    """
    if isinstance(code, (bool, np.bool_)):
        code = "yes" if code else "no"
    said = str(code)
    entry = words().get(said)
    if entry:
        return entry[lang]
    found = _remark(said, lang)
    if found is None and BETWEEN in said:
        return BETWEEN.join(text(part, lang) for part in said.split(BETWEEN))
    return said if found is None else found


def _remark(said: str, lang: str) -> str | None:
    for pattern, entry in remarks():
        hit = pattern.fullmatch(said)
        if hit:
            gaps = {name: text(gap, lang) if name in LOOKED_UP else gap for name, gap in hit.groupdict().items()}
            return (entry.get(lang) or entry["is"]).format(**gaps)
    return None


def _pattern(template: str) -> re.Pattern[str]:
    pieces = _GAP.split(template)  # text, gap, text, gap, ..., text
    return re.compile("".join(_gap(piece) if place % 2 else re.escape(piece) for place, piece in enumerate(pieces)))


def _gap(name: str) -> str:
    """Return what may fill a gap: a number, several remarks, or one text."""
    inside = {"n": r"[\d,]+", "total": r"[\d,]+", "list": ".+"}.get(name, f"(?:(?!{BETWEEN}).)+?")
    return f"(?P<{name}>{inside})"
