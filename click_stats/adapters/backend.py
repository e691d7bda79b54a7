"""A backend: a model to run, from a TOML file or written in place, e.g. ``openai:gpt-4o``."""

from __future__ import annotations

import difflib
import tomllib
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from click_stats import content
from click_stats.errors import UsageError
from click_stats.models import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click_stats.adapters.base import Adapter

ENTRY_POINTS = "click_stats.adapters"
"""Group of entry points: name of an adapter to a function ``make(backend: Backend) -> Adapter``."""


class Prices(BaseModel):
    """Price in US dollars per million tokens, and where it is stated."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    source: str = ""


class Backend(BaseModel):
    """A model to run.

    Attributes
    ----------
    name
        Name of the backend, and of its run folder.
    adapter
        Name of the adapter that speaks to it.
    model
        Model id or path as the adapter understands it.
    address
        Base URL, for adapters that need one.
    generation
        Request settings handed to the adapter as they stand (effort, thinking, max tokens, extra body).
    options
        Settings of the adapter itself (method, dtype, concurrency, limits).
    prices
        For the estimate of cost.
    facts
        What is known of the model; the columns of the model table.
    note
        A remark for people, e.g. where sources disagree.
    """

    # Errors do not quote what was found: someone may have written a key into the file.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    name: str = Field(min_length=1)
    adapter: str
    model: str = ""
    address: str = ""
    generation: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    prices: Prices | None = None
    facts: dict[str, Any] = Field(default_factory=dict)
    note: str = ""

    @field_validator("facts")
    @classmethod
    def _known_facts(cls, facts: dict[str, Any]) -> dict[str, Any]:
        Model.model_validate({"model": "checked", **facts})
        return facts

    def model_facts(self) -> Model:
        """Return the facts as a row of the model table."""
        return Model.model_validate({"model": self.name, **self.facts})


def adapters() -> Mapping[str, Callable[[Backend], Adapter]]:
    """Return what is registered: name to a function that loads the maker of the adapter."""
    return {point.name: _loader(point) for point in entry_points(group=ENTRY_POINTS)}


def _loader(point: Any) -> Callable[[Backend], Adapter]:
    def make(backend: Backend) -> Adapter:
        maker: Callable[[Backend], Adapter] = point.load()
        return maker(backend)

    return make


def find_backend(name: str, extra: Sequence[Path] = ()) -> Backend:
    """Return a backend by the name of its TOML file, or from ``adapter:model`` written in place.

    Raises
    ------
    UsageError
        There is none; similar names are suggested.
    """
    known = content.names("backends", extra)
    if name in known:
        return read_backend(content.find("backends", name, extra))
    adapter, colon, model = name.partition(":")
    registered = adapters()
    if (colon and adapter in registered) or name in registered:
        address, hash_, rest = model.partition("#")
        if not hash_ and address.startswith(("http://", "https://")):  # an address alone: the server's only model
            hash_, rest = "#", ""
        model, address = (rest, address) if hash_ else (model, "")
        return Backend(name=_folder_name(name), adapter=adapter, model=model, address=address)
    close = difflib.get_close_matches(adapter if colon else name, [*known, *registered], n=3)
    raise UsageError(
        f"There is no backend {name!r}.",
        found=f"backends: {', '.join(known) or 'none'}; adapters: {', '.join(sorted(registered)) or 'none'}",
        do=("Did you mean " + " or ".join(close) + "?") if close else "Write adapter:model, or a TOML file's name.",
    )


def read_backend(path: Path) -> Backend:
    """Read one backend.

    Raises
    ------
    UsageError
        The file is not TOML of the right form.
    """
    try:
        return Backend.model_validate({"name": path.stem, **tomllib.loads(path.read_text(encoding="utf-8"))})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise UsageError(
            f"The backend file {path.name} has a wrong form.", found=" ".join(str(error).split()), do="Mend the file."
        ) from error


def _folder_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name).strip("-")
