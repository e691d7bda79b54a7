"""What a trial is: the names and types of its columns, and which names other logs use for them."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

Progress = Callable[[int, int, str], None]
"""Called with what is done, the total, and a word on what is being done."""

KEY = ("model", "condition", "item", "wording", "rotation", "replicate")
"""What makes a trial one and only one."""

COLUMNS = MappingProxyType(
    {
        "model": "VARCHAR",
        "condition": "VARCHAR",
        "item": "VARCHAR",
        "wording": "VARCHAR",
        "rotation": "INTEGER",
        "replicate": "INTEGER",
        "status": "VARCHAR",
        "prediction": "INTEGER",
        "scores": "DOUBLE[]",
        "text": "VARCHAR",
        "rule": "VARCHAR",
        "policy": "VARCHAR",
        "input_tokens": "BIGINT",
        "output_tokens": "BIGINT",
        "seconds": "DOUBLE",
        "finish_reason": "VARCHAR",
    }
)
"""Columns of the trial table in order, with their DuckDB types: never guessed from the data."""

RAW = (*COLUMNS, "id", "category", "gold", "label")
"""Columns that a log may hold. All are read as text: ``01`` and ``NA`` are names, not numbers or gaps."""

OTHER_NAMES = MappingProxyType(
    {
        "item_id": "id",
        "trial": "replicate",
        "answer": "gold",
        "pred": "label",
        "response": "text",
        "output": "text",
        "completion": "text",
    }
)
"""Names that logs use for our columns, taken when nothing else is said."""

ANSWERS = frozenset({"prediction", "label"})
"""Columns that state an answer; a log that has ``text`` only must be read with a policy."""

DEFAULT_CONDITION = "default"
FOREIGN_WORDING = "foreign"
"""Wording of trials whose prompt we do not know."""
LOGGED_POLICY = "logged"
"""Policy of predictions that somebody else extracted."""


def unit_label(model: str, condition: str) -> str:
    """Return the name of a unit of comparison: the model, with its condition unless that is the default."""
    return model if condition == DEFAULT_CONDITION else f"{model} ({condition})"
