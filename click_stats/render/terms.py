"""Names of the terms of a model as readers see them."""

from __future__ import annotations

import re

from click_stats.render import codes

_JOINED = re.compile(r":(?![^\[]*\])")


def term(name: str, lang: str) -> str:
    """Return the name of a coefficient.

    ``corpus[trace]`` is the level ``trace`` of the corpus; ``category[Law]:log10_params`` the interaction of a level of
    the category with size.
    """
    whole = codes.text(name, lang)
    return whole if whole != name else " × ".join(_one(part, lang) for part in _JOINED.split(name))


def _one(name: str, lang: str) -> str:
    if not name.endswith("]") or "[" not in name:
        return codes.text(name, lang)
    head, level = name[:-1].split("[", 1)
    return f"{codes.text(head, lang)}: {codes.text(level, lang)}"
