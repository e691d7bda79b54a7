"""Where the search for the maximum begins, and in which units it steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.laplace import Laplace

LOWEST, HIGHEST = 1e-3, 30.0
"""Standard deviations (logits) between which the maximum is looked for; 0 is decided apart."""


class Scale(NamedTuple):
    """Coordinates in which the curvature is near 1: parameters = centre + spread @ x."""

    centre: FloatArray
    spread: FloatArray


def begin(model: Laplace, start: FloatArray | None) -> Scale:
    """Return a first guess and a scale.

    Without a start, beta maximises the penalised likelihood at guessed standard deviations, which are improved
    by steps of EM: the mean of u^2 plus its conditional variance.
    """
    columns = model.design.shape[1]
    if start is None:
        share = (model.correct.sum() + 0.5) / (model.trials.sum() + 1.0)
        beta = np.linalg.lstsq(model.design, np.full(len(model.trials), np.log(share / (1 - share))), rcond=None)[0]
        scale = np.array([0.3 if name == "cell" else 1.0 if name == "item" else 0.5 for name in model.random])
        rounds = 3
    else:
        beta, scale, rounds = start[:columns].copy(), np.exp(start[columns:]).clip(2 * LOWEST, HIGHEST / 2), 0
    sizes = model.sizes()
    for k in range(rounds + 1):
        sd = model.deviations(scale)
        mode = model.mode(beta, sd)
        information = model.profile(mode.factor).information
        if k == rounds:
            break
        step = np.linalg.solve(information, model.design.T @ mode.residual)
        reach = np.abs(model.design @ step).max()
        beta = beta + step * min(1.0, 3.0 / max(reach, 1e-12))
        spread = mode.factor.spread().effects
        square = [(model.part(mode.effects, name) ** 2).sum() + model.part(spread, name).sum() for name in model.random]
        scale = (scale * np.sqrt(np.array(square) / sizes)).clip(2 * LOWEST, HIGHEST / 2)
    spread_matrix = np.zeros((columns + len(sizes),) * 2)
    if columns:
        root = np.linalg.cholesky(information)
        spread_matrix[:columns, :columns] = np.linalg.inv(root).T
    spread_matrix[range(columns, len(spread_matrix)), range(columns, len(spread_matrix))] = 1.0 / np.sqrt(2.0 * sizes)
    return Scale(np.r_[beta, np.log(scale)], spread_matrix)
