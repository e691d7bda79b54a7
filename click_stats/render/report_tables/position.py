"""Tables of displayed positions, one row per model: what is chosen too often, accuracy when position cannot help.

Every position and number of options stands in a wide table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("estimate", "conf_low", "conf_high")
PREFERENCE = ("preference", "preference_low", "preference_high")
CHOICES, BY_GOLD = "choices", "accuracy by position of the right option"
ACCURACIES = {
    "mean accuracy": "mean",
    "strict circular accuracy": "strict",
    "majority-vote accuracy": "vote",
    "bias-adjusted accuracy": "adjusted",
}


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of position gives."""
    yield from _favoured(make)
    yield from _accuracy(make)
    yield from _positions(make)


def _favoured(make: Maker) -> Iterator[Table]:
    shares = make.by_unit(row for row in make.rows("position") if row["departure"] is not None)
    if not shares:
        return
    tests = make.by_unit(make.rows("position", "tests"))
    columns = [
        make.unit_column(), make.column("n_options", "integer"), make.column("position", "integer"),
        make.column("estimate", "estimated", make.text("position_share"), fields=INTERVAL),
        make.column("expected", "percent", make.text("position_expected")),
    ]  # fmt: skip
    if tests:
        columns += [
            make.column("p_adjusted", "p", make.text("position_p")), make.column("verdict", "code"),
            make.column("p_accuracy", "p", make.text("position_p_accuracy")),
        ]  # fmt: skip
    columns.append(make.column("n_items", "integer"))
    rows: list[list[Any]] = []
    for unit, own in shares.items():
        test = _first(tests.get(unit, []), CHOICES)
        row = max(
            (one for one in own if test is None or one["n_options"] == test["n_options"]),
            key=lambda one: one["departure"],
        )
        cells = [make.names.unit(unit), row["n_options"], row["position"], make.cell(row, INTERVAL), row["expected"]]
        if tests:
            gold = _first(tests.get(unit, []), BY_GOLD)
            cells += [
                make.cell(test, "p_adjusted") if test else None, test["verdict"] if test else None,
                make.cell(gold, "p_adjusted") if gold else None,
            ]  # fmt: skip
        rows.append([*cells, row["n_items"]])
    notes = [make.text("note_position_tests")] if tests else [make.text("note_position_one_order")]
    yield make.table("tbl-position", columns, rows, notes=notes, keys=[(unit,) for unit in shares])


def _first(tests: list[Row], measure: str) -> Row | None:
    """Return the test with the smallest p over the numbers of options; p are adjusted over all of them."""
    own = [row for row in tests if row["measure"] == measure]
    return min(own, key=lambda row: 2.0 if row["p_adjusted"] is None else row["p_adjusted"], default=None)


def _accuracy(make: Maker) -> Iterator[Table]:
    found = make.by_unit(row for row in make.rows("position", "accuracies") if row["estimate"] is not None)
    if not found:
        return
    columns = [
        make.unit_column(),
        *(
            make.column(key, "estimated", make.text(f"position_{key}"), fields=(key, f"{key}_low", f"{key}_high"))
            for key in ACCURACIES.values()
        ),
        make.column("n_items", "integer"),
    ]
    rows = []
    for unit, own in found.items():
        by = {row["measure"]: row for row in own}
        cells = [make.cell(by[name], INTERVAL) if name in by else None for name in ACCURACIES]
        rows.append([make.names.unit(unit), *cells, own[0]["n_items"]])
    yield make.table(
        "tbl-position-accuracy", columns, rows, notes=[make.text("note_position_accuracy")],
        keys=[(unit,) for unit in found],
    )  # fmt: skip


def _positions(make: Maker) -> Iterator[Table]:
    """Every position of every model: its share, the preference for it, and accuracy with the right option there."""
    key = ("unit", "n_options", "position")
    shares = make.by_unit(row for row in make.rows("position") if row["estimate"] is not None)
    preferences, gold = (
        {tuple(row[part] for part in key): row for row in make.rows("position", name)}
        for name in ("preferences", "gold")
    )
    ordered = [row for own in shares.values() for row in own]
    if not ordered:
        return
    columns = [
        make.unit_column(), make.column("n_options", "integer"), make.column("position", "integer"),
        make.column("estimate", "estimated", make.text("position_share"), fields=INTERVAL),
        make.column("expected", "percent", make.text("position_expected")),
    ]  # fmt: skip
    if gold:
        columns += [
            make.column("preference", "number"),
            make.column("preference_conf", "interval_number", make.text("position_interval"), fields=PREFERENCE[1:]),
            make.column("gold", "estimated", make.text("position_gold"), fields=("gold", "gold_low", "gold_high")),
        ]
    columns.append(make.column("n_items", "integer"))
    rows = []
    for row in ordered:
        place = tuple(row[part] for part in key)
        cells = [make.names.unit(row["unit"]), *place[1:], make.cell(row, INTERVAL), row["expected"]]
        if gold:
            liked = preferences.get(place, {})
            cells += [
                make.cell(liked, "preference"), make.cell(liked, PREFERENCE[1:]),
                make.cell(gold.get(place, {}), INTERVAL),
            ]  # fmt: skip
        rows.append([*cells, row["n_items"]])
    keys = [(row["unit"], str(row["n_options"]), str(row["position"])) for row in ordered]
    notes = [make.text("note_position_all" if gold else "note_position_one_order")]
    yield make.table("tbl-position-all", columns, rows, notes=notes, keys=keys)
