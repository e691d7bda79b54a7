"""Cross-products of random and fixed effects, with the levels that nest in one facet held as small blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray


@dataclass(frozen=True)
class Bucket:
    """Blocks of about the same size: B blocks of m places, places without a level being empty.

    Attributes
    ----------
    gram
        (B, m, m) Z_i'Z_i of the block's levels.
    cross
        (B, m, outer levels + columns) Z_i'[Z_o W].
    term
        (B, m) term of each place; the number of terms where the place is empty.
    level
        (B, m) level of each place within its term; -1 where empty.
    """

    gram: FloatArray
    cross: FloatArray
    term: IntArray
    level: IntArray


@dataclass(frozen=True)
class Products:
    """All cross-products that the likelihood of a linear mixed model needs.

    Attributes
    ----------
    n_rows, n_columns
        Rows; columns of ``W``.
    n_levels
        (terms,) levels of each term.
    buckets
        The inner levels: those that nest in one facet (items, with items crossed with wordings).
    outer_term, outer_level
        (outer levels,) which term and level each one is.
    outer
        (outer + columns, outer + columns) cross-products of outer levels and the columns of ``W``.
    """

    n_rows: int
    n_columns: int
    n_levels: IntArray
    buckets: tuple[Bucket, ...]
    outer_term: IntArray
    outer_level: IntArray
    outer: FloatArray


def build(codes: Sequence[IntArray], columns: FloatArray) -> Products:
    """Return the cross-products.

    Parameters
    ----------
    codes
        (rows,) for each term, levels 0, 1, ... all of which occur.
    columns
        (rows, columns) fixed effects and responses, ``W``.
    """
    n_levels = np.array([int(code.max()) + 1 for code in codes], dtype=np.int64)
    parent, inner = _choose(codes, n_levels)
    outer = [k for k in range(len(codes)) if k not in inner]
    start = np.concatenate([[0], np.cumsum(n_levels[outer])]).astype(np.int64)
    rows = len(columns)
    ones, index = np.ones(rows), np.arange(rows)
    parts = [sparse.csr_array((ones, (index, codes[k])), shape=(rows, int(n_levels[k]))) for k in outer]
    whole = sparse.csr_array(sparse.hstack([*parts, sparse.csr_array(columns)]))
    return Products(
        n_rows=rows,
        n_columns=columns.shape[1],
        n_levels=n_levels,
        buckets=_buckets(codes, n_levels, parent, inner, outer, start, columns) if inner else (),
        outer_term=np.repeat(np.array(outer, dtype=np.int64), n_levels[outer]),
        outer_level=np.concatenate([np.arange(0), *(np.arange(n_levels[k]) for k in outer)]).astype(np.int64),
        outer=np.asarray((whole.T @ whole).toarray(), dtype=np.float64),
    )


def _choose(codes: Sequence[IntArray], n_levels: IntArray) -> tuple[IntArray, list[int]]:
    """Return the facet (a code for each row) in which other terms nest, and these, so that elimination is cheap."""
    best = float(n_levels.sum()) ** 3
    parent, inner = np.zeros(0, dtype=np.int64), list[int]()
    for facet in range(len(codes)):
        inside = [k for k in range(len(codes)) if _nested(codes[k], codes[facet], int(n_levels[k]))]
        size = np.zeros(n_levels[facet])
        for k in inside:
            size += np.bincount(_parents(codes[k], codes[facet], int(n_levels[k])), minlength=len(size))
        left = float(n_levels.sum() - n_levels[inside].sum())
        cost = float((size * (size + left) ** 2).sum()) + left**3
        if cost < best:
            best, parent, inner = cost, codes[facet], inside
    return parent, inner


def _nested(code: IntArray, facet: IntArray, n_levels: int) -> bool:
    return len(np.unique(code * (int(facet.max()) + 1) + facet)) == n_levels


def _parents(code: IntArray, facet: IntArray, n_levels: int) -> IntArray:
    found = np.zeros(n_levels, dtype=np.int64)
    found[code] = facet
    return found


def _buckets(
    codes: Sequence[IntArray],
    n_levels: IntArray,
    parent: IntArray,
    inner: list[int],
    outer: list[int],
    start: IntArray,
    columns: FloatArray,
) -> tuple[Bucket, ...]:
    n_blocks = int(parent.max()) + 1
    size = np.zeros(n_blocks, dtype=np.int64)
    places = {}
    for k in inner:
        above = _parents(codes[k], parent, int(n_levels[k]))
        order = np.argsort(above, kind="stable")
        count = np.bincount(above, minlength=n_blocks)
        rank = np.empty(len(above), dtype=np.int64)
        rank[order] = np.arange(len(above)) - np.repeat(np.cumsum(count) - count, count)
        places[k] = (above, size[above] + rank)
        size += count
    width = _rounded(size)
    found = []
    for m in np.unique(width).tolist():
        blocks = np.flatnonzero(width == m)
        position = np.full(n_blocks, -1, dtype=np.int64)
        position[blocks] = np.arange(len(blocks))
        here = np.flatnonzero(position[parent] >= 0)
        block = position[parent[here]]
        term = np.full((len(blocks), m), len(codes), dtype=np.int64)
        level = np.full((len(blocks), m), -1, dtype=np.int64)
        for k, (above, place) in places.items():
            chosen = np.flatnonzero(position[above] >= 0)
            term[position[above[chosen]], place[chosen]] = k
            level[position[above[chosen]], place[chosen]] = chosen
        slot = {k: block * m + place[codes[k][here]] for k, (_, place) in places.items()}
        gram = np.zeros(len(blocks) * m * m)
        wide = int(start[-1]) + columns.shape[1]
        cross = np.zeros((len(blocks) * m, wide))
        for one in inner:
            for two in inner:
                gram += np.bincount(slot[one] * m + slot[two] % m, minlength=len(gram))
            for first, k in zip(start[:-1].tolist(), outer, strict=True):
                np.add.at(cross, (slot[one], first + codes[k][here]), 1.0)
            for column in range(columns.shape[1]):
                cross[:, int(start[-1]) + column] += np.bincount(slot[one], columns[here, column], minlength=len(cross))
        found.append(Bucket(gram.reshape(len(blocks), m, m), cross.reshape(len(blocks), m, wide), term, level))
    return tuple(found)


def _rounded(size: IntArray) -> IntArray:
    """Return sizes rounded up, at most by a third, so that blocks of few sizes are treated together."""
    step = 2 ** np.maximum(0, np.floor(np.log2(np.maximum(size, 1))).astype(np.int64) - 2)
    return np.asarray(-(-size // step) * step, dtype=np.int64)
