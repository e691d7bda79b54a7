"""Method ``packed``: all strings in one pass, as a trie whose mask lets each token see its own beginnings only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.adapters.hf import trie as tries
from click_stats.adapters.hf.forward import MOST_LOGITS, log_probabilities, logits, sums
from click_stats.adapters.hf.load import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.strings import Scored
    from click_stats.adapters.hf.trie import Trie

MOST_TOKENS = 8192
"""Tokens in one pass: the mask grows with their square (256 MiB here in single precision)."""
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
    trie = tries.build(strings)
    rows = trie.rows
    if len(strings) > 1 and (len(trie) > MOST_TOKENS or len(rows) * loaded.n_vocab > MOST_LOGITS):
        half = len(strings) // 2
        return score(loaded, strings[:half]) + score(loaded, strings[half:])
    place = {row: at for at, row in enumerate(rows)}
    table = logits(loaded, [trie.tokens], rows, mask=_mask(loaded, trie), positions=trie.depths)
    pairs = [(place[node], token) for string in trie.targets for node, token in string]
    return sums(trie.targets, log_probabilities(table[0], *zip(*pairs, strict=True)))


def ancestors(trie: Trie) -> Any:
    """Return for each node which nodes stand at or before it in its string, of shape (nodes, nodes)."""
    seen = np.eye(len(trie), dtype=bool)
    for node, parent in enumerate(trie.parents):
        if parent >= 0:
            seen[node] |= seen[parent]
    return seen


def _mask(loaded: Loaded, trie: Trie) -> Any:
    """Return the mask in the form that all implementations of attention add to their weights."""
    torch = need("torch")
    hidden = torch.from_numpy(~ancestors(trie)).to(loaded.device)
    dtype = loaded.model.dtype
    mask = torch.zeros(hidden.shape, dtype=dtype, device=loaded.device)
    return mask.masked_fill_(hidden, torch.finfo(dtype).min)[None, None]
