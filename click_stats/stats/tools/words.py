"""Parameters that are lists of words, as they come from Python and from a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def named(words: str | Sequence[str]) -> list[str]:
    """Return the words of a sequence, or of a text with commas (``--set strategies=random,stratified``)."""
    if isinstance(words, str):
        return [word.strip() for word in words.split(",") if word.strip()]
    return list(words)
