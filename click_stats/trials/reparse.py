"""Reads answers from stored responses again, by a stated policy, and says where it disagrees with the files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.answers import extract
from click_stats.counts import UNANSWERED
from click_stats.trials.mapping import READING, READING_COLUMNS, TRIAL, create_reading
from click_stats.trials.sql import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.items.table import ItemTable
    from click_stats.trials.database import Database

WITHHELD = ("[cut]",)
"""What a published log puts in place of a response that it may not show: nothing can be read from it."""
REPARSED = ["file", "unit", "item", "label_logged", "label_read", "rule", "n_rows"]
BATCH = 10_000
"""Responses held in memory at once."""


def readable(status: str) -> str:
    """Return the condition that a row holds a response to read; ``status`` names the column of its status.

    A call that was filtered or failed gave no answer, whatever stands in the place of its text.
    """
    withheld = ", ".join(map(literal, WITHHELD))
    unanswered = ", ".join(map(literal, (*UNANSWERED, "missing")))
    return (
        f"trim(coalesce(text, '')) NOT IN ('', {withheld}) AND {status} NOT IN ({unanswered}) "
        "AND trim(text) NOT IN (SELECT word FROM sentinel_t WHERE place = 'text')"
    )


def read_texts(database: Database, items: ItemTable, keys: Sequence[str], rows: str, policies: Sequence[str]) -> None:
    """Fill the table :data:`READING` with what different responses to an item say.

    Parameters
    ----------
    items
        The items answered; option texts are read only where they have texts.
    keys
        Key of the item of each number ``ix``.
    rows
        Query with the columns ``ix, turn, text, finish_reason``; ``turn`` is the rotation. Prediction in the table:
        original option ``(p + turn) mod N`` for the displayed position p.
    policies
        Policies to read by; equal responses to an item are read once for each.
    """
    create_reading(database)
    texts = items.frame["options"] if items.has_text else None
    cursor = database.connection.cursor()
    try:
        cursor.execute(f"SELECT DISTINCT ix, turn, text, finish_reason FROM ({rows}) ORDER BY ix, turn")
        while batch := cursor.fetchmany(BATCH):
            read = []
            for ix, turn, text, reason in batch:
                labels = items.labels(keys[ix])
                n_options = len(labels)
                options = None
                if texts is not None:
                    original = texts[keys[ix]]
                    options = [original[(place + turn) % n_options] for place in range(n_options)]
                for policy in policies:
                    found = extract(text, options, labels=labels, policy=policy, finish_reason=reason or "")
                    option = None if found.option is None else (found.option + turn) % n_options
                    read.append((ix, turn, text, reason, policy, found.status, option, found.rule))
            frame = pd.DataFrame(read, columns=list(READING_COLUMNS)).astype({"option": "Int32"})
            database.connection.register("incoming", frame)
            database.execute(f"INSERT INTO {READING} SELECT * FROM incoming")
            database.connection.unregister("incoming")
    finally:
        cursor.close()


def read_again(database: Database, items: ItemTable, policy: str) -> None:
    """Read the responses of all mapped rows by ``policy``, before trials are made of them."""
    rows = f"SELECT ix, turn, text, finish_reason FROM mapped WHERE ix IS NOT NULL AND {readable('state')}"
    read_texts(database, items, tuple(map(str, items.frame.index)), rows, (policy,))


def disagreements(database: Database, files: Sequence[str], units: Sequence[str]) -> pd.DataFrame:
    """Return where an answer read again is another one than the file states: :data:`REPARSED`.

    ``label_logged`` and ``label_read`` are labels as displayed, or the status where no option is named.
    """
    found = database.execute(
        f"""
        SELECT t.file, t.unit, i.item, coalesce(a.label, t.logged_status), coalesce(b.label, t.status), t.rule, count(*)
        FROM {TRIAL} t JOIN item_t i USING (ix)
        LEFT JOIN label_t a
            ON a.ix = t.ix AND a.position = (t.logged_prediction - t.rotation + i.n_options) % i.n_options
        LEFT JOIN label_t b
            ON b.ix = t.ix AND b.position = (t.prediction - t.rotation + i.n_options) % i.n_options
        WHERE t.was_read AND t.logged_status IS NOT NULL AND t.logged_prediction IS DISTINCT FROM t.prediction
        GROUP BY ALL ORDER BY ALL
        """
    )
    return pd.DataFrame([(files[row[0]], units[row[1]], *row[2:]) for row in found], columns=REPARSED)


def remarks(database: Database, items: ItemTable, policy: str, table: pd.DataFrame) -> list[str]:
    """Say how many answers were read again, how many differ, and what could not be read."""
    n_read, n_kept = database.execute(
        f"SELECT count(*) FILTER (was_read), count(*) FILTER (NOT was_read AND status = 'ok') FROM {TRIAL}"
    )[0]
    n_other = int(table["n_rows"].sum())
    said = [
        f"Answers were read again from {n_read:,} responses (policy {policy}): {n_other:,} differ from the files' own."
    ]
    if n_kept:
        said.append(f"{n_kept:,} answers have no response that can be read and stay as the files state them.")
    if not items.has_text:
        said.append("The option texts are not at hand: from responses only labels were read.")
    return said
