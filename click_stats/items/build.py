"""From rows as read to a checked item table: columns found, key matched, categories placed."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.answers.normalise import collapse, normalise
from click_stats.errors import DataError
from click_stats.items import passages
from click_stats.items.definition import MAX_OPTIONS, MIN_OPTIONS, labels
from click_stats.items.digest import item_digest, n_chars
from click_stats.items.table import KEY_COLUMNS, LABELS, TEXT_COLUMNS, ItemTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.definition import Definition
    from click_stats.items.raw import Row

SYNONYMS = {"paragraph": "passage", "choices": "options", "answer": "answer"}
"""Other names of our columns: those of the dataset's own files."""
GOLD_COLUMNS = ("gold", "label", "answer")
"""Where the key may stand: position from 0, label as displayed, or text of the option (or its label)."""
EXAMPLES = 5
TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


@dataclass
class Notes:
    """Remarks by kind, each with the items it is about."""

    items: dict[str, list[str]] = field(default_factory=dict)

    def add(self, sentence: str, item: str) -> None:
        """Remember that ``sentence`` holds for ``item``."""
        about = self.items.setdefault(sentence, [])
        if item not in about:
            about.append(item)

    def sentences(self) -> tuple[str, ...]:
        """Return one sentence per kind, with the number of items and some of their keys."""
        return tuple(f"{sentence}: {listed(items)}." for sentence, items in self.items.items())


def listed(items: Sequence[str]) -> str:
    """Return a count and the first few of some items, for a message."""
    shown = ", ".join(items[:EXAMPLES]) + (", ..." if len(items) > EXAMPLES else "")
    return f"{len(items)} item{'s' if len(items) != 1 else ''} ({shown})"


def build(rows: Sequence[Row], definition: Definition, where: str) -> ItemTable:
    """Check rows and make an item table of them.

    Parameters
    ----------
    rows
        With texts (``id, question, options`` and one of ``gold``, ``label``, ``answer``; ``passage``), or keys
        only (``id, n_options, gold``). ``category`` always; ``source`` and columns of the user's own if given.
    where
        The file or folder, for messages.

    Raises
    ------
    DataError
        A column is missing; an item has an unknown category, a wrong number of options, or a key that is not
        among its options; a key occurs twice.
    """
    table = [_renamed(row.values) for row in rows]
    columns = list(dict.fromkeys(name for row in table for name in row))
    with_text = "question" in columns
    _require(columns, with_text, where)
    notes = Notes()
    for row, raw in zip(table, rows, strict=True):
        _place(row, raw.where, definition)
    keys = [row["item"] for row in table]
    repeated = sorted(key for key, n in Counter(keys).items() if n > 1)
    if repeated:
        raise DataError(
            f"{where} holds the same item more than once.",
            found=listed(repeated),
            do="Ids must be unique within a category; leave out the copies.",
        )
    faults: dict[str, str] = {}
    for row, raw in zip(table, rows, strict=True):
        fault = _text_row(row, definition, notes) if with_text else _key_row(row, definition)
        if fault:
            faults[f"{row['item']} ({raw.where})"] = fault
    if faults:
        raise DataError(
            f"{where} holds {'items that are' if len(faults) > 1 else 'an item that is'} wrong.",
            found="; ".join(f"{item}: {fault}" for item, fault in list(faults.items())[:EXAMPLES])
            + (f"; and {len(faults) - EXAMPLES} more" if len(faults) > EXAMPLES else ""),
            do="Repair the table, or use another revision of the dataset.",
        )
    for remark in definition.remarks:
        if remark.item in set(keys):
            notes.add(remark.text, remark.item)
    if with_text:
        shared = passages.clusters(keys, [row["passage"] for row in table])
        for row, cluster in zip(table, shared, strict=True):
            row["cluster"] = cluster
    return ItemTable(_frame(table, columns, definition, with_text=with_text), definition, notes.sentences())


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in values.items():
        own = SYNONYMS.get(name.strip(), name.strip())
        row[own] = value.strip() if own in KEY_COLUMNS and isinstance(value, str) else value
    if "options" not in row:
        # One column per option, as spreadsheets have it; the blanks after the last option are no options.
        several = [value for name, value in row.items() if re.fullmatch(r"option_\d+", name)]
        if several:
            while several and not several[-1]:
                several.pop()
            row = {name: value for name, value in row.items() if not re.fullmatch(r"option_\d+", name)}
            row["options"] = several
    return row


def _require(columns: Sequence[str], with_text: bool, where: str) -> None:
    needed = ["id", "category", *(["options"] if with_text else ["n_options", "gold"])]
    missing = [name for name in needed if name not in columns]
    if with_text and not set(GOLD_COLUMNS) & set(columns):
        missing.append("answer (or gold, or label)")
    if missing:
        raise DataError(
            f"{where} lacks columns that an item table needs.",
            found=f"missing: {', '.join(missing)}; there: {', '.join(columns)}",
            do="With texts: id, category, question, options, answer. Keys only: id, category, n_options, gold.",
        )


def _place(row: dict[str, Any], where: str, definition: Definition) -> None:
    id_, name = str(row.get("id", "")), str(row.get("category", ""))
    if not id_:
        raise DataError(f"{where}: an item without an id.", do="Give every item an id.")
    category = definition.category(name)
    if category is None:
        raise DataError(
            f"{where}: {definition.name} has no category {name!r}.",
            found=f"item {id_}",
            do=f"Use one of {', '.join(definition.category_names)}, or give a definition of your benchmark.",
        )
    source = definition.source(str(row.get("source", "")))
    if source is None:
        raise DataError(
            f"{where}: {definition.name} has no source {row.get('source', '')!r}.",
            found=f"item {category}/{id_}",
            do="Use one of " + ", ".join(entry.name for entry in definition.sources),
        )
    row.update(item=f"{category}/{id_}", category=category, domain=definition.domain_of(category), source=source)


def _text_row(row: dict[str, Any], definition: Definition, notes: Notes) -> str:
    """Complete a row with texts; return what is wrong with it, or nothing."""
    options = row.get("options")
    if not isinstance(options, list):
        return "options are no list"
    passage, question = str(row.get("passage") or ""), str(row.get("question") or "")
    item, n_options = row["item"], len(options)
    if not MIN_OPTIONS <= n_options <= MAX_OPTIONS:
        return f"{n_options} options instead of {MIN_OPTIONS} to {MAX_OPTIONS}"
    if not all(collapse(option) for option in options):
        return "an option without text"
    if not collapse(question):
        return "no question"
    gold = _gold(row, options, definition, notes)
    if isinstance(gold, str):
        return gold
    if len(set(map(collapse, options))) < n_options:
        notes.add("The same option twice in one item", item)
    if not passage.strip():
        passage = ""
    pattern = definition.negated_pattern
    row.update(
        passage=passage,
        question=question,
        options=tuple(options),
        n_options=n_options,
        gold=gold,
        has_passage=bool(passage),
        n_chars=n_chars(passage, question, options),
        digest=item_digest(passage, question, options),
        negated=bool(re.search(pattern, collapse(question))) if pattern else row.get("negated"),
    )
    return ""


def _gold(row: Mapping[str, Any], options: Sequence[str], definition: Definition, notes: Notes) -> int | str:
    """Return the position of the right option from 0, or what is wrong with the key."""
    own = labels(len(options), str(row.get(LABELS) or definition.labels))
    if str(row.get("gold") or ""):
        return _position(str(row["gold"]), len(options))
    if str(row.get("label") or ""):
        label = str(row["label"]).strip()
        return own.index(label) if label in own else f"the label {label!r} is not among {', '.join(own)}"
    answer = str(row.get("answer") or "")
    return _match(answer, options, own, row["item"], notes)


def _match(answer: str, options: Sequence[str], own: Sequence[str], item: str, notes: Notes) -> int | str:
    for form, note in (
        (str, ""),
        (collapse, "Whitespace repaired to find the right option"),
        (normalise, "Quotation marks or a final period set aside to find the right option"),
    ):
        found = [position for position, option in enumerate(options) if form(option) == form(answer)]
        different = {collapse(options[position]) for position in found}
        if len(different) > 1:
            return f"the answer {answer!r} matches several options"
        if found:
            if note:
                notes.add(note, item)
            if len(found) > 1:
                notes.add("The right option stands twice; the first one counts", item)
            if answer.strip() in own and own.index(answer.strip()) != found[0]:
                return f"the answer {answer!r} is the text of one option and the label of another: give gold or label"
            return found[0]
    if answer.strip() in own:
        return own.index(answer.strip())
    return f"the answer {answer!r} is not among the options"


def _key_row(row: dict[str, Any], definition: Definition) -> str:
    """Complete a row without texts; return what is wrong with it, or nothing."""
    number = str(row.get("n_options", ""))
    if not number.isdecimal() or not MIN_OPTIONS <= int(number) <= MAX_OPTIONS:
        return f"{number or 'no'} options instead of {MIN_OPTIONS} to {MAX_OPTIONS}"
    gold = _position(str(row.get("gold", "")), int(number))
    if isinstance(gold, str):
        return gold
    characters = str(row.get("n_chars") or "")
    if characters and not characters.isdecimal():
        return f"n_chars is no number: {characters!r}"
    for name in ("has_passage", "negated"):
        value = str(row.get(name) or "").lower()
        if value and value not in (*TRUE, *FALSE):
            return f"{name} is neither true nor false: {value!r}"
        row[name] = value in TRUE if value else None
    row.update(
        n_options=int(number),
        gold=gold,
        cluster=row.get("cluster") or row["item"],
        n_chars=int(characters) if characters else None,
        digest=row.get("digest") or "",
    )
    return ""


def _position(value: str, n_options: int) -> int | str:
    if not value.strip().isdecimal():
        return f"gold is no position: {value!r}"
    position = int(value)
    return position if position < n_options else f"gold {position} is not among 0 to {n_options - 1}"


def _frame(
    table: Sequence[dict[str, Any]], columns: Sequence[str], definition: Definition, with_text: bool
) -> pd.DataFrame:
    known = {"item", *KEY_COLUMNS, *TEXT_COLUMNS, *GOLD_COLUMNS}
    users = [name for name in columns if name not in known and not re.fullmatch(r"option_\d+", name)]
    names = [*KEY_COLUMNS, *(TEXT_COLUMNS if with_text else ()), *users]
    frame = pd.DataFrame({name: [row.get(name, "") for row in table] for name in names})
    frame.index = pd.Index([row["item"] for row in table], name="item")
    for name, kind, nullable in (
        ("n_options", "int64", "Int64"),
        ("gold", "int64", "Int64"),
        ("n_chars", "int64", "Int64"),
        ("has_passage", "bool", "boolean"),
        ("negated", "bool", "boolean"),
    ):
        # A key table need not say everything: what it leaves out is missing, not 0 or false.
        values = frame[name].replace("", None) if frame[name].dtype == object else frame[name]
        frame[name] = values.astype(nullable if values.isna().any() else kind)
    order = {name: rank for rank, name in enumerate(definition.category_names)}
    sources = {entry.name: rank for rank, entry in enumerate(definition.sources)}
    ranks = pd.DataFrame(
        {"category": frame["category"].map(order), "source": frame["source"].map(sources).fillna(0)}, index=frame.index
    ).reset_index(drop=True)
    positions = ranks.sort_values(["category", "source"], kind="stable").index
    return frame.iloc[positions]
