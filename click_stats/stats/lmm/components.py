"""Variance components of crossed and nested random facets (generalisability theory)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.stats.glmm.data import Grouping
from click_stats.stats.glmm.design import independent
from click_stats.stats.lmm.system import solve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from click_stats.counts import FloatArray

RESIDUAL = "residual"


@dataclass(frozen=True)
class VarianceComponents:
    """REML estimates of variance components.

    Attributes
    ----------
    variances
        Variance of each term, by name, then ``residual``; 0 at the boundary, NaN where it cannot be estimated.
    std_errors
        Their asymptotic standard errors (observed information); NaN for a variance of 0 or undefined.
    covariance
        Of the variances: a frame by term and term.
    reasons
        For each variance that is NaN, why.
    notes
        Sentences for the reader: boundary estimates, terms left out.
    mean, mean_se
        The intercept (with fixed terms: of the first levels) and its standard error with all terms random.
    log_likelihood
        Restricted log-likelihood.
    n_rows
        Values used.
    n_levels
        Levels of each term.
    """

    variances: pd.Series
    std_errors: pd.Series
    covariance: pd.DataFrame
    reasons: dict[str, str]
    notes: tuple[str, ...]
    mean: float
    mean_se: float
    log_likelihood: float
    n_rows: int
    n_levels: dict[str, int]

    @property
    def residual(self) -> float:
        """The residual variance: what no term explains, with all interactions that were left out."""
        return float(self.variances[RESIDUAL])


def variance_components(
    y: npt.ArrayLike,
    facets: Mapping[str, npt.ArrayLike],
    terms: Sequence[str] | None = None,
    *,
    fixed: Sequence[str] = (),
) -> VarianceComponents:
    """Estimate the variance of each random facet and interaction by REML.

    y = mean + fixed terms + sum of independent normal effects, one for each level of each term, + residual. With
    balanced data and no estimate at 0 the results are those of the expected mean squares (Searle, Casella and
    McCulloch 1992, section 4.8); negative ones are 0 here, with a note.

    Parameters
    ----------
    y
        (rows,) scores. Rows that are NaN are left out, with a note.
    facets
        Name to (rows,) labels or codes, such as item, wording, rotation.
    terms
        Random terms: names of facets, and interactions such as ``item:wording`` (levels are the crossings that
        occur). All facets without interactions when None. Give a nested facet labels that are unique over its parents,
        or name it with them (``item:replicate``).
    fixed
        Terms whose levels are fixed: their means are fitted and no variance is estimated. Columns that others give
        already are left out.

    Returns
    -------
    VarianceComponents
        A term of one level, with one level for each row (it is the residual), or that groups the rows as an
        earlier one does has the variance NaN and a reason.

    Raises
    ------
    DataError
        Nothing is left to estimate, or no residual variance.
    UsageError
        Unknown facets, lengths that differ.
    """
    values = np.asarray(y, dtype=np.float64)
    names = list(facets) if terms is None else list(terms)
    codes = {name: pd.factorize(np.asarray(labels), use_na_sentinel=False)[0] for name, labels in facets.items()}
    _check(values, facets, [*names, *fixed])
    kept = np.isfinite(values)
    notes = [f"{int((~kept).sum())} values are missing and left out."] if not kept.all() else []
    if not kept.any():
        raise DataError("There is no value to split into components.", do="Give scores that are numbers.")
    values = values[kept]
    groups, reasons = _usable({name: _crossed(name, codes, kept) for name in names}, len(values))
    matrix = _means([_crossed(name, codes, kept) for name in fixed], len(values))
    if np.ptp(values) == 0.0:
        same = f"all {len(values)} scores are equal: nothing varies"
        reasons |= dict.fromkeys([*groups, RESIDUAL], same)
        return _report(names, reasons, notes, groups, float(values[0]), n_rows=len(values))
    found = solve(values, matrix, groups, restricted=True)
    fitted = list(groups)
    notes += [
        f"The variance of {name!r} is estimated as 0 (at the boundary)."
        for name, ratio in zip(fitted, found.ratios, strict=True)
        if ratio == 0
    ]
    labels = [*names, RESIDUAL]
    places = [labels.index(name) for name in [*fitted, RESIDUAL]]
    variances = np.full(len(labels), np.nan)
    variances[places] = found.variances
    covariance = np.full((len(labels), len(labels)), np.nan)
    covariance[np.ix_(places, places)] = found.covariance
    return _report(
        names,
        reasons,
        notes,
        groups,
        float(found.beta[0]),
        variances=variances,
        covariance=covariance,
        mean_se=float(np.sqrt(found.vcov[0, 0])),
        log_likelihood=-0.5 * found.deviance,
        n_rows=len(values),
    )


def _check(values: FloatArray, facets: Mapping[str, npt.ArrayLike], terms: list[str]) -> None:
    unknown = sorted({part for name in terms for part in name.split(":")} - set(facets))
    if unknown:
        raise UsageError(
            f"There is no facet {unknown[0]!r}.", found=", ".join(facets), do="Name facets, or join them by ':'."
        )
    twice = sorted({name for name in terms if terms.count(name) > 1})
    if twice:
        raise UsageError(f"The term {twice[0]!r} is given twice.")
    for name, labels in facets.items():
        if values.ndim != 1 or len(np.asarray(labels)) != len(values):
            raise UsageError(f"The facet {name!r} has {len(np.asarray(labels))} labels for {values.size} values.")


def _crossed(name: str, codes: Mapping[str, npt.NDArray[np.intp]], kept: np.ndarray) -> Grouping:
    """Return the levels of a facet, or the crossings of facets, that occur in the rows kept."""
    joined = np.zeros(int(kept.sum()), dtype=np.int64)
    for part in name.split(":"):
        code = codes[part][kept].astype(np.int64)
        joined = np.unique(joined * (int(code.max()) + 1) + code, return_inverse=True)[1].astype(np.int64).ravel()
    return Grouping(joined, pd.RangeIndex(int(joined.max()) + 1))


def _usable(groups: dict[str, Grouping], n_rows: int) -> tuple[dict[str, Grouping], dict[str, str]]:
    """Return the terms whose variance can be estimated, and for each other one why not."""
    kept: dict[str, Grouping] = {}
    reasons: dict[str, str] = {}
    for name, group in groups.items():
        levels = len(group.levels)
        alike = [
            other
            for other, one in kept.items()
            if len(one.levels) == levels and len(np.unique(one.codes * levels + group.codes)) == levels
        ]
        if levels == 1:
            reasons[name] = f"{name} has one level only"
        elif levels == n_rows:
            reasons[name] = f"each value has a level of {name} of its own: it is part of the residual"
        elif alike:
            reasons[name] = f"{name} groups the values as {alike[0]} does: only their sum can be estimated"
        else:
            kept[name] = group
    return kept, reasons


def _means(groups: list[Grouping], n_rows: int) -> FloatArray:
    """Return the intercept and indicators of the fixed levels, as far as they are independent."""
    columns = [np.ones((n_rows, 1))]
    columns += [
        (group.codes[:, None] == np.arange(1, len(group.levels))).astype(np.float64)
        for group in groups
        if len(group.levels) > 1
    ]
    matrix = np.concatenate(columns, axis=1)
    rest = matrix - matrix.mean(axis=0)  # the intercept is in: look at the others about their means
    return np.asarray(matrix[:, np.r_[True, independent(rest[:, 1:])]], dtype=np.float64)


def _report(
    names: list[str],
    reasons: dict[str, str],
    notes: list[str],
    groups: dict[str, Grouping],
    mean: float,
    *,
    n_rows: int,
    variances: FloatArray | None = None,
    covariance: FloatArray | None = None,
    mean_se: float = float("nan"),
    log_likelihood: float = float("nan"),
) -> VarianceComponents:
    labels = pd.Index([*names, RESIDUAL], name="term")
    empty = np.full((len(labels), len(labels)), np.nan)
    covariance = empty if covariance is None else covariance
    variances = empty[0] if variances is None else variances
    return VarianceComponents(
        variances=pd.Series(variances, index=labels),
        std_errors=pd.Series(np.sqrt(np.diag(covariance)), index=labels),
        covariance=pd.DataFrame(covariance, index=labels, columns=labels),
        reasons=reasons,
        notes=(*notes, *(f"No variance of {name!r}: {why}." for name, why in reasons.items())),
        mean=mean,
        mean_se=mean_se,
        log_likelihood=log_likelihood,
        n_rows=n_rows,
        n_levels={name: len(group.levels) for name, group in groups.items()},
    )
