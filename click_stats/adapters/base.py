"""What an adapter is: it is handed requests and gives back responses, and knows nothing of gold answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from click_stats.protocol.request import Key, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from click_stats.items.table import ItemTable

__all__ = ["Adapter", "Capabilities", "ErrorKind", "FinishReason", "Key", "KeyHolder", "Request", "Response"]

FinishReason = Literal["", "stop", "length", "filter", "refusal"]
"""Why generation ended; empty when unknown or when options were scored."""
ErrorKind = Literal["", "filtered", "failed"]
"""``filtered``: a content filter answered in the model's place; ``failed``: no answer after all retries."""


@dataclass(frozen=True)
class Response:
    """What came back for one request.

    Attributes
    ----------
    request
        The request answered.
    text
        Generated text, as it came; None when options were scored or nothing came.
    scores
        Log-probability of each option in displayed order; None when text was generated.
    input_tokens, output_tokens, seconds
        Usage as far as known.
    finish_reason, error
        How it ended.
    note
        A remark to be kept with the trial, e.g. how many tokens of an overlong prompt were cut.
    """

    request: Request
    text: str | None = None
    scores: tuple[float, ...] | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    seconds: float | None = None
    finish_reason: FinishReason = ""
    error: ErrorKind = ""
    note: str = ""


@dataclass(frozen=True)
class Capabilities:
    """What an adapter can do and needs.

    Attributes
    ----------
    kind
        ``score`` ranks options by log-probability, ``generate`` returns text.
    needs_text
        Whether requests must carry prompts: then a run demands items with texts.
    simulated
        Whether answers are drawn from a stated model rather than from a language model.
    """

    kind: Literal["score", "generate"]
    needs_text: bool = True
    simulated: bool = False


@runtime_checkable
class Adapter(Protocol):
    """Answers requests. Mapping back to original options and extraction of answers happen in the run, never here."""

    @property
    def capabilities(self) -> Capabilities:
        """What the adapter can do and needs."""

    def describe(self) -> Mapping[str, Any]:
        """Return what must be recorded to repeat the run: model, versions, method, dtype, what is sent. No secrets."""

    def answer(self, groups: Iterable[Sequence[Request]]) -> Iterator[Response]:
        """Answer requests that arrive grouped by item and wording, one response for each, in any order.

        Errors of single requests come back as responses with ``error``; an exception means that nothing can go on
        (no key, wrong address, no such model) and is a ClickStatsError.
        """

    def close(self) -> None:
        """Give back what the adapter holds: connections, memory."""


@runtime_checkable
class KeyHolder(Protocol):
    """What an adapter is besides that draws its answers from the answer key: only simulated ones are handed it."""

    def hold(self, items: ItemTable) -> None:
        """Take the items, before the first request."""
