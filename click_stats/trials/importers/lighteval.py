"""Details of lighteval: one parquet file per task, one row per question; both layouts.

Since 2025 a row holds three structures, ``doc``, ``model_response`` and ``metric``; before, flat columns (``choices``,
``gold_index``, ``predictions``, ``specifics``, ...), all of them text where a type could not be found. Rankings keep
the log-probability of every choice, generations only the text: to take answers from it is left to ``--reparse``.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import duckdb

from click_stats.items.definition import labels
from click_stats.trials.importers import harness, questions
from click_stats.trials.importers.base import append
from click_stats.trials.ranking import TIE
from click_stats.trials.schema import DEFAULT_CONDITION, unit_label
from click_stats.trials.sql import glob_free, identifier, literal, unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from click_stats.trials.importers.base import Source

NESTED = ("doc", "model_response")
FLAT = ("choices", "gold_index", "predictions")
FLAT_ALSO = ("example", "full_prompt", "specifics", "metrics", "num_effective_few_shots")
NAMED = re.compile(r"^details_(?P<task>.+)_(?P<stamp>\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:\.\d+)?)$")
ID_NAMES = ("item", "id", "item_id", "question_id")
CHUNK = 2000
"""Rows held in memory at once."""


class LightEval:
    """Importer of lighteval's details."""

    name = "lighteval"
    suffixes = (".parquet",)
    named_by_file = False

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a file in one of the two layouts."""
        header = set(self.header(path))
        if not (header.issuperset(NESTED) or header.issuperset(FLAT)):
            return None
        return {name: name for name in harness.COLUMNS} | {name: mapping[name] for name in ("id",) if name in mapping}

    def header(self, path: Path) -> list[str]:
        """Return the names of the file's columns."""
        try:
            with duckdb.connect() as connection:
                found = connection.execute(f"DESCRIBE SELECT * FROM {_relation(path)}").fetchall()
        except duckdb.Error as error:
            raise unreadable(path, error) from error
        return [str(row[0]) for row in found]

    def needs(self) -> str:
        """Say which columns a file of this kind has."""
        return "doc and model_response, or choices, gold_index and predictions, as lighteval writes details"

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows to the stage, and note what the results file states of the run."""
        header = self.header(source.path)
        reader = _Reader(source, questions.Items.read(connection), _results(source.path))
        reader.survey(_rows(source.path, header))
        rows = reader.rows(_rows(source.path, header))
        source.n_read = append(connection, number, {}, harness.COLUMNS, rows)
        source.n_read += sum(map(len, source.left_out.values()))
        tick(source.path.stat().st_size)
        reader.report()


def _relation(path: Path) -> str:
    return f"read_parquet({literal(glob_free(path))})"


def _rows(path: Path, header: list[str]) -> Iterator[dict[str, Any]]:
    """Yield rows in the nested layout, whichever the file has."""
    nested = set(header).issuperset(NESTED)
    wanted = [name for name in ((*NESTED, "metric") if nested else (*FLAT, *FLAT_ALSO)) if name in header]
    columns = ", ".join(map(identifier, wanted))
    try:
        with duckdb.connect() as connection:
            cursor = connection.execute(f"SELECT {columns} FROM {_relation(path)}")
            while rows := cursor.fetchmany(CHUNK):
                for values in rows:
                    row = {name: _value(value) for name, value in zip(wanted, values, strict=True)}
                    yield row if nested else _nest(row)
    except duckdb.Error as error:
        raise unreadable(path, error) from error


def _value(value: Any) -> Any:
    """Return a value that may have been written as text."""
    if isinstance(value, str) and value[:1] in "[{(" and value:
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return value
    return value


def _nest(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the flat layout in the form of the nested one."""
    predictions = row.get("predictions")
    flat = [part[0] if isinstance(part, (list, tuple)) and part else part for part in _list(predictions)]
    numbers = bool(flat) and not any(isinstance(part, str) for part in flat)
    return {
        "doc": {
            "choices": row.get("choices"),
            "gold_index": row.get("gold_index"),
            "specific": row.get("specifics"),
            "query": row.get("full_prompt") or row.get("example"),
            "original_query": row.get("example"),
            "shots": row.get("num_effective_few_shots"),
        },
        "model_response": {"logprobs": flat if numbers else [], "text": [] if numbers else flat},
        "metric": row.get("metrics"),
    }


@dataclass
class _Results:
    """What the results file and the path say of a run."""

    model: str
    task: str
    stamp: str
    content: dict[str, Any]

    @property
    def general(self) -> dict[str, Any]:
        """The general settings of the run."""
        return _dict(self.content.get("config_general"))

    @property
    def shots(self) -> str:
        """Number of examples in each prompt: the last part of the task's name."""
        last = self.task.rpartition("|")[2]
        return last if last.isdecimal() else ""


def _results(path: Path) -> _Results:
    found = NAMED.match(path.stem)
    task, stamp = (found["task"], found["stamp"]) if found else (path.stem.removeprefix("details_"), "")
    parts = path.resolve().parts
    places = [place for place, part in enumerate(parts[:-2]) if part == "details"]
    model = "/".join(parts[places[-1] + 1 : -2]) if places else ""
    beside = sorted(path.parent.glob("results*.json"))
    if places:
        root = path.resolve().parents[len(parts) - 1 - places[-1]] / "results" / model
        beside += sorted(root.glob("results*.json"))
    same = [other for other in beside if stamp and stamp in other.name]
    content = next((content for other in (*same, *reversed(beside)) if (content := _read(other))), {})
    general = _dict(content.get("config_general"))
    named = general.get("model_name") or _dict(general.get("model_config")).get("model_name")
    return _Results(harness.model_name(str(named or model or path.resolve().parent.name)), task, stamp, content)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and "config_general" in content else {}


@dataclass
class _Reader:
    """Turns rows into trials and counts what must be told of them."""

    source: Source
    items: questions.Items
    results: _Results
    told_apart: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    repeated: set[str] = field(default_factory=set)
    hidden: dict[str, bool] = field(default_factory=dict)
    n_hidden: int = 0
    n_ranked: int = 0
    n_ties: int = 0
    n_other: int = 0
    by_label: bool = False

    def __post_init__(self) -> None:
        """Find the category and the condition."""
        name = self.results.task.split("|")
        self.category = self.items.category(name[1] if len(name) > 1 else name[0])
        shots = self.results.shots
        self.unit = (self.results.model, f"{shots}-shot" if shots not in ("", "0") else DEFAULT_CONDITION)

    def survey(self, rows: Iterator[dict[str, Any]]) -> None:
        """Note ids that the task holds several times: it tells nothing of them."""
        met = Counter(id_ for row in rows for id_ in self._ids(_dict(row.get("doc")))[:1])
        self.repeated = {id_ for id_, n in met.items() if n > 1}

    def rows(self, rows: Iterator[dict[str, Any]]) -> Iterator[tuple[int, list[str]]]:
        """Yield number and fields of every trial."""
        for line, row in enumerate(rows, start=1):
            doc, response = _dict(row.get("doc")), _dict(row.get("model_response"))
            specific = _dict(doc.get("specific"))
            choices = [str(choice) for choice in _list(doc.get("choices"))]
            texts = self._texts(doc, specific, choices)
            item, id_ = self._item(doc, texts)
            marks = item.labels if item is not None else labels(len(choices)) if len(choices) > 1 else ()
            base = {"model": self.unit[0], "condition": self.unit[1]}
            base |= {"item": item.item} if item is not None else {"id": id_}
            golds = _list(doc.get("gold_index"))
            base["gold"] = questions.gold_label(golds[0], marks, None) if len(golds) == 1 else ""
            prompt = doc.get("query")
            labelled = questions.are_labels(choices)
            self.by_label |= labelled
            trials = self._trials(base, response, id_ if item is None else item.item, len(choices), row, marks)
            if labelled and texts is not None and isinstance(prompt, str):
                lost = questions.hidden_options(prompt, texts, marks)
                if lost:
                    self.n_hidden += len(trials)
                    self.hidden[base.get("item", id_)] = item is not None and item.gold in lost
                    if self.source.drop_hidden:
                        self.source.left_out.setdefault(harness.HIDDEN, []).append(line)
                        continue
            for trial in trials:
                yield line, harness.fields(trial)

    def _texts(self, doc: Mapping[str, Any], specific: Mapping[str, Any], choices: list[str]) -> questions.Texts | None:
        spoken = {} if questions.are_labels(choices) else {"choices": choices}
        return questions.texts_of({"question": doc.get("original_query"), **spoken, **specific})

    def _ids(self, doc: Mapping[str, Any]) -> list[str]:
        specific = _dict(doc.get("specific"))
        named = [specific.get(key) for key in dict.fromkeys((self.source.columns.get("id", "id"), *ID_NAMES))]
        return [str(value).strip() for value in (*named, doc.get("id")) if value not in (None, "")]

    def _item(self, doc: Mapping[str, Any], texts: questions.Texts | None) -> tuple[questions.Item | None, str]:
        ids = self._ids(doc)
        for id_ in (*ids, ""):
            item, how = self.items.find(id_, "" if id_ in self.repeated else self.category, texts)
            if item is not None:
                if how:
                    self.told_apart[id_, item.item, how] += 1
                return item, id_
        known = [id_ for id_ in ids if id_ in self.items.by_id]
        return None, (known or ids or [""])[0]

    def _trials(
        self,
        base: Mapping[str, str],
        response: Mapping[str, Any],
        asked: str,
        n_choices: int,
        row: Mapping[str, Any],
        marks: tuple[str, ...],
    ) -> list[dict[str, str]]:
        scores = [harness.number(score) for score in _list(response.get("logprobs"))]
        if len(scores) > 1 and len(scores) == n_choices:
            trial = {**base, **harness.ranked(scores, self.unit, asked)}
            self.n_ranked += 1
            self.n_ties += trial.get("rule") == TIE
            said = _accuracy(_dict(row.get("metric")))
            if trial.get("rule") != TIE and "prediction" in trial and base["gold"] and said in (0, 1):
                option = int(trial["prediction"])
                self.n_other += (option < len(marks) and marks[option] == base["gold"]) != (said == 1)
            return [trial]
        spoken = _list(response.get("text_post_processed")) or _list(response.get("text")) or [""]
        return [{**base, "replicate": str(place), "text": str(text or "")} for place, text in enumerate(spoken)]

    def report(self) -> None:
        """Note what a reader of the results must know of the file."""
        source, results, general = self.source, self.results, self.results.general
        source.part_of = unit_label(*self.unit)
        source.date = harness.day(results.stamp)
        source.told_apart = [(id_, item, how, n) for (id_, item, how), n in sorted(self.told_apart.items())]
        settings = _dict(general.get("generation_parameters"))
        facts = {
            "date": source.date,
            "scoring": f"log-probability, {'label' if self.by_label else 'option'}"
            if self.n_ranked
            else "generated text",
            "order": "as in the source",
            "shots": results.shots,
            "decoding": "none" if self.n_ranked else harness.sent(settings),
        }
        source.facts = {name: value for name, value in facts.items() if value}
        if not self.n_ranked:
            harness.no_answers(source)
        said = {
            "lighteval": general.get("lighteval_sha"),
            "size": general.get("model_size"),
            "dtype": general.get("model_dtype"),
        }
        parts = [f"{name} {value}" for name, value in said.items() if value]
        if parts:
            source.notes.append(f"As its results file states, {results.model} was run so: {'; '.join(parts)}.")
        harness.note_hidden(source, self.hidden, self.n_hidden)
        harness.note_ties(source, self.n_ties, self.n_ranked)
        harness.note_other_scores(source, self.n_other)


def _accuracy(metric: Mapping[str, Any]) -> float:
    """Return the accuracy of a row, without any normalisation; NaN when it is not stated."""
    names = [name for name in metric if "acc" in name and "norm" not in name]
    return harness.number(metric[names[0]]) if names else harness.number(None)


def _dict(value: Any) -> dict[str, Any]:
    if isinstance(value, str):
        value = _value(value)
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value)
    return [] if value is None or value == "" else [value]
