"""The closed vocabulary of result columns, kept as data in ``glossary.toml`` and ``glossary_<part>.toml``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from click_stats.errors import UsageError
from click_stats.texts import merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Language = Literal["en", "ko"]
LANGUAGES: tuple[Language, ...] = ("en", "ko")


@dataclass(frozen=True)
class Column:
    """Meaning of one column: its type, unit, and label and meaning per language."""

    name: str
    type: Literal["text", "integer", "number", "boolean"]
    unit: str
    label: Mapping[str, str]
    meaning: Mapping[str, str]


@cache
def columns() -> Mapping[str, Column]:
    """Return all columns by name, in the order of the glossary."""
    return {name: Column(name=name, **entry) for name, entry in merged("click_stats", "glossary").items()}


def label(name: str, lang: str = "en") -> str:
    """Return the label of column ``name``; a column of the user's own is its own label."""
    column = columns().get(name)
    return column.label[lang] if column else name


def check_language(lang: str) -> None:
    """Raise UsageError when results have no words in ``lang``."""
    if lang not in LANGUAGES:
        raise UsageError(f"Results have no language {lang!r}.", do="Use one of: " + ", ".join(LANGUAGES) + ".")


def check(names: Iterable[str], where: str) -> None:
    """Raise UsageError when a table has a column that the glossary does not know."""
    unknown = [name for name in names if name not in columns()]
    if unknown:
        raise UsageError(
            f"The table {where} has columns that the glossary does not know.",
            found=", ".join(unknown),
            do="Name them in click_stats/glossary.toml, or use a column that is there.",
        )
