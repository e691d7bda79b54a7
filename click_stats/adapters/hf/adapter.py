"""The adapter ``transformers``: requests in, scores or texts out."""

from __future__ import annotations

import time
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any

from click_stats.adapters.base import Capabilities, Response
from click_stats.adapters.hf import check
from click_stats.adapters.hf.generate import generate
from click_stats.adapters.hf.load import is_out_of_memory, load, need, out_of_memory
from click_stats.adapters.hf.settings import read_settings
from click_stats.adapters.hf.strings import normalised, question
from click_stats.adapters.hf.text import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.settings import Method, Settings
    from click_stats.adapters.hf.strings import Question
    from click_stats.protocol.request import Request

ELSEWHERE = 8
"""Items in one pass on an accelerator. On a CPU one at a time is fastest: padding costs more than it saves."""


def make(backend: Backend) -> Local:
    """Make the adapter; the model is loaded when it is first needed.

    Raises
    ------
    UsageError
        A setting is unknown or wrong.
    MissingDependencyError
        The extra ``local`` is not installed.
    """
    settings = read_settings(backend)
    for package in ("torch", "transformers"):
        need(package)
    return Local(backend.model, settings)


class Local:
    """A model on this machine.

    Parameters
    ----------
    model
        Folder or id.
    settings
        How it is loaded and asked.
    loaded
        The model itself, when it is at hand already.
    """

    def __init__(self, model: str, settings: Settings, loaded: Loaded | None = None) -> None:
        self.model = model
        self.settings = settings
        self._handed = loaded

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter can do and needs."""
        return Capabilities(kind="generate" if self.settings.scoring == "generate" else "score")

    def describe(self) -> Mapping[str, Any]:
        """Return what must be recorded to repeat the run; the model is loaded for it."""
        loaded, settings = self._loaded, self.settings
        facts: dict[str, Any] = {
            "adapter": "transformers",
            "model": self.model,
            **loaded.facts(),
            "scoring": settings.scoring,
            "max_length": loaded.max_length,
            "overflow": settings.overflow,
            "template": settings.template,
            "versions": {
                "torch": version("torch"),
                "transformers": version("transformers"),
                "device": self._device_name(),
                "batch_size": self._batch_size,
            },
        }
        if settings.scoring == "generate":
            return {**facts, "method": "generation, greedy", "max_new_tokens": settings.max_new_tokens}
        choice = self._choice
        return {
            **facts,
            "method": choice.method,
            "method_beyond": {"tokens": choice.longest, "method": choice.beyond} if choice.longest else None,
            "method_asked": settings.method,
            "refused": choice.refused,
            "normalisation": settings.normalisation,
            "ids_scored": self._ids_scored(),
        }

    def answer(self, groups: Iterable[Sequence[Request]]) -> Iterator[Response]:
        """Answer requests; see :meth:`click_stats.adapters.base.Adapter.answer`.

        Raises
        ------
        DataError
            A prompt is too long and may not be cut, or the memory does not suffice.
        """
        torch = need("torch")
        stream = iter(groups)
        while batch := list(islice(stream, self._batch_size)):
            requests = [request for group in batch for request in group]
            started = time.monotonic()
            with torch.inference_mode(), self._memory():
                found = self._write(requests) if self.settings.scoring == "generate" else self._score(requests)
            seconds = (time.monotonic() - started) / max(len(requests), 1)
            for request, arguments in zip(requests, found, strict=True):
                yield Response(request, seconds=seconds, **arguments)

    def close(self) -> None:
        """Give the memory of the model back."""
        for name in ("_loaded", "_texts", "_choice"):
            self.__dict__.pop(name, None)
        torch = need("torch")
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    # How.

    @cached_property
    def _loaded(self) -> Loaded:
        return self._handed or load(self.model, self.settings)

    @cached_property
    def _texts(self) -> Texts:
        return Texts(self._loaded.tokenizer, self._loaded.n_vocab, self.settings.template)

    @cached_property
    def _choice(self) -> check.Choice:
        strings = [[string for each in group for string in each.strings] for group in self._probes()]
        with need("torch").inference_mode(), self._memory():
            return check.choose(self._loaded, self.settings.method, strings, self.settings.tolerance)

    @property
    def _batch_size(self) -> int:
        return self.settings.batch_size or (1 if self._loaded.device == "cpu" else ELSEWHERE)

    def _question(self, request: Request, settings: Settings | None = None) -> Question:
        return question(request, self._texts, settings or self.settings, self._loaded.max_length)

    def _probes(self, *, chat_template: bool = False) -> list[list[Question]]:
        """Return invented questions; a model that reads little reads their ends."""
        settings = self.settings.model_copy(update={"overflow": "cut"})
        groups = check.probes(chat_template=chat_template)
        return [[self._question(request, settings) for request in group] for group in groups]

    def _score(self, requests: Sequence[Request]) -> list[dict[str, Any]]:
        """Return the scores of each request; replicates of one prompt are scored once."""
        choice = self._choice
        prompts: dict[tuple[Any, ...], Request] = {}
        for request in requests:
            prompts.setdefault(_same(request), request)
        asked = {key: self._question(request) for key, request in prompts.items()}
        by_method: dict[Method, list[tuple[Any, ...]]] = {}
        for key, each in asked.items():
            by_method.setdefault(choice.for_length(each.longest), []).append(key)
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for method, keys in by_method.items():
            strings = [string for key in keys for string in asked[key].strings]
            totals = iter(check.score(method, self._loaded, strings, self._batch_size))
            for key in keys:
                each = asked[key]
                scores = tuple(normalised(next(totals), s, self.settings.normalisation) for s in each.strings)
                aside = (
                    method != choice.method
                    and f"scored by {method}: longer than the {choice.longest} tokens of {choice.method}"
                )
                note = "; ".join(filter(None, (each.note, aside or "")))
                found[key] = {"scores": scores, "input_tokens": each.n_tokens, "note": note}
        return [found[_same(request)] for request in requests]

    def _write(self, requests: Sequence[Request]) -> list[dict[str, Any]]:
        """Return the text written for each request; replicates of one prompt are written once."""
        prompts: dict[tuple[Any, ...], Request] = {}
        for request in requests:
            prompts.setdefault(_same(request), request)
        keys = list(prompts)
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for first in range(0, len(keys), self._batch_size):
            batch = keys[first : first + self._batch_size]
            written = generate(self._loaded, self._texts, self.settings, [prompts[key] for key in batch])
            found.update(zip(batch, map(vars, written), strict=True))
        return [found[_same(request)] for request in requests]

    def _ids_scored(self) -> dict[str, list[dict[str, Any]]]:
        """Return the token ids scored for an invented question: which string, and which ids of it count."""
        styles = {"raw": False} | ({"chat": True} if self._loaded.tokenizer.chat_template else {})
        found = {}
        for style, chat in styles.items():
            strings = self._probes(chat_template=chat)[0][0].strings
            found[style] = [{"text": each.text, "ids": list(each.ids[each.start :])} for each in strings]
        return found

    def _device_name(self) -> str:
        device = self._loaded.device
        return str(need("torch").cuda.get_device_name(device)) if device.startswith("cuda") else device

    @contextmanager
    def _memory(self) -> Iterator[None]:
        """Say what helps when the memory runs out."""
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            method = "" if "_choice" not in self.__dict__ else self._choice.method
            raise out_of_memory(error, batch_size=self._batch_size, method=method) from error


def _same(request: Request) -> tuple[Any, ...]:
    """Return what makes two requests ask the same."""
    return (request.prompt, request.system, request.chat_template, request.labels, request.shown)
