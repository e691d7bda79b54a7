"""Tables of calibration: scores, calibration error, temperature, accuracy at coverage, what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Column, Kind, Table

INTERVAL = ("conf_low", "conf_high")
KEPT = (0.25, 0.5, 0.75, 1.0)


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of calibration gives; only what was left out when there are no scores."""
    yield from _scores(make)
    yield from _errors(make)
    yield from _temperature(make)
    yield from _selective(make)
    yield from _trials(make)


def _scores(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("calibration") if row["measure"] or row["reason"]]
    if not found:
        return
    columns = [
        *_head(make, found),
        make.column("accuracy", "percent", make.text("calibration_accuracy")),
        make.column("confidence", "percent", make.text("calibration_confidence")),
        make.column("over", "points", make.text("calibration_over")),
        _ends(make, "over", "interval_points"),
        make.column("brier", "number", make.text("calibration_brier")),
        _ends(make, "brier", "interval_number"),
        make.column("log", "number", make.text("calibration_log")),
        _ends(make, "log", "interval_number"),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for key, own in _by_key(make, found).items():
        by = {row["measure"]: row for row in own}
        empty = own[0] if own[0]["measure"] == "" else {}
        cells: list[Any] = [*_named(make, found, key)]
        for name, interval in (
            ("accuracy of the likeliest option", False), ("confidence", False), ("overconfidence", True),
            ("Brier score", True), ("log score", True),
        ):  # fmt: skip
            row = by.get(name, empty)
            cells.append(make.cell(row, "estimate"))
            if interval:
                cells.append(make.cell(row, INTERVAL))
        rows.append([*cells, own[0]["n_items"]])
        keys.append(_anchor(found, key))
    uniform = {row["measure"]: row["uniform"] for row in found if row["measure"] and row["uniform"] is not None}
    notes = [make.text("note_calibration_interval", level=level(found))]
    if uniform and len({row["group"] for row in found}) == 1:
        notes.append(
            make.text(
                "note_calibration_uniform",
                brier=numbers.number(uniform["Brier score"]),
                log=numbers.number(uniform["log score"]),
            )
        )
    yield make.table("tbl-calibration", columns, rows, notes=notes, keys=keys)


def _errors(make: Maker) -> Iterator[Table]:
    found = make.rows("calibration", "errors")
    if not found:
        return
    columns = [
        *_head(make, found), make.column("ece", "percent", make.text("calibration_ece")),
        make.column("ece_null", "percent", make.text("calibration_null")),
        make.column("ece_limit", "percent", make.text("calibration_limit")),
        make.column("rms_debiased", "percent", make.text("calibration_rms")),
        make.column("ece_conf", "interval", make.text("calibration_percentiles"), fields=("ece_low", "ece_high")),
        make.column("p_adjusted", "p", make.text("calibration_p")),
        make.column("p_spiegelhalter", "p"), make.column("verdict", "code"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for key, own in _by_key(make, found).items():
        row = own[0]
        rows.append(
            [
                *_named(make, found, key),
                *(make.cell(row, name) for name in ("ece", "ece_null", "ece_limit")),
                Cell(row["rms_debiased"], make.say(row["flag"])) if row["flag"] else make.cell(row, "rms_debiased"),
                make.cell(row, ("ece_low", "ece_high")), make.cell(row, "p_adjusted"),
                make.cell(row, "p_spiegelhalter"), row["verdict"],
            ]
        )  # fmt: skip
        keys.append(_anchor(found, key))
    decided = next((row for row in found if row["n_draws"] is not None), None)
    notes = []
    if decided:
        notes.append(
            make.text(
                "note_calibration_test",
                draws=numbers.integer(decided["n_draws"]),
                alpha=numbers.number(decided["alpha"]),
                level=numbers.level(1 - decided["alpha"]),
            )
        )
        if any(row["ece_low"] is not None for row in found):
            notes.append(make.text("note_calibration_percentiles"))
    yield make.table("tbl-calibration-errors", columns, rows, notes=notes, keys=keys)


def _temperature(make: Maker) -> Iterator[Table]:
    found = make.rows("calibration", "temperature")
    if not found:
        return
    split = {(row["unit"], row["by"], row["group"]): row for row in make.rows("calibration", "decomposition")}
    columns = [
        *_head(make, found), make.column("temperature", "number"),
        make.column("conf", "interval_number", make.text("calibration_interval"), fields=INTERVAL),
        make.column("log_gain", "number", make.text("calibration_gain")),
        make.column("gain", "interval_number", make.text("calibration_interval"), fields=("gain_low", "gain_high")),
        make.column("brier_top", "number", make.text("calibration_top")), make.column("miscalibration", "number"),
        make.column("discrimination", "number"), make.column("uncertainty", "number"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for key, own in _by_key(make, found).items():
        row, parts = own[0], split.get(key, {})
        rows.append(
            [
                *_named(make, found, key), make.cell(row, "temperature"),
                make.cell(row, INTERVAL), make.cell(row, "log_gain"), make.cell(row, ("gain_low", "gain_high")),
                *(parts.get(name) for name in ("brier_top", "miscalibration", "discrimination", "uncertainty")),
            ]
        )  # fmt: skip
        keys.append(_anchor(found, key))
    notes = [make.text("note_calibration_temperature", level=level(found)), make.text("note_calibration_split")]
    yield make.table("tbl-calibration-temperature", columns, rows, notes=notes, keys=keys)


def _selective(make: Maker) -> Iterator[Table]:
    found = make.rows("calibration", "selective")
    if not found:
        return
    areas = {
        (row["unit"], row["by"], row["group"]): row
        for row in make.rows("calibration", measure="area under accuracy at coverage")
    }
    columns = [*_head(make, found)]
    for kept in KEPT:
        label = make.text("calibration_kept", share=numbers.level(kept))
        ends = (f"low_{kept:g}", f"high_{kept:g}")
        columns.append(make.column(f"kept_{kept:g}", "estimated", label, fields=(f"kept_{kept:g}", *ends)))
    columns += [
        make.column("area", "estimated", make.text("calibration_area"), fields=("area", "area_low", "area_high")),
    ]
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for key, own in _by_key(make, found).items():
        at = {round(row["kept"], 6): row for row in own}
        cells = [make.cell(at.get(kept, {}), ("estimate", *INTERVAL)) for kept in KEPT]
        rows.append(
            [
                *_named(make, found, key), *cells,
                make.cell(areas.get(key, {}), ("estimate", *INTERVAL)),
            ]
        )  # fmt: skip
        keys.append(_anchor(found, key))
    notes = [make.text("note_calibration_kept", level=level(found))]
    yield make.table("tbl-calibration-selective", columns, rows, notes=notes, keys=keys)


def _trials(make: Maker) -> Iterator[Table]:
    found = make.rows("calibration", "trials")
    if not any(row["n_scored"] for row in found):
        return
    losses = ("n_no_score", "n_incomplete", "n_not_finite", "n_zero_gold", "n_disagree")
    names = ["n_trials", "n_scored", *(name for name in losses if any(row[name] for row in found))]
    columns = [
        make.unit_column(), *(make.column(name, "integer") for name in names), make.column("label_mass", "percent"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for unit, own in make.by_unit(found).items():
        row = own[0]
        cells = [row[name] for name in names]
        rows.append([make.names.unit(unit), *cells, make.cell(row, "label_mass")])
        keys.append((unit,))
    yield make.table("tbl-calibration-trials", columns, rows, notes=[make.text("note_calibration_trials")], keys=keys)


def _head(make: Maker, rows: list[Row]) -> list[Column]:
    """Return the column of the unit, and that of the group where there are several groups."""
    return [make.unit_column(), make.column("group")] if _several(rows) else [make.unit_column()]


def _named(make: Maker, rows: list[Row], key: tuple[str, str, str]) -> list[str]:
    unit = make.names.unit(key[0])
    return [unit, make.names.group(key[1], key[2])] if _several(rows) else [unit]


def _anchor(rows: list[Row], key: tuple[str, str, str]) -> tuple[str, ...]:
    """Return the name of a row: its unit alone where that is enough, so that findings can point at it."""
    return key if _several(rows) else key[:1]


def _several(rows: list[Row]) -> bool:
    return len({(row["by"], row["group"]) for row in rows}) > 1


def _ends(make: Maker, key: str, kind: Kind) -> Column:
    """Return the column with the interval of the column ``key`` before it."""
    return make.column(f"{key}_conf", kind, make.text("calibration_interval"), fields=(f"{key}_low", f"{key}_high"))


def _by_key(make: Maker, rows: list[Row]) -> dict[tuple[str, str, str], list[Row]]:
    """Return rows by unit and group, the most accurate unit first."""
    found: dict[tuple[str, str, str], list[Row]] = {}
    for unit, own in make.by_unit(rows).items():
        for row in own:
            found.setdefault((unit, row["by"], row["group"]), []).append(row)
    return found
