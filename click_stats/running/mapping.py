"""From a response to a row of the trial table: displayed positions become the options of the source."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from click_stats.answers.extract import extract
from click_stats.trials.ranking import SCORED, TIE, best

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.base import Response


def original(position: int, rotation: int, n_options: int) -> int:
    """Return the option of the source shown at a displayed position, both from 0."""
    return (position + rotation) % n_options


def in_source_order(scores: Sequence[float], rotation: int) -> list[float]:
    """Return scores given in displayed order in the order of the source."""
    n_options = len(scores)
    return [scores[(option - rotation) % n_options] for option in range(n_options)]


def row_of(response: Response, *, model: str, condition: str, policy: str) -> dict[str, Any]:
    """Return the row that is stored for a response; the key comes first."""
    request = response.request
    chosen: int | None = None
    scores: list[float] | None = None
    rule, notes = "", [response.note]
    if response.error:
        status = str(response.error)
    elif response.scores is not None:
        policy, rule = SCORED, SCORED
        scores = in_source_order(response.scores, request.rotation)
        if any(math.isnan(score) or score == math.inf for score in scores) or max(scores) == -math.inf:
            status, rule = "failed", ""
            notes.append(f"no ranking by these scores: {', '.join(map(str, scores))}")
        else:
            status = "ok"
            chosen, tied = best(scores, (model, condition, *request.key))
            rule = TIE if tied else SCORED
    else:
        found = extract(
            response.text,
            request.shown or None,
            labels=request.labels,
            policy=policy,
            finish_reason=response.finish_reason,
        )
        status, rule = found.status, found.rule
        if found.option is not None:
            chosen = original(found.option, request.rotation, request.n_options)
    row: dict[str, Any] = {
        "item": request.item,
        "wording": request.wording,
        "rotation": request.rotation,
        "replicate": request.replicate,
        "model": model,
        "condition": condition,
        "status": status,
        "prediction": chosen,
        "scores": scores,
        "text": response.text,
        "rule": rule,
        "policy": policy,
        "input_tokens": response.input_tokens,
        "output_tokens": response.output_tokens,
        "seconds": response.seconds,
        "finish_reason": response.finish_reason,
    }
    note = "; ".join(filter(None, notes))
    return {**row, "note": note} if note else row
