"""From opinions to one judgement per item: what all say, or what was adjudicated."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from click_stats.items.review.codes import FINE, WRONG_KEY
from click_stats.items.table import ACCEPTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.review.answers import Opinion
    from click_stats.items.review.packet import Packet
    from click_stats.items.table import ItemTable

AGREED, ADJUDICATED, OPEN = "agreed", "adjudicated", "pending"


class Judgement(NamedTuple):
    """What is held of an item after the review.

    Attributes
    ----------
    item
        Its key.
    code, answer
        The code and the places of the options held to be right; None and nothing while the item is open.
    decided
        ``agreed``: all reviewers say the same, and their answer is the key. ``adjudicated``: settled with the key in
        sight. ``pending``: not yet.
    """

    item: str
    code: str | None
    answer: tuple[int, ...]
    decided: str


def right_places(items: ItemTable, item: str) -> tuple[int, ...]:
    """Return the places of the options that count as right: the key, and what errata accept besides."""
    row = items.frame.loc[[item]].iloc[0]
    also = map(int, str(row[ACCEPTED]).split()) if ACCEPTED in row else ()
    return tuple(sorted({int(row["gold"]), *also}))


def judge(
    packet: Packet,
    items: ItemTable,
    opinions: Sequence[Opinion],
    adjudicated: Mapping[str, tuple[str, tuple[int, ...]]] | None = None,
) -> list[Judgement]:
    """Return the judgement of every item, in the order of the packet.

    An item is settled without adjudication only where all reviewers give the same code and the same answer, and that
    answer is the key: whatever contradicts the key is looked at again with the key in sight, unanimous or not.

    Parameters
    ----------
    packet, items, opinions
        The packet, the items with their keys, and what reviewers sent back.
    adjudicated
        Final code and answer by item.
    """
    of_item: dict[str, list[Opinion]] = {}
    for one in opinions:
        of_item.setdefault(one.item, []).append(one)
    found = []
    for entry in packet.entries:
        final = (adjudicated or {}).get(entry.item)
        own = of_item.get(entry.item, [])
        said = {(one.code, one.answer) for one in own}
        if final is not None:
            found.append(Judgement(entry.item, *final, ADJUDICATED))
        elif len(said) == 1 and _is_key(own[0].answer, right_places(items, entry.item)):
            found.append(Judgement(entry.item, own[0].code, own[0].answer, AGREED))
        else:
            found.append(Judgement(entry.item, None, (), OPEN))
    return found


def against_key(opinion: Opinion, right: tuple[int, ...]) -> str:
    """Return what a blind opinion amounts to once the key is known: ``fine`` with another answer is ``wrong key``."""
    return WRONG_KEY if opinion.code == FINE and not _is_key(opinion.answer, right) else opinion.code


def _is_key(answer: tuple[int, ...], right: tuple[int, ...]) -> bool:
    return answer == right or (len(answer) == 1 and answer[0] in right)
