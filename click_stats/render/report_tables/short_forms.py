"""Tables of short forms: error against the number of items, the best form by category, how to score it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

ADAPTIVE = "adaptive"
EVERY = 10
"""Steps of the number of right answers that the table of conversions shows."""


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis gives."""
    yield from _curve(make)
    yield from _forms(make)
    yield from _scoring(make)
    yield from _conversion(make)


def _curve(make: Maker) -> Iterator[Table]:
    found = make.rows("short_forms")
    if not found:
        return
    adaptive = [{"strategy": ADAPTIVE, **row} for row in make.rows("short_forms", "adaptive")]
    columns = [
        make.column("strategy", "code", header=True), make.column("n_chosen", "integer"),
        make.column("estimate", "percent", make.text("short_error")),
        make.column("rmse", "percent", make.text("short_rmse")),
        make.column("bias", "points"), make.column("rank_correlation", "number"),
        make.column("first_kept", "percent", make.text("short_first")),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for row in [*found, *adaptive]:
        first = Cell(None, make.text("short_no_first")) if row["strategy"] == ADAPTIVE else make.cell(row, "first_kept")
        rows.append(
            [
                row["strategy"], *(make.cell(row, key) for key in ("n_chosen", "estimate", "rmse", "bias")),
                make.cell(row, "rank_correlation"), first,
            ]
        )  # fmt: skip
    shared = found[0]
    notes = [
        make.text("note_short_curve", n=numbers.integer(shared["n_items"]), models=shared["n_units"]),
        make.text("note_short_blind"),
    ]
    keys = [(row["strategy"], str(row["n_chosen"])) for row in [*found, *adaptive]]
    yield make.table("tbl-short-forms", columns, rows, notes=notes, keys=keys)


def _forms(make: Maker) -> Iterator[Table]:
    found = make.rows("short_forms", "forms")
    if not found:
        return
    strategies = list(dict.fromkeys(row["strategy"] for row in found))
    categories = list(dict.fromkeys(row["category"] for row in found))
    names = [name for name in make.names.names("category") if name in categories] or categories
    chosen = Counter((row["strategy"], row["category"]) for row in found)
    weights: Counter[tuple[str, str]] = Counter()
    for row in found:
        weights[row["strategy"], row["category"]] += row["item_weight"]
    columns = [make.column("category", header=True, label=make.text("short_category"))]
    for one in strategies:
        columns.append(make.column(f"n_{one}", "integer", make.text("short_n", strategy=make.say(one))))
        columns.append(make.column(f"w_{one}", "percent", make.text("short_w", strategy=make.say(one))))
    rows = [
        [
            make.names.group("category", name),
            *(value for one in strategies for value in (chosen[one, name], weights[one, name])),
        ]
        for name in names
    ]
    note = make.text("note_short_forms")
    yield make.table(
        "tbl-short-forms-items", columns, rows, notes=[note], keys=[("category", name) for name in names],
        n=found[0]["n_chosen"],
    )  # fmt: skip


def _scoring(make: Maker) -> Iterator[Table]:
    found = make.rows("short_forms", "scoring")
    if not found:
        return
    columns = [
        make.column("strategy", "code", header=True), make.column("method", "code", make.text("short_how")),
        make.column("intercept", "percent", make.text("short_intercept")), make.column("slope", "number"),
        make.column("rmse", "percent", make.text("short_rmse")),
    ]  # fmt: skip
    rows = [
        [row["strategy"], row["method"], *(make.cell(row, key) for key in ("intercept", "slope", "rmse"))]
        for row in found
    ]
    yield make.table(
        "tbl-short-forms-scoring", columns, rows, notes=[make.text("note_short_scoring")],
        keys=[(row["strategy"],) for row in found], n=found[0]["n_chosen"],
    )  # fmt: skip


def _conversion(make: Maker) -> Iterator[Table]:
    found = make.rows("short_forms", "conversion")
    if not found:
        return
    last = max(row["number_right"] for row in found)
    step = max(1, last // EVERY)
    shown = [row for row in found if row["number_right"] % step == 0 or row["number_right"] == last]
    columns = [
        make.column("number_right", "integer", header=True),
        make.column("predicted_score", "percent", make.text("short_predicted")),
        make.column("score_se", "percent", make.text("short_se")),
    ]
    rows = [[row["number_right"], row["predicted_score"], row["score_se"]] for row in shown]
    yield make.table(
        "tbl-short-forms-conversion", columns, rows, notes=[make.text("note_short_conversion")],
        keys=[(str(row["number_right"]),) for row in shown], n=last,
    )  # fmt: skip
