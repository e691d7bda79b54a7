"""What counts as naming an option: the policies, and the Korean exam marks that only the lenient one reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.answers.cues import CLOSERS, COPULA, ORDINAL_ENDS
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPER, LENIENT = "paper", "lenient"
POLICIES = (PAPER, LENIENT)
"""``paper``: labels and option texts, by the four acceptance criteria of Jin et al. (2023), section 4 of the paper.
``lenient``: also the marks of Korean exams (circled digits, ``3번``, 나)."""

SYLLABLES = "가나다라마바사아자차카타파하"


@dataclass(frozen=True)
class Family:
    """One kind of ordinal mark.

    Attributes
    ----------
    mark
        The mark itself, as one group.
    used
        Found in an option text, it says that the options speak of such marks themselves.
    ends
        What must follow the mark, so that it is no part of a word.
    """

    mark: re.Pattern[str]
    used: re.Pattern[str]
    ends: re.Pattern[str]

    def position(self, mark: str) -> int:
        """Return the position that a mark means, from 0."""
        if mark in SYLLABLES:
            return SYLLABLES.index(mark)
        return int(mark) - 1 if mark.isascii() else ord(mark) - ord("①")


ORDINALS = (
    Family(re.compile("([①-⑳])"), re.compile("[①-⑳]"), re.compile(rf"{ORDINAL_ENDS}| ")),
    Family(re.compile(r"(?<![A-Za-z0-9.,])([0-9]{1,2})(?![0-9])"), re.compile("[0-9]"), re.compile(ORDINAL_ENDS)),
    Family(
        re.compile(f"(?<![가-힣])([{SYLLABLES}])"),
        re.compile(f"(?<![가-힣])[{SYLLABLES}](?![가-힣])"),
        re.compile(rf"{CLOSERS}(?: ?{COPULA}|[.,:;!?]|\n|$)"),
    ),
)
"""Circled digits, digits, syllables. A family is read only where no option text uses its marks."""


def check_policy(policy: str) -> None:
    """Raise UsageError when there is no such policy."""
    if policy not in POLICIES:
        raise UsageError(f"There is no extraction policy {policy!r}.", do="Use one of: " + ", ".join(POLICIES) + ".")


def families(options: Sequence[str]) -> tuple[Family, ...]:
    """Return the ordinal marks that these option texts leave free."""
    return tuple(family for family in ORDINALS if not any(family.used.search(option) for option in options))
