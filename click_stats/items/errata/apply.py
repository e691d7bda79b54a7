"""Errata as an overlay: another item table, made of the one at hand and the corrections."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.answers.normalise import collapse
from click_stats.errors import DataError, UsageError
from click_stats.items import passages
from click_stats.items.digest import item_digest, n_chars
from click_stats.items.errata.entries import AlsoAccept, Drop, Recategorise, Rekey, Retext
from click_stats.items.errata.fit import check, labels_after
from click_stats.items.notes import listed
from click_stats.items.table import ACCEPTED

if TYPE_CHECKING:
    from click_stats.items.errata.entries import Errata, Erratum
    from click_stats.items.table import ItemTable

TEXTS = ("passage", "question", "options")


@dataclass(frozen=True)
class Overlay:
    """What was laid over an item table.

    Attributes
    ----------
    errata
        The corrections.
    original
        The table before: answers are read with it, since it is what the models were asked.
    """

    errata: Errata
    original: ItemTable

    @property
    def dropped(self) -> frozenset[str]:
        """Keys of the items that were taken out."""
        return frozenset(entry.key for entry in self.errata.entries if isinstance(entry, Drop))

    @property
    def retexted(self) -> frozenset[str]:
        """Keys of the items whose text is another one now."""
        return frozenset(entry.key for entry in self.errata.entries if isinstance(entry, Retext))


def with_errata(items: ItemTable, errata: Errata) -> ItemTable:
    """Return the table that corrections make of another.

    Gold, accepted options, category and texts are the corrected ones; dropped items are gone; keys stay.

    Raises
    ------
    DataError
        An erratum is for another text, for an item that is not there, or names no option or category; every such
        erratum is named.
    UsageError
        The table has errata already.
    """
    if items.overlay is not None:
        raise UsageError(
            "These items have errata already.",
            found=items.overlay.errata.digest,
            do="Put all corrections into one file.",
        )
    check(items, errata)
    overlay = Overlay(errata, items)
    frame = items.frame.copy()
    if any(isinstance(entry, AlsoAccept) for entry in errata.entries) and ACCEPTED not in frame:
        frame[ACCEPTED] = ""
    frame["n_chars"] = frame["n_chars"].astype("Int64" if overlay.retexted else frame["n_chars"].dtype)
    idle = []
    for entry in sorted(
        errata.entries, key=lambda one: isinstance(one, AlsoAccept)
    ):  # besides the gold, once it is set
        changes = _changes(items, frame.loc[[entry.key]].iloc[0], entry)
        for name, value in changes.items():
            frame.at[entry.key, name] = value  # noqa: PD008 -- loc would spread a tuple of options
        if not changes and not isinstance(entry, Drop):
            idle.append(entry.key)
    frame = frame.drop(index=list(overlay.dropped))
    if not len(frame):
        raise DataError("The errata drop every item.", found=f"{len(items):,} items", do="Keep some.")
    _join_passages(items, frame, overlay)
    order = {name: rank for rank, name in enumerate(items.definition.category_names)}
    frame = frame.iloc[np.argsort(frame["category"].map(order).to_numpy(), kind="stable")]
    warnings = [*items.warnings, f"Errata {errata.digest} correct {listed(errata.keys)}."]
    if idle:
        warnings.append(f"Errata that change nothing, since the items say so already: {listed(idle)}.")
    return replace(items, frame=frame, warnings=tuple(warnings), overlay=overlay)


def _changes(items: ItemTable, row: pd.Series[Any], entry: Erratum) -> dict[str, Any]:
    """Return the new values by column of the row of an item; nothing where the row says so already."""
    new: dict[str, Any] = {}
    if isinstance(entry, Rekey):
        new["gold"] = items.labels(entry.key).index(entry.label)
    elif isinstance(entry, AlsoAccept):
        own, accepted = items.labels(entry.key), set(map(int, str(row[ACCEPTED]).split()))
        accepted |= {own.index(label) for label in entry.labels}
        new[ACCEPTED] = " ".join(map(str, sorted(accepted - {int(row["gold"])})))
    elif isinstance(entry, Recategorise):
        category = str(items.definition.category(entry.category))
        new |= {"category": category, "domain": items.definition.domain_of(category)}
    elif isinstance(entry, Retext):
        new |= _new_text(items, row, entry)
    return {name: value for name, value in new.items() if value is pd.NA or not _equal(row[name], value)}


def _equal(here: object, there: object) -> bool:
    return here is not pd.NA and bool(here == there)


def _new_text(items: ItemTable, row: pd.Series[Any], entry: Retext) -> dict[str, Any]:
    """Return the columns that a new text changes; what a table of keys cannot know is missing."""
    text, own = entry.text, labels_after(items, entry)
    new: dict[str, Any] = {"n_options": len(own)}
    if text.label is not None:
        new["gold"] = own.index(text.label)
    if ACCEPTED in row:
        new[ACCEPTED] = ""  # another text has another key
    given = {name: value for name in TEXTS if (value := getattr(text, name)) is not None}
    whole = {name: row[name] for name in TEXTS if items.has_text} | given
    if "question" in given and items.definition.negated_pattern:
        new["negated"] = bool(re.search(items.definition.negated_pattern, collapse(given["question"])))
    if "passage" in given:
        new["has_passage"] = bool(collapse(given["passage"]))
    if len(whole) < len(TEXTS):
        return new | {"digest": "", "n_chars": pd.NA}
    new["digest"] = item_digest(whole["passage"], whole["question"], whole["options"])
    new["n_chars"] = n_chars(whole["passage"], whole["question"], whole["options"])
    return new | (given if items.has_text else {})


def _join_passages(items: ItemTable, frame: pd.DataFrame, overlay: Overlay) -> None:
    """Give items with another passage the cluster of those that share it."""
    moved = [
        entry.key for entry in overlay.errata.entries if isinstance(entry, Retext) and entry.text.passage is not None
    ]
    if not moved or not items.has_text:
        return
    keys = list(map(str, frame.index))
    found = dict(zip(keys, passages.clusters(keys, list(map(str, frame["passage"]))), strict=True))
    for key in moved:
        frame.loc[key, "cluster"] = found[key]
