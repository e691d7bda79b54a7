"""Answers written by the model, greedily: always the most probable next token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.adapters.hf.load import need
from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.base import FinishReason
    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.settings import Settings
    from click_stats.adapters.hf.text import Texts
    from click_stats.protocol.request import Request


@dataclass(frozen=True)
class Written:
    """A text that the model wrote, and the tokens of prompt and text."""

    text: str
    input_tokens: int
    output_tokens: int
    finish_reason: FinishReason
    note: str = ""


def generate(loaded: Loaded, texts: Texts, settings: Settings, requests: Sequence[Request]) -> list[Written]:
    """Return an answer to each request, all written in one pass.

    Prompts are padded on the left behind an explicit mask; the text ends with an end token or after
    ``max_new_tokens``.

    Raises
    ------
    DataError
        A prompt and its answer are longer than the model can read, and the prompt may not be cut.
    """
    torch = need("torch")
    rendered = [texts.render(request) for request in requests]
    encoded, notes = [], []
    for request, each in zip(requests, rendered, strict=True):
        ids, note = _fitted(texts.encode([each.text], raw=each.raw)[0], request, loaded, texts, settings)
        encoded.append(ids)
        notes.append("; ".join(filter(None, (each.note, note))))
    width = max(map(len, encoded))
    ends = _ends(loaded)
    pad = ends[0] if ends else 0
    padded = [[pad] * (width - len(ids)) + ids for ids in encoded]
    mask = [[0] * (width - len(ids)) + [1] * len(ids) for ids in encoded]
    written = loaded.model.generate(
        input_ids=torch.tensor(padded, device=loaded.device),
        attention_mask=torch.tensor(mask, device=loaded.device),
        generation_config=_greedy(settings.max_new_tokens, ends, pad),
    )[:, width:].tolist()
    return [_written(loaded, new, len(ids), ends, note) for new, ids, note in zip(written, encoded, notes, strict=True)]


def _written(loaded: Loaded, new: list[int], n_prompt: int, ends: Sequence[int], note: str) -> Written:
    stop = next((at for at, token in enumerate(new) if token in ends), None)
    own = new if stop is None else new[:stop]
    text = loaded.tokenizer.decode(own, skip_special_tokens=True)
    return Written(text, n_prompt, len(own), "length" if stop is None else "stop", note)


def _fitted(
    ids: list[int], request: Request, loaded: Loaded, texts: Texts, settings: Settings
) -> tuple[list[int], str]:
    """Return a prompt that leaves room for its answer, and what was cut."""
    limit = loaded.max_length
    over = len(ids) + settings.max_new_tokens - limit if limit else 0
    if over <= 0:
        return ids, ""
    kept = len(texts.opening) if tuple(ids[: len(texts.opening)]) == texts.opening else 0
    available = len(ids) - kept
    if settings.overflow == "error" or over >= available:
        raise DataError(
            f"The prompt of {request.item} (wording {request.wording}) is too long for the model.",
            found=f"{len(ids):,} tokens and {settings.max_new_tokens:,} for the answer; the model reads {limit:,}",
            do="Take a model that reads more, a smaller max_new_tokens, or set overflow=cut: the prompt loses its "
            "beginning, and the trial says so.",
        )
    note = f"prompt cut at its beginning: {over:,} of {available:,} tokens removed (max_length {limit:,})"
    return ids[:kept] + ids[kept + over :], note


def _ends(loaded: Loaded) -> list[int]:
    """Return the tokens that end a text."""
    config = getattr(loaded.model, "generation_config", None)
    own = getattr(config, "eos_token_id", None)
    if own is None:
        own = loaded.tokenizer.eos_token_id
    return [] if own is None else list(own) if isinstance(own, (list, tuple)) else [int(own)]


def _greedy(max_new_tokens: int, ends: Sequence[int], pad: int) -> Any:
    """Return settings that name everything: what they leave out would come from the model's own, which may sample."""
    return need("transformers").GenerationConfig(
        do_sample=False,
        num_beams=1,
        temperature=1.0,
        top_p=1.0,
        top_k=50,
        repetition_penalty=1.0,
        max_new_tokens=max_new_tokens,
        eos_token_id=list(ends) or None,
        pad_token_id=pad,
        use_cache=True,
    )
