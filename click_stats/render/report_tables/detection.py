"""Tables of what could be detected: detectable differences and items needed."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the power analysis gives."""
    yield from _detectable(make)
    yield from _needed(make)


def _detectable(make: Maker) -> Iterator[Table]:
    found = _by_group(make.rows("power"))
    if not found:
        return
    columns = [
        make.column("group", header=True), make.column("n_items", "integer", make.text("shared_items")),
        make.column("n_units", "integer", make.text("comparisons")),
        make.column("detectable", "percent", make.text("median_points")),
        make.column("detectable_low", "percent", make.text("least_points")),
        make.column("detectable_high", "percent", make.text("most_points")),
    ]  # fmt: skip
    rows = []
    for (by, group), own in found.items():
        values = [row["detectable"] for row in own if row["detectable"] is not None]
        missing = "; ".join(
            dict.fromkeys(make.say(row["reason"]) for row in own if row["detectable"] is None and row["reason"])
        )
        summary: list[Any] = [median(values), min(values), max(values)] if values else [Cell(None, missing)] * 3
        n_items = max((row["n_items"] for row in own if row["n_items"] is not None), default=None)
        rows.append(
            [make.names.group(by, group), n_items, Cell(len(values), missing) if missing else len(values), *summary]
        )
    first = make.rows("power")[0]
    reference = make.names.unit(first["unit_b"])
    notes = [make.text("note_power", power=numbers.level(first["power"]), alpha=numbers.number(first["alpha"]))]
    yield make.table("tbl-detectable", columns, rows, notes=notes, keys=list(found), reference=reference)


def _needed(make: Maker) -> Iterator[Table]:
    found = _by_group(make.rows("power", "needed"))
    if not found:
        return
    differences = sorted({row["difference"] for own in found.values() for row in own})
    columns = [make.column("group", header=True)]
    for value in differences:
        label = make.text("for_difference", value=numbers.number(100 * value, 0 if (100 * value).is_integer() else 1))
        columns.append(make.column(f"{value:g}", "integer", label))
    rows = []
    for (by, group), own in found.items():
        cells = {row["difference"]: row for row in own}
        rows.append(
            [make.names.group(by, group), *(make.cell(cells.get(value, {}), "n_needed") for value in differences)]
        )
    first = next(iter(found.values()))[0]
    notes = [make.text("note_needed", power=numbers.level(first["power"]), alpha=numbers.number(first["alpha"]))]
    yield make.table("tbl-needed", columns, rows, notes=notes, keys=list(found))


def _by_group(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["by"], row["group"]), []).append(row)
    return found
