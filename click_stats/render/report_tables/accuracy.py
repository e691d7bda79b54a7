"""Tables of accuracies: overall, by domain and category, denominators, bounds, other intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes, numbers
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("conf_low", "conf_high")
WITH_INTERVAL = ("estimate", *INTERVAL)
BOUNDS = ("bound_low", "bound_high")
DENOMINATORS = ("responded", "planned", "in_option")
KINDS = ("missing", "filtered", "failed", "all")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the accuracies give."""
    overall = [row for own in make.by_unit(make.rows("accuracy", by="overall")).values() for row in own]
    if overall:
        yield _overall(make, overall)
    for ident, grouping in (("tbl-domains", ("macro", "domain")), ("tbl-categories", ("category",))):
        rows = [row for by in grouping for row in make.rows("accuracy", by=by)]
        if rows:
            yield _wide(make, ident, rows)
    yield from _denominators(make)
    yield from _bounds(make)
    yield from _alternatives(make)


def _overall(make: Maker, overall: list[Row]) -> Table:
    ranks = {row["unit"]: row for row in make.rows("ranks", by="overall")}
    columns = [
        make.unit_column(),
        make.column("estimate", "percent", make.text("accuracy_percent")),
        make.column("conf", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("n_items", "integer"),
        make.column("n_clusters", "integer"),
        make.column("bounds", "interval", make.text("bounds_percent"), fields=BOUNDS),
    ]
    if ranks:
        columns.append(
            make.column("ranks", "ranks", codes.text("rank interval", make.lang), fields=("rank_low", "rank_high"))
        )
    rows = []
    for row in overall:
        cells = [
            make.names.unit(row["unit"]), make.cell(row, "estimate"), flagged(make, row, make.cell(row, INTERVAL)),
            row["n_items"], row["n_clusters"], make.cell(row, BOUNDS),
        ]  # fmt: skip
        if ranks:
            cells.append(make.cell(ranks.get(row["unit"], {}), ("rank_low", "rank_high")))
        rows.append(cells)
    notes = [
        make.method(overall),
        make.text("note_chance", value=numbers.percent(overall[0]["chance"])),
        make.text("note_bounds"),
    ]
    return make.table("tbl-accuracy", columns, rows, notes=notes, keys=[(row["unit"],) for row in overall])


def _wide(make: Maker, ident: str, found: list[Row]) -> Table:
    """Return units by groups, each cell an accuracy with its interval."""
    groups = list(dict.fromkeys((row["by"], row["group"]) for row in found))
    sizes = {(row["by"], row["group"]): row["n_items_total"] for row in found}
    columns = [make.unit_column()]
    for by, group in groups:
        size = numbers.integer(sizes[by, group])
        label = (
            make.text("macro", n=_n_categories(make)) if by == "macro" else f"{make.names.group(by, group)} ({size})"
        )
        fields = tuple(f"{group}: {name}" for name in WITH_INTERVAL)
        columns.append(make.column(group, "estimated", label, fields=fields))
    own = {unit: {(row["by"], row["group"]): row for row in rows} for unit, rows in make.by_unit(found).items()}
    rows = [
        [
            make.names.unit(unit),
            *(flagged(make, cells.get(key, {}), make.cell(cells.get(key, {}), WITH_INTERVAL)) for key in groups),
        ]
        for unit, cells in own.items()
    ]
    notes = [make.text("note_percent_interval"), make.method(found)]
    return make.table(ident, columns, rows, notes=notes, keys=[(unit,) for unit in own])


def flagged(make: Maker, row: Row, value: Any) -> Any:
    """Return a cell that carries the flag of its row as a footnote; an undefined one keeps its reason."""
    return value if isinstance(value, Cell) or not row.get("flag") else Cell(value, make.say(row["flag"]))


def _n_categories(make: Maker) -> int:
    return len(make.names.names("category"))


def _denominators(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("accuracy", "denominators", by="overall"))
    if not found:
        return
    columns = [make.unit_column()]
    for name in DENOMINATORS:
        word = codes.text(name, make.lang)
        columns.append(make.column(name, "percent", f"{word} (%)"))
        columns.append(make.column(f"{name} n_trials", "integer", make.text("trials_of", name=word)))
    rows = []
    for unit, own in found.items():
        by_name = {row["denominator"]: row for row in own}
        cells = [make.names.unit(unit)]
        for name in DENOMINATORS:
            cells += [make.cell(by_name.get(name, {}), "estimate"), make.cell(by_name.get(name, {}), "n_trials")]
        rows.append(cells)
    yield make.table("tbl-denominators", columns, rows, keys=[(unit,) for unit in found])


def _bounds(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("accuracy", "bounds", by="overall"))
    if not found:
        return
    occur = {row["missing_kind"] for own in found.values() for row in own if row["n_trials"]}
    kinds = [kind for kind in KINDS if kind in occur] if len(occur - {"all"}) > 1 else sorted(occur - {"all"})
    estimates = {row["unit"]: row for row in make.rows("accuracy", by="overall")}
    columns = [make.unit_column(), make.column("estimate", "percent", make.text("accuracy_percent"))]
    for kind in kinds:
        word = codes.text(kind, make.lang)
        columns.append(make.column(f"{kind} n_trials", "integer", make.text("trials_of", name=word)))
        columns.append(make.column(kind, "interval", make.text("bounds_of", name=word)))
    rows = []
    for unit, own in found.items():
        by_kind = {row["missing_kind"]: row for row in own}
        cells = [make.names.unit(unit), make.cell(estimates.get(unit, {}), "estimate")]
        for kind in kinds:
            cells += [make.cell(by_kind.get(kind, {}), "n_trials"), make.cell(by_kind.get(kind, {}), BOUNDS)]
        rows.append(cells)
    never = [codes.text(kind, make.lang) for kind in KINDS[:-1] if kind not in occur]
    notes = [make.text("note_bounds"), make.text("note_no_trials", kinds=", ".join(never)) if never else ""]
    yield make.table("tbl-bounds", columns, rows, notes=notes, keys=[(unit,) for unit in found])


def _alternatives(make: Maker) -> Iterator[Table]:
    """Plain Wilson intervals of the categories in which they may be used; the others are named with the reason."""
    found = make.rows("accuracy", "alternatives", by="category")
    groups = list(dict.fromkeys(row["group"] for row in found))
    usable = [name for name in groups if any(row["group"] == name and row["conf_low"] is not None for row in found)]
    if not usable:
        return
    columns = [make.unit_column()]
    for name in usable:
        fields = (f"{name}: conf_low", f"{name}: conf_high")
        columns.append(make.column(name, "interval", make.names.group("category", name), fields=fields))
    own = {unit: {row["group"]: row for row in rows} for unit, rows in make.by_unit(found).items()}
    rows = [
        [make.names.unit(unit), *(make.cell(cells.get(name, {}), INTERVAL) for name in usable)]
        for unit, cells in own.items()
    ]
    left_out: dict[str, list[str]] = {}
    for name in groups:
        if name not in usable:
            reason = next(row["reason"] for row in found if row["group"] == name)
            left_out.setdefault(make.say(reason), []).append(make.names.group("category", name))
    notes = [make.text("note_left_out", groups=", ".join(names), reason=reason) for reason, names in left_out.items()]
    yield make.table("tbl-alternatives", columns, rows, notes=notes, keys=[(unit,) for unit in own])
