"""Several backends in one call: each with its adapter, its plan and its folder, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.errors import ClickStatsError, UsageError
from click_stats.protocol import plan as make_plan
from click_stats.running.condition import condition_name
from click_stats.running.loop import make_adapter, run
from click_stats.running.manifest import refuse_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click_stats.adapters.backend import Backend
    from click_stats.items.table import ItemTable
    from click_stats.protocol import Protocol
    from click_stats.running.progress import Progress, RunSummary


def run_all(
    backends: Sequence[Backend],
    protocol: Protocol,
    items: ItemTable,
    out: str | Path,
    *,
    replicates: int | None,
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
    condition: str | None,
    policy: str,
    limit: int | None,
    only: Sequence[str] | None,
    progress: Callable[[Progress], None] | None,
    stop: Callable[[], bool] | None,
    failed: Callable[[str, ClickStatsError], None] | None,
) -> list[RunSummary]:
    """Run each backend under one protocol; see :func:`click_stats.api.run`.

    An adapter is made when its turn comes, so that one model at a time is in memory.
    """
    if not backends:
        raise UsageError("There is no backend to run.", do="Name one; click-stats backends lists them.")
    names = [backend.name for backend in backends]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError("A backend is named twice.", found=", ".join(twice), do="Name each once.")
    refuse_secrets(settings)
    summaries: list[RunSummary] = []
    for declared in backends:
        if stop is not None and stop():
            break
        backend = declared.model_copy(
            update={
                "generation": merged(declared.generation, settings),
                "options": merged(declared.options, options),
            }
        )
        try:
            adapter = make_adapter(backend)
            try:
                simulated, needs_text = adapter.capabilities.simulated, adapter.capabilities.needs_text
                if not simulated:
                    protocol.require_kind(adapter.capabilities.kind)
                name = condition_name(settings, protocol.conditions(), simulated=simulated, given=condition)
                summary = run(
                    backend,
                    make_plan(protocol, items, replicates=replicates, needs_text=needs_text),
                    items,
                    out,
                    policy=policy,
                    condition=name,
                    adapter=adapter,
                    progress=progress,
                    limit=limit,
                    only=only,
                    stop=stop,
                )
            finally:
                adapter.close()
        except ClickStatsError as error:
            if failed is None:
                raise
            failed(backend.name, error)
        else:
            summaries.append(summary)
    return summaries


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with those of ``more`` laid over them, table by table."""
    found = dict(base)
    for name, value in more.items():
        old = found.get(name)
        found[name] = merged(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return found
