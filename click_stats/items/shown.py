"""An item as a form shows it to a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.table import ItemTable


def shown(
    items: ItemTable, item: str, places: Sequence[int], categories: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return an item as a form shows it, the options in the order of ``places``; with its category where named."""
    row = items.frame.loc[[item]].iloc[0]
    options = list(row["options"])
    return {
        "category": (categories or {}).get(str(row["category"]), ""),
        "passage": str(row["passage"] or ""),
        "question": str(row["question"]),
        "options": [str(options[place]) for place in places],
        "labels": list(items.labels(item)),
    }
