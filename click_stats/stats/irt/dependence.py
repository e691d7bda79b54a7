"""Local dependence: whether answers to items of one passage go together beyond what abilities explain (Yen's Q3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from click_stats.counts import FloatArray, IntArray

    BoolArray = npt.NDArray[np.bool_]

FEWEST_UNITS = 4
"""Models that must have answered both items of a pair."""
DRAWS = 999
NO_PAIR = "no passage with two items that some models answer right and others wrong"
NO_REFERENCE = "no pair of items of different passages in a category to compare with"
CONSTANT = 1e-12


@dataclass(frozen=True)
class Dependence:
    """Correlations of residuals within passages.

    Attributes
    ----------
    first, second
        (P,) positions of the items of each pair within a passage.
    q3
        (P,) correlation over models of the two items' residuals.
    q3_star
        (P,) ``q3`` less the mean over all pairs of items.
    n_units
        (P,) models that answered both.
    p_value
        (P,) share of the pairs of different passages of the same category with at least this correlation.
    mean
        Mean over all pairs of items: abilities estimated from the same answers make it negative.
    within, between
        Mean of the pairs within passages, and of those of different passages in the same categories.
    within_p
        One-sided p-value of ``within``: passages' labels permuted within categories.
    chance_high
        Correlation that 2.5 % of the pairs of different passages reach.
    n_between
        Pairs of different passages.
    """

    first: IntArray
    second: IntArray
    q3: FloatArray
    q3_star: FloatArray
    n_units: IntArray
    p_value: FloatArray
    mean: float
    within: float
    between: float
    within_p: float
    chance_high: float
    n_between: int
    reason: str = ""


def local_dependence(
    correct: FloatArray,
    trials: FloatArray,
    probability: FloatArray,
    clusters: IntArray,
    category: IntArray,
    *,
    seed: int = 0,
) -> Dependence:
    """Return Q3 of the pairs of items within passages.

    Parameters
    ----------
    correct, trials, probability
        (U, I) right answers, trials, and expected shares (undefined ones are left out): from abilities without passage
        effects, or they hide what is looked for.
    clusters, category
        (I,) codes of passages and of categories.
    seed
        Of the permutations.

    Notes
    -----
    Yen (1984); the mean over all pairs is taken off (Christensen, Makransky and Horton 2017). What is large depends on
    the number of models and on the difficulties, so that no fixed limit is used: pairs of different passages of the
    same category, which share models and estimation, say what chance gives. Items that all or none answer right have
    no residual of their own and take no part.
    """
    differing = (correct.sum(axis=0) > 0) & (correct.sum(axis=0) < trials.sum(axis=0))
    places = np.flatnonzero(differing)
    r, n = _correlations(correct[:, places], trials[:, places], probability[:, places])
    group, kind = clusters[places], category[places]
    upper = np.triu(np.isfinite(r), 1)
    same = group[:, None] == group
    alike = kind[:, None] == kind
    i, j = np.nonzero(upper & same)
    if not i.size:
        return _nothing(NO_PAIR)
    mean = float(r[upper].mean())
    multiple = np.isin(kind, np.unique(kind[i]))  # the categories in which passages are shared
    between = np.sort(r[upper & ~same & alike & multiple[:, None]])
    q3 = r[i, j]
    within = float(q3.mean())
    columns = (places[i].astype(np.int64), places[j].astype(np.int64), q3, q3 - mean, n[i, j].astype(np.int64))
    if not between.size:
        return Dependence(*columns, np.full(i.size, np.nan), mean, within, np.nan, np.nan, np.nan, 0, NO_REFERENCE)
    at_least = between.size - np.searchsorted(between, q3 - CONSTANT, side="left")
    return Dependence(
        *columns,
        p_value=(at_least + 1) / (between.size + 1),
        mean=mean,
        within=within,
        between=float(between.mean()),
        within_p=_permuted(r, group, kind, within, seed),
        chance_high=float(np.quantile(between, 0.975)),
        n_between=int(between.size),
    )


def _correlations(correct: FloatArray, trials: FloatArray, probability: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (I, I) correlations of the residual shares over the models that answered both items, and their number."""
    answered = (trials > 0) & np.isfinite(probability)
    seen = answered.astype(np.float64)
    share = np.divide(correct, trials, out=np.zeros_like(probability), where=answered)
    d = np.where(answered, share - probability, 0.0)
    n = seen.T @ seen
    total = d.T @ seen  # of the row's item, over the models that answered the column's too
    square = (d**2).T @ seen
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = square - total**2 / n
        r = (d.T @ d - total * total.T / n) / np.sqrt(spread * spread.T)
    r[(n < FEWEST_UNITS) | (spread < CONSTANT) | (spread.T < CONSTANT)] = np.nan
    return r, n


def _permuted(r: FloatArray, group: IntArray, kind: IntArray, within: float, seed: int) -> float:
    """Return the p-value of the mean within passages when items are dealt to passages anew within their category."""
    rng = np.random.default_rng(seed)
    sharing = np.unique(kind[np.bincount(group)[group] > 1])
    members = [np.flatnonzero(kind == one) for one in sharing]
    i, j = np.nonzero(np.triu(group[:, None] == group, 1))
    hits = 0
    place = np.arange(group.size)
    for _ in range(DRAWS):
        for one in members:
            place[one] = rng.permutation(one)
        hits += int(np.nanmean(r[place[i], place[j]]) >= within - CONSTANT)
    return (hits + 1) / (DRAWS + 1)


def _nothing(reason: str) -> Dependence:
    none, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
    nan = float("nan")
    return Dependence(none, none, numbers, numbers, none, numbers, nan, nan, nan, nan, nan, 0, reason)
