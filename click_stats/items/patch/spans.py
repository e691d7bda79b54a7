"""Where the entries of a JSON file stand in its text, so that one can be changed and the others stay as written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from click_stats.errors import DataError

BOM = "\ufeff"
_WHITE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


@dataclass(frozen=True)
class Span:
    """A value and where its text stands."""

    start: int
    end: int
    value: Any

    def of(self, text: str) -> str:
        """Return the text of the value as written."""
        return text[self.start : self.end]


def entries(text: str, name: str) -> list[Span]:
    """Return the entries of a JSON list, or of JSON lines, in order.

    Raises
    ------
    DataError
        The text is neither; ``name`` is the file's.
    """
    try:
        start = _skip(text, len(BOM) if text.startswith(BOM) else 0)
        return elements(text, start) if text[start : start + 1] == "[" else _lines(text, start)
    except ValueError as error:
        raise DataError(f"{name} is no JSON.", found=str(error)) from error


def elements(text: str, start: int) -> list[Span]:
    """Return the elements of the list whose bracket stands at ``start``."""
    found: list[Span] = []
    place = _skip(text, start + 1)
    while text[place : place + 1] != "]":
        found.append(_value(text, place))
        place = _skip(text, found[-1].end)
        place = _skip(text, place + 1) if text[place : place + 1] == "," else place
    return found


def members(text: str) -> dict[str, Span]:
    """Return the members of the object that ``text`` is, by name."""
    found: dict[str, Span] = {}
    place = _skip(text, 1)
    while text[place : place + 1] != "}":
        name = _value(text, place)
        colon = _skip(text, name.end)
        found[name.value] = _value(text, _skip(text, colon + 1))
        place = _skip(text, found[name.value].end)
        place = _skip(text, place + 1) if text[place : place + 1] == "," else place
    return found


def _lines(text: str, start: int) -> list[Span]:
    found: list[Span] = []
    while start < len(text):
        found.append(_value(text, start))
        start = _skip(text, found[-1].end)
    return found


def _value(text: str, start: int) -> Span:
    value, end = _DECODER.raw_decode(text, start)
    return Span(start, end, value)


def _skip(text: str, start: int) -> int:
    found = _WHITE.match(text, start)
    return start if found is None else found.end()
