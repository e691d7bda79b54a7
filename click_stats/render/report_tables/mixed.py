"""Tables of the mixed model: effects, other random effects, models used, derived models, predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell
from click_stats.render.terms import term

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

NAME = "mixed"


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the mixed model gives."""
    yield from _effects(make)
    yield from _structures(make)
    yield from _models(make)
    yield from _contrasts(make)
    yield from _predictions(make)
    yield from _confounded(make)


def _name(make: Maker, row: Row) -> str:
    return term(str(row["term"]), make.lang) if row["term"] else ""


def _key(row: Row, first: str) -> tuple[str, str]:
    return str(row[first]), str(row["term"] or "")


def _effects(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME)
    if not any(row["effect_logit"] is not None for row in found):
        return
    columns = [
        make.column("design", "code", header=True), make.column("term"), make.column("n_units", "integer"),
        make.column("effect_logit", "number"), make.column("estimate", "points", make.text("mixed_points")),
        make.column("conf", "interval_points", make.text("mixed_interval"), fields=("conf_low", "conf_high")),
        make.column("df", "integer"), make.column("p_value", "p"), make.column("p_wald", "p"),
        make.column("p_permutation", "p"), make.column("verdict", "code"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for row in found:
        named = _name(make, row)
        permuted: Any = row["p_permutation"]
        if permuted is not None and (row["p_least"] or 0) >= make.results[NAME].meta.get("alpha", 0.05):
            permuted = Cell(permuted, make.text("mixed_note_least"))
        rows.append(
            [
                row["design"], f"{named} (− {row['base']})" if row["base"] else named, row["n_units"],
                make.cell(row, "effect_logit"), make.cell(row, "estimate"), make.cell(row, ("conf_low", "conf_high")),
                row["df"], make.cell(row, "p_value"), row["p_wald"], permuted, row["verdict"],
            ]
        )  # fmt: skip
    notes = [make.text("mixed_note_effects", level=level(found))]
    yield make.table("tbl-mixed-effects", columns, rows, notes=notes, keys=[_key(row, "design") for row in found])


def _structures(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "structures")
    if not any(row["effect_logit"] is not None for row in found):
        return
    columns = [
        make.column("structure", header=True), make.column("term"), make.column("effect_logit", "number"),
        make.column(
            "interval", "interval_number", make.text("mixed_interval"), fields=("effect_logit_low", "effect_logit_high")
        ),
        make.column("df", "number"), make.column("p_value", "p"), make.column("model_sd_logit", "number"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for row in found:
        deviation: Any = row["model_sd_logit"]
        if deviation == 0 and row["structure"] == "cell logits":
            deviation = Cell(deviation, make.text("mixed_note_zero"))
        rows.append(
            [
                structure(make, row["structure"]), _name(make, row), make.cell(row, "effect_logit"),
                make.cell(row, ("effect_logit_low", "effect_logit_high")), row["df"], make.cell(row, "p_value"),
                deviation,
            ]
        )  # fmt: skip
    keys = [_key(row, "structure") for row in found]
    yield make.table("tbl-mixed-structures", columns, rows, notes=[make.text("mixed_note_structures")], keys=keys)


def structure(make: Maker, name: str) -> str:
    """Return the random effects of a structure in words."""
    parts = name.split(" + ")
    return " + ".join(codes.text(part, make.lang) for part in parts)


def _models(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "models")
    if not found:
        return
    columns = [
        make.unit_column(), make.column("effect_logit", "number", make.text("mixed_level")),
        make.column("effect_logit_se", "number"), make.column("used", "text", make.text("mixed_used")),
        make.column("left", "text", make.text("mixed_left")),
    ]  # fmt: skip
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        first = own[0]
        used = ", ".join(codes.text(row["design"], make.lang) for row in own if row["used"])
        left = [row for row in own if not row["used"]]
        missing = ", ".join(f"{codes.text(row['design'], make.lang)}: {make.say(row['reason'])}" for row in left)
        cells = [make.cell(first, "effect_logit"), first["effect_logit_se"], used, missing]
        rows.append([make.names.unit(unit), *cells])
        keys.append((unit,))
    yield make.table("tbl-mixed-models", columns, rows, notes=[make.text("mixed_note_models")], keys=keys)


def _contrasts(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "contrasts")
    if not found:
        return
    columns = [
        make.unit_column("unit_a"), make.column("unit_b"), make.column("n_items", "integer"),
        make.column("estimate", "points", make.text("mixed_points")),
        make.column("conf", "interval_points", make.text("mixed_interval"), fields=("conf_low", "conf_high")),
        make.column("p_value", "p"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit_a"]), make.names.unit(row["unit_b"]), row["n_items"],
            Cell(row["estimate"], make.say(row["note"])) if row["note"] else row["estimate"],
            (row["conf_low"], row["conf_high"]), row["p_value"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(str(row["unit_a"]), str(row["unit_b"])) for row in found]
    notes = [make.text("mixed_note_contrasts")]
    yield make.table("tbl-mixed-contrasts", columns, rows, notes=notes, keys=keys)


def _predictions(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "predictions")
    if not found:
        return
    groups = list(dict.fromkeys(row["category"] for row in found))
    columns = [make.unit_column()]
    columns += [make.column(f"category {name}", "percent", codes.text(name, make.lang)) for name in groups]
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        values = {row["category"]: row["estimate"] for row in own}
        rows.append([make.names.unit(unit), *(values.get(name) for name in groups)])
        keys.append((unit,))
    yield make.table("tbl-mixed-predictions", columns, rows, notes=[make.text("mixed_note_pairs")], keys=keys)


def _confounded(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "confounded")
    if not found:
        return
    columns = [make.column("design", "code", header=True), make.column("note", "remark")]
    rows = [[row["design"], make.say(row["note"])] for row in found]
    keys = [(str(row["design"]), str(k)) for k, row in enumerate(found)]
    yield make.table("tbl-mixed-confounded", columns, rows, keys=keys)
