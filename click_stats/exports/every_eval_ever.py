"""Instance records in the schema of Every Eval Ever: one JSON line per trial."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.counts import UNANSWERED, right_options
from click_stats.exports.account import account
from click_stats.folders import whole_file
from click_stats.trials.schema import LOGGED_POLICY, unit_label

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from click_stats.items.table import ItemTable
    from click_stats.results import Result
    from click_stats.trials import Trials

SCHEMA_VERSION = "0.3.0"
"""Version of the schema of instance records that these lines follow."""
WITHOUT_TEXT = "[text not included: {item}, digest {digest}]"
NOTE = "Texts of items and responses are not included; ask for them where the benchmark may be published."
DETAILS = ("wording", "rotation", "replicate", "condition", "status", "policy", "finish_reason")
"""Columns of a trial that become metadata."""


def write_every_eval_ever(
    trials: Trials,
    path: Path,
    *,
    with_texts: bool = False,
    units: Collection[str] | None = None,
    force: bool = False,
) -> Result:
    """Write one record per trial, in the order of the trial table.

    Options stand in the order in which they were shown, so that labels are those that the model saw.

    Parameters
    ----------
    trials
        The answers and their items. Trials that errata leave out of the scores are not written.
    path
        The JSON-lines file.
    with_texts
        Include the texts of items and responses. Without them ``input.raw`` names the item and its digest, and
        ``output.raw`` is the label of the option taken.
    units
        Those to write; None for all.
    force
        Replace a file that is there.

    Raises
    ------
    DataError
        ``with_texts``, and the item table has keys only.
    """
    if with_texts:
        trials.items.require_text()
    write = _Records(trials.items, str(trials.digests["trials"]), with_texts=with_texts)
    seen: tuple[set[str], set[str]] = (set(), set())
    written = skipped = 0
    with whole_file(path, force=force) as building, building.open("w", encoding="utf-8", newline="\n") as file:
        for row in trials.rows():
            unit = unit_label(row["model"], row["condition"])
            if units is not None and unit not in units:
                continue
            if row["item"] not in write.rows:
                skipped += 1
                continue
            file.write(json.dumps(write.record(row, unit), ensure_ascii=False, allow_nan=False) + "\n")
            written += 1
            seen[0].add(unit)
            seen[1].add(row["item"])
    numbers = (len(seen[0]), len(seen[1]), written)
    left_out = {"trial that errata leave out": skipped}
    notes = [] if with_texts else [NOTE]
    return account("every-eval-ever", {path.name: numbers}, left_out, trials.digests, notes)


class _Records:
    """Makes records of trials; knows the items that are scored."""

    def __init__(self, items: ItemTable, digest: str, *, with_texts: bool) -> None:
        frame = items.frame if items.overlay is None else items.frame.drop(index=list(items.overlay.retexted))
        self.items, self.digest, self.with_texts = items, digest, with_texts
        self.rows: dict[str, Mapping[Any, Any]] = dict(
            zip(map(str, frame.index), frame.to_dict("records"), strict=True)
        )
        right = right_options(frame, int(frame["n_options"].max()))
        self.right = {str(key): set(np.flatnonzero(row).tolist()) for key, row in zip(frame.index, right, strict=True)}

    def record(self, trial: Mapping[str, Any], unit: str) -> dict[str, Any]:
        """Return the record of one trial."""
        key, prediction = trial["item"], trial["prediction"]
        item, labels = self.rows[key], self.items.labels(key)
        shown = [(place + trial["rotation"]) % len(labels) for place in range(len(labels))]  # option by position
        label = None if prediction is None else labels[shown.index(prediction)]
        correct = prediction in self.right[key]
        found: dict[str, Any] = {
            "schema_version": SCHEMA_VERSION,
            "evaluation_id": f"{self.items.definition.name}/{unit}/{self.digest}",
            "model_id": trial["model"],
            "evaluation_name": self.items.definition.name,
            "sample_id": key,
            "interaction_type": "single_turn",
            "input": self._input(key, item, shown, labels),
            "output": {"raw": self._output(trial, label)},
            "answer_attribution": [] if label is None else [_attribution(trial, label)],
            "evaluation": {"score": float(correct), "is_correct": correct},
            "error": trial["status"] if trial["status"] in UNANSWERED else None,
            "metadata": _metadata(trial, item),
        }
        if self.with_texts:
            asked = found["input"]
            found["sample_hash"] = hashlib.sha256((asked["raw"] + "".join(asked["reference"])).encode()).hexdigest()
        tokens = trial["input_tokens"], trial["output_tokens"]
        if None not in tokens:
            found["token_usage"] = {
                "input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)
            }  # fmt: skip
        if trial["seconds"] is not None:
            found["performance"] = {"latency_ms": 1000 * trial["seconds"]}
        return found

    def _input(self, key: str, item: Mapping[str, Any], shown: list[int], labels: tuple[str, ...]) -> dict[str, Any]:
        reference = [label for label, option in zip(labels, shown, strict=True) if option in self.right[key]]
        if not self.with_texts:
            raw = WITHOUT_TEXT.format(item=key, digest=item["digest"] or "unknown")
            return {"raw": raw, "reference": reference, "choices": None}
        raw = "\n\n".join(part for part in (item["passage"], item["question"]) if part)
        return {"raw": raw, "reference": reference, "choices": [item["options"][option] for option in shown]}

    def _output(self, trial: Mapping[str, Any], label: str | None) -> list[str]:
        if self.with_texts and trial["text"] is not None:
            return [trial["text"]]
        return [] if label is None else [label]


def _attribution(trial: Mapping[str, Any], label: str) -> dict[str, Any]:
    return {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": label,
        "extraction_method": trial["rule"] or trial["policy"] or LOGGED_POLICY,
        "is_terminal": True,
    }


def _metadata(trial: Mapping[str, Any], item: Mapping[str, Any]) -> dict[str, str]:
    """Return what else is known of the trial and its item, as text."""
    facts = {"category": item["category"], "source": item["source"], "item_digest": item["digest"]}
    facts |= {name: trial[name] for name in DETAILS}
    return {name: str(value) for name, value in facts.items() if value not in {None, ""}}
