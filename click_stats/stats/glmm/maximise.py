"""Maximising the Laplace likelihood: scaled quasi-Newton, then Newton steps that prove the maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize

from click_stats.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.laplace import Laplace

    Downhill = Callable[[FloatArray], tuple[float, FloatArray]]

LOWEST, HIGHEST = 1e-3, 30.0
"""Standard deviations (logits) between which the maximum is looked for; 0 is decided apart."""
SMALL = 0.05
"""A standard deviation below this is compared with 0."""
STEP = 2e-3
"""Step of the central differences of the gradient, in conditional standard errors."""
NEWTON_STEPS = 6


class ConvergenceError(DataError):
    """The likelihood has no maximum that could be found and proved: there is no estimate."""


class Maximum(NamedTuple):
    """A proved maximum.

    Attributes
    ----------
    parameters
        beta, then log sd.
    covariance
        Inverse of the observed information about ``parameters``.
    loglik
        Log-likelihood.
    decrement
        g' H^-1 g at the end: twice the gain a further Newton step would predict.
    n_iter
        Quasi-Newton iterations and Newton steps.
    """

    parameters: FloatArray
    covariance: FloatArray
    loglik: float
    decrement: float
    n_iter: int


class Scale(NamedTuple):
    """Coordinates in which the curvature is near 1: parameters = centre + spread @ x."""

    centre: FloatArray
    spread: FloatArray


def begin(model: Laplace, start: FloatArray | None) -> Scale:
    """Return a first guess and a scale.

    Without a start, beta maximises the penalised likelihood at guessed standard deviations, which are improved twice
    by the expectation step of EM: the mean of u^2 plus its conditional variance.
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
        information = model.information(mode, sd)
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


def maximise(model: Laplace, *, start: FloatArray | None = None, tolerance: float = 1e-9) -> Maximum | tuple[str, ...]:
    """Maximise the likelihood.

    Returns
    -------
    The maximum, or the names of random effects whose standard deviation goes to 0: to be left out.

    Raises
    ------
    ConvergenceError
        No maximum with a positive definite curvature was reached.
    """
    columns = model.design.shape[1]
    scale = begin(model, start)
    diagonal = np.diag(scale.spread)[columns:]
    bounds = [(None, None)] * columns + [
        ((np.log(LOWEST) - centre) / unit, (np.log(HIGHEST) - centre) / unit)
        for centre, unit in zip(scale.centre[columns:], diagonal, strict=True)
    ]

    def downhill(x: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = model.value_and_gradient(scale.centre + scale.spread @ x)
        return -value, -(scale.spread.T @ gradient)

    found = minimize(
        downhill,
        np.zeros(len(scale.centre)),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxcor": 20, "maxiter": 500, "ftol": 1e-13, "gtol": 1e-3},
    )
    x = np.asarray(found.x, dtype=np.float64)
    _refuse_edge(model, scale.centre + scale.spread @ x)
    zero = _vanishing(model, scale.centre + scale.spread @ x)
    if zero:
        return zero
    return _prove(model, scale, x, downhill, int(found.nit), tolerance)


def _refuse_edge(model: Laplace, parameters: FloatArray) -> None:
    sd = np.exp(parameters[model.design.shape[1] :])
    for name, value in zip(model.random, sd, strict=True):
        if value > 0.99 * HIGHEST:
            raise ConvergenceError(
                f"The standard deviation of {name!r} grows without bound.",
                found=f"{value:.0f} logits",
                do=f"Almost every level of {name!r} is all right or all wrong: leave it out, or give more data.",
            )


def _vanishing(model: Laplace, parameters: FloatArray) -> tuple[str, ...]:
    """Return the random effects of which the likelihood is highest at a standard deviation of 0."""
    columns = model.design.shape[1]
    small = np.flatnonzero(parameters[columns:] < np.log(SMALL))
    if not len(small):
        return ()
    here, _ = model.value_and_gradient(parameters)
    gone = []
    for k in small:
        edge = parameters.copy()
        edge[columns + k] = np.log(LOWEST)
        value, gradient = model.value_and_gradient(edge)
        if value >= here - 1e-7 and gradient[columns + k] <= 0:
            gone.append(model.random[k])
    return tuple(gone)


def _prove(model: Laplace, scale: Scale, x: FloatArray, downhill: Downhill, n_iter: int, tolerance: float) -> Maximum:
    """Take Newton steps until the gradient is 0 for all purposes, and require a positive definite curvature."""
    value, gradient = downhill(x)
    definite = True
    for _ in range(NEWTON_STEPS):
        hessian = _curvature(downhill, x)
        definite = float(np.linalg.eigvalsh(hessian)[0]) > 1e-7
        if not definite:
            break
        last = np.inf
        while True:  # the curvature hardly changes over a step this small: it serves while the steps shrink fast
            step = np.linalg.solve(hessian, gradient)
            decrement = float(gradient @ step)
            if decrement < tolerance or decrement > 0.1 * last:
                break
            last = decrement
            x = x - min(1.0, 2.0 / float(np.abs(step).max())) * step
            value, gradient = downhill(x)
            n_iter += 1
        if decrement < tolerance:
            parameters = scale.centre + scale.spread @ x
            _refuse_edge(model, parameters)
            covariance = scale.spread @ np.linalg.inv(hessian) @ scale.spread.T
            return Maximum(parameters, 0.5 * (covariance + covariance.T), -value, decrement, n_iter)
    raise ConvergenceError(
        "The mixed model did not converge.",
        found=f"largest scaled gradient {np.abs(gradient).max():.2g} after {n_iter} iterations"
        + ("" if definite else "; the curvature is not positive definite"),
        do="Leave out a random effect or a fixed effect that the data hardly tell about, or merge rare levels.",
    )


def _curvature(downhill: Downhill, x: FloatArray) -> FloatArray:
    """Return the Hessian by central differences of the exact gradient."""
    rows = []
    for k in range(len(x)):
        away = np.zeros(len(x))
        away[k] = STEP
        rows.append((downhill(x + away)[1] - downhill(x - away)[1]) / (2.0 * STEP))
    hessian = np.array(rows).reshape(len(x), len(x))
    return np.asarray(0.5 * (hessian + hessian.T), dtype=np.float64)
