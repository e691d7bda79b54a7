"""Labels in running text: which letters and digits are names of options, and which are parts of something else."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from click_stats.answers.cues import (
    ARTICLE,
    CLOSERS,
    COUNTERS,
    GLUED_AFTER,
    GLUED_BEFORE,
    GLUED_NUMBER_AFTER,
    GLUED_NUMBER_BEFORE,
    NUMBER_PARTICLE,
    PARTICLE,
)
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
TOKEN = re.compile(r"(?<![A-Za-z0-9])(?:[A-Za-z]|[0-9]{1,2})(?![A-Za-z0-9])")
"""Never a word boundary: Hangul are word characters, and particles are glued to labels."""
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_CLOSERS = re.compile(CLOSERS)
_HANGUL = re.compile("[가-힣]")
_PARTICLE, _NUMBER_PARTICLE = re.compile(PARTICLE), re.compile(NUMBER_PARTICLE)
_LATIN = re.compile("[A-Za-z0-9]")


class Mark(NamedTuple):
    """A label at its place.

    Attributes
    ----------
    option
        Displayed position; None for a label that the item does not have.
    start, end
        Where the label stands.
    after
        Where the closing marks behind it (bold, quotes, brackets) end.
    """

    option: int | None
    start: int
    end: int
    after: int


class Labels:
    """The labels of an item in displayed order: letters or digits.

    Raises
    ------
    UsageError
        A label is neither a letter nor a number of one or two digits.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        self.positions = {label.upper(): position for position, label in enumerate(labels)}
        self.numeric = all(label.isascii() and label.isdigit() for label in labels)
        letters = all(label.upper() in LETTERS for label in labels)
        if not labels or len(self.positions) < len(labels) or not (self.numeric or letters):
            raise UsageError("Labels are letters or numbers, each once.", found=", ".join(labels) or "none")

    def at(self, text: str, place: int, *, lower: bool = False) -> Mark | None:
        """Return the label that stands at ``place``, or one that the item does not have, or None.

        ``lower``: whether a lower-case letter counts.
        """
        token = TOKEN.match(text, place)
        return self._mark(text, token, lower=lower) if token else None

    def find(self, text: str) -> Iterator[Mark]:
        """Yield the labels of the item in a text: upper case, or lower case in brackets."""
        for token in TOKEN.finditer(text):
            start, end = token.span()
            bracketed = BRACKETS.get(text[start - 1 : start], "\n") == text[end : end + 1]
            mark = self._mark(text, token, lower=bracketed)
            if mark is not None and mark.option is not None:
                yield mark

    def _mark(self, text: str, token: re.Match[str], *, lower: bool) -> Mark | None:
        word, (start, end) = token[0], token.span()
        if word.isdigit() != self.numeric or (word.islower() and not lower):
            return None
        stands = self._stands_as_number if self.numeric else self._stands_as_letter
        closed = _CLOSERS.match(text, end)
        after = closed.end() if closed else end
        if not stands(text, word, start, end) or (after > end and _LATIN.match(text, after)):
            return None
        return Mark(self.positions.get(word.upper()), start, end, after)

    @staticmethod
    def _stands_as_letter(text: str, word: str, start: int, end: int) -> bool:
        if GLUED_BEFORE.search(text[max(start - 2, 0) : start]) or GLUED_AFTER.match(text, end):
            return False
        if _HANGUL.match(text, end):
            return _PARTICLE.match(text, end) is not None
        word_after = ARTICLE.get(word.upper())
        return word_after is None or not word_after.match(text, end)

    @staticmethod
    def _stands_as_number(text: str, word: str, start: int, end: int) -> bool:
        del word
        if GLUED_NUMBER_BEFORE.search(text[max(start - 2, 0) : start]) or GLUED_NUMBER_AFTER.match(text, end):
            return False
        return _NUMBER_PARTICLE.match(text, end) is not None and not COUNTERS.match(text, end)


@lru_cache(maxsize=256)
def label_set(labels: tuple[str, ...]) -> Labels:
    """Return the labels, made once for each set."""
    return Labels(labels)


def letters(n_options: int) -> tuple[str, ...]:
    """Return the letters of ``n_options`` options."""
    return tuple(LETTERS[:n_options])
