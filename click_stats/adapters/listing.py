"""Backends there are, with what each needs that is here or missing."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from click_stats import content
from click_stats.adapters.backend import adapters, read_backend

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from click_stats.adapters.backend import Backend


@dataclass(frozen=True)
class Needs:
    """What one of our adapters needs: packages, the extra that brings them, and the variable of its key."""

    packages: tuple[str, ...] = ()
    extra: str = ""
    key: str = ""


NEEDS: Mapping[str, Needs] = {
    "transformers": Needs(("torch", "transformers", "safetensors"), "local"),
    "openai": Needs(("openai",), "api", "OPENAI_API_KEY"),
    "openai_compatible": Needs(("openai",), "api"),
    "anthropic": Needs(("anthropic",), "api", "ANTHROPIC_API_KEY"),
    "simulate": Needs(),
}
"""An adapter of somebody else's that is not here is known to be there once it is registered, no more."""


@dataclass(frozen=True)
class Listed:
    """One backend as a list shows it.

    Attributes
    ----------
    name, adapter, model, address
        As declared.
    label, vendor, parameters, access
        Facts; empty or None when unknown. Parameters are in billions.
    ready
        Whether nothing is missing that can be looked for without asking anybody.
    missing
        What is missing, in words.
    remedy
        How to get it.
    priced
        Whether the declaration states prices.
    note
        The declaration's remark.
    """

    name: str
    adapter: str
    model: str
    address: str
    label: str
    vendor: str
    parameters: float | None
    access: str
    ready: bool
    missing: tuple[str, ...]
    remedy: str
    priced: bool
    note: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def list_backends(extra: Sequence[Path] = (), environment: Mapping[str, str] | None = None) -> list[Listed]:
    """Return all backends, by name.

    Parameters
    ----------
    extra
        Folders with ``backends/`` of the user's own, searched first.
    environment
        Where keys are looked for (only whether they are set); the process's environment when None.
    """
    known = set(adapters())
    variables = os.environ if environment is None else environment
    found = (read_backend(content.find("backends", name, extra)) for name in content.names("backends", extra))
    return [_listed(backend, known, variables) for backend in found]


def missing(backend: Backend, known: set[str], variables: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return what a backend lacks, in words, and how to get it."""
    lacks: list[str] = []
    remedies: list[str] = []
    needs = NEEDS.get(backend.adapter, Needs())
    if backend.adapter not in known:
        lacks.append(f"adapter {backend.adapter}")
        ours = backend.adapter in NEEDS
        remedies.append("install click-stats again" if ours else "install the package that brings the adapter")
    packages = [name for name in needs.packages if find_spec(name) is None]
    if packages:
        lacks.append(f"{'packages' if len(packages) > 1 else 'package'} {', '.join(packages)}")
        remedies.append(f"pip install 'click-stats[{needs.extra}]'")
    key = str(backend.options.get("key_env") or needs.key)
    if key and not variables.get(key, "").strip():
        lacks.append(f"key {key}")
        remedies.append(f"set {key}")
    if not backend.model and not backend.address and backend.adapter != "simulate":
        lacks.append("model")
        remedies.append("name the model in a copy of the file, or write adapter:model")
    return lacks, remedies


def _listed(backend: Backend, known: set[str], variables: Mapping[str, str]) -> Listed:
    facts = backend.model_facts()
    lacks, remedies = missing(backend, known, variables)
    return Listed(
        name=backend.name,
        adapter=backend.adapter,
        model=backend.model,
        address=backend.address,
        label=facts.label or backend.name,
        vendor=facts.vendor or "",
        parameters=facts.parameters,
        access=facts.access or "",
        ready=not lacks,
        missing=tuple(lacks),
        remedy="; ".join(remedies),
        priced=backend.prices is not None,
        note=backend.note,
    )
