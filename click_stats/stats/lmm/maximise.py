"""The variance ratios at which the deviance is lowest, each 0 or larger, and the curvature there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import minimize

from click_stats.stats.glmm.maximise import ConvergenceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.lmm.profile import Profile

    Downhill = Callable[[FloatArray], tuple[float, FloatArray]]

HIGHEST = 1e3
"""A standard deviation this many times the residual one means that nothing is left as residual."""
SMALL = 0.05
"""A standard deviation below this share of the residual one is compared with 0."""
NEGLIGIBLE = 1e-7
"""A variance is 0 when no larger one has a deviance lower by more than this."""
GRID = (1e-3, 1e-2, 0.03, 0.1, 0.3, 1.0)
"""Relative standard deviations at which a variance taken as 0 is tried again."""
STEP = 1e-4
"""Step, in log ratio, of the central differences of the exact gradient."""
FIRST_STEPS = 4
LOWEST = -18.0
"""Log of a ratio below which a variance is 0 as far as numbers can tell."""
NEWTON_STEPS = 12
TOLERANCE = 1e-12
"""Newton decrement below which the gradient counts as 0; 1e-12 is a millionth of a standard error."""


class Minimum(NamedTuple):
    """The lowest deviance.

    Attributes
    ----------
    ratios
        (terms,) variances over the residual variance; exactly 0 at the boundary.
    curvature
        Hessian of the deviance by the logs of the ratios above 0.
    n_evaluations
        How often the deviance was evaluated.
    """

    ratios: FloatArray
    curvature: FloatArray
    n_evaluations: int


def minimise(profile: Profile, names: Sequence[str]) -> Minimum:
    """Return the minimum.

    Quasi-Newton steps over relative standard deviations, then those near 0 are compared with 0 (where the derivative by
    a standard deviation vanishes, by its square it does not), and Newton steps prove the minimum over the others.

    Raises
    ------
    ConvergenceError
        No residual is left, or no minimum with a positive definite curvature was found.
    """
    count = len(names)
    calls = 0

    def by_root(root: FloatArray) -> tuple[float, FloatArray]:
        nonlocal calls
        calls += 1
        found = profile(root * root)
        return found.deviance, 2.0 * root * found.gradient

    if not count:
        return Minimum(np.zeros(0), np.zeros((0, 0)), 0)
    root = _begin(profile, count)
    calls += FIRST_STEPS
    exact = False
    for _ in range(2 * count + 2):
        free = root > 0
        root[free] = _search(by_root, root, free, exact=exact)
        if root.max() > 0.99 * HIGHEST:
            raise ConvergenceError(
                "The linear mixed model has no residual variance.",
                found=f"the effects of {', '.join(np.asarray(names)[root > 0.99 * HIGHEST])} explain every value",
                do="Leave out that random effect, or use values that differ within its levels.",
            )
        root = _zeros(by_root, root)
        risen = _risen(by_root, root)
        if risen is not None:
            root = risen
            continue
        ratios, curvature, more = _newton(profile, root * root)
        calls += more
        if curvature is not None:
            return Minimum(ratios, curvature, calls)
        root, exact = np.sqrt(ratios), True
    raise ConvergenceError(
        "The linear mixed model did not converge: a variance is neither 0 nor found.",
        found=", ".join(names),
        do="Leave out a random effect.",
    )


def _begin(profile: Profile, count: int) -> FloatArray:
    """Return relative standard deviations to start from: some steps that always lower the deviance, from 1.

    ratio_k is multiplied by sqrt(|Z_k'H^-1 r|^2 / (s tr Z_k'PZ_k)), the minorise-maximise step of Zhou, Hu, Qiao, Cho
    and Yuan (2019) for variances, here for the ratios.
    """
    ratios = np.ones(count)
    for _ in range(FIRST_STEPS):
        at = profile(ratios)
        squares = np.array([float(one @ one) for one in at.response]) / at.residual
        ratios = np.clip(ratios * np.sqrt(squares / (at.gradient + squares)), 1e-4, HIGHEST)
    return np.asarray(np.sqrt(ratios), dtype=np.float64)


def _search(by_root: Downhill, root: FloatArray, free: np.ndarray, *, exact: bool) -> FloatArray:
    def part(values: FloatArray) -> tuple[float, FloatArray]:
        whole = root.copy()
        whole[free] = values
        value, slope = by_root(whole)
        return value, np.asarray(slope[free], dtype=np.float64)

    if not free.any():
        return np.zeros(0)
    found = minimize(
        part,
        root[free],
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, HIGHEST)] * int(free.sum()),
        options={"maxiter": 300, "ftol": 1e-15 if exact else 1e-10, "gtol": 1e-8 if exact else 1e-4},
    )
    return np.asarray(found.x, dtype=np.float64)


def _zeros(by_root: Downhill, root: FloatArray) -> FloatArray:
    """Return the roots with those that could as well be 0 set to 0, the smallest first."""
    root = root.copy()
    for k in np.argsort(root):
        if not 0 < root[k] < SMALL:
            continue
        trial = root.copy()
        trial[k] = 0.0
        if by_root(trial)[0] <= by_root(root)[0] + NEGLIGIBLE:
            root = trial
    return root


def _risen(by_root: Downhill, root: FloatArray) -> FloatArray | None:
    """Return roots with one moved away from 0 where that lowers the deviance, or None."""
    lowest = by_root(root)[0]
    for k in np.flatnonzero(root == 0):
        for value in GRID:
            trial = root.copy()
            trial[k] = value
            if by_root(trial)[0] < lowest - NEGLIGIBLE:
                return trial
    return None


def _newton(profile: Profile, ratios: FloatArray) -> tuple[FloatArray, FloatArray | None, int]:
    """Take Newton steps over the logs of the ratios above 0 until the gradient is 0 for all purposes.

    Returns
    -------
    The ratios, the curvature (None when there is no proved minimum yet: the ratios are only better than before), and
    the evaluations.
    """
    free = np.flatnonzero(ratios > 0)
    calls = 0

    def at(x: FloatArray) -> tuple[float, FloatArray]:
        nonlocal calls
        calls += 1
        whole = _whole(len(ratios), free, x)
        found = profile(whole)
        return found.deviance, found.gradient[free] * whole[free]

    if not len(free):
        return ratios, np.zeros((0, 0)), calls
    x = np.log(ratios[free])
    value, gradient = at(x)
    for _ in range(NEWTON_STEPS):
        hessian = _curvature(lambda place: at(place)[1], x)
        values, vectors = np.linalg.eigh(hessian)
        step = vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-8))
        decrement = float(gradient @ step)
        if decrement < TOLERANCE:
            return _whole(len(ratios), free, x - step), hessian if values[0] > 0 else None, calls
        step *= min(1.0, 1.0 / float(np.abs(step).max()))
        trial, slope = at(x - step)
        while trial > value + 1e-9 and float(np.abs(step).max()) > 1e-6:
            step = 0.25 * step
            trial, slope = at(x - step)
        x, value, gradient = x - step, trial, slope
        if x.min() < LOWEST:
            break
    return _whole(len(ratios), free, np.where(x < LOWEST, -np.inf, x)), None, calls


def _whole(count: int, free: np.ndarray, x: FloatArray) -> FloatArray:
    whole = np.zeros(count)
    whole[free] = np.exp(x)
    return whole


def _curvature(slope: Callable[[FloatArray], FloatArray], x: FloatArray) -> FloatArray:
    rows = []
    for k in range(len(x)):
        away = np.zeros(len(x))
        away[k] = STEP
        rows.append((slope(x + away) - slope(x - away)) / (2.0 * STEP))
    hessian = np.array(rows).reshape(len(x), len(x))
    return np.asarray(0.5 * (hessian + hessian.T), dtype=np.float64)
