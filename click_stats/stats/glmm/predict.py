"""Accuracies that the fitted model gives to groups of cells, with their joint covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm import structure as structures
from click_stats.stats.glmm.data import GlmmData, groupings
from click_stats.stats.glmm.elimination import adjoint
from click_stats.stats.glmm.laplace import Laplace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import GlmmSpec
    from click_stats.stats.glmm.result import GlmmFit


class Prediction(NamedTuple):
    """Accuracies of groups of cells.

    Attributes
    ----------
    labels
        The groups, sorted.
    estimate, std_error
        (groups,) mean probability over the cells of each group.
    covariance
        (groups, groups): a contrast c has variance c' covariance c.
    n_cells, n_unseen
        (groups,) cells averaged, and how many of them have no trial.
    """

    labels: tuple[str, ...]
    estimate: FloatArray
    std_error: FloatArray
    covariance: FloatArray
    n_cells: FloatArray
    n_unseen: FloatArray


def predict(
    found: GlmmFit, data: GlmmData, spec: GlmmSpec, by: Sequence[str], *, unseen: pd.DataFrame | None = None
) -> Prediction:
    """Return the mean probability of groups of cells at the conditional modes.

    A model's accuracy in a category is drawn towards what its other answers and the other models say. The items are
    those given. The covariance is that of the joint normal approximation of fixed and random effects at the estimated
    standard deviations, carried over by the delta method.

    Parameters
    ----------
    found, data, spec
        A fit and what it was made from.
    by
        Columns whose crossing makes the groups: ``("model", "category")``.
    unseen
        Cells without a trial that count as well (columns as in ``data.columns``): an item that a model did not answer.

    Raises
    ------
    UsageError
        Unknown columns; levels of fixed effects that the fit does not know; a base level without finite estimate.
    """
    whole = data
    if unseen is not None and len(unseen):
        absent = [name for name in data.columns.columns if name not in unseen.columns]
        if absent:
            raise UsageError("The cells without trials lack columns.", found=", ".join(map(str, absent)))
        columns = pd.concat([data.columns, unseen[data.columns.columns]], ignore_index=True)
        none = np.zeros(len(unseen))
        whole = GlmmData(np.r_[data.correct, none], np.r_[data.trials, none], columns)
    design = designs.build(whole, spec)
    if design.names != found.names or design.base != found.base:
        raise UsageError(
            "The cells do not have the fixed effects of the fit.",
            found=", ".join(sorted(set(design.names) ^ set(found.names))),
            do="Give the data and the specification of the fit, and cells of levels that it has seen.",
        )
    text = [whole.column(name, use="groups").astype(str) for name in by]
    label = text[0]
    for part in text[1:]:
        label = label + ":" + part
    codes, labels = pd.factorize(label, sort=True)
    certain = _certain(found, design.matrix, len(data))
    probability, columns_of = np.empty(len(whole)), np.zeros((len(whole), len(labels)))
    size = np.bincount(codes)
    columns_of[np.arange(len(whole)), codes] = 1.0 / size[codes]
    probability[certain] = design.matrix[certain] @ _direction(found) > 0
    inner = whole.take(~certain)
    finite = np.isfinite(found.beta)
    groups = {name: group for name, group in groupings(inner, spec).items() if found.sd[found.random.index(name)] > 0}
    sd = np.array([found.sd[found.random.index(name)] for name in groups])
    structure = structures.build(groups, len(inner))
    model = Laplace(inner.correct, inner.trials, design.matrix[~certain][:, finite], structure, list(groups))
    deviations = model.deviations(sd)
    mode = model.mode(found.beta[finite], deviations)
    profile = model.profile(mode.factor)
    place = np.flatnonzero(~certain)[structure.order]
    probability[place] = mode.probability
    slopes = columns_of[place] * (mode.probability * (1.0 - mode.probability))[:, None]
    carried = np.empty_like(slopes)
    for k, slope in enumerate(slopes.T):
        answer = mode.factor.solve(adjoint(structure, deviations, slope))
        answer, shift = model.joined(profile, mode.factor, model.design.T @ slope, answer)
        carried[:, k] = mode.factor.predictor(answer) + model.design @ shift
    covariance = slopes.T @ carried
    covariance = 0.5 * (covariance + covariance.T)
    return Prediction(
        labels=tuple(map(str, labels)),
        estimate=np.bincount(codes, probability) / size,
        std_error=np.sqrt(np.diag(covariance)),
        covariance=covariance,
        n_cells=size.astype(np.float64),
        n_unseen=np.asarray(np.bincount(codes, whole.trials == 0), dtype=np.float64),
    )


def _direction(found: GlmmFit) -> FloatArray:
    if found.separation is None:
        return np.zeros(len(found.beta))
    return np.nan_to_num(found.separation.direction)


def _certain(found: GlmmFit, matrix: FloatArray, n_seen: int) -> np.ndarray:
    """Return the cells whose probability runs to 0 or 1; every other one must have a finite predictor."""
    lost = ~np.isfinite(found.beta)
    certain = np.asarray(np.abs(matrix[:, lost]).sum(axis=1) > 0)
    if found.separation is not None and (certain[:n_seen] != found.separation.cells).any():
        raise UsageError(
            "Predictions need finite estimates outside of what is separated.",
            found=", ".join(found.separation.names),
            do="Choose a base level that is neither all right nor all wrong.",
        )
    return certain
