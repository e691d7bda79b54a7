"""Words of closed lists, such as verdicts and statuses, in the reader's language; kept in ``codes.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """Return the words by code, each in English (``en``) and Korean (``ko``)."""
    text = files("click_stats.render").joinpath("codes.toml").read_text(encoding="utf-8")
    entries: dict[str, dict[str, str]] = tomllib.loads(text)
    return entries


def text(code: Any, lang: str = "en") -> str:
    """Return the word for ``code``; a code that is not listed is shown as it is."""
    if isinstance(code, bool) or type(code).__name__ == "bool_":
        code = "yes" if code else "no"
    entry = words().get(str(code))
    return entry[lang] if entry else str(code)
