"""Items with one right option: what analyses of where the right option stands, or of its probability, rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from click_stats.counts import Counts


def with_one_right(counts: Counts) -> tuple[Counts, list[str]]:
    """Return the counts without items of which several options are right, and a warning when there are any."""
    several = counts.right.sum(axis=1) > 1
    if not several.any():
        return counts, []
    n = int(several.sum())
    words = f"Items with several right options are left out: {n:,} item{'s' if n > 1 else ''}."
    return counts.select(items=~several), [words]
