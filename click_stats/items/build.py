"""From rows as read to a checked item table: categories placed, key matched, clusters found."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.answers.normalise import collapse
from click_stats.errors import DataError
from click_stats.items import columns, gold, passages
from click_stats.items.definition import LABEL_SETS, MAX_OPTIONS, MIN_OPTIONS, labels
from click_stats.items.digest import item_digest, n_chars
from click_stats.items.notes import EXAMPLES, Notes, listed
from click_stats.items.table import ACCEPTED, KEY_COLUMNS, LABELS, TEXT_COLUMNS, ItemTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.items.definition import Definition
    from click_stats.items.raw import Row

TYPES: dict[str, tuple[Any, Any]] = {
    "n_options": ("int64", "Int64"),
    "gold": ("int64", "Int64"),
    "n_chars": ("int64", "Int64"),
    "has_passage": ("bool", "boolean"),
    "negated": ("bool", "boolean"),
}
"""Types of columns that are no text: where every row has a value, and where not."""
TRUE, FALSE = ("true", "1", "yes"), ("false", "0", "no")


def build(rows: Sequence[Row], definition: Definition, where: str) -> ItemTable:
    """Check rows and make an item table of them.

    Parameters
    ----------
    rows
        With texts (``id, question, options`` and one of ``gold``, ``label``, ``answer``; ``passage``), or keys
        only (``id, n_options, gold``). ``category`` always; ``source`` and columns of the user's own if given.
        ``cluster`` and ``negated`` are taken as given, else found from the texts.
    where
        The file or folder, for messages.

    Raises
    ------
    DataError
        A column is missing; an item has an unknown category, a wrong number of options, or a key that is not
        among its options; a key occurs twice.
    """
    table = [columns.row(row.values) for row in rows]
    names = list(dict.fromkeys(name for row in table for name in row))
    columns.require(names, where)
    with_text = columns.has_text(names)
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
        fault = _text_row(row, definition, notes) if with_text else _key_row(row)
        if fault or (fault := _optional(row)):
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
    found = passages.clusters(keys, [row["passage"] for row in table]) if with_text else keys
    for row, cluster in zip(table, found, strict=True):
        row["cluster"] = row.get("cluster") or cluster
    return ItemTable(_frame(table, names, definition), definition, notes.sentences())


def _place(row: dict[str, Any], where: str, definition: Definition) -> None:
    """Give a row its key, category, domain and source by the definition's names."""
    id_, name = str(row.get("id") or ""), str(row.get("category") or "")
    if not id_:
        raise DataError(f"{where}: an item without an id.", do="Give every item an id.")
    category = definition.category(name)
    if category is None:
        raise DataError(
            f"{where}: {definition.name} has no category {name!r}.",
            found=f"item {id_}",
            do=f"Use one of {', '.join(definition.category_names)}, or give a definition of your benchmark.",
        )
    source = definition.source(str(row.get("source") or ""))
    if source is None:
        raise DataError(
            f"{where}: {definition.name} has no source {row.get('source', '')!r}.",
            found=f"item {category}/{id_}",
            do="Use one of " + ", ".join(entry.name for entry in definition.sources),
        )
    domain = definition.domain_of(category)
    stated = str(row.get("domain") or domain)
    if definition.domain(stated) != domain:
        raise DataError(
            f"{where}: the category {category!r} belongs to the domain {domain!r}.",
            found=f"item {category}/{id_}: {stated!r}",
            do="Leave out the column domain, or correct it.",
        )
    row.update(item=f"{category}/{id_}", category=category, domain=domain, source=source)


def _text_row(row: dict[str, Any], definition: Definition, notes: Notes) -> str:
    """Complete a row with texts; return what is wrong with it, or nothing."""
    options = row.get("options")
    if not isinstance(options, list):
        return "options are no list"
    passage, question = str(row.get("passage") or ""), str(row.get("question") or "")
    item, n_options = row["item"], len(options)
    if not MIN_OPTIONS <= n_options <= MAX_OPTIONS:
        return f"{n_options} options instead of {MIN_OPTIONS} to {MAX_OPTIONS}"
    if not all(map(collapse, options)):
        return "an option without text"
    if not collapse(question):
        return "no question"
    label_set = str(row.get(LABELS) or definition.labels)
    if label_set not in LABEL_SETS:
        return f"labels are neither letters nor digits: {label_set!r}"
    position, remarks = _gold(row, options, labels(n_options, label_set))
    if isinstance(position, str):
        return position
    for remark in remarks:
        notes.add(remark, item)
    if len(set(map(collapse, options))) < n_options:
        notes.add("The same option twice in one item", item)
    passage = passage if collapse(passage) else ""
    if definition.negated_pattern and not row.get("negated"):
        row["negated"] = "true" if re.search(definition.negated_pattern, collapse(question)) else "false"
    row.update(
        passage=passage,
        question=question,
        options=tuple(options),
        n_options=n_options,
        gold=position,
        has_passage="true" if passage else "false",
        n_chars=str(n_chars(passage, question, options)),
        digest=item_digest(passage, question, options),
    )
    return ""


def _gold(row: Mapping[str, Any], options: Sequence[str], own: Sequence[str]) -> tuple[int | str, list[str]]:
    if row.get("gold"):
        return gold.from_position(str(row["gold"]), len(options)), []
    if row.get("label"):
        return gold.from_label(str(row["label"]), own), []
    return gold.from_answer(str(row.get("answer") or ""), options, own)


def _key_row(row: dict[str, Any]) -> str:
    """Complete a row without texts; return what is wrong with it, or nothing."""
    number = str(row.get("n_options") or "")
    if not gold.is_number(number) or not MIN_OPTIONS <= int(number) <= MAX_OPTIONS:
        return f"{number or 'no'} options instead of {MIN_OPTIONS} to {MAX_OPTIONS}"
    label_set = str(row.get(LABELS) or LABEL_SETS[0])
    if label_set not in LABEL_SETS:
        return f"labels are neither letters nor digits: {label_set!r}"
    position = gold.from_position(str(row.get("gold") or ""), int(number))
    if isinstance(position, str):
        return position
    row.update(n_options=int(number), gold=position, digest=row.get("digest") or "")
    return ""


def _optional(row: dict[str, Any]) -> str:
    """Turn what a key table may leave out from text into values; what is left out is missing, not 0 or false."""
    characters = str(row.get("n_chars") or "")
    if characters and not gold.is_number(characters):
        return f"n_chars is no number: {characters!r}"
    row["n_chars"] = int(characters) if characters else None
    for name in ("has_passage", "negated"):
        value = str(row.get(name) or "").lower()
        if value and value not in (*TRUE, *FALSE):
            return f"{name} is neither true nor false: {value!r}"
        row[name] = value in TRUE if value else None
    for position in str(row.get(ACCEPTED) or "").split():
        if isinstance(fault := gold.from_position(position, row["n_options"]), str):
            return f"{ACCEPTED}: {fault}"
    return ""


def _frame(table: Sequence[dict[str, Any]], names: Sequence[str], definition: Definition) -> pd.DataFrame:
    categories = {name: rank for rank, name in enumerate(definition.category_names)}
    sources = {entry.name: rank for rank, entry in enumerate(definition.sources)}
    rows = sorted(table, key=lambda row: (categories[row["category"]], sources.get(row["source"], 0)))
    data: dict[str, Any] = {}
    for name in (*KEY_COLUMNS, *(TEXT_COLUMNS if columns.has_text(names) else ()), *columns.users(names)):
        values = [row.get(name, "") for row in rows]
        kinds = TYPES.get(name)
        data[name] = pd.array(values, dtype=kinds[None in values]) if kinds else values
    return pd.DataFrame(data, index=pd.Index([row["item"] for row in rows], name="item"))
