"""Writes the results of a study: one JSON, one CSV per table, and a manifest."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from click_stats.folders import MARK, whole_folder
from click_stats.results import dump_json

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from click_stats.results import ResultSet


def write_results(results: ResultSet, out: Path, *, command: Sequence[str] = (), force: bool = False) -> Path:
    """Write ``results.json``, ``tables/*.csv`` and ``manifest.json`` into the folder ``out``.

    ``results.json`` depends on input, seed and versions only; time, machine and command are in the manifest.

    Raises
    ------
    UsageError
        The folder holds files and ``force`` is not given.
    DataError
        The folder cannot be written.
    """
    with whole_folder(out, force=force) as building:
        text = results.to_json()
        (building / MARK).write_text(text, encoding="utf-8")
        (building / "tables").mkdir()
        for name, result in results.results.items():
            for table, frame in result.tables.items():
                frame.to_csv(building / "tables" / f"{name}.{table}.csv", index=False, lineterminator="\n")
        (building / "manifest.json").write_text(manifest(results, text, command), encoding="utf-8")
    return out


def manifest(results: ResultSet, text: str, command: Sequence[str]) -> str:
    """Return the manifest as JSON: when, where and how the results were made, and their digest."""
    return dump_json(
        {
            "study": results.name,
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "command": list(command),
            "machine": {
                "system": platform.system(),
                "release": platform.release(),
                "processor": platform.machine(),
            },
            "python": platform.python_version(),
            "version": results.meta.get("version"),
            "results_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        }
    )
