"""One pass through a model: only what its ``forward`` names is sent, and logits are taken where they are needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from click_stats.adapters.hf.load import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.load import Loaded

MOST_LOGITS = 2**28
"""Logits held at the same time (1 GiB in single precision); a pass that needs more is split."""


def logits(
    loaded: Loaded,
    ids: Sequence[Sequence[int]],
    rows: Sequence[int],
    *,
    mask: Any = None,
    positions: Sequence[int] | None = None,
    cache: Any = None,
) -> Any:
    """Return the logits after some positions.

    Parameters
    ----------
    ids
        Token ids, sequences of one length.
    rows
        Positions after which logits are wanted, the same in all sequences.
    mask
        Attention mask as the model takes it; none for sequences without padding.
    positions
        Position of each token; None for 0, 1, 2, ... or what the cache says.
    cache
        Keys and values of what was read before; it takes up what is read now.

    Returns
    -------
    torch.Tensor
        Of shape (sequences, rows, vocabulary), in single precision.
    """
    torch = need("torch")
    sent: dict[str, Any] = {"input_ids": torch.tensor(ids, device=loaded.device)}
    if mask is not None:
        sent["attention_mask"] = mask
    if positions is not None:
        sent["position_ids"] = torch.tensor([positions], device=loaded.device)
    if "use_cache" in loaded.accepted:
        sent["use_cache"] = cache is not None
    if cache is not None:
        sent["cache" if "cache" in loaded.accepted else "past_key_values"] = cache
    index = torch.tensor(rows, device=loaded.device)
    keep = "logits_to_keep" in loaded.accepted
    if keep:
        sent["logits_to_keep"] = index
    found = loaded.model(**sent).logits
    return (found if keep else found[:, index]).float()


def log_probabilities(rows: Any, index: Sequence[int], tokens: Sequence[int]) -> list[float]:
    """Return the log-probability of each token by the row of logits that predicts it.

    Parameters
    ----------
    rows
        Logits, of shape (rows, vocabulary).
    index, tokens
        Row and token, one pair for each result.
    """
    torch = need("torch")
    where = torch.tensor(index, device=rows.device)
    which = torch.tensor(tokens, device=rows.device)
    found: list[float] = (rows[where, which] - rows.logsumexp(dim=-1)[where]).tolist()
    return found


def take(found: dict[tuple[int, int], float], rows: Any, wanted: Sequence[tuple[int, Sequence[int]]]) -> None:
    """Note the log-probabilities of the tokens wanted after some nodes of a trie.

    Parameters
    ----------
    found
        Log-probability by node and token; it is added to.
    rows
        Logits after the nodes, of shape (nodes, vocabulary).
    wanted
        Each node with the tokens wanted after it.
    """
    pairs = [(at, node, token) for at, (node, tokens) in enumerate(wanted) for token in tokens]
    if pairs:
        values = log_probabilities(rows, [at for at, _, _ in pairs], [token for _, _, token in pairs])
        found.update(zip([(node, token) for _, node, token in pairs], values, strict=True))


def sums(targets: Sequence[Sequence[tuple[int, int]]], found: Sequence[float]) -> list[float]:
    """Return the sum for each string of what was found for its targets, one after the other."""
    values = iter(found)
    return [math.fsum(next(values) for _ in string) for string in targets]
