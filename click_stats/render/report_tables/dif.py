"""Tables of differential item functioning: the groups, categories, and items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

ENDS = ("conf_low", "conf_high")
SHOWN = 6


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis gives."""
    yield from _contrasts(make)
    yield from _groups(make)
    yield from _items(make)


def _contrasts(make: Maker) -> Iterator[Table]:
    found = make.rows("dif", "contrasts")
    if not found:
        return
    columns = [
        make.column("contrast", "code", header=True), make.column("reference", "text", make.text("dif_reference")),
        make.column("focal", "text", make.text("dif_focal")), make.column("ability_gap", "points"),
        make.column("n_items", "integer"), make.column("n_anchor", "integer"), make.column("n_class_c", "integer"),
        make.column("n_separated", "integer"), make.column("detectable", "percent", make.text("dif_detectable")),
    ]  # fmt: skip
    rows = [
        [
            row["contrast"], _side(make, row, "reference"), _side(make, row, "focal"),
            *(make.cell(row, key) for key in ("ability_gap", "n_items", "n_anchor", "n_class_c", "n_separated")),
            make.cell(row, "detectable"),
        ]
        for row in found
    ]  # fmt: skip
    notes = [make.text("note_dif_sides"), make.text("note_dif_detectable")]
    yield make.table("tbl-dif", columns, rows, notes=notes, keys=[(row["contrast"],) for row in found])


def _side(make: Maker, row: Row, side: str) -> Any:
    name, n = row[f"group_{side}"], row[f"n_{side}"]
    return make.text("dif_side", name=make.say(name), n=n) if name else Cell(None, make.say(row["reason"]))


def _groups(make: Maker) -> Iterator[Table]:
    found = make.rows("dif", "groups", by="category")
    if not found:
        return
    contrasts = list(dict.fromkeys(row["contrast"] for row in found))
    places = {(row["contrast"], row["group"]): row for row in found}
    groups = list(dict.fromkeys(row["group"] for row in found))
    columns = [make.column("group", header=True)]
    for one in contrasts:
        columns.append(make.column(f"estimate_{one}", "points", make.say(one), fields=("estimate",)))
        columns.append(make.column(f"ends_{one}", "interval_points", make.text("dif_interval"), fields=ENDS))
    rows = []
    for group in groups:
        cells: list[Any] = [make.names.group("category", group)]
        for one in contrasts:
            row = places[one, group]
            apart = make.text("dif_separated") if row["verdict"] == "separated" else ""
            value = make.cell(row, "estimate")
            cells += [Cell(value, apart) if apart else value, make.cell(row, ENDS)]
        rows.append(cells)
    notes = [make.text("note_dif_groups"), make.method(found)]
    yield make.table("tbl-dif-groups", columns, rows, notes=notes, keys=[("category", group) for group in groups])


def _items(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("dif") if row["estimate"] is not None and row["std_error"]]
    if not found:
        return
    tested = any(row["verdict"] != "not decided" for row in found)
    chosen: list[Row] = []
    for one in dict.fromkeys(row["contrast"] for row in found):
        own = [row for row in found if row["contrast"] == one]
        if tested:
            own = [row for row in own if row["verdict"] == "separated"]
            own.sort(key=lambda row: row["p_adjusted"])
        else:
            own = [row for row in own if row["conf_low"] * row["conf_high"] > 0]
            own.sort(key=lambda row: -min(abs(row["conf_low"]), abs(row["conf_high"])))
        chosen += own[:SHOWN]
    if not chosen:
        return
    columns = [
        make.column("contrast", "code", header=True), make.column("item"), make.column("estimate", "points"),
        make.column("ends", "interval_points", make.text("dif_interval"), fields=ENDS),
    ]  # fmt: skip
    if tested:
        columns.append(make.column("mh_delta", "number"))
        columns += [make.column("p_adjusted", "p", make.text("dif_p")), make.column("ets_class")]
    rows = [
        [
            row["contrast"], row["item"], row["estimate"], make.cell(row, ENDS),
            *([make.cell(row, "mh_delta"), row["p_adjusted"], row["ets_class"] or ""] if tested else []),
        ]
        for row in chosen
    ]  # fmt: skip
    note = make.text("note_dif_tested" if tested else "note_dif_untested", n=SHOWN)
    keys = [(row["contrast"], row["item"]) for row in chosen]
    yield make.table("tbl-dif-items", columns, rows, notes=[note], keys=keys)
