"""Any table of a result as a :class:`Table`, from the glossary alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats import glossary
from click_stats.errors import UsageError
from click_stats.render import codes, numbers
from click_stats.render.table import Cell, Column, Kind, Table, display

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from click_stats.results import Result

__all__ = ["Cell", "Column", "Table", "column_of", "frame_table", "result_table"]

PAIRS: dict[str, tuple[str, str, Kind]] = {
    "conf_low": ("conf_high", "interval", "interval"),
    "sim_low": ("sim_high", "simultaneous interval", "interval"),
    "bound_low": ("bound_high", "bounds", "interval"),
    "odds_low": ("odds_high", "interval of the odds ratio", "interval_number"),
    "rank_low": ("rank_high", "rank interval", "ranks"),
}
"""Columns shown as one when their other end stands beside them: its name, the heading, the kind."""

FACTS = ("denominator", "target", "method", "conf_level", "p_method", "test_family", "power", "alpha", "margin")
"""Columns that move to the notes when all rows agree."""
PARTS = ("model", "condition")
"""Columns that say the same as ``unit``, which stands before them: shown where they are asked for."""
HEADERS = ("unit", "unit_a", "unit_b", "item", "file", "by", "group", "missing_kind")
CODES = (
    *("verdict", "status", "denominator", "missing_kind", "same_protocol", "by", "correction", "scoring"),
    *("method", "p_method", "target", "test_family", "resolved_by"),
)
REMARKS = ("flag", "note", "examples", "letters", "reason")
DIFFERENCES = ("estimate", "conf_low", "sim_low", "bound_low")
"""Shares that are signed differences in a table of pairs."""
SIZES = ("std_error", "detectable", "difference", "margin")
"""Shares that measure a distance, in points."""


def result_table(
    result: Result,
    name: str = "estimates",
    *,
    lang: str = "en",
    columns: Sequence[str] | None = None,
    sort: str | None = None,
) -> Table:
    """Return one table of a result, labelled and explained from the glossary.

    Parameters
    ----------
    name
        The table, e.g. ``estimates``.
    columns
        The columns wanted, in this order; all by default.
    sort
        A column to sort by, a leading ``-`` for falling order; rows keep their order by default.

    Raises
    ------
    UsageError
        There is no such table or column.
    """
    frame = result.to_frame(name)
    if sort is not None:
        key = sort.removeprefix("-")
        _known(frame, [key])
        frame = frame.sort_values(key, ascending=not sort.startswith("-"), kind="stable", na_position="last")
    title = f"{result.name}: {name}" if name != result.name else name
    return frame_table(frame, caption=title, lang=lang, columns=columns)


def frame_table(
    frame: pd.DataFrame, *, caption: str = "", ident: str = "", lang: str = "en", columns: Sequence[str] | None = None
) -> Table:
    """Return a frame with glossary columns as a table.

    The two ends of an interval become one column; a column of :data:`FACTS` in which all rows agree becomes a note;
    ``reason`` and ``flag`` become footnotes of what they explain; reasons that explain no missing number, as of rows
    that were left out, stay a column.
    """
    wanted = list(map(str, frame.columns)) if columns is None else list(columns)
    _known(frame, wanted)
    notes: list[str] = []
    if columns is None:
        if "unit" in wanted:
            wanted = [name for name in wanted if name not in PARTS]
        for fact in [name for name in FACTS if name in wanted and len(frame) > 1]:
            first = frame[fact].iloc[0]
            if not numbers.undefined(first) and bool((frame[fact] == first).all()):
                column = column_of(fact, lang)
                notes.append(f"{column.label}: {display(first, column.kind, lang)}")
                wanted.remove(fact)
        others = [name for name in wanted if name not in {"reason", "flag"}]
        wanted = [*others, "reason"] if _stands_alone(frame, others) else others
    pairs = "unit_a" in frame.columns
    merged = {low: PAIRS[low] for low in wanted if low in PAIRS and PAIRS[low][0] in wanted}
    highs = {high for high, _, _ in merged.values()}
    shown = [name for name in wanted if name not in highs]
    heads = tuple(column_of(name, lang, signed=pairs, merged=name in merged) for name in shown)
    reasons, flags = (_texts(frame, name, lang) for name in ("reason", "flag"))
    rows = []
    for place, record in enumerate(frame.to_dict("records")):
        row: list[Any] = []
        for name in shown:
            value: Any = record[name]
            if name in merged:
                high = record[merged[name][0]]
                value = None if numbers.undefined(value) or numbers.undefined(high) else (value, high)
            if numbers.undefined(value) and reasons[place] and name != "reason":
                value = Cell(None, reasons[place])
            row.append(value)
        if flags[place] and "flag" not in shown and row and not isinstance(row[0], Cell):
            row[0] = Cell(row[0], flags[place])
        rows.append(tuple(row))
    return Table(ident, caption, heads, tuple(rows), tuple(notes), lang=lang)


def _stands_alone(frame: pd.DataFrame, others: Sequence[str]) -> bool:
    """Tell whether a reason is given in a row where nothing is missing that it could be a footnote of."""
    if "reason" not in frame.columns:
        return False
    whole = [not any(map(numbers.undefined, row)) for row in frame[list(others)].itertuples(index=False, name=None)]
    return any(alone and bool(reason) for alone, reason in zip(whole, _texts(frame, "reason", "en"), strict=True))


def column_of(name: str, lang: str = "en", *, signed: bool = False, merged: bool = False) -> Column:
    """Return the heading and kind that the glossary gives to a column.

    Parameters
    ----------
    signed
        Whether estimates are differences of two units.
    merged
        Whether ``name`` is the lower end of an interval shown in one column.
    """
    header = name in HEADERS
    if merged:
        high, code, kind = PAIRS[name]
        if signed and name in DIFFERENCES:
            kind = "interval_points"
        return Column(name.removesuffix("_low"), codes.text(code, lang) + _unit(name, kind, lang), kind, (name, high))
    kind = _kind(name, signed=signed)
    return Column(name, glossary.label(name, lang) + _unit(name, kind, lang), kind, header=header)


def _kind(name: str, *, signed: bool) -> Kind:
    if name in CODES:
        return "code"
    if name in REMARKS:
        return "remark"
    if name == "conf_level":
        return "level"
    column = glossary.columns().get(name)
    if column is None or column.type == "text":
        return "text"
    if column.type == "boolean":
        return "code"
    if column.type == "integer":
        return "integer"
    if column.unit == "share":
        return "points" if signed and name in {*DIFFERENCES, "conf_high", "sim_high", "bound_high"} else "percent"
    return "p" if name.startswith("p_") else "number"


def _unit(name: str, kind: Kind, lang: str) -> str:
    if kind in {"points", "interval_points"} or name in SIZES:
        return f" ({codes.text('points', lang)})"
    return " (%)" if kind in {"percent", "interval"} else ""


def _texts(frame: pd.DataFrame, name: str, lang: str) -> list[str]:
    if name not in frame.columns:
        return [""] * len(frame)
    return ["" if numbers.undefined(value) or not value else codes.text(value, lang) for value in frame[name]]


def _known(frame: pd.DataFrame, names: Sequence[str]) -> None:
    unknown = [name for name in names if name not in frame.columns]
    if unknown:
        raise UsageError(
            f"The table has no column {unknown[0]!r}.", found=", ".join(map(str, frame.columns)), do="Use one of these."
        )
