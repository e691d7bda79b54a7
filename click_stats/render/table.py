"""The one table value: raw values with how to show them; every format is written from it."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from click_stats.errors import UsageError
from click_stats.render import codes, numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Kind = Literal[
    "text", "remark", "code", "integer", "number", "coefficient", "percent", "points", "p", "level",
    "interval", "interval_points", "interval_number", "interval_coefficient", "ranks", "estimated", "tested",
]  # fmt: skip
Format = Literal["text", "markdown", "html", "latex", "csv"]
SEVERAL: Mapping[Kind, tuple[str, ...]] = {
    "interval": ("_low", "_high"),
    "interval_points": ("_low", "_high"),
    "interval_number": ("_low", "_high"),
    "interval_coefficient": ("_low", "_high"),
    "ranks": ("_low", "_high"),
    "estimated": ("", "_low", "_high"),
    "tested": ("", "_p"),
}
"""Kinds whose value is a tuple, and the endings of its names in CSV: two ends of an interval, a share with its
interval, a difference with its p-value."""
WORDS: frozenset[Kind] = frozenset({"text", "remark", "code"})

_NUMBERS: Mapping[str, Callable[[Any], str]] = {
    "integer": numbers.integer,
    "number": numbers.number,
    "coefficient": numbers.coefficient,
    "percent": numbers.percent,
    "points": numbers.points,
    "p": numbers.p_value,
    "level": numbers.level,
}
_SEVERAL: Mapping[str, Callable[..., str]] = {
    "interval": numbers.interval,
    "interval_points": numbers.interval_points,
    "interval_number": numbers.interval_number,
    "interval_coefficient": numbers.interval_coefficient,
    "ranks": numbers.ranks,
    "estimated": numbers.estimated,
    "tested": numbers.tested,
}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    key
        Name of the raw value in CSV.
    label
        Heading.
    kind
        How a value is shown. Shares are shown in percent, differences in points; ``code`` values are words of a
        closed list, shown in the table's language; a ``remark`` may be empty, a ``text`` may not.
    fields
        CSV names of the parts, for kinds whose value is a tuple; by default made from ``key``.
    header
        Whether the column names the row.
    """

    key: str
    label: str
    kind: Kind = "text"
    fields: tuple[str, ...] | None = None
    header: bool = False

    @property
    def align(self) -> Literal["left", "right"]:
        """Words to the left, numbers to the right."""
        return "left" if self.kind in WORDS else "right"


@dataclass(frozen=True)
class Cell:
    """A raw value with a footnote: why it is undefined, or what to keep in mind."""

    value: Any
    note: str = ""


class Shown(NamedTuple):
    """A cell as shown: its text and the mark of its footnote (empty when there is none)."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A table of raw values, shown in any format.

    Attributes
    ----------
    id
        Anchor such as ``tbl-accuracy``; empty outside a document.
    caption
        One sentence.
    columns
        Headings and kinds.
    rows
        Raw values in the order of the columns: shares of 1, tuples for intervals, or :class:`Cell`.
    notes
        Sentences below the table; footnotes of cells follow them.
    anchors
        An id for each row, so that a finding can point to it; empty when there are none.
    lang
        Language of codes, headings and notes.
    """

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    lang: str = "en"
    footnotes: tuple[tuple[str, str], ...] = field(init=False)

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of {self.id!r} has {len(row)} values for {len(self.columns)} columns")
        if self.anchors and len(self.anchors) != len(self.rows):
            raise ValueError(f"{self.id!r} has {len(self.anchors)} anchors for {len(self.rows)} rows")
        notes = dict.fromkeys(cell.note for row in self.rows for cell in row if isinstance(cell, Cell) and cell.note)
        object.__setattr__(self, "footnotes", tuple((_mark(i), note) for i, note in enumerate(notes)))

    def render(self, fmt: str) -> str:
        """Return the table as ``text``, ``markdown``, ``html``, ``latex`` or ``csv``."""
        from click_stats.render.formats import FORMATS  # noqa: PLC0415 -- writers know the table, not the reverse

        if fmt not in FORMATS:
            raise UsageError(f"Tables have no format {fmt!r}.", found=", ".join(FORMATS), do="Use one of these.")
        return FORMATS[fmt](self)

    def below(self) -> list[tuple[str, str]]:
        """Return what stands below the table: mark (empty for a note) and text, the meaning of a bare dash last."""
        found = [*(("", note) for note in self.notes), *self.footnotes]
        if any(cell == (numbers.DASH, "") for row in self.shown() for cell in row):
            found.append(("", f"{numbers.DASH}: {codes.text('undefined', self.lang)}"))
        return found

    def shown(self) -> list[list[Shown]]:
        """Return the cells as text, row by row, undefined ones as an en dash."""
        marks = {note: mark for mark, note in self.footnotes}
        return [
            [_show(value, column, self.lang, marks) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def _show(value: Any, column: Column, lang: str, marks: Mapping[str, str]) -> Shown:
    mark = ""
    if isinstance(value, Cell):
        mark = marks.get(value.note, "")
        value = value.value
    return Shown(display(value, column.kind, lang), mark)


def row_anchor(table: str, *names: str) -> str:
    """Return the id of a row of ``table`` (``tbl-pairs``) that is about ``names``: the same in every language."""
    known = re.sub("[^a-z0-9]+", "-", " ".join(names).lower()).strip("-")
    return f"row-{table.removeprefix('tbl-')}-{known}-{zlib.crc32('|'.join(names).encode()):08x}"


def display(value: Any, kind: Kind, lang: str = "en") -> str:
    """Return a raw value as shown in a table."""
    if kind in SEVERAL:
        return numbers.DASH if numbers.undefined(value) else _SEVERAL[kind](*value)
    if numbers.undefined(value):
        return "" if kind == "remark" else numbers.DASH
    if kind in _NUMBERS:
        return _NUMBERS[kind](value)
    if isinstance(value, bool) or kind == "code":
        return codes.text(value, lang) if value != "" else numbers.DASH
    text = " ".join(str(value).split())
    return text or ("" if kind == "remark" else numbers.DASH)


def _mark(index: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    letters = ""
    index += 1
    while index:
        index, place = divmod(index - 1, 26)
        letters = chr(97 + place) + letters
    return letters
