"""The account of an import: what was read, what was left out and why, what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.counts import INCORRECT, STATUSES
from click_stats.results import Result
from click_stats.trials.identify import LEFT_OUT
from click_stats.trials.runs import FACTS, NOT_STATED
from click_stats.trials.schema import LOGGED_POLICY
from click_stats.trials.unscored import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from click_stats.counts import Counts
    from click_stats.trials.unscored import Unscored

ALL_ITEMS = "all items"
SHOWN = 5
"""Examples named per reason."""
THIN = 0.5
"""Of items a unit answered less than this share, or of its answers more than this share name no option: a warning."""

SOURCES = ["file", "format", "digest", "date", "unit", "model", "condition", "rows_read", "rows_kept"]
DROPPED = ["file", "reason", "n_rows", "examples"]
GOLD = ["file", "unit", "item", "gold_file", "gold_items"]
DUPLICATES = ["file", "id", "item", "resolved_by", "n_rows"]


def make_account(
    sources: pd.DataFrame,
    dropped: pd.DataFrame,
    gold: pd.DataFrame,
    duplicates: pd.DataFrame,
    counts: Counts,
    facts: Mapping[str, Mapping[str, str]],
    digests: Mapping[str, str],
    notes: Sequence[str] = (),
    reparsed: pd.DataFrame | None = None,
    policy: str = LOGGED_POLICY,
) -> Result:
    """Put the account together.

    Parameters
    ----------
    sources, dropped, gold, duplicates
        Tables of the account as they are shown.
    counts
        Counts of what was kept.
    facts
        Unit -> what is known of its run.
    digests
        Digests of items and trials.
    notes
        Warnings from reading, in sentences.
    reparsed
        Where answers read again differ from those in the files; None when none were read again.
    policy
        How answers were taken from responses.
    """
    answered = counts.n("ok", *INCORRECT) > 0
    tables = {
        "sources": sources[SOURCES],
        "dropped": dropped[DROPPED],
        "statuses": _statuses(counts),
        "coverage": _coverage(counts, answered),
        "gold": gold[GOLD],
        "duplicates": duplicates[DUPLICATES],
        "comparability": _comparability(counts, answered, facts),
    }
    if reparsed is not None:
        tables["reparsed"] = reparsed
    warnings = [*notes, *_warnings(tables, counts, answered)]
    method = (
        "Items with the same id are told apart by the gold letter, else by the category where the file tells the "
        "copies apart, else by the neighbouring rows; the item table's gold option decides what is correct."
    )
    meta = {"method": method, "digests": dict(digests), "policy": policy, "warnings": warnings}
    return Result("account", tables, _summary(tables["sources"], counts, answered), meta)


def recount(account: Result, counts: Counts, digests: Mapping[str, str], found: Unscored) -> Result:
    """Return an account of the same rows for counts by another item table.

    What was read stays as it was; statuses, coverage and the items answered are those of ``counts``, and what errata
    leave out of the scores (``found``) is added to what was left out.
    """
    answered = counts.n("ok", *INCORRECT) > 0
    n_items = dict(zip(counts.units.index, answered.sum(axis=1), strict=True))
    comparability = account.to_frame("comparability")
    comparability["n_items"] = comparability["unit"].map(n_items)
    sources, dropped = account.to_frame("sources"), account.to_frame("dropped")
    numbers = {str(unit): number for number, unit in enumerate(counts.units.index)}
    pairs = zip(sources["file"], sources["unit"], strict=True)
    sources["rows_kept"] = [found.kept.get((file, numbers[unit]), 0) for file, unit in pairs]
    dropped = dropped[~dropped["reason"].isin(REASONS)]
    unscored = pd.DataFrame(found.dropped, columns=DROPPED)
    warnings = [line for line in account.meta["warnings"] if not any(f"({reason})" in line for reason in REASONS)]
    tables = {
        **account.tables,
        "sources": sources,
        "dropped": pd.concat([dropped, unscored], ignore_index=True) if len(unscored) else dropped,
        "statuses": _statuses(counts),
        "coverage": _coverage(counts, answered),
        "comparability": comparability,
    }
    meta = {**account.meta, "digests": dict(digests), "warnings": [*warnings, *_left_out(unscored)]}
    return Result("account", tables, _summary(sources, counts, answered), meta)


def _summary(sources: pd.DataFrame, counts: Counts, answered: npt.NDArray[np.bool_]) -> dict[str, int]:
    return {
        "n_units": len(counts.units),
        "n_items": int(answered.any(axis=0).sum()),
        "n_items_total": len(counts.items),
        "n_trials": int(counts.statuses.sum()),
        "rows_read": int(sources["rows_read"].sum()),
        "rows_kept": int(sources["rows_kept"].sum()),
    }


def _statuses(counts: Counts) -> pd.DataFrame:
    rows = [
        (unit, status, int(n))
        for status in (*STATUSES, "missing")
        for unit, n in zip(counts.units.index, counts.n(status).sum(axis=1), strict=True)
    ]
    order = {unit: place for place, unit in enumerate(counts.units.index)}
    rows.sort(key=lambda row: order[row[0]])
    return pd.DataFrame(rows, columns=["unit", "status", "n_trials"])


def _coverage(counts: Counts, answered: npt.NDArray[np.bool_]) -> pd.DataFrame:
    category = counts.items["category"].to_numpy()
    groups = [("overall", ALL_ITEMS, np.ones(len(category), dtype=bool))]
    groups += [("category", name, category == name) for name in counts.categories if (category == name).any()]
    rows = [
        (unit, by, group, int(answered[row, mask].sum()), int(mask.sum()), float(answered[row, mask].mean()))
        for row, unit in enumerate(counts.units.index)
        for by, group, mask in groups
    ]
    return pd.DataFrame(rows, columns=["unit", "by", "group", "n_items", "n_items_total", "coverage"])


def _comparability(
    counts: Counts, answered: npt.NDArray[np.bool_], facts: Mapping[str, Mapping[str, str]]
) -> pd.DataFrame:
    rows = []
    for row, unit in enumerate(counts.units.index):
        known = facts.get(unit, {})
        rows.append(
            {
                "unit": unit,
                **{fact: known.get(fact) or NOT_STATED for fact in FACTS},
                "n_items": int(answered[row].sum()),
                "protocol": counts.units["protocol"].iloc[row] or NOT_STATED,
            }
        )
    return pd.DataFrame(rows, columns=["unit", *FACTS, "n_items", "protocol"])


def _warnings(tables: Mapping[str, pd.DataFrame], counts: Counts, answered: npt.NDArray[np.bool_]) -> list[str]:
    lines = _left_out(tables["dropped"])
    if len(tables["gold"]):
        items = ", ".join(dict.fromkeys(tables["gold"]["item"]))
        n_files = tables["gold"]["file"].nunique()
        lines.append(f"Gold letters differ from the item table, which decides, in {_files(n_files)}: {items}.")
    neighbours = tables["duplicates"].query("resolved_by == 'neighbouring rows'")
    if len(neighbours):
        ids = ", ".join(dict.fromkeys(neighbours["id"]))
        lines.append(f"Rows of an ambiguous id were told apart by their neighbouring rows: {ids}.")
    category = counts.items["category"].to_numpy()
    lines += _mostly_unread(counts)
    n_answered = answered.sum(axis=1)
    few = n_answered < THIN * answered.shape[1]
    for n_items in sorted({int(n) for n in n_answered[few] if n}):
        units = ", ".join(map(str, counts.units.index[few & (n_answered == n_items)]))
        lines.append(f"Of {answered.shape[1]:,} items only {n_items:,} were answered by: {units}.")
    for name in counts.categories:
        mask = category == name
        if not mask.any():
            continue
        thin: dict[int, list[str]] = {}
        for row, unit in enumerate(counts.units.index):
            n_here = int(answered[row, mask].sum())
            if not few[row] and n_here < THIN * mask.sum():  # of a unit with few answers one line says it
                thin.setdefault(n_here, []).append(str(unit))
        lines += [
            f"Of the {int(mask.sum())} {name} items only {n_items} were answered by: {', '.join(units)}."
            for n_items, units in sorted(thin.items())
        ]
    lines += [
        f"{unit} has no answer at all: nothing can be estimated for it."
        for row, unit in enumerate(counts.units.index)
        if not answered[row].any()
    ]
    return lines


def _left_out(dropped: pd.DataFrame) -> list[str]:
    """Return a warning for each reason for which rows were left out."""
    return [
        f"{int(rows['n_rows'].sum()):,} rows were left out ({reason}): {', '.join(dict.fromkeys(rows['file']))}."
        for reason, rows in dropped.groupby("reason", sort=False)
    ]


def _mostly_unread(counts: Counts) -> list[str]:
    """Return a warning for each unit most of whose answers name no option: they may be written in another way."""
    spoken, outside = (counts.n(*names).sum(axis=1) for names in (("ok", *INCORRECT), ("out_of_option",)))
    return [
        f"{unit}: {n_outside:,} of {n_spoken:,} answers name no option and count as wrong. Are they written as the "
        "options' labels are?"
        for unit, n_spoken, n_outside in zip(counts.units.index, spoken, outside, strict=True)
        if n_outside > THIN * n_spoken
    ]


def _files(n_files: int) -> str:
    return "one file" if n_files == 1 else f"{n_files} files"


def examples(values: Sequence[Any]) -> str:
    """Return the first few values as text."""
    shown = ", ".join(map(str, list(values)[:SHOWN]))
    return shown + (", ..." if len(values) > SHOWN else "")


def dropped_duplicates(duplicates: pd.DataFrame) -> pd.DataFrame:
    """Return the part of ``dropped`` that comes from ids that could not be told apart."""
    lost = duplicates[duplicates["resolved_by"] == LEFT_OUT]
    rows = [
        (file, "id of several items, not told apart", int(part["n_rows"].sum()), examples(list(part["id"])))
        for file, part in lost.groupby("file", sort=False)
    ]
    return pd.DataFrame(rows, columns=DROPPED)
