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

ANALYSES = ("item_analysis", "irt", "dif", "difficulty")
"""Analyses whose ``estimates`` have rows by item, in the order in which they are shown."""
MEASURES = (("difficulty", "irt", "difficulty"), ("rest", "item_analysis", "item_rest"))
"""Columns of the list: name in the address, analysis, column of its ``estimates``."""
KNOWN = frozenset(
    {
        *("item", "category", "domain", "source", "cluster", "n_options", "gold", "labels", "flag", "method"),
        *("n_units", "n_trials", "std_error", "df", "conf_level", "proportion"),
    }
)
"""Columns that the page shows elsewhere, or that an interval says already."""
ERRORS = ("_se", "_sd", "_std_error")
"""Endings of the columns with the error of an estimate, which its interval says already."""
FORMATS = {"integer": "integer", "boolean": "boolean", "text": "text", "number": "number"}
UNITS = {"share": "percent", "points": "points", "p": "p", "probability": "percent"}
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


def details(results: ResultSet, keys: Sequence[str], lang: str, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return every analysis by item: its columns, and its rows by the number of the item."""
    parts = [(titles[f"about_{name}"], _part(frame(results, name), keys, lang)) for name in ANALYSES]
    return [{"title": title, **part} for title, part in parts if part]


def _part(table: pd.DataFrame, keys: Sequence[str], lang: str) -> dict[str, Any] | None:
    if "item" not in table:
        return None
    table = table[table["item"].astype(str).isin(set(keys))]
    names = [column for column in map(str, table.columns) if _tells(table, column)]
    if not names:
        return None
    place = {key: number for number, key in enumerate(keys)}
    rows: dict[int, list[list[Any]]] = {}
    for item, *values in table[["item", *names]].itertuples(index=False, name=None):
        rows.setdefault(place[str(item)], []).append([_value(value, lang) for value in values])
    return {"columns": _columns(names, lang), "rows": rows}


def _tells(table: pd.DataFrame, column: str) -> bool:
    """Tell whether a column says something about an item: what is the same for all items does not."""
    if column in KNOWN or column.endswith(ERRORS) or not table[column].notna().any():
        return False
    return len(table) == 1 or len(table[column].drop_duplicates()) > 1


def _columns(names: Sequence[str], lang: str) -> list[dict[str, Any]]:
    """Return the columns to show; the ends of an interval stand in brackets after their estimate."""
    at = {name: number for number, name in enumerate(names)}
    ends = {name: (f"{name}_low", f"{name}_high") for name in names} | {"estimate": ("conf_low", "conf_high")}
    inside = {end for name, pair in ends.items() if name in at and set(pair) <= set(at) for end in pair}
    found: list[dict[str, Any]] = []
    for name in names:
        if name in inside:
            continue
        column: dict[str, Any] = {"label": glossary.label(name, lang), "format": _format(name), "at": at[name]}
        low, high = ends[name]
        if low in at and high in at:
            column |= {"low": at[low], "high": at[high]}
        found.append(column)
    return found


def _format(name: str) -> str:
    if name.startswith("p_"):
        return "p"
    column: Mapping[str, glossary.Column] = glossary.columns()
    return UNITS.get(column[name].unit) or FORMATS[column[name].type]


def _value(value: Any, lang: str) -> Any:
    value = plain(value)
    if isinstance(value, str):
        return codes.text(value, lang)
    return round(value, DIGITS) if isinstance(value, float) else value
