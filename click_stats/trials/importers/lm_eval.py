"""Sample logs of lm-evaluation-harness (``--log_samples``), of both ages, with the results file beside them.

One file per task, one object per question and filter. Multiple-choice tasks keep the log-probability of every option,
generative ones the text and what a filter took from it. Since 2024 numbers and booleans are written as text; older
files hold one indented JSON array under the ending ``.jsonl``, and no hashes.

The harness's ``click`` tasks choose the items of a category by their ids, so that the task in the file's name tells
apart items that share an id; where a document holds the question, its texts decide first. Their prompt has room for
four options: items with five are asked without the last one (see :meth:`_Reader._hidden`).
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.answers.normalise import normalise
from click_stats.errors import DataError, UsageError
from click_stats.items.definition import labels
from click_stats.trials.importers import harness, questions
from click_stats.trials.importers.base import append
from click_stats.trials.importers.harness_results import Results, find_results
from click_stats.trials.importers.text import find_encoding
from click_stats.trials.ranking import TIE
from click_stats.trials.schema import DEFAULT_CONDITION, unit_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import duckdb

    from click_stats.trials.importers.base import Source
    from click_stats.trials.importers.questions import Item, Texts

NO_FILTER = "none"
ID_NAMES = ("id", "item_id", "question_id", "qid")
CLICK = "click"
"""What the names of the tasks begin with whose prompt shows four options only."""
SHOWN = 4
METRICS = ("acc", "exact_match")
OTHER_FILTER = "other filter"
NO_SAMPLE = "no sample of the harness"


class LmEval:
    """Importer of sample logs of lm-evaluation-harness."""

    name = "lm-eval"
    suffixes = (".jsonl",)
    named_by_file = False

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a file whose first object is a sample of the harness."""
        sample = first_sample(path)
        if not {"doc_id", "doc", "filtered_resps"} <= set(sample):
            return None
        return {name: name for name in harness.COLUMNS} | {name: mapping[name] for name in ("id",) if name in mapping}

    def header(self, path: Path) -> list[str]:
        """Return the keys of the first object."""
        return list(first_sample(path))

    def needs(self) -> str:
        """Say what a file of this kind holds."""
        return "doc_id, doc, filtered_resps, as lm-evaluation-harness logs samples"

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the rows to the stage, and note what the results file states of the run."""
        reader = _Reader(source, questions.Items.read(connection), find_results(source.path))
        rows = reader.rows(tick)
        source.n_read = append(connection, number, {}, harness.COLUMNS, rows)
        source.n_read += sum(map(len, source.left_out.values()))
        reader.report()


def first_sample(path: Path) -> dict[str, Any]:
    """Return the first object of a file of JSON lines or of an indented array, empty when there is none."""
    with path.open("rb") as file:
        start = file.read(1 << 16).lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith(b"["):
        found = next((sample for _, sample in _samples(path)), None)
        return found if isinstance(found, dict) else {}
    with path.open("rb") as file:
        line = file.readline().removeprefix(b"\xef\xbb\xbf")
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def is_array(path: Path) -> bool:
    """Tell whether a file of JSON lines is one JSON array, as the harness wrote before 2024."""
    with path.open("rb") as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"[")


def _samples(path: Path, tick: Callable[[int], None] = lambda _: None) -> Iterator[tuple[int, Any]]:
    """Yield line (or place in the array) and value; None where a line is no JSON."""
    encoding = find_encoding(path)
    if is_array(path):
        try:
            values = json.loads(path.read_text(encoding=encoding))
        except ValueError as error:
            raise DataError(
                f"The file {path.name} is no JSON.", found=str(error), do="Get the file again: it may be cut off."
            ) from error
        yield from enumerate(values, start=1)
        return
    n_read = 0
    with path.open(encoding=encoding) as file:
        for line, text in enumerate(file, start=1):
            n_read += len(text)
            if not line % 1000:
                tick(n_read)
            if not text.strip():
                continue
            try:
                yield line, json.loads(text)
            except ValueError:
                yield line, None


@dataclass
class _Reader:
    """Turns the samples of one file into rows and counts what must be told of them."""

    source: Source
    items: questions.Items
    results: Results
    task: str = ""
    filters: Counter[str] = field(default_factory=Counter)
    told_apart: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    repeated: set[str] = field(default_factory=set)
    hidden: dict[str, bool] = field(default_factory=dict)
    n_hidden: int = 0
    n_ranked: int = 0
    n_ties: int = 0
    n_other: int = 0
    n_answers: int = 0
    kinds: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Find the task, the model and the condition."""
        self.task = self.results.task_of(self.source.path)
        self.category = self.items.category(self.task)
        self.filter = self._choose_filter()
        parts = [self.results.condition(self.task), self.filter if self.filter != NO_FILTER else ""]
        self.unit = (self.results.model, ", ".join(filter(None, parts)) or DEFAULT_CONDITION)

    def _choose_filter(self) -> str:
        """Return the filter whose answers count, and note ids that the task holds several times."""
        met: Counter[tuple[str, str]] = Counter()
        for _, sample in _samples(self.source.readable):
            if isinstance(sample, dict):
                met[str(sample.get("filter", NO_FILTER)), self._id(sample)] += 1
        found = {name for name, _ in met}
        self.repeated = {id_ for (_, id_), n in met.items() if n > 1}
        if found <= {NO_FILTER} and self.source.filter != NO_FILTER:
            self.source.filter = None  # rankings and unfiltered texts beside a task that has filters
        chosen = self.source.filter
        if chosen is None and len(found) > 1:
            raise UsageError(
                f"The file {self.source.name} holds each answer as several filters took it.",
                found=", ".join(sorted(found)),
                do="Choose one with --filter NAME.",
            )
        if chosen is not None and chosen not in found:
            raise UsageError(
                f"The file {self.source.name} has no filter {chosen!r}.",
                found=", ".join(sorted(found)),
                do="Choose one of these with --filter, or read files with other filters by themselves.",
            )
        return chosen if chosen is not None else next(iter(found), NO_FILTER)

    def _id(self, sample: Mapping[str, Any]) -> str:
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        return str(questions.first(doc, (self.source.columns.get("id", "id"), *ID_NAMES)) or "").strip()

    def rows(self, tick: Callable[[int], None]) -> Iterator[tuple[int, list[str]]]:
        """Yield line number and fields of every trial."""
        for line, sample in _samples(self.source.readable, tick):
            if not isinstance(sample, dict) or "filtered_resps" not in sample:
                self._leave(NO_SAMPLE, line)
            elif str(sample.get("filter", NO_FILTER)) != self.filter:
                self._leave(OTHER_FILTER, line)
            else:
                for row in self._trials(line, sample):
                    yield line, harness.fields(row)

    def _leave(self, reason: str, line: int) -> None:
        self.source.left_out.setdefault(reason, []).append(line)

    def _trials(self, line: int, sample: Mapping[str, Any]) -> Iterator[dict[str, str]]:
        doc = sample["doc"] if isinstance(sample.get("doc"), dict) else {}
        id_ = self._id(sample)
        texts = questions.texts_of(doc)
        # The task tells nothing of an id that it holds several times.
        item, how = self.items.find(id_, "" if id_ in self.repeated else self.category, texts)
        if item is not None and how:
            self.told_apart[id_, item.item, how] += 1
        contexts, offered = _requests(sample.get("arguments"))
        base = {"model": self.unit[0], "condition": self.unit[1]}
        base |= {"item": item.item} if item is not None else {"id": id_}
        marks = item.labels if item is not None else labels((texts and len(texts.options)) or SHOWN)
        base["gold"] = questions.gold_label(sample.get("target"), marks, texts)
        resps, kept = sample.get("resps"), sample["filtered_resps"]
        scores = _scores(kept)
        if scores is None:
            trials = self._generated(base, resps, kept, item, texts)
        else:
            trials = [self._ranked(base, scores, id_, item, sample)]
        hidden = self._hidden(contexts[0] if contexts else "", offered, item, texts, scores)
        if hidden:
            self.n_hidden += len(trials)
            self.hidden[item.item if item is not None else id_] = item is not None and item.gold in hidden
            if self.source.drop_hidden:
                self._leave(harness.HIDDEN, line)
                return
        yield from trials

    def _ranked(
        self, base: Mapping[str, str], scores: list[float], id_: str, item: Item | None, sample: Mapping[str, Any]
    ) -> dict[str, str]:
        self.kinds.add("ranked")
        self.n_answers += 1
        row = {**base, **harness.ranked(scores, self.unit, item.item if item is not None else id_)}
        self.n_ranked += 1
        self.n_ties += row.get("rule") == TIE
        said = harness.number(questions.first(sample, METRICS))
        if row.get("rule") != TIE and "prediction" in row and base["gold"] and said in (0, 1):
            marks = item.labels if item is not None else labels(len(scores))
            option = int(row["prediction"])
            self.n_other += (option < len(marks) and marks[option] == base["gold"]) != (said == 1)
        return row

    def _generated(
        self, base: Mapping[str, str], resps: Any, kept: Any, item: Item | None, texts: Texts | None
    ) -> list[dict[str, str]]:
        """Return the trials of generated texts: several where the filter lets several through."""
        self.kinds.add("generated")
        spoken, taken = _strings(resps), _strings(kept)
        options = {normalise(text): place for place, text in enumerate(texts.options)} if texts is not None else {}
        trials = []
        for replicate, answer in enumerate(taken):
            text = spoken[replicate] if len(spoken) == len(taken) else "\n".join(spoken[:1])
            row = {**base, "replicate": str(replicate), "text": text}
            if answer != text:  # an unfiltered text holds no answer yet: that is what reading again is for
                label = answer.strip().strip("().:").upper()
                place = options.get(normalise(answer))
                if item is not None and label not in item.labels and place is not None:
                    row["prediction"] = str(place)
                else:
                    row["label"] = label if item is None or label in item.labels else answer.strip() or "?"
                row["rule"] = self.filter
                self.n_answers += 1
            trials.append(row)
        return trials

    def _hidden(
        self, context: str, offered: list[str], item: Item | None, texts: Texts | None, scores: list[float] | None
    ) -> set[int]:
        """Return the options that the prompt did not show, where it shows options by their labels.

        Without prompt or texts in the log: the fifth option of the harness's ``click`` tasks, whose prompt is known.
        """
        n_options = len(item.labels if item is not None else texts.options if texts is not None else scores or ())
        if scores is not None and offered and not questions.are_labels(offered):
            return set()  # option texts are ranked: they need not stand in the prompt
        if not context or texts is None:
            return set(range(SHOWN, n_options)) if self.task.startswith(CLICK) else set()
        return questions.hidden_options(context, texts, item.labels if item is not None else labels(n_options))

    def report(self) -> None:
        """Note what a reader of the results must know of the file."""
        source, results = self.source, self.results
        source.part_of = unit_label(*self.unit)
        source.date = results.day or harness.day(results.stamp)
        source.told_apart = [(id_, item, how, n) for (id_, item, how), n in sorted(self.told_apart.items())]
        source.facts = results.facts(self.task, self.filter, ranked="ranked" in self.kinds)
        source.notes += results.notes
        if not self.n_answers:
            harness.no_answers(source)
        harness.note_hidden(source, self.hidden, self.n_hidden)
        harness.note_ties(source, self.n_ties, self.n_ranked)
        harness.note_other_scores(source, self.n_other)


def _requests(arguments: Any) -> tuple[list[str], list[str]]:
    """Return contexts and continuations of a sample's requests; both forms of the log."""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(arguments, dict):
        pairs = [(part.get("arg_0"), part.get("arg_1")) for part in arguments.values() if isinstance(part, dict)]
    elif isinstance(arguments, list):
        pairs = [(part[0], part[1]) for part in arguments if isinstance(part, list) and len(part) > 1]
    contexts = [context for context, _ in pairs if isinstance(context, str)]
    return contexts, [after.strip() for _, after in pairs if isinstance(after, str)]


def _scores(kept: Any) -> list[float] | None:
    """Return the log-probabilities of a ranked sample, None when the sample is no ranking."""
    if not isinstance(kept, list) or len(kept) < 2:
        return None
    found = []
    for pair in kept:
        flat = pair[0] if isinstance(pair, list) and len(pair) == 1 and isinstance(pair[0], list) else pair
        if not isinstance(flat, list) or len(flat) != 2 or harness.truth(flat[1]) is None:
            return None
        found.append(harness.number(flat[0]))
    return found


def _strings(value: Any) -> list[str]:
    """Return the texts in nested lists, in order."""
    if isinstance(value, list):
        return [text for part in value for text in _strings(part)]
    return [value if isinstance(value, str) else "" if value is None else str(value)]
