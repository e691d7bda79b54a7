"""Tables of differences and ranks: families, item sets, against the reference, all pairs, ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes, numbers
from click_stats.render.labels import shared_items
from click_stats.render.report_tables.accuracy import INTERVAL, flagged
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Column, Table

SIMULTANEOUS = ("sim_low", "sim_high")
ODDS = ("odds_low", "odds_high")
BOUNDS = ("bound_low", "bound_high")
RANKS = ("rank_low", "rank_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that comparisons and ranks give."""
    yield from _families(make)
    yield from _item_sets(make)
    reference = sorted(make.rows("compare", "reference", by="overall"), key=lambda row: _falling(row["estimate"]))
    if reference:
        yield _reference(make, reference)
    yield from _reference_categories(make)
    yield from _letters(make)
    pairs = make.rows("compare", by="overall")
    if pairs:
        yield _pairs(make, pairs)
    yield from _ranks(make)
    yield from _ranks_categories(make)


def _falling(value: float | None) -> float:
    return float("inf") if value is None else -value


def _families(make: Maker) -> Iterator[Table]:
    found = make.rows("compare", "families")
    if not found:
        return
    columns = [
        make.column("test_family", "code", header=True), make.column("correction", "code"),
        make.column("n_tests", "integer"), make.column("n_estimable", "integer"), make.column("alpha", "number"),
        make.column("critical_value", "number"), make.column("n_draws", "integer"), make.column("note", "remark"),
    ]  # fmt: skip
    keys = ("test_family", "correction", "n_tests", "n_estimable", "alpha", "critical_value", "n_draws")
    rows = [[*(row.get(key) for key in keys), make.say(row.get("note"))] for row in found]
    yield make.table("tbl-families", columns, rows)


def _item_sets(make: Maker) -> Iterator[Table]:
    """Shared items by group: of the overall comparison, and of the comparisons within categories."""
    found = make.rows("compare", "item_sets")
    within = {row["group"]: row for row in found if row["by"].startswith("overall x ")}
    own = {row["group"]: row for row in found if row["by"] == "category"}
    whole = [row for row in found if row["by"] == "overall"]
    groups = [*whole, *(row for row in (own or within).values())]
    if not groups:
        return
    columns = [make.column("group", header=True), make.column("n_items_total", "integer")]
    sets: list[tuple[str, dict[str, Row]]] = [("overall", {**{row["group"]: row for row in whole}, **within})]
    if own:
        sets.append(("category", own))
    for name, _ in sets:
        columns.append(make.column(f"{name} n_items", "integer", make.text(f"shared_{name}")))
        columns.append(make.column(f"{name} n_units", "integer", make.text(f"models_{name}")))
    rows = []
    for row in groups:
        cells: list[Any] = [make.names.group(row["by"].removeprefix("overall x "), row["group"]), row["n_items_total"]]
        for name, by_group in sets:
            entry = by_group.get(row["group"])
            if entry is None:
                cells += [Cell(None, make.text("note_whole")), Cell(None, make.text("note_whole"))]
                continue
            n_units = Cell(entry["n_units"], make.say(entry["note"])) if entry.get("note") else entry["n_units"]
            cells += [entry["n_items"], n_units if name == "category" or row in whole else entry["n_units"]]
        rows.append(cells)
    yield make.table("tbl-item-sets", columns, rows)


def _difference(make: Maker, row: Row) -> list[Any]:
    return [
        make.cell(row, "estimate"), flagged(make, row, make.cell(row, INTERVAL)), make.cell(row, SIMULTANEOUS),
        make.cell(row, "p_value"), make.cell(row, "p_adjusted"), make.cell(row, "p_holm"), make.cell(row, "p_bh"),
        make.cell(row, "n_a_only"), make.cell(row, "n_b_only"),
    ]  # fmt: skip


def _difference_columns(make: Maker) -> list[Column]:
    return [
        make.column("estimate", "points", make.text("difference_points")),
        make.column("conf", "interval_points", make.text("per_comparison"), fields=INTERVAL),
        make.column("sim", "interval_points", make.text("simultaneous"), fields=SIMULTANEOUS),
        make.column("p_value", "p"), make.column("p_adjusted", "p", make.text("p_max_t")), make.column("p_holm", "p"),
        make.column("p_bh", "p"), make.column("n_a_only", "integer"), make.column("n_b_only", "integer"),
    ]  # fmt: skip


def _verdict(make: Maker, row: Row) -> Any:
    """Return the verdict with what puts it in doubt as a footnote."""
    doubts = [
        make.text("doubt_missing") if row.get("verdict_changes") else "",
        make.text("doubt_sign") if row.get("sign_conflict") else "",
        make.text("doubt_protocol") if row.get("same_protocol") == "no" else "",
    ]
    said = "; ".join(filter(None, doubts))
    return Cell(row["verdict"], said) if said else row["verdict"]


def _compared_on(make: Maker, n_items: set[int]) -> str:
    """Say on which items models were compared: all on one set, or each pair on its own."""
    if not shared_items(make.results):
        return make.text("note_pairs", n=numbers.integer(max(n_items, default=0)))
    return make.text("note_shared", n=numbers.integer(max(n_items))) if len(n_items) == 1 else ""


def _notes(make: Maker, rows: list[Row]) -> list[str]:
    """Return what holds for all rows: items, methods, protocols."""
    n_items = {row["n_items"] for row in rows if row.get("n_items") is not None}
    margin = next((row["margin"] for row in rows if row.get("margin") is not None), None)
    return [
        _compared_on(make, n_items),
        make.method(rows),
        make.text("note_margin", m=numbers.percent(margin)) if margin is not None else "",
        make.text("note_protocol") if any(row.get("same_protocol") == "not stated" for row in rows) else "",
    ]


def _reference(make: Maker, found: list[Row]) -> Table:
    detectable = {row["unit_a"]: row for row in make.rows("power", by="overall")}
    columns = [
        make.unit_column("unit_a"), *_difference_columns(make),
        make.column("bounds", "interval_points", make.text("bounds_points"), fields=BOUNDS),
    ]  # fmt: skip
    if detectable:
        columns.append(make.column("detectable", "percent", make.text("detectable_points")))
    columns.append(make.column("verdict", "code"))
    rows = []
    for row in found:
        cells = [make.names.unit(row["unit_a"]), *_difference(make, row), make.cell(row, BOUNDS)]
        if detectable:
            cells.append(make.cell(detectable.get(row["unit_a"], {}), "detectable"))
        rows.append([*cells, _verdict(make, row)])
    reference = make.names.unit(found[0]["unit_b"])
    notes = [make.text("note_a_b", reference=reference), *_notes(make, found), make.text("note_bounds_pairs")]
    keys = [(row["unit_a"], row["unit_b"]) for row in found]
    return make.table("tbl-reference", columns, rows, notes=notes, keys=keys, reference=reference)


def _reference_categories(make: Maker) -> Iterator[Table]:
    found = make.rows("compare", "reference", by="category")
    if not found:
        return
    groups = list(dict.fromkeys(row["group"] for row in found))
    n_items = {row["group"]: row["n_items"] for row in found if row["estimate"] is not None}
    columns = [make.unit_column("unit_a")]
    for name in groups:
        size = f" ({numbers.integer(n_items[name])})" if name in n_items else ""
        fields = (f"{name}: estimate", f"{name}: p_adjusted")
        columns.append(make.column(name, "tested", make.names.group("category", name) + size, fields=fields))
    own = {unit: {row["group"]: row for row in rows} for unit, rows in make.by_unit(found, "unit_a").items()}
    rows = [
        [make.names.unit(unit), *(make.cell(cells.get(name, {}), ("estimate", "p_adjusted")) for name in groups)]
        for unit, cells in own.items()
    ]
    alpha = next((row["alpha"] for row in make.rows("compare", "families")), None)
    notes = [make.text("note_tested", alpha=numbers.number(alpha)) if alpha is not None else ""]
    reference = make.names.unit(found[0]["unit_b"])
    keys = [(unit, found[0]["unit_b"]) for unit in own]
    yield make.table("tbl-reference-categories", columns, rows, notes=notes, keys=keys, reference=reference)


def _letters(make: Maker) -> Iterator[Table]:
    found = {row["unit"]: row for row in make.rows("compare", "letters", by="overall")}
    if not found:
        return
    order = [unit for unit in make.units if unit in found]
    columns = [make.unit_column(), make.column("letters", "remark")]
    rows = [[make.names.unit(unit), found[unit]["letters"]] for unit in order]
    yield make.table("tbl-letters", columns, rows, keys=[(unit,) for unit in order])


def _pairs(make: Maker, found: list[Row]) -> Table:
    columns = [
        make.unit_column("unit_a"), make.unit_column("unit_b"), *_difference_columns(make),
        make.column("p_mcnemar", "p"), make.column("p_mcnemar_midp", "p"), make.column("odds_ratio", "number"),
        make.column("odds", "interval_number", codes.text("interval of the odds ratio", make.lang), fields=ODDS),
        make.column("se_ratio", "number"), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit_a"]), make.names.unit(row["unit_b"]), *_difference(make, row),
            make.cell(row, "p_mcnemar"), make.cell(row, "p_mcnemar_midp"), make.cell(row, "odds_ratio"),
            make.cell(row, ODDS), make.cell(row, "se_ratio"), _verdict(make, row),
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["unit_a"], row["unit_b"]) for row in found]
    return make.table("tbl-pairs", columns, rows, notes=_notes(make, found), keys=keys, n=numbers.integer(len(found)))


def _ranks(make: Maker) -> Iterator[Table]:
    found = make.rows("ranks", by="overall")
    if not found:
        return
    found.sort(key=lambda row: (row["rank"] is None, row["rank"] or 0, _falling(row["estimate"])))
    columns = [
        make.unit_column(), make.column("rank", "integer"),
        make.column("ranks", "ranks", codes.text("rank interval", make.lang), fields=RANKS),
        make.column("estimate", "percent", make.text("accuracy_shared")), make.column("n_better", "integer"),
        make.column("n_worse", "integer"), make.column("co_leader", "code"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit"]), flagged(make, row, make.cell(row, "rank")), make.cell(row, RANKS),
            *(make.cell(row, key) for key in ("estimate", "n_better", "n_worse", "co_leader")),
        ]
        for row in found
    ]  # fmt: skip
    notes = [_compared_on(make, {max(row["n_items"] for row in found)}), make.text("note_ranks", level=level(found))]
    yield make.table("tbl-ranks", columns, rows, notes=notes, keys=[(row["unit"],) for row in found])


def _ranks_categories(make: Maker) -> Iterator[Table]:
    found = make.rows("ranks", by="category")
    if not found:
        return
    groups = list(dict.fromkeys(row["group"] for row in found))
    columns = [make.unit_column()]
    for name in groups:
        fields = (f"{name}: rank_low", f"{name}: rank_high")
        columns.append(make.column(name, "ranks", make.names.group("category", name), fields=fields))
    own = {unit: {row["group"]: row for row in rows} for unit, rows in make.by_unit(found).items()}
    rows = [
        [make.names.unit(unit), *(make.cell(cells.get(name, {}), RANKS) for name in groups)]
        for unit, cells in own.items()
    ]
    yield make.table("tbl-ranks-categories", columns, rows, keys=[(unit,) for unit in own])
