"""The model against others: levels for passages, a discrimination for every item, no floor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import stats

from click_stats.stats.irt import marginal
from click_stats.stats.irt.data import FEWEST_2PL, leaves
from click_stats.stats.irt.dispersion import fit_dispersed

if TYPE_CHECKING:
    from click_stats.stats.irt.data import Responses
    from click_stats.stats.irt.marginal import Fit

SLOPES, FLOOR, PASSAGES = (
    "a discrimination for every item", "a floor at chance", "a level of models for every passage",
)  # fmt: skip
RATIO = "twice the gain in log marginal likelihood; half of chi-squared with 1 df"
GAIN = "twice the gain in log marginal likelihood"
FEW = "not estimated from fewer than 20 models"


class Chosen(NamedTuple):
    """The fit that is reported, the responses it is of (weighed), their correlation in a cell, and comparisons made."""

    fit: Fit
    responses: Responses
    correlation: float
    rows: list[dict[str, Any]]


def choose(responses: Responses, *, slopes: bool) -> Chosen:
    """Fit with levels for passages, where there are any and the likelihood gains by them, and compare with others."""
    simple = without_passages(responses)
    fit, weighed, correlation = fit_dispersed(simple, slopes=slopes)
    rows = [_slopes(weighed, fit, slopes=slopes)]
    if (responses.floor > 0).any():
        rows.append(_floor(weighed, fit, slopes=slopes))
    if responses.leaf_passage.any():
        other, other_weighed, other_correlation = fit_dispersed(responses, slopes=slopes)
        at_same_weights = other
        if correlation or other_correlation:
            at_same_weights = marginal.fit(
                replace(responses, correct=weighed.correct, trials=weighed.trials), slopes=slopes
            )
        rows.append(_row(PASSAGES, at_same_weights.bound - fit.bound))
        if at_same_weights.bound > fit.bound:
            return Chosen(other, other_weighed, other_correlation, rows)
    return Chosen(fit, weighed, correlation, rows)


def without_passages(responses: Responses) -> Responses:
    """Return the same with one level of a model for all items of a category."""
    nothing_shared = np.arange(responses.category.size, dtype=np.int64)
    leaf, leaf_category, leaf_passage = leaves(responses.category, nothing_shared, passages=False)
    return replace(responses, leaf=leaf, leaf_category=leaf_category, leaf_passage=leaf_passage)


def _slopes(weighed: Responses, fit: Fit, *, slopes: bool) -> dict[str, Any]:
    """Return the test of equal discriminations: a variance at the edge of its range (Self and Liang 1987)."""
    row: dict[str, Any] = {"check": SLOPES, "method": RATIO}
    if weighed.correct.shape[0] < FEWEST_2PL:
        return row | {"reason": FEW}
    other = marginal.fit(weighed, slopes=not slopes)
    gain = fit.bound - other.bound if slopes else other.bound - fit.bound
    p = 0.5 * float(stats.chi2.sf(2 * gain, 1)) if gain > 0 else 1.0
    return row | {"statistic": max(2 * gain, 0.0), "df": 1, "p_value": p}


def _floor(weighed: Responses, fit: Fit, *, slopes: bool) -> dict[str, Any]:
    other = marginal.fit(replace(weighed, floor=np.zeros_like(weighed.floor)), slopes=slopes)
    return _row(FLOOR, fit.bound - other.bound)


def _row(check: str, gain: float) -> dict[str, Any]:
    return {"check": check, "statistic": 2 * gain, "method": GAIN}
