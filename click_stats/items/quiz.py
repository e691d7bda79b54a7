"""A quiz for people: a sample of items that keeps the shares of its groups, and the order of the options."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable

WHOLE = "none"
"""In place of a column: sample from all items alike."""


class Question(NamedTuple):
    """An item as a person is asked it.

    Attributes
    ----------
    item
        Its key.
    rotation
        Option ``(p + rotation) mod N`` of the source stands at place ``p``; 0 is the source's order.
    """

    item: str
    rotation: int


def draw(
    items: ItemTable, n: int, *, stratify: str = "category", shuffle: bool = False, seed: int = 0
) -> list[Question]:
    """Return a stratified random sample of items in random order.

    Parameters
    ----------
    items
        The benchmark.
    n
        Number of items.
    stratify
        A column of the items whose groups keep their shares: each gets its quota rounded down, and the largest
        remainders (the earlier group on a tie) get one more. ``none``: a plain random sample.
    shuffle
        Turn the options of each item by a random number of places; the number is kept with every answer.
    seed
        Seed of sample, order and rotations.

    Raises
    ------
    UsageError
        Fewer than 1 or more than all items, or a column that the items do not have.
    """
    if not 1 <= n <= len(items):
        raise UsageError("The quiz needs 1 item or more, and no more than there are.", found=f"{n} of {len(items):,}")
    if stratify != WHOLE and stratify not in items.frame:
        raise UsageError(
            f"The items have no column {stratify!r}.",
            found=", ".join(map(str, items.frame.columns)),
            do=f"Use --stratify category, another of these columns, or {WHOLE}.",
        )
    rng = np.random.default_rng(seed)
    keys = np.array(list(map(str, items.frame.index)), dtype=object)
    groups = items.frame[stratify].astype(str).to_numpy() if stratify != WHOLE else np.full(len(keys), "")
    names = list(dict.fromkeys(groups))
    places = [np.flatnonzero(groups == name) for name in names]
    chosen = np.concatenate(
        [
            rng.choice(own, size=size, replace=False)
            for own, size in zip(places, quotas([len(own) for own in places], n), strict=True)
        ]
    )
    order = rng.permutation(chosen)
    n_options = items.frame["n_options"].to_numpy(dtype=np.int64)[order]
    turned = rng.integers(0, n_options) if shuffle else np.zeros(n, dtype=np.int64)
    return [Question(str(keys[place]), int(by)) for place, by in zip(order, turned, strict=True)]


def quotas(sizes: Sequence[int], n: int) -> list[int]:
    """Return how many of ``n`` go to groups of these sizes: largest remainders, the earlier group on a tie.

    Raises
    ------
    UsageError
        More are wanted than there are.
    """
    total = max(sum(sizes), 1)
    if not 0 <= n <= sum(sizes):
        raise UsageError("More items are wanted than there are.", found=f"{n} of {sum(sizes)}")
    whole = [n * size // total for size in sizes]  # in whole numbers: no remainder is lost to rounding
    rest = [n * size % total for size in sizes]
    for place in sorted(range(len(sizes)), key=lambda one: (-rest[one], one))[: n - sum(whole)]:
        whole[place] += 1
    return whole
