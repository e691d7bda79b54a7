"""Puts a measured text between its markers in a page of docs/."""

from __future__ import annotations

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"


def write(page: str, name: str, text: str) -> None:
    """Replace what stands between the markers of ``name`` in ``docs/<page>``.

    Raises
    ------
    ValueError
        The page has no such markers: a result would otherwise land where nobody reads it.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    path = DOCS / page
    old = path.read_text(encoding="utf-8")
    if begin not in old or end not in old:
        raise ValueError(f"docs/{page} has no markers {begin} and {end}")
    before, rest = old.split(begin, 1)
    path.write_text(f"{before}{begin}\n{text.strip()}\n{end}{rest.split(end, 1)[1]}", encoding="utf-8")
