"""What looks broken about an item, how serious that is, and the cards that show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from click_stats.counts import IntArray
    from click_stats.stats.item_analysis.classical import Estimates
    from click_stats.stats.item_analysis.duplicates import Pair
    from click_stats.stats.item_analysis.miskey import Votes

FLAGS = ("item", "flag", "severity", "note")
CARDS = ("place", "item", "category", "source", "severity", "flag", "note", "contains_text")

MISKEY = "wrong key suspected"
OTHER_KEY = "same text, other key"
TWICE = "same text twice"
ALIKE = "nearly the same as another item"
REVERSED = "stronger models do worse"
ONE_PLACE = "right at one position only"
NO_QUESTION = "right without the question"
NOBODY = "no model right"

SEVERITY: Mapping[str, int] = {
    OTHER_KEY: 4, MISKEY: 4, NOBODY: 2, TWICE: 2, ONE_PLACE: 2, NO_QUESTION: 2, REVERSED: 1, ALIKE: 1,
}  # fmt: skip
"""What a flag counts for in the order of the cards: a key that contradicts itself or the models first."""


MAJORITY = 0.5


class Flagged(NamedTuple):
    """One flag of one item (row number), and the sentence that says why."""

    item: int
    flag: str
    note: str


def of_votes(votes: Votes, least: float) -> list[Flagged]:
    """Flag items with a score of at least ``least`` and more than half of the discounted votes on one other option."""
    return [
        Flagged(
            int(row),
            MISKEY,
            f"option {votes.other[row] + 1} has {100 * votes.share_other[row]:.0f} % of the votes, "
            f"the key {100 * votes.share_key[row]:.0f} %",
        )
        for row in np.flatnonzero((np.nan_to_num(votes.score) >= least) & (votes.share_other > MAJORITY))
    ]


def of_discrimination(rest: Estimates) -> list[Flagged]:
    """Flag items whose interval of the item-rest correlation lies below 0: not corrected for the number of items."""
    return [
        Flagged(int(row), REVERSED, f"item-rest correlation {rest.value[row]:.2f}, interval below 0")
        for row in np.flatnonzero(rest.high < 0)
    ]


def of_nobody(proportion: Estimates, least: int, n_units: IntArray) -> list[Flagged]:
    """Flag items that none of at least ``least`` units got right in any trial."""
    rows = np.flatnonzero((proportion.value == 0) & (n_units >= least))
    return [Flagged(int(row), NOBODY, f"none of {n_units[row]} models is right") for row in rows]


def of_pairs(pairs: Sequence[Pair], names: Sequence[str]) -> list[Flagged]:
    """Flag both items of every pair of duplicates."""
    found = []
    for pair in pairs:
        kind = OTHER_KEY if pair.same_key is False else ALIKE if pair.same_key is None else TWICE
        for own, other in ((pair.a, pair.b), (pair.b, pair.a)):
            found.append(Flagged(own, kind, f"the other item: {names[other]}"))
    return found


def of_mask(mask: np.ndarray, flag: str, note: str) -> list[Flagged]:
    """Flag the items of a mask for one reason."""
    return [Flagged(int(row), flag, note) for row in np.flatnonzero(mask)]


def tables(
    found: Sequence[Flagged], items: pd.DataFrame, votes: Votes, *, texts: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the flags, one row each, and the cards, one row per flagged item, the most serious first.

    Items of equal severity stand in the order of their score as suspects.
    """
    names = items.index.to_numpy(dtype=object)
    rows: dict[int, dict[str, list[str]]] = {}
    for one in found:
        rows.setdefault(one.item, {}).setdefault(one.flag, []).append(one.note)
    severity = {item: sum(SEVERITY[flag] for flag in own) for item, own in rows.items()}
    score = np.nan_to_num(votes.score, nan=-np.inf)
    order = sorted(rows, key=lambda item: (-severity[item], -score[item], item))
    flags = [
        {"item": names[item], "flag": flag, "severity": SEVERITY[flag], "note": "; ".join(notes)}
        for item in order
        for flag, notes in rows[item].items()
    ]
    cards: list[dict[str, Any]] = [
        {
            "place": place, "item": names[item], "category": items["category"].iloc[item],
            "source": items["source"].iloc[item] if "source" in items else "", "severity": severity[item],
            "flag": "; ".join(rows[item]), "note": "; ".join(note for notes in rows[item].values() for note in notes),
            "contains_text": texts,
        }
        for place, item in enumerate(order, start=1)
    ]  # fmt: skip
    return frame(flags, FLAGS), frame(cards, CARDS)
