"""Items against the key table of their benchmark: what is missing, what another revision changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from click_stats.answers.normalise import collapse
from click_stats.items import columns
from click_stats.items.digest import item_digest
from click_stats.items.notes import listed
from click_stats.items.raw import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable


def compared(items: ItemTable, keys: ItemTable) -> ItemTable:
    """Return ``items`` with warnings about what differs from the key table of the same benchmark.

    Items are compared by key: which are missing, which are new, whose key (gold) or texts differ. The key of
    the table at hand counts; the warning says that another one was seen.
    """
    there, known = items.frame.index, keys.frame.index
    common = there.intersection(known, sort=False)
    mine, theirs = items.frame.loc[common], keys.frame.loc[common]
    drifted = common[(mine["gold"] != theirs["gold"]).to_numpy()]
    changed = common[((mine["digest"] != theirs["digest"]) & (mine["digest"] != "")).to_numpy()]
    revision = keys.definition.revision or "the key table"
    found = (
        (known.difference(there, sort=False), f"Items of {revision} that are missing here"),
        (there.difference(known, sort=False), f"Items that {revision} does not have"),
        (drifted, f"Another key than in {revision}; the one at hand counts"),
        (changed, f"Other texts than in {revision}"),
    )
    warnings = [f"{sentence}: {listed(list(map(str, index)))}." for index, sentence in found if len(index)]
    return replace(items, warnings=(*items.warnings, *warnings))


def placed(rows: Sequence[Row], keys: ItemTable) -> list[Row]:
    """Give rows without a category (the dataset as one table has none) that of the key table's item.

    An id that stands in one category only says which; one that stands in several is told apart by the digest of
    the texts, and by the order of occurrence where the texts are the same too. Rows that nothing tells apart stay
    without a category, which is an error later.
    """
    taken: set[str] = set()
    found: list[Row] = []
    for row in rows:
        values = columns.row(row.values)
        known = keys.by_id(str(values.get("id") or ""))
        same = (
            [item for item in known if keys.frame.loc[item, "digest"] == _digest(values)] if len(known) > 1 else known
        )
        item = next((item for item in same if item not in taken), None)
        if item is None:
            found.append(row)
            continue
        taken.add(item)
        place = {name: str(keys.frame.loc[item, name]) for name in ("category", "source")}
        found.append(Row({**row.values, **place}, row.where))
    return found


def _digest(values: dict[str, Any]) -> str:
    options = values.get("options")
    passage, question = (str(values.get(name) or "") for name in ("passage", "question"))
    return item_digest(passage, question, options) if isinstance(options, list) and collapse(question) else ""
