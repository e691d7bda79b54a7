"""Tables of the mixed model: effects, other random effects, their tests, models, derived models, predictions."""

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
    yield from _tests(make)
    yield from _models(make)
    yield from _contrasts(make)
    yield from _changes(make)
    yield from _predictions(make)
    yield from _confounded(make)


def _name(make: Maker, row: Row) -> str:
    return term(str(row["term"]), make.lang) if row["term"] else ""


def _with_base(named: str, row: Row) -> str:
    """Return a term with its base level, or with the size at which the slope changes."""
    if row["base"]:
        return f"{named} (− {row['base']})"
    return named if row["knot"] is None else f"{named} ({row['knot']:g})"


def _keys(rows: list[Row], first: str) -> list[tuple[str, ...]]:
    return [(str(row[first]), str(row["term"] or ""), *filter(None, [f"{row.get('knot') or ''}"])) for row in rows]


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
                row["design"], _with_base(named, row), row["n_units"],
                make.cell(row, "effect_logit"), make.cell(row, "estimate"), make.cell(row, ("conf_low", "conf_high")),
                row["df"], make.cell(row, "p_value"), row["p_wald"], permuted, row["verdict"],
            ]
        )  # fmt: skip
    notes = [make.text("mixed_note_effects", level=level(found))]
    yield make.table("tbl-mixed-effects", columns, rows, notes=notes, keys=_keys(found, "design"))


def _structures(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "structures")
    if not any(row["effect_logit"] is not None for row in found):
        return
    columns = [
        make.column("structure", header=True), make.column("term"), make.column("effect_logit", "number"),
        make.column(
            "interval", "interval_number", make.text("mixed_interval"), fields=("effect_logit_low", "effect_logit_high")
        ),
        make.column("estimate", "points", make.text("mixed_points")), make.column("df", "number"),
        make.column("p_value", "p"), make.column("model_sd_logit", "number"),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    for row in found:
        df: Any = Cell(row["df"], make.say(row["note"])) if row["note"] and row["df"] is not None else row["df"]
        rows.append(
            [
                structure(make, row["structure"]), _name(make, row), make.cell(row, "effect_logit"),
                make.cell(row, ("effect_logit_low", "effect_logit_high")), row["estimate"], df,
                make.cell(row, "p_value"), row["model_sd_logit"],
            ]
        )  # fmt: skip
    keys = _keys(found, "structure")
    yield make.table("tbl-mixed-structures", columns, rows, notes=[make.text("mixed_note_structures")], keys=keys)


def structure(make: Maker, name: str) -> str:
    """Return the random effects of a structure in words."""
    parts = name.split(" + ")
    return " + ".join(codes.text(part, make.lang) for part in parts)


def _tests(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "tests")
    if not any(row["p_lr"] is not None for row in found):
        return
    columns = [
        make.column("effect_kind", "code", header=True), make.column("term"), make.column("structure"),
        make.column("sd_logit", "number"), make.column("df", "integer"), make.column("statistic", "number"),
        make.column("p_lr", "p"), make.column("p_wald", "p", make.text("mixed_wald")),
    ]  # fmt: skip
    rows = [
        [
            row["effect_kind"], codes.text(row["term"], make.lang), structure(make, row["structure"]),
            row["sd_logit"], row["df"], make.cell(row, "statistic"), make.cell(row, "p_lr"), row["p_wald"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(str(row["effect_kind"]), str(row["term"])) for row in found]
    yield make.table("tbl-mixed-tests", columns, rows, notes=[make.text("mixed_note_tests")], keys=keys)


def _models(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "models")
    if not found:
        return
    columns = [
        make.unit_column(), make.column("effect_logit", "number", make.text("mixed_level")),
        make.column("effect_logit_se", "number"), make.column("dispersion", "number"),
        make.column("used", "text", make.text("mixed_used")), make.column("left", "text", make.text("mixed_left")),
    ]  # fmt: skip
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        first = own[0]
        used = make.text("mixed_of", n=sum(bool(row["used"]) for row in own), total=len(own))
        left = "; ".join(make.say(reason) for reason in _fewest([str(row["reason"]) for row in own if row["reason"]]))
        level_ = make.cell(first | {"reason": None}, "effect_logit")
        rows.append([make.names.unit(unit), level_, first["effect_logit_se"], first["dispersion"], used, left])
        keys.append((unit,))
    yield make.table("tbl-mixed-models", columns, rows, notes=[make.text("mixed_note_models")], keys=keys)


def _fewest(reasons: list[str]) -> list[str]:
    """Leave out reasons that others hold: ``unknown: a`` stands in ``unknown: a and b``."""
    distinct = list(dict.fromkeys(reasons))
    parts = {reason: set(reason.replace("unknown: ", "").split(" and ")) for reason in distinct}
    return [one for one in distinct if not any(parts[one] < parts[other] for other in distinct)]


def _contrasts(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "contrasts")
    if not found:
        return
    columns = [
        make.unit_column("unit_a"), make.column("unit_b"), make.column("made_by", "code"),
        make.column("n_items", "integer"), make.column("estimate", "points", make.text("mixed_points")),
        make.column("conf", "interval_points", make.text("mixed_interval"), fields=("conf_low", "conf_high")),
        make.column("p_value", "p"), make.column("p_adjusted", "p", make.text("mixed_holm")),
        make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit_a"]), make.names.unit(row["unit_b"]), row["made_by"], row["n_items"],
            make.cell(row, "estimate"), make.cell(row, ("conf_low", "conf_high")), row["p_value"], row["p_adjusted"],
            row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(str(row["unit_a"]), str(row["unit_b"])) for row in found]
    notes = [make.text("mixed_note_contrasts")]
    yield make.table("tbl-mixed-contrasts", columns, rows, notes=notes, keys=keys)


def _changes(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "changes")
    if not found:
        return
    columns = [
        make.column("made_by", "code", header=True), make.column("n_contrasts", "integer"),
        make.column("estimate", "points", make.text("mixed_points")),
        make.column("conf", "interval_points", make.text("mixed_interval"), fields=("conf_low", "conf_high")),
        make.column("p_value", "p"), make.column("p_adjusted", "p", make.text("mixed_holm")),
        make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            row["made_by"], row["n_contrasts"], make.cell(row, "estimate"), make.cell(row, ("conf_low", "conf_high")),
            row["p_value"], row["p_adjusted"], row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(str(row["made_by"]),) for row in found]
    yield make.table("tbl-mixed-changes", columns, rows, notes=[make.text("mixed_note_changes")], keys=keys)


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
