"""Whether errata are about these items: the text they are for, the options and categories they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.items.definition import labels
from click_stats.items.errata.entries import AlsoAccept, Recategorise, Rekey, Retext

if TYPE_CHECKING:
    from click_stats.items.errata.entries import Errata, Erratum
    from click_stats.items.table import ItemTable


def check(items: ItemTable, errata: Errata) -> None:
    """Raise DataError, naming every erratum that does not fit these items."""
    faults = [f"{entry.key}: {fault}" for entry in errata.entries if (fault := _fault(items, entry))]
    if faults:
        raise DataError(
            f"{'An erratum does' if len(faults) == 1 else f'{len(faults)} errata do'} not fit the items.",
            found="; ".join(dict.fromkeys(faults)),
            do="Use the revision of the items that the errata are for, or mend the errata.",
        )


def labels_after(items: ItemTable, entry: Erratum) -> tuple[str, ...]:
    """Return the labels of an item's options once an erratum is applied."""
    own = items.labels(entry.key)
    if isinstance(entry, Retext) and entry.text.options is not None:
        return labels(len(entry.text.options), "digits" if own[0] == "1" else "letters")
    return own


def _fault(items: ItemTable, entry: Erratum) -> str:
    """Return why an erratum cannot be applied, or nothing."""
    if entry.key not in items.frame.index:
        return "there is no such item"
    found = str(items.frame.loc[entry.key, "digest"])
    if not found:
        return "the item table has no digest to check the erratum by"
    if found != entry.digest:
        return f"the erratum is for the text with digest {entry.digest}, but the item's is {found}"
    if isinstance(entry, Recategorise) and items.definition.category(entry.category) is None:
        return f"there is no category {entry.category!r}, only {', '.join(items.definition.category_names)}"
    own = labels_after(items, entry)
    if isinstance(entry, Retext) and entry.text.label is None and len(own) != len(items.labels(entry.key)):
        return f"{len(own)} options in place of {len(items.labels(entry.key))} need a label: which one is right"
    unknown = [label for label in _labels_of(entry) if label not in own]
    return f"there is no option {', '.join(unknown)}, only {', '.join(own)}" if unknown else ""


def _labels_of(entry: Erratum) -> tuple[str, ...]:
    """Return the labels that an erratum names."""
    if isinstance(entry, AlsoAccept):
        return entry.labels
    if isinstance(entry, Rekey):
        return (entry.label,)
    if isinstance(entry, Retext) and entry.text.label is not None:
        return (entry.text.label,)
    return ()
