"""Servers that speak OpenAI's protocol: vLLM, SGLang, the server of llama.cpp and others.

Where the server gives the log-probabilities of a prompt, options are ranked by them: the summed log-probability of the
string ``" A: text"`` after the prompt. All options of a trial go in one request to ``/completions`` with ``echo``, and
the prompt alone with them: its number of tokens says where the option begins, which offsets in characters do not when
a Korean syllable is several tokens. The prompt ends without a blank, which belongs to the option, so that the prompt's
tokens do not depend on what follows; a server whose tokenizer does otherwise is not asked to score.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from click_stats.adapters.base import Capabilities, Response
from click_stats.adapters.keys import Secret, check_address, read_key
from click_stats.adapters.limits import Limits
from click_stats.adapters.openai_api import OpenAI, generated, split
from click_stats.adapters.remote import Unusable
from click_stats.adapters.sdk import read_options
from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.adapters.base import Request

MAX_TOKENS = 2048
"""Our limit unless set: a base model that finds no end would fill the context."""
PROBE = ("질문: 물은 무엇인가?\n보기:\nA: 하나, B: 둘\n정답:", " A: 하나")


class Options(Limits):
    """Options of the adapter.

    Attributes
    ----------
    key_env
        Environment variable of the key; empty for a server that wants none. Never another service's by default.
    method
        ``score`` ranks options by log-probability, ``generate`` lets the model write; ``auto`` scores where the server
        can.
    endpoint
        Where answers are generated: ``chat``, or ``completions`` for models without a chat template.
    """

    key_env: str = ""
    method: Literal["auto", "score", "generate"] = "auto"
    endpoint: Literal["chat", "completions"] = "chat"


class OpenAICompatible(OpenAI):
    """Scores options through completions where the server can, else generates."""

    service = "an OpenAI-compatible server"
    length_argument = "max_tokens"
    limits: Options

    def __init__(self, backend: Backend, limits: Options, secret: Secret, address: str) -> None:
        self._endpoint = limits.endpoint
        super().__init__(backend, limits, secret, address)
        self._cannot: str | None = None if limits.method != "generate" else "method is generate"
        self._probed = limits.method == "generate"

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter can do: with the method ``auto`` or ``score`` the server is asked once."""
        self._probe()
        return Capabilities(kind="score" if self._scores else "generate")

    def describe(self) -> Mapping[str, Any]:
        """Return what was sent and to whom, and how answers came about."""
        self._probe()
        said = dict(super().describe())
        if self._scores:
            said["sent"] = dict(SCORING)
            said["not_sent"] = {}
            said["method"] = 'summed log-probability of " A: text" after the prompt (completions with echo)'
        else:
            said["method"] = f"generation ({self._endpoint})"
            said["notes"] = [f"options are not ranked by log-probability: {self._cannot}"]
        return said

    @property
    def _scores(self) -> bool:
        return self._cannot is None

    def _settings(self, generation: dict[str, Any]) -> tuple[dict[str, Any], set[str]]:
        thinking = generation.get("thinking")
        if isinstance(thinking, bool):  # the switch of the chat templates that have one
            del generation["thinking"]
            extra = dict(generation.get("extra_body", {}))
            extra["chat_template_kwargs"] = {"enable_thinking": thinking, **extra.get("chat_template_kwargs", {})}
            generation["extra_body"] = extra
        generation.setdefault("max_tokens", MAX_TOKENS)
        settings, droppable = super()._settings(generation)
        if self._endpoint == "completions":
            settings.update(settings.pop("extra_body", {}))
            settings = split(settings, self._module.resources.completions.AsyncCompletions.create)
        return settings, droppable

    async def _start(self) -> None:
        await super()._start()
        if self.model:
            return
        if len(self.models) != 1:
            await self._client.close()
            raise UsageError(
                f"The server at {self.address} does not say which model is meant.",
                found=f"models: {', '.join(self.models)}" if self.models else "no list of models",
                do="Write openai_compatible:ADDRESS#MODEL.",
            )
        self.model = self.models[0]

    async def _send(self, request: Request, settings: dict[str, Any]) -> Any:
        if self._scores:
            context = _whole(request)
            texts = [context, *(context + option for option in _options(request))]
            return await self._complete(texts, SCORING)
        if self._endpoint == "completions":
            return await self._complete(_whole(request), settings)
        return await super()._send(request, settings)

    async def _complete(self, prompt: Any, settings: Mapping[str, Any]) -> Any:
        return await self._client.completions.with_raw_response.create(model=self.model, prompt=prompt, **settings)

    def _read(self, request: Request, payload: dict[str, Any]) -> Response:
        if self._scores:
            scores = tuple(span_scores(payload, request.n_options))
            counts = payload.get("usage") or {}
            return Response(
                request,
                scores=scores,
                input_tokens=counts.get("prompt_tokens"),
                output_tokens=counts.get("completion_tokens"),
            )
        if self._endpoint == "completions":
            choice = payload["choices"][0]
            return generated(request, payload, choice, choice["text"] or "")
        return super()._read(request, payload)

    def _length(self, request: Request) -> int:
        if not self._scores:
            return super()._length(request)
        return len(_whole(request)) * (request.n_options + 1) + sum(map(len, request.shown))

    def _probe(self) -> None:
        """Ask once whether the server gives the log-probabilities of a prompt."""
        if self._probed:
            return
        self._cannot = self._open().run(self._try_scoring())
        self._probed = True
        if self.limits.method == "score" and self._cannot is not None:
            raise UsageError(
                f"The server at {self.address} cannot rank options by log-probability.",
                found=self._cannot,
                do="Use the option method = generate, or a server that gives log-probabilities of the prompt (vLLM).",
            )

    async def _try_scoring(self) -> str | None:
        """Return why options cannot be scored, None when they can."""
        try:
            raw = await self._complete([PROBE[0], "".join(PROBE)], SCORING)
            span_scores(json.loads(raw.http_response.content), 1)
        except Unusable as error:
            return str(error)
        except self._module.APIStatusError as error:
            return f"completions with echo: {self._place.say(error)}"
        except self._module.APIConnectionError:
            return "completions with echo: no answer"
        except (LookupError, TypeError, ValueError, AttributeError):
            return "completions with echo: an answer of an unexpected form"
        return None

    def answer(self, groups: Iterable[Sequence[Request]]) -> Iterator[Response]:
        """Answer requests as the server answers them, in any order."""
        self._probe()
        return super().answer(groups)


SCORING: Mapping[str, Any] = {"echo": True, "logprobs": 1, "max_tokens": 1, "temperature": 0}
"""One token is generated, and left out: not every server accepts none."""


def span_scores(payload: Mapping[str, Any], n_options: int) -> list[float]:
    """Return the summed log-probability of what stands in each text beyond the first, which all of them begin with.

    Raises
    ------
    Unusable
        The answer holds no log-probabilities of the prompt, or the tokens of the first text change with what follows.
    """
    choices = sorted(payload["choices"], key=lambda choice: choice.get("index", 0))
    if len(choices) != n_options + 1:
        raise Unusable(f"no log-probabilities of several prompts at once ({len(choices)} of {n_options + 1})")
    usage = payload.get("usage") or {}
    made = usage.get("completion_tokens", len(choices))
    each = made // len(choices)
    spans = []
    for choice in choices:
        logprobs = choice.get("logprobs")
        if not logprobs or not logprobs.get("token_logprobs"):
            raise Unusable("no log-probabilities")
        n = len(logprobs["token_logprobs"]) - each
        spans.append((logprobs["tokens"][:n], logprobs["token_logprobs"][:n]))
    read = sum(len(tokens) for tokens, _ in spans)
    if made % len(choices) or usage.get("prompt_tokens", read) != read:
        # What was generated must not pass for a part of the prompt.
        raise Unusable("the numbers of tokens do not add up")
    context = spans[0][0]
    if len(context) < 2:
        raise Unusable("log-probabilities of the generated token only")
    scores = []
    for tokens, values in spans[1:]:
        if tokens[: len(context)] != context or len(tokens) == len(context):
            raise Unusable("the tokens of the prompt change with the option that follows")
        span = values[len(context) :]
        if any(value is None for value in span):
            raise Unusable("a token of the option has no log-probability")
        scores.append(float(sum(span)))
    return scores


def _whole(request: Request) -> str:
    """Return system prompt and prompt as one text, for a model that completes text."""
    return f"{request.system}\n\n{request.prompt}" if request.system else str(request.prompt)


def _options(request: Request) -> list[str]:
    if len(request.shown) != request.n_options:
        raise UsageError("Options can only be scored with their texts.", do="Give the items with --items.")
    return [f" {label}: {text}" for label, text in zip(request.labels, request.shown, strict=True)]


def make(backend: Backend) -> OpenAICompatible:
    """Return the adapter for a backend.

    Raises
    ------
    UsageError
        There is no address, the named key is not set, or an option is wrong.
    MissingDependencyError
        The SDK is not installed.
    """
    options = read_options(Options, backend)
    if not backend.address:
        raise UsageError(
            "The backend names no server.",
            found=backend.name,
            do="Write openai_compatible:ADDRESS#MODEL, e.g. openai_compatible:http://localhost:8000/v1#my-model.",
        )
    secret = read_key(options.key_env) if options.key_env else Secret("")
    return OpenAICompatible(backend, options, secret, check_address(backend.address))
