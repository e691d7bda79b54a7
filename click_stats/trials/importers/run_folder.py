"""Run folders: what ``click-stats run`` wrote, also while it is still being written."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.trials.importers.base import STAGE, Source, UnknownKindError
from click_stats.trials.importers.long_table import JSON_LINES, LongTable
from click_stats.trials.manifest import TRIALS, is_run, read_manifest, run_facts, started
from click_stats.trials.schema import COLUMNS, KEY
from click_stats.trials.sql import glob_free, literal
from click_stats.trials.store import CHUNK, FAILED, whole_size

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import duckdb

ASKED_AGAIN = "failed, asked again"
REMARKS = 3
"""Most frequent remarks that are quoted."""


class RunFolder(LongTable):
    """Importer of run folders: a long table whose manifest says how its answers came about.

    It stops at the last newline and mends nothing: the run may be going on. Of a trial that failed and was asked
    again, the latest answer counts.
    """

    name = "run"
    suffixes = JSON_LINES

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a file that stands beside a manifest of ours."""
        del mapping  # our own names need none
        return {name: name for name in COLUMNS} if is_run_file(path) else None

    def needs(self) -> str:
        """Say what a run folder holds."""
        return "a folder with manifest.json and trials.jsonl, as click-stats run writes it"

    def prepare(self, source: Source, work: Path) -> None:
        """Note the facts of the run in ``source``, and make it readable up to its last newline.

        Raises
        ------
        UnknownKindError
            The run has no trial yet.
        """
        path = source.path
        manifest = read_manifest(path.parent)
        size = whole_size(path)
        if not size:
            raise UnknownKindError(
                f"The run {path.parent.name} has no trials yet.", do="Run it first, or read another folder."
            )
        if size < path.stat().st_size:
            source.readable = Path(tempfile.mkdtemp(dir=work)) / path.name
            with path.open("rb") as file, source.readable.open("wb") as out:
                while out.tell() < size:  # it may grow while we read
                    out.write(file.read(min(CHUNK, size - out.tell())))
            source.left_out["last line cut off"] = [_lines(source.readable) + 1]
        source.columns, source.importer = {name: name for name in COLUMNS}, self.name
        source.date = started(manifest)
        source.facts = run_facts(manifest)
        source.asked = str((manifest.get("items") or {}).get("digest", ""))
        if manifest.get("simulated"):
            source.notes.append(
                f"The answers of {manifest.get('model')} are simulated: drawn from a stated model, "
                "not given by a language model."
            )
        protocol = manifest.get("protocol") or {}
        planned = (manifest.get("plan") or {}).get("n_trials")
        source.planned = planned if isinstance(planned, int) else None
        source.notes += [str(remark) for remark in protocol.get("remarks") or ()]

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows to the stage, then take out the failures that were asked again."""
        super().load(connection, number, source, tick)
        key = ", ".join(KEY)
        later = (
            f"SELECT row FROM (SELECT row, status, row_number() OVER (PARTITION BY {key} ORDER BY row DESC) AS place "
            f"FROM {STAGE} WHERE file = {number}) WHERE place > 1 AND status = '{FAILED}'"
        )
        again = [int(row[0]) for row in connection.execute(f"{later} ORDER BY row").fetchall()]
        if again:
            connection.execute(f"DELETE FROM {STAGE} WHERE file = {number} AND row IN ({later})").fetchall()
            source.left_out[ASKED_AGAIN] = again
        stored = int(connection.execute(f"SELECT count(*) FROM {STAGE} WHERE file = {number}").fetchall()[0][0])
        if source.planned is not None and stored < source.planned:
            source.notes.append(
                f"The run {source.path.parent.name} is not complete: it holds {stored:,} of {source.planned:,} trials."
            )
        self._quote_remarks(connection, source)

    def _quote_remarks(self, connection: duckdb.DuckDBPyConnection, source: Source) -> None:
        """Hand on what adapters and extraction remarked, e.g. that an overlong prompt was cut."""
        relation = (
            f"read_json({literal(glob_free(source.readable))}, format = 'newline_delimited', "
            "columns = {'note': 'VARCHAR', 'status': 'VARCHAR', 'rule': 'VARCHAR'})"
        )
        found = connection.execute(
            f"SELECT note, count(*) AS n FROM {relation} WHERE note <> '' AND status <> '{FAILED}' "
            f"GROUP BY note ORDER BY n DESC, note LIMIT {REMARKS}"
        ).fetchall()
        name = source.path.parent.name
        source.notes += [f"{n:,} trials of the run {name} carry the remark: {note}." for note, n in found]
        ties = connection.execute(
            f"SELECT count(*) FILTER (rule = 'tie'), count(*) FILTER (rule IN ('tie', 'score')) FROM {relation}"
        ).fetchall()[0]
        if ties[0]:
            source.notes.append(
                f"In {ties[0]:,} of {ties[1]:,} ranked trials of the run {name} the largest score was tied; a hash of "
                "the trial's key decided."
            )


def is_run_file(path: Path) -> bool:
    """Tell whether a file holds the trials of a run of ours."""
    return path.name == TRIALS and is_run(path.parent)


def _lines(path: Path) -> int:
    with path.open("rb") as file:
        return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))
