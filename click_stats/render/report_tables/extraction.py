"""Tables of extraction: accuracy by policy, what each rule decided, answers read otherwise than the files state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from click_stats.render import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.render.report_tables.base import Maker
    from click_stats.render.table import Table

POLICIES = ("paper", "lenient", "logged")
SHOWN = 20
"""Disagreements shown in a report; all are in its tables as CSV."""


def tables(make: Maker) -> Iterator[Table]:
    """Yield the tables that responses give; none without responses."""
    yield from _policies(make)
    yield from _rules(make)
    yield from _reparsed(make)


def _policies(make: Maker) -> Iterator[Table]:
    found = make.by_unit(make.rows("extraction", "policies"))
    if not found:
        return
    columns = [make.unit_column()]
    for policy in POLICIES:
        word = make.text(f"policy_{policy}")
        columns.append(make.column(policy, "percent", f"{word} (%)"))
        columns.append(make.column(f"{policy} n_none", "integer", make.text("no_option", policy=word)))
    rows = []
    for unit, own in found.items():
        by_policy = {row["policy"]: row for row in own}
        cells: list[object] = [make.names.unit(unit)]
        for policy in POLICIES:
            row = by_policy.get(policy, {})
            none = row["n_trials"] - row["n_ok"] if row.get("n_trials") else None
            cells += [make.cell(row, "estimate"), none]
        rows.append(cells)
    used = make.results["account"].meta.get("policy", "logged") if "account" in make.results else "logged"
    texts_at_hand = make.results["extraction"].meta.get("option_texts", True)
    notes = [
        make.text("note_policies", policy=make.text(f"policy_{used}")),
        "" if texts_at_hand else make.text("note_labels_only"),
    ]
    yield make.table("tbl-policies", columns, rows, notes=notes, keys=[(unit,) for unit in found])


def _rules(make: Maker) -> Iterator[Table]:
    """Trials by the rule that decided, over all units: what each unit had is in the CSV."""
    counted: dict[str, Counter[str]] = {policy: Counter() for policy in POLICIES[:2]}
    for row in make.rows("extraction", "rules"):
        if row["policy"] in counted:
            counted[row["policy"]][row["rule"]] += row["n_trials"]
    rules = list(dict.fromkeys(rule for own in counted.values() for rule, _ in own.most_common()))
    if not rules:
        return
    columns = [make.column("rule", header=True)]
    for policy in counted:
        word = make.text(f"policy_{policy}")
        columns.append(make.column(policy, "integer", make.text("trials_of", name=word)))
        columns.append(make.column(f"{policy} share", "percent", make.text("share_of", name=word)))
    rows = []
    for rule in rules:
        cells: list[object] = [make.text("rule_none") if rule == "none" else make.say(rule)]
        for own in counted.values():
            cells += [own[rule], own[rule] / own.total()]
        rows.append(cells)
    yield make.table("tbl-rules", columns, rows, keys=[(rule,) for rule in rules])


def _reparsed(make: Maker) -> Iterator[Table]:
    found = make.rows("account", "reparsed")
    if not found:
        return
    columns = [
        make.column("file", header=True), make.column("unit"), make.column("item"),
        make.column("label_logged", "code"), make.column("label_read", "code"), make.column("rule", "code"),
        make.column("n_rows", "integer"),
    ]  # fmt: skip
    rows = [
        [row["file"], make.names.unit(row["unit"]), *(row[key] for key in ("item", "label_logged", "label_read")),
         row["rule"], row["n_rows"]]
        for row in found[:SHOWN]
    ]  # fmt: skip
    more = make.text("note_more_rows", n=numbers.integer(len(found) - SHOWN)) if len(found) > SHOWN else ""
    yield make.table("tbl-reparsed", columns, rows, notes=[more])
