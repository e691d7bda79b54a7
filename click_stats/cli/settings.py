"""Reads settings written on the command line: values as in TOML, dotted keys reach into tables."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence


def parse_settings(entries: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """Read ``KEY=VALUE`` entries; values as in TOML (``true``, ``3``, ``"text"``, ``[1, 2]``), else as text.

    A dotted key reaches into a table: ``extra_body.top_k=5``.

    Raises
    ------
    UsageError
        An entry has no key or value, or a key is given twice.
    """
    settings: dict[str, Any] = {}
    for entry in entries:
        name, sign, text = (part.strip() for part in entry.partition("="))
        if not (name and sign and text):
            raise UsageError(f"{option} needs KEY=VALUE.", found=entry, do=f"Write for example {option} effort=high.")
        place = settings
        *above, last = name.split(".")
        for key in above:
            inner = place.setdefault(key, {})
            place = inner if isinstance(inner, dict) else {last: None}  # a value there already: set twice
        if last in place:
            raise UsageError(f"{option} sets {name} twice.", found=", ".join(entries))
        place[last] = _value(text)
    return settings


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
