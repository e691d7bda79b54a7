"""Method ``cache``: what strings share at their beginning is read once, and its keys and values are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click_stats.adapters.hf import trie as tries
from click_stats.adapters.hf.forward import logits, sums, take
from click_stats.adapters.hf.load import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.strings import Scored
    from click_stats.adapters.hf.trie import Trie


def refusal(loaded: Loaded) -> str:
    """Return why a model cannot be scored so, empty if nothing speaks against it."""
    if getattr(loaded.model, "_is_stateful", False):
        return "the model carries a state that cannot be taken back"
    if not loaded.accepted & {"cache", "past_key_values"}:
        return "the model takes no cache"
    return ""


def score(loaded: Loaded, strings: Sequence[Scored]) -> list[float]:
    """Return the sum of the log-probabilities of each string's end."""
    walk = _Walk(loaded, tries.build(strings))
    for node in walk.children[-1]:
        walk.read(node)
    return sums(walk.trie.targets, [walk.found[target] for string in walk.trie.targets for target in string])


class _Walk:
    """A walk over a trie, depth first: a stretch without branches is one pass, and is taken back on the way up."""

    def __init__(self, loaded: Loaded, trie: Trie) -> None:
        self.loaded = loaded
        self.trie = trie
        self.children = trie.children()
        self.wanted = trie.wanted()
        self.found: dict[tuple[int, int], float] = {}
        # Without the model's configuration every layer keeps all it has read, also those that look at a window only:
        # their window is in the mask, and nothing is lost that is needed again after a step back.
        self.cache: Any = need("transformers").DynamicCache()

    def read(self, node: int) -> None:
        stretch = [node]
        while len(self.children[stretch[-1]]) == 1:
            stretch.append(self.children[stretch[-1]][0])
        rows = [at for at, each in enumerate(stretch) if each in self.wanted]
        # The logits after the last token come along where none are wanted: models do not take an empty choice.
        table = logits(self.loaded, [[self.trie.tokens[each] for each in stretch]], rows or [-1], cache=self.cache)
        take(self.found, table[0], [(stretch[at], self.wanted[stretch[at]]) for at in rows])
        for child in self.children[stretch[-1]]:
            self.read(child)
        self.cache.crop(-len(stretch))
