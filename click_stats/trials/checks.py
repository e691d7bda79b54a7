"""Refuses rows that contradict themselves, repeat each other, or belong to another dataset version."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from click_stats.counts import STATUSES
from click_stats.errors import DataError
from click_stats.trials.importers.base import STAGE
from click_stats.trials.mapping import TRIAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.trials.database import Database

GOLD_TOLERANCE = 0.01
"""Share of a unit's items whose gold letter may differ: more is another dataset version, not drift."""
GOLD_SPARED = 1
"""Differing letters that are never an error: one in a small file is drift, whatever its share."""

_KEY = "unit, ix, wording, rotation, replicate"


class Rule(NamedTuple):
    """A condition on a row of the view ``mapped`` that no row may meet, and what to say if one does."""

    condition: str
    shown: str
    what: str
    do: str


ROW_RULES = (
    Rule("model IS NULL", "key", "Rows name no model.", "Fill the column model."),
    Rule(
        "rotation IS NOT NULL AND turn IS DISTINCT FROM try_cast(rotation AS DOUBLE) OR ix IS NOT NULL AND "
        "turn NOT BETWEEN 0 AND n_options - 1",
        "rotation",
        "A rotation is no whole number from 0 to the number of options less one.",
        "Rotation r shows original option (p + r) mod N at position p; 0 is the source's order.",
    ),
    Rule(
        "replicate IS NOT NULL AND repeat IS DISTINCT FROM try_cast(replicate AS DOUBLE)",
        "replicate",
        "A replicate (trial) is no whole number.",
        "Number the repetitions 0, 1, 2, ...",
    ),
    Rule(
        "prediction IS NOT NULL AND stated IS NULL",
        "prediction",
        "A prediction is no whole number.",
        "prediction counts the options from 0 in the source's order; map letters with --columns label=NAME.",
    ),
    Rule(
        "ix IS NOT NULL AND prediction IS NOT NULL AND label IS NOT NULL AND sentinel IS NULL "
        "AND shown IS DISTINCT FROM option",
        "'prediction ' || prediction || ', label ' || label || ', rotation ' || turn",
        "The columns prediction and label contradict each other.",
        "prediction is in the source's order, label as displayed; drop one of them if it means something else.",
    ),
    Rule("bad_status", "status", "A status is not known.", "Use one of: " + ", ".join((*STATUSES, "missing")) + "."),
    Rule(
        "ix IS NOT NULL AND state = 'ok' AND option IS NULL",
        "coalesce(prediction, label, 'nothing')",
        "A trial has the status ok, but no option of its item.",
        "Give the option, or the status out_of_option.",
    ),
    *(
        Rule(
            f"{column} IS NOT NULL AND try_cast({column} AS {kind}) IS NULL",
            column,
            f"A value of {column} is not of the type {kind}.",
            "Correct the value or leave it empty.",
        )
        for column, kind in (
            ("scores", "DOUBLE[]"),
            ("input_tokens", "BIGINT"),
            ("output_tokens", "BIGINT"),
            ("seconds", "DOUBLE"),
        )
    ),
)


def check_rows(database: Database, files: Sequence[str]) -> None:
    """Raise DataError for the first rule that a row breaks, with file, row and number of such rows."""
    counted = ", ".join(f"count(*) FILTER ({rule.condition}) AS n{i}" for i, rule in enumerate(ROW_RULES))
    found = database.execute(f"SELECT {counted} FROM mapped")[0]
    for rule, n_rows in zip(ROW_RULES, found, strict=True):
        if n_rows:
            file, row, value, key = database.execute(
                f"SELECT file, row, {rule.shown}, key FROM mapped WHERE {rule.condition} ORDER BY file, row LIMIT 1"
            )[0]
            raise DataError(
                rule.what, found=f"{value!r} for {key}, {files[file]}, row {row} ({n_rows:,} such rows)", do=rule.do
            )


def counted_from_one(database: Database, files: Sequence[str]) -> list[str]:
    """Return a warning for each file whose predictions never name the first option but one past the last."""
    rows = database.execute(
        "SELECT file FROM mapped WHERE ix IS NOT NULL AND stated IS NOT NULL GROUP BY file "
        "HAVING min(stated) = 1 AND bool_or(stated = n_options) AND bool_and(stated <= n_options) ORDER BY file"
    )
    return [
        f"The predictions in {files[file]} run from 1 to the number of options: they seem to count from 1, and were "
        "read as counting from 0."
        for (file,) in rows
    ]


def check_items(database: Database, files: Sequence[str], benchmark: str, n_items: int) -> list[tuple[int, str, int]]:
    """Return the ids that the item table does not have (file, key, n_rows).

    Raises
    ------
    DataError
        A file has no known id at all.
    """
    unknown = database.execute(
        "SELECT file, key, count(*) AS n_rows FROM mapped "
        "WHERE ix IS NULL AND key IS NOT NULL AND key NOT IN (SELECT id FROM item_t) GROUP BY ALL ORDER BY file, key"
    )
    for file, n_named in database.execute(
        f"SELECT file, count(coalesce(item, id)) FROM {STAGE} GROUP BY file ORDER BY file"
    ):
        here = [(key, n_rows) for other, key, n_rows in unknown if other == file]
        if sum(n_rows for _, n_rows in here) == n_named:
            raise DataError(
                f"No id in {files[file]} is one of the {n_items:,} items of {benchmark}.",
                found=", ".join(key for key, _ in here[:5]) or "no ids",
                do="Check the column of the ids (--columns id=NAME), or hand over the right items with --items.",
            )
    return unknown


def check_gold(
    database: Database, files: Sequence[str], units: Sequence[str], revision: str
) -> list[tuple[str, str, str, str, str]]:
    """Return the gold letters that differ from the item table: file, unit, item, gold_file, gold_items.

    Raises
    ------
    DataError
        More than 1 % of a unit's items (and more than one item) differ.
    """
    compared = database.execute(
        "SELECT file, unit, count(DISTINCT ix), count(DISTINCT ix) FILTER (gold_file IS DISTINCT FROM gold_items) "
        "FROM mapped WHERE ix IS NOT NULL AND gold IS NOT NULL GROUP BY ALL ORDER BY file, unit"
    )
    for file, unit, n_items, n_other in compared:
        if n_other > max(GOLD_SPARED, GOLD_TOLERANCE * n_items):
            raise DataError(
                f"The gold letters in {files[file]} are not those of the item table: another dataset version.",
                found=f"{n_other:,} of {n_items:,} items differ ({units[unit]})",
                do="Hand over the items that were asked with --items"
                + (f"; the table is {revision}." if revision else "."),
            )
    found = database.execute(
        """
        SELECT DISTINCT m.file, m.unit, i.item, trim(m.gold) AS gold_file, l.label AS gold_items
        FROM mapped m JOIN item_t i ON i.ix = m.ix JOIN label_t l ON l.ix = i.ix AND l.position = i.gold
        WHERE m.gold IS NOT NULL AND m.gold_file IS DISTINCT FROM m.gold_items ORDER BY ALL
        """
    )
    return [(files[file], units[unit], item, there, here) for file, unit, item, there, here in found]


def drop_repeats(database: Database, files: Sequence[str], units: Sequence[str]) -> list[tuple[int, int, str]]:
    """Remove rows that repeat another row of their file, and return how many (file, n_rows, example).

    Raises
    ------
    DataError
        Rows with the same key differ in their answer, or stand in different files.
    """
    repeated = f"SELECT {_KEY} FROM {TRIAL} GROUP BY ALL HAVING count(*) > 1"
    if not database.execute(f"{repeated} LIMIT 1"):
        return []
    database.execute(f"CREATE OR REPLACE TABLE repeated AS {repeated}")
    groups = f"FROM {TRIAL} t JOIN repeated r USING ({_KEY}) JOIN item_t i USING (ix) GROUP BY {_KEY}, i.item"
    shared = database.execute(
        f"SELECT i.item, unit, min(file), max(file), count(*) OVER () {groups} "
        "HAVING min(file) <> max(file) ORDER BY 1, 2 LIMIT 1"
    )
    if shared:
        item, unit, first, last, n_keys = shared[0]
        raise DataError(
            f"Two files hold the same trials of {units[unit]}.",
            found=f"{files[first]} and {files[last]}, {n_keys:,} trials, e.g. of {item}",
            do="Keep one of them, or give the trials different replicate numbers or conditions.",
        )
    opposed = database.execute(
        f"SELECT i.item, unit, min(file), count(*) OVER () {groups} "
        "HAVING count(DISTINCT status || coalesce(prediction, -1)) > 1 ORDER BY 1, 2 LIMIT 1"
    )
    if opposed:
        item, unit, file, n_keys = opposed[0]
        raise DataError(
            f"Rows in {files[file]} are the same trial, but give different answers.",
            found=f"{n_keys:,} trials of {units[unit]}, e.g. of {item}",
            do="Number repetitions in the column trial (replicate), or remove the rows that do not count.",
        )
    spare = (
        f"SELECT file, row FROM (SELECT file, row, row_number() OVER (PARTITION BY {_KEY} ORDER BY file, row) AS place "
        f"FROM {TRIAL} JOIN repeated USING ({_KEY})) WHERE place > 1"
    )
    dropped = database.execute(
        f"SELECT t.file, count(*) AS n_rows, min(i.item) AS example FROM {TRIAL} t JOIN item_t i USING (ix) "
        f"WHERE (t.file, t.row) IN ({spare}) GROUP BY t.file ORDER BY t.file"
    )
    database.execute(f"DELETE FROM {TRIAL} WHERE (file, row) IN ({spare})")
    return dropped
