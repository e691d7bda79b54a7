"""Tables of item analysis: checks, reliability, keys in doubt, duplicates, cards of flagged items, headroom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.render import numbers
from click_stats.render.markdown_text import readable
from click_stats.render.report_tables.base import level
from click_stats.render.table import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker, Row
    from click_stats.render.table import Table

RESULT = "item_analysis"
MOST_SUSPECTS, MOST_PAIRS, MOST_CARDS, MOST_UNITS = 40, 40, 20, 10
INTERVAL = ("conf_low", "conf_high")


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables; what the data do not give is left out."""
    yield from _checks(make)
    yield from _reliability(make)
    yield from _suspects(make)
    yield from _pairs(make)
    yield from _cards(make)
    yield from _hints(make)
    yield from _headroom(make)
    yield from _information(make)
    yield from _ceiling(make)


def _checks(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "checks")
    if not found:
        return
    columns = [make.column("check", "code", header=True), make.column("n_items", "integer", make.text("items_found"))]
    rows = [[row["check"], make.cell(row, "n_items") if row["reason"] else row["n_items"]] for row in found]
    yield make.table(
        "tbl-item-checks", columns, rows, notes=[make.text("note_item_checks", share=_chance_of_reversal(make))]
    )


def _chance_of_reversal(make: Maker) -> str:
    """Return in percent how many items that tell nothing have an interval below 0: one tail of the level."""
    shares = {(1 - row["conf_level"]) / 2 for row in make.rows(RESULT)[:1]}
    return numbers.percent(*shares)


def _reliability(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "reliability")
    if not found:
        return
    columns = [
        make.column("group", header=True), make.column("cronbach_alpha", "coefficient"),
        make.column("alpha_interval", "interval_coefficient", make.text("items_interval"), fields=INTERVAL),
        make.column("kr20", "coefficient"), make.column("lambda6", "coefficient"), make.column("n_items", "integer"),
        make.column("n_items_total", "integer"), make.column("n_units", "integer"),
    ]  # fmt: skip
    rows = [
        [
            make.names.group(row["by"], row["group"]), make.cell(row, "cronbach_alpha"), make.cell(row, INTERVAL),
            make.cell(row, "kr20"), make.cell(row, "lambda6"), row["n_items"], row["n_items_total"], row["n_units"],
        ]
        for row in found
    ]  # fmt: skip
    keys = [(row["by"], row["group"]) for row in found]
    notes = [make.text("note_reliability", level=level(found))]
    yield make.table("tbl-reliability", columns, rows, notes=notes, keys=keys)


def _suspects(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "suspects")
    if not found:
        return
    shown = found[:MOST_SUSPECTS]
    columns = [
        make.column("place", "integer"), make.column("item", header=True), make.column("key_option", "integer"),
        make.column("other_option", "integer"), make.column("share_other", "percent", make.text("items_votes_other")),
        make.column("share_key", "percent", make.text("items_votes_key")), make.column("vote_score", "number"),
        make.column("family_place", "integer"), make.column("n_units", "integer"),
    ]  # fmt: skip
    rows = [[row[column.key] for column in columns] for row in shown]
    notes = [make.text("note_suspects", shown=len(shown), n=len(found))]
    yield make.table("tbl-suspects", columns, rows, notes=notes, keys=[(str(row["item"]),) for row in shown])


def _pairs(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "duplicates")
    if not found:
        return
    shown = found[:MOST_PAIRS]
    columns = [
        make.column("item_a", header=True), make.column("item_b"), make.column("duplicate_kind", "code"),
        make.column("similarity", "number"), make.column("same_key", "code"),
    ]  # fmt: skip
    rows = [
        [row["item_a"], row["item_b"], row["duplicate_kind"], row["similarity"], _yes(row["same_key"])] for row in shown
    ]
    yield make.table(
        "tbl-item-pairs", columns, rows, notes=[make.text("note_item_pairs", shown=len(shown), n=len(found))]
    )


def _cards(make: Maker) -> Iterator[Table]:
    """One small table per card: what each option draws."""
    cards = make.rows(RESULT, "cards")[:MOST_CARDS]
    wanted = {row["item"] for row in cards}
    options: dict[str, list[Row]] = {}
    for row in make.rows(RESULT, "options"):
        if row["item"] in wanted:
            options.setdefault(row["item"], []).append(row)
    texts = {(row["item"], row["option"]): readable(row["option_text"]) for row in make.rows(RESULT, "option_texts")}
    for card in cards:
        columns = [
            make.column("option", "integer", header=True), make.column("is_key", "code"),
            *([make.column("option_text")] if texts else []),
            make.column("share_mean", "percent", make.text("items_all")),
            make.column("share_upper", "percent", make.text("items_upper")),
            make.column("share_lower", "percent", make.text("items_lower")), make.column("option_rest", "number"),
            make.column("n_takers", "integer"),
        ]  # fmt: skip
        rows: list[list[Any]] = [
            [
                row["option"], _yes(row["is_key"]), *([texts.get((row["item"], row["option"]), "")] if texts else []),
                row["share_mean"], row["share_upper"], row["share_lower"], make.cell(row, "option_rest"),
                row["n_takers"],
            ]
            for row in options.get(card["item"], ())
        ]  # fmt: skip
        caption = make.text("card", place=card["place"], item=card["item"], flags=make.say(card["flag"]))
        yield make.table(f"tbl-card-{card['place']:02}", columns, rows, caption=caption, notes=[make.say(card["note"])])


def _hints(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "hints")
    if not found:
        return
    columns = [
        make.unit_column(), make.column("signal", "code"), make.column("estimate", "percent", make.text("items_value")),
        make.column("hint_interval", "interval", make.text("items_interval_percent"), fields=INTERVAL),
        make.column("chance", "percent", make.text("items_chance")), make.column("n_items", "integer"),
    ]  # fmt: skip
    rows = [
        [
            make.names.unit(row["unit"]), row["signal"], make.cell(row, "estimate"), make.cell(row, INTERVAL),
            Cell(row["chance"]), row["n_items"],
        ]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-item-hints", columns, rows, notes=[make.text("note_item_hints", level=level(found))])


def _headroom(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "headroom")
    if not found:
        return
    shares = ("share_separating", "share_all_right", "share_all_wrong")
    columns = [
        make.column("n_units", "integer", make.text("items_best"), header=True),
        *(make.column(key, "percent", make.text(f"items_{key}")) for key in shares),
        make.column("n_items", "integer"), make.column("n_items_total", "integer"),
    ]  # fmt: skip
    rows = [
        [row["n_units"], *(make.cell(row, key) for key in shares), row["n_items"], row["n_items_total"]]
        for row in found
    ]
    yield make.table("tbl-headroom", columns, rows, notes=[make.text("note_headroom")])


def _information(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "information")
    defined = [row for row in found if row["plain_ability"] is not None]
    if not defined:
        return
    shown = sorted(defined, key=lambda row: -row["plain_ability"])[:MOST_UNITS]
    columns = [
        make.unit_column(), make.column("estimate", "percent", make.text("accuracy_percent")),
        make.column("plain_ability", "number"), make.column("plain_information", "number"),
        make.column("plain_ability_se", "number"),
    ]  # fmt: skip
    rows = [[make.names.unit(row["unit"]), *(row[column.key] for column in columns[1:])] for row in shown]
    notes = [make.text("note_information", shown=len(shown), n=len(defined))]
    yield make.table("tbl-item-information", columns, rows, notes=notes, keys=[(row["unit"],) for row in shown])


def _ceiling(make: Maker) -> Iterator[Table]:
    found = make.rows(RESULT, "ceiling")
    if not found:
        return
    columns = [
        make.column("scenario", "code", header=True), make.column("n_wrong_keys", "number"),
        make.column("ceiling", "percent", make.text("items_ceiling")),
        make.column("ceiling_interval", "interval", make.text("items_interval_percent"), fields=INTERVAL),
    ]  # fmt: skip
    rows = [
        [row["scenario"], Cell(row["n_wrong_keys"], make.say(row["note"])), row["ceiling"],
         tuple(row[key] for key in INTERVAL)]
        for row in found
    ]  # fmt: skip
    yield make.table("tbl-ceiling", columns, rows, notes=[make.text("note_ceiling")])


def _yes(value: Any) -> str:
    return "" if value is None else "yes" if value else "no"
