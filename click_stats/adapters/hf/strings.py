"""What is scored: the strings of all options after a prompt, as token ids, and where the option begins in each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.settings import Normalisation, Settings
    from click_stats.adapters.hf.text import Texts
    from click_stats.protocol.request import Request


@dataclass(frozen=True)
class Scored:
    """A string whose end is scored.

    Attributes
    ----------
    ids
        Token ids of prompt and option together.
    start
        Index of the first id whose log-probability counts; at least 1.
    text
        The option as it is ranked, without the space before it.
    """

    ids: tuple[int, ...]
    start: int
    text: str = ""


@dataclass(frozen=True)
class Question:
    """A prompt with the strings of its options, in displayed order.

    Attributes
    ----------
    strings
        One per option.
    n_tokens
        Tokens of the prompt that is read.
    note
        A remark for the trial.
    """

    strings: tuple[Scored, ...]
    n_tokens: int
    note: str = ""

    @property
    def longest(self) -> int:
        """Tokens that are read for the longest string; its last token is predicted only."""
        return max(len(string.ids) for string in self.strings) - 1


def option_texts(request: Request, scoring: str) -> list[str]:
    """Return the strings that are ranked for a request, in displayed order."""
    if scoring == "label":
        return list(request.labels)
    if scoring == "text":
        return list(request.shown)
    return [f"{label}: {text}" for label, text in zip(request.labels, request.shown, strict=True)]


def question(request: Request, texts: Texts, settings: Settings, max_length: int | None) -> Question:
    """Return the strings of a request.

    Every string is encoded whole, so that its tokens are those the model would see. Where a tokenizer merges the end
    of the prompt with an option, the merged token is scored: all options of the prompt are then scored from there.

    Raises
    ------
    DataError
        The prompt is longer than the model can read, and may not be cut; or nothing of it is left before the option.
    """
    rendered = texts.render(request)
    options = option_texts(request, settings.scoring)
    if not all(options):
        raise DataError(f"An option of {request.item} has no text to be scored.", do="Correct the items.")
    whole = [rendered.text + rendered.joint + option for option in options]
    alone, *encoded = texts.encode([rendered.text, *whole], raw=rendered.raw)
    start = min(_common(alone, ids) for ids in encoded)
    notes = [rendered.note]
    if start < len(alone):
        notes.append(
            f"the tokenizer merges prompt and option: scored from {len(alone) - start} token(s) before the prompt's end"
        )
    if start < 1:
        raise DataError(
            f"No token stands before the options of {request.item}.",
            found=f"a prompt of {len(alone)} tokens, which the tokenizer merges with an option",
            do="Take a wording with an instruction.",
        )
    kept = len(texts.opening) if tuple(alone[: len(texts.opening)]) == texts.opening else 0
    over = max(map(len, encoded)) - 1 - max_length if max_length else 0
    if over > 0:
        notes.append(_overflow(request, settings, over, start - kept, max(map(len, encoded)) - 1))
        encoded = [ids[:kept] + ids[kept + over :] for ids in encoded]
        start -= over
    strings = tuple(Scored(tuple(ids), start, text) for ids, text in zip(encoded, options, strict=True))
    return Question(strings, start, "; ".join(filter(None, notes)))


def _overflow(request: Request, settings: Settings, over: int, available: int, longest: int) -> str:
    """Return what a trial says of its cut prompt; an error when it may not be cut."""
    limit = longest - over
    if settings.overflow == "error" or over >= available:
        raise DataError(
            f"The prompt of {request.item} (wording {request.wording}) is too long for the model.",
            found=f"{longest:,} tokens with its longest option; the model reads {limit:,}",
            do="Take a model that reads more, or set overflow=cut: the prompt loses its beginning, and trials say so."
            if over < available
            else "Take a model that reads more, or a larger max_length.",
        )
    return f"prompt cut at its beginning: {over:,} of {available:,} tokens removed (max_length {limit:,})"


def normalised(total: float, string: Scored, how: Normalisation) -> float:
    """Return a sum of log-probabilities divided by what a normalisation names."""
    if how == "none" or not math.isfinite(total):
        return total
    if how == "token":
        return total / (len(string.ids) - string.start)
    return total / (len(string.text) if how == "character" else len(string.text.encode()))


def _common(first: Sequence[int], second: Sequence[int]) -> int:
    """Return the number of ids that two sequences share at their beginning."""
    for index, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return index
    return min(len(first), len(second))
