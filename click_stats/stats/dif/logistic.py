"""Logistic regressions of every item at once: score alone, plus group, plus their product."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special, stats

if TYPE_CHECKING:
    from click_stats.counts import BoolArray, FloatArray

STEPS = 60
CLOSE = 1e-10
"""A gain of the log-likelihood below this ends the search."""
FARTHEST = 15.0
"""Linear predictors beyond this are certain answers: the estimate runs off to infinity."""
RIDGE = 1e-9


class Logistic(NamedTuple):
    """Per item, all (I,) unless stated: NaN where an item has one score only, or too few units.

    Attributes
    ----------
    uniform, nonuniform, total
        Likelihood-ratio statistics: group over score (1 df), product over both (1 df), and both together (2 df).
        Defined even where coefficients are not: a separated item has a largest likelihood, only no finite place of it.
    p_uniform, p_nonuniform, p_total
        Their p-values by the chi-squared distribution.
    p_joint
        p-value of ``total`` for few units: (n - 4)/n of its half against F with 2 and n - 4 degrees of freedom, as in a
        linear model. With 20 units a group the chi-squared distribution rejects twice as often as it says.
    group, group_error
        Coefficient of the focal group in the second model and its standard error; NaN when separated.
    r2_change
        Gain in Nagelkerke's R² from the first to the third model.
    separated
        Whether the coefficient of the group is not finite.
    """

    uniform: FloatArray
    nonuniform: FloatArray
    total: FloatArray
    p_uniform: FloatArray
    p_nonuniform: FloatArray
    p_total: FloatArray
    p_joint: FloatArray
    group: FloatArray
    group_error: FloatArray
    r2_change: FloatArray
    separated: BoolArray


def logistic(y: FloatArray, focal: FloatArray, score: FloatArray) -> Logistic:
    """Fit three logistic regressions to each item.

    Parameters
    ----------
    y
        (U, I) item scores, 0 to 1, NaN where missing; a unit counts once.
    focal
        (U,) 1 for the focal group, 0 for the reference group.
    score
        (U, I) matching score of each unit for each item.

    Notes
    -----
    Swaminathan and Rogers (1990); effect size of Zumbo (1999).
    """
    there = np.isfinite(y)
    weight = there.astype(np.float64)
    target = np.where(there, y, 0.0)
    n = weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = (score * weight).sum(axis=0) / n
        scale = np.sqrt(((score - mean) ** 2 * weight).sum(axis=0) / n)
        z = np.where(scale > 0, (score - mean) / scale, 0.0) * weight
        null = n * (special.xlogy(p := target.sum(axis=0) / n, p) + special.xlogy(1 - p, 1 - p))
    g = np.broadcast_to(focal[:, None], y.shape)
    columns = [np.ones_like(z), z, g, z * g]
    fits = [_fit(target, weight, np.stack(columns[:k], axis=-1)) for k in (2, 3, 4)]
    (first, second, third) = (fit[0] for fit in fits)
    varied = (p > 0) & (p < 1)
    counts = _groups(weight, focal)
    usable = varied & (counts > 0) & (n > 4)
    uniform, nonuniform = (
        np.where(usable, np.maximum(2 * gain, 0.0), np.nan) for gain in (second - first, third - second)
    )
    total = uniform + nonuniform
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        most = 1 - np.exp(2 * null / n)
        r2 = [(1 - np.exp(2 * (null - fit) / n)) / most for fit in (first, third)]
        r2_change = np.where(usable, r2[1] - r2[0], np.nan)
    _, coefficients, errors, separated = fits[1]
    finite = usable & ~separated
    return Logistic(
        uniform, nonuniform, total,
        stats.chi2.sf(uniform, 1), stats.chi2.sf(nonuniform, 1), stats.chi2.sf(total, 2),
        stats.f.sf(total / 2 * (n - 4) / n, 2, np.maximum(n - 4, 1)),
        np.where(finite, coefficients[:, 2], np.nan), np.where(finite, errors[:, 2], np.nan),
        r2_change, separated & usable,
    )  # fmt: skip


def _groups(weight: FloatArray, focal: FloatArray) -> FloatArray:
    """Return the size of the smaller group among those who answered."""
    return np.minimum(focal @ weight, (1 - focal) @ weight)


def _fit(y: FloatArray, weight: FloatArray, x: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Return log-likelihood (I,), coefficients and errors (I, P), and what is separated (I,), by Newton's method."""
    x = np.ascontiguousarray(x.transpose(1, 0, 2))  # (I, U, P)
    y, weight = np.ascontiguousarray(y.T), np.ascontiguousarray(weight.T)
    n_items, _, width = x.shape
    beta = np.zeros((n_items, width))
    best = _likelihood(y, weight, x, beta)
    active = np.arange(n_items)
    for _ in range(STEPS):
        if not len(active):
            break
        xs, ws = x[active], weight[active]
        mu = special.expit(np.einsum("iup,ip->iu", xs, beta[active]))
        gradient = np.einsum("iup,iu->ip", xs, ws * (y[active] - mu))
        hessian = np.einsum("iup,iu,iuq->ipq", xs, ws * mu * (1 - mu), xs) + RIDGE * np.eye(width)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        gain = np.full(len(active), -np.inf)
        size = np.ones(len(active))
        for _ in range(12):  # halve steps that overshoot
            trial = beta[active] + size[:, None] * step
            value = _likelihood(y[active], ws, xs, trial)
            gain = value - best[active]
            if (gain >= -CLOSE).all():
                break
            size = np.where(gain >= -CLOSE, size, size / 2)
        better = gain >= -CLOSE
        beta[active[better]] += (size[:, None] * step)[better]
        best[active[better]] = value[better]
        active = active[better & (gain > CLOSE)]
    eta = np.einsum("iup,ip->iu", x, beta)
    mu = special.expit(eta)
    hessian = np.einsum("iup,iu,iuq->ipq", x, weight * mu * (1 - mu), x)
    separated = (np.abs(eta) * weight).max(axis=1) > FARTHEST
    separated |= np.linalg.cond(hessian) > 1 / RIDGE
    errors = np.full_like(beta, np.nan)
    errors[~separated] = np.sqrt(np.diagonal(np.linalg.inv(hessian[~separated]), axis1=1, axis2=2))
    return best, beta, errors, separated


def _likelihood(y: FloatArray, weight: FloatArray, x: FloatArray, beta: FloatArray) -> FloatArray:
    eta = np.einsum("iup,ip->iu", x, beta)
    total: FloatArray = (weight * (y * eta - np.logaddexp(0.0, eta))).sum(axis=1)
    return total
