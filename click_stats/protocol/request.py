"""One trial to be answered: what a protocol asks, and what an adapter is handed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Key(NamedTuple):
    """What makes a trial one and only one within a run folder, apart from model and condition."""

    item: str
    wording: str
    rotation: int
    replicate: int


@dataclass(frozen=True)
class Request:
    """One trial to be answered.

    Attributes
    ----------
    item, wording, rotation, replicate
        The trial's key.
    n_options
        Number of options of the item.
    labels
        Labels in displayed order, e.g. ``("A", "B", "C", "D")``.
    prompt
        Text to send; None for adapters that need no texts.
    shown
        Option texts in displayed order; empty without texts.
    system
        System prompt; empty when there is none.
    chat_template
        Whether a local model is to see the prompt through its chat template. Chat APIs apply theirs always.
    """

    item: str
    wording: str
    rotation: int
    replicate: int
    n_options: int
    labels: tuple[str, ...]
    prompt: str | None = None
    shown: tuple[str, ...] = ()
    system: str = ""
    chat_template: bool = False

    @property
    def key(self) -> Key:
        """The trial's key."""
        return Key(self.item, self.wording, self.rotation, self.replicate)
