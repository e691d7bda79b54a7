"""Over-dispersion: a normal deviation for every model and item, integrated out of the likelihood.

A cell has y correct of n with logit x ~ N(eta, s²). The integral over x is taken by Gauss-Hermite quadrature about the
mode with the curvature there (Liu and Pierce 1994), so that the sampler has one parameter s and not one for each cell.
Given a draw of eta and s the deviations are drawn again where they are needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray

NODES, STEPS = 11, 2
"""Points of the quadrature, and Newton steps towards the mode from a start near it."""
SPAN, PLACES = 5.0, 25
"""Deviations are drawn within this many standard deviations of the mode, from so many places."""


def log_likelihood(xp: Any, correct: Any, trials: Any, eta: Any, sd: Any) -> Any:
    """Return (M, I) log of the integral of binomial times normal, but for the binomial coefficient.

    Parameters
    ----------
    xp
        ``numpy``, or PyTensor for an expression that the sampler differentiates.
    correct, trials
        (M, I) counts; a cell without trials gives 0.
    eta
        (M, I) means of the logits.
    sd
        Standard deviation of the deviations.
    """
    points, weights = np.polynomial.hermite_e.hermegauss(NODES)
    mode, spread = _mode(xp, correct, trials, eta, sd)
    terms = []
    for point, weight in zip(points, weights, strict=True):
        x = mode + spread * point
        exponent = correct * x - trials * _softplus(xp, x) - 0.5 * ((x - eta) / sd) ** 2
        terms.append(exponent + float(np.log(weight) + 0.5 * point**2 - 0.5 * np.log(2.0 * np.pi)))
    most = terms[NODES // 2]  # that of the mode: the others are smaller, or larger by little
    total = sum(xp.exp(term - most) for term in terms)
    return most + xp.log(total) + xp.log(spread / sd)


def deviations(rng: np.random.Generator, correct: IntArray, trials: IntArray, eta: FloatArray, sd: float) -> FloatArray:
    """Return (M, I) deviations drawn given the counts, the means of the logits and their standard deviation."""
    mode, spread = _mode(np, correct, trials, eta, sd)
    places = np.linspace(-SPAN, SPAN, PLACES)
    x = mode[..., None] + spread[..., None] * places
    log_density = correct[..., None] * x - trials[..., None] * np.logaddexp(0.0, x)
    log_density -= 0.5 * ((x - eta[..., None]) / sd) ** 2
    mass = np.exp(log_density - log_density.max(axis=-1, keepdims=True)).cumsum(axis=-1)
    at = (mass < rng.random(eta.shape)[..., None] * mass[..., -1:]).sum(axis=-1)
    step = places[1] - places[0]
    found: FloatArray = mode + spread * (places[at] + step * (rng.random(eta.shape) - 0.5)) - eta
    return found


def _mode(xp: Any, correct: Any, trials: Any, eta: Any, sd: Any) -> tuple[Any, Any]:
    """Return where the integrand is largest, nearly, and the standard deviation of the normal that fits it there.

    The start weighs eta against the logit of the cell by itself. For a sampler both are constants: the integral does
    not depend on where it is taken from.
    """
    alone = xp.log((correct + 0.5) / (trials - correct + 0.5))
    about = (correct + 0.5) * (trials - correct + 0.5) / (trials + 1.0) * (trials > 0)
    x = (eta / sd**2 + about * alone) / (1.0 / sd**2 + about)
    for _ in range(STEPS):
        p = _expit(xp, x)
        x = x + (correct - trials * p - (x - eta) / sd**2) / (trials * p * (1.0 - p) + 1.0 / sd**2)
    p = _expit(xp, x)
    spread = 1.0 / xp.sqrt(trials * p * (1.0 - p) + 1.0 / sd**2)
    if xp is np:
        return x, spread
    from pytensor.gradient import disconnected_grad  # noqa: PLC0415 -- an extra

    return disconnected_grad(x), disconnected_grad(spread)


def _softplus(xp: Any, x: Any) -> Any:
    return np.logaddexp(0.0, x) if xp is np else xp.softplus(x)


def _expit(xp: Any, x: Any) -> Any:
    return special.expit(x) if xp is np else xp.sigmoid(x)
