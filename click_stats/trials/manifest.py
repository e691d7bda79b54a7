"""The manifest of a run: what was asked, of what, and how; and whether two of them are of one run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError
from click_stats.items.digest import digest
from click_stats.trials.durable import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from click_stats.items.table import ItemTable

MANIFEST = "manifest.json"
TRIALS = "trials.jsonl"
FORMAT = "click-stats run"
VERSION = 1
"""Raised when an older click-stats could not read what a newer one writes."""
IDENTITY = ("model", "condition", "kind", "simulated", "policy", "plan", "items", "backend", "adapter")
"""What must stay the same from one session of a run to the next. Versions, dates and facts of the model may change."""
EXPLAINED = (
    "wordings",
    "rotations",
    "replicates",
    "shown",
    "shots",
    "few_shot",
    "chain_of_thought",
    "context",
    "system",
)
"""Facts of the protocol that say why two digests of a plan differ."""
SCORING = ("scoring", "normalise", "normalisation")
"""Keys of an adapter's description that say how options are scored."""
SHOWN = 4
"""Differences named in a message."""


def asked_digest(items: ItemTable) -> str:
    """Return a fingerprint of what is put before a model: keys, numbers of options, texts; not the answer key.

    A corrected answer key re-scores a run and does not make another one of it.
    """
    rows = items.frame[["n_options", "digest"]].itertuples(name=None)
    return digest(sorted("\t".join(map(str, row)) for row in rows))


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds a run of ours."""
    try:
        return bool(read_manifest(folder))
    except DataError:
        return False


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a run folder, empty when there is none.

    Raises
    ------
    DataError
        The file cannot be read, is none of ours, or of a newer version.
    """
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise DataError(
            f"The manifest of the run {folder.name} cannot be read.",
            found=" ".join(str(error).split()),
            do="Get the folder again, or start the run anew in another folder.",
        ) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise DataError(
            f"{path} is not the manifest of a run.", do="Give another folder with -o, or move that file away."
        )
    if found.get("version") != VERSION:
        raise DataError(
            f"The run {folder.name} was written by another version of click-stats.",
            found=f"manifest version {found.get('version')}, this one reads {VERSION}",
            do="Use that version.",
        )
    return found


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest whole or not at all, and safe against a loss of power."""
    text = json.dumps(manifest, ensure_ascii=False, indent=2, default=str) + "\n"
    write_whole(folder / MANIFEST, text.encode("utf-8", "replace"))


def differences(stored: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return what differs between two manifests in what makes a run, as ``name: stored, now``."""
    names = [name for name in IDENTITY if _plain(stored.get(name)) != _plain(now.get(name))]
    found = _compare(stored, now, names)
    if "plan" in names:
        protocols = stored.get("protocol") or {}, now.get("protocol") or {}
        found = _compare(*protocols, ["protocol", *EXPLAINED]) + found
    return found


def _compare(stored: Mapping[str, Any], now: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    old = _flat({name: _plain(stored.get(name)) for name in names})
    new = _flat({name: _plain(now.get(name)) for name in names})
    differing = [name for name in dict.fromkeys([*old, *new]) if old.get(name) != new.get(name)]
    return [f"{name}: {_shown(old.get(name))} there, {_shown(new.get(name))} now" for name in differing]


def _plain(value: Any) -> Any:
    """Return a value as it comes back from a file."""
    return json.loads(json.dumps(value, default=str))


def _flat(value: Any, name: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {name: value}
    flat: dict[str, Any] = {}
    for key, inner in value.items():
        flat |= _flat(inner, f"{name}.{key}" if name else key)
    return flat


def _shown(value: Any) -> str:
    text = "nothing" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def run_facts(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts of a run that decide whether its scores can be compared with those of another.

    Named as in :data:`click_stats.trials.runs.FACTS`.
    """
    protocol, adapter = manifest.get("protocol") or {}, manifest.get("adapter") or {}
    scored = manifest.get("kind") == "score"
    if manifest.get("simulated"):
        scoring = "simulated"
    elif scored:
        scoring = "log-probability" + "".join(f", {adapter[name]}" for name in SCORING if adapter.get(name))
    else:
        scoring = f"generated text, {manifest.get('policy')}"
    sent = (manifest.get("backend") or {}).get("generation") or {}
    settings = ", ".join(f"{name}={_shown(value)}" for name, value in sorted(sent.items()))
    items = manifest.get("items") or {}
    facts = {
        "date": started(manifest),
        "prompt_digest": (manifest.get("plan") or {}).get("digest", ""),
        "scoring": scoring,
        "order": str(protocol.get("rotations", "")),
        "shots": str(protocol.get("shots", "")),
        "decoding": settings or ("none" if scored or manifest.get("simulated") else "settings of the adapter"),
        "item_revision": protocol.get("item_revision") or items.get("digest", ""),
    }
    return {name: value for name, value in facts.items() if value}


def started(manifest: Mapping[str, Any]) -> str:
    """Return the day on which the first trial was asked, ISO, or empty."""
    sessions = manifest.get("sessions") or [{}]
    return str(sessions[0].get("started", ""))[:10]
