"""Tables of people beside models: what both reach, every person, and items on which they part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

ENDS = ("conf_low", "conf_high")
WHO = ("mean of people", "majority of people", "best person", "mean of models", "best model")
SHOWN = 10
MOST_PEOPLE = 30


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis gives."""
    yield from _reached(make)
    yield from _respondents(make)
    yield from _items(make)


def _reached(make: Maker) -> Iterator[Table]:
    found = make.rows("people")
    if not found:
        return
    groups: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found:
        groups.setdefault((row["by"], row["group"]), {})[row["who"]] = row
    first, *others = WHO
    columns = [
        make.column("group", header=True),
        make.column("estimate_0", "percent", make.say(first), fields=("estimate",)),
        make.column("ends_0", "interval", make.text("people_interval"), fields=ENDS),
        *(
            make.column(f"estimate_{k}", "percent", make.say(one), fields=("estimate",))
            for k, one in enumerate(others, start=1)
        ),
        make.column("n_items", "integer"),
    ]
    rows = [
        [
            make.names.group(*group),
            make.cell(own[first], "estimate"),
            make.cell(own[first], ENDS),
            *(_named(make, own[one]) for one in others),
            own[first]["n_items"],
        ]
        for group, own in groups.items()
    ]
    notes = [make.text("note_people_reached"), make.method(found)]
    gaps = {"n": found[0]["n_people"], "models": found[0]["n_models"]}
    yield make.table("tbl-people", columns, rows, notes=notes, keys=list(groups), **gaps)


def _named(make: Maker, row: Row) -> Any:
    """Return an estimate, with the name of the best model beside where there is one; people stay in their own table."""
    value = make.cell(row, "estimate")
    if row["who"] == "best model" and row["unit"]:
        return Cell(value, make.names.unit(row["unit"]))
    return value


def _respondents(make: Maker) -> Iterator[Table]:
    found = make.rows("people", "respondents")
    if not found:
        return
    ordered = sorted(found, key=lambda row: -(row["estimate"] if row["estimate"] is not None else -1))
    shown = ordered[:MOST_PEOPLE]
    columns = [
        make.column("unit", "text", make.text("people_person"), header=True),
        make.column("estimate", "percent"),
        make.column("ends", "interval", make.text("people_interval"), fields=ENDS),
        make.column("n_items", "integer"),
    ]
    rows = [[row["unit"], make.cell(row, "estimate"), make.cell(row, ENDS), row["n_items"]] for row in shown]
    some = make.text("note_people_shown", n=MOST_PEOPLE, total=len(found)) if len(found) > MOST_PEOPLE else ""
    yield make.table(
        "tbl-people-respondents",
        columns,
        rows,
        notes=[some, make.method(found)],
        keys=[(row["unit"],) for row in shown],
    )


def _items(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("people", "items") if row["gap_people"] is not None]
    apart = [row for row in found if row["verdict"] == "separated"]
    apart.sort(key=lambda row: (row["p_adjusted"], -abs(row["gap_people"])))
    shown = apart[: 2 * SHOWN]
    if not shown:
        return
    columns = [
        make.column("item", header=True), make.column("side"), make.column("share_people", "percent"),
        make.column("share_models", "percent"), make.column("gap_people", "points"),
        make.column("ends", "interval_points", make.text("people_interval"), fields=ENDS),
        make.column("p_adjusted", "p", make.text("people_p")),
    ]  # fmt: skip
    rows = [
        [
            row["item"], make.say(row["side"]), row["share_people"], row["share_models"], row["gap_people"],
            make.cell(row, ENDS), row["p_adjusted"],
        ]
        for row in shown
    ]  # fmt: skip
    gaps = {"n": len(shown), "total": len(apart), "tested": len(found)}
    notes = [make.text("note_people_items", **gaps)]
    yield make.table("tbl-people-items", columns, rows, notes=notes, keys=[(row["item"],) for row in shown])
