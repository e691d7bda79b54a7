"""What is known of the models: facts, names for display, order and selection, from a table of the user's."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from click_stats.answers.normalise import collapse
from click_stats.errors import DataError
from click_stats.items.raw import decode
from click_stats.results import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_CONDITION = "default"
HUMAN = "human"
"""Condition of answers that people gave: what it marks is no model, whatever a table says."""
ALIAS_SEPARATOR = "|"
FACTS = (
    "kind",
    "vendor",
    "family",
    "base_model",
    "parameters",
    "parameters_active",
    "release_date",
    "access",
    "korean_corpus",
    "tuned",
    "sources",
)
"""Facts in the order of the result, after ``unit, model, condition, label``."""
NUMBERS = ("parameters", "parameters_active")
_DATE = re.compile(r"\d{4}(-\d\d){0,2}", re.ASCII)


class Model(BaseModel):
    """Facts of one model; what is undisclosed or unknown is None.

    Attributes
    ----------
    model, aliases
        Its name in the results, and other names of it.
    label
        Name for display; the name itself when empty.
    parameters, parameters_active
        In billions: all, and those active per token.
    release_date
        ISO: a day, a month or a year.
    include
        False: left out of a study, which says so.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    aliases: tuple[str, ...] = ()
    label: str | None = None
    include: bool = True
    kind: Literal["model", "human"] = "model"
    vendor: str | None = None
    family: str | None = None
    base_model: str | None = None
    parameters: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    parameters_active: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    release_date: str | None = None
    access: Literal["open", "api"] | None = None
    korean_corpus: str | None = None
    tuned: Literal["yes", "no"] | None = None
    sources: str | None = None

    @field_validator("release_date")
    @classmethod
    def _iso(cls, value: str | None) -> str | None:
        try:
            # A month or a year is completed to a day, so that the calendar decides.
            known = value is None or bool(_DATE.fullmatch(value) and date.fromisoformat(f"{value}-01-01"[:10]))
        except ValueError:
            known = False
        if not known:
            raise ValueError("not an ISO date (2024-05-13, 2024-05 or 2024)")
        return value


class Selectable(Protocol):
    """Counts, as far as a table of models needs to know them."""

    @property
    def units(self) -> pd.DataFrame:
        """Index ``unit``; columns ``model`` and ``condition``."""
        ...

    def select(self, units: Sequence[str]) -> Self:
        """Return the counts of these units, in this order."""
        ...


C = TypeVar("C", bound=Selectable)


@dataclass(frozen=True)
class ModelTable:
    """Facts of models, in the order in which reports show them.

    Names are compared in NFC, without regard to case; nothing else is guessed.

    Attributes
    ----------
    models
        In the order of the file. Models of a study that are not among them come after them, in the study's order.
    """

    models: tuple[Model, ...] = ()

    def __post_init__(self) -> None:
        names = [_key(name) for model in self.models for name in {model.model, *model.aliases}]
        twice = sorted(name for name, n in Counter(names).items() if n > 1)
        if twice:
            raise DataError("A model name or alias stands more than once in the table.", found=", ".join(twice))

    @classmethod
    def empty(cls) -> ModelTable:
        """Return a table that knows no model."""
        return cls()

    def find(self, name: str) -> Model | None:
        """Return the model with this name or alias; None when there is none."""
        key = _key(name)
        return next((model for model in self.models if key in map(_key, (model.model, *model.aliases))), None)

    def order(self, units: pd.DataFrame) -> list[str]:
        """Return the units a study shows, in order.

        The file orders: units stand in its order of models (units of one model stay as they were), models that
        it does not have come last. A model whose ``include`` is ``no`` is left out; one that is not in the file
        is kept.

        Parameters
        ----------
        units
            Index ``unit``, columns ``model`` and ``condition``: the units of the counts.
        """
        found = [(self.find(str(name)), str(unit)) for unit, name in units["model"].items()]
        last = len(self.models)
        rank = {model.model: position for position, model in enumerate(self.models)}
        kept = [(rank[model.model] if model else last, unit) for model, unit in found if model is None or model.include]
        return [unit for _, unit in sorted(kept, key=lambda pair: pair[0])]

    def select(self, counts: C) -> C:
        """Return the counts of the units that :meth:`order` names, in that order.

        Units keep their names, so that every result and the account of the data speak of the same unit; the name
        for display is the column ``label`` of :meth:`facts`.
        """
        return counts.select(self.order(counts.units))

    def describe(self, units: pd.DataFrame) -> pd.DataFrame:
        """Return units, none left out, with the facts of their models as further columns; unknown ones are missing."""
        rows = [
            _row(str(unit), str(name), str(condition), self.find(str(name)))
            for unit, name, condition in zip(units.index, units["model"], units["condition"], strict=True)
        ]
        facts = pd.DataFrame(rows, columns=["label", *FACTS], index=units.index, dtype=object)
        return units.assign(**facts.astype(dict.fromkeys(NUMBERS, "float64")))

    def facts(self, units: pd.DataFrame) -> Result:
        """Return the Result ``models``: one row of facts per unit, selected and ordered by :meth:`order`.

        Facts of models that are not in the table are missing; ``meta["warnings"]`` names these models, and those
        that the table leaves out.
        """
        own = {
            str(unit): (str(name), str(condition))
            for unit, name, condition in zip(units.index, units["model"], units["condition"], strict=True)
        }
        rows = [_row(unit, *own[unit], self.find(own[unit][0])) for unit in self.order(units)]
        columns = ["unit", "model", "condition", "label", *FACTS]
        frame = pd.DataFrame(rows, columns=columns, dtype=object).astype(dict.fromkeys(NUMBERS, "float64"))
        names = list(dict.fromkeys(map(str, units["model"])))
        unknown = [name for name in names if self.find(name) is None]
        left_out = [name for name in names if (model := self.find(name)) and not model.include]
        warnings = []
        if unknown:
            warnings.append(f"No facts are known of {', '.join(unknown)}.")
        if left_out:
            warnings.append(f"Left out by the table of models: {', '.join(left_out)}.")
        meta = {"method": "Facts as stated in the table of models.", "warnings": warnings}
        return Result("models", {"models": frame}, {"n_units": len(frame)}, meta)


def read_models(path: str | Path | None = None) -> ModelTable:
    """Read a CSV of model facts (UTF-8 or CP949); without a path, a table that knows none.

    Columns are the attributes of :class:`Model`, of which only ``model`` is needed; aliases are separated by
    ``|``, ``include`` is ``yes`` or ``no``. An empty cell is unknown.

    Raises
    ------
    DataError
        The file is unreadable, has a column that is not allowed, a value that is not one, or a name twice.
    """
    if path is None:
        return ModelTable()
    lines = csv.reader(io.StringIO(decode(Path(path)), newline=""), strict=True)
    try:
        rows = [(lines.line_num, values) for values in lines if any(map(str.strip, values))]
    except csv.Error as error:
        raise DataError(f"{path} is no CSV.", found=f"line {lines.line_num}: {error}") from error
    header = [name.strip() for name in rows[0][1]] if rows else []
    _check_header(header, path)
    return ModelTable(tuple(_model(header, values, f"{path}, line {line}") for line, values in rows[1:]))


def _check_header(header: Sequence[str], path: str | Path) -> None:
    allowed = ", ".join(Model.model_fields)
    unknown = [name for name in header if name not in Model.model_fields]
    if "model" not in header:
        raise DataError(f"{path} has no column 'model'.", found=", ".join(header), do=f"Columns: {allowed}.")
    if unknown:
        raise DataError(f"{path} has columns that a table of models does not have.", found=", ".join(unknown),
                        do=f"Columns: {allowed}.")  # fmt: skip
    if len(set(header)) < len(header):
        raise DataError(f"{path} has a column twice.", found=", ".join(header))


def _model(header: Sequence[str], values: Sequence[str], where: str) -> Model:
    if len(values) != len(header):
        raise DataError(f"{where}: a wrong number of columns.", found=f"{len(values)} instead of {len(header)}")
    # An empty cell says nothing: the attribute keeps its default.
    cells: dict[str, Any] = {name: value.strip() for name, value in zip(header, values, strict=True) if value.strip()}
    if "aliases" in cells:
        cells["aliases"] = tuple(name.strip() for name in cells["aliases"].split(ALIAS_SEPARATOR) if name.strip())
    try:
        return Model.model_validate(cells)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, entry['loc']))}: {entry['msg']}" for entry in error.errors())
        raise DataError(f"{where}: the facts of {cells.get('model', 'a model')} are wrong.", found=faults) from error


def _row(unit: str, name: str, condition: str, model: Model | None) -> dict[str, Any]:
    label = (model.label or model.model) if model else name
    return {
        "unit": unit,
        "model": name,
        "condition": condition,
        "label": label if condition == DEFAULT_CONDITION else f"{label} ({condition})",
        **{fact: getattr(model, fact, None) for fact in FACTS},
        **({"kind": HUMAN} if HUMAN in condition.split(", ") else {}),
    }


def _key(name: str) -> str:
    return collapse(name).casefold()
