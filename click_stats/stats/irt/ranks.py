"""Ranks of items by difficulty, and how far the data leave them open."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


class Ranks(NamedTuple):
    """Rank of each item, 1 the hardest, and the central interval of its rank; NaN where not ranked."""

    rank: FloatArray
    low: FloatArray
    high: FloatArray


def ranks(center: FloatArray, drawn: FloatArray | None, ranked: np.ndarray, level: float) -> Ranks:
    """Return ranks by ``center`` (I,) among the ``ranked`` items, with intervals over ``drawn`` (D, I) values."""
    out = Ranks(*(np.full(center.size, np.nan) for _ in range(3)))
    places = np.flatnonzero(ranked)
    if places.size == 0:
        return out
    out.rank[places] = _place(center[places][None])[0]
    if drawn is not None:
        each = _place(drawn[:, places])
        tail = 0.5 * (1.0 - level)
        out.low[places], out.high[places] = np.quantile(each, (tail, 1.0 - tail), axis=0, method="inverted_cdf")
    return out


def _place(values: FloatArray) -> FloatArray:
    order = np.argsort(-values, axis=1, kind="stable")
    place = np.empty(values.shape)
    np.put_along_axis(place, order, np.broadcast_to(np.arange(1.0, values.shape[1] + 1), values.shape), axis=1)
    return place
