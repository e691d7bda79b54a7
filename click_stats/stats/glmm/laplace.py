"""The Laplace log-likelihood of the binomial mixed model, and its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import expit, gammaln

from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE
from click_stats.stats.glmm.elimination import Effects, Factor, adjoint, predictor
from click_stats.stats.glmm.start import Scale, begin

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.maximise import Maximum
    from click_stats.stats.glmm.structure import Structure

DECREMENT = 1e-9
"""The inner Newton steps end after the step whose predicted gain is smaller: the next would gain its square."""
INNER_STEPS = 100


class Profile(NamedTuple):
    """What the fixed effects see when the random effects are unknown.

    Attributes
    ----------
    information
        (columns, columns) X'WX - X'WZ Lambda H^-1 Lambda Z'WX.
    rest
        (cells, columns) X less what the random effects take up of it, Z Lambda H^-1 Lambda Z'WX.
    answers
        H^-1 Lambda Z'WX by kind of effect, each (effects, columns).
    """

    information: FloatArray
    rest: FloatArray
    answers: tuple[FloatArray, ...]


class Mode(NamedTuple):
    """The most probable random effects at given parameters.

    Attributes
    ----------
    beta
        The fixed effects, given or found.
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
    profile
        For the joint mode.
    """

    beta: FloatArray
    effects: Effects
    residual: FloatArray
    probability: FloatArray
    factor: Factor
    penalised: float
    profile: Profile | None


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

    Attributes
    ----------
    beta
        Fixed effects from which a joint mode is sought.
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
        self.warm, self.warm_sd = self.zero(), self.deviations(np.zeros(len(self.random)))
        self.beta = np.zeros(self.design.shape[1])
        self.n_evaluations = 0

    @property
    def n_fixed(self) -> int:
        """How many of the parameters are fixed effects; they come first."""
        return int(self.design.shape[1])

    def begin(self, start: FloatArray | None) -> Scale:
        """Return a first guess of the parameters and their scale."""
        return begin(self, start)

    def complete(self, found: Maximum) -> Maximum:
        """Return the maximum over fixed effects and standard deviations: already so."""
        return found

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

    def mode(self, beta: FloatArray, sd: Effects, *, joint: bool = False) -> Mode:
        """Find the mode by Newton steps, halved where they do not gain, from the last mode found.

        Parameters
        ----------
        beta
            Fixed effects; with ``joint`` only where the steps begin.
        joint
            Maximise over the fixed effects as well.
        """
        structure = self.structure
        fixed = self.design @ beta
        effects = self._begin_mode(sd)
        reach = predictor(structure, sd, effects)
        value = self._penalised(fixed + reach, effects)
        done = False
        for _ in range(INNER_STEPS):
            probability = expit(fixed + reach)
            residual = self.correct - self.trials * probability
            factor = Factor(structure, sd, self.trials * probability * (1.0 - probability))
            profile = self.profile(factor) if joint else None
            if done:
                break
            pull = adjoint(structure, sd, residual)
            slope = Effects(*(one - two for one, two in zip(pull, effects, strict=True)))
            step = factor.solve(slope)
            decrement, shift = 0.0, np.zeros_like(beta)
            if profile is not None:
                score = self.design.T @ residual
                step, shift = self.joined(profile, factor, score, step)
                decrement = float(score @ shift)
            decrement += float(sum((one * two).sum() for one, two in zip(slope, step, strict=True)))
            move, turn = predictor(structure, sd, step), self.design @ shift
            length = 1.0
            while True:
                trial = Effects(*(one + length * two for one, two in zip(effects, step, strict=True)))
                gained = self._penalised(fixed + reach + length * (move + turn), trial)
                if gained >= value + 1e-4 * length * decrement - 1e-10 * abs(value) or length < 1e-6:
                    break
                length /= 2.0
            effects, reach, value = trial, reach + length * move, gained
            beta, fixed = beta + length * shift, fixed + length * turn
            done = decrement < DECREMENT
        self.warm, self.warm_sd = effects, sd
        return Mode(beta, effects, residual, probability, factor, value, profile)

    def _begin_mode(self, sd: Effects) -> Effects:
        """Return the last mode; where a standard deviation has grown, with effects no larger in logits than before."""
        return Effects(
            *(
                effects * np.minimum(1.0, np.where(now > 0, before / np.where(now > 0, now, 1.0), 1.0))
                for effects, before, now in zip(self.warm, self.warm_sd, sd, strict=True)
            )
        )

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
        value = mode.penalised - 0.5 * mode.factor.log_determinant + self.constant
        spread = mode.factor.spread()
        answer, through = self.adjoint_solve(mode, spread.predictor)
        gradient = np.empty_like(parameters)
        gradient[:columns] = self.design.T @ (mode.residual - 0.5 * through)
        gradient[columns:] = self.by_log_sd(mode, spread.effects, answer, through)
        return value, gradient

    def adjoint_solve(self, mode: Mode, variance: FloatArray) -> tuple[Effects, FloatArray]:
        """Return how the log-determinant pulls at the effects.

        Parameters
        ----------
        variance
            (cells,) conditional variance of the linear predictor.

        Returns
        -------
        H^-1 of the derivative of log|H| by each cell's predictor, which is w (1 - 2p) variance; and the derivative by
        a change of the predictor that the mode follows.
        """
        factor, structure = mode.factor, self.structure
        slope = factor.weights * (1.0 - 2.0 * mode.probability) * variance
        answer = factor.solve(adjoint(structure, factor.sd, slope))
        if mode.profile is None:
            return answer, slope - factor.weights * factor.predictor(answer)
        answer, shift = self.joined(mode.profile, factor, self.design.T @ slope, answer)
        return answer, slope - factor.weights * (factor.predictor(answer) + self.design @ shift)

    def by_log_sd(self, mode: Mode, variances: Effects, answer: Effects, through: FloatArray) -> FloatArray:
        """Return the gradient by log sd, given the conditional variances of the standardised effects."""
        pulls = adjoint(self.structure, mode.factor.sd, through)
        gradient = np.empty(len(self.random))
        for k, name in enumerate(self.random):
            own = self.part(mode.effects, name)
            direct = own @ own  # at the mode, Lambda Z' residual is u itself
            shift = (self.part(pulls, name) + self.part(answer, name)) @ own
            determinant = len(own) - self.part(variances, name).sum()
            gradient[k] = direct - determinant - 0.5 * shift
        return gradient

    def profile(self, factor: Factor) -> Profile:
        """Return the information about beta at fixed standard deviations, the random effects being unknown."""
        structure = self.structure
        weighted = factor.weights[:, None] * self.design
        answers = [factor.solve(adjoint(structure, factor.sd, column)) for column in weighted.T]
        reach = np.zeros_like(self.design)
        for k, answer in enumerate(answers):
            reach[:, k] = predictor(structure, factor.sd, answer)
        information = weighted.T @ (self.design - reach)
        parts = (np.stack(part, axis=1) if part else np.zeros((0, 0)) for part in zip(*answers, strict=True))
        return Profile(0.5 * (information + information.T), self.design - reach, tuple(parts))

    def joined(
        self, profile: Profile, factor: Factor, score: FloatArray, answer: Effects
    ) -> tuple[Effects, FloatArray]:
        """Return the solution of the joint system of beta and the effects.

        Parameters
        ----------
        score
            (columns,) right-hand side of beta.
        answer
            Solution for the effects alone.
        """
        through = self.design.T @ (factor.weights * factor.predictor(answer))
        shift = np.asarray(np.linalg.solve(profile.information, score - through), dtype=np.float64)
        parts = zip(answer, profile.answers, strict=True)
        return Effects(*(part - answers @ shift for part, answers in parts)), shift
