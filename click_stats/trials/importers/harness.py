"""What logs of evaluation harnesses have in common: rankings, names, dates, and what must be told of them."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from click_stats.items.digest import digest
from click_stats.trials.ranking import SCORED, TIE, best
from click_stats.trials.schema import ANSWERS, FOREIGN_WORDING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.trials.importers.base import Source

HIDDEN = "an option was not shown"
"""Why rows are left out when that is asked for."""
COLUMNS = (
    "model",
    "condition",
    "item",
    "id",
    "replicate",
    "rotation",
    "status",
    "prediction",
    "label",
    "gold",
    "scores",
    "text",
    "rule",
    "policy",
    "input_tokens",
    "output_tokens",
    "seconds",
    "finish_reason",
)
"""What these logs may state of a trial, by our names."""


def number(value: object) -> float:
    """Return a number that may be written as text: ``"-28.9"`` sorts before ``"-3.1"`` as text, not as a number.

    What is no number becomes NaN.
    """
    if isinstance(value, bool):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def truth(value: object) -> bool | None:
    """Return a boolean that may be written as text: ``"False"`` is False."""
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).strip().casefold())


def ranked(scores: Sequence[float], unit: tuple[str, str], asked: str, replicate: int = 0) -> dict[str, str]:
    """Return the fields of a trial that was ranked: scores in the source's order, the option, the rule."""
    row = {"scores": "[" + ", ".join(map(str, scores)) + "]", "policy": SCORED}
    if any(math.isnan(score) or score == math.inf for score in scores) or max(scores) == -math.inf:
        return {**row, "status": "failed"}
    option, tied = best(scores, (*unit, asked, FOREIGN_WORDING, 0, replicate))
    return {**row, "status": "ok", "prediction": str(option), "rule": TIE if tied else SCORED}


def fields(row: Mapping[str, str]) -> list[str]:
    """Return a row in the order of :data:`COLUMNS`."""
    return [row.get(name, "") for name in COLUMNS]


def model_name(name: str) -> str:
    """Return the name of a model: of a path its last part, of a name on a hub all of it."""
    clean = name.strip().rstrip("/")
    return clean.rsplit("/", 1)[-1] if clean.startswith(("/", ".", "~")) or clean.count("/") > 1 else clean


def day(value: object) -> str:
    """Return the day of a time stamp (seconds, or ISO text with ``-`` for ``:``), ISO, or nothing."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0:
        return datetime.fromtimestamp(value, UTC).date().isoformat()
    try:
        return date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        return ""


def prompt_digest(*parts: object) -> str:
    """Return a fingerprint of how prompts were made, or nothing when a part is a function known by address only."""
    words = [" ".join(json.dumps(part, ensure_ascii=False, sort_keys=True, default=str).split()) for part in parts]
    return "" if any(" at 0x" in word for word in words) else digest(words)


def sent(settings: Mapping[str, Any]) -> str:
    """Return request settings as text."""
    return ", ".join(f"{name}={_shown(value)}" for name, value in sorted(settings.items()) if value not in (None, {}))


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def no_answers(source: Source) -> None:
    """Take note that a log holds responses only: its columns state no answer."""
    source.columns = {ours: theirs for ours, theirs in source.columns.items() if ours not in ANSWERS}


def note_hidden(source: Source, hidden: Mapping[str, bool], n_trials: int) -> None:
    """Say that prompts lacked options: ``hidden`` is item -> whether its right option was among those."""
    if hidden and not source.drop_hidden:
        source.notes.append(
            f"The prompts in {source.name} do not show every option: {n_trials:,} trials of {len(hidden):,} items, "
            f"{sum(hidden.values()):,} of them without the right one. --drop-hidden-options leaves them out."
        )


def note_ties(source: Source, n_ties: int, n_ranked: int) -> None:
    """Say how many rankings were tied."""
    if n_ties:
        source.notes.append(
            f"In {n_ties:,} of {n_ranked:,} ranked trials of {source.name} the largest score was tied; a hash of "
            "the trial's key decided."
        )


def note_other_scores(source: Source, n_other: int) -> None:
    """Say where the log calls other answers right than the answers in it."""
    if n_other:
        source.notes.append(
            f"In {n_other:,} rows of {source.name} the log's own score is not that of the answer in it; the answer "
            "counts."
        )
