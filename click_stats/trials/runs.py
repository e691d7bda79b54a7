"""What is known of how the runs were made: facts from a file, and whether two runs followed one protocol."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from click_stats.errors import DataError
from click_stats.trials.importers.text import CsvTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NOT_STATED = "not stated"
PROTOCOL = ("prompt_digest", "scoring", "order", "shots", "decoding", "item_revision")
"""Facts that make a protocol; runs are of the same one only if all are stated and equal."""
FACTS = ("date", *PROTOCOL)


class RunFacts:
    """Facts by file or unit.

    Parameters
    ----------
    by_key
        ``("file" | "unit", name)`` -> fact -> value.
    """

    def __init__(self, by_key: dict[tuple[str, str], dict[str, str]] | None = None) -> None:
        self.by_key = by_key or {}

    def of(self, unit: str, files: Iterable[str]) -> dict[str, str]:
        """Return the facts of a unit; what its row does not state may stand in those of its files.

        Raises
        ------
        DataError
            Two files of the unit state different facts.
        """
        facts = dict(self.by_key.get(("unit", unit), {}))
        of_files: dict[str, tuple[str, str]] = {}
        for file in files:
            for fact, value in self.by_key.get(("file", file), {}).items():
                other, said = of_files.setdefault(fact, (file, value))
                if said != value:
                    raise DataError(
                        f"Two files of {unit} state different facts of the run.",
                        found=f"{fact}: {said} ({other}), {value} ({file})",
                        do="Give the runs different conditions.",
                    )
        return {fact: value for fact, (_, value) in of_files.items()} | facts

    def completed(self, stated: Mapping[str, Mapping[str, str]]) -> RunFacts:
        """Return the facts with what files state of themselves (file -> facts), where nothing else was said."""
        by_key = dict(self.by_key)
        for file, facts in stated.items():
            if facts:
                by_key["file", file] = {**facts, **by_key.get(("file", file), {})}
        return RunFacts(by_key)

    def unused(self, units: Iterable[str], files: Iterable[str]) -> list[str]:
        """Return the names in the facts that no file and no unit has."""
        there = {("unit", unit) for unit in units} | {("file", file) for file in files}
        return [name for kind, name in self.by_key if (kind, name) not in there]


def read_runs(path: str | Path | None) -> RunFacts:
    """Read facts of runs from a CSV: ``file`` or ``unit``, then any of :data:`FACTS`.

    Raises
    ------
    DataError
        The file has other columns, or states something twice.
    """
    if path is None:
        return RunFacts()
    path = Path(path)
    if not path.is_file():
        raise DataError(f"There is no file {path}.", do="Check --runs.")
    table = CsvTable(path)
    keys = [name for name in ("unit", "file") if name in table.header]
    unknown = sorted(set(table.header) - {"unit", "file", *FACTS})
    if not keys or unknown:
        raise DataError(
            f"The facts of runs in {path.name} have wrong columns.",
            found=", ".join(unknown or table.header),
            do="Use file or unit, then any of: " + ", ".join(FACTS) + ".",
        )
    by_key: dict[tuple[str, str], dict[str, str]] = {}
    for line, fields in table.rows():
        row = {name: value.strip() for name, value in zip(table.header, fields, strict=True)}
        kind = next((name for name in keys if row[name]), "")
        if not kind or (kind, row[kind]) in by_key:
            raise DataError(
                f"The facts of runs in {path.name} name no run, or one twice.",
                found=f"line {line}: {row.get(kind, '')}",
            )
        by_key[kind, row[kind]] = {fact: row[fact] for fact in FACTS if row.get(fact)}
    return RunFacts(by_key)


def protocol_digest(facts: dict[str, str]) -> str:
    """Return a digest of the protocol, empty when one of its facts is not stated."""
    values = [facts.get(fact, "") for fact in PROTOCOL]
    return hashlib.sha256("\x1f".join(values).encode()).hexdigest()[:16] if all(values) else ""
