"""Remarks about items, gathered by kind, and how many items are listed in a message."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

EXAMPLES = 5
"""Items named in a message; of the others only the number is told."""


@dataclass
class Notes:
    """Remarks by kind, each with the items it is about."""

    items: dict[str, list[str]] = field(default_factory=dict)

    def add(self, sentence: str, item: str) -> None:
        """Remember that ``sentence`` holds for ``item``."""
        about = self.items.setdefault(sentence, [])
        if item not in about:
            about.append(item)

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence per kind, with the number of items and some of their keys."""
        return tuple(f"{sentence}: {listed(items)}." for sentence, items in self.items.items())


def listed(items: Sequence[str]) -> str:
    """Return the number of some items and the first few of them."""
    shown = ", ".join(items[:EXAMPLES]) + (", ..." if len(items) > EXAMPLES else "")
    return f"{len(items)} item{'s' if len(items) != 1 else ''} ({shown})"
