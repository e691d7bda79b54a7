"""Two revisions of a benchmark's items: which came, which went, and what is another in those that stayed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from click_stats.answers.normalise import collapse
from click_stats.items.table import ACCEPTED
from click_stats.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.items.table import ItemTable

COLUMNS = ("item", "aspect", "text_before", "text_after")
METHOD = (
    "Items are matched by key; an item that is gone is looked for among the new ones by id and texts, then by texts. "
    "Texts are compared as their digests are: in NFC, whitespace collapsed. Options that only changed places are told "
    "apart from others, and the key is compared by the option it means, where both revisions have texts."
)
ADDED, REMOVED = "added", "removed"


class _Pair(NamedTuple):
    old: str
    new: str


def difference(old: ItemTable, new: ItemTable, *, with_texts: bool = False) -> Result:
    """Return the Result ``items_diff``: what another revision changed.

    Parameters
    ----------
    old, new
        The revisions; where one has keys only, that texts differ is known by their digests, but not which.
    with_texts
        Show the texts that differ. They are the benchmark's: not for publication where it has no licence.

    Returns
    -------
    Result
        ``changes``: one row per item and aspect (added, removed, id, category, source, key, accepted, texts, passage,
        question, options, order of options), with what it was and is: labels, names and numbers, texts on request.
        ``aspects``: items by aspect.
    """
    pairs = _matched(old, new)
    there, here = {pair.old for pair in pairs}, {pair.new for pair in pairs}
    rows = [(key, REMOVED, key, "") for key in map(str, old.frame.index) if key not in there]
    rows += [(key, ADDED, "", key) for key in map(str, new.frame.index) if key not in here]
    for pair in pairs:
        changed = _changes(old, new, pair, with_texts=with_texts)
        rows += [(pair.old, aspect, before, after) for aspect, before, after in changed]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(object)
    number = Counter(frame["aspect"])
    aspects = pd.DataFrame({"aspect": list(number), "n_items": list(number.values())}).astype({"aspect": object})
    summary = {"n_items_before": len(old), "n_items_after": len(new), "n_items_changed": int(frame["item"].nunique())}
    meta = {"method": METHOD, "digest_before": old.digest, "digest_after": new.digest, "with_texts": with_texts}
    return Result("items_diff", {"changes": frame, "aspects": aspects}, summary, meta)


def _matched(old: ItemTable, new: ItemTable) -> list[_Pair]:
    """Return which item of one revision is which of the other."""
    left, right = list(map(str, old.frame.index)), set(map(str, new.frame.index))
    pairs = [_Pair(key, key) for key in left if key in right]
    gone, come = [key for key in left if key not in right], [key for key in new.frame.index if key not in set(left)]
    for names in (["id", "digest"], ["digest"]):
        known: dict[tuple[str, ...], list[str]] = {}
        for key in come:
            known.setdefault(tuple(map(str, new.frame.loc[[key], names].iloc[0])), []).append(str(key))
        for key in list(gone):
            sign = tuple(map(str, old.frame.loc[[key], names].iloc[0]))
            if "" not in sign and len(known.get(sign, ())) == 1:
                pairs.append(_Pair(key, known.pop(sign)[0]))
                gone.remove(key)
                come.remove(pairs[-1].new)
    order = {key: place for place, key in enumerate(left)}
    return sorted(pairs, key=lambda pair: order[pair.old])


def _changes(old: ItemTable, new: ItemTable, pair: _Pair, *, with_texts: bool) -> Iterator[tuple[str, str, str]]:
    before, after = old.frame.loc[[pair.old]].iloc[0], new.frame.loc[[pair.new]].iloc[0]
    for name in ("id", "category", "source"):
        if before[name] != after[name]:
            yield name, str(before[name]), str(after[name])
    labels = old.labels(pair.old), new.labels(pair.new)
    gold = labels[0][int(before["gold"])], labels[1][int(after["gold"])]
    if not (old.has_text and new.has_text):
        if gold[0] != gold[1]:
            yield "key", gold[0], gold[1]
        if before["digest"] and after["digest"] and before["digest"] != after["digest"]:
            yield "texts", "", ""
        if len(labels[0]) != len(labels[1]):
            yield "options", str(len(labels[0])), str(len(labels[1]))
    else:
        yield from _text_changes(before, after, gold, with_texts=with_texts)
    also = [_accepted(row, own) for row, own in zip((before, after), labels, strict=True)]
    if also[0] != also[1]:
        yield "accepted", also[0], also[1]


def _text_changes(
    before: pd.Series[Any], after: pd.Series[Any], gold: tuple[str, str], *, with_texts: bool
) -> Iterator[tuple[str, str, str]]:
    """Yield what differs in key, passage, question and options, where both revisions have them."""
    options = [list(map(collapse, row["options"])) for row in (before, after)]
    same_options = Counter(options[0]) == Counter(options[1])
    meant = [texts[int(row["gold"])] for texts, row in zip(options, (before, after), strict=True)]
    if meant[0] != meant[1] if same_options else gold[0] != gold[1]:
        yield "key", gold[0], gold[1]
    for name in ("passage", "question"):
        if collapse(before[name]) != collapse(after[name]):
            yield (name, str(before[name]), str(after[name])) if with_texts else (name, "", "")
    if options[0] != options[1]:
        texts = (" | ".join(before["options"]), " | ".join(after["options"]))
        if same_options:
            moved = [str(options[1].index(text) + 1) for text in options[0]]
            places = " ".join(str(place + 1) for place in range(len(moved)))
            shown = texts if with_texts else (places, " ".join(moved))
            yield "order of options", shown[0], shown[1]
        else:
            shown = texts if with_texts else (str(len(options[0])), str(len(options[1])))
            yield "options", shown[0], shown[1]


def _accepted(row: pd.Series[Any], labels: tuple[str, ...]) -> str:
    return " ".join(labels[int(position)] for position in str(row.get(ACCEPTED, "")).split())
