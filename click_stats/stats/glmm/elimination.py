"""Factorising the curvature of the random effects: over-dispersion first, then items, passages, and a small dense rest.

With standardised effects u (b = Lambda u) the curvature of the penalised likelihood is H = I + Lambda Z'WZ Lambda. It
is never formed. Over-dispersion is diagonal and turns the weights w into w / (1 + tau^2 w); items are diagonal then;
passages, in which items are nested, are diagonal after the items; what is left has one row for each of the few outer
effects (models, models x categories), in blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.glmm.structure import Block, Structure


class Effects(NamedTuple):
    """A value for each random effect, or a standard deviation for each kind.

    Attributes
    ----------
    cell, item, passage, outer
        (cells,), (items,), (passages,), (outer effects,). As standard deviations the first three are numbers,
        0 where the model has no such effect.
    """

    cell: FloatArray
    item: FloatArray
    passage: FloatArray
    outer: FloatArray


class Spread(NamedTuple):
    """Conditional variances given the data and the parameters.

    Attributes
    ----------
    predictor
        (cells,) of the linear predictor.
    effects
        Diagonal of the inverse of H: of each standardised effect.
    """

    predictor: FloatArray
    effects: Effects


class Factor:
    """H at given weights, factorised.

    Parameters
    ----------
    structure
        Sorted cells.
    sd
        Standard deviations.
    weights
        (cells,) n p (1 - p), sorted.

    Attributes
    ----------
    log_determinant
        Of H.
    """

    def __init__(self, structure: Structure, sd: Effects, weights: FloatArray) -> None:
        self.structure, self.sd, self.weights = structure, sd, weights
        self.damping = 1.0 + sd.cell**2 * weights
        effective = weights / self.damping
        self.item_weight = np.add.reduceat(effective, structure.item_start)
        self.item_pivot = 1.0 + sd.item**2 * self.item_weight
        rest = np.add.reduceat(self.item_weight / self.item_pivot, structure.passage_start)
        self.passage_pivot = 1.0 + sd.passage**2 * rest
        self.item_variance = sd.item**2 / self.item_pivot
        self.passage_variance = sd.passage**2 / self.passage_pivot
        self.nested = bool(sd.passage > 0)
        self.log_determinant = float(
            np.log(self.damping).sum() + np.log(self.item_pivot).sum() + np.log(self.passage_pivot).sum()
        )
        n_global = structure.n_global
        self.common = np.eye(n_global)
        self.cross: list[FloatArray] = []
        self.cross_passage: list[FloatArray] = []
        self.local: list[tuple[FloatArray, bool]] = []
        self.carry: list[FloatArray] = []
        for block in structure.blocks:
            inner = self._reduced(block, effective[block.cells])
            scale = sd.outer[block.columns]
            inner *= scale[:, None] * scale[None]
            self.common += inner[:n_global, :n_global]
            own = np.eye(inner.shape[0] - n_global) + inner[n_global:, n_global:]
            root = cho_factor(own, lower=True, check_finite=False) if len(own) else (own, True)
            side = inner[n_global:, :n_global]
            carry = cho_solve(root, side, check_finite=False) if len(own) and n_global else side
            self.common -= side.T @ carry
            self.local.append(root)
            self.carry.append(carry)
            self.log_determinant += 2.0 * float(np.log(np.diag(root[0])).sum())
        self.root = cho_factor(self.common, lower=True, check_finite=False) if n_global else (self.common, True)
        self.log_determinant += 2.0 * float(np.log(np.diag(self.root[0])).sum())

    def _reduced(self, block: Block, effective: FloatArray) -> FloatArray:
        """Return Z'WZ of the block's outer effects with items and passages eliminated, and keep the cross-products."""
        width, n_items = len(block.columns), block.items.stop - block.items.start
        terms = len(block.codes)
        cross = _summed(block.item_index, np.tile(effective, terms), (n_items, width))
        pairs = _summed(block.pair_index, np.tile(effective, terms * terms), (width, width))
        self.cross.append(cross)
        inner: FloatArray = pairs - cross.T @ (self.item_variance[block.items, None] * cross)
        if self.nested:
            start = self._passage_start(block)
            joint = np.add.reduceat(cross / self.item_pivot[block.items, None], start, axis=0)
            self.cross_passage.append(joint)
            inner -= joint.T @ (self.passage_variance[block.passages, None] * joint)
        return inner

    def _passage_start(self, block: Block) -> np.ndarray:
        starts: np.ndarray = self.structure.passage_start[block.passages] - block.items.start
        return starts

    def solve(self, right: Effects) -> Effects:
        """Return H^-1 right, both in standardised effects."""
        structure, sd = self.structure, self.sd
        item, passage, outer = self.spread_cells(sd.cell * self.weights * right.cell / self.damping)
        y_item = (right.item - item) / self.item_pivot
        y_passage = right.passage - passage
        y_passage -= sd.passage * sd.item * np.add.reduceat(self.item_weight * y_item, structure.passage_start)
        y_passage /= self.passage_pivot
        y_outer = right.outer - outer
        n_global = structure.n_global
        for k, block in enumerate(structure.blocks):
            fill = sd.item * (y_item[block.items] @ self.cross[k])
            if self.nested:
                fill = fill + sd.passage * (y_passage[block.passages] @ self.cross_passage[k])
            y_outer[block.columns] -= sd.outer[block.columns] * fill
        x_outer = y_outer.copy()
        for k, block in enumerate(structure.blocks):
            x_outer[:n_global] -= y_outer[block.local] @ self.carry[k]
        if n_global:
            x_outer[:n_global] = cho_solve(self.root, x_outer[:n_global], check_finite=False)
        x_passage, x_item = np.zeros_like(y_passage), np.empty_like(y_item)
        for k, block in enumerate(structure.blocks):
            if block.local.stop > block.local.start:
                own = cho_solve(self.local[k], y_outer[block.local], check_finite=False)
                x_outer[block.local] = own - self.carry[k] @ x_outer[:n_global]
            scaled = sd.outer[block.columns] * x_outer[block.columns]
            x_item[block.items] = self.cross[k] @ scaled
            if self.nested:
                reach = self.cross_passage[k] @ scaled / self.passage_pivot[block.passages]
                x_passage[block.passages] = y_passage[block.passages] - sd.passage * reach
        if not self.nested:
            x_passage = y_passage
        x_item += sd.passage * self.item_weight * x_passage[structure.passage]
        x_item = y_item - sd.item * x_item / self.item_pivot
        known = Effects(np.zeros_like(right.cell), x_item, x_passage, x_outer)
        x_cell = (right.cell - sd.cell * self.weights * self.predictor(known)) / self.damping
        return Effects(x_cell, x_item, x_passage, x_outer)

    def predictor(self, effects: Effects) -> FloatArray:
        """Return Z Lambda u (cells,)."""
        return predictor(self.structure, self.sd, effects)

    def spread_cells(self, values: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return Lambda Z' values for items, passages and outer effects."""
        found = adjoint(self.structure, self.sd, values)
        return found.item, found.passage, found.outer

    def spread(self) -> Spread:
        """Return the conditional variances."""
        structure, sd = self.structure, self.sd
        n_global = structure.n_global
        cell = np.empty(len(self.weights))
        item = 1.0 / self.item_pivot
        passage = 1.0 / self.passage_pivot
        own_passage = self.passage_variance[structure.passage]
        reach = self.item_variance + own_passage / self.item_pivot**2
        item += sd.item**2 / self.item_pivot**2 * self.item_weight**2 * own_passage
        outer = np.empty(len(sd.outer))
        common = cho_solve(self.root, np.eye(n_global), check_finite=False) if n_global else self.common
        outer[:n_global] = np.diag(common)
        for k, block in enumerate(structure.blocks):
            inverse = self._inverse(k, common)
            outer[block.local] = np.diag(inverse)[n_global:]
            scale = sd.outer[block.columns]
            inverse = inverse * scale[:, None] * scale[None]
            cross = self.cross[k]
            image = cross @ inverse
            square = np.einsum("ij,ij->i", cross, image)
            gain = self.item_variance[block.items]
            joined = gain[:, None] * image
            total = gain**2 * square
            if self.nested:
                where = structure.passage[block.items] - block.passages.start
                joint = self.cross_passage[k]
                joint_image = joint @ inverse
                joint_square = np.einsum("ij,ij->i", joint, joint_image)
                mixed = np.einsum("ij,ij->i", cross, joint_image[where])
                gap = self.passage_variance[block.passages][where]
                pull = gap / self.item_pivot[block.items]
                joined += pull[:, None] * joint_image[where]
                total += 2.0 * gain * pull * mixed + pull**2 * joint_square[where]
                heavy = self.item_weight[block.items] * gap
                square = square - 2.0 * heavy * mixed + heavy**2 * joint_square[where]
                passage[block.passages] += sd.passage**2 / self.passage_pivot[block.passages] ** 2 * joint_square
            item[block.items] += sd.item**2 / self.item_pivot[block.items] ** 2 * square
            inside = structure.item[block.cells] - block.items.start
            value = (reach[block.items] + total)[inside]
            for row in block.codes:
                value -= 2.0 * joined[inside, row]
                for other in block.codes:
                    value += inverse[row, other]
            cell[block.cells] = value
        own = 1.0 / self.damping + (sd.cell * self.weights / self.damping) ** 2 * cell
        return Spread(sd.cell**2 / self.damping + cell / self.damping**2, Effects(own, item, passage, outer))

    def _inverse(self, k: int, common: FloatArray) -> FloatArray:
        """Return the part of the inverse that belongs to the effects of a block, global ones first."""
        n_global = self.structure.n_global
        carry = self.carry[k]
        width = n_global + len(carry)
        inverse = np.empty((width, width))
        inverse[:n_global, :n_global] = common
        if len(carry):
            side = carry @ common
            inverse[n_global:, :n_global] = -side
            inverse[:n_global, n_global:] = -side.T
            own = cho_solve(self.local[k], np.eye(len(carry)), check_finite=False)
            inverse[n_global:, n_global:] = own + side @ carry.T
        return inverse


def _summed(index: IntArray, weights: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Return the matrix whose flat positions ``index`` received ``weights``."""
    return np.asarray(np.bincount(index, weights, shape[0] * shape[1]), dtype=np.float64).reshape(shape)


def predictor(structure: Structure, sd: Effects, effects: Effects) -> FloatArray:
    """Return Z Lambda u (cells,)."""
    by_item = sd.item * effects.item + (sd.passage * effects.passage)[structure.passage]
    found: FloatArray = by_item[structure.item] + sd.cell * effects.cell
    scaled = sd.outer * effects.outer
    for block in structure.blocks:
        own = scaled[block.columns]
        for row in block.codes:
            found[block.cells] += own[row]
    return found


def adjoint(structure: Structure, sd: Effects, values: FloatArray) -> Effects:
    """Return Lambda Z' values in standardised effects."""
    item = np.add.reduceat(values, structure.item_start)
    outer = np.zeros(len(sd.outer))
    for block in structure.blocks:
        weights = np.tile(values[block.cells], len(block.codes))
        outer[block.columns] += np.bincount(block.codes.reshape(-1), weights, len(block.columns))
    passage = np.add.reduceat(item, structure.passage_start)
    return Effects(sd.cell * values, sd.item * item, sd.passage * passage, sd.outer * outer)
