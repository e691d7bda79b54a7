"""Logs of Inspect (``inspect_ai``), ``.eval`` and ``.json``: one sample per item and epoch, with what scorers took.

Epochs are replicates. When a dataset's choices were shuffled, the log holds them as they were shown, and the letters
(also the target's) are of that order; they are mapped back by what the sample's metadata say (``rotation``,
``permutation``, or the options in the source's order), by the item table's options, or by the digest of the item's
texts. When the solver shuffled, Inspect has mapped answers back itself. An order that nothing tells is an error as
soon as the targets show that it is not the source's.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from click_stats.answers.normalise import collapse, normalise
from click_stats.errors import DataError, UsageError
from click_stats.items.definition import labels
from click_stats.trials.identify import BY_CATEGORY
from click_stats.trials.importers import harness, questions
from click_stats.trials.importers.base import append
from click_stats.trials.importers.inspect_file import is_log, read_log
from click_stats.trials.importers.option_order import order_by_digest, rotation, told_order
from click_stats.trials.schema import DEFAULT_CONDITION, unit_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import duckdb

    from click_stats.trials.importers.base import Source
    from click_stats.trials.importers.questions import Item

SOLVER_SHUFFLED = "Choices were shuffled before generating"
"""How the scorer's explanation begins when the solver shuffled, and mapped the answer back."""
STOPPED = {"content_filter": "filtered", "max_tokens": "truncated", "model_length": "truncated"}
"""Status of a sample without an answer, by why the model stopped."""
RIGHT: dict[str | float, bool] = {"C": True, "I": False, "N": False, 1: True, 0: False}
"""What the values of scores say."""
TOLERANCE = 0.01
"""Share of samples whose target may differ from the item table although their order is not told."""


class InspectLog:
    """Importer of logs of Inspect."""

    name = "inspect"
    suffixes = (".eval", ".json")
    named_by_file = False

    def columns(self, path: Path, mapping: Mapping[str, str]) -> dict[str, str] | None:
        """Return the columns of a log."""
        if not is_log(path):
            return None
        return {name: name for name in harness.COLUMNS} | {name: mapping[name] for name in ("id",) if name in mapping}

    def header(self, path: Path) -> list[str]:
        """Return no names: the file has no columns."""
        del path
        return []

    def needs(self) -> str:
        """Say what a file of this kind is."""
        return "a log of Inspect (of lm-evaluation-harness give the samples_*.jsonl files, not the results file)"

    def load(
        self, connection: duckdb.DuckDBPyConnection, number: int, source: Source, tick: Callable[[int], None]
    ) -> None:
        """Append the samples to the stage, and note what the header states of the run."""
        log, samples = read_log(source.path)
        reader = _Reader(source, questions.Items.read(connection), log)
        source.n_read = append(connection, number, {}, harness.COLUMNS, reader.rows(samples))
        source.n_read += sum(map(len, source.left_out.values()))
        tick(source.path.stat().st_size)
        reader.report()


@dataclass
class _Reader:
    """Turns the samples of a log into rows and counts what must be told of them."""

    source: Source
    items: questions.Items
    log: Mapping[str, Any]
    told_apart: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    orders: Counter[str] = field(default_factory=Counter)
    n_samples: int = 0
    n_answers: int = 0
    n_compared: int = 0
    n_untold: int = 0
    n_other: int = 0
    n_rewritten: int = 0

    def __post_init__(self) -> None:
        """Find the model, the condition and the scorer."""
        spec = self.log.get("eval") or {}
        self.spec: Mapping[str, Any] = spec
        self.task = str(spec.get("task") or "")
        self.category = self.items.category(self.task.rsplit("/", 1)[-1])
        self.model = str(spec.get("model") or "").partition("/")[2] or str(spec.get("model") or "")
        self.unit = (self.model, self._condition())
        named = [str(scorer.get("name")) for scorer in spec.get("scorers") or () if isinstance(scorer, dict)]
        results = (self.log.get("results") or {}).get("scores") or ()
        named += [str(score.get("scorer")) for score in results]
        self.scorers = list(dict.fromkeys(name.rsplit("/", 1)[-1] for name in named))
        self.scorer = self._choose_scorer()

    def _condition(self) -> str:
        stated = (self.spec.get("metadata") or {}).get("condition") or (self.spec.get("task_args") or {}).get(
            "condition"
        )
        if stated:
            return str(stated)
        effort = (self.spec.get("model_generate_config") or {}).get("reasoning_effort")
        steps = (self.log.get("plan") or {}).get("steps") or ()
        thought = any((step.get("params") or {}).get("cot") for step in steps)
        parts = [str(effort)] if effort else []
        return ", ".join([*parts, *(["chain of thought"] if thought else [])]) or DEFAULT_CONDITION

    def _choose_scorer(self) -> str:
        if len(self.scorers) == 1 and self.source.filter not in self.scorers:
            self.source.filter = None  # there is nothing to choose here
        chosen = self.source.filter
        if chosen is None and len(self.scorers) > 1:
            raise self._several(self.scorers)
        if chosen is not None and self.scorers and chosen not in self.scorers:
            raise UsageError(
                f"The log {self.source.name} has no scorer {chosen!r}.",
                found=", ".join(self.scorers),
                do="Choose one of these with --filter.",
            )
        return chosen or (self.scorers[0] if self.scorers else "")

    def _several(self, scorers: Sequence[str]) -> UsageError:
        return UsageError(
            f"The log {self.source.name} holds each answer as several scorers took it.",
            found=", ".join(scorers),
            do="Choose one with --filter NAME.",
        )

    def rows(self, samples: Iterator[dict[str, Any]]) -> Iterator[tuple[int, list[str]]]:
        """Yield number and fields of every sample."""
        for line, sample in enumerate(samples, start=1):
            self.n_samples += 1
            yield line, harness.fields(self._row(sample))
        if self.n_untold > max(1, TOLERANCE * self.n_compared):
            raise DataError(
                f"The log {self.source.name} shows options in another order than the item table's, and does not say "
                "in which.",
                found=f"the targets of {self.n_untold:,} of {self.n_compared:,} samples",
                do="Hand over the items with their texts (--items), or put the order into the metadata of the samples: "
                "rotation, permutation, or options in the source's order.",
            )

    def _row(self, sample: Mapping[str, Any]) -> dict[str, str]:
        meta = sample.get("metadata") or {}
        item, id_ = self._item(sample, meta)
        row = {"model": self.unit[0], "condition": self.unit[1]}
        row |= {"item": item.item} if item is not None else {"id": id_}
        row["replicate"] = str(int(sample.get("epoch") or 1) - 1)
        output = sample.get("output") or {}
        choices = output.get("choices") or [{}]
        row["finish_reason"] = str(choices[0].get("stop_reason") or "")
        row["text"] = str(output.get("completion") or "")
        usage = output.get("usage") or {}
        row["input_tokens"] = _whole(usage.get("input_tokens"))
        row["output_tokens"] = _whole(usage.get("output_tokens"))
        seconds = questions.first({"time": output.get("time"), "total": sample.get("total_time")}, ("time", "total"))
        row["seconds"] = "" if seconds is None else str(seconds)
        score = self._score(sample)
        order = self._order(sample, meta, item, str(score.get("explanation") or ""))
        n_options = len(item.labels) if item is not None else len(sample.get("choices") or ()) or len(order or ())
        marks = item.labels if item is not None else labels(n_options) if n_options > 1 else ()
        target = _place(sample.get("target"), marks, sample.get("choices"))
        if target is not None:
            self._compare_target(target, order, item)
            row["gold"] = marks[order[target] if order is not None and target < len(order) else target]
        if order is not None and (turn := rotation(order)):
            row["rotation"] = str(turn)
        row |= self._answer(sample, score, marks, order, target)
        return row

    def _item(self, sample: Mapping[str, Any], meta: Mapping[str, Any]) -> tuple[Item | None, str]:
        name = self.source.columns.get("id", "id")
        names = [meta.get("item"), meta.get(name), meta.get("id"), sample.get("id")]
        ids = [str(value).strip() for value in names if value is not None]
        ids.sort(key=lambda id_: id_ not in self.items.by_key)  # whole keys first
        stated = self.items.categories.get(collapse(str(meta.get("category") or "")).casefold())
        category = stated or self.category
        texts = questions.texts_of({**meta, "choices": sample.get("choices")})
        for id_ in ids:
            item, how = self.items.find(id_, category, texts)
            if item is not None:
                if how:
                    self.told_apart[id_, item.item, BY_CATEGORY if stated and how == questions.BY_TASK else how] += 1
                return item, id_
        known = [id_ for id_ in ids if id_ in self.items.by_id]
        return None, (known or ids or [""])[0]

    def _score(self, sample: Mapping[str, Any]) -> Mapping[str, Any]:
        scores = sample.get("scores") or {}
        found = next((score for name, score in scores.items() if name.rsplit("/", 1)[-1] == self.scorer), None)
        if found is None and not self.scorer and len(scores) > 1:
            raise self._several(sorted(scores))
        if found is None and len(scores) == 1 and self.source.filter is None:
            found = next(iter(scores.values()))
        return found if isinstance(found, dict) else {}

    def _order(
        self, sample: Mapping[str, Any], meta: Mapping[str, Any], item: Item | None, explanation: str
    ) -> Sequence[int] | None:
        """Return the source's option at each place of the log's choices, None when nothing tells."""
        shown = [str(choice) for choice in sample.get("choices") or ()]
        if explanation.startswith(SOLVER_SHUFFLED):
            self.n_rewritten += 1
            return range(len(shown))
        order = told_order(shown, meta, item)
        if order is None and item is not None and len(shown) == len(item.labels):
            order = order_by_digest(shown, sample.get("input"), meta, self.items, item)
        if order is not None:
            kind = "source" if list(order) == sorted(order) else "rotated" if rotation(order) else "shuffled"
            self.orders[kind] += 1
        return order

    def _compare_target(self, target: int, order: Sequence[int] | None, item: Item | None) -> None:
        if item is not None and order is None:
            self.n_compared += 1
            self.n_untold += target != item.gold

    def _answer(
        self,
        sample: Mapping[str, Any],
        score: Mapping[str, Any],
        marks: Sequence[str],
        order: Sequence[int] | None,
        target: int | None,
    ) -> dict[str, str]:
        """Return the option chosen, or why there is none."""
        answer = score.get("answer")
        chosen = _place(answer, marks, sample.get("choices"))
        if sample.get("error"):
            return {"status": "failed"}
        if chosen is not None:
            value = score.get("value")
            said = RIGHT.get(value) if isinstance(value, (str, int, float)) else None
            self.n_other += target is not None and said is not None and said != (chosen == target)
            self.n_answers += 1
            option = order[chosen] if order is not None and chosen < len(order) else chosen
            return {"status": "ok", "prediction": str(option), "rule": self.scorer}
        output = sample.get("output") or {}
        stop = str((output.get("choices") or [{}])[0].get("stop_reason") or "")
        if stop in STOPPED:
            return {"status": STOPPED[stop]}
        limit = (sample.get("limit") or {}).get("type")
        if limit:
            return {"status": "truncated" if limit in ("token", "context") else "failed"}
        if not score:
            return {}  # nobody took an answer from it yet
        return {"status": "out_of_option" if str(output.get("completion") or "").strip() else "empty"}

    def report(self) -> None:
        """Note what a reader of the results must know of the log."""
        source = self.source
        source.part_of = unit_label(*self.unit)
        source.date = harness.day(self.spec.get("created"))
        source.told_apart = [(id_, item, how, n) for (id_, item, how), n in sorted(self.told_apart.items())]
        steps = [
            {"solver": step.get("solver"), "params": step.get("params")}
            for step in (self.log.get("plan") or {}).get("steps") or ()
        ]
        settings = self.spec.get("model_generate_config") or {}
        moved = [kind for kind in ("rotated", "shuffled") if self.orders[kind]]
        order = ", ".join([*moved, *(["shuffled by the solver"] if self.n_rewritten else [])]) or "as in the source"
        facts = {
            "date": source.date,
            "prompt_digest": harness.prompt_digest(steps, settings.get("system_message")) if steps else "",
            "scoring": f"generated text, scorer {self.scorer}" if self.scorer else "generated text",
            "order": order,
            "decoding": harness.sent(settings) or "settings of the provider",
        }
        source.facts = {name: value for name, value in facts.items() if value}
        if not self.n_answers:
            harness.no_answers(source)
        self._note()

    def _note(self) -> None:
        source = self.source
        dataset = self.spec.get("dataset") or {}
        epochs = int((self.spec.get("config") or {}).get("epochs") or 1)
        planned = len(dataset.get("sample_ids") or ()) * epochs
        status = str(self.log.get("status") or "started")
        if status != "success" or self.n_samples < planned:
            of = f"{self.n_samples:,} of {planned:,}" if planned else f"{self.n_samples:,}"
            source.notes.append(f"The log {source.name} is not complete (status {status}): it holds {of} samples.")
        if self.log.get("invalidated"):
            source.notes.append(f"The log {source.name} is marked as invalid by its makers.")
        if self.orders["shuffled"]:
            source.notes.append(
                f"In {self.orders['shuffled']:,} samples of {source.name} the options stood in an order that is no "
                "rotation of the source's: answers were mapped back, but the places they were shown at are not kept."
            )
        if self.n_rewritten:
            source.notes.append(
                f"In {source.name} the solver shuffled the options of {self.n_rewritten:,} samples and Inspect wrote "
                "the responses anew in the source's order: places and texts are not those of the model."
            )
        harness.note_other_scores(source, self.n_other)


def _place(answer: Any, marks: Sequence[str], choices: Any) -> int | None:
    """Return the place that an answer names: by its label, else by its text."""
    if isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    if not isinstance(answer, str) or not answer.strip():
        return None
    word = answer.strip().strip("().:").upper()
    if word in marks:
        return marks.index(word)
    texts = [normalise(str(choice)) for choice in choices or ()]
    return texts.index(normalise(answer)) if normalise(answer) in texts else None


def _whole(value: Any) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""
