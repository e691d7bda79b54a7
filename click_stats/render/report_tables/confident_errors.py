"""Tables of confident errors: challenging items, entropy, shared items, agreed wrong options, scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

INTERVAL = ("estimate", "conf_low", "conf_high")
MOST_AGREED = 20


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of confident errors gives."""
    yield from _challenging(make)
    yield from _entropy(make)
    yield from _shared(make)
    yield from _agreed(make)
    yield from _scale(make)


def _challenging(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", "challenging", by="overall")
    if not found:
        return
    counts = ("n_challenging", "n_uncertain", "n_by_position", "n_sure", "n_confident", "n_items")
    columns = [
        make.unit_column(),
        make.column("estimate", "estimated", make.text("confident_challenging"), fields=INTERVAL),
        *(make.column(name, "integer") for name in counts),
    ]
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows = [
        [make.names.unit(row["unit"]), make.cell(row, INTERVAL), *(make.cell(row, name) for name in counts)]
        for row in ordered
    ]
    notes = [make.text("note_confident_classes")]
    yield make.table("tbl-confident_errors", columns, rows, notes=notes, keys=[(row["unit"],) for row in ordered])


def _entropy(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", item_scope="challenging items")
    found = [row for row in found if row["estimate"] is not None]
    if not found:
        return
    columns = [
        make.unit_column(), make.column("measure", "code"),
        make.column("estimate", "number", make.text("confident_mean")), make.column("conf_low", "number"),
        make.column("conf_high", "number"), make.column("median", "number"), make.column("guesser", "number"),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows = [
        [
            make.names.unit(row["unit"]), row["measure"],
            *(row[name] for name in ("estimate", "conf_low", "conf_high", "median", "guesser", "n_items")),
        ]
        for row in ordered
    ]  # fmt: skip
    keys = [(row["unit"], row["measure"]) for row in ordered]
    yield make.table(
        "tbl-confident_errors-entropy", columns, rows, notes=[make.text("note_confident_entropy")], keys=keys
    )


def _shared(make: Maker) -> Iterator[Table]:
    found = [
        row for row in make.rows("confident_errors", "shared", model_set="all models")
        if row["n_shared"] is not None and row["by"] in {"overall", "category"}
    ]  # fmt: skip
    if not found:
        return
    numbers = ("expected_independent", "expected_difficulty", "expected_low", "expected_high")
    columns = [
        make.column("group", "code", header=True), make.column("statement", "code"), make.column("n_shared", "integer"),
        *(make.column(name, "number") for name in numbers), make.column("verdict", "code"),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = [
        [
            row["group"], row["statement"], row["n_shared"],
            *(make.cell(row, name) for name in numbers), row["verdict"], row["n_items"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["by"], row["group"], row["statement"]) for row in found]
    yield make.table(
        "tbl-confident_errors-shared", columns, rows, notes=[make.text("note_confident_shared")], keys=keys
    )


def _agreed(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", "agreed")[:MOST_AGREED]
    if not found:
        return
    names = ("option", "n_units", "n_families")
    columns = [
        make.column("item", header=True), make.column("category", "code"), make.column("source"),
        *(make.column(name, "integer") for name in names),
    ]  # fmt: skip
    rows = [[row["item"], row["category"], row["source"], *(row[name] for name in names)] for row in found]
    keys = [(row["item"], str(row["option"])) for row in found]
    yield make.table(
        "tbl-confident_errors-agreed", columns, rows, notes=[make.text("note_confident_agreed")], keys=keys
    )


def _scale(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", "scale")
    if not found or all(row["estimate"] is None for row in found):
        return
    columns = [
        make.column("design", "code", header=True), make.column("term", "code"), make.column("estimate", "number"),
        make.column("conf_low", "number"), make.column("conf_high", "number"), make.column("df", "number"),
        make.column("p_value", "p"), make.column("p_permutation", "p"), make.column("p_least", "p"),
        make.column("n_units", "integer"),
    ]  # fmt: skip
    names = ("estimate", "conf_low", "conf_high", "df", "p_value", "p_permutation", "p_least", "n_units")
    rows = [[row["design"], row["term"], *(make.cell(row, name) for name in names)] for row in found]
    keys = [(row["design"], row["term"]) for row in found]
    yield make.table("tbl-confident_errors-scale", columns, rows, notes=[make.text("note_confident_scale")], keys=keys)
