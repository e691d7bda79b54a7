"""Tables of settings: what each changed, accuracy against output tokens, and what controls win."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

INTERVAL = ("conf_low", "conf_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of conditions gives; none without several conditions or controls."""
    yield from _gains(make)
    yield from _settings(make)
    yield from _controls(make)


def _gains(make: Maker) -> Iterator[Table]:
    found = make.rows("conditions")
    if not found:
        return
    columns = [
        make.unit_column("unit_a"), make.column("unit_b", label=make.text("baseline")),
        make.column("group"), make.column("estimate", "points", make.text("difference_points")),
        make.column("conf", "interval_points", make.text("per_comparison"), fields=INTERVAL),
        make.column("p_adjusted", "p"), make.column("n_gained", "integer"), make.column("n_lost", "integer"),
        make.column("n_items", "integer"), make.column("share_same", "percent"), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit_a"]), make.names.unit(row["unit_b"]), make.names.group(row["by"], row["group"]),
            make.cell(row, "estimate"), make.cell(row, INTERVAL), make.cell(row, "p_adjusted"),
            *(make.cell(row, key) for key in ("n_gained", "n_lost", "n_items", "share_same")),
            Cell(row["verdict"], make.say(row["flag"])) if row["flag"] else row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["unit_a"], row["by"], row["group"]) for row in found]
    yield make.table("tbl-conditions", columns, rows, notes=[make.method(found)], keys=keys)


def _settings(make: Maker) -> Iterator[Table]:
    found = make.rows("conditions", "settings")
    if not any(row["output_tokens"] is not None for row in found):
        return
    columns = [
        make.unit_column(), make.column("estimate", "percent", make.text("accuracy_percent")),
        make.column("conf", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("n_items", "integer"), make.column("output_tokens", "number"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit"]), make.cell(row, "estimate"), make.cell(row, INTERVAL),
            make.cell(row, "n_items"), row["output_tokens"],
        ]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-settings", columns, rows, keys=[(row["unit"],) for row in found])


def _controls(make: Maker) -> Iterator[Table]:
    found = make.rows("conditions", "controls")
    if not found:
        return
    columns = [
        make.unit_column(), make.column("group"), make.column("estimate", "percent", make.text("accuracy_percent")),
        make.column("conf", "interval", make.text("interval_percent"), fields=INTERVAL),
        make.column("chance", "percent"), make.column("difference", "points", make.text("above_chance")),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit"]), make.names.group(row["by"], row["group"]), make.cell(row, "estimate"),
            make.cell(row, INTERVAL), *(make.cell(row, key) for key in ("chance", "difference", "n_items")),
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["unit"], row["by"], row["group"]) for row in found]
    yield make.table("tbl-controls", columns, rows, keys=keys)
