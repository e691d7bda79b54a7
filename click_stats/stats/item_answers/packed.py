"""Counts of answers as short text: one line for a model, one word for an item.

The word of an item lists what was answered and how often: an upper-case letter is an original option (``A`` the first),
a lower-case letter another outcome (:data:`OUTCOMES`), a number how often where it is not once. ``A8B2o2`` is twelve
trials; with one trial an item a line is ``A C D m B ...``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from click_stats.counts import INCORRECT, UNANSWERED

if TYPE_CHECKING:
    from click_stats.counts import Counts, IntArray

OUTCOMES = {
    **dict(zip(INCORRECT, "oert", strict=True)),
    **dict(zip(UNANSWERED, "fx", strict=True)),
    "missing": "m",
}
"""Letter of each outcome that names no option: the first four are incorrect, the others are not answers."""
NOTHING = "-"
"""Word of an item that was not to be answered."""
_ANSWER = re.compile(r"([A-Za-z])(\d*)")


def pack(counts: Counts) -> list[str]:
    """Return the line of each unit: one word per item, in the order of the items, separated by a space."""
    outcomes = np.stack([counts.n(name) for name in OUTCOMES], axis=2)
    cells = np.concatenate([counts.options, outcomes], axis=2)
    n_options = counts.options.shape[2]
    letters = [*(chr(ord("A") + option) for option in range(n_options)), *OUTCOMES.values()]
    kinds, which = np.unique(cells.reshape(-1, len(letters)), axis=0, return_inverse=True)
    words = np.array([_word(kind, letters) for kind in kinds], dtype=object)
    return [" ".join(line) for line in words[which.reshape(cells.shape[:2])]]


def unpack(line: str) -> list[dict[str, int]]:
    """Return, per item of a line, how often each letter stands for an answer."""
    return [{letter: int(n or 1) for letter, n in _ANSWER.findall(word)} for word in line.split()]


def _word(kind: IntArray, letters: list[str]) -> str:
    found = [f"{letter}{n if n > 1 else ''}" for letter, n in zip(letters, kind.tolist(), strict=True) if n]
    return "".join(found) or NOTHING
