"""Review of items: from flags to who is to read what, and from what was read to a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.items.review.judgement import against_key, right_places
from click_stats.stats.review import ANSWER, JUDGEMENT, Population
from click_stats.stats.review import review as of_judgements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items import ItemTable
    from click_stats.items.review import Judgement, Opinion, Packet
    from click_stats.results import Result


def flagged(found: Result, rules: Sequence[str] = ()) -> tuple[list[str], dict[str, list[str]]]:
    """Return the items that an item analysis looked at, and the flags by item.

    Parameters
    ----------
    found
        Result ``item_analysis``.
    rules
        Flags that make a suspect; none: all of them.

    Raises
    ------
    UsageError
        No item has such a flag.
    DataError
        The analysis looked at nothing.
    """
    estimates, flags = found.tables["estimates"], found.tables["flags"]
    if not len(estimates):
        raise DataError("The item analysis is empty, so that no item can be chosen.", found=str(found.meta["reason"]))
    known = list(dict.fromkeys(map(str, flags["flag"])))
    unknown = [rule for rule in rules if rule not in known]
    if unknown:
        raise UsageError(
            f"No item has the flag {unknown[0]!r}.", found=", ".join(known) or "no flags", do="Use some of these."
        )
    by_item: dict[str, list[str]] = {}
    for item, flag in zip(map(str, flags["item"]), map(str, flags["flag"]), strict=True):
        if not rules or flag in rules:
            by_item.setdefault(item, []).append(flag)
    return list(map(str, estimates["item"])), by_item


def review(
    packet: Packet,
    items: ItemTable,
    opinions: Sequence[Opinion],
    judged: Sequence[Judgement],
    **parameters: Any,
) -> Result:
    """Return what a review found; see :func:`click_stats.stats.review.review`.

    Reviewers are compared by what they said before adjudication: by their judgement, where a ``fine`` with another
    answer than the key is ``wrong key``, and by the options they hold to be right, which need no key.
    """
    entries = {entry.item: entry for entry in packet.entries}
    rows = [
        {
            "item": one.item,
            "stratum": entries[one.item].stratum,
            "flags": entries[one.item].flags,
            "code": one.code,
            "answer_given": " ".join(items.labels(one.item)[place] for place in one.answer),
            "decided": one.decided,
        }
        for one in judged
    ]
    said = pd.DataFrame(
        [
            {
                "item": one.item,
                "reviewer": one.reviewer,
                JUDGEMENT: against_key(one, right_places(items, one.item)),
                ANSWER: " ".join(map(str, one.answer)) or "none",
            }
            for one in opinions
        ]
    )
    ratings = {
        name: said.pivot_table(index="item", columns="reviewer", values=name, aggfunc="first")
        for name in (JUDGEMENT, ANSWER)
    }
    population = Population(packet.n_flagged, packet.n_not_flagged, packet.n_by_flag)
    return of_judgements(pd.DataFrame(rows), population, ratings, **parameters)
