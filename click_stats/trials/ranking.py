"""Which option wins when options are ranked by their log-probability."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SCORED = "score"
"""Policy and rule of predictions that were ranked by log-probability, not extracted from a text."""
TIE = "tie"
"""Rule where several options had the largest log-probability."""


def best(scores: Sequence[float], key: Sequence[object]) -> tuple[int, bool]:
    """Return the option with the largest score, and whether there was a tie.

    A tie is settled by SHA-256 of the trial's key, uniform over the tied options: the same in every session, and
    favouring no option and no position.
    """
    top = max(scores)
    tied = [option for option, score in enumerate(scores) if score == top]
    if len(tied) == 1:
        return tied[0], False
    text = "\x1f".join(map(str, key))
    return tied[int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % len(tied)], True
