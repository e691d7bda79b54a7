"""Fixed effects whose estimate runs off because some cells are always right or always wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import linprog

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmData
    from click_stats.stats.glmm.design import Design

TOLERANCE = 1e-7


class Level(NamedTuple):
    """A level of a categorical predictor in which nothing or everything is right.

    Attributes
    ----------
    column, level
        Which one.
    right
        Everything is right; else everything is wrong.
    n_cells
        Cells of the level.
    """

    column: str
    level: str
    right: bool
    n_cells: int


class Separation(NamedTuple):
    """What has no finite estimate.

    Attributes
    ----------
    direction
        (columns,) 1 or -1 where the coefficient runs to plus or minus infinity, 0 where it is finite, NaN where
        both directions keep the likelihood rising.
    cells
        (cells,) true where the fitted probability runs to 0 or 1.
    levels
        Levels of categorical predictors that are separated; none where only a combination is.
    coefficients
        Names of the coefficients without a finite estimate.
    """

    direction: FloatArray
    cells: np.ndarray
    levels: tuple[Level, ...]
    coefficients: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What is separated, in words: ``category Q``, or the coefficients where no single level is."""
        said = [f"{one.column} {one.level} (every trial {'right' if one.right else 'wrong'})" for one in self.levels]
        return tuple(said) or self.coefficients


def find(design: Design, data: GlmmData) -> Separation | None:
    """Look for a direction in which the likelihood rises for ever.

    A direction gamma of the coefficients separates when x'gamma >= 0 in every cell that is all right, <= 0 in every
    cell that is all wrong, 0 in every mixed cell, and not 0 everywhere (Albert and Anderson 1984). The same holds
    for the likelihood with normal random effects integrated out, because it holds for each value of them. Cells with
    the same fixed effects count together; the search is a linear program.

    Returns
    -------
    None when every coefficient has a finite estimate.
    """
    rows, where = np.unique(design.matrix, axis=0, return_inverse=True)
    where = where.reshape(-1)
    right = np.bincount(where, weights=data.correct)
    total = np.bincount(where, weights=data.trials)
    sign = np.where(right == total, 1.0, np.where(right == 0, -1.0, 0.0))
    if not sign.any():
        return None
    cone = -(sign[:, None] * rows)[sign != 0]
    mixed = rows[sign == 0]
    if len(mixed) > mixed.shape[1]:
        mixed = np.linalg.qr(mixed, mode="r")  # mixed rows bind only through the space they span
    slack, width = len(cone), rows.shape[1]
    # Every separated row counts once at most, so that the optimum separates all rows that can be.
    found = linprog(
        np.r_[np.zeros(width), -np.ones(slack)],
        A_ub=np.hstack([cone, np.eye(slack)]),
        b_ub=np.zeros(slack),
        A_eq=np.hstack([mixed, np.zeros((len(mixed), slack))]),
        b_eq=np.zeros(len(mixed)),
        bounds=[(None, None)] * width + [(0.0, 1.0)] * slack,
        method="highs",
    )
    if found.status != 0 or found.x is None or float(found.fun or 0.0) > -0.5:
        return None
    separated = (sign * (rows @ found.x[:width]) > TOLERANCE) & (sign != 0)
    direction = np.zeros(width)
    for column in range(width):
        ends = []
        for sense in (1.0, -1.0):
            aim = np.zeros(width)
            aim[column] = sense
            least = linprog(
                aim,
                A_ub=cone,
                b_ub=np.zeros(slack),
                A_eq=mixed,
                b_eq=np.zeros(len(mixed)),
                bounds=(-1.0, 1.0),
                method="highs",
            )
            ends.append(bool(float(least.fun or 0.0) < -TOLERANCE))
        down, up = ends
        direction[column] = np.nan if down and up else float(up) - float(down)
    cells = separated[where]
    coefficients = tuple(name for name, way in zip(design.names, direction, strict=True) if way != 0)
    return Separation(direction, cells, _levels(design, data, cells), coefficients)


def _levels(design: Design, data: GlmmData, cells: np.ndarray) -> tuple[Level, ...]:
    """Return the levels of categorical predictors in which nothing or everything is right."""
    found = []
    for factor in design.base:
        text = data.columns[factor].astype(str).to_numpy()
        for level in sorted(set(text[cells])):
            inside = text == level
            right, total = data.correct[inside].sum(), data.trials[inside].sum()
            if right in {0.0, total}:
                found.append(Level(factor, level, bool(right), int(inside.sum())))
    return tuple(found)
