"""Fitting the logistic mixed model on counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import separation as separations
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE, groupings
from click_stats.stats.glmm.laplace import Laplace
from click_stats.stats.glmm.maximise import SMALL, TOLERANCE, ConvergenceError, Maximum, maximise, rises
from click_stats.stats.glmm.restricted import Restricted
from click_stats.stats.glmm.result import GlmmFit
from click_stats.stats.glmm.start import LOWEST

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmData, GlmmSpec, Grouping
    from click_stats.stats.glmm.design import Design
    from click_stats.stats.glmm.separation import Separation


def fit(
    data: GlmmData,
    spec: GlmmSpec,
    *,
    restricted: bool = False,
    start: FloatArray | None = None,
    tol: float = TOLERANCE,
) -> GlmmFit:
    """Fit logit p = X beta + random effects to binomial counts by maximum likelihood (Laplace).

    Parameters
    ----------
    data
        Counts by cell.
    spec
        Fixed and random effects.
    restricted
        Maximise the restricted likelihood: the fixed effects are integrated out when standard deviations are
        estimated, so that few models do not make the variance over models too small. Such log-likelihoods compare
        only between fits with the same fixed effects.
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
    model, found, zero = _search(inner, matrix, groups, restricted, start, tol)
    notes += [
        f"The variance of {name!r} is estimated as 0; the other standard errors take it as known." for name in zero
    ]
    return _report(data, design, separation, kept, columns, groups, model, found, notes)


def _search(
    data: GlmmData,
    matrix: FloatArray,
    groups: dict[str, Grouping],
    restricted: bool,
    start: FloatArray | None,
    tol: float,
) -> tuple[Laplace, Maximum, tuple[str, ...]]:
    """Maximise, leaving out random effects whose variance is 0, and check that it is 0 there."""

    def build(names: list[str]) -> Laplace:
        chosen = {name: groups[name] for name in names}
        return (Restricted if restricted else Laplace)(
            data.correct, data.trials, matrix, structures.build(chosen, len(data)), names
        )

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
        risen = _risen(build([*names, *zero]), found, zero) if zero else []
        if not risen:
            return model, model.complete(found), tuple(zero)
        # Effects that went to 0 together need not all be 0: start again with those that the likelihood asks for.
        zero = [name for name in zero if name not in risen]
        start = np.r_[model.complete(found).parameters, np.full(len(risen), np.log(SMALL))]
        names += risen
    raise ConvergenceError(
        "The mixed model did not converge: a variance is neither 0 nor found.",
        found=", ".join(names),
        do="Leave out a random effect.",
    )


def _risen(whole: Laplace, found: Maximum, zero: list[str]) -> list[str]:
    """Return the effects left out with which the likelihood would rise from a standard deviation of 0."""
    edge = np.r_[found.parameters, np.full(len(zero), np.log(LOWEST))]
    first = len(found.parameters)
    return [name for k, name in enumerate(zero) if rises(whole, edge, first + k, found.loglik)]


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
        restricted=isinstance(model, Restricted),
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
