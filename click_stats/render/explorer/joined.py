"""What other analyses say about single items: flags, measures to sort and filter by, and all their numbers.

Any of the analyses may be absent or have stepped aside. Their columns are read by name: the explorer shows what is
there, under the labels of the glossary.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from click_stats import glossary
from click_stats.render import codes
from click_stats.render.labels import frame
from click_stats.results import plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from click_stats.results import ResultSet

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "item_analysis": (
        *("estimate", "item_rest", "category_rest", "alpha_if_dropped", "category_alpha_if_dropped"),
        *("n_unused", "reason"),
    ),
    "irt": ("difficulty", "discrimination", "estimable", "rank", "infit", "outfit", "flag", "reason"),
    "dif": ("contrast", "estimate", "ets_class", "verdict", "reason"),
}
"""Analyses whose ``estimates`` have rows by item, and the columns that are shown, in this order; intervals follow."""
DIFFERENCES = frozenset({"dif"})
"""Analyses whose ``estimate`` is a difference of shares: shown in points, with its sign."""
MEASURES = (("difficulty", "irt", "difficulty"), ("rest", "item_analysis", "item_rest"))
"""Columns of the list: name in the address, analysis, column of its ``estimates``."""
DIGITS = 4
"""Decimals of a number in the page."""


def flags(results: ResultSet, keys: Sequence[str], lang: str) -> dict[str, Any]:
    """Return the flags: codes (the most frequent first) with labels, and per item their places and notes."""
    table = frame(results, "item_analysis", "flags")
    rows = table[["item", "flag", "note"]].astype(str).itertuples(index=False, name=None) if len(table) else ()
    place = {key: number for number, key in enumerate(keys)}
    found = [(place[item], flag, codes.text(note, lang)) for item, flag, note in rows if item in place]
    order = [code for code, _ in Counter(code for _, code, _ in found).most_common()]
    items: dict[int, list[int]] = {}
    said: dict[int, list[str]] = {}
    for item, code, note in found:
        items.setdefault(item, []).append(order.index(code))
        said.setdefault(item, []).append(note)
    return {"codes": order, "labels": [codes.text(code, lang) for code in order], "items": items, "notes": said}


def measures(results: ResultSet, keys: Sequence[str], lang: str) -> list[dict[str, Any]]:
    """Return the measures of the list, one value per item (None where undefined), that the results hold."""
    found = []
    for name, analysis, column in MEASURES:
        table = frame(results, analysis)
        if not len(table):
            continue
        values = table.assign(item=table["item"].astype(str)).set_index("item")[column].reindex(list(keys))
        if values.notna().any():
            rounded = plain(values.astype("float64").round(DIGITS).tolist())
            found.append({"name": name, "label": glossary.label(column, lang), "values": rounded})
    return found


def details(results: ResultSet, keys: Sequence[str], lang: str, said: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return every analysis by item: its columns, its rows by the number of the item, and its texts, each once."""
    parts = []
    for name, wanted in COLUMNS.items():
        table = frame(results, name)
        shown = [column for column in wanted if column in table and table[column].notna().any()]
        if shown and "item" in table:
            part = _part(table, shown, keys, lang)
            if name in DIFFERENCES:
                part["columns"] = [_in_points(column, said["points"]) for column in part["columns"]]
            parts.append({"title": said[f"about_{name}"], **part})
    return parts


def _part(table: pd.DataFrame, shown: Sequence[str], keys: Sequence[str], lang: str) -> dict[str, Any]:
    ends = {name: pair for name in shown if set(pair := _interval(name)) <= set(table.columns)}
    names = [*shown, *(end for pair in ends.values() for end in pair)]
    columns: list[dict[str, Any]] = []
    for at, name in enumerate(shown):
        columns.append({"label": glossary.label(name, lang), **_format(name, table[name]), "at": at})
        if name in ends:
            columns[-1] |= dict(zip(("low", "high"), map(names.index, ends[name]), strict=True))
    place = {key: number for number, key in enumerate(keys)}
    texts: dict[str, int] = {}
    rows: dict[int, list[list[Any]]] = {}
    for item, *values in table[["item", *names]].itertuples(index=False, name=None):
        if str(item) in place:
            rows.setdefault(place[str(item)], []).append([_value(value, texts) for value in values])
    return {"columns": columns, "rows": rows, "texts": [codes.text(text, lang) for text in texts]}


def _interval(name: str) -> tuple[str, str]:
    """Return the columns that hold the ends of the interval of an estimate."""
    return ("conf_low", "conf_high") if name == "estimate" else (f"{name}_low", f"{name}_high")


def _format(name: str, values: pd.Series[Any]) -> dict[str, Any]:
    """Return how a column is written; correlations and the like, none beyond 1, with one decimal more."""
    column = glossary.columns()[name]
    if column.type != "number":
        return {"format": column.type}
    if column.unit == "share":
        return {"format": "percent", "digits": 1}
    return {"format": "number", "digits": 3 if values.astype("float64").abs().max() <= 1 else 2}


def _in_points(column: dict[str, Any], points: str) -> dict[str, Any]:
    if column["format"] != "percent":
        return column
    return {**column, "format": "points", "label": f"{column['label']} ({points})"}


def _value(value: Any, texts: dict[str, int]) -> Any:
    """Return a value as the page holds it: a text as its place among the texts, nothing where there is none."""
    value = plain(value)
    if isinstance(value, str):
        return texts.setdefault(value, len(texts)) if value else None
    return round(value, DIGITS) if isinstance(value, float) else value
