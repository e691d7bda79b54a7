"""From rows of text to trials: the item, the option in the source's order, the status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.counts import STATUSES
from click_stats.trials.importers.base import STAGE
from click_stats.trials.schema import DEFAULT_CONDITION, FOREIGN_WORDING, LOGGED_POLICY

if TYPE_CHECKING:
    from click_stats.trials.database import Database

TRIAL = "trial"
"""Table of trials: ``unit`` and ``ix`` number the units and items, the other columns are those of the schema.

``was_read`` says whether the prediction was read from the text here; ``logged_status`` and ``logged_prediction``
are what the file says, missing where it holds texts only.
"""
READING = "reading"
"""Table of what responses say; ``turn`` is the rotation, ``option`` counts in the source's order."""
READING_COLUMNS = {
    "ix": "BIGINT",
    "turn": "BIGINT",
    "text": "VARCHAR",
    "finish_reason": "VARCHAR",
    "policy": "VARCHAR",
    "status": "VARCHAR",
    "option": "INTEGER",
    "rule": "VARCHAR",
}

_INTEGER = "CASE WHEN try_cast({0} AS DOUBLE) = floor(try_cast({0} AS DOUBLE)) THEN try_cast({0} AS BIGINT) END"
# DuckDB would round '1.5' to 2.


def create_view(database: Database) -> None:
    """Create the view ``mapped``: the stage with everything that is derived from it, nothing left out yet.

    ``status`` is ``missing`` for rows that say that a trial was never run. ``prediction`` is the option from 0
    in the source's order; ``stated`` is what the column ``prediction`` says, ``shown`` what ``label`` says.
    """
    known = ", ".join(f"'{status}'" for status in STATUSES)
    database.execute(
        f"""
        CREATE OR REPLACE VIEW mapped AS
        WITH placed AS (
            SELECT s.*, coalesce(k.ix, r.ix) AS ix, coalesce(trim(s.item), trim(s.id)) AS key,
                   upper(trim(s.label)) AS word,
                   coalesce({_INTEGER.format("s.rotation")}, 0) AS turn,
                   coalesce({_INTEGER.format("s.replicate")}, 0) AS repeat
            FROM {STAGE} s
            LEFT JOIN key_t k ON k.key = coalesce(trim(s.item), trim(s.id))
            LEFT JOIN resolution r ON r.file = s.file AND r.row = s.row),
        answered AS (
            SELECT p.*, u.unit, i.n_options, i.gold AS gold_items, g.position AS gold_file,
                   {_INTEGER.format("p.prediction")} AS stated,
                   (l.position + p.turn) % i.n_options AS shown,
                   coalesce(a.status, CASE WHEN p.label IS NULL AND p.prediction IS NULL THEN b.status END) AS sentinel
            FROM placed p
            LEFT JOIN item_t i ON i.ix = p.ix
            LEFT JOIN unit_t u ON u.raw_model = p.model
                AND u.raw_condition = coalesce(p.condition, '{DEFAULT_CONDITION}')
            LEFT JOIN label_t l ON l.ix = p.ix AND l.label = p.word
            LEFT JOIN label_t g ON g.ix = p.ix AND g.label = upper(trim(p.gold))
            LEFT JOIN sentinel_t a ON a.place = 'label' AND a.word = p.word
            LEFT JOIN sentinel_t b ON b.place = 'text' AND b.word = trim(p.text)),
        chosen AS (
            SELECT *, CASE
                WHEN stated BETWEEN 0 AND n_options - 1 THEN stated
                WHEN prediction IS NULL THEN shown END AS option
            FROM answered)
        SELECT c.*, coalesce(
                   lower(trim(c.status)),
                   CASE WHEN c.option IS NOT NULL THEN 'ok'
                        WHEN c.sentinel IS NOT NULL THEN c.sentinel
                        WHEN c.label IS NOT NULL OR c.prediction IS NOT NULL OR trim(c.text) <> '' THEN 'out_of_option'
                        WHEN f.has_text THEN 'empty'
                        ELSE 'failed' END) AS state,
               lower(trim(c.status)) NOT IN ({known}, 'missing') AS bad_status
        FROM chosen c JOIN file_t f ON f.file = c.file
        """
    )


def create_reading(database: Database) -> None:
    """Create the empty table :data:`READING`."""
    columns = ", ".join(f"{name} {kind}" for name, kind in READING_COLUMNS.items())
    database.execute(f"CREATE OR REPLACE TABLE {READING} ({columns})")


def create_trials(database: Database, *, reread: str = "false") -> None:
    """Materialise the trials that have an item, in the order they were read.

    ``reread`` is the condition on a row of ``mapped`` that its answer is the one in :data:`READING`.
    """
    database.execute(
        f"""
        CREATE TABLE {TRIAL} AS
        WITH told AS (
            SELECT *, CASE WHEN state = 'ok' THEN option::INTEGER END AS stated_option, {reread} AS reread
            FROM mapped JOIN file_t USING (file) WHERE ix IS NOT NULL AND state <> 'missing')
        SELECT t.file, t.row, t.unit, t.ix, coalesce(trim(t.wording), '{FOREIGN_WORDING}') AS wording,
               t.turn::INTEGER AS rotation, t.repeat::INTEGER AS replicate, coalesce(r.status, t.state) AS status,
               CASE WHEN r.policy IS NULL THEN t.stated_option ELSE r.option END AS prediction,
               try_cast(t.scores AS DOUBLE[]) AS scores, t.text,
               CASE WHEN r.policy IS NULL THEN t.rule ELSE r.rule END AS rule,
               coalesce(r.policy, t.policy, '{LOGGED_POLICY}') AS policy,
               try_cast(t.input_tokens AS BIGINT) AS input_tokens,
               try_cast(t.output_tokens AS BIGINT) AS output_tokens,
               try_cast(t.seconds AS DOUBLE) AS seconds, t.finish_reason, r.policy IS NOT NULL AS was_read,
               CASE WHEN t.has_answer THEN t.state END AS logged_status,
               CASE WHEN t.has_answer THEN t.stated_option END AS logged_prediction,
               CASE WHEN t.has_answer THEN t.rule END AS logged_rule
        FROM told t LEFT JOIN {READING} r
            ON t.reread AND r.ix = t.ix AND r.turn = t.turn AND r.text = t.text
            AND r.finish_reason IS NOT DISTINCT FROM t.finish_reason
        """
    )
