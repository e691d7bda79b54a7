"""From a request to the text that a model reads, and to its token ids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from click_stats.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.protocol.request import Request


@dataclass(frozen=True)
class Rendered:
    """A prompt as the model reads it.

    Attributes
    ----------
    text
        The prompt, through the chat template where one is used.
    joint
        What stands between the prompt and an answer: a space, or nothing after a template that ends in whitespace or
        a special token. One rule per style of prompt, the same for all options.
    raw
        Whether no template was used: then the tokenizer's own opening tokens belong before it.
    note
        A remark for the trial.
    """

    text: str
    joint: str
    raw: bool
    note: str = ""


class Texts:
    """Renders and encodes with one tokenizer.

    Parameters
    ----------
    tokenizer
        Of the model.
    n_vocab
        Rows of the model's embedding.
    template
        Settings handed to the chat template.
    """

    def __init__(self, tokenizer: Any, n_vocab: int, template: Mapping[str, Any] | None = None) -> None:
        self.tokenizer = tokenizer
        self.n_vocab = n_vocab
        self.template = dict(template or {})
        self.opening = _opening(tokenizer)

    def render(self, request: Request) -> Rendered:
        """Return the prompt of a request.

        Raises
        ------
        UsageError
            The request has no prompt, or is to go through a chat template and the tokenizer has none.
        """
        if request.prompt is None:
            raise UsageError(
                "The local model needs prompts, and the plan has no texts.", do="Give the items with --items."
            )
        if not request.chat_template:
            return Rendered("\n\n".join(filter(None, (request.system, request.prompt))), " ", raw=True)
        if not self.tokenizer.chat_template:
            raise UsageError(
                "The protocol asks for the chat template, and the model's tokenizer has none.",
                do="Set chat_template = false in the protocol, or take a model that was tuned for chats.",
            )
        user = {"role": "user", "content": request.prompt}
        note = ""
        if not request.system:
            text = self._apply([user])
        else:
            try:
                text = self._apply([{"role": "system", "content": request.system}, user])
            except Exception as error:  # noqa: BLE001 -- a template is a program of its author and raises what it likes
                text = self._apply([{"role": "user", "content": f"{request.system}\n\n{request.prompt}"}])
                note = f"the system prompt stands in the user's turn: {' '.join(str(error).split())}"
        special = tuple(filter(None, self.tokenizer.all_special_tokens))
        return Rendered(text, "" if text[-1:].isspace() or text.endswith(special) else " ", raw=False, note=note)

    def _apply(self, messages: list[dict[str, str]]) -> str:
        return str(
            self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, **self.template)
        )

    def encode(self, texts: Sequence[str], *, raw: bool) -> list[list[int]]:
        """Return the token ids of whole texts, each with exactly one opening.

        A rendered template brings its opening with it; before a raw prompt the tokenizer's own is put. Closing tokens
        are never added: the text goes on.

        Raises
        ------
        DataError
            The tokenizer is not the model's: it has ids beyond the embedding.
        """
        encoded = self.tokenizer(
            list(texts),
            add_special_tokens=False,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )["input_ids"]
        found = [self._opened(list(ids), raw=raw) for ids in encoded]
        top = max((max(ids, default=0) for ids in found), default=0)
        if top >= self.n_vocab:
            raise DataError(
                "The tokenizer does not belong to the model.",
                found=f"token id {top}, and the model knows ids below {self.n_vocab}",
                do="Get tokenizer and weights from the same place.",
            )
        return found

    def _opened(self, ids: list[int], *, raw: bool) -> list[int]:
        n = len(self.opening)
        return [*self.opening, *ids] if raw and tuple(ids[:n]) != self.opening else ids


def _opening(tokenizer: Any) -> tuple[int, ...]:
    """Return what the tokenizer puts before a text by itself, e.g. its beginning token."""
    bare = tokenizer("가", add_special_tokens=False)["input_ids"]
    full = tokenizer("가")["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start])
    return ()
