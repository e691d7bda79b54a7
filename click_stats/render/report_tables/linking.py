"""Tables of new models on a fixed scale: abilities and whole scores, and items that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.render import numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

ABILITY = ("linked_ability_low", "linked_ability_high")
SCORE = ("linked_score_low", "linked_score_high")
MOST = 15


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis gives."""
    yield from _models(make)
    yield from _drift(make)


def _models(make: Maker) -> Iterator[Table]:
    found = make.rows("linking")
    if not found:
        return
    found.sort(key=lambda row: -(row["linked_score"] if row["linked_score"] is not None else -1.0))
    columns = [
        make.unit_column(), make.column("n_items", "integer"), make.column("proportion_here", "percent"),
        make.column("linked_score", "percent"), make.column("score", "interval", make.text("link_ends"), fields=SCORE),
        make.column("linked_ability", "number"),
        make.column("ability", "interval_number", make.text("link_ends"), fields=ABILITY),
        make.column("ability_ml", "number"), make.column("fit_z", "number"),
        make.column("p_fit_adjusted", "p", make.text("link_p")),
    ]  # fmt: skip
    rows = []
    for row in found:
        name = make.names.unit(str(row["unit"]))
        rows.append(
            [
                Cell(name, make.say(row["flag"])) if row["flag"] else name,
                *(make.cell(row, key) for key in ("n_items", "proportion_here", "linked_score", SCORE)),
                *(make.cell(row, key) for key in ("linked_ability", ABILITY, "ability_ml", "fit_z", "p_fit_adjusted")),
            ]
        )
    meta = make.results["linking"].meta
    notes = [
        make.text("note_link_models", level=level(found)),
        make.text("note_link_prior", mean=meta["prior_mean"], sd=meta["prior_sd"]),
    ]
    n = make.results["linking"].summary["n_items"] if make.results["linking"].summary else 0
    yield make.table(
        "tbl-linking", columns, rows, notes=notes, keys=[(str(row["unit"]),) for row in found], n=numbers.integer(n)
    )


def _drift(make: Maker) -> Iterator[Table]:
    tested = [row for row in make.rows("linking", "drift") if row["p_value"] is not None]
    if not tested:
        return
    shown = sorted(tested, key=lambda row: (row["p_value"], row["item"]))[:MOST]
    columns = [
        make.column("item", header=True), make.column("n_units", "integer"), make.column("proportion_here", "percent"),
        make.column("expected_here", "percent"), make.column("difficulty_shift", "number"),
        make.column("difficulty_shift_se", "number"), make.column("p_adjusted", "p", make.text("link_bh")),
        make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            row["item"], row["n_units"], row["proportion_here"], row["expected_here"],
            make.cell(row, "difficulty_shift"), make.cell(row, "difficulty_shift_se"), row["p_adjusted"],
            row["verdict"],
        ]
        for row in shown
    ]  # fmt: skip
    note = make.text("note_link_drift", n=len(shown), total=len(tested))
    yield make.table("tbl-linking-drift", columns, rows, notes=[note], keys=[(str(row["item"]),) for row in shown])
