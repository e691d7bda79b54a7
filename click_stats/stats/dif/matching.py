"""The score that models are matched on: items that work alike in both groups, and the studied item itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.dif.mantel_haenszel import MantelHaenszel, ets_class, mantel_haenszel

if TYPE_CHECKING:
    from click_stats.counts import BoolArray, FloatArray, IntArray

ROUNDS = 10
"""Purification ends when the anchor repeats, and after so many rounds at the latest."""
PER_STRATUM = 10
"""Models that a stratum holds on average where there are not enough for one stratum a score."""


def matching_score(y: FloatArray, anchor: BoolArray) -> FloatArray:
    """Return (U, I) the share of anchor items right, with the studied item among them (Holland and Thayer 1988).

    Items that a unit did not answer do not count for it.
    """
    there = np.isfinite(y)
    score = np.where(there, y, 0.0)
    right, n = (values[:, anchor].sum(axis=1, keepdims=True) for values in (score, there.astype(np.float64)))
    outside = ~anchor[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((right + score * outside) / (n + there * outside), dtype=np.float64)


def strata_of(score: FloatArray) -> IntArray:
    """Return (U,) strata of a score: one for each value where that leaves enough models, else quantiles of it."""
    distinct, codes = np.unique(score, return_inverse=True)
    room = max(2, len(score) // PER_STRATUM)
    if len(distinct) <= room:
        return codes.astype(np.int64)
    edges = np.quantile(score, np.linspace(0, 1, room + 1)[1:-1])
    _, codes = np.unique(np.searchsorted(edges, score, side="right"), return_inverse=True)
    return codes.astype(np.int64)


def matched(y: FloatArray, focal: FloatArray, anchor: BoolArray) -> MantelHaenszel:
    """Return Mantel-Haenszel statistics of each item on its own matching score.

    Items of the anchor share one score, and so one set of strata; each of the others has its own.
    """
    score = matching_score(y, anchor)
    parts = [(np.flatnonzero(anchor), strata_of(_common(y, anchor)))]
    parts += [(np.array([item]), strata_of(score[:, item])) for item in np.flatnonzero(~anchor)]
    found = [(items, mantel_haenszel(y[:, items], focal, strata)) for items, strata in parts if len(items)]
    order = np.argsort(np.concatenate([items for items, _ in found]), kind="stable")
    return MantelHaenszel(*(np.concatenate(fields)[order] for fields in zip(*(one for _, one in found), strict=True)))


def purified(y: FloatArray, focal: FloatArray) -> tuple[BoolArray, int]:
    """Return the anchor, without the items that are of class B or C on it, and the rounds it took.

    Notes
    -----
    Iterative purification (Candell and Drasgow 1988): items that work differently leave the score, all are tested again
    on what is left, until the same items leave.
    """
    anchor = np.ones(y.shape[1], dtype=bool)
    for done in range(ROUNDS):
        now = np.array([one in {"A", ""} for one in ets_class(matched(y, focal, anchor))])
        if now.sum() < 2 or (now == anchor).all():
            return anchor, done
        anchor = now
    return anchor, ROUNDS


def _common(y: FloatArray, anchor: BoolArray) -> FloatArray:
    there = np.isfinite(y[:, anchor])
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(there, y[:, anchor], 0.0).sum(axis=1) / there.sum(axis=1), dtype=np.float64)
