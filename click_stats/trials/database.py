"""The temporary on-disk database that rows go through: what is larger than memory stays on disk."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd

from click_stats.errors import DataError
from click_stats.trials.importers.base import STAGE
from click_stats.trials.schema import RAW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.items.table import ItemTable

MEMORY = "2GB"
"""What DuckDB may hold in memory before it spills to the database's own folder; small logs need far less."""
THREADS = 8
"""Each thread has buffers of its own, which would not fit in that memory on a large machine."""

SENTINELS = pd.DataFrame(
    [
        ("label", "FAILED", "failed"),
        ("label", "FILTERED", "filtered"),
        ("text", "[EMPTY_RESPONSE]", "empty"),
        ("text", "BAD_REQUEST_ERROR", "failed"),
        ("text", "CONTENT_FILTER_ERROR", "filtered"),
    ],
    columns=["place", "word", "status"],
)
"""Words that producers write where an answer should stand. Those of responses count when there is no label."""
_LABEL_TYPES: dict[str, Any] = {"ix": "int64", "label": object, "position": "int64", "option": object}


class Database:
    """A DuckDB database in a temporary folder, removed with the object.

    Attributes
    ----------
    connection
        The connection that all work goes through.
    folder
        The temporary folder; also used for repaired copies of files.
    """

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="click-stats-"))
        try:
            self.connection = duckdb.connect(str(self.folder / "trials.duckdb"))
            self.connection.execute(f"SET memory_limit = '{MEMORY}'")
            self.connection.execute(f"SET threads = {min(THREADS, os.cpu_count() or 1)}")
            self.connection.execute("SET temp_directory = ?", [str(self.folder / "spill")])
            self.connection.execute("SET pandas_analyze_sample = 0")  # columns of text are text, even when empty
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        self._finalizer = weakref.finalize(self, _remove, self.connection, self.folder)

    def close(self) -> None:
        """Close the database and remove its folder."""
        self._finalizer()

    def execute(self, query: str, parameters: list[Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query and return its rows."""
        return self.connection.execute(query, parameters or []).fetchall()

    def frame(self, query: str, parameters: list[Any] | None = None) -> pd.DataFrame:
        """Run a query and return its rows as a frame, text as objects."""
        frame = self.connection.execute(query, parameters or []).df()
        return frame.astype(dict.fromkeys(frame.select_dtypes("str").columns, object))

    def store(self, name: str, frame: pd.DataFrame) -> None:
        """Store a small frame as a table."""
        self.connection.register("incoming", frame)
        self.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM incoming")
        self.connection.unregister("incoming")

    def prepare(self, items: ItemTable) -> None:
        """Create the empty stage and the tables that rows are matched with.

        ``item_t`` (ix, item, id, category, source, n_options, gold, digest, n_same), ``label_t`` (ix, label, position,
        option: its text where the items have texts), ``category_name_t`` (word, category: names in lower case),
        ``key_t`` (key, ix: item keys and ids that are unique), ``sentinel_t``.
        """
        raw = ", ".join(f"{name} VARCHAR" for name in RAW)
        self.execute(f"CREATE TABLE {STAGE} (file INTEGER, row BIGINT, {raw})")
        frame = items.frame
        n_same = frame["id"].map(frame["id"].value_counts()).astype("int64")
        table = pd.DataFrame(
            {
                "ix": range(len(frame)),
                "item": frame.index.astype(object),
                "id": frame["id"].astype(object).to_numpy(),
                "category": frame["category"].astype(object).to_numpy(),
                "source": frame["source"].astype(object).to_numpy(),
                "n_options": frame["n_options"].to_numpy(dtype="int64"),
                "gold": frame["gold"].to_numpy(dtype="int64"),
                "digest": frame["digest"].astype(object).to_numpy(),
                "n_same": n_same.to_numpy(),
            }
        )
        self.store("item_t", table)
        texts = frame["options"] if items.has_text else [None] * len(frame)
        labels = [
            (ix, label.upper(), position, None if options is None else options[position])
            for ix, (item, options) in enumerate(zip(frame.index, texts, strict=True))
            for position, label in enumerate(items.labels(item))
        ]
        self.store("label_t", pd.DataFrame(labels, columns=["ix", "label", "position", "option"]).astype(_LABEL_TYPES))
        names = [
            (word.casefold(), category.name)
            for category in items.definition.categories
            for word in dict.fromkeys((category.name, category.label_en, category.label_ko, *category.aliases))
        ]
        self.store("category_name_t", pd.DataFrame(names, columns=["word", "category"]))
        self.execute(
            "CREATE TABLE key_t AS SELECT item AS key, ix FROM item_t UNION "
            "SELECT id, ix FROM item_t WHERE n_same = 1 AND id NOT IN (SELECT item FROM item_t)"
        )
        self.store("sentinel_t", SENTINELS)


@contextmanager
def new_database() -> Iterator[Database]:
    """Give a database that is removed at once when the block fails, and stays when it does not.

    Raises
    ------
    DataError
        The database itself failed: the disk for temporary files is full, or memory ran out.
    """
    database = Database()
    try:
        yield database
    except (duckdb.IOException, duckdb.OutOfMemoryException) as error:
        database.close()
        raise DataError(
            "The temporary database for the trials failed.",
            found=str(error).splitlines()[0],
            do="Free space where temporary files are kept, or set TMPDIR to a folder on another disk.",
        ) from error
    except BaseException:
        database.close()
        raise


def _remove(connection: duckdb.DuckDBPyConnection, folder: Path) -> None:
    connection.close()
    shutil.rmtree(folder, ignore_errors=True)
