"""Method ``packed``: all strings in one pass, as a trie whose mask lets each token see its own beginning only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.adapters.hf import cache
from click_stats.adapters.hf import trie as tries
from click_stats.adapters.hf.forward import MOST_LOGITS, logits, sums, take
from click_stats.adapters.hf.load import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.strings import Scored
    from click_stats.adapters.hf.trie import Trie

MOST_TOKENS = {"cpu": 512, "accelerator": 4096}
"""Tokens in one masked pass. On a CPU attention to what is hidden costs as much as to what is seen; an accelerator
hardly notices it, and is slow to begin a pass instead."""
ALIBI = ("bloom", "mpt")
WINDOWS = ("sliding_window", "attention_chunk_size")
WINDOWED = ("sliding_attention", "chunked_attention")


def refusal(loaded: Loaded) -> str:
    """Return why a model cannot be scored so, empty if nothing is known against it."""
    config = loaded.model.config.get_text_config()
    if getattr(loaded.model, "_is_stateful", False):
        return "the model reads its tokens in a row (state-space or linear attention)"
    if getattr(config, "alibi", False) or getattr(config, "model_type", "") in ALIBI:
        return "the model weighs distances by the place in the row (ALiBi)"
    if not {"position_ids", "attention_mask"} <= loaded.accepted:
        return "the model takes no positions"
    if "flash" in str(getattr(config, "_attn_implementation", "")):
        return "flash attention takes no mask of our own"
    return ""


def longest(loaded: Loaded) -> int | None:
    """Return how many tokens a string may have: within it, layers that look at a window see everything; None: any.

    A ready mask is taken as it stands, so that a window would be missing without a word.
    """
    config = loaded.model.config.get_text_config()
    windows = [value for value in (getattr(config, name, None) for name in WINDOWS) if isinstance(value, int)]
    kinds = getattr(config, "layer_types", None)
    if kinds is not None and not set(kinds) & set(WINDOWED):
        return None
    return min(windows) if windows else None


def score(loaded: Loaded, strings: Sequence[Scored]) -> list[float]:
    """Return the sum of the log-probabilities of each string's end."""
    passes = _Passes(loaded, tries.build(strings))
    passes.read(passes.children[-1])
    return sums(passes.trie.targets, [passes.found[target] for string in passes.trie.targets for target in string])


def ancestors(parents: Sequence[int]) -> Any:
    """Return for each node which nodes stand at or before it in its string, of shape (nodes, nodes).

    Parents outside of the nodes are negative.
    """
    seen = np.eye(len(parents), dtype=bool)
    for node, parent in enumerate(parents):
        if parent >= 0:
            seen[node] |= seen[parent]
    return seen


class _Passes:
    """The passes over a trie: one, or where it is large its trunk first, and then branches on the trunk's cache.

    A mask makes attention pay for all pairs of tokens, also for those that do not see each other: branches read by
    themselves are cheaper than one large pass once they are longer than a pass is slow to begin with.
    """

    def __init__(self, loaded: Loaded, trie: Trie) -> None:
        self.loaded = loaded
        self.trie = trie
        self.children = trie.children()
        self.wanted = trie.wanted()
        self.found: dict[tuple[int, int], float] = {}
        self.tokens = [1] * len(trie)
        self.rows = [int(node in self.wanted) for node in range(len(trie))]
        for node in range(len(trie) - 1, -1, -1):  # children come after their parents
            if trie.parents[node] >= 0:
                self.tokens[trie.parents[node]] += self.tokens[node]
                self.rows[trie.parents[node]] += self.rows[node]
        self.most = MOST_TOKENS["cpu" if loaded.device == "cpu" else "accelerator"]
        self.most_rows = max(MOST_LOGITS // loaded.n_vocab, 1)
        small = len(trie) <= self.most and len(self.wanted) <= self.most_rows
        self.cache: Any = None if small or cache.refusal(loaded) else need("transformers").DynamicCache()

    def read(self, roots: Sequence[int], before: int = 0) -> None:
        """Read branches that stand on ``before`` tokens in the cache, as many in one pass as are small together."""
        batch: list[int] = []
        for root in roots:
            if self.cache is not None and not self._fits([root]):
                self._large(root, before)
                continue
            if batch and self.cache is not None and not self._fits([*batch, root]):
                self._together(batch, before)
                batch = []
            batch.append(root)
        if batch:
            self._together(batch, before)

    def _fits(self, roots: Sequence[int]) -> bool:
        tokens, rows = sum(self.tokens[root] for root in roots), sum(self.rows[root] for root in roots)
        return tokens <= self.most and rows <= self.most_rows

    def _large(self, root: int, before: int) -> None:
        """Read a branch up to where it parts, then its own branches."""
        stretch = [root]
        while len(self.children[stretch[-1]]) == 1 and len(stretch) < self.most:
            stretch.append(self.children[stretch[-1]][0])
        self._pass(stretch, None, None)
        self.read(self.children[stretch[-1]], before + len(stretch))
        self.cache.crop(-len(stretch))

    def _together(self, roots: Sequence[int], before: int) -> None:
        nodes = self._below(roots)
        place = {node: at for at, node in enumerate(nodes)}
        seen = ancestors([place.get(self.trie.parents[node], -1) for node in nodes])
        hidden = np.concatenate([np.zeros((len(nodes), before), dtype=bool), ~seen], axis=1)
        self._pass(nodes, _additive(self.loaded, hidden), [self.trie.depths[node] for node in nodes])
        if self.cache is not None:
            self.cache.crop(-len(nodes))

    def _below(self, roots: Sequence[int]) -> list[int]:
        nodes, stack = [], list(roots)
        while stack:
            nodes.append(stack.pop())
            stack += self.children[nodes[-1]]
        return sorted(nodes)

    def _pass(self, nodes: Sequence[int], mask: Any, positions: Sequence[int] | None) -> None:
        rows = [at for at, node in enumerate(nodes) if node in self.wanted]
        # The logits after the last token come along where none are wanted: models do not take an empty choice.
        table = logits(
            self.loaded,
            [[self.trie.tokens[node] for node in nodes]],
            rows or [-1],
            mask=mask,
            positions=positions,
            cache=self.cache,
        )
        take(self.found, table[0], [(nodes[at], self.wanted[nodes[at]]) for at in rows])


def _additive(loaded: Loaded, hidden: Any) -> Any:
    """Return the mask in the form that all implementations of attention add to their weights."""
    torch = need("torch")
    dtype = loaded.model.dtype
    mask = torch.zeros(hidden.shape, dtype=dtype, device=loaded.device)
    return mask.masked_fill_(torch.from_numpy(hidden).to(loaded.device), torch.finfo(dtype).min)[None, None]
