"""Tables that hold the data at hand beside the numbers of the CLIcK paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes, numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell, Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("conf_low", "conf_high")
STATED = ("published_low", "published_high")
HERE = ("range_low", "range_high")
FIVE = 5


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that a comparison with published numbers gives."""
    yield from _items(make)
    yield from _sizes(make)
    yield from _accuracies(make, "tbl-paper-cells", "category")
    yield from _accuracies(make, "tbl-paper-averages", "domain")
    yield from _ranges(make)
    yield from _challenging(make)
    yield from _entropies(make)
    yield from _directions(make)
    yield from _conflicts(make)


def _items(make: Maker) -> Iterator[Table]:
    found = make.rows("published", "crossed")
    if not found:
        return
    categories = list(dict.fromkeys(row["category"] for row in found))
    sources = sorted({row["source"] for row in found})
    columns = [
        make.column("category", header=True), make.column("n_items", "integer"),
        make.column("five", "integer", make.text("published_five")),
        *(Column(name, name, "integer") for name in sources),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for name in categories:
        own = [row for row in found if row["category"] == name]
        rows.append([make.names.group("category", name), *_counted(own, sources)])
    rows.append([make.text("published_all"), *_counted(found, sources)])
    keys = [*((name,) for name in categories), ("all",)]
    yield make.table("tbl-paper-items", columns, rows, keys=keys, notes=[make.text("published_note_items")])


def _counted(rows: list[Row], sources: list[str]) -> list[int]:
    return [
        sum(row["n_items"] for row in rows),
        sum(row["n_items"] for row in rows if row["n_options"] == FIVE),
        *(sum(row["n_items"] for row in rows if row["source"] == source) for source in sources),
    ]


def _sizes(make: Maker) -> Iterator[Table]:
    found = make.rows("published", "sizes")
    if not found:
        return
    columns = [
        Column("statement", make.text("published_statement"), "code", header=True),
        make.column("published_in", "code"), make.column("published", "integer"),
        make.column("n_items", "integer", make.text("published_table")),
    ]  # fmt: skip
    rows = [[row["statement"], row["published_in"], int(row["published"]), row["n_items"]] for row in found]
    yield make.table("tbl-paper-sizes", columns, rows, keys=[(row["statement"],) for row in found])


def _accuracies(make: Maker, ident: str, by: str) -> Iterator[Table]:
    found = make.rows("published", by=by)
    if not found:
        return
    averages = by == "domain"
    columns = [
        make.unit_column(), make.column("group"),
        make.column("published_in", "code"),
        make.column("published", "percent", make.text("published_percent")),
        make.column("estimate", "percent", make.text("published_here")),
        make.column("conf", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("published_gap", "points", make.text("published_gap")),
        make.column("inside", "code"),
    ]  # fmt: skip
    if averages:
        columns.append(make.column("category_mean", "percent", make.text("published_category_mean")))
    columns.append(make.column("n_items", "integer"))
    rows, keys = [], []
    for row in _in_order(make, found):
        where: Any = row["published_in"]
        name = str(row["published_model"])
        if row["conflict"]:
            where = Cell(where, make.text("published_note_conflict"))
        cells = [
            make.names.unit(row["unit"]), make.names.group(row["by"], row["group"]), where, row["published"],
            make.cell(row, "estimate"), make.cell(row, INTERVAL), make.cell(row, "published_gap"),
            make.cell(row, "inside"),
        ]  # fmt: skip
        if averages:
            cells.append(
                Cell(row["category_mean"], "" if row["category_mean"] is not None else make.say(row["reason"]))
            )
        rows.append([*cells, row["n_items"]])
        keys.append((row["unit"], row["group"], row["published_in"], name, numbers.percent(row["published"])))
    notes = [make.text("published_note_inside", level=level(found))]
    if averages:
        notes.append(make.text("published_note_averages"))
    yield make.table(ident, columns, rows, notes=notes, keys=keys)


def _in_order(make: Maker, found: list[Row]) -> list[Row]:
    """Return rows by unit, the most accurate first, and within it by group in report order."""
    order = {name: place for place, name in enumerate(dict.fromkeys(row["group"] for row in make.rows("accuracy")))}
    return [
        row
        for own in make.by_unit(found).values()
        for row in sorted(own, key=lambda row: order.get(row["group"], len(order)))
    ]


def _ranges(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("published", "ranges") if not row["reason"]]
    if not found:
        return
    columns = [
        make.column("group", header=True), make.column("published_in", "code"),
        make.column("stated", "interval", make.text("published_range"), fields=STATED),
        make.column("here", "interval", make.text("published_range_here"), fields=HERE),
        make.column("n_units", "integer"),
    ]  # fmt: skip
    rows = []
    for row in found:
        stated: Any = make.cell(row, STATED)
        if row["conflict"]:
            stated = Cell(stated, make.text("published_note_conflict"))
        name = make.names.group(row["by"], row["group"])
        shown = make.text("published_cells_of", name=name) if row["by"] == "domain" else name
        rows.append([shown, row["published_in"], stated, make.cell(row, HERE), row["n_units"]])
    keys = [(row["by"], row["group"], numbers.interval(*make.cell(row, STATED))) for row in found]
    yield make.table("tbl-paper-ranges", columns, rows, keys=keys)


def _challenging(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("published", "challenging") if row["n_units"]]
    if not found:
        return
    columns = [
        Column("statement", make.text("published_of"), "code", header=True),
        make.column("published_in", "code"),
        make.column("stated", "text", make.text("published_percent")),
        make.column("here", "remark", make.text("published_here")),
        make.column("conf", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("published_gap", "remark", make.text("published_gap")),
        make.column("agrees", "remark"),
        make.column("n_units", "integer"), make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = []
    for row in found:
        several = row["range_low"] is not None
        shown = numbers.interval(row["range_low"], row["range_high"]) if several else numbers.percent(row["estimate"])
        known = several or row["estimate"] is not None
        # A cell that begins with an equals sign is a heading for typst.
        bound = "" if row["relation"] == "=" else f"{row['relation']} "
        holds = row["inside"] if row["agrees"] is None else row["agrees"]
        rows.append([
            row["statement"], row["published_in"], bound + numbers.percent(row["published"]),
            shown if known else Cell(numbers.DASH, make.say(row["reason"])), _ends(row, several=several),
            "" if row["published_gap"] is None else numbers.points(row["published_gap"]),
            "" if holds is None else codes.text(holds, make.lang), row["n_units"], make.cell(row, "n_items"),
        ])  # fmt: skip
    notes = [make.text("published_note_challenging"), make.text("published_note_several", level=level(found))]
    keys = [(row["statement"], row["published_in"], numbers.percent(row["published"])) for row in found]
    yield make.table("tbl-paper-challenging", columns, rows, notes=notes, keys=keys)


def _ends(row: Row, *, several: bool) -> Any:
    """Return the interval of a share; a range of several models has none of its own."""
    return (None, None) if several or row["conf_low"] is None else (row["conf_low"], row["conf_high"])


def _entropies(make: Maker) -> Iterator[Table]:
    found = make.rows("published", "entropies")
    if not any(row["estimate"] is not None for row in found):
        return
    columns = [
        make.unit_column(), make.column("measure", "code"),
        make.column("published", "remark"),
        make.column("estimate", "number", make.text("published_number_here")),
        make.column("conf", "interval_number", make.text("published_interval"), fields=INTERVAL),
        make.column("published_gap", "remark", make.text("published_number_gap")),
        make.column("inside", "remark"), make.column("n_items", "integer"),
    ]  # fmt: skip
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows = [
        [
            make.names.unit(row["unit"]), row["measure"],
            "" if row["published"] is None else f"≈ {numbers.number(row['published'])}", make.cell(row, "estimate"),
            make.cell(row, INTERVAL),
            "" if row["published_gap"] is None else numbers.number(row["published_gap"]),
            "" if row["inside"] is None else codes.text(row["inside"], make.lang), row["n_items"],
        ]
        for row in ordered
    ]  # fmt: skip
    keys = [(row["unit"], row["measure"]) for row in ordered]
    yield make.table(
        "tbl-paper-entropy", columns, rows, notes=[make.text("published_note_entropy", level=level(found))], keys=keys
    )


def _directions(make: Maker) -> Iterator[Table]:
    found = make.rows("published", "directions")
    if not any(row["estimate"] is not None for row in found):
        return
    columns = [
        make.column("model_set", label=make.text("published_family"), header=True),
        Column("statement", make.text("published_stated"), "code"), make.column("published_in", "code"),
        make.column("estimate", "percent", make.text("published_falls")), make.column("agrees", "code"),
        make.column("n_units", "integer"),
    ]  # fmt: skip
    rows = [
        [
            row["model_set"], row["statement"], row["published_in"], make.cell(row, "estimate"),
            make.cell(row, "agrees"), row["n_units"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["model_set"],) for row in found]
    yield make.table("tbl-paper-directions", columns, rows, notes=[make.text("published_note_directions")], keys=keys)


def _conflicts(make: Maker) -> Iterator[Table]:
    found = make.rows("published", "conflicts")
    if not found:
        return
    columns = [
        make.column("model", header=True), make.column("group"), make.column("published_in", "code"),
        make.column("published_model"), make.column("published", "percent", make.text("published_percent")),
    ]  # fmt: skip
    rows = [
        [row["model"], _group(make, row["group"]), row["published_in"], row["published_model"], row["published"]]
        for row in found
    ]
    keys = [(row["model"], row["group"], row["published_in"], row["published_model"]) for row in found]
    yield make.table("tbl-paper-conflicts", columns, rows, keys=keys)


def _group(make: Maker, name: str) -> str:
    known = "domain" if name in make.names.names("domain") else "category"
    return make.names.group(known, name)
