"""Tells apart the items that share an id.

Ids of CLIcK are not unique: eight stand for a Functional and a Grammar item each. Joining on the id would lose
items or mix them up, so every row with such an id must show which item it is about, or is left out:

1. its gold letter is that of one of the items only;
2. its category, if the file gives different categories to the copies of the id (a file that says the same for
   all copies took the category from a table keyed by id, and is not believed);
3. its neighbours: the nearest row, at most three rows away, that has a unique id, a category of one of the
   items, and the same source. Files are written category by category or in batches of four rows of a category,
   so the neighbours tell where the row came from. Two categories at the same distance decide nothing. (Tried on
   the ids of the 20 real files that the gold letter tells apart: with three rows 102 right and none wrong; with
   eight rows, which reach into the next batch, 111 right and 5 wrong.)

Two rows of one run that end up at the same item cannot both be right: neither is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from click_stats.trials.importers.base import STAGE

if TYPE_CHECKING:
    from click_stats.items.table import ItemTable
    from click_stats.trials.database import Database

REACH = 3
"""How many rows away a neighbour may be."""
BY_GOLD, BY_CATEGORY, BY_NEIGHBOURS = "gold letter", "category", "neighbouring rows"
LEFT_OUT = "not resolved, left out"


def identify(database: Database, items: ItemTable) -> None:
    """Create ``ambiguous`` (rows whose id is not unique) and ``resolution`` (file, row, ix, resolved_by)."""
    database.execute(
        f"""
        CREATE TABLE ambiguous AS
        SELECT s.file, s.row, s.model, s.condition, s.wording, s.rotation, s.replicate, s.category, s.label,
               s.prediction, trim(s.id) AS id, upper(trim(s.gold)) AS gold
        FROM {STAGE} s
        WHERE s.item IS NULL AND trim(s.id) IN (SELECT id FROM item_t WHERE n_same > 1)
        """
    )
    database.execute("CREATE TABLE resolution (file INTEGER, row BIGINT, ix BIGINT, resolved_by VARCHAR)")
    if not database.execute("SELECT 1 FROM ambiguous LIMIT 1"):
        return
    _by_gold(database)
    _by_category(database, items)
    _by_neighbours(database)
    _refuse_collisions(database)


def _by_gold(database: Database) -> None:
    database.execute(
        f"""
        INSERT INTO resolution
        SELECT a.file, a.row, min(i.ix), '{BY_GOLD}'
        FROM ambiguous a JOIN item_t i USING (id) JOIN label_t l ON l.ix = i.ix
        WHERE l.label = a.gold AND l.position = i.gold
        GROUP BY a.file, a.row HAVING count(*) = 1
        """
    )


def _by_category(database: Database, items: ItemTable) -> None:
    written = [row[0] for row in database.execute("SELECT DISTINCT category FROM ambiguous WHERE category IS NOT NULL")]
    known = [(name, items.definition.category(name)) for name in written]
    database.store("category_t", pd.DataFrame(known, columns=["written", "category"]).dropna().astype(object))
    database.execute(
        f"""
        INSERT INTO resolution
        WITH placed AS (
            SELECT a.file, a.row, a.model, a.condition, a.id, c.category
            FROM ambiguous a JOIN category_t c ON c.written = a.category),
        told_apart AS (
            SELECT file, model, condition, id FROM placed GROUP BY ALL HAVING count(DISTINCT category) > 1)
        SELECT p.file, p.row, i.ix, '{BY_CATEGORY}'
        FROM placed p
        JOIN told_apart t ON t.file = p.file AND t.model IS NOT DISTINCT FROM p.model
            AND t.condition IS NOT DISTINCT FROM p.condition AND t.id = p.id
        JOIN item_t i ON i.id = p.id AND i.category = p.category
        ANTI JOIN resolution r ON r.file = p.file AND r.row = p.row
        """
    )


def _by_neighbours(database: Database) -> None:
    database.execute(
        """
        CREATE OR REPLACE TABLE left_over AS
        SELECT file, row, model, condition, id FROM ambiguous a ANTI JOIN resolution r USING (file, row)
        """
    )
    if not database.execute("SELECT 1 FROM left_over LIMIT 1"):
        return
    database.execute(
        f"""
        INSERT INTO resolution
        WITH placed AS (
            SELECT s.file, s.row, s.model, s.condition, coalesce(s.item, s.id) AS key,
                   row_number() OVER (PARTITION BY s.file, s.model, s.condition ORDER BY s.row) AS place
            FROM {STAGE} s SEMI JOIN left_over o ON o.file = s.file
                AND o.model IS NOT DISTINCT FROM s.model AND o.condition IS NOT DISTINCT FROM s.condition),
        asked AS (
            SELECT o.file, o.row, o.model, o.condition, o.id, p.place
            FROM left_over o JOIN placed p USING (file, row)),
        near AS (
            SELECT a.file, a.row, i.ix, min(abs(p.place - a.place)) AS distance
            FROM asked a
            JOIN (SELECT unnest(range(-{REACH}, {REACH} + 1)) AS step) ON true
            JOIN placed p ON p.file = a.file AND p.model IS NOT DISTINCT FROM a.model
                AND p.condition IS NOT DISTINCT FROM a.condition AND p.place = a.place + step
            JOIN key_t k ON k.key = trim(p.key)
            JOIN item_t n ON n.ix = k.ix AND n.n_same = 1
            JOIN item_t i ON i.id = a.id AND i.category = n.category AND i.source = n.source
            GROUP BY ALL)
        SELECT file, row, min(ix), '{BY_NEIGHBOURS}'
        FROM near
        JOIN (SELECT file, row, min(distance) AS distance FROM near GROUP BY ALL) USING (file, row, distance)
        GROUP BY file, row HAVING count(*) = 1
        """
    )


def _refuse_collisions(database: Database) -> None:
    """Forget resolutions that put several rows of one run at the same item.

    Rows told apart by strong evidence that also agree in the answer are repeats, and are handled as such.
    """
    database.execute(
        f"""
        DELETE FROM resolution WHERE (file, row) IN (
            SELECT unnest(rows).file, unnest(rows).row FROM (
                SELECT list({{'file': a.file, 'row': a.row}}) AS rows
                FROM resolution r JOIN ambiguous a USING (file, row)
                GROUP BY a.file, a.model, a.condition, a.wording, a.rotation, a.replicate, r.ix
                HAVING count(*) > 1 AND (
                    bool_or(resolved_by = '{BY_NEIGHBOURS}')
                    OR count(DISTINCT coalesce(a.prediction, a.label, '')) > 1)))
        """
    )
