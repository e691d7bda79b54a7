"""Method ``reference``: every string of every option is read by itself. Slow, and right by construction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click_stats.adapters.hf.forward import log_probabilities, logits, sums
from click_stats.adapters.hf.load import need

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.adapters.hf.load import Loaded
    from click_stats.adapters.hf.strings import Scored


def score(loaded: Loaded, strings: Sequence[Scored], batch_size: int = 1) -> list[float]:
    """Return the sum of the log-probabilities of each string's end.

    Strings of about the same length are read together, padded on the right behind an explicit mask. Padding stands
    after what is scored, so that its token does not matter: any id will do, and no padding token is needed.
    """
    order = sorted(range(len(strings)), key=lambda index: len(strings[index].ids))
    found: dict[int, float] = {}
    for first in range(0, len(order), batch_size):
        batch = order[first : first + batch_size]
        found.update(zip(batch, _together(loaded, [strings[index] for index in batch]), strict=True))
    return [found[index] for index in range(len(strings))]


def _together(loaded: Loaded, strings: Sequence[Scored]) -> list[float]:
    read = [string.ids[:-1] for string in strings]
    width = max(map(len, read))
    mask = None
    if min(map(len, read)) < width:
        torch = need("torch")
        mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in read], device=loaded.device)
    padded = [[*ids, *[0] * (width - len(ids))] for ids in read]
    # The token at index i is predicted by the logits after index i - 1.
    rows = sorted({index - 1 for string in strings for index in range(string.start, len(string.ids))})
    place = {row: at for at, row in enumerate(rows)}
    table = logits(loaded, padded, rows, mask=mask)
    totals = []
    for string, own in zip(strings, table, strict=True):
        targets = [(place[index - 1], string.ids[index]) for index in range(string.start, len(string.ids))]
        totals += sums([targets], log_probabilities(own, *zip(*targets, strict=True)))
    return totals
