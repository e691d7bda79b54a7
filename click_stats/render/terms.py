"""Names of the terms of a model as readers see them."""

from __future__ import annotations

from click_stats.render import codes


def term(name: str, lang: str) -> str:
    """Return the name of a coefficient: ``corpus[trace]`` is the level ``trace`` of the corpus."""
    if not name.endswith("]") or "[" not in name:
        return codes.text(name, lang)
    head, level = name[:-1].split("[", 1)
    return f"{codes.text(head, lang)}: {codes.text(level, lang)}"
