"""Tables of confident errors: challenging items, who is sure, entropy, shared items, agreed wrong options, scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

INTERVAL = ("estimate", "conf_low", "conf_high")
MOST_AGREED, MOST_OF_SET = 20, 5
ALL_MODELS = "all models"


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of confident errors gives."""
    yield from _challenging(make)
    yield from _sure(make)
    yield from _entropy(make)
    yield from _shared(make)
    yield from _without(make)
    yield from _agreed(make)
    yield from _scale(make)


def _challenging(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", "challenging", by="overall")
    if not found:
        return
    counts = ("n_challenging", "n_uncertain", "n_by_position", "n_sure", "n_items")
    columns = [
        make.unit_column(),
        make.column("estimate", "estimated", make.text("confident_challenging"), fields=INTERVAL),
        *(make.column(name, "integer") for name in counts),
    ]
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows = [
        [make.names.unit(row["unit"]), make.cell(row, INTERVAL), *(make.cell(row, name) for name in counts)]
        for row in ordered
    ]
    notes = [make.text("note_confident_classes")]
    yield make.table("tbl-confident_errors", columns, rows, notes=notes, keys=[(row["unit"],) for row in ordered])


def _sure(make: Maker) -> Iterator[Table]:
    """Share of confident errors by model, family and size; each kind of set with most first."""
    found = [row for row in make.rows("confident_errors", "confident", by="overall") if row["estimate"] is not None]
    if not found:
        return
    columns = [
        make.column("model_set", header=True), make.column("set_by", "code"),
        make.column("estimate", "estimated", make.text("confident_share"), fields=INTERVAL),
        *(make.column(name, "integer") for name in ("n_confident", "n_agreed", "n_units", "n_items")),
    ]  # fmt: skip
    models = make.by_unit((row for row in found if row["set_by"] == "model"), key="model_set")
    ordered = [row for own in models.values() for row in own]
    ordered += [row for by in ("family", "size") for row in found if row["set_by"] == by]
    rows = [
        [
            _set(make, row), row["set_by"], make.cell(row, INTERVAL), row["n_confident"], row["n_agreed"],
            row["n_units"], row["n_items"],
        ]
        for row in ordered
    ]  # fmt: skip
    keys = [(row["model_set"],) if row["set_by"] == "model" else (row["set_by"], row["model_set"]) for row in ordered]
    notes = [make.text("note_confident_sure")]
    yield make.table("tbl-confident_errors-sure", columns, rows, notes=notes, keys=keys)


def _set(make: Maker, row: Row) -> str:
    """Return the name of a set of models: of the one model, of a family as it is, else in words."""
    if row["set_by"] == "model":
        return make.names.unit(row["model_set"])
    return make.say(row["model_set"])


def _entropy(make: Maker) -> Iterator[Table]:
    found = make.rows("confident_errors", item_scope="challenging items")
    found = [row for row in found if row["estimate"] is not None]
    if not found:
        return
    columns = [
        make.unit_column(), make.column("measure", "code"),
        make.column("estimate", "number", make.text("confident_mean")),
        make.column("conf", "interval_number", make.text("confident_interval"), fields=("conf_low", "conf_high")),
        make.column("median", "number"),
        make.column("median_conf", "interval_number", make.text("confident_interval"),
                    fields=("median_low", "median_high")),
        make.column("guesser", "number"), make.column("n_items", "integer"),
    ]  # fmt: skip
    ordered = [row for own in make.by_unit(found).values() for row in own]
    rows = [
        [
            make.names.unit(row["unit"]), row["measure"], row["estimate"], make.cell(row, ("conf_low", "conf_high")),
            row["median"], make.cell(row, ("median_low", "median_high")), row["guesser"], row["n_items"],
        ]
        for row in ordered
    ]  # fmt: skip
    keys = [(row["unit"], row["measure"]) for row in ordered]
    yield make.table(
        "tbl-confident_errors-entropy", columns, rows, notes=[make.text("note_confident_entropy")], keys=keys
    )


def _shared(make: Maker) -> Iterator[Table]:
    """Shared items of all models: overall, and by category and source in a table of their own."""
    found = [
        row for row in make.rows("confident_errors", "shared", model_set=ALL_MODELS) if row["n_shared"] is not None
    ]
    for ident, kept in (
        ("tbl-confident_errors-shared", [row for row in found if row["by"] == "overall"]),
        ("tbl-confident_errors-groups", [row for row in found if row["by"] != "overall" and _told(row)]),
    ):
        if not kept:
            continue
        numbers = ("expected_independent", "expected_difficulty", "expected_low", "expected_high")
        columns = [
            *([] if ident.endswith("shared") else [make.column("group", header=True)]),
            make.column("statement", "code", header=ident.endswith("shared")), make.column("n_shared", "integer"),
            *(make.column(name, "number") for name in numbers[:2]),
            *(make.column(name, "integer") for name in numbers[2:]),
            make.column("verdict", "code"), make.column("n_items", "integer"),
        ]  # fmt: skip
        rows = [
            [
                *([] if ident.endswith("shared") else [make.names.group(row["by"], row["group"])]),
                row["statement"], row["n_shared"], *(make.cell(row, name) for name in numbers), row["verdict"],
                row["n_items"],
            ]
            for row in kept
        ]  # fmt: skip
        keys = [(row["by"], row["group"], row["statement"]) for row in kept]
        yield make.table(ident, columns, rows, notes=[make.text("note_confident_shared")], keys=keys)


def _told(row: Row) -> bool:
    """Tell whether a group's row says anything: something is shared, or expected to be."""
    return bool(row["n_shared"]) or (row["expected_difficulty"] or row["expected_independent"] or 0.0) >= 0.5


def _without(make: Maker) -> Iterator[Table]:
    """Shared items when one model is left out: how far they rest on a single one."""
    found = [row for row in make.rows("confident_errors", "shared", by="overall") if row["n_shared"] is not None]
    left = list(dict.fromkeys(row["model_set"] for row in found))
    if len(left) < 3:
        return
    statements = list(dict.fromkeys(row["statement"] for row in found))
    columns = [
        make.column("model_set", header=True),
        *(make.column(f"shared_{k}", "integer", make.say(name)) for k, name in enumerate(statements, start=1)),
        make.column("n_items", "integer"),
    ]
    by = {(row["model_set"], row["statement"]): row for row in found}
    rows = []
    for name in left:
        own = [by[name, statement] for statement in statements]
        rows.append([make.say(_named(make, name)), *(row["n_shared"] for row in own), own[0]["n_items"]])
    yield make.table("tbl-confident_errors-without", columns, rows, keys=[(name,) for name in left])


def _named(make: Maker, model_set: str) -> str:
    """Return the remark with the model's name as reports show it."""
    start = "without "
    return start + make.names.unit(model_set.removeprefix(start)) if model_set.startswith(start) else model_set


def _agreed(make: Maker) -> Iterator[Table]:
    """Items with one wrong option that several models are sure of: of all, and within families and sizes."""
    found = make.rows("confident_errors", "agreed")
    everyone = [row for row in found if row["model_set"] == ALL_MODELS][:MOST_AGREED]
    sets: dict[tuple[str, str], list[Row]] = {}
    for row in found:
        if row["model_set"] != ALL_MODELS:
            sets.setdefault((row["set_by"], row["model_set"]), []).append(row)
    within = [row for own in sets.values() for row in own[:MOST_OF_SET]]
    for ident, kept, named in (
        ("tbl-confident_errors-agreed", everyone, False),
        ("tbl-confident_errors-sets", within, True),
    ):
        if not kept:
            continue
        columns = [
            *([make.column("model_set", header=True)] if named else []), make.column("item", header=not named),
            make.column("category", "code"), make.column("source"), make.column("option", "integer"),
            make.column("n_units", "integer"), *([] if named else [make.column("n_families", "integer")]),
            make.column("members"),
        ]  # fmt: skip
        rows: list[list[Any]] = [
            [
                *([_set(make, row)] if named else []), row["item"], row["category"], row["source"], row["option"],
                row["n_units"], *([] if named else [row["n_families"]]),
                ", ".join(make.names.unit(name) for name in row["members"].split(", ")),
            ]
            for row in kept
        ]  # fmt: skip
        keys = [(row["model_set"], row["item"], str(row["option"])) for row in kept]
        note = make.text("note_confident_sets" if named else "note_confident_agreed")
        yield make.table(ident, columns, rows, notes=[note], keys=keys)


def _scale(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("confident_errors", "scale") if row["estimate"] is not None]
    if not found:
        return
    columns = [
        make.column("measure", "code", header=True), make.column("design", "code"), make.column("term", "code"),
        make.column("estimate", "number"),
        make.column("conf", "interval_number", make.text("confident_interval"), fields=("conf_low", "conf_high")),
        make.column("df", "number"), make.column("p_value", "p"), make.column("p_permutation", "p"),
        make.column("p_least", "p"), make.column("n_units", "integer"),
    ]  # fmt: skip
    names = ("estimate", ("conf_low", "conf_high"), "df", "p_value", "p_permutation", "p_least", "n_units")
    rows = [[row["measure"], row["design"], row["term"], *(make.cell(row, name) for name in names)] for row in found]
    keys = [(row["measure"], row["design"], row["term"]) for row in found]
    yield make.table("tbl-confident_errors-scale", columns, rows, notes=[make.text("note_confident_scale")], keys=keys)
