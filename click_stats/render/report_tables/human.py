"""Tables of models beside people: accuracies and human scores, what is not computable, what the paper prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("conf_low", "conf_high")
UNITS = ("percent", "percentage points")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the comparison with people gives."""
    yield from _estimates(make)
    yield from _boundaries(make)
    yield from _published(make)
    yield from _conflicts(make)


def _estimates(make: Maker) -> Iterator[Table]:
    found = make.rows("human")
    if not found:
        return
    one = len({(row["exam"], row["years"], row["boundary"]) for row in found}) == 1
    which = [] if one else [make.column("exam", "code"), make.column("boundary", "code")]
    columns = [
        make.unit_column(), *which, make.column("human_score", "percent", make.text("human_score")),
        make.column("estimate", "estimated", make.text("accuracy_percent"), fields=("estimate", *INTERVAL)),
        make.column("gap", "points", make.text("human_gap")),
        make.column("pass_probability", "percent", make.text("human_reach")),
        make.column("p_adjusted", "p", make.text("human_p")), make.column("verdict", "code"),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for unit, own in make.by_unit(found).items():
        for row in own:
            name = make.names.unit(unit)
            rows.append(
                [
                    Cell(name, make.say(row["flag"])) if row["flag"] else name,
                    *([] if one else [row["exam"], _score(make, row)]), row["human_score"],
                    make.cell(row, ("estimate", *INTERVAL)), make.cell(row, "gap"),
                    make.cell(row, "pass_probability"), make.cell(row, "p_adjusted"), row["verdict"], row["n_items"],
                ]
            )  # fmt: skip
            keys.append((unit,) if one else (unit, row["exam"], row["years"], row["boundary"]))
    first = found[0]
    notes = [
        make.text("note_human_score", exam=make.say(first["exam"]), boundary=_score(make, first)) if one else "",
        make.method(found),
        make.text("note_human_sampled" if first["target"] == "sampled" else "note_human_fixed"),
        make.text("note_human_test", alpha=numbers.number(1 - first["conf_level"])),
        make.text("note_human_subset"),
    ]
    yield make.table("tbl-human", columns, rows, notes=notes, keys=keys)


def _score(make: Maker, row: Row) -> str:
    name = make.say(row["boundary"])
    return f"{name} ({row['years']})" if row["years"] else name


def _boundaries(make: Maker) -> Iterator[Table]:
    found = make.rows("human", "boundaries")
    if not found:
        return
    columns = [
        make.column("exam", "code", header=True), make.column("years"), make.column("boundary", "code"),
        make.column("human_score", "percent", make.text("human_score")),
        make.column("n_items", "integer"), make.column("computable", "code"), make.column("sources", "code"),
    ]  # fmt: skip
    rows = [
        [
            row["exam"], row["years"], row["boundary"], make.cell(row, "human_score"), row["n_items"],
            Cell(row["computable"], make.say(row["reason"])) if row["reason"] else row["computable"], row["sources"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["exam"], row["years"], row["boundary"]) for row in found]
    yield make.table("tbl-human-boundaries", columns, rows, notes=[make.text("note_human_boundaries")], keys=keys)


def _published(make: Maker) -> Iterator[Table]:
    found = make.rows("human", "published")
    if not found:
        return
    columns = [
        make.column("exam", "code", header=True), make.column("model", "code", make.text("human_published_model")),
        make.column("quantity", "code"), make.column("published"),
        make.column("estimate", "estimated", make.text("human_here"), fields=("estimate", *INTERVAL)),
        make.column("note", "remark"),
    ]  # fmt: skip
    rows = [
        [
            row["exam"], row["model"], row["quantity"], _published_value(make, row),
            make.cell(row, ("estimate", *INTERVAL)), make.say(row["note"]),
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["exam"], row["model"], row["quantity"]) for row in found]
    yield make.table("tbl-human-published", columns, rows, notes=[make.text("note_human_published")], keys=keys)


def _conflicts(make: Maker) -> Iterator[Table]:
    found = make.rows("human", "conflicts")
    if not found:
        return
    columns = [make.column("exam", "code", header=True), make.column("note", "remark", make.text("human_conflict"))]
    rows = [[row["exam"], make.say(row["note"])] for row in found]
    keys = [(row["exam"], row["note"]) for row in found]
    yield make.table("tbl-human-conflicts", columns, rows, keys=keys)


def _published_value(make: Maker, row: Row) -> str:
    """Return a published number as printed, with its unit unless that is what the column before it says."""
    if row["published"] is None:
        return numbers.DASH
    value = float(row["published"])
    text = numbers.number(value, 0 if value.is_integer() else 1)
    relation = "" if row["relation"] == "=" else f"{row['relation']} "
    gap = "" if make.lang == "ko" else " "
    unit = f"{gap}{make.say(row['scale_unit'])}" if row["scale_unit"] in UNITS else ""
    return relation + text + unit
