"""Agreement beyond chance: each measure is a function of sums over items, so that resampling items is adding up.

Ratings are an array of codes ``(I, R)``: what each of R raters said of each of I items, 0 to k - 1, and -1 where a
rater said nothing. A measure gives the sums of each item and the function that turns added sums into an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from click_stats.counts import FloatArray, IntArray

Scale = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]

ONE_VALUE = "every rating is the same: agreement by chance would be perfect too"
NO_PAIRS = "no item was rated by two raters"
FEW_COMPLETE = "no item was rated by every rater"
TINY = 1e-12


@dataclass(frozen=True)
class Measure:
    """A measure of agreement as sums over items.

    Attributes
    ----------
    name
        What it is called.
    sums
        (n, W) sums of each item that enters.
    items
        (n,) the items that enter, as rows of the ratings.
    parts
        From added sums (..., W) to observed and expected disagreement or agreement, both (...).
    agreement
        Whether ``parts`` are agreements (kappa) or disagreements (alpha).
    n_ratings
        Ratings that enter.
    missing
        Why there is nothing to estimate, when no item enters.
    """

    name: str
    sums: FloatArray
    items: IntArray
    parts: Callable[[FloatArray], tuple[FloatArray, FloatArray]]
    agreement: bool
    n_ratings: int
    missing: str

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the estimate of added sums (..., W), NaN where chance alone would give perfect agreement."""
        observed, expected = self.parts(sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (observed - expected) / (1 - expected) if self.agreement else 1 - observed / expected
        undefined = (1 - expected if self.agreement else expected) < TINY
        return np.where(undefined, np.nan, found)


def cohen(ratings: IntArray, a: int, b: int, k: int, weights: Weights = "none") -> Measure:
    """Return Cohen's kappa of two raters, weighted where categories have an order.

    Notes
    -----
    With p the shares of the items by the categories of both raters and w the weights of agreement (1 on the diagonal,
    1 - |i - j|/(k - 1) linear, 1 - (i - j)²/(k - 1)² quadratic), kappa = (Σ w p - Σ w p_i. p_.j)/(1 - Σ w p_i. p_.j)
    (Cohen 1960, 1968). Items that one of the two did not rate are left out.
    """
    x, y = ratings[:, a], ratings[:, b]
    items = np.flatnonzero((x >= 0) & (y >= 0))
    sums = np.zeros((len(items), k * k))
    sums[np.arange(len(items)), x[items] * k + y[items]] = 1.0
    credit = agreement_weights(k, weights)

    def parts(total: FloatArray) -> tuple[FloatArray, FloatArray]:
        table = total.reshape(*total.shape[:-1], k, k)
        with np.errstate(invalid="ignore", divide="ignore"):
            table = table / table.sum(axis=(-2, -1), keepdims=True)
        by_chance = table.sum(axis=-1)[..., :, None] * table.sum(axis=-2)[..., None, :]
        return (credit * table).sum(axis=(-2, -1)), (credit * by_chance).sum(axis=(-2, -1))

    return Measure("Cohen's kappa", sums, items, parts, agreement=True, n_ratings=2 * len(items), missing=NO_PAIRS)


def fleiss(ratings: IntArray, k: int, category: int | None = None) -> Measure:
    """Return Fleiss' kappa of all raters, or of one category against the others.

    Notes
    -----
    For item i with n_ij ratings of category j by R raters, P_i = (Σ n_ij² - R)/(R (R - 1)) and P_e = Σ p_j² with p_j
    the share of category j (Fleiss 1971). Items that some rater did not rate are left out: their number of ratings
    would differ; Krippendorff's alpha uses them.
    """
    n_raters = ratings.shape[1]
    items = np.flatnonzero((ratings >= 0).all(axis=1)) if n_raters > 1 else np.zeros(0, dtype=np.int64)
    coded = ratings[items] if category is None else (ratings[items] == category).astype(np.int64)
    counts = _counts(coded, k if category is None else 2)
    pairs = ((counts**2).sum(axis=1) - n_raters) / max(n_raters * (n_raters - 1), 1)
    sums = np.column_stack([pairs, counts / n_raters, np.ones(len(items))])

    def parts(total: FloatArray) -> tuple[FloatArray, FloatArray]:
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = total[..., :-1] / total[..., -1:]
        return mean[..., 0], (mean[..., 1:] ** 2).sum(axis=-1)

    return Measure(
        "Fleiss' kappa", sums, items, parts, agreement=True, n_ratings=n_raters * len(items), missing=FEW_COMPLETE
    )


def krippendorff(ratings: IntArray, values: FloatArray, scale: Scale = "nominal") -> Measure:
    """Return Krippendorff's alpha, which takes missing ratings as they come.

    Parameters
    ----------
    ratings
        (I, R) codes; -1 is missing.
    values
        (k,) the number that each code stands for, increasing; only ``interval`` looks at it.
    scale
        How far apart two categories are: ``nominal`` 0 or 1; ``interval`` the squared difference of their values;
        ``ordinal`` the squared number of ratings between them.

    Notes
    -----
    Each item with m >= 2 ratings adds its pairs of ratings, divided by m - 1, to the coincidences o_ck. With n_c their
    sums and n the sum of those, alpha = 1 - (n - 1) Σ o_ck d²_ck / Σ n_c n_k d²_ck (Krippendorff 2004, chapter 11).
    """
    k = len(values)
    counts = _counts(ratings, k)
    size = counts.sum(axis=1)
    items = np.flatnonzero(size > 1)
    own, pairable = counts[items], size[items]
    each = own[:, :, None] * own[:, None, :] - own[:, :, None] * np.eye(k)
    sums = (each / np.maximum(pairable - 1, 1)[:, None, None]).reshape(len(items), k * k)

    def parts(total: FloatArray) -> tuple[FloatArray, FloatArray]:
        table = total.reshape(*total.shape[:-1], k, k)
        by_category = table.sum(axis=-1)
        n = by_category.sum(axis=-1)
        distance = _distance(by_category, values, scale)
        chance = by_category[..., :, None] * by_category[..., None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            observed = (table * distance).sum(axis=(-2, -1)) / n
            expected = (chance * distance).sum(axis=(-2, -1)) / (n * (n - 1))
        return observed, expected

    return Measure(
        "Krippendorff's alpha", sums, items, parts, agreement=False, n_ratings=int(pairable.sum()), missing=NO_PAIRS
    )


def agreement_weights(k: int, weights: Weights) -> FloatArray:
    """Return (k, k) the credit for two ratings: 1 for the same, less for others when there are weights."""
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / max(k - 1, 1)
    credit = {"none": (apart == 0).astype(float), "linear": 1 - apart, "quadratic": 1 - apart**2}[weights]
    return np.asarray(credit, dtype=np.float64)


def _counts(ratings: IntArray, k: int) -> FloatArray:
    """Return (n, k) how often each category was given to each item."""
    return np.stack([(ratings == code).sum(axis=1) for code in range(k)], axis=1).astype(np.float64)


def _distance(by_category: FloatArray, values: FloatArray, scale: Scale) -> FloatArray:
    k = len(values)
    if scale == "nominal":
        return 1.0 - np.eye(k)
    if scale == "interval":
        return np.asarray(np.subtract.outer(values, values) ** 2, dtype=np.float64)
    upto = np.cumsum(by_category, axis=-1)
    middle = upto - by_category / 2  # ratings below a category and half of its own
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2, dtype=np.float64)
