"""Fitting the logistic mixed model on counts, and what its estimates are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import separation as separations
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE, groupings
from click_stats.stats.glmm.laplace import Laplace
from click_stats.stats.glmm.maximise import LOWEST, SMALL, ConvergenceError, Maximum, maximise

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmData, GlmmSpec, Grouping
    from click_stats.stats.glmm.design import Design
    from click_stats.stats.glmm.separation import Separation


@dataclass(frozen=True)
class GlmmFit:
    """Maximum of the Laplace likelihood.

    Attributes
    ----------
    names
        Fixed effects: ``(intercept)``, ``category[Law]``, ``log10_params``.
    beta, se
        (columns,) logits; NaN where separation leaves no finite estimate.
    vcov
        (columns, columns) covariance of ``beta`` from the observed information about beta and log sd together.
    random
        Random effects.
    sd, log_sd, log_sd_se
        (random,) standard deviations in logits; where the maximum is at 0: 0, -inf and NaN.
    covariance
        Of the finite ``beta`` and then of the ``log_sd`` above 0, jointly.
    loglik
        With the binomial coefficients. Under separation its supremum.
    n_parameters, n_cells, n_trials
        Counts; parameters without finite estimate count.
    n_levels
        Levels of each random effect.
    modes, mode_sd
        Conditional modes of each random effect (logits, by level) and their conditional standard deviations at the
        estimated parameters. For ``cell`` by the cell's position in the data.
    fitted
        (cells,) probability at the modes, in the order of the data.
    base
        Base level of each categorical predictor.
    separation
        What has no finite estimate, or None.
    notes
        Sentences for the reader: separation, standard deviations of 0.
    converged
        Always true: anything else is a ConvergenceError.
    decrement
        g' H^-1 g at the end.
    n_iter, n_evaluations
        Iterations; evaluations of likelihood and gradient.
    """

    names: tuple[str, ...]
    beta: FloatArray
    se: FloatArray
    vcov: FloatArray
    random: tuple[str, ...]
    sd: FloatArray
    log_sd: FloatArray
    log_sd_se: FloatArray
    covariance: FloatArray
    loglik: float
    n_parameters: int
    n_cells: int
    n_trials: int
    n_levels: dict[str, int]
    modes: dict[str, pd.Series]
    mode_sd: dict[str, pd.Series]
    fitted: FloatArray
    base: dict[str, str]
    separation: Separation | None
    notes: tuple[str, ...]
    converged: bool
    decrement: float
    n_iter: int
    n_evaluations: int

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * self.n_parameters - 2.0 * self.loglik


def fit(data: GlmmData, spec: GlmmSpec, *, start: FloatArray | None = None, tol: float = 1e-9) -> GlmmFit:
    """Fit logit p = X beta + random effects to binomial counts by maximum likelihood (Laplace).

    Parameters
    ----------
    data
        Counts by cell.
    spec
        Fixed and random effects.
    start
        beta and log sd to start from; chosen when None. Not used where separation takes columns out.
    tol
        Newton decrement g' H^-1 g below which the gradient counts as 0: 1e-9 is within 3e-5 standard errors.

    Raises
    ------
    ConvergenceError
        No maximum could be proved.
    DataError
        All right or all wrong; dependent columns; a random effect whose variance cannot be estimated.
    UsageError
        A formula or a name that cannot be read, a start of the wrong length.
    """
    total = data.correct.sum()
    if total in {0.0, data.trials.sum()}:
        raise DataError(
            f"Every trial is {'wrong' if total == 0 else 'right'}: there is nothing to model.",
            found=f"{len(data)} cells, {data.trials.sum():.0f} trials",
            do="Use items or models that differ.",
        )
    groups = groupings(data, spec)
    design = designs.build(data, spec)
    if start is not None and len(start) != len(design.names) + len(groups):
        raise UsageError(f"The start has {len(start)} values for {len(design.names)} + {len(groups)} parameters.")
    separation = separations.find(design, data)
    notes = []
    kept, columns, inner = np.ones(len(data), dtype=bool), np.ones(len(design.names), dtype=bool), data
    if separation is not None:
        # In the limit the separated cells are certain: they add nothing, and what is left identifies the rest.
        notes.append(f"separation: {', '.join(separation.names)}; no finite estimate, no standard error, no Wald test")
        kept = ~separation.cells
        if not kept.any():
            raise DataError(
                "Nothing is left to estimate: the fixed effects tell all right from all wrong cells.",
                found=", ".join(separation.names),
                do="Leave out the predictors that separate them, or use items that are neither.",
            )
        inner, start = data.take(kept), None
        groups = groupings(inner, spec)
        columns = designs.independent(design.matrix[kept])
    matrix = design.matrix[kept][:, columns]
    designs.refuse_saturated(matrix, groups)
    model, found, zero = _search(inner, matrix, groups, start, tol)
    notes += [
        f"The variance of {name!r} is estimated as 0; the other standard errors take it as known." for name in zero
    ]
    return _report(data, design, separation, kept, columns, groups, model, found, notes)


def _search(
    data: GlmmData, matrix: FloatArray, groups: dict[str, Grouping], start: FloatArray | None, tol: float
) -> tuple[Laplace, Maximum, tuple[str, ...]]:
    """Maximise, leaving out random effects whose variance is 0, and check that it is 0 there."""

    def build(names: list[str]) -> Laplace:
        chosen = {name: groups[name] for name in names}
        return Laplace(data.correct, data.trials, matrix, structures.build(chosen, len(data)), names)

    names, zero, n_evaluations = list(groups), list[str](), 0
    for _ in range(2 * len(groups) + 1):
        model = build(names)
        found = maximise(model, start=start, tolerance=tol)
        n_evaluations += model.n_evaluations
        start = None
        if not isinstance(found, Maximum):
            zero += found
            names = [name for name in names if name not in found]
            continue
        model.n_evaluations = n_evaluations
        risen = _risen(build([*names, *zero]), found, zero)
        if not risen:
            return model, found, tuple(zero)
        # Effects that went to 0 together need not all be 0: start again with those that the likelihood asks for.
        zero = [name for name in zero if name not in risen]
        start = np.r_[found.parameters, np.full(len(risen), np.log(2 * SMALL))]
        names += risen
    raise ConvergenceError(
        "The mixed model did not converge: a variance is neither 0 nor found.",
        found=", ".join(names),
        do="Leave out a random effect.",
    )


def _risen(whole: Laplace, found: Maximum, zero: list[str]) -> list[str]:
    """Return the effects left out with which the likelihood would rise from a standard deviation of 0."""
    if not zero:
        return []
    edge = np.r_[found.parameters, np.full(len(zero), np.log(LOWEST))]
    slopes = whole.value_and_gradient(edge)[1][-len(zero) :]
    return [name for name, slope in zip(zero, slopes, strict=True) if slope > 1e-6]


def _report(
    data: GlmmData,
    design: Design,
    separation: Separation | None,
    kept: np.ndarray,
    columns: np.ndarray,
    groups: dict[str, Grouping],
    model: Laplace,
    found: Maximum,
    notes: list[str],
) -> GlmmFit:
    """Put the estimates back in the order of the caller's names and cells."""
    width = int(columns.sum())
    finite = columns.copy()
    if separation is not None:
        finite &= separation.direction == 0
    inside = np.flatnonzero(finite[columns])
    above = [width + k for k in range(len(model.random))]
    used = np.r_[inside, above].astype(np.int64)
    covariance = found.covariance[np.ix_(used, used)]
    beta = np.full(len(columns), np.nan)
    beta[finite] = found.parameters[:width][inside]
    vcov = np.full((len(columns), len(columns)), np.nan)
    vcov[np.ix_(finite, finite)] = covariance[: len(inside), : len(inside)]
    random = tuple(groups)
    log_sd, log_sd_se = np.full(len(random), -np.inf), np.full(len(random), np.nan)
    for k, name in enumerate(model.random):
        log_sd[random.index(name)] = found.parameters[width + k]
        log_sd_se[random.index(name)] = np.sqrt(found.covariance[width + k, width + k])
    modes, mode_sd, fitted = _conditional(model, found, groups, kept)
    if separation is not None:
        rows = separation.cells
        fitted[rows] = data.correct[rows] > 0
    return GlmmFit(
        names=design.names,
        beta=beta,
        se=np.sqrt(np.diag(vcov)),
        vcov=vcov,
        random=random,
        sd=np.exp(log_sd),
        log_sd=log_sd,
        log_sd_se=log_sd_se,
        covariance=covariance,
        loglik=found.loglik,
        n_parameters=len(design.names) + len(random),
        n_cells=len(data),
        n_trials=int(data.trials.sum()),
        n_levels={name: len(group.levels) for name, group in groups.items()},
        modes=modes,
        mode_sd=mode_sd,
        fitted=fitted,
        base=design.base,
        separation=separation,
        notes=tuple(notes),
        converged=True,
        decrement=found.decrement,
        n_iter=found.n_iter,
        n_evaluations=model.n_evaluations,
    )


def _conditional(
    model: Laplace, found: Maximum, groups: dict[str, Grouping], kept: np.ndarray
) -> tuple[dict[str, pd.Series], dict[str, pd.Series], FloatArray]:
    """Return modes, their conditional standard deviations, and the fitted probabilities (NaN outside ``kept``)."""
    width, structure = model.design.shape[1], model.structure
    scale = np.exp(found.parameters[width:])
    sd = model.deviations(scale)
    mode = model.mode(found.parameters[:width], sd)
    spread = mode.factor.spread().effects
    modes, mode_sd = {}, {}
    for name, group in groups.items():
        index = pd.Index(np.flatnonzero(kept)) if name == CELL else group.levels
        values, errors = np.zeros(len(index)), np.zeros(len(index))
        if name in model.random:
            own = float(scale[model.random.index(name)])
            if name == CELL:
                places = structure.order
            elif name in {ITEM, PASSAGE}:
                places = structure.item_level if name == ITEM else structure.passage_level
            else:
                places = structure.outer_level[structure.outer_term == structure.outer.index(name)]
            values[places] = own * model.part(mode.effects, name)
            errors[places] = own * np.sqrt(model.part(spread, name))
        modes[name], mode_sd[name] = pd.Series(values, index=index), pd.Series(errors, index=index)
    fitted = np.full(len(kept), np.nan)
    fitted[np.flatnonzero(kept)[structure.order]] = mode.probability
    return modes, mode_sd, fitted
