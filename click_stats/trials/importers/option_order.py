"""In which order a sample showed its options: told by its metadata, the item table's options, or the item's digest."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from click_stats.answers.normalise import collapse
from click_stats.trials.importers.questions import OPTIONS, PASSAGES, QUESTIONS, Texts, first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.trials.importers.questions import Item, Items

MOST_ORDERS = 720
"""Orders of the options tried against the digest of an item: those of six options."""


def told_order(shown: Sequence[str], meta: Mapping[str, Any], item: Item | None) -> Sequence[int] | None:
    """Return the order of a sample's choices by its metadata, else by the item table's options."""
    n_options = len(shown) or (len(item.labels) if item is not None else 0)
    turn = meta.get("rotation")
    if isinstance(turn, int) and not isinstance(turn, bool) and n_options:
        return [(place + turn) % n_options for place in range(n_options)]
    stated = meta.get("permutation")
    if isinstance(stated, list) and sorted(map(str, stated)) == sorted(map(str, range(n_options))):
        return [int(option) for option in stated]
    plain = [collapse(choice) for choice in shown]
    for options in (first(meta, OPTIONS), item.options if item is not None else None):
        source = [collapse(str(option)) for option in options] if isinstance(options, (list, tuple)) else []
        if shown and source == plain:
            return range(len(plain))
        if shown and len(set(source)) == len(source) and sorted(source) == sorted(plain):
            return [source.index(choice) for choice in plain]
    return None


def rotation(order: Sequence[int]) -> int:
    """Return the rotation that an order is, 0 also when it is none."""
    turn = order[0] if order else 0
    return turn if list(order) == [(place + turn) % len(order) for place in range(len(order))] else 0


def order_by_digest(
    shown: Sequence[str], asked: Any, meta: Mapping[str, Any], items: Items, item: Item
) -> Sequence[int] | None:
    """Return the order in which options are shown whose texts, put back, have the digest of the item.

    Parameters
    ----------
    asked
        What was asked, where the metadata do not hold the question.
    """
    question = first(meta, QUESTIONS) or (asked if isinstance(asked, str) else "")
    passage = first(meta, PASSAGES)
    for places in itertools.islice(itertools.permutations(range(len(shown))), MOST_ORDERS):
        # places[o]: where the source's option o stands
        texts = Texts(str(passage or ""), str(question), tuple(shown[place] for place in places))
        if items.by_digest.get(texts.digest) is item:
            return [places.index(place) for place in range(len(shown))]
    return None
