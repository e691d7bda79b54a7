"""From trials to complete arrays: the items that were asked in every wording, position and replicate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import Counts, FloatArray, IntArray

ITEM, WORDING, POSITION, MODEL = "item", "wording", "position", "model"
ENOUGH = 0.8
"""Share of a model's items that must be complete for the balanced method; with fewer, all answers go to REML."""
NO_ANSWERS = "no answers"
ONE_ANSWER = "one answer per item: the spread of items cannot be told from that of answers"
FEW_ITEMS = "fewer than 2 items"


@dataclass(frozen=True)
class Layout:
    """The answers of one unit to items of one number of options.

    Attributes
    ----------
    items
        (n,) row numbers of the items in the counts.
    wordings
        Names of the wordings.
    n_options, n_rotations, n_replicates
        Options of an item; rotations shown of an item (most); answers to a prompt (the usual number).
    right, asked
        (n, W, N) correct answers and answers, by displayed position of the gold.
    complete
        (n,) whether an item has the usual number of answers in every cell of the design.
    rows
        The answers, one row each, ``item`` counted within ``items``.
    """

    items: IntArray
    wordings: tuple[str, ...]
    n_options: int
    n_rotations: int
    n_replicates: int
    right: FloatArray
    asked: FloatArray
    complete: np.ndarray
    rows: pd.DataFrame

    @property
    def one_order(self) -> bool:
        """Whether each item was shown in a single order: position is then confounded with item."""
        return self.n_rotations == 1

    @property
    def full(self) -> bool:
        """Whether an item's complete design has all its rotations."""
        return self.n_rotations == self.n_options

    @property
    def balanced(self) -> bool:
        """Whether enough items are complete, in a design that has all rotations or a single one."""
        return (self.full or self.one_order) and bool(self.complete.mean() >= ENOUGH) and self.complete.sum() > 1

    def cells(self) -> tuple[FloatArray, tuple[str, ...], FloatArray]:
        """Return of the complete items the means of cells, the facets of the axes, and sums of squares within."""
        right, asked = self.right[self.complete], self.asked[self.complete]
        if self.one_order:
            right, asked = right.sum(axis=2, keepdims=True), asked.sum(axis=2, keepdims=True)
        means = right / asked
        within: FloatArray = (right * (1 - means)).sum(axis=(1, 2))
        names = [ITEM, WORDING, POSITION]
        kept = [axis for axis in range(3) if axis == 0 or means.shape[axis] > 1]
        shape = tuple(means.shape[axis] for axis in kept)
        return means.reshape(shape), tuple(names[axis] for axis in kept), within


def layouts(counts: Counts, frame: pd.DataFrame) -> dict[int, Layout]:
    """Return the layout of one unit's responses for each number of options it was asked."""
    options = counts.items["n_options"].to_numpy(dtype=np.int64)
    of_rows = options[frame["item"].to_numpy()]
    return {int(n): _layout(frame[of_rows == n], int(n)) for n in np.unique(of_rows)}


def _layout(rows: pd.DataFrame, n_options: int) -> Layout:
    items, item = np.unique(rows["item"].to_numpy(dtype=np.int64), return_inverse=True)
    names, wording = np.unique(rows["wording"].to_numpy(dtype=str), return_inverse=True)
    position = rows["gold_position"].to_numpy(dtype=np.int64)
    shape = (len(items), len(names), n_options)
    cell = np.ravel_multi_index((item, wording, position), shape)
    asked = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    correct = rows["correct"].to_numpy(dtype=np.float64)
    right = np.bincount(cell, correct, minlength=int(np.prod(shape))).reshape(shape).astype(np.float64)
    n_rotations = int((asked.sum(axis=1) > 0).sum(axis=1).max())
    usual = int(np.bincount(asked[asked > 0].astype(np.int64)).argmax())
    per_wording = (asked.sum(axis=2) == usual).all(axis=1)
    complete = per_wording if n_rotations == 1 else (asked == usual).all(axis=(1, 2))
    return Layout(
        items, tuple(map(str, names)), n_options, n_rotations, usual, right, asked, complete, rows.assign(item=item)
    )
