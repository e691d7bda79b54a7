"""Items that share a passage: how much their covariance adds to the error of a mean, and takes from a test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from click_stats.stats.sensitivity.components import JOIN

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray


NAME = "passages"


def of(component: str) -> str:
    """Return the name of what passages add to a component."""
    return f"{NAME} {component}"


def facets(name: str) -> list[str]:
    """Return the facets of a component, or of what passages add to it."""
    return name.removeprefix(f"{NAME} ").split(JOIN)


def covariance(deviations: FloatArray, codes: IntArray) -> FloatArray:
    """Return (1 + G,) the covariance of an item with the others of its passage, summed; then without each passage.

    Over n items the variance of their mean is (variance + this) / n. Single answers are independent between items, so
    that their noise does not enter: only products of different items do. It can be negative by chance.

    Parameters
    ----------
    deviations
        (n, K) deviations of the items from their mean; the K columns are added up.
    codes
        (n,) passage of each item.
    """
    n_groups = int(codes.max()) + 1
    sums = np.zeros((n_groups, deviations.shape[1]))
    np.add.at(sums, codes, deviations)
    own = np.bincount(codes, (deviations**2).sum(axis=1), n_groups)
    products = (sums**2).sum(axis=1) - own
    size = np.bincount(codes, minlength=n_groups)
    left = np.maximum(len(codes) - size, 1)
    found: FloatArray = np.r_[products.sum() / len(codes), (products.sum() - products) / left]
    return found


def design_effect(deviations: FloatArray, codes: IntArray) -> float:
    """Return how many times larger passages make the variance of a mean of ``deviations`` (n, K); at least 1."""
    spread = float((deviations**2).sum()) / len(codes)
    return 1 + max(0.0, float(covariance(deviations, codes)[0]) / spread) if spread > 0 else 1.0


def of_rows(cells: FloatArray, axis: int | None = None) -> FloatArray:
    """Return (n, levels) deviations of the rows: of their means, or of the effect of a facet in each row."""
    means = cells.reshape(len(cells), -1).mean(axis=1, keepdims=True)
    if axis is not None:
        others = tuple(place for place in range(1, cells.ndim) if place != axis)
        means = cells.mean(axis=others) - means
    found: FloatArray = means - means.mean(axis=0, keepdims=True)
    return found
