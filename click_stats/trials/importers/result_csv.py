"""Result files of per-question evaluations: ``id, [category], trial, answer, pred, response``, one model each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.trials.importers.base import Source, append, bind_columns
from click_stats.trials.importers.text import CsvTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import duckdb

TAKEN = ("id", "category", "replicate", "gold", "label", "text")


class ResultCsv:
    """Importer of result files. ``trial`` counts replicates; the gold letter only serves to check."""

    name = "result-csv"
    suffixes = (".csv", ".tsv", ".txt")
    named_by_file = True

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a file that names no model."""
        bound = bind_columns(self.header(path), mapping)
        if {"model", "prediction", "item"} & set(bound) or "id" not in bound or not {"label", "text"} & set(bound):
            return None
        return {ours: theirs for ours, theirs in bound.items() if ours in TAKEN}

    def header(self, path: Path) -> list[str]:
        """Return the names of the file's columns."""
        return CsvTable(path).header

    def needs(self) -> str:
        """Say which columns a file of this kind must have."""
        return "id, pred or (with --reparse) response (and, if there are any, category, trial, answer)"

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows to the stage."""
        load_csv(connection, number, source, tick)


def load_csv(connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]) -> None:
    """Append the rows of a CSV file to the stage, and note those that could not be read."""
    table = CsvTable(source.readable)
    places = [table.header.index(theirs) for theirs in source.columns.values()]

    def picked() -> Iterator[tuple[int, list[str]]]:
        for line, fields in table.rows(tick):
            yield line, [fields[place] for place in places]

    source.n_read = append(connection, number, source.fixed, list(source.columns), picked())
    if table.malformed:
        source.left_out["wrong number of fields"] = table.malformed
    if table.fragment:
        source.left_out["last line cut off"] = [table.fragment]
    source.n_read += sum(map(len, source.left_out.values()))
