"""When two texts count as the same: NFC, whitespace runs, outer quotes, one final period."""

from __future__ import annotations

import unicodedata

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "`": "`"}
"""Opening quotation marks and the closing mark of each."""
PERIODS = (".", "。", "．")


def collapse(text: str) -> str:
    """Return ``text`` in NFC, every run of whitespace one space, none at the ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


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
