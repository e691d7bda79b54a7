"""What may be said: classes of evidence from Bayes factors, and the verdict about a region of practical equivalence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from click_stats.stats.families import EQUIVALENT, NOT_DECIDED, NOT_SEPARATED, SEPARATED

if TYPE_CHECKING:
    from collections.abc import Sequence

STRONG = 3.0
"""Bayes factor from which, or below the inverse of which, there is evidence."""
FAR = 2.5
"""Posterior standard deviations from 0 beyond which the density at 0 is not estimated, only bounded."""
EFFECTIVE_LEAST = 4000
"""Effective draws below which no Bayes factor is given."""
FOR_NULL, FOR_EFFECT, WEAK, DISAGREE = "for no effect", "for an effect", "weak evidence", "priors disagree"


class BayesFactor(NamedTuple):
    """Bayes factor of no effect against an effect under one prior.

    Attributes
    ----------
    value
        Posterior over prior density at 0 (Dickey 1971); NaN where only a bound or nothing is given.
    error
        Monte Carlo standard error of ``value``.
    bound
        Upper bound where 0 lies far out; NaN elsewhere.
    evidence
        One of the classes; empty when undefined.
    reason
        Why there is no value.
    """

    value: float
    error: float
    bound: float
    evidence: str
    reason: str = ""


def bayes_factor(
    at_zero: float, error: float, prior_at_zero: float, *, distance: float, bound: float, effective: float
) -> BayesFactor:
    """Return the Savage-Dickey ratio, or a bound of it.

    Parameters
    ----------
    at_zero, error
        Posterior density at 0 and its Monte Carlo error.
    prior_at_zero
        Prior density at 0.
    distance
        Posterior standard deviations between the posterior mean and 0.
    bound
        Upper bound of the posterior density at 0, used beyond ``FAR`` standard deviations.
    effective
        Effective draws behind the density.
    """
    if not effective >= EFFECTIVE_LEAST:
        have = f"{effective:.0f}" if np.isfinite(effective) else "no"
        return BayesFactor(
            np.nan, np.nan, np.nan, "", f"{have} effective draws, where a Bayes factor needs {EFFECTIVE_LEAST}"
        )
    if distance > FAR:
        most = bound / prior_at_zero
        kind = FOR_EFFECT if most < 1.0 / STRONG else WEAK
        return BayesFactor(
            np.nan, np.nan, most, kind, f"0 lies more than {FAR} posterior standard deviations away: only a bound"
        )
    value, spread = at_zero / prior_at_zero, error / prior_at_zero
    # Twice the Monte Carlo error must not reach across the threshold.
    kind = FOR_NULL if value - 2.0 * spread > STRONG else FOR_EFFECT if value + 2.0 * spread < 1.0 / STRONG else WEAK
    return BayesFactor(value, spread, np.nan, kind)


def agreed(kinds: Sequence[str]) -> str:
    """Return the class that all priors share; empty where one of them has none."""
    if not kinds or "" in kinds:
        return ""
    return kinds[0] if len(set(kinds)) == 1 else DISAGREE


class Rope(NamedTuple):
    """Verdict about one effect, and why when it is not decided."""

    verdict: str
    reason: str = ""


def rope(low: float, high: float, margin: float | None) -> Rope:
    """Return the verdict of an interval of the effect (shares), given a margin of practical equivalence.

    Inside the margin: equivalent. Wholly beyond it: separated. A half-width above the margin could never lie inside, so
    such data cannot decide; nor can an interval across the margin (Kruschke 2018). Without a margin an interval that
    leaves out 0 is separated, one that holds it is not; never equivalent.
    """
    if not (np.isfinite(low) and np.isfinite(high)):
        return Rope(NOT_DECIDED, "no interval")
    if margin is None:
        return Rope(SEPARATED if low > 0 or high < 0 else NOT_SEPARATED)
    if -margin <= low and high <= margin:
        return Rope(EQUIVALENT)
    if low > margin or high < -margin:
        return Rope(SEPARATED)
    if (high - low) / 2.0 > margin:
        return Rope(NOT_DECIDED, "cannot decide: the half-width of the interval exceeds the margin")
    return Rope(NOT_DECIDED, "the interval reaches across the margin")


def over_priors(verdicts: Sequence[Rope], chosen: int) -> Rope:
    """Return the verdict under the chosen prior, unless another prior gives a different one."""
    if len({one.verdict for one in verdicts}) > 1:
        return Rope(NOT_DECIDED, "the verdict depends on the prior")
    return verdicts[chosen]


def quantiles(level: float) -> tuple[float, float]:
    """Return the probabilities at the ends of a central interval."""
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0
