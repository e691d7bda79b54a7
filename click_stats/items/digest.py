"""Short fingerprints of texts and tables: what was asked can be compared without the texts."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from click_stats.answers.normalise import collapse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SEPARATOR = "\x1f"
LENGTH = 16


def digest(parts: Iterable[str]) -> str:
    """Return the first 16 hexadecimal digits of SHA-256 over the parts joined by U+001F, in UTF-8."""
    return hashlib.sha256(SEPARATOR.join(parts).encode()).hexdigest()[:LENGTH]


def item_digest(passage: str, question: str, options: Sequence[str]) -> str:
    """Return the digest of an item's texts: NFC, whitespace collapsed; the key is no part of it."""
    return digest(map(collapse, (passage, question, *options)))


def n_chars(passage: str, question: str, options: Sequence[str]) -> int:
    """Return the number of characters of passage, question and options, whitespace collapsed."""
    return sum(len(collapse(text)) for text in (passage, question, *options))
