"""When two texts count as the same: NFC, whitespace runs, outer quotes, one final period."""

from __future__ import annotations

import unicodedata

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`"}
"""Opening quotation marks and the closing mark of each."""
PERIODS = (".", "。", "．")


LONG = 1000
"""Characters; a longer text is composed in pieces where it must be."""
MOST_MARKS = 30
"""Combining marks in a row that a text has in the stream-safe format (Unicode Standard Annex 15, section 13)."""


def collapse(text: str) -> str:
    """Return ``text`` in NFC, every run of whitespace one space, none at the ends."""
    return " ".join(_composed(text).split())


def _composed(text: str) -> str:
    """Return ``text`` in NFC, in linear time.

    Sorting a run of combining marks takes time by the square of its length; no language has long ones, so
    they are composed in pieces.
    """
    if len(text) <= LONG or text.isascii():
        return unicodedata.normalize("NFC", text)
    pieces, start, run = [], 0, 0
    for place, character in enumerate(text):
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MOST_MARKS:
            pieces.append(text[start:place])
            start, run = place, 1
    return "".join(unicodedata.normalize("NFC", piece) for piece in (*pieces, text[start:]))


def normalise(text: str) -> str:
    """Return the form in which a whole text is compared with an option.

    On top of :func:`collapse`, quotation marks around the whole text and one final period are removed, in
    whichever order they stand (``"text."`` and ``"text".`` are one). Only whole texts are ever compared, never
    parts: an option may be contained in another one.
    """
    bare = _without_period(_without_quotes(collapse(text)))
    return _without_quotes(bare)


def _without_quotes(text: str) -> str:
    while len(text) > 1 and QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1]
        if text[0] in inner or text[-1] in inner:
            # 'a' and 'b' begins and ends with marks that are no pair around the whole.
            break
        text = inner.strip()
    return text


def _without_period(text: str) -> str:
    return text[:-1].rstrip() if len(text) > 1 and text.endswith(PERIODS) else text
