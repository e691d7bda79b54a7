"""Fitting a linear mixed model to a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm import design as designs
from click_stats.stats.glmm.data import CELL, GlmmSpec, Table
from click_stats.stats.lmm.system import solve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.glmm.data import Grouping
    from click_stats.stats.glmm.design import Design
    from click_stats.stats.lmm.system import Solved


@dataclass(frozen=True)
class _Rows(Table):
    columns: pd.DataFrame


@dataclass(frozen=True)
class LmmFit:
    """Maximum of the restricted likelihood, or of the likelihood.

    Attributes
    ----------
    names
        Fixed effects: ``(intercept)``, ``category[Law]``, ``log10_params``.
    beta, se, vcov
        (columns,), (columns,) and (columns, columns): estimates, standard errors and covariance at the estimated
        variances, without any correction for these being estimated (see :func:`~click_stats.stats.lmm.tables.t_table`).
    random
        Random effects.
    sd
        (random,) their standard deviations; 0 at the boundary.
    residual_sd
        Residual standard deviation.
    restricted
        By REML.
    loglik
        Restricted log-likelihood (constant as in lme4), or log-likelihood.
    n_parameters, n_rows
        Fixed effects plus variances; rows used.
    n_levels
        Levels of each random effect.
    modes
        Predicted effects (BLUP) of each random effect, by level.
    notes
        Sentences for the reader.
    design
        Fixed effects: matrix, names, terms.
    columns
        The rows that were used.
    solved
        The fit as the engine has it.
    """

    names: tuple[str, ...]
    beta: FloatArray
    se: FloatArray
    vcov: FloatArray
    random: tuple[str, ...]
    sd: FloatArray
    residual_sd: float
    restricted: bool
    loglik: float
    n_parameters: int
    n_rows: int
    n_levels: dict[str, int]
    modes: dict[str, pd.Series]
    notes: tuple[str, ...]
    design: Design = field(repr=False)
    columns: pd.DataFrame = field(repr=False)
    solved: Solved = field(repr=False)

    @property
    def aic(self) -> float:
        """Akaike's criterion."""
        return 2.0 * self.n_parameters - 2.0 * self.loglik

    @property
    def bic(self) -> float:
        """Schwarz's criterion with the rows as sample size."""
        return float(np.log(self.n_rows)) * self.n_parameters - 2.0 * self.loglik


def fit_lmm(
    frame: pd.DataFrame,
    response: str,
    fixed: str = "",
    random: Sequence[str] = ("model",),
    *,
    base: Mapping[str, str] | None = None,
    restricted: bool = True,
) -> LmmFit:
    """Fit response = X beta + sum of independent normal effects of levels + residual.

    Parameters
    ----------
    frame
        One row for each value. Rows without a response are left out, with a note.
    response
        Column of the values, such as the logits of model x category cells.
    fixed
        Fixed effects: column names, numeric or categorical, joined by ``+``, ``:`` and ``*``; the intercept is
        always in. Categorical columns have treatment contrasts.
    random
        Random intercepts: columns or crossings (``model``, ``item``, ``item:wording``), crossed or nested.
    base
        Base level of a categorical column; the first in sorted order where none is given.
    restricted
        REML, the default; otherwise maximum likelihood (for likelihood-ratio tests of fixed effects).

    Returns
    -------
    LmmFit

    Raises
    ------
    ConvergenceError
        No maximum was found, or no residual variance is left.
    DataError
        Dependent columns; a random effect whose variance cannot be estimated; nothing that varies.
    UsageError
        A column or formula that cannot be read.
    """
    if response not in frame.columns:
        raise UsageError(f"The table has no column {response!r}.", found=", ".join(map(str, frame.columns)))
    values = pd.to_numeric(frame[response], errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    kept = np.isfinite(values)
    if not kept.any():
        raise DataError(f"The column {response!r} has no value.", do="Give values that are finite numbers.")
    notes = [f"{int((~kept).sum())} rows without a value of {response!r} are left out."] if not kept.all() else []
    rows = _Rows(frame.loc[kept].reset_index(drop=True))
    groups = _groupings(rows, random)
    design = designs.build(rows, GlmmSpec(fixed, tuple(random), base or {}))
    designs.refuse_saturated(design.matrix, groups)
    found = solve(values[kept], design.matrix, groups, restricted=restricted)
    notes += [
        f"The variance of {name!r} is estimated as 0 (at the boundary)."
        for name, ratio in zip(groups, found.ratios, strict=True)
        if ratio == 0
    ]
    return LmmFit(
        names=design.names,
        beta=found.beta,
        se=np.sqrt(np.diag(found.vcov)),
        vcov=found.vcov,
        random=tuple(groups),
        sd=np.sqrt(found.variances[:-1]),
        residual_sd=float(np.sqrt(found.variances[-1])),
        restricted=restricted,
        loglik=-0.5 * found.deviance,
        n_parameters=len(design.names) + len(groups) + 1,
        n_rows=len(rows),
        n_levels={name: len(group.levels) for name, group in groups.items()},
        modes={
            name: pd.Series(ratio * found.scale * effect, index=group.levels)
            for (name, group), ratio, effect in zip(
                groups.items(), found.ratios, found.evaluation.response, strict=True
            )
        },
        notes=tuple(notes),
        design=design,
        columns=rows.columns,
        solved=found,
    )


def _groupings(rows: Table, random: Sequence[str]) -> dict[str, Grouping]:
    """Return the groupings of the random effects, each of which must be able to have a variance of its own."""
    found: dict[str, Grouping] = {}
    for name in random:
        if name in found:
            raise UsageError(f"The random effect {name!r} is given twice.")
        if name == CELL:
            raise UsageError("In a linear mixed model an effect of each cell is the residual.", found=name)
        group = rows.grouping(name)
        levels = len(group.levels)
        if levels == 1:
            raise DataError(
                f"The random effect {name!r} has one level only, so its variance cannot be estimated.",
                found=str(group.levels[0]),
                do=f"Leave {name!r} out of the random effects.",
            )
        if levels == len(rows):
            raise DataError(
                f"Each row has a level of {name!r} of its own: its variance is part of the residual.",
                found=f"{levels} levels",
                do=f"Leave {name!r} out of the random effects.",
            )
        for other, one in found.items():
            if len(one.levels) == levels and len(np.unique(one.codes * levels + group.codes)) == levels:
                raise DataError(
                    f"The random effects {other!r} and {name!r} group the rows alike.",
                    found=f"{levels} levels",
                    do="Leave one of them out: only the sum of their variances can be estimated.",
                )
        found[name] = group
    return found
