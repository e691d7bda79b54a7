"""The item table: one row per question, with what the analyses need to know of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.items.definition import labels
from click_stats.items.digest import digest
from click_stats.results import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from click_stats.items.definition import Definition
    from click_stats.items.errata import Errata, Overlay

KEY_COLUMNS = (
    "id",
    "category",
    "domain",
    "source",
    "n_options",
    "gold",
    "cluster",
    "has_passage",
    "n_chars",
    "negated",
    "digest",
)
"""Columns that every item table has, in this order."""
TEXT_COLUMNS = ("passage", "question", "options")
"""Columns of a table with texts; ``options`` holds tuples of text."""
DIGESTED = ("id", "category", "domain", "source", "n_options", "gold", "cluster", "digest")
"""What two tables must share to give the same results."""
ACCEPTED = "accepted"
"""Optional column: options that are right besides the gold, as positions from 0 with blanks between."""
LABELS = "labels"
"""Optional column: the label set of single items, where it is not the definition's."""


@dataclass(frozen=True)
class ItemTable:
    """The questions of a benchmark.

    Attributes
    ----------
    frame
        Index ``item`` (``<category>/<id>``: ids alone are not unique), columns :data:`KEY_COLUMNS`, with texts
        also :data:`TEXT_COLUMNS`, then columns of the user's own. ``gold`` counts from 0. Categories stand in
        report order.
    definition
        The benchmark's facts.
    warnings
        What was repaired or looks wrong, in sentences.
    overlay
        The errata laid over the table, if any, and the table before.
    """

    frame: pd.DataFrame
    definition: Definition
    warnings: tuple[str, ...] = ()
    overlay: Overlay | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        texts = "with texts" if self.has_text else "keys only, no texts"
        return f"<ItemTable {self.definition.name}: {len(self):,} items, {texts}>"

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def has_text(self) -> bool:
        """Whether the table holds the texts of the questions."""
        return set(TEXT_COLUMNS) <= set(self.frame.columns)

    @cached_property
    def digest(self) -> str:
        """Fingerprint of the columns that results depend on (:data:`DIGESTED`); the order of rows does not matter."""
        rows = ["\t".join(map(str, row)) for row in self.frame[list(DIGESTED)].itertuples(name=None)]
        if ACCEPTED in self.frame:
            also = self.frame[ACCEPTED].astype(str)
            rows = [f"{row}\t{more}" if more else row for row, more in zip(rows, also, strict=True)]
        return digest(sorted(rows))

    @cached_property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        own = self.frame[LABELS] if LABELS in self.frame.columns else [""] * len(self.frame)
        rows = zip(self.frame.index, self.frame["n_options"], own, strict=True)
        return {str(item): labels(int(n), str(given or self.definition.labels)) for item, n, given in rows}

    @cached_property
    def _items(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for item, id_ in self.frame["id"].items():
            found.setdefault(str(id_), []).append(str(item))
        return found

    def labels(self, item: str) -> tuple[str, ...]:
        """Return the labels of an item's options in displayed order, e.g. ``("A", "B", "C", "D")``.

        Raises
        ------
        UsageError
            The table has no such item.
        """
        if item not in self._labels:
            raise UsageError(f"There is no item {item!r} in the table.", do=self._hint(item))
        return self._labels[item]

    @property
    def original(self) -> ItemTable:
        """The table before its errata: what the models were asked."""
        return self if self.overlay is None else self.overlay.original

    @property
    def errata_digest(self) -> str:
        """Digest of the errata laid over the table; empty without."""
        return "" if self.overlay is None else self.overlay.errata.digest

    def only(self, keys: Iterable[str]) -> ItemTable:
        """Return the table of some items, in the order of this one.

        Raises
        ------
        UsageError
            The table lacks one of them, or there is none.
        """
        wanted = set(keys)
        unknown = sorted(wanted - self._labels.keys())
        if unknown:
            raise UsageError(
                f"{len(unknown):,} of the chosen items {'is' if len(unknown) == 1 else 'are'} not in the item table.",
                found=", ".join(unknown[:5]),
                do=self._hint(unknown[0]),
            )
        if not wanted:
            raise UsageError("No item was chosen.", do="Give at least one key, e.g. " + next(iter(self._labels), ""))
        return replace(self, frame=self.frame[self.frame.index.isin(wanted)])

    def with_errata(self, errata: Errata) -> ItemTable:
        """Return the table that corrections make of this one, with a digest of its own.

        Answers keep to the item they were given to: a dropped item is gone, and answers to a text that has changed
        since are not scored.

        Parameters
        ----------
        errata
            From :func:`click_stats.read_errata`.

        Raises
        ------
        DataError
            An erratum is for another text or names no item, option or category of this table.
        UsageError
            The table has errata already.
        """
        from click_stats.items.errata import with_errata  # noqa: PLC0415 -- that module makes tables of this class

        return with_errata(self, errata)

    def by_id(self, id_: str) -> list[str]:
        """Return the keys of the items with this id: none, one, or several in different categories."""
        return list(self._items.get(id_, ()))

    def require_text(self) -> None:
        """Raise DataError, saying how to get them, when the table has no texts."""
        if not self.has_text:
            raise DataError(
                f"This needs the texts of {self.definition.name}, and the item table has keys only.",
                do=self.definition.obtain or "Hand over a table with the columns question and options.",
            )

    def groups_result(self) -> Result:
        """Return the Result ``items``: size, clusters and chance level of each group of items.

        Table ``groups``: overall, macro (mean over categories), domains, categories. ``chance`` is the accuracy of
        uniform guessing: the mean of 1/n_options over items; for macro the mean of the categories' means.
        """
        frame = self.frame.assign(chance=1 / self.frame["n_options"].astype(float))
        present = set(frame["category"])
        named = [entry for entry in self.definition.categories if entry.name in present]
        domains = [entry for entry in self.definition.domains if entry.name in set(frame["domain"])]
        by_category = frame.groupby("category", sort=False)["chance"].mean()
        overall = _group(frame, "overall", "all items", "All items", "전체 문항")
        macro = _group(
            frame,
            "macro",
            f"mean of {len(named)} categories",
            f"Mean of {len(named)} categories",
            f"범주 {len(named)}개의 평균",
        )
        rows = [overall, {**macro, "chance": float(by_category.mean())}]
        rows += [
            _group(frame[frame[by] == entry.name], by, entry.name, entry.label_en, entry.label_ko)
            for by, entries in (("domain", domains), ("category", named))
            for entry in entries
        ]
        meta = {
            "method": "Counts of the item table; chance is the mean of 1/n_options over items.",
            "benchmark": self.definition.name,
            "item_revision": self.definition.revision,
            "digest": self.digest,
            "labels": self.definition.labels,
            "warnings": list(self.warnings),
        }
        summary = {"n_items": len(frame), "n_clusters": overall["n_clusters"], "chance": overall["chance"]}
        return Result("items", {"groups": pd.DataFrame(rows)}, summary, meta)

    def _hint(self, item: str) -> str:
        others = self.by_id(item.rpartition("/")[2]) or list(self._labels)[:3]
        return "Keys are <category>/<id>, e.g. " + ", ".join(others)


def _group(frame: pd.DataFrame, by: str, name: str, label_en: str, label_ko: str) -> dict[str, Any]:
    return {
        "by": by,
        "group": name,
        "label_en": label_en,
        "label_ko": label_ko,
        "n_items": len(frame),
        "n_clusters": int(frame["cluster"].nunique()),
        "chance": float(frame["chance"].mean()),
    }
