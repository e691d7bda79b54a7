"""What a benchmark consists of, as data: categories in report order, domains, sources, labels, human anchors."""

from __future__ import annotations

import re
import tomllib
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from click_stats.answers.normalise import collapse
from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

LabelSet = Literal["letters", "digits"]
LABEL_SETS: tuple[LabelSet, ...] = ("letters", "digits")
MIN_OPTIONS, MAX_OPTIONS = 2, 26
PACKAGED = "click.toml"


def labels(n_options: int, label_set: str = "letters") -> tuple[str, ...]:
    """Return the labels of ``n_options`` options: A, B, ... or 1, 2, ...

    Raises
    ------
    UsageError
        The number of options is not 2 to 26, or there is no such label set.
    """
    if not MIN_OPTIONS <= n_options <= MAX_OPTIONS:
        raise UsageError("An item has 2 to 26 options.", found=str(n_options))
    if label_set == "letters":
        return tuple(chr(ord("A") + position) for position in range(n_options))
    if label_set == "digits":
        return tuple(str(position + 1) for position in range(n_options))
    raise UsageError(f"There is no label set {label_set!r}.", do="Use letters or digits.")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Named(_Frozen):
    """A name in the data, what reports call it, and other names of it."""

    name: str = Field(min_length=1)
    label_en: str = ""
    label_ko: str = ""
    aliases: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _labels_default_to_name(cls, data: object) -> object:
        if isinstance(data, dict):
            name = data.get("name", "")
            data = {**data, "label_en": data.get("label_en") or name, "label_ko": data.get("label_ko") or name}
        return data


class Category(Named):
    """A category and the domain it belongs to."""

    domain: str


class Anchor(_Frozen):
    """A published number about people, e.g. the mean of an exam's participants."""

    exam: str
    entity: str
    statistic: str
    value: float
    unit: str
    years: str = ""
    where: str
    note: str = ""


class Remark(_Frozen):
    """Something odd about one item, by key."""

    item: str
    text: str


class Definition(_Frozen):
    """A multiple-choice benchmark with categories.

    Attributes
    ----------
    name, title, revision, reference
        What it is called, which revision the facts are about, where it was published.
    obtain
        How to get the texts; shown when they are missing.
    labels
        Labels of the options: ``letters`` or ``digits``. An item table may say otherwise for single items.
    key_table
        Name of a key table beside the definition, empty when there is none.
    negated_pattern
        Regular expression that finds questions asking for the false statement; empty: not known.
    domains, categories, sources
        In report order. Without sources, any source is accepted.
    remarks, anchors
        Oddities of single items; numbers about people.
    """

    name: str = Field(min_length=1)
    title: str = ""
    revision: str = ""
    reference: str = ""
    obtain: str = ""
    labels: LabelSet = "letters"
    key_table: str = ""
    negated_pattern: str = ""
    domains: tuple[Named, ...] = Field(min_length=1)
    categories: tuple[Category, ...] = Field(min_length=1)
    sources: tuple[Named, ...] = ()
    remarks: tuple[Remark, ...] = ()
    anchors: tuple[Anchor, ...] = ()

    @field_validator("negated_pattern")
    @classmethod
    def _pattern_compiles(cls, pattern: str) -> str:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"not a regular expression: {error}") from error
        return pattern

    @model_validator(mode="after")
    def _names_are_unique(self) -> Definition:
        for kind in ("domains", "categories", "sources"):
            names: dict[str, str] = {}
            for entry in getattr(self, kind):
                for name in (entry.name, *entry.aliases):
                    key = _key(name)
                    if names.setdefault(key, entry.name) != entry.name:
                        raise ValueError(f"{kind}: {name!r} names both {names[key]!r} and {entry.name!r}")
            own = [entry.name for entry in getattr(self, kind)]
            if len(set(own)) < len(own):
                raise ValueError(f"{kind}: the same name twice")
        known = {domain.name for domain in self.domains}
        lost = sorted({category.domain for category in self.categories} - known)
        if lost:
            raise ValueError(f"categories: no such domain: {', '.join(lost)}")
        return self

    @cached_property
    def _by_name(self) -> dict[str, dict[str, str]]:
        return {
            kind: {_key(name): entry.name for entry in getattr(self, kind) for name in (entry.name, *entry.aliases)}
            for kind in ("domains", "categories", "sources")
        }

    @property
    def category_names(self) -> tuple[str, ...]:
        """Names of the categories in report order."""
        return tuple(category.name for category in self.categories)

    @property
    def domain_names(self) -> tuple[str, ...]:
        """Names of the domains in report order."""
        return tuple(domain.name for domain in self.domains)

    def category(self, name: str) -> str | None:
        """Return the category that ``name`` (or an alias, whatever its case) means; None when unknown."""
        return self._by_name["categories"].get(_key(name))

    def domain(self, name: str) -> str | None:
        """Return the domain that ``name`` means; None when unknown."""
        return self._by_name["domains"].get(_key(name))

    def source(self, name: str) -> str | None:
        """Return the source that ``name`` means; None when unknown.

        No name stays no name, and any name will do when the definition lists no sources.
        """
        stated = collapse(name)
        return self._by_name["sources"].get(_key(name)) if self.sources and stated else stated

    def domain_of(self, category: str) -> str:
        """Return the domain of a category (its name, not an alias)."""
        return next(entry.domain for entry in self.categories if entry.name == category)


def read_definition(path: str | Path | None = None) -> Definition:
    """Read a benchmark's definition; without a path, CLIcK's.

    Raises
    ------
    DataError
        The file is missing, is no TOML, has unknown keys, or contradicts itself.
    """
    where = f"The definition {path}" if path is not None else "The packaged definition"
    try:
        source = files("click_stats.items").joinpath(PACKAGED) if path is None else Path(path)
        data = tomllib.loads(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{where} cannot be read.", found=str(error.strerror or error)) from error
    except UnicodeDecodeError as error:
        raise DataError(f"{where} is not UTF-8.", found=str(error)) from error
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{where} is not TOML.", found=str(error)) from error
    try:
        return Definition.model_validate(data)
    except ValidationError as error:
        faults = "; ".join(_fault(entry["loc"], entry["msg"]) for entry in error.errors())
        raise DataError(
            f"{where} is not a benchmark definition.",
            found=faults,
            do="Give it the form of click_stats/items/click.toml.",
        ) from error


def _fault(where: Sequence[int | str], message: str) -> str:
    place = ".".join(map(str, where))
    return f"{place}: {message}" if place else message


def _key(name: str) -> str:
    return collapse(name).casefold()
