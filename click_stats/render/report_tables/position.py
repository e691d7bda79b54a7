"""Tables of displayed positions: what is chosen where, the tests, accuracy when position cannot help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("estimate", "conf_low", "conf_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of position gives."""
    shares = make.rows("position")
    if shares:
        yield _by_position(make, "tbl-position", shares, "position_share")
    tests = make.rows("position", "tests")
    if tests:
        columns = [
            make.unit_column(), make.column("n_options", "integer"), make.column("measure", "code"),
            make.column("p_adjusted", "p", make.text("position_p")), make.column("verdict", "code"),
            make.column("n_items", "integer"),
        ]  # fmt: skip
        rows = [
            [
                make.names.unit(row["unit"]), row["n_options"], row["measure"], make.cell(row, "p_adjusted"),
                row["verdict"], row["n_items"],
            ]
            for own in make.by_unit(tests).values() for row in own
        ]  # fmt: skip
        keys = [
            (row["unit"], str(row["n_options"]), row["measure"])
            for own in make.by_unit(tests).values() for row in own
        ]  # fmt: skip
        yield make.table("tbl-position-tests", columns, rows, notes=[make.text("note_position_tests")], keys=keys)
    gold = make.rows("position", "gold")
    if gold:
        yield _by_position(make, "tbl-position-gold", gold, "accuracy_percent")
    scores = [row for row in make.rows("position", "accuracies") if row["estimate"] is not None]
    if scores:
        columns = [
            make.unit_column(), make.column("measure", "code"),
            make.column("estimate", "estimated", make.text("accuracy_percent"), fields=INTERVAL),
            make.column("n_items", "integer"),
        ]  # fmt: skip
        ordered = [row for own in make.by_unit(scores).values() for row in own]
        rows = [
            [make.names.unit(row["unit"]), row["measure"], make.cell(row, INTERVAL), row["n_items"]] for row in ordered
        ]
        names = [(row["unit"], row["measure"]) for row in ordered]
        yield make.table(
            "tbl-position-accuracy", columns, rows, notes=[make.text("note_position_accuracy")], keys=names
        )


def _by_position(make: Maker, ident: str, found: list[Row], heading: str) -> Table:
    columns = [
        make.unit_column(), make.column("n_options", "integer"), make.column("position", "integer"),
        make.column("estimate", "estimated", make.text(heading), fields=INTERVAL),
    ]  # fmt: skip
    if "expected" in found[0]:
        columns.append(make.column("expected", "percent", make.text("position_expected")))
    columns.append(make.column("n_items", "integer"))
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows: list[list[Any]] = []
    for row in ordered:
        more = [row["expected"]] if "expected" in row else []
        name = make.names.unit(row["unit"])
        rows.append([name, row["n_options"], row["position"], make.cell(row, INTERVAL), *more, row["n_items"]])
    keys = [(row["unit"], str(row["n_options"]), str(row["position"])) for row in ordered]
    notes = list(dict.fromkeys(make.say(row["reason"]) for row in ordered if row["reason"]))
    return make.table(ident, columns, rows, notes=notes, keys=keys)
