"""The name of a condition: what differs on purpose between runs of one model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from click_stats.trials.schema import DEFAULT_CONDITION

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SIMULATED = "simulated"


def condition_name(
    settings: Mapping[str, Any], protocol: Sequence[str], *, simulated: bool, given: str | None = None
) -> str:
    """Return the condition of a run, ``default`` when nothing is special.

    Parameters
    ----------
    settings
        Request settings of this call, beyond those of the backend itself, e.g. ``{"effort": "high"}``.
    protocol
        What the protocol does on purpose, e.g. ``("5-shot",)``.
    simulated
        Whether answers are drawn from a stated model: then every table says so, and the settings belong to that model.
    given
        A name chosen by the user instead.
    """
    parts = [SIMULATED] if simulated else []
    if given:
        parts.append(given)
    else:
        if not simulated:
            parts += [f"{name}={_shown(value)}" for name, value in sorted(settings.items())]
        parts += protocol
    return ", ".join(parts) or DEFAULT_CONDITION


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
