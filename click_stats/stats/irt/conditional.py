"""The Rasch model by conditional maximum likelihood: difficulties without any assumption about abilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.sparse.csgraph import connected_components

from click_stats.errors import DataError
from click_stats.stats.irt.symmetric import abilities, given_scores, information

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import FloatArray, IntArray

    BoolArray = npt.NDArray[np.bool_]

ALL_RIGHT = "every model that tells items apart answered right"
ALL_WRONG = "no model that tells items apart answered right"
TOO_FEW = "fewer than two items that some models answer right and others wrong"
SPLIT = (
    "no finite conditional estimates: the items fall into two sets, and no model answers an item of the harder set "
    "right and one of the easier set wrong"
)
NOT_IN_GROUPS = "fewer than two items have a conditional estimate in every group"

MOST_STEPS = 100
TOLERANCE = 1e-10


@dataclass(frozen=True)
class ConditionalFit:
    """Conditional estimates of the Rasch model.

    Attributes
    ----------
    difficulty, std_error
        (I,) difficulties in logits with sum 0 over the kept items, and their errors; NaN for the items left out.
    left_out
        (I,) why an item is left out; empty for those kept.
    ability, ability_error
        (U,) ML abilities, the difficulties taken as known; NaN for a unit with all kept items right or wrong.
    log_likelihood
        Conditional log-likelihood at the estimates.
    n_parameters
        Free difficulties: the kept items less one.
    reason
        Why there are no estimates at all; empty when there are.
    """

    difficulty: FloatArray
    std_error: FloatArray
    left_out: tuple[str, ...]
    ability: FloatArray
    ability_error: FloatArray
    log_likelihood: float = np.nan
    n_parameters: int = 0
    reason: str = ""

    @property
    def kept(self) -> BoolArray:
        """(I,) whether an item has an estimate."""
        return np.isfinite(self.difficulty)


@dataclass(frozen=True)
class Andersen:
    """Andersen's likelihood-ratio test of equal difficulties in groups of units; ``kept`` (I,) items enter it."""

    statistic: float
    df: int
    p_value: float
    kept: BoolArray
    reason: str = ""


def fit(correct: IntArray) -> ConditionalFit:
    """Estimate the difficulties of the Rasch model from the conditional likelihood given the raw scores.

    Parameters
    ----------
    correct
        (U, I) answers of U units to I items, 1 right and 0 wrong, none missing.

    Returns
    -------
    ConditionalFit
        Items that all units with a usable score answered right, or wrong, are left out with the reason.

    Raises
    ------
    DataError
        Answers that are not 0 or 1.

    Notes
    -----
    Given its raw score, a unit's answers do not depend on its ability (Rasch 1960; Andersen 1970, 1972); a unit with no
    item or every item right says nothing. Items with equal numbers right have equal estimates, so that there are never
    more different difficulties than units: twenty models and two thousand items are a problem of nineteen numbers.
    Newton's method on them; the likelihood is concave. A finite maximum exists exactly when the items, linked from a
    right to a wrong one by a unit that has both, are strongly connected (Fischer 1981). Errors are from the inverse of
    the information under the sum-to-zero constraint. Time grows with units x items for the data and with the number
    of different item scores squared for the information: 2,000 x 2,000 is possible.
    """
    x = _checked(correct)
    items, units, left_out = _usable(x)
    nothing = ConditionalFit(*_missing(x.shape[1]), left_out, *_missing(x.shape[0]))
    if items.sum() < 2:
        return replace(nothing, reason=TOO_FEW)
    used = x[np.ix_(units, items)]
    if not _connected(used):
        return replace(nothing, reason=SPLIT)
    difficulty, std_error, log_likelihood = _estimate(used)
    ability, ability_error = _missing(x.shape[0])
    scores, place = np.unique(used.sum(axis=1), return_inverse=True)
    one_each = np.ones(difficulty.size, dtype=np.int64)
    found = abilities(difficulty, one_each, scores)
    ability[units] = found[place]
    ability_error[units] = (1 / np.sqrt(information(difficulty, one_each, found)))[place]
    return ConditionalFit(
        _spread(difficulty, items), _spread(std_error, items), left_out, ability, ability_error, log_likelihood,
        int(items.sum()) - 1,
    )  # fmt: skip


def andersen(correct: IntArray, split: IntArray | None = None) -> Andersen:
    """Test whether the difficulties are equal in groups of units (Andersen 1973).

    Parameters
    ----------
    correct
        (U, I) answers, 1 right and 0 wrong.
    split
        (U,) group of each unit; by default, whether its raw score is above the median.

    Returns
    -------
    Andersen
        Twice the log-likelihood that separate difficulties add, chi-squared with (groups - 1)(items - 1) degrees of
        freedom when every group has many units: with few models the p-value is rough. Items without an estimate in
        one of the groups are left out of all.
    """
    x = _checked(correct)
    if split is None:
        raw = x.sum(axis=1)
        split = (raw > (np.median(raw) if raw.size else 0)).astype(np.int64)
    parts = [split == label for label in np.unique(split)]
    kept = np.ones(x.shape[1], dtype=bool)
    while True:
        fits = [fit(x[part][:, kept]) for part in parts] if kept.sum() >= 2 else []
        everywhere = np.logical_and.reduce([one.kept for one in fits]) if fits else np.zeros(0, dtype=bool)
        if everywhere.sum() < 2 or len(parts) < 2:
            return Andersen(np.nan, 0, np.nan, np.zeros_like(kept), NOT_IN_GROUPS)
        if everywhere.all():
            break
        kept[np.flatnonzero(kept)[~everywhere]] = False
    statistic = 2 * (sum(one.log_likelihood for one in fits) - fit(x[:, kept]).log_likelihood)
    df = (len(parts) - 1) * (int(kept.sum()) - 1)
    return Andersen(statistic, df, float(stats.chi2.sf(statistic, df)), kept)


def _checked(correct: IntArray) -> IntArray:
    x = np.asarray(correct)
    if x.ndim != 2 or not np.isin(x, (0, 1)).all():
        raise DataError(
            "Conditional maximum likelihood needs answers that are right or wrong, one an item and none missing.",
            do="Use the default engine.",
        )
    return x.astype(np.int64)


def _usable(x: IntArray) -> tuple[BoolArray, BoolArray, tuple[str, ...]]:
    """Return the items and units that enter the likelihood, and why an item does not.

    Repeated: a unit that no longer differs between items can have been the only one to answer an item otherwise.
    """
    items, units = np.ones(x.shape[1], dtype=bool), np.ones(x.shape[0], dtype=bool)
    left_out = np.full(x.shape[1], "", dtype=object)
    while True:
        by_item, by_unit = x[units].sum(axis=0), x[:, items].sum(axis=1)
        right, wrong = items & (by_item == units.sum()), items & (by_item == 0)
        left_out[right], left_out[wrong] = ALL_RIGHT, ALL_WRONG
        kept_units = units & (by_unit > 0) & (by_unit < items.sum())
        kept_items = items & ~right & ~wrong
        if (kept_units == units).all() and (kept_items == items).all():
            return items, units, tuple(map(str, left_out))
        items, units = kept_items, kept_units


def _connected(x: IntArray) -> bool:
    """Whether steps from an item that a unit has right to one it has wrong lead from every item to every other."""
    steps = x.T.astype(np.float32) @ (1 - x).astype(np.float32) > 0
    n_sets, _ = connected_components(steps, connection="strong")
    return bool(n_sets == 1)


def _estimate(x: IntArray) -> tuple[FloatArray, FloatArray, float]:
    """Return difficulties, their errors and the log-likelihood of usable, connected answers."""
    n_units, n_items = x.shape
    right, group, size = np.unique(x.sum(axis=0), return_inverse=True, return_counts=True)
    scores, n_at = np.unique(x.sum(axis=1), return_counts=True)
    b = -np.log(right / (n_units - right))
    b -= size @ b / n_items
    known = _at(b, right, size, scores, n_at)
    for _ in range(MOST_STEPS):
        step = known.covariance @ known.gradient
        if np.abs(step).max() < TOLERANCE:
            break
        for _ in range(MOST_STEPS):
            # More right answers, lower difficulty: a step that breaks this order is too long.
            moved = b + step
            if (np.diff(moved) < 0).all():
                after = _at(moved, right, size, scores, n_at)
                if after.log_likelihood >= known.log_likelihood - 1e-9 * abs(known.log_likelihood):
                    break
            step = step / 2
        b, known = moved, after
    variance = np.diag(known.covariance) + known.within
    return b[group], np.sqrt(variance[group]), known.log_likelihood


@dataclass(frozen=True)
class _Evaluation:
    """The likelihood at G difficulties: its value, gradient, inverse information, and variance within a group."""

    log_likelihood: float
    gradient: FloatArray
    covariance: FloatArray
    within: FloatArray


def _at(b: FloatArray, right: IntArray, size: IntArray, scores: IntArray, n_at: IntArray) -> _Evaluation:
    """Evaluate the conditional likelihood at the difficulties ``b`` of groups of ``size`` items with ``right`` each.

    For two items of different difficulty, P(both | r) = (e_h P(g | r) - e_g P(h | r)) / (e_h - e_g); for two of the
    same group it follows from the sum over all items, r P(g | r). The information about items of one group is the same
    for all, so that it splits in that about their mean and that about differences between them.
    """
    given = given_scores(b, size, scores)
    p = given.right
    log_likelihood = -float(size * right @ b + n_at @ given.log_total)
    expected = n_at @ p
    e = np.exp(b.min() - b)  # of any scale: only ratios count
    with np.errstate(divide="ignore", invalid="ignore"):
        both = (e[None, :] * expected[:, None] - e[:, None] * expected[None, :]) / (e[None, :] - e[:, None])
    product = p.T @ (n_at[:, None] * p)
    information_ = size[:, None] * size[None, :] * (both - product)
    np.fill_diagonal(information_, 0.0)
    np.fill_diagonal(information_, -information_.sum(axis=1))  # the score is given: rows sum to 0
    scale = (np.trace(information_) or 1.0) / float(size @ size)
    covariance = np.linalg.inv(information_ + scale * np.outer(size, size)) - 1 / (scale * size.sum() ** 2)
    within = np.zeros(size.size)
    many = size > 1
    m = size[many]
    pair = (np.diag(information_)[many] - m * expected[many] + m**2 * np.diag(product)[many]) / (m * (m - 1))
    within[many] = (1 - 1 / m) / (expected[many] - pair)
    return _Evaluation(log_likelihood, size * (expected - right), covariance, within)


def _missing(n: int) -> tuple[FloatArray, FloatArray]:
    return np.full(n, np.nan), np.full(n, np.nan)


def _spread(values: FloatArray, where: BoolArray) -> FloatArray:
    found = np.full(where.size, np.nan)
    found[where] = values
    return found
