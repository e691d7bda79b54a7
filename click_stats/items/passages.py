"""Which items share a passage, and so vary together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from click_stats.answers.normalise import collapse
from click_stats.items.digest import digest

if TYPE_CHECKING:
    from collections.abc import Sequence


def clusters(keys: Sequence[str], passages: Sequence[str]) -> list[str]:
    """Return the cluster of each item: ``p-<digest>`` for a shared passage, else the item's own key.

    Passages are compared in NFC with whitespace collapsed, across categories: the same passage was typed with
    other line breaks for another question, or serves questions of two categories.
    """
    texts = [collapse(passage) for passage in passages]
    shared = {text for text, n in Counter(texts).items() if text and n > 1}
    return [f"p-{digest([text])}" if text in shared else key for key, text in zip(keys, texts, strict=True)]
