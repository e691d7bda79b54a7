"""The Laplace log-likelihood of the binomial mixed model, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, gammaln

from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE
from click_stats.stats.glmm.elimination import Effects, Factor, adjoint, predictor

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.structure import Structure

DECREMENT = 1e-9
"""The inner Newton steps end after the step whose predicted gain is smaller: the next would gain its square."""
INNER_STEPS = 100


class Mode(NamedTuple):
    """The most probable random effects at given parameters.

    Attributes
    ----------
    effects
        Standardised effects.
    residual
        (cells,) correct less expected.
    probability
        (cells,).
    factor
        Curvature at the mode.
    penalised
        Log-likelihood of the counts given the effects, less half their sum of squares.
    """

    effects: Effects
    residual: FloatArray
    probability: FloatArray
    factor: Factor
    penalised: float


class Laplace:
    """Log-likelihood with the random effects integrated out by Laplace's method (one point, at the mode).

    l(beta, sd) = log p(y | beta, u) - u'u / 2 - log |H| / 2 at the standardised mode u, with the binomial coefficients:
    the likelihood that glmmTMB and lme4 (nAGQ = 1) maximise. The gradient is exact; the derivative of the mode and of
    the log-determinant come from one adjoint solve.

    Parameters
    ----------
    correct, trials, design
        (cells,), (cells,), (cells, columns), in the original order.
    structure
        Sorted cells.
    random
        Names of the random effects, in the order of the parameters ``log sd``.
    """

    def __init__(
        self, correct: FloatArray, trials: FloatArray, design: FloatArray, structure: Structure, random: Sequence[str]
    ) -> None:
        order = structure.order
        self.correct, self.trials = correct[order], trials[order]
        self.design = np.ascontiguousarray(design[order])
        self.structure, self.random = structure, tuple(random)
        self.constant = float(
            (gammaln(self.trials + 1) - gammaln(self.correct + 1) - gammaln(self.trials - self.correct + 1)).sum()
        )
        self.warm = self.zero()
        self.n_evaluations = 0

    def zero(self) -> Effects:
        """Return effects that are all 0."""
        structure = self.structure
        sizes = (len(self.correct), len(structure.item_start), len(structure.passage_start), len(structure.outer_term))
        cell, item, passage, outer = (np.zeros(size) for size in sizes)
        return Effects(cell, item, passage, outer)

    def sizes(self) -> FloatArray:
        """Return the number of levels of each random effect."""
        whole = self.zero()
        return np.array([float(len(self.part(whole, name))) for name in self.random])

    def deviations(self, sd: FloatArray) -> Effects:
        """Return the standard deviations in the form of the effects; 0 where the model has no such effect."""
        value: Mapping[str, float] = dict(zip(self.random, sd, strict=True))
        cell, item, passage = (np.array(value.get(name, 0.0)) for name in (CELL, ITEM, PASSAGE))
        outer = np.array([value[name] for name in self.structure.outer])
        return Effects(cell, item, passage, outer[self.structure.outer_term] if len(outer) else np.zeros(0))

    def part(self, effects: Effects, name: str) -> FloatArray:
        """Return the values that belong to one random effect."""
        simple = {CELL: effects.cell, ITEM: effects.item, PASSAGE: effects.passage}
        if name in simple:
            return simple[name]
        term = self.structure.outer.index(name)
        found: FloatArray = effects.outer[self.structure.outer_term == term]
        return found

    def mode(self, beta: FloatArray, sd: Effects) -> Mode:
        """Find the mode by Newton steps, halved where they do not gain, from the last mode found."""
        structure = self.structure
        fixed = self.design @ beta
        effects = self.warm
        reach = predictor(structure, sd, effects)
        value = self._penalised(fixed + reach, effects)
        done = False
        for _ in range(INNER_STEPS):
            probability = expit(fixed + reach)
            weights = self.trials * probability * (1.0 - probability)
            residual = self.correct - self.trials * probability
            factor = Factor(structure, sd, weights)
            if done:
                break
            pull = adjoint(structure, sd, residual)
            slope = Effects(*(one - two for one, two in zip(pull, effects, strict=True)))
            step = factor.solve(slope)
            decrement = float(sum((one * two).sum() for one, two in zip(slope, step, strict=True)))
            move = predictor(structure, sd, step)
            length = 1.0
            while True:
                trial = Effects(*(one + length * two for one, two in zip(effects, step, strict=True)))
                reached = reach + length * move
                gained = self._penalised(fixed + reached, trial)
                if gained >= value + 1e-4 * length * decrement - 1e-10 * abs(value) or length < 1e-6:
                    break
                length /= 2.0
            effects, reach, value = trial, reached, gained
            done = decrement < DECREMENT
        self.warm = effects
        return Mode(effects, residual, probability, factor, value)

    def _penalised(self, eta: FloatArray, effects: Effects) -> float:
        # log(1 + e^eta) without overflow; sums instead of products of vectors, for which BLAS would start threads.
        softplus = np.maximum(eta, 0.0) + np.log1p(np.exp(-np.abs(eta)))
        likelihood = (self.correct * eta - self.trials * softplus).sum()
        return float(likelihood - 0.5 * sum((one * one).sum() for one in effects))

    def value_and_gradient(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        """Return the log-likelihood and its gradient.

        Parameters
        ----------
        parameters
            (columns + random effects,) beta, then log sd.
        """
        self.n_evaluations += 1
        columns = self.design.shape[1]
        beta, scale = parameters[:columns], np.exp(parameters[columns:])
        sd = self.deviations(scale)
        mode = self.mode(beta, sd)
        factor, structure = mode.factor, self.structure
        value = mode.penalised - 0.5 * factor.log_determinant + self.constant
        spread = factor.spread()
        # d log|H| along the linear predictor: the weights change with it, each by w (1 - 2p).
        slope = factor.weights * (1.0 - 2.0 * mode.probability) * spread.predictor
        answer = factor.solve(adjoint(structure, sd, slope))
        through = slope - factor.weights * predictor(structure, sd, answer)
        gradient = np.empty_like(parameters)
        gradient[:columns] = self.design.T @ (mode.residual - 0.5 * through)
        pulls = adjoint(structure, sd, through)
        for k, name in enumerate(self.random):
            own = self.part(mode.effects, name)
            direct = own @ own  # at the mode, Lambda Z' residual is u itself
            shift = self.part(pulls, name) @ own + self.part(answer, name) @ own
            determinant = len(own) - self.part(spread.effects, name).sum()
            gradient[columns + k] = direct - determinant - 0.5 * shift
        return value, gradient

    def information(self, mode: Mode, sd: Effects) -> FloatArray:
        """Return the information about beta at fixed standard deviations, the random effects being unknown."""
        factor, structure = mode.factor, self.structure
        weighted = factor.weights[:, None] * self.design
        found: FloatArray = self.design.T @ weighted
        for k in range(self.design.shape[1]):
            fitted = predictor(structure, sd, factor.solve(adjoint(structure, sd, weighted[:, k])))
            found[:, k] -= weighted.T @ fitted
        return 0.5 * (found + found.T)
