"""The trial table: one row per answer of a model to an item, on disk, and what is asked of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import duckdb
import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.folders import whole_file
from click_stats.trials.account import recount
from click_stats.trials.counting import count
from click_stats.trials.extraction import extraction
from click_stats.trials.mapping import TRIAL
from click_stats.trials.schema import COLUMNS, KEY
from click_stats.trials.sql import literal
from click_stats.trials.unscored import unscored

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from click_stats.counts import Counts
    from click_stats.items.table import ItemTable
    from click_stats.results import Result
    from click_stats.trials.database import Database

BATCH = 10_000
"""Rows in memory at a time."""
FORMATS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER",
    ".jsonl": "FORMAT json",
}
"""What can be written, by the ending of the file, and how DuckDB calls it."""


@dataclass(frozen=True, eq=False)
class Trials:
    """Answers of models to items.

    The rows stay in a temporary database on disk; they are never all in memory unless :meth:`frame` is called.

    Attributes
    ----------
    items
        The items answered; they decide what is correct.
    units
        Index ``unit`` (model, with its condition where that is not the default); columns ``model``,
        ``condition``, ``protocol`` (digest, empty when not all of its facts are stated).
    account
        Result ``account``: what was read, what was left out and why, what is missing.
    digests
        ``trials``, ``items`` and, where errata were laid over the items, ``errata``.
    """

    items: ItemTable
    units: pd.DataFrame
    account: Result
    digests: Mapping[str, str]
    database: Database = dataclasses.field(repr=False)
    keys: tuple[str, ...] = dataclasses.field(repr=False)

    def __repr__(self) -> str:
        return f"<Trials: {len(self):,} trials of {len(self.units):,} units on {self.items!r}>"

    def __len__(self) -> int:
        found = self.database.execute(f"SELECT count(*) FROM {TRIAL}")
        return int(found[0][0])

    @property
    def relation(self) -> duckdb.DuckDBPyRelation:
        """The trials as a DuckDB relation with the columns of the schema, not materialised."""
        return self.database.connection.sql(self._query())

    def _query(self) -> str:
        columns = ", ".join(COLUMNS)
        return (
            f"SELECT {columns} FROM (SELECT t.*, u.model, u.condition, i.item FROM {TRIAL} t "
            "JOIN unit_name_t u USING (unit) JOIN item_t i USING (ix))"
        )

    def frame(self) -> pd.DataFrame:
        """Return all trials in memory, sorted by key; columns as in :data:`click_stats.trials.schema.COLUMNS`."""
        frame = self.database.frame(f"{self._query()} ORDER BY {', '.join(KEY)}")
        whole = [name for name, kind in COLUMNS.items() if kind in ("INTEGER", "BIGINT")]
        frame["scores"] = pd.Series(map(_with_gaps, frame["scores"]), index=frame.index, dtype=object)
        return frame.astype(dict.fromkeys(whole, "Int64"))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield all trials by column, sorted by key, without ever holding all in memory."""
        cursor = self.database.connection.cursor()
        try:
            cursor.execute(f"{self._query()} ORDER BY {', '.join(KEY)}")
            while batch := cursor.fetchmany(BATCH):
                for values in batch:
                    yield dict(zip(COLUMNS, values, strict=True))
        finally:
            cursor.close()

    def write(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the trials as parquet, CSV or JSON lines (by the ending), sorted by key; whole or not at all.

        Raises
        ------
        UsageError
            The ending is none of these, or the file exists and ``force`` is not given.
        DataError
            The file cannot be written.
        """
        path = Path(path)
        options = FORMATS.get(path.suffix.lower())
        if options is None:
            raise UsageError(
                f"Trials cannot be written to {path.name}.",
                found=path.suffix or "no ending",
                do="Use an ending of: " + ", ".join(FORMATS),
            )
        with whole_file(path, force=force) as building:
            try:
                self.database.execute(
                    f"COPY ({self._query()} ORDER BY {', '.join(KEY)}) TO {literal(building)} ({options})"
                )
            except duckdb.Error as error:
                raise DataError(
                    f"Cannot write {path}.", found=str(error).splitlines()[0], do="Check the disk and the folder."
                ) from error
        return path

    def counts(self, *, cells: bool = False, responses: bool = False, scores: bool = False) -> Counts:
        """Count answers by unit, item, status and option.

        Parameters
        ----------
        cells
            Whether to count by wording and rotation too, which the target ``fixed`` needs.
        responses, scores
            Whether to add the trials that responded one by one, which analyses of order and wording need, and
            their log-probabilities, which calibration needs; one row of some 40 bytes per trial in memory.
        """
        meta = {"digests": dict(self.digests), "warnings": list(self.account.meta["warnings"])}
        return count(
            self.database,
            self.units,
            self.items,
            self._places(),
            cells=cells,
            responses=responses,
            scores=scores,
            meta=meta,
        )

    def extraction(self, units: Sequence[str] | None = None) -> Result | None:
        """Return accuracy by extraction policy, and how many trials each rule decided; None without responses.

        ``units``: those to show, in order; None for all. See :func:`click_stats.trials.extraction.extraction`.
        """
        numbers = {str(unit): number for number, unit in enumerate(self.units.index)}
        shown = numbers if units is None else {unit: numbers[unit] for unit in units}
        return extraction(self.database, self.items, self.keys, self._places(), shown)

    def with_items(self, items: ItemTable) -> Trials:
        """Return the same trials scored against another table of the same items (e.g. with errata).

        The account of what was read stays; what it says of the items answered is counted anew. Trials of items that
        errata drop, and answers to texts that errata replace, are not scored; the account tells how many.

        Raises
        ------
        DataError
            An item that was answered is not in ``items``, or has another number of options there.
        """
        same = items.digest == self.items.digest and items.errata_digest == self.items.errata_digest
        if same and items.frame.index.equals(self.items.frame.index):
            return self
        here, there = self.items.original.frame["n_options"], items.frame["n_options"]
        gone = frozenset[str]() if items.overlay is None else items.overlay.dropped | items.overlay.retexted
        used = {self.keys[row[0]] for row in self.database.execute(f"SELECT DISTINCT ix FROM {TRIAL}")} - gone
        lost = sorted(used - set(map(str, items.frame.index)))
        if lost:
            raise DataError(
                f"{len(lost)} answered items are not in the item table.",
                found=", ".join(lost[:5]),
                do="Read the trials with these items instead.",
            )
        other = sorted(key for key in used if here[key] != there[key])
        if other:
            raise DataError("Items have another number of options in this table.", found=", ".join(other[:5]))
        digests = {name: digest for name, digest in self.digests.items() if name != "errata"} | {"items": items.digest}
        if items.errata_digest:
            digests["errata"] = items.errata_digest
        rescored = dataclasses.replace(self, items=items, digests=digests)
        account = recount(self.account, rescored.counts(), digests, unscored(self.database, self.keys, items))
        return dataclasses.replace(rescored, account=account)

    def close(self) -> None:
        """Remove the temporary database now; otherwise it goes with the object."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _places(self) -> npt.NDArray[np.int64]:
        places: npt.NDArray[np.int64] = self.items.frame.index.get_indexer(pd.Index(self.keys, dtype=object)).astype(
            np.int64
        )
        if self.items.overlay is not None:
            places[[key in self.items.overlay.retexted for key in self.keys]] = -1
        return places

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, items: ItemTable, **options: Any) -> Trials:
        """Make a trial table from a frame; see :func:`click_stats.trials.read.trials_from_frame`."""
        from click_stats.trials.read import trials_from_frame  # noqa: PLC0415 -- that module builds this class

        return trials_from_frame(frame, items, **options)


def _with_gaps(scores: object) -> npt.NDArray[np.float64] | None:
    """Return scores with NaN where there is none: DuckDB masks them, and a mask is easily lost."""
    if not isinstance(scores, np.ndarray):
        return None
    return np.ma.filled(np.ma.asarray(scores, dtype=np.float64), np.nan)
