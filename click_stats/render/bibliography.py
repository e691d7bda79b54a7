"""The bibliography of a report: what all reports cite, and what its own texts add."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PATTERN = "references*.bib"
_ENTRY = re.compile(r"^@\w+\{([^,\s]+)\s*,.*?^\}", re.MULTILINE | re.DOTALL)


def bibliography(folders: Sequence[Path]) -> str:
    """Return the entries of all ``references*.bib`` in these folders as one BibTeX file, each key once.

    Parameters
    ----------
    folders
        Where several have an entry of one key, the first counts; within a folder, the first file by name.
    """
    entries: dict[str, str] = {}
    for folder in folders:
        for path in sorted(folder.glob(PATTERN)):
            for found in _ENTRY.finditer(path.read_text(encoding="utf-8")):
                entries.setdefault(found.group(1), found.group())
    return "".join(f"{entry}\n\n" for entry in entries.values())
