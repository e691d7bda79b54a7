"""The results file that lm-evaluation-harness writes beside its sample logs: the model, and how it was asked."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.trials.importers import harness, questions

if TYPE_CHECKING:
    from pathlib import Path

NAMED = re.compile(r"^samples_(?P<task>.+)_(?P<stamp>\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?)$")
OLD = re.compile(r"^(?P<model>.+?)_(?P<task>click_\w+)$")
"""Before 2024: the arguments of the model, then the task."""
PRETRAINED = re.compile(r"(?:^|,)(?:pretrained|model|path)=(?P<name>[^,]+)")
PROMPT = ("doc_to_text", "doc_to_choice", "description", "target_delimiter", "fewshot_delimiter", "output_type")
"""What a task's configuration says of its prompts."""
SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")
SHORT = 16
"""Hexadecimal digits of a hash that are shown."""


@dataclass
class Results:
    """A results file, or what the sample log's name and folder say when there is none.

    Attributes
    ----------
    content
        The file's object, empty without one.
    model
        Name of the model.
    stamp
        Time in the sample log's name, empty when it has none.
    notes
        Sentences about the run.
    """

    content: dict[str, Any]
    model: str
    stamp: str = ""
    notes: list[str] = field(default_factory=list)

    @property
    def day(self) -> str:
        """Day of the run, ISO, or empty."""
        return harness.day(self.stamp) or harness.day(self.content.get("date"))

    @property
    def config(self) -> dict[str, Any]:
        """Settings of the run."""
        return _object(self.content.get("config"))

    def task(self, name: str) -> dict[str, Any]:
        """Return the configuration of a task."""
        return _object(_object(self.content.get("configs")).get(name))

    def task_of(self, path: Path) -> str:
        """Return the task whose samples a file holds, by its name."""
        if (found := NAMED.match(path.stem)) is not None:
            return found["task"]
        known = [name for name in _object(self.content.get("configs")) if path.stem.endswith(f"_{name}")]
        if known:
            return max(known, key=len)
        found = OLD.match(path.stem)
        return found["task"] if found else path.stem

    def shots(self, task: str) -> str:
        """Return the number of examples in each prompt, empty when it is not stated."""
        stated = _object(self.content.get("n-shot")).get(task, self.task(task).get("num_fewshot"))
        return "" if stated is None or not str(stated).isdecimal() else str(stated)

    def condition(self, task: str) -> str:
        """Return what differs on purpose from the plain run: examples, a chat template."""
        shots = self.shots(task)
        parts = [f"{shots}-shot"] if shots not in ("", "0") else []
        return ", ".join([*parts, *(["chat template"] if self.content.get("chat_template_sha") else [])])

    def facts(self, task: str, chosen: str, *, ranked: bool) -> dict[str, str]:
        """Return what decides whether runs can be compared, by the names of the account."""
        settings = self.task(task)
        prompts = [settings.get(name) for name in PROMPT]
        prompts += [self.content.get("system_instruction_sha"), self.content.get("chat_template_sha")]
        revision = _object(settings.get("dataset_kwargs")).get("revision")
        generation = _object(settings.get("generation_kwargs")) | _object(self.config.get("gen_kwargs"))
        offered = "label" if settings.get("doc_to_choice") is None or "click" in task else "option"
        facts = {
            "date": self.day,
            "prompt_digest": harness.prompt_digest(*prompts) if settings else "",
            "scoring": f"log-probability, {offered}" if ranked else f"generated text, filter {chosen}",
            "order": "as in the source",
            "shots": self.shots(task),
            "decoding": "none" if ranked else harness.sent(generation),
            "item_revision": str(revision or ""),
        }
        return {name: value for name, value in facts.items() if value}


def find_results(path: Path) -> Results:
    """Return the results file that belongs to a sample log: of the same time, else the latest beside it."""
    found = NAMED.match(path.stem)
    stamp = found["stamp"] if found else ""
    beside = sorted(path.parent.glob("results*.json"))
    same = [other for other in beside if stamp and stamp in other.name]
    content = next((content for other in (*same, *reversed(beside)) if (content := _read(other))), {})
    results = Results(content, "", stamp)
    results.model = harness.model_name(_model(results, path))
    _describe(results)
    return results


def _model(results: Results, path: Path) -> str:
    named = results.content.get("model_name")
    if isinstance(named, str) and named:
        return named
    arguments = results.config.get("model_args")
    if isinstance(arguments, dict):
        named = questions.first(arguments, ("pretrained", "model", "path"))
    elif isinstance(arguments, str) and (found := PRETRAINED.search(arguments)) is not None:
        named = found["name"]
    if isinstance(named, str) and named:
        return named
    if NAMED.match(path.stem):
        return path.resolve().parent.name.replace("__", "/")
    found = OLD.match(path.stem)
    words = found["model"].replace("pretrained__", "", 1) if found else path.stem
    return words.split(",")[0].replace("__", "/")


def _describe(results: Results) -> None:
    """Note what the results file says of the model and the run."""
    if not results.content:
        results.notes.append(
            f"There is no results file beside the sample logs of {results.model}: its settings are not known."
        )
        return
    config, content = results.config, results.content
    size, seeds = config.get("model_num_parameters"), [config.get(name) for name in SEEDS]
    template, system = content.get("chat_template_sha"), content.get("system_instruction_sha")
    said = {
        "lm-evaluation-harness": content.get("lm_eval_version"),
        "parameters": f"{size:,}" if isinstance(size, int) and size > 0 else None,
        "dtype": str(config.get("model_dtype") or "").removeprefix("torch."),
        "seeds": ", ".join(map(str, seeds)) if any(seed is not None for seed in seeds) else None,
        "chat template": str(template)[:SHORT] if template else None,
        "system instruction": str(system)[:SHORT] if system else None,
    }
    parts = [f"{name} {value}" for name, value in said.items() if value]
    if parts:
        results.notes.append(f"As its results file states, {results.model} was run so: {'; '.join(parts)}.")
    if config.get("limit"):
        results.notes.append(
            f"{results.model} was asked only a part of each task (limit {config['limit']}): the items are no sample."
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and {"results", "config"} <= set(content) else {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
