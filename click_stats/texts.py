"""Texts that stand in several TOML files of one folder, read as one."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any


def merged(package: str, stem: str) -> dict[str, Any]:
    """Return the entries of ``<stem>.toml`` and of every ``<stem>_<part>.toml`` beside it; lists are joined.

    Raises
    ------
    ValueError
        Two files have the same key: a mistake of ours, not of a user's.
    """
    found: dict[str, Any] = {}
    folder = files(package)
    parts = sorted(
        path.name for path in folder.iterdir() if path.name.startswith(f"{stem}_") and path.name.endswith(".toml")
    )
    for name in (f"{stem}.toml", *parts):
        for key, value in tomllib.loads(folder.joinpath(name).read_text(encoding="utf-8")).items():
            if isinstance(value, list):
                found.setdefault(key, []).extend(value)
            elif key in found:
                raise ValueError(f"{package}: {name} has the key {key!r}, which another file has already")
            else:
                found[key] = value
    return found
