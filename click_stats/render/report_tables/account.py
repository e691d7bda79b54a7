"""Tables of the account: files, rows left out, keys, coverage, statuses, protocols, facts of models, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Column, Kind, Table

PROTOCOL = ("date", "prompt_digest", "scoring", "order", "shots", "decoding", "item_revision")
FACTS: tuple[tuple[str, Kind], ...] = (
    ("vendor", "text"), ("family", "text"), ("base_model", "text"), ("parameters", "number"),
    ("parameters_active", "number"), ("release_date", "text"), ("access", "text"), ("korean_corpus", "text"),
    ("tuned", "text"),
)  # fmt: skip
STATUSES = ("ok", "out_of_option", "empty", "refused", "truncated", "filtered", "failed", "missing")
LISTED: Mapping[str, tuple[str, ...]] = {
    "sources": ("file", "unit", "date", "format", "rows_read", "rows_kept", "digest"),
    "dropped": ("file", "reason", "n_rows", "examples"),
    "gold": ("file", "unit", "item", "gold_file", "gold_items"),
}
"""Tables of the account that are shown row by row, with their columns."""
KINDS: Mapping[str, Kind] = {
    "rows_read": "integer", "rows_kept": "integer", "n_rows": "integer", "reason": "code", "examples": "remark",
    "resolved_by": "code",
}  # fmt: skip


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the account, the models and the making of the study give."""
    for name in LISTED:
        yield from _listed(make, name)
    yield from _duplicates(make)
    yield from _statuses(make)
    yield from _coverage(make)
    yield from _comparability(make)
    yield from _models(make)
    yield from _versions(make)
    yield from _parameters(make)


def _columns(make: Maker, names: tuple[str, ...]) -> list[Column]:
    return [make.column(name, KINDS.get(name, "text"), header=place == 0) for place, name in enumerate(names)]


def _listed(make: Maker, name: str) -> Iterator[Table]:
    found = make.rows("account", name)
    if found:
        rows = [
            [make.names.unit(row[key]) if key == "unit" and row.get(key) else row.get(key) for key in LISTED[name]]
            for row in found
        ]
        yield make.table(f"tbl-{name}", _columns(make, LISTED[name]), rows)


def _duplicates(make: Maker) -> Iterator[Table]:
    """Count, for each item whose id is not unique, files and rows by how they were told apart."""
    counted: dict[tuple[str, str, str], list[Any]] = {}
    for row in make.rows("account", "duplicates"):
        key = (str(row["id"]), str(row["item"] or ""), str(row["resolved_by"] or ""))
        counted.setdefault(key, []).append((row["file"], row["n_rows"] or 0))
    if not counted:
        return
    columns = [
        *_columns(make, ("id", "item", "resolved_by")), make.column("n_files", "integer", make.text("files")),
        make.column("n_rows", "integer"),
    ]  # fmt: skip
    rows = [[*key, len({file for file, _ in own}), sum(n for _, n in own)] for key, own in counted.items()]
    yield make.table("tbl-duplicates", columns, rows)


def _statuses(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("accuracy", "statuses"))
    occur = [
        name for name in STATUSES if name == "ok" or any(row[f"n_{name}"] for own in found.values() for row in own)
    ]
    if not found:
        return
    columns = [make.unit_column(), *(make.column(f"n_{name}", "integer") for name in occur)]
    rows = [[make.names.unit(unit), *(own[0][f"n_{name}"] for name in occur)] for unit, own in found.items()]
    never = [codes.text(name, make.lang) for name in STATUSES if name not in occur]
    notes = [make.text("note_no_trials", kinds=", ".join(never)) if never else ""]
    yield make.table("tbl-statuses", columns, rows, notes=notes, keys=[(unit,) for unit in found])


def _coverage(make: Maker) -> Iterator[Table]:
    """Items answered by category, for the units and categories where some are missing."""
    found = make.rows("account", "coverage", by="category")
    gaps = [row for row in found if row["n_items"] < row["n_items_total"]]
    if not gaps:
        return
    touched = {row["group"] for row in gaps}
    groups = [group for group in dict.fromkeys(row["group"] for row in found) if group in touched]
    totals = {row["group"]: row["n_items_total"] for row in found}
    units = {row["unit"] for row in gaps}
    own = {unit: {row["group"]: row for row in rows} for unit, rows in make.by_unit(found).items() if unit in units}
    columns = [make.unit_column()]
    for group in groups:
        label = make.text("of_total", name=make.names.group("category", group), n=numbers.integer(totals[group]))
        columns.append(make.column(group, "integer", label))
    rows = [[make.names.unit(unit), *(cells[group]["n_items"] for group in groups)] for unit, cells in own.items()]
    n_full = len(make.names.units) - len(own)
    notes = [make.text("note_full" if n_full > 1 else "note_full_one", n=n_full) if n_full else ""]
    yield make.table("tbl-coverage", columns, rows, notes=notes, keys=[(unit,) for unit in own])


def _comparability(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("account", "comparability"))
    if not found:
        return
    columns = [make.unit_column(), *(make.column(name, "code") for name in PROTOCOL), make.column("n_items", "integer")]
    rows = []
    for unit, own in found.items():
        facts = [own[0].get(name) or "not stated" for name in PROTOCOL]
        rows.append([make.names.unit(unit), *facts, own[0].get("n_items")])
    yield make.table("tbl-comparability", columns, rows, keys=[(unit,) for unit in found])


def _models(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("models", "models"))
    facts = [(name, kind) for name, kind in FACTS if any(own[0].get(name) for own in found.values())]
    if not facts:
        return
    columns = [make.unit_column(), *(make.column(name, kind) for name, kind in facts)]
    rows = [[make.names.unit(unit), *(own[0].get(name) or None for name, _ in facts)] for unit, own in found.items()]
    yield make.table("tbl-models", columns, rows, keys=[(unit,) for unit in found])


def _versions(make: Maker) -> Iterator[Table]:
    meta = make.results.meta
    found = [
        ("click-stats", meta.get("version")),
        ("Python", meta.get("python")),
        *dict(meta.get("libraries") or {}).items(),
    ]
    digests = {
        name: value for name, value in dict(meta.get("data_digests") or meta.get("digests") or {}).items() if value
    }
    found += [(make.text("digest_of", name=name), value) for name, value in digests.items()]
    rows = [[name, value] for name, value in found if value]
    if rows:
        columns = [
            make.column("name", "text", make.text("what"), header=True),
            make.column("value", "text", make.text("version")),
        ]
        yield make.table("tbl-versions", columns, rows)


def _parameters(make: Maker) -> Iterator[Table]:
    meta = make.results.meta
    rows = [["", "seed", str(meta["seed"])]] if meta.get("seed") is not None else []
    for analysis, parameters in dict(meta.get("parameters") or {}).items():
        rows += [[analysis, name, _written(value)] for name, value in dict(parameters).items()]
    if rows:
        columns = [
            make.column("analysis", "remark", make.text("analysis"), header=True),
            make.column("parameter", "text", make.text("parameter"), header=True),
            make.column("value", "text", make.text("value")),
        ]
        yield make.table("tbl-parameters", columns, rows)


def _written(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
