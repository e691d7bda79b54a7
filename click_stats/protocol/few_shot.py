"""Examples before a question: of its category, never the question itself nor one of its passage."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from click_stats.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.protocol.protocol import FewShot


class Shots:
    """Draws examples for each item.

    The draw ranks all candidates by a hash of seed, item and candidate: it depends on neither the order of the
    table nor a random generator, and all trials of an item share it.

    Parameters
    ----------
    settings
        Number and seed.
    frame
        Columns ``category``, ``cluster`` (passage), ``digest`` (texts) and ``n_options`` of an item table.
    """

    def __init__(self, settings: FewShot, frame: pd.DataFrame) -> None:
        self._settings = settings
        self._rows = {
            str(item): (str(category), str(cluster), str(texts), int(n))
            for item, category, cluster, texts, n in frame[["category", "cluster", "digest", "n_options"]].itertuples()
        }
        self._pool: dict[str, list[str]] = {}
        for item, (category, *_) in self._rows.items():
            self._pool.setdefault(category, []).append(item)

    def draw(self, item: str) -> list[tuple[str, int]]:
        """Return the examples of an item and the rotation of each.

        Raises
        ------
        UsageError
            The category has too few other items.
        """
        category, cluster, texts, _ = self._rows[item]
        candidates = [
            other
            for other in self._pool[category]
            if other != item and self._rows[other][1] != cluster and not (texts and self._rows[other][2] == texts)
        ]
        wanted = self._settings.n
        if len(candidates) < wanted:
            raise UsageError(
                f"The category {category!r} has too few items for {wanted} examples.",
                found=f"{len(candidates)} besides {item} and what shares its passage",
                do="Ask for fewer examples with few_shot.n.",
            )
        drawn = sorted(candidates, key=lambda other: self._hash(item, other))[:wanted]
        return [(other, self._rotation(item, other)) for other in drawn]

    def _rotation(self, item: str, other: str) -> int:
        return self._hash(item, other, "rotation") % self._rows[other][3] if self._settings.rotated else 0

    def _hash(self, *parts: str) -> int:
        joined = "\x1f".join([str(self._settings.seed), *parts])
        return int.from_bytes(hashlib.sha256(joined.encode()).digest()[:8])
