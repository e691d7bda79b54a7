"""Maximising the Laplace likelihood: scaled quasi-Newton, then Newton steps that prove the maximum."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize

from click_stats.errors import DataError
from click_stats.stats.glmm.start import HIGHEST, LOWEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.laplace import Laplace
    from click_stats.stats.glmm.start import Scale

    Downhill = Callable[[FloatArray], tuple[float, FloatArray]]

SMALL = 0.2
"""A standard deviation below this is compared with 0."""
GRID = (LOWEST, 0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.15, SMALL)
"""Standard deviations at which likelihoods are compared then."""
NEGLIGIBLE = 1e-4
"""A standard deviation is 0 when no other one has a log-likelihood higher by more than this."""
STEP = 2e-3
"""Step of the central differences of the gradient, in conditional standard errors."""
NEWTON_STEPS = 6
TOLERANCE = 1e-9
"""Newton decrement g' H^-1 g below which the gradient counts as 0."""


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


def maximise(
    model: Laplace, *, start: FloatArray | None = None, tolerance: float = TOLERANCE
) -> Maximum | tuple[str, ...]:
    """Maximise the likelihood.

    Returns
    -------
    The maximum, or the names of random effects whose standard deviation goes to 0: to be left out.

    Raises
    ------
    ConvergenceError
        No maximum with a positive definite curvature was reached.
    """
    columns = model.n_fixed
    scale = model.begin(start)
    if not len(scale.centre):  # the restricted likelihood without random effects has no parameter
        return Maximum(scale.centre, scale.spread, model.value_and_gradient(scale.centre)[0], 0.0, 0)
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
    zero, parameters = _near_zero(model, scale.centre + scale.spread @ x)
    if zero:
        return zero
    x[columns:] = (parameters[columns:] - scale.centre[columns:]) / diagonal
    proved = prove(scale, x, downhill, int(found.nit), tolerance)
    _refuse_edge(model, proved.parameters)
    return proved


def _refuse_edge(model: Laplace, parameters: FloatArray) -> None:
    sd = np.exp(parameters[model.n_fixed :])
    for name, value in zip(model.random, sd, strict=True):
        if value > 0.99 * HIGHEST:
            raise ConvergenceError(
                f"The standard deviation of {name!r} grows without bound.",
                found=f"{value:.0f} logits",
                do=f"Almost every level of {name!r} is all right or all wrong: leave it out, or give more data.",
            )


def _near_zero(model: Laplace, parameters: FloatArray) -> tuple[tuple[str, ...], FloatArray]:
    """Look at the random effects with a small standard deviation.

    Near 0 the likelihood is flat in log sd, whether it rises or falls, and the search stops anywhere.

    Returns
    -------
    Those of which the likelihood is as good at 0, and the parameters with the others' log sd improved one by one.
    """
    columns = model.n_fixed
    gone: list[str] = []
    parameters = parameters.copy()
    for k in np.flatnonzero(parameters[columns:] < np.log(SMALL)):
        place, now = int(columns + k), float(parameters[columns + k])
        values = {}
        for log_sd in sorted({now, *np.log(GRID).tolist()}):
            parameters[place] = log_sd
            values[log_sd] = model.value_and_gradient(parameters)[0]
        parameters[place] = max(values, key=lambda log_sd: values[log_sd])
        if values[float(np.log(LOWEST))] >= max(values.values()) - NEGLIGIBLE:
            gone.append(model.random[k])
    return tuple(gone), parameters


def rises(model: Laplace, parameters: FloatArray, place: int, loglik: float) -> bool:
    """Return whether one standard deviation, taken as 0 so far, gives more than ``loglik`` at some larger value."""
    trial = parameters.copy()
    for sd in GRID:
        trial[place] = np.log(sd)
        if model.value_and_gradient(trial)[0] > loglik + NEGLIGIBLE:
            return True
    return False


def prove(scale: Scale, x: FloatArray, downhill: Downhill, n_iter: int, tolerance: float) -> Maximum:
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
