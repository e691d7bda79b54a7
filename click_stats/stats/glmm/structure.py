"""The sparsity of the random effects: cells sorted so that items, and all that belongs to them, are contiguous."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from click_stats.counts import IntArray
    from click_stats.stats.glmm.data import Grouping

MAX_BLOCKS = 32
"""Parts of the items that are treated one after the other; more parts are joined, which costs nothing but memory."""


@dataclass(frozen=True)
class Block:
    """Items that share no local effect with other items (those of one category under ``model:category``).

    The block sees the ``n_global`` effects common to all blocks first, then its own.

    Attributes
    ----------
    cells, items, passages, local
        Where the block lies among the sorted cells, items, passages and the local outer effects.
    columns
        (effects,) positions of the block's effects among all outer effects.
    codes
        (outer terms, cells) each cell's effect of each term, in the block's own numbering.
    item_index, pair_index
        Flat positions in an (items, effects) and an (effects, effects) matrix to which the cells contribute.
    """

    cells: slice
    items: slice
    passages: slice
    local: slice
    columns: IntArray
    codes: IntArray
    item_index: IntArray
    pair_index: IntArray


@dataclass(frozen=True)
class Structure:
    """Sorted cells and the groupings of the random effects.

    Attributes
    ----------
    order
        (cells,) original position of each sorted cell.
    item, passage
        (cells,) item of each sorted cell; (items,) passage of each item. Without such an effect in the model the
        item is the cell's place and each item is its own passage, with a standard deviation of 0.
    item_start, passage_start
        First cell of each item; first item of each passage.
    item_level, passage_level
        Level, in the grouping, of each sorted item and passage.
    outer
        Names of the other effects (model, model x category, family), in the order of ``outer_term``.
    outer_term, outer_level
        (outer effects,) which term and which level each one is.
    n_global
        The first of the outer effects, which are common to all blocks.
    blocks
        Parts of the items.
    """

    order: IntArray
    item: IntArray
    passage: IntArray
    item_start: IntArray
    passage_start: IntArray
    item_level: IntArray
    passage_level: IntArray
    outer: tuple[str, ...]
    outer_term: IntArray
    outer_level: IntArray
    n_global: int
    blocks: tuple[Block, ...]


def _starts(sorted_codes: IntArray) -> IntArray:
    return np.flatnonzero(np.r_[True, sorted_codes[1:] != sorted_codes[:-1]]).astype(np.int64)


def build(groups: Mapping[str, Grouping], n_cells: int) -> Structure:
    """Sort the cells and number the effects.

    Effects of a crossing (``model:category``) that concern only part of the items are local to a block. Blocks are
    the connected components of the graph of items, passages and crossing effects.
    """
    place = np.zeros(n_cells, dtype=np.int64)
    item = groups[ITEM].codes if ITEM in groups else place
    if ITEM not in groups and PASSAGE in groups:
        item = groups[PASSAGE].codes  # the item carries no effect: one place for each passage is enough
    passage = groups[PASSAGE].codes if PASSAGE in groups else item
    outer = tuple(name for name in groups if name not in {CELL, ITEM, PASSAGE})
    crossed = [name for name in outer if ":" in name]
    part = _parts(item, passage, [groups[name].codes for name in crossed])
    local = crossed if part.max() > 0 else []
    order = np.lexsort((item, passage, part)).astype(np.int64)
    item_level, item = _renumber(item[order])
    item_start = _starts(item)
    passage_level, item_passage = _renumber(passage[order][item_start])
    part = part[order]
    common = [name for name in outer if name not in local]
    n_global = sum(len(groups[name].levels) for name in common)
    terms: list[IntArray] = []
    levels: list[IntArray] = []
    places = np.zeros((len(outer), n_cells), dtype=np.int64)
    for name in common:
        row = outer.index(name)
        places[row] = groups[name].codes[order] + sum(len(one) for one in levels)
        terms.append(np.full(len(groups[name].levels), row, dtype=np.int64))
        levels.append(np.arange(len(groups[name].levels), dtype=np.int64))
    edges = np.r_[_starts(part), n_cells]
    blocks, used = [], n_global
    for first, last in itertools.pairwise(edges.tolist()):
        cells = slice(first, last)
        start = used
        for name in local:
            row = outer.index(name)
            present, codes = np.unique(groups[name].codes[order[cells]], return_inverse=True)
            places[row, cells] = codes.reshape(-1) + n_global + used - start
            terms.append(np.full(len(present), row, dtype=np.int64))
            levels.append(present.astype(np.int64))
            used += len(present)
        columns = np.r_[np.arange(n_global), np.arange(start, used)].astype(np.int64)
        items = slice(int(item[first]), int(item[last - 1]) + 1)
        codes = places[:, cells]
        width = len(columns)
        blocks.append(
            Block(
                cells=cells,
                items=items,
                passages=slice(int(item_passage[items.start]), int(item_passage[items.stop - 1]) + 1),
                local=slice(start, used),
                columns=columns,
                codes=codes,
                item_index=((item[cells] - items.start) * width + codes).reshape(-1),
                pair_index=(codes[:, None] * width + codes[None]).reshape(-1),
            )
        )
    empty = np.zeros(0, dtype=np.int64)
    return Structure(
        order=order,
        item=item,
        passage=item_passage,
        item_start=item_start,
        passage_start=_starts(item_passage),
        item_level=item_level,
        passage_level=passage_level,
        outer=outer,
        outer_term=np.concatenate([empty, *terms]),
        outer_level=np.concatenate([empty, *levels]),
        n_global=n_global,
        blocks=tuple(blocks),
    )


def _renumber(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the levels in the order in which they come, and each element's position among them."""
    starts = _starts(codes)
    levels = codes[starts]
    number = np.zeros(len(codes), dtype=np.int64)
    number[starts[1:]] = 1
    return levels, np.cumsum(number)


def _parts(item: IntArray, passage: IntArray, crossed: list[IntArray]) -> IntArray:
    """Return (cells,) the block of each cell: 0 everywhere where no crossing divides the items."""
    if not crossed:
        return np.zeros(len(item), dtype=np.int64)
    nodes, offset = [], 0
    for codes in (item, passage, *crossed):
        nodes.append(codes + offset)
        offset += int(codes.max()) + 1
    tail = np.tile(nodes[0], len(nodes) - 1)
    head = np.concatenate(nodes[1:])
    graph = sparse.coo_array((np.ones(len(tail)), (tail, head)), shape=(offset, offset))
    _, labels = csgraph.connected_components(graph, directed=False)
    _, found = np.unique(labels[nodes[0]], return_inverse=True)
    return (found.reshape(-1) % MAX_BLOCKS).astype(np.int64)
