"""Tables of the item response model: hardest and easiest items, abilities, groups, fit, dependence, comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

MOST_ITEMS = 10
"""Items named at either end of the scale, and pairs of a passage."""
MOST_KEYS = 12
"""Items of a category named that no model answers right."""
HALF = 0.5
ALL = "all items"


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the item response model gives."""
    items = make.rows("irt")
    if not items:
        return
    yield from _ends(make, items)
    yield from _extreme(make, items)
    yield from _abilities(make)
    yield from _groups(make)
    yield from _fit(make)
    yield from _dependence(make)
    yield from _comparison(make)


def _ends(make: Maker, items: Sequence[Row]) -> Iterator[Table]:
    """Yield the hardest and the easiest of the items that the answers place."""
    ranked = sorted((row for row in items if row["rank"] is not None), key=lambda row: int(row["rank"]))
    slopes = any(row["discrimination"] is not None for row in ranked)
    columns = [
        make.column("item", header=True), make.column("category"), make.column("source"),
        make.column("n_units", "integer"), make.column("proportion", "percent", make.text("irt_proportion")),
        make.column("difficulty", "number"),
        make.column("interval", "interval_number", make.text("irt_interval"),
                    fields=("difficulty_low", "difficulty_high")),
        *([make.column("discrimination", "number")] if slopes else []),
        make.column("rank_interval", "ranks", make.text("irt_ranks"), fields=("rank_low", "rank_high")),
    ]  # fmt: skip
    ends = {"tbl-irt-hardest": ranked[:MOST_ITEMS], "tbl-irt-easiest": ranked[::-1][:MOST_ITEMS]}
    for ident, found in ends.items():
        if not found:
            continue
        rows = [
            [
                row["item"], _category(make, row["category"]), row["source"] or "", row["n_units"], row["proportion"],
                row["difficulty"], (row["difficulty_low"], row["difficulty_high"]),
                *([row["discrimination"]] if slopes else []), (row["rank_low"], row["rank_high"]),
            ]
            for row in found
        ]  # fmt: skip
        notes = [
            make.method(found),
            make.text("note_irt_ranked", n=numbers.integer(len(ranked)), total=numbers.integer(len(items))),
        ]
        yield make.table(ident, columns, rows, notes=notes, keys=[(row["item"],) for row in found])


def _extreme(make: Maker, items: Sequence[Row]) -> Iterator[Table]:
    """Yield the items that no answer places, by category: how many, and the keys of those that nobody solves."""
    extreme = [row for row in items if row["estimable"] is False and row["proportion"] is not None]
    if not extreme:
        return
    columns = [
        make.column("category", header=True), make.column("n_items", "integer"),
        make.column("n_all_right", "integer", make.text("irt_all_right")),
        make.column("n_all_wrong", "integer", make.text("irt_all_wrong")),
        make.column("items", "remark", make.text("irt_all_wrong_items")),
    ]  # fmt: skip
    rows: list[list[Any]] = []
    keys: list[tuple[str, ...]] = []
    for category in dict.fromkeys(row["category"] for row in items):
        own = [row for row in extreme if row["category"] == category]
        if not own:
            continue
        wrong = [str(row["item"]) for row in own if float(row["proportion"]) < HALF]
        named = ", ".join(wrong[:MOST_KEYS])
        if len(wrong) > MOST_KEYS:
            named += make.text("irt_more", n=numbers.integer(len(wrong) - MOST_KEYS))
        total = sum(row["category"] == category for row in items)
        rows.append([_category(make, category), total, len(own) - len(wrong), len(wrong), named])
        keys.append((str(category),))
    yield make.table("tbl-irt-extreme", columns, rows, notes=[make.text("note_irt_extreme")], keys=keys)


def _abilities(make: Maker) -> Iterator[Table]:
    """Yield the models' abilities, overall with intervals and by category."""
    found = make.rows("irt", "abilities")
    overall = sorted(
        (row for row in found if row["by"] == "overall"),
        key=lambda row: -float(row["ability"]) if row["ability"] is not None else float("inf"),
    )
    columns = [
        make.unit_column(), make.column("ability", "number"), make.column("std_error", "number"),
        make.column("interval", "interval_number", make.text("irt_interval"), fields=("conf_low", "conf_high")),
        make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = [
        [
            Cell(make.names.unit(row["unit"]), make.say(row["flag"])) if row["flag"] else make.names.unit(row["unit"]),
            make.cell(row, "ability"), row["std_error"], (row["conf_low"], row["conf_high"]), row["n_items"],
        ]
        for row in overall
    ]  # fmt: skip
    notes = [make.text("note_irt_abilities", level=level(overall))]
    yield make.table("tbl-irt-abilities", columns, rows, notes=notes, keys=[(row["unit"],) for row in overall])
    within = [row for row in found if row["by"] == "category"]
    names = list(dict.fromkeys(row["group"] for row in within))
    if not names:
        return
    columns = [
        make.unit_column(),
        *(make.column(f"ability_{name}", "number", _category(make, name)) for name in names),
    ]
    known = {(row["unit"], row["group"]): row for row in within}
    units = [row["unit"] for row in overall if (row["unit"], names[0]) in known]
    rows = [
        [make.names.unit(unit), *(_level(make, known.get((unit, name))) for name in names)]
        for unit in units
    ]  # fmt: skip
    errors = [float(row["std_error"]) for row in within if row["std_error"] is not None]
    note = make.text(
        "note_irt_profile", low=numbers.number(min(errors, default=0.0)), high=numbers.number(max(errors, default=0.0))
    )
    yield make.table("tbl-irt-profile", columns, rows, notes=[note], keys=[(unit,) for unit in units])


def _level(make: Maker, row: Row | None) -> Any:
    if row is None:
        return None
    return Cell(row["ability"], make.say(row["flag"])) if row["flag"] else make.cell(row, "ability")


def _groups(make: Maker) -> Iterator[Table]:
    found = make.rows("irt", "groups")
    if not found:
        return
    columns = [
        make.column("group", header=True), make.column("n_items", "integer"),
        make.column("n_items_estimable", "integer"),
        make.column("proportion", "percent", make.text("irt_proportion")), make.column("difficulty", "number"),
        make.column("interval", "interval_number", make.text("irt_interval"),
                    fields=("difficulty_low", "difficulty_high")),
        make.column("difficulty_sd", "number"),
    ]  # fmt: skip
    rows = [
        [
            make.names.group(row["by"], row["group"]), row["n_items"], row["n_items_estimable"], row["proportion"],
            make.cell(row, "difficulty"), make.cell(row, ("difficulty_low", "difficulty_high")),
            row["difficulty_sd"],
        ]
        for row in found
    ]  # fmt: skip
    notes = [make.text("note_irt_groups", level=level(found))]
    yield make.table("tbl-irt-groups", columns, rows, notes=notes, keys=[(row["by"], row["group"]) for row in found])


def _fit(make: Maker) -> Iterator[Table]:
    found = make.rows("irt", "fit")
    if not found:
        return
    columns = [
        make.column("check", "code", header=True), make.column("observed", "number"),
        make.column("predicted", "number", make.text("irt_predicted")),
        make.column("predicted_interval", "interval_number", make.text("irt_predicted_interval"),
                    fields=("predicted_low", "predicted_high")),
        make.column("statistic", "number"), make.column("df", "integer"), make.column("p", "p", make.text("irt_p")),
        make.column("n_items", "integer"), make.column("method", "code"),
    ]  # fmt: skip
    rows = []
    for row in found:
        p = row["p_value"] if row["p_value"] is not None else row["p_predictive"]
        rows.append(
            [
                Cell(row["check"], make.say(row["reason"])) if row["reason"] else row["check"], row["observed"],
                row["predicted"], (row["predicted_low"], row["predicted_high"]), row["statistic"], row["df"], p,
                row["n_items"], row["method"],
            ]
        )  # fmt: skip
    yield make.table(
        "tbl-irt-fit", columns, rows, notes=[make.text("note_irt_fit")], keys=[(row["check"],) for row in found]
    )


def _dependence(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("irt", "dependence") if row.get("q3_star") is not None]
    if not found:
        return
    columns = [
        make.column("item_a", header=True), make.column("item_b"), make.column("category"),
        make.column("q3", "number"), make.column("q3_star", "number"), make.column("n_units", "integer"),
        make.column("p_value", "p", make.text("irt_p_pairs")),
        make.column("p_adjusted", "p", make.text("irt_p_adjusted")),
    ]  # fmt: skip
    shown = found[:MOST_ITEMS]
    rows = [
        [
            row["item_a"], row["item_b"], _category(make, row["category"]), row["q3"], row["q3_star"], row["n_units"],
            make.cell(row, "p_value"), make.cell(row, "p_adjusted"),
        ]
        for row in shown
    ]  # fmt: skip
    high = found[0]["chance_high"]
    notes = [
        make.text("note_irt_dependence", n=numbers.integer(len(found)), shown=numbers.integer(len(shown))),
        make.text("note_irt_chance", high=numbers.number(high)) if high is not None else "",
    ]
    keys = [(row["item_a"], row["item_b"]) for row in shown]
    yield make.table("tbl-irt-dependence", columns, rows, notes=notes, keys=keys)


def _comparison(make: Maker) -> Iterator[Table]:
    found = make.rows("irt", "comparison")
    if not found:
        return
    several = len({row["measure"] for row in found}) > 1
    columns = [
        make.column("group", header=True), *([make.column("measure", "code")] if several else []),
        make.column("correlation", "number", make.text("irt_correlation")), make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = [
        [
            _group(make, row["group"]), *([row["measure"]] if several else []), make.cell(row, "correlation"),
            row["n_items"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["measure"], row["group"]) for row in found]
    yield make.table("tbl-irt-comparison", columns, rows, notes=[make.text("note_irt_comparison")], keys=keys)


def _group(make: Maker, name: str) -> str:
    return make.names.group("overall" if name == ALL else "category", str(name))


def _category(make: Maker, name: str) -> str:
    return make.names.group("category", str(name))
