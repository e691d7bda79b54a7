"""Tables of sensitivity: components, coefficients, other designs, wordings, the control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes, numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Column, Table

NAME = "sensitivity"
ALL = "all items"
RELATIVE, ABSOLUTE, SE = ("relative_low", "relative_high"), ("absolute_low", "absolute_high"), ("se_low", "se_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of sensitivity gives."""
    yield from _components(make)
    yield from _across(make)
    yield from _generalisability(make)
    yield from _designs(make)
    yield from _cheapest(make)
    yield from _cheapest_between(make)
    yield from _wordings(make)
    yield from _control(make)


def _group(make: Maker, row: Row) -> str:
    return codes.text(row["group"], make.lang)


def _target(make: Maker, rows: list[Row]) -> str:
    """Say whether wordings are fixed or a sample, where there are several."""
    n = max((row["n_wordings"] or 0 for row in rows), default=0)
    if n < 2:
        return ""
    random = make.results[NAME].meta.get("wordings") == "random"
    return make.text("sensitivity_note_random_wordings" if random else "sensitivity_note_fixed_wordings", n=n)


def _components(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows(NAME) if row["component"] or row["reason"]]
    names = list(dict.fromkeys(row["component"] for row in found if row["variance"] is not None))
    if not names:
        return
    names.sort(key=lambda name: (name == "residual", name.count(":")))
    columns = [make.unit_column(), make.column("group"), make.column("n_items", "integer")]
    columns += [make.column(name, "percent", codes.text(name, make.lang)) for name in names]
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        for group in dict.fromkeys(row["group"] for row in own):
            part = {row["component"]: row for row in own if row["group"] == group}
            first = next(iter(part.values()))
            cells = [_share(make, part.get(name, {}), part.get("", {})) for name in names]
            n_items = Cell(first["n_items"], make.say(first["note"])) if first["note"] else first["n_items"]
            rows.append([make.names.unit(unit), _group(make, first), n_items, *cells])
            keys.append((unit, str(group)))
    notes = [make.text("sensitivity_note_share"), _target(make, found)]
    yield make.table("tbl-sensitivity-components", columns, rows, notes=notes, keys=keys)


def _share(make: Maker, row: Row, refused: Row) -> Any:
    if row.get("variance_share") is None:
        return Cell(None, make.say(row.get("reason") or refused.get("reason") or ""))
    return Cell(row["variance_share"], make.say(row["flag"])) if row.get("flag") else row["variance_share"]


def _across(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows(NAME, "across") if row["variance"] is not None]
    if not found:
        return
    columns = [
        make.column("group", header=True), make.column("component", "code"),
        make.column("variance", "number", make.text("sensitivity_variance")),
        make.column("conf", "interval_number", make.text("sensitivity_interval"), fields=("conf_low", "conf_high")),
        make.column("variance_share", "percent"), make.column("universe", "remark"),
    ]  # fmt: skip
    rows = [
        [
            _group(make, row), row["component"], 1e4 * row["variance"],
            None if row["conf_low"] is None else (1e4 * row["conf_low"], 1e4 * row["conf_high"]),
            row["variance_share"],
            Cell(make.say(row["universe"]), make.say(row["flag"])) if row["flag"] else make.say(row["universe"]),
        ]
        for row in found
    ]  # fmt: skip
    methods = ", ".join(dict.fromkeys(make.say(row["interval_method"]) for row in found if row["interval_method"]))
    notes = [make.text("sensitivity_note_level", level=level(found), methods=methods), _target(make, found)]
    if any(row["group"] == ALL for row in found) and any((row["n_rotations"] or 1) > 1 for row in found):
        notes.append(make.text("sensitivity_note_averaged"))
    keys = [(str(row["group"]), str(row["component"])) for row in found]
    yield make.table("tbl-sensitivity-across", columns, rows, notes=notes, keys=keys)


def _generalisability(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows(NAME, "generalisability") if row["as_run"] or row["reason"]]
    if not any(row["g_coefficient"] is not None for row in found):
        return
    columns = [
        make.column("group", header=True), make.column("n_units", "integer"), make.column("n_items", "integer"),
        make.column("n_wordings", "integer"), make.column("n_rotations", "integer"),
        make.column("relative_se", "number", make.text("sensitivity_relative")),
        make.column("relative", "interval_number", make.text("sensitivity_interval"), fields=RELATIVE),
        make.column("absolute_se", "number", make.text("sensitivity_absolute")),
        make.column("absolute", "interval_number", make.text("sensitivity_interval"), fields=ABSOLUTE),
        make.column("g_coefficient", "text"),
        make.column("g_interval", "text", make.text("sensitivity_interval")),
        make.column("phi", "text"),
    ]  # fmt: skip
    rows = []
    for row in found:
        if row["g_coefficient"] is None:
            said = Cell(None, make.say(row["reason"]))
            rows.append([_group(make, row), row["n_units"], said, *[None] * 6, said, None, None])
            continue
        # Three digits: coefficients of a large benchmark are close to 1.
        ends = numbers.DASH if row["g_low"] is None else numbers.interval_number(row["g_low"], row["g_high"], 3)
        rows.append(
            [
                _group(make, row), row["n_units"], row["n_items"], row["n_wordings"], row["n_rotations"],
                100 * row["relative_se"], _ends(row, RELATIVE), 100 * row["absolute_se"], _ends(row, ABSOLUTE),
                numbers.number(row["g_coefficient"], 3), ends,
                numbers.number(row["phi"], 3),
            ]
        )  # fmt: skip
    stated = level(make.rows(NAME, "across"))
    notes = [make.text("sensitivity_note_feldt", level=stated), _target(make, make.rows(NAME))]
    keys = [(str(row["group"]),) for row in found]
    yield make.table("tbl-sensitivity-generalisability", columns, rows, notes=notes, keys=keys)


def _widest(found: list[Row]) -> list[Row]:
    """Return the rows of all items together, where a unit has them, else those of each number of options."""
    whole = {row["unit"] for row in found if row["group"] == ALL}
    return [row for row in found if row["group"] == ALL or row["unit"] not in whole]


def _designs(make: Maker) -> Iterator[Table]:
    found = [row for row in _widest(make.rows(NAME, "designs")) if row["n_replicates"] == 1]
    if not found:
        return
    wordings = sorted({row["n_wordings"] for row in found})
    shown = [(w, r) for w in sorted({1, wordings[-1]}) for r in (1, 0)]
    if len({row["n_rotations"] for row in found}) == 1:
        shown = [(w, 1) for w in wordings]
    columns = [make.unit_column(), make.column("group")]
    for which, key in (("se_sampled", "sensitivity_design"), ("se_fixed", "sensitivity_design_fixed")):
        for w, r in shown:
            heading = make.text(key, w=w, r=r or make.text("sensitivity_all_rotations"))
            columns.append(make.column(f"{which} {w}x{r or 'all'}", "number", heading))
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        for group in dict.fromkeys(row["group"] for row in own):
            part = [row for row in own if row["group"] == group]
            most = max(row["n_rotations"] for row in part)
            by_design = {(row["n_wordings"], row["n_rotations"]): row for row in part}
            cells = [
                _points(make, by_design.get((w, r or most)), which)
                for which in ("se_sampled", "se_fixed")
                for w, r in shown
            ]
            rows.append([make.names.unit(unit), codes.text(group, make.lang), *cells])
            keys.append((unit, str(group)))
    n_items = sorted({row["n_items"] for row in found})
    items = make.text("sensitivity_note_items", list=", ".join(map(numbers.integer, n_items)))
    notes = [make.text("sensitivity_note_design", items=items), _target(make, make.rows(NAME))]
    columns, rows = _varied(columns, rows)
    yield make.table("tbl-sensitivity-designs", columns, rows, notes=notes, keys=keys)


def _varied(columns: list[Column], rows: list[list[Any]]) -> tuple[list[Column], list[list[Any]]]:
    """Leave out the group of items and the answers per prompt where they are the same in all rows."""
    kept = [
        place
        for place, column in enumerate(columns)
        if column.key not in {"group", "n_replicates"} or len({row[place] for row in rows} - {None}) > 1
    ]
    return [columns[place] for place in kept], [[row[place] for place in kept] for row in rows]


def _points(make: Maker, row: Row | None, which: str) -> Any:
    if row is None:
        return None
    if row[which] is None:
        return Cell(None, make.say(row["reason"]))
    note = make.text("sensitivity_note_extrapolated") if row["extrapolated"] else ""
    return Cell(100 * row[which], note) if note else 100 * row[which]


def _cheapest(make: Maker) -> Iterator[Table]:
    found = _widest(make.rows(NAME, "cheapest"))
    if not found:
        return
    columns = [make.unit_column(), make.column("group"), *_asked(make)]
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        for row in own:
            rows.append([make.names.unit(unit), _group(make, row), row["target"], *_answer(make, row)])
            keys.append((unit, str(row["group"]), str(row["target"])))
    wanted = numbers.number(100 * found[0]["wanted_se"])
    columns, rows = _varied(columns, rows)
    notes = [make.text("sensitivity_note_error", level=level(found)), _target(make, make.rows(NAME))]
    yield make.table("tbl-sensitivity-cheapest", columns, rows, notes=notes, keys=keys, se=wanted)


def _cheapest_between(make: Maker) -> Iterator[Table]:
    found = make.rows(NAME, "cheapest_between")
    whole = [row for row in found if row["group"] == ALL]
    if not found:
        return
    columns = [make.column("group", header=True), make.column("n_units", "integer"), *_asked(make)]
    rows = [
        [_group(make, row), row["n_units"], row["target"], *_answer(make, row)] for row in whole or found
    ]  # fmt: skip
    keys = [("between", str(row["group"]), str(row["target"])) for row in whole or found]
    columns, rows = _varied(columns, rows)
    notes = [make.text("sensitivity_note_error_between", level=level(found)), _target(make, make.rows(NAME))]
    wanted = numbers.number(100 * found[0]["wanted_se"])
    yield make.table("tbl-sensitivity-cheapest-between", columns, rows, notes=notes, keys=keys, se=wanted)


def _asked(make: Maker) -> list[Column]:
    """Return the columns of a cheapest design."""
    return [
        make.column("target", "code"),
        make.column("n_items_needed", "integer"), make.column("n_wordings", "integer"),
        make.column("n_rotations", "integer"), make.column("n_replicates", "integer"),
        make.column("n_calls", "integer"), make.column("se", "number", make.text("sensitivity_se_points")),
        make.column("se_interval", "interval_number", make.text("sensitivity_interval"), fields=SE),
    ]  # fmt: skip


def _answer(make: Maker, row: Row) -> list[Any]:
    """Return the cells of a cheapest design."""
    if row["n_calls"] is None:
        least = "" if row["least_se"] is None else numbers.number(100 * row["least_se"])
        said = make.say(row["reason"])
        return [Cell(None, f"{said} ({make.text('sensitivity_least', se=least)})" if least else said), *[None] * 6]
    note = make.text("sensitivity_note_extrapolated") if row["extrapolated"] else ""
    wordings = Cell(row["n_wordings"], note) if note else row["n_wordings"]
    return [
        row["n_items_needed"], wordings, row["n_rotations"], row["n_replicates"], row["n_calls"], 100 * row["se"],
        _ends(row, SE),
    ]  # fmt: skip


def _ends(row: Row, fields: tuple[str, str]) -> tuple[float, float] | None:
    """Return the ends of an interval in points."""
    low, high = (row[name] for name in fields)
    return None if low is None or high is None else (100 * low, 100 * high)


def _wordings(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows(NAME, "wordings") if row["wording_a"]]
    if not found:
        return
    columns = [
        make.unit_column(), make.column("pair", "text", make.text("sensitivity_pair")),
        make.column("estimate", "points", make.text("difference_points")),
        make.column("conf", "interval_points", make.text("per_comparison"), fields=("conf_low", "conf_high")),
        make.column("sim", "interval_points", make.text("simultaneous"), fields=("sim_low", "sim_high")),
        make.column("p_adjusted", "p"), make.column("share_changed", "percent"),
        make.column("n_items_changed", "integer"), make.column("n_items", "integer"), make.column("verdict", "code"),
    ]  # fmt: skip
    rows, keys = [], []
    for unit, own in make.by_unit(found).items():
        for row in own:
            rows.append(
                [
                    make.names.unit(unit), f"{row['wording_a']} − {row['wording_b']}", make.cell(row, "estimate"),
                    make.cell(row, ("conf_low", "conf_high")), make.cell(row, ("sim_low", "sim_high")),
                    make.cell(row, "p_adjusted"), row["share_changed"], row["n_items_changed"], row["n_items"],
                    row["verdict"],
                ]
            )  # fmt: skip
            keys.append((unit, str(row["wording_a"]), str(row["wording_b"])))
    notes = [make.text("sensitivity_note_family"), make.text("sensitivity_note_changed")]
    yield make.table("tbl-sensitivity-wordings", columns, rows, notes=notes, keys=keys)


def _control(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows(NAME, "control") if row["n_estimable"]]
    if not found:
        return
    columns = [
        make.column("control", "code", header=True), make.column("by", "code"), make.column("n_units", "integer"),
        make.column("n_estimable", "integer"), make.column("n_different", "integer"),
        make.column("share_different", "percent"),
        make.column("conf", "interval", make.text("sensitivity_interval"), fields=("conf_low", "conf_high")),
    ]  # fmt: skip
    rows = [
        [row["control"], row["by"], row["n_units"], row["n_estimable"], row["n_different"], row["share_different"],
         (row["conf_low"], row["conf_high"])]
        for row in found
    ]  # fmt: skip
    alpha = numbers.level(found[0]["alpha"])
    repeated = found[0]["control"] == "replicates"
    note = make.text("sensitivity_note_aa", alpha=alpha) if repeated else make.text("sensitivity_note_not_aa")
    keys = [(str(row["control"]), str(row["by"])) for row in found]
    yield make.table("tbl-sensitivity-control", columns, rows, notes=[note], keys=keys)
