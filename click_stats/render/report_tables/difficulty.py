"""Tables of difficulty explained by facts of items: effects, tests of terms, variance, groups of models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import codes
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.labels import Labels
    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

ENDS = ("difficulty_effect_low", "difficulty_effect_high")
POINTS = ("score_change_low", "score_change_high")
SHARES = ("share_low", "share_high")
GAP = ("conf_low", "conf_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that the analysis gives."""
    yield from _effects(make)
    yield from _tests(make)
    yield from _variance(make)
    yield from _interactions(make)


def named(row: Row, names: Labels, lang: str) -> str:
    """Return what a row is about: a number, or a level of a term."""
    term = codes.text(row["term"], lang)
    if not row["term_level"]:
        return term
    return f"{term}: {_level(str(row['term']), str(row['term_level']), names, lang)}"


def _level(term: str, name: str, names: Labels, lang: str) -> str:
    return names.group(term, name) if term in {"category", "domain"} else codes.text(name, lang)


def _base(make: Maker, row: Row) -> str:
    return _level(str(row["term"]), str(row["base"]), make.names, make.lang) if row["base"] else ""


def _effects(make: Maker) -> Iterator[Table]:
    found = make.rows("difficulty")
    if not found:
        return
    columns = [
        make.column("term", "text", make.text("difficulty_fact"), header=True), make.column("base"),
        make.column("n_items", "integer"),
        make.column("difficulty_effect", "number", make.text("difficulty_logits")),
        make.column("ends", "interval_number", make.text("difficulty_interval"), fields=ENDS),
        make.column("score_change", "points", make.text("difficulty_points")),
        make.column("points", "interval_points", make.text("difficulty_interval"), fields=POINTS),
        make.column("p_adjusted", "p", make.text("difficulty_holm")), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            named(row, make.names, make.lang), _base(make, row), make.cell(row, "n_items"),
            make.cell(row, "difficulty_effect"), make.cell(row, ENDS), make.cell(row, "score_change"),
            make.cell(row, POINTS), make.cell(row, "p_adjusted"), row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    notes = [make.text("note_difficulty_effects", level=level(found)), make.text("note_difficulty_confounded")]
    keys = [(str(row["term"]), str(row["term_level"] or "number")) for row in found]
    yield make.table("tbl-difficulty", columns, rows, notes=notes, keys=keys)


def _tests(make: Maker) -> Iterator[Table]:
    found = make.rows("difficulty", "tests")
    if not found:
        return
    columns = [
        make.column("term", "code", header=True), make.column("statistic", "number", make.text("difficulty_wald")),
        make.column("df", "integer"), make.column("p_adjusted", "p", make.text("difficulty_holm")),
        make.column("unique_share", "percent", make.text("difficulty_unique")), make.column("verdict", "code"),
    ]  # fmt: skip
    rows = [
        [
            row["term"], *(make.cell(row, key) for key in ("statistic", "df", "p_adjusted", "unique_share")),
            row["verdict"],
        ]
        for row in found
    ]  # fmt: skip
    note = make.text("note_difficulty_tests")
    yield make.table("tbl-difficulty-tests", columns, rows, notes=[note], keys=[(str(row["term"]),) for row in found])


def _variance(make: Maker) -> Iterator[Table]:
    found = make.rows("difficulty", "variance")
    if not found:
        return
    columns = [
        make.column("component", "code", header=True),
        make.column("sd_without", "number", make.text("difficulty_without")),
        make.column("sd_logit", "number", make.text("difficulty_with")),
        make.column("variance_share", "percent", make.text("difficulty_share")),
        make.column("ends", "interval", make.text("difficulty_interval"), fields=SHARES),
    ]  # fmt: skip
    rows: list[list[Any]] = [
        [
            row["component"], make.cell(row, "sd_without"), row["sd_logit"], make.cell(row, "variance_share"),
            make.cell(row, SHARES),
        ]
        for row in found
    ]  # fmt: skip
    note = make.text("note_difficulty_variance", level=level(found))
    keys = [(str(row["component"]),) for row in found]
    yield make.table("tbl-difficulty-variance", columns, rows, notes=[note], keys=keys)


def _interactions(make: Maker) -> Iterator[Table]:
    found = [row for row in make.rows("difficulty", "interactions") if row["term"]]
    if not found:
        return
    columns = [
        make.column("term", "text", make.text("difficulty_fact"), header=True),
        make.column("difficulty_effect", "number", make.text("difficulty_gap")),
        make.column("ends", "interval_number", make.text("difficulty_interval"), fields=ENDS),
        make.column("p_adjusted", "p", make.text("difficulty_holm")), make.column("verdict", "code"),
        make.column("slope_reference", "points", make.text("difficulty_reference")),
        make.column("slope_focal", "points", make.text("difficulty_focal")),
        make.column("gap", "interval_points", make.text("difficulty_gap_points"), fields=GAP),
    ]  # fmt: skip
    rows = [
        [
            named(row, make.names, make.lang), make.cell(row, "difficulty_effect"), make.cell(row, ENDS),
            make.cell(row, "p_adjusted"), row["verdict"], make.cell(row, "slope_reference"),
            make.cell(row, "slope_focal"),
            make.cell(row, GAP) if row["conf_low"] is not None else Cell(None, make.say(row["reason"])),
        ]
        for row in found
    ]  # fmt: skip
    one = found[0]
    notes = [
        make.text(
            "note_difficulty_groups", focal=make.say(one["group_focal"]), n_focal=one["n_focal"],
            reference=make.say(one["group_reference"]), n_reference=one["n_reference"],
        ),
        make.text("note_difficulty_scale"),
    ]  # fmt: skip
    keys = [(str(row["term"]), str(row["term_level"] or "number")) for row in found]
    yield make.table("tbl-difficulty-groups", columns, rows, notes=notes, keys=keys, contrast=make.say(one["contrast"]))
