"""Which method a model is scored with: the fastest one that agrees with the reference on invented questions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from click_stats.adapters.hf import cache, packed, reference
from click_stats.adapters.hf.settings import METHODS
from click_stats.protocol.request import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.settings import Method
    from click_stats.adapters.hf.strings import Scored

TOLERANCE = {"float32": 1e-4, "float64": 1e-4}
"""Largest difference of two methods in the log-probability of a string, by precision."""
HALF_TOLERANCE = 1.0
"""In half precision the order of sums moves scores by up to about .5: only gross faults can be seen."""


@dataclass(frozen=True)
class Choice:
    """The method in use.

    Attributes
    ----------
    method
        For strings within ``longest``.
    beyond
        For longer ones.
    longest
        Tokens a string may have for ``method``; None: any number.
    refused
        Reason by method, of those that were tried before and not taken.
    """

    method: Method
    beyond: Method
    longest: int | None = None
    refused: dict[str, str] = field(default_factory=dict)

    def for_length(self, tokens: int) -> Method:
        """Return the method for a question whose longest string has so many tokens."""
        return self.method if self.longest is None or tokens <= self.longest else self.beyond


def score(method: Method, loaded: Loaded, strings: Sequence[Scored], batch_size: int = 1) -> list[float]:
    """Return the sum of the log-probabilities of each string's end, by one of the methods."""
    if method == "packed":
        return packed.score(loaded, strings)
    return cache.score(loaded, strings) if method == "cache" else reference.score(loaded, strings, batch_size)


def choose(loaded: Loaded, asked: str, probes: Sequence[Sequence[Scored]], tolerance: float | None = None) -> Choice:
    """Return the method asked for, or the next one that is right for this model.

    Parameters
    ----------
    asked
        ``auto`` or a method; slower ones are tried when it does not agree with the reference.
    probes
        Strings of a few questions.
    tolerance
        Largest difference allowed; by precision when None.
    """
    allowed = tolerance or TOLERANCE.get(loaded.dtype, HALF_TOLERANCE)
    wanted = METHODS if asked == "auto" else METHODS[METHODS.index(asked) :]
    right = [reference.score(loaded, strings) for strings in probes] if wanted != ("reference",) else []
    refused: dict[str, str] = {}
    limit = packed.longest(loaded)
    works: list[Method] = []
    for method in wanted:
        reason = _refusal(method, loaded, probes, right, allowed, limit)
        if reason:
            refused[method] = reason
            continue
        works.append(method)
        if method != "packed" or limit is None:
            break
    first, last = works[0], works[-1]
    return Choice(first, last, limit if first == "packed" else None, refused)


def _refusal(
    method: Method,
    loaded: Loaded,
    probes: Sequence[Sequence[Scored]],
    right: Sequence[Sequence[float]],
    allowed: float,
    limit: int | None,
) -> str:
    if method == "reference":
        return ""
    known = packed.refusal(loaded) if method == "packed" else cache.refusal(loaded)
    if known:
        return known
    compared = 0
    for strings, expected in zip(probes, right, strict=True):
        if method == "packed" and limit is not None and max(len(string.ids) - 1 for string in strings) > limit:
            continue
        try:
            found = score(method, loaded, strings)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError, NotImplementedError) as error:
            return f"the model fails so: {' '.join(f'{type(error).__name__}: {error}'.split())[:200]}"
        compared += 1
        if not _agree(found, expected, allowed):
            return f"it does not agree with the reference within {allowed:g}"
    return "" if compared else f"the model looks at {limit} tokens at a time, fewer than a question has"


def _agree(found: Iterable[float], expected: Iterable[float], allowed: float) -> bool:
    # Written so that what is not a number does not agree.
    return all(abs(one - other) <= allowed for one, other in zip(found, expected, strict=True))


_PASSAGE = (
    "가람 마을의 늘봄 도서관은 해마다 첫눈이 오는 날 문을 열고 책을 나누어 준다. 마을 사람들은 한 해 동안 모은 책을 "
    "수레에 싣고 와서 서로 바꾸어 읽는다. 올해는 바다 건너 온 손님도 함께하였다."
)
_INVENTED = (
    ("", "가람 마을의 도서관은 언제 문을 여는가?", ("첫눈이 오는 날", "보름달이 뜨는 밤", "장날", "입학식 날")),
    (
        _PASSAGE,
        "이 글의 내용과 같은 것은?",
        ("책을 판다.", "책을 나눈다.", "눈을 치운다.", "배를 탄다.", "길을 막는다."),
    ),
)


def probes(*, chat_template: bool = False) -> list[list[Request]]:
    """Return invented questions, two rotations of each, to compare methods on."""
    groups = []
    for passage, asked, options in _INVENTED:
        labels = tuple("ABCDE"[: len(options)])
        group = []
        for rotation in (0, 1):
            shown = options[rotation:] + options[:rotation]
            lines = [f"{label}: {text}" for label, text in zip(labels, shown, strict=True)]
            context = [f"맥락: {passage}"] if passage else []
            prompt = "\n".join([*context, f"질문: {asked}", "보기:", ", ".join(lines), "정답:"])
            group.append(Request("probe", "probe", rotation, 0, len(options), labels, prompt, shown, "", chat_template))
        groups.append(group)
    return groups
