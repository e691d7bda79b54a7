"""What an errata file may say: one class for each kind of correction."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from click_stats.items.definition import MAX_OPTIONS, MIN_OPTIONS
from click_stats.items.digest import LENGTH, digest

Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Digest = Annotated[str, StringConstraints(pattern=rf"^[0-9a-f]{{{LENGTH}}}$")]
Labels = Annotated[tuple[Words, ...], Field(min_length=1)]
Options = Annotated[tuple[Words, ...], Field(min_length=MIN_OPTIONS, max_length=MAX_OPTIONS)]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Erratum(_Frozen):
    """What every correction states.

    Attributes
    ----------
    key
        Key of the item, ``<category>/<id>``.
    digest
        Digest of the texts that the correction is for: another text may need another correction, or none.
    reason, reviewer, date, source
        Why, who says so, since when, and where that can be checked.
    """

    key: Words
    digest: Digest
    reason: Words
    reviewer: Words
    date: dt.date
    source: Words


class Rekey(_Erratum):
    """Another option is the right one, and the old key is wrong."""

    action: Literal["rekey"]
    label: Words


class AlsoAccept(_Erratum):
    """Further options are right besides the key."""

    action: Literal["also-accept"]
    labels: Labels


class Drop(_Erratum):
    """The item cannot be mended and is taken out."""

    action: Literal["drop"]


class Recategorise(_Erratum):
    """The item belongs to another category; its key stays, so that answers to it are found."""

    action: Literal["recategorise"]
    category: Words


class NewText(_Frozen):
    """Texts in place of the old ones; what is left out stays as it is."""

    passage: str | None = None
    question: Words | None = None
    options: Options | None = None
    label: Words | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> NewText:
        if self.passage is None and self.question is None and self.options is None:
            raise ValueError("a new text needs a passage, a question or options; for another key alone use rekey")
        return self


class Retext(_Erratum):
    """The text is another one: answers to the old text are no answers to the new."""

    action: Literal["retext"]
    text: NewText


Erratum = Annotated[Rekey | AlsoAccept | Drop | Recategorise | Retext, Field(discriminator="action")]

TOGETHER: frozenset[frozenset[str]] = frozenset(
    frozenset(pair)
    for pair in (
        ("rekey", "also-accept"),
        ("rekey", "recategorise"),
        ("also-accept", "recategorise"),
        ("retext", "recategorise"),
    )
)
"""Actions that one item may have both; any others contradict each other."""


class Errata(_Frozen):
    """Corrections of a benchmark's items, in the order of their file.

    Attributes
    ----------
    entries
        The corrections; in the file, tables ``[[erratum]]``.
    """

    entries: tuple[Erratum, ...] = Field(alias="erratum", min_length=1)

    @property
    def digest(self) -> str:
        """Fingerprint of what is corrected; words around it (reason, reviewer, date, source) do not change it."""
        about = {"reason", "reviewer", "date", "source"}
        return digest(sorted(entry.model_dump_json(exclude=about, exclude_none=True) for entry in self.entries))

    @property
    def keys(self) -> list[str]:
        """Keys of the items that are corrected, each once."""
        return list(dict.fromkeys(entry.key for entry in self.entries))

    def __len__(self) -> int:
        return len(self.entries)
