"""Tokens and cost of a plan with a backend, where they can be known, or roughly where a person asks for that."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from click_stats.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from click_stats.adapters.backend import Backend
    from click_stats.protocol import Plan

LOCAL = "transformers"
BATCH = 256
PER_MILLION = 1_000_000


@dataclass(frozen=True)
class Estimate:
    """What a plan takes with a backend.

    Attributes
    ----------
    backend
        Its name.
    input_tokens
        Tokens of all prompts; None when unknown.
    output_tokens
        Tokens of all answers, from the number a person assumes; None without one.
    cost
        US dollars for what is known of the two; None without prices or tokens.
    rough
        Whether the tokens are characters divided by an assumed number.
    how
        How the numbers were found, or why there are none. To be shown with them.
    """

    backend: str
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    rough: bool
    how: str

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)


def estimate(
    plan: Plan, backend: Backend, *, chars_per_token: float | None = None, output_tokens: int | None = None
) -> Estimate:
    """Estimate tokens and cost.

    Parameters
    ----------
    chars_per_token
        A rough assumption, for backends whose tokenizer is not at hand; without it nothing is guessed.
    output_tokens
        Assumed tokens of one answer.

    Raises
    ------
    UsageError
        An assumption is not positive.
    """
    if chars_per_token is not None and not chars_per_token > 0:
        raise UsageError("Characters per token must be positive.", found=str(chars_per_token))
    if output_tokens is not None and output_tokens < 0:
        raise UsageError("Output tokens cannot be negative.", found=str(output_tokens))
    tokens, how, rough = _input_tokens(plan, backend, chars_per_token)
    answers = None if output_tokens is None else output_tokens * len(plan)
    cost = None
    if backend.prices is None:
        how += "; no prices stated"
    elif tokens is not None:
        cost = tokens * backend.prices.input / PER_MILLION
        if answers is None:
            how += "; cost of the input alone"
        else:
            cost += answers * backend.prices.output / PER_MILLION
            how += f"; {output_tokens} tokens an answer assumed"
        how += f"; prices: {backend.prices.source or 'source not stated'}"
    return Estimate(backend.name, tokens, answers, cost, rough, how)


def _input_tokens(plan: Plan, backend: Backend, chars_per_token: float | None) -> tuple[int | None, str, bool]:
    if not plan.needs_text:
        return None, "tokens unknown: items without texts", False
    tokenizer, reason = _tokenizer(backend)
    if tokenizer is not None:
        prompts = _prompts(plan)
        batches = iter(lambda: list(islice(prompts, BATCH)), [])
        counted = sum(len(ids) for batch in batches for ids in tokenizer(batch))
        return counted * plan.replicates, f"tokens counted by the tokenizer of {backend.model}", False
    if chars_per_token is None:
        return None, f"tokens unknown: {reason}", False
    rough = round(plan.n_chars / chars_per_token)
    return rough, f"ROUGH: {plan.n_chars:,} characters, {chars_per_token:g} a token assumed", True


def _prompts(plan: Plan) -> Iterator[str]:
    for group in plan.groups():
        for request in group:
            if request.replicate == 0:
                yield "\n".join(filter(None, (request.system, request.prompt)))


def _tokenizer(backend: Backend) -> tuple[Callable[[Sequence[str]], list[list[int]]] | None, str]:
    """Return what encodes texts, if it is on this machine, else why not. Nothing is downloaded."""
    if backend.adapter != LOCAL:
        return None, "the service does not publish its tokenizer here"
    if find_spec(LOCAL) is None:
        return None, "transformers is not installed"
    import transformers  # noqa: PLC0415 -- heavy

    try:
        loaded = transformers.AutoTokenizer.from_pretrained(backend.model, local_files_only=True)
    except (OSError, ValueError, ImportError, KeyError) as error:
        return None, f"the tokenizer of {backend.model or 'the model'} is not on this machine ({type(error).__name__})"
    return (lambda texts: loaded(list(texts))["input_ids"]), ""
