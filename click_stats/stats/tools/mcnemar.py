"""Two models on the same items, one trial each: only the items that one alone got right tell them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


class OddsRatio(NamedTuple):
    """Matched odds ratio with its exact interval; infinite ends are infinite."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray


class Adjusted(NamedTuple):
    """A difference of paired shares and its standard error, both drawn towards no difference."""

    centre: FloatArray
    std_error: FloatArray


def exact(a_only: npt.ArrayLike, b_only: npt.ArrayLike) -> FloatArray:
    """Return the exact McNemar p-value: twice the binomial tail of the discordant items, 1 without any."""
    a, b = np.asarray(a_only), np.asarray(b_only)
    return np.asarray(np.minimum(1.0, 2.0 * stats.binom.cdf(np.minimum(a, b), a + b, 0.5)))


def mid_p(a_only: npt.ArrayLike, b_only: npt.ArrayLike) -> FloatArray:
    """Return the McNemar mid-p-value: outcomes as extreme as the observed one count half.

    Fagerland, Lydersen and Laake (2013), BMC Medical Research Methodology 13:91. Without discordant items: 1.
    """
    a, b = np.asarray(a_only), np.asarray(b_only)
    total, fewer = a + b, np.minimum(a, b)
    point = stats.binom.pmf(fewer, total, 0.5)
    p = np.where(a == b, 1.0 - 0.5 * point, 2.0 * stats.binom.cdf(fewer, total, 0.5) - point)
    return np.where(total == 0, 1.0, p)


def odds_ratio(a_only: npt.ArrayLike, b_only: npt.ArrayLike, level: float = 0.95) -> OddsRatio:
    """Return the matched odds ratio a/b and its interval from the Clopper-Pearson interval of a/(a + b).

    NaN without discordant items; 0 or infinite where one count is 0.
    """
    a, b = np.asarray(a_only, dtype=np.float64), np.asarray(b_only, dtype=np.float64)
    tail = (1.0 - level) / 2.0
    with np.errstate(divide="ignore", invalid="ignore"):
        low = np.where(a > 0, stats.beta.ppf(tail, np.maximum(a, 1), b + 1), 0.0)
        high = np.where(b > 0, stats.beta.isf(tail, a + 1, np.maximum(b, 1)), 1.0)
        found = OddsRatio(a / b, low / (1.0 - low), high / (1.0 - high))
    none = a + b == 0
    return OddsRatio(*(np.where(none, np.nan, value) for value in found))


def bonett_price(a_only: npt.ArrayLike, b_only: npt.ArrayLike, n: npt.ArrayLike) -> Adjusted:
    """Return centre and standard error of the Bonett-Price interval for the difference of paired shares.

    One item is added to each discordant cell, two to the total: the interval keeps its level with few discordant
    items, and is not of zero width without any. Bonett and Price (2012), J. Educ. Behav. Stat. 37:479-488.
    """
    a, b, total = np.asarray(a_only), np.asarray(b_only), np.asarray(n)
    share_a, share_b = (a + 1.0) / (total + 2.0), (b + 1.0) / (total + 2.0)
    centre = share_a - share_b
    return Adjusted(centre, np.sqrt((share_a + share_b - centre**2) / (total + 2.0)))
