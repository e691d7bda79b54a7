"""Tables of agreement: of all models together, and of the pairs that agree most and least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Column, Table

ENDS = ("conf_low", "conf_high")
SHOWN_PAIRS = 8
ALPHA = "Krippendorff's alpha"


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis of agreement gives."""
    yield from _together(make)
    yield from _pairs(make)


def _together(make: Maker) -> Iterator[Table]:
    found = make.rows("agreement", measure=ALPHA)
    if not found:
        return
    kinds = list(dict.fromkeys(row["rated"] for row in found))
    groups: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found:
        groups.setdefault((row["by"], row["group"]), {})[row["rated"]] = row
    columns = [make.column("group", header=True), *_columns(make, kinds), make.column("n_items", "integer")]
    rows = [
        [
            make.names.group(*group),
            *_cells(make, own, kinds),
            max(row["n_items"] for row in own.values()),
        ]
        for group, own in groups.items()
    ]
    notes = [make.text("note_agreement_alpha"), make.method(found)]
    yield make.table("tbl-agreement", columns, rows, notes=notes, keys=list(groups), n=found[0]["n_raters"])


def _pairs(make: Maker) -> Iterator[Table]:
    found = make.rows("agreement", "pairs")
    kinds = list(dict.fromkeys(row["rated"] for row in found))
    both: dict[tuple[str, str], dict[str, Row]] = {}
    for row in found:
        both.setdefault((row["unit_a"], row["unit_b"]), {})[row["rated"]] = row
    defined = {pair: own for pair, own in both.items() if own[kinds[0]]["estimate"] is not None}
    if not defined:
        return
    ordered = sorted(defined, key=lambda pair: -defined[pair][kinds[0]]["estimate"])
    some = len(ordered) > 2 * SHOWN_PAIRS
    shown = ordered[:SHOWN_PAIRS] + ordered[-SHOWN_PAIRS:] if some else ordered
    named = [make.unit_column("unit_a"), make.column("unit_b")]
    columns = [*named, *_columns(make, kinds), make.column("n_items", "integer")]
    rows = [
        [
            *(make.names.unit(unit) for unit in pair),
            *_cells(make, defined[pair], kinds),
            defined[pair][kinds[0]]["n_items"],
        ]
        for pair in shown
    ]
    note = make.text("note_agreement_shown", n=SHOWN_PAIRS, total=len(ordered)) if some else ""
    yield make.table("tbl-agreement-pairs", columns, rows, notes=[note, make.text("note_agreement_pairs")], keys=shown)


def _columns(make: Maker, kinds: Sequence[str]) -> list[Column]:
    """Return an estimate and its interval for each thing that was rated."""
    return [
        column
        for kind in kinds
        for column in (
            make.column(f"estimate_{kind}", "number", make.say(kind), fields=("estimate",)),
            make.column(f"interval_{kind}", "interval_number", make.text("agreement_interval"), fields=ENDS),
        )
    ]


def _cells(make: Maker, own: Mapping[str, Row], kinds: Sequence[str]) -> list[Any]:
    return [make.cell(own[kind], field) for kind in kinds for field in ("estimate", ENDS)]
