"""Exact tests that permute a fact of models only among models that could have had it."""

from __future__ import annotations

from itertools import permutations
from math import factorial, prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

MOST = 50_000
"""Arrangements that are enumerated; beyond it that many are drawn."""


class Permuted(NamedTuple):
    """A permutation test.

    Attributes
    ----------
    estimate
        Slope within blocks.
    p_value, p_least
        Two-sided share of arrangements with a slope at least as large, and the smallest such share that any
        arrangement attains. NaN when nothing can be permuted.
    n_arrangements
        Arrangements used.
    exact
        All of them.
    """

    estimate: float
    p_value: float
    p_least: float
    n_arrangements: int
    exact: bool


def within_blocks(levels: FloatArray, x: FloatArray, blocks: Sequence[str], *, seed: int = 0) -> Permuted:
    """Permute ``x`` within blocks; the statistic is the pooled slope of the levels by ``x`` within blocks.

    Exact under exchangeability within blocks (Edgington and Onghena 2007, chapter 5). The pooled slope's denominator
    does not change under such permutations, so the cross product decides.

    Parameters
    ----------
    levels, x
        (models,) levels in logits, and the fact (number or 0/1).
    blocks
        (models,) block of each model.
    """
    groups = [np.flatnonzero(np.asarray(blocks) == block) for block in dict.fromkeys(blocks)]
    groups = [group for group in groups if len(set(x[group])) > 1]
    if not groups:
        return Permuted(np.nan, np.nan, np.nan, 0, True)
    y = np.concatenate([levels[group] - levels[group].mean() for group in groups])
    parts = [x[group] - x[group].mean() for group in groups]
    flat = np.concatenate(parts)
    total = prod(factorial(len(part)) for part in parts)
    if total <= MOST:
        sums = np.zeros(1)
        start = 0
        for part in parts:
            own = np.array([y[start : start + len(part)] @ np.array(order) for order in permutations(part)])
            sums = (sums[:, None] + own[None, :]).ravel()
            start += len(part)
    else:
        rng = np.random.default_rng(seed)
        sums = np.zeros(MOST)
        start = 0
        for part in parts:
            shuffled = rng.permuted(np.broadcast_to(part, (MOST, len(part))), axis=1)
            sums += shuffled @ y[start : start + len(part)]
            start += len(part)
        sums[0] = y @ flat  # the arrangement seen counts among those drawn
    size = np.abs(sums)
    close = 1e-9 * max(1.0, float(size.max()))
    seen = abs(float(y @ flat))
    return Permuted(
        estimate=float(y @ flat) / float(flat @ flat),
        p_value=float((size >= seen - close).mean()),
        p_least=float((size >= size.max() - close).mean()),
        n_arrangements=len(sums),
        exact=total <= MOST,
    )
