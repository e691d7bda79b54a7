"""The difference between two groups of models at equal score, in shares: defined with few models too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


class Adjusted(NamedTuple):
    """Per item, all (I,): focal less reference at equal score; NaN where it cannot be told from the score.

    Attributes
    ----------
    estimate, std_error, df
        The difference, its standard error by ordinary least squares, and its degrees of freedom, units - 3. Without
        residuals (everyone right, say) nothing is known of the error: it is NaN, not 0.
    """

    estimate: FloatArray
    std_error: FloatArray
    df: FloatArray

    def quantile(self, level: float) -> FloatArray:
        """Return the quantile of Student's distribution of an interval."""
        return np.asarray(stats.t.ppf((1 + level) / 2, np.where(self.df > 0, self.df, np.nan)), dtype=np.float64)

    @property
    def p_value(self) -> FloatArray:
        """Return two-sided p-values of the difference."""
        with np.errstate(invalid="ignore", divide="ignore"):
            t = np.abs(self.estimate) / self.std_error
        return np.asarray(2 * stats.t.sf(t, np.where(self.df > 0, self.df, np.nan)), dtype=np.float64)


def adjusted(y: FloatArray, focal: FloatArray, score: FloatArray) -> Adjusted:
    """Regress each item on score and group, and return what the group adds.

    Parameters
    ----------
    y
        (U, I) item scores, NaN where missing; a unit counts once whatever its number of trials.
    focal
        (U,) 1 for the focal group, 0 for the reference group.
    score
        (U, I) matching score.

    Notes
    -----
    Analysis of covariance: y = a + b score + d focal + e, by partialling the score out of both (Frisch and Waugh 1933).
    """
    weight = np.isfinite(y).astype(np.float64)
    n = weight.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        response, group, z = (
            (values - (values * weight).sum(axis=0) / n) * weight
            for values in (np.where(weight > 0, y, 0.0), np.broadcast_to(focal[:, None], y.shape), score)
        )
        spread = (z**2).sum(axis=0)
        flat = spread < 1e-20
        slope = [np.where(flat, 0.0, (one * z).sum(axis=0) / spread) for one in (response, group)]
        response, group = (one - b * z for one, b in zip((response, group), slope, strict=True))
        room = (group**2).sum(axis=0)
        usable = (room > 1e-9) & (n > 3)
        estimate = np.where(usable, (response * group).sum(axis=0) / room, np.nan)
        rest = ((response - estimate * group) ** 2 * weight).sum(axis=0)
        df = np.where(usable, n - 3, np.nan)
        error = np.sqrt(rest / df / room)
    return Adjusted(estimate, np.where(usable & (rest > 1e-18), error, np.nan), df)
