"""What is recorded of a run before its first request: everything needed to ask the same again, and no secret."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from click_stats.errors import UsageError
from click_stats.trials.manifest import asked_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.base import Adapter
    from click_stats.items.table import ItemTable
    from click_stats.protocol import Plan

VOLATILE = ("versions", "sdk", "served", "not_sent", "limits", "device", "refused", "notes")
"""Keys of an adapter's description that may differ from one session of a run to the next: they are noted with each."""
SECRET = ("api_key", "apikey", "authorization", "password", "secret", "access_token", "auth_token")


def make_manifest(
    backend: Backend, adapter: Adapter, plan: Plan, items: ItemTable, *, condition: str, policy: str
) -> dict[str, Any]:
    """Return the manifest of a run; see :data:`click_stats.trials.manifest.IDENTITY`.

    Raises
    ------
    UsageError
        A request setting looks like a key or a password, which must never reach a file.
    """
    refuse_secrets(backend.generation)
    capabilities = adapter.capabilities
    return {
        "model": backend.name,
        "condition": condition,
        "kind": capabilities.kind,
        "simulated": capabilities.simulated,
        "policy": policy,
        "protocol": dict(plan.facts()),
        "plan": {"digest": plan.digest, "n_trials": len(plan)},
        "items": {
            "benchmark": items.definition.name,
            "n_items": len(items),
            "digest": asked_digest(items),
        },
        "backend": {
            "name": backend.name,
            "adapter": backend.adapter,
            "model": backend.model,
            "address": without_user(backend.address),
            "generation": backend.generation,
        },
        "adapter": lasting(adapter),
        "facts": backend.facts,
    }


def lasting(adapter: Adapter) -> dict[str, Any]:
    """Return what an adapter says of itself and what must stay the same throughout a run."""
    return {name: value for name, value in adapter.describe().items() if name not in VOLATILE}


def session_facts(adapter: Adapter) -> dict[str, Any]:
    """Return what is noted of a session: versions, and what of the adapter may change."""
    described = adapter.describe()
    versions = {"click-stats": version("click-stats"), "python": platform.python_version()}
    found: dict[str, Any] = {"versions": {**versions, **(described.get("versions") or {})}}
    varying = {name: described[name] for name in VOLATILE if name != "versions" and described.get(name)}
    return {**found, "adapter": varying} if varying else found


def refuse_secrets(settings: Mapping[str, Any], place: str = "") -> None:
    """Raise UsageError when a setting, however deep, has the name of a secret."""
    for name, value in settings.items():
        if str(name).lower().replace("-", "_").endswith(SECRET):
            raise UsageError(
                f"The setting {place}{name} looks like a secret, and settings are written to the manifest.",
                do="Put keys into the environment variable that the backend's page names.",
            )
        if isinstance(value, dict):
            refuse_secrets(value, f"{place}{name}.")


def without_user(address: str) -> str:
    """Return an address without the user name and password it may hold."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
