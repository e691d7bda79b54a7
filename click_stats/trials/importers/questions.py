"""Which item a question in a foreign log is: by key, id or texts; and which of its options a prompt shows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.answers.normalise import collapse, normalise
from click_stats.items.definition import LABEL_SETS, MAX_OPTIONS, MIN_OPTIONS, labels
from click_stats.items.digest import item_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import duckdb

BY_TEXTS, BY_TASK = "texts of the question", "name of the task"
"""How items that share an id were told apart."""


@dataclass(frozen=True)
class Item:
    """An item of the table: its key, its labels, and its options where the table has texts."""

    item: str
    category: str
    gold: int
    labels: tuple[str, ...]
    options: tuple[str, ...] = ()


@dataclass
class Items:
    """The items that rows may be about, found by key, id or texts.

    Attributes
    ----------
    by_key, by_digest
        Item by ``<category>/<id>``, and by the digest of its texts.
    by_id
        Items by id: several where ids are not unique.
    categories
        Name, label or alias of a category in lower case -> its name.
    """

    by_key: dict[str, Item] = field(default_factory=dict)
    by_digest: dict[str, Item] = field(default_factory=dict)
    by_id: dict[str, list[Item]] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, connection: duckdb.DuckDBPyConnection) -> Items:
        """Read the items that the database was prepared with."""
        found = cls()
        marks: dict[int, list[tuple[str, str | None]]] = {}
        for ix, label, option in connection.execute(
            "SELECT ix, label, option FROM label_t ORDER BY ix, position"
        ).fetchall():
            marks.setdefault(ix, []).append((label, option))
        for ix, key, id_, category, gold, mark in connection.execute(
            "SELECT ix, item, id, category, gold, digest FROM item_t ORDER BY ix"
        ).fetchall():
            options = tuple(option for _, option in marks[ix] if option is not None)
            item = Item(key, category, gold, tuple(label for label, _ in marks[ix]), options)
            found.by_key[key] = item
            found.by_id.setdefault(id_, []).append(item)
            if mark:
                found.by_digest[mark] = item
        words = connection.execute("SELECT word, category FROM category_name_t").fetchall()
        found.categories = {str(word): str(category) for word, category in words}
        return found

    def category(self, task: str) -> str:
        """Return the category that the name of a task ends in, or nothing: ``click_cul_history`` is History."""
        words = task.casefold().replace("_", " ").replace(":", " ").split()
        for start in range(len(words)):
            if (found := self.categories.get(" ".join(words[start:]))) is not None:
                return found
        return ""

    def find(self, id_: str, category: str, texts: Texts | None) -> tuple[Item | None, str]:
        """Return the item of a row, and how it was told from others of the same id (empty: the id is unique).

        The texts decide, then the category. None: no such item, or one of several.
        """
        if id_ in self.by_key:
            return self.by_key[id_], ""
        same = self.by_id.get(id_, [])
        if len(same) == 1:
            return same[0], ""
        known = self.by_digest.get(texts.digest) if texts is not None else None
        if known is not None and (known in same or not same):
            return known, BY_TEXTS if same else ""
        inside = [item for item in same if item.category == category]
        return (inside[0], BY_TASK) if len(inside) == 1 else (None, "")


@dataclass(frozen=True)
class Texts:
    """A question as a log holds it."""

    passage: str
    question: str
    options: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Its fingerprint, as in the item table."""
        return item_digest(self.passage, self.question, self.options)


PASSAGES, QUESTIONS, OPTIONS = ("paragraph", "passage", "context"), ("question", "query"), ("choices", "options")
"""Names under which tasks keep the texts of a question."""


def texts_of(doc: Mapping[str, Any]) -> Texts | None:
    """Return the texts of a document, None when it does not hold them."""
    question = first(doc, QUESTIONS)
    options = first(doc, OPTIONS)
    if isinstance(options, dict):
        options = options.get("text")
    if not isinstance(question, str) or not isinstance(options, list) or not all(isinstance(o, str) for o in options):
        return None
    passage = first(doc, PASSAGES)
    return Texts(passage if isinstance(passage, str) else "", question, tuple(options))


def are_labels(words: Sequence[str]) -> bool:
    """Tell whether words are the labels of so many options: A, B, ... or 1, 2, ..."""
    plain = tuple(word.strip().upper() for word in words)
    return MIN_OPTIONS <= len(plain) <= MAX_OPTIONS and any(plain == labels(len(plain), kind) for kind in LABEL_SETS)


def hidden_options(prompt: str, texts: Texts, marks: Sequence[str]) -> set[int]:
    """Return the options that a prompt does not show although it shows others; empty when it shows none.

    An option is shown where its label, a mark and its text follow each other; where no option is written like that,
    where its text stands.
    """
    flat = collapse(prompt)
    plain = [collapse(option) for option in texts.options]
    shown = {
        place
        for place, (mark, option) in enumerate(zip(marks, plain, strict=False))
        if re.search(rf"(?<![A-Za-z0-9]){re.escape(mark)}\s*[:.)\]]\s*{re.escape(option)}", flat)
    }
    shown = shown or {place for place, option in enumerate(plain) if option in flat}
    return set(range(len(plain))) - shown if shown else set()


def gold_label(target: Any, marks: Sequence[str], texts: Texts | None) -> str:
    """Return the label of the answer, which a log has as a label, a place, or an option's text; empty: not told."""
    word = str(target if target is not None else "").strip()
    if word.upper() in marks:
        return word.upper()
    if word.isdecimal() and int(word) < len(marks):
        return marks[int(word)]
    options = [normalise(option) for option in texts.options] if texts is not None else []
    return marks[options.index(normalise(word))] if word and normalise(word) in options[: len(marks)] else ""


def first(values: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the first value that is there and not null."""
    return next((values[name] for name in names if values.get(name) is not None), None)
