"""Option texts: which of them a text equals, and which stands at a place in it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers.cues import CLOSERS, PARTICLE
from click_stats.answers.normalise import normalise
from click_stats.answers.tidy import tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

_AFTER = re.compile(rf"{CLOSERS}\.?{CLOSERS}")
_PARTICLE = re.compile(PARTICLE)
_LATIN, _HANGUL = re.compile("[A-Za-z0-9]"), re.compile("[가-힣]")
_EMPHASIS, _BRACKETS = "*_~`\"'“”‘’#$ ", "()[]{}<>「」『』【】〈〉《》"
_SPACE_AT_MARK = re.compile(r"(?<=[^\w\s]) | (?=[^\w\s])|(?<=[,·/])(?=\S)")


class Found(NamedTuple):
    """An option text at its place: all positions that have this text, and where it ends."""

    positions: tuple[int, ...]
    start: int
    end: int
    after: int


class Options:
    """The option texts of an item in displayed order."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = tuple(normalise(tidy(text)) for text in texts)
        self._equal: dict[str, tuple[int, ...]] = {}
        for position, text in enumerate(self.texts):
            if text:
                self._equal[text] = (*self._equal.get(text, ()), position)
        by_length = sorted(self._equal, key=len, reverse=True)
        self._patterns = tuple((re.compile(_pattern(text)), self._equal[text]) for text in by_length)
        self._any = re.compile("|".join(map(_pattern, by_length)) or r"(?!)")
        self._composite = {
            text
            for text in by_length
            if any(other.startswith(text) and re.match(" ?[,·/와과]", other[len(text) :]) for other in by_length)
        }

    def equal(self, text: str) -> tuple[int, ...]:
        """Return the positions of the options that a whole text is: none, one, or several with the same text."""
        return self._equal.get(normalise(text), ())

    def bare(self, text: str) -> tuple[int, ...]:
        """The same for a text in bold, brackets and the like."""
        plain = text.strip(_EMPHASIS)
        for form in (text, plain, plain.strip(_BRACKETS + _EMPHASIS)):
            if found := self.equal(form):
                return found
        return ()

    def at(self, text: str, place: int) -> Found | None:
        """Return the longest option text that stands at ``place`` and is no part of a longer word."""
        if not self._any.match(text, place):
            return None
        for pattern, positions in self._patterns:
            found = pattern.match(text, place)
            if found and self._ends(text, found.end()):
                return self._found(text, found, positions)
        return None

    def _found(self, text: str, found: re.Match[str], positions: tuple[int, ...]) -> Found | None:
        if self.texts[positions[0]] in self._composite and re.match(" ?[,·/]", text[found.end() : found.end() + 2]):
            return None  # 'ㄱ' where 'ㄱ, ㄴ' is an option too: the combination that follows is none of the item's
        closed = _AFTER.match(text, found.end())
        return Found(positions, found.start(), found.end(), closed.end() if closed else found.end())

    @staticmethod
    def _ends(text: str, end: int) -> bool:
        if _HANGUL.match(text, end):
            return _PARTICLE.match(text, end) is not None
        return not _LATIN.match(text, end)


def _pattern(text: str) -> str:
    """Return a pattern of a text: a blank beside a mark may be there or not, and a line may break at blanks."""
    parts = [re.escape(part).replace(r"\ ", "[ \n]") for part in _SPACE_AT_MARK.split(text)]
    return "[ \n]?".join(parts)


@lru_cache(maxsize=64)
def option_set(texts: tuple[str, ...]) -> Options:
    """Return the options of an item, made once while its trials are read."""
    return Options(texts)
