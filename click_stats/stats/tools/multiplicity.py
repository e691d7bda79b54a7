"""Adjusted p-values within a family. A p-value that does not exist is left out: it is no test, and stays missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from click_stats.counts import FloatArray


def n_estimable(p: npt.ArrayLike) -> int:
    """Return the size of the family: the number of p-values there are."""
    return int(np.isfinite(np.asarray(p, dtype=np.float64)).sum())


def holm(p: npt.ArrayLike) -> FloatArray:
    """Adjust by Holm (1979): family-wise error under any dependence. NaN stays NaN and does not count."""
    given = np.asarray(p, dtype=np.float64)
    found = np.full(given.shape, np.nan)
    there = np.flatnonzero(np.isfinite(given))
    order = there[np.argsort(given[there], kind="stable")]
    left = len(order) - np.arange(len(order))
    found[order] = np.minimum(1.0, np.maximum.accumulate(left * given[order]))
    return found


def benjamini_hochberg(p: npt.ArrayLike) -> FloatArray:
    """Adjust by Benjamini and Hochberg (1995): false discovery rate. NaN stays NaN and does not count."""
    given = np.asarray(p, dtype=np.float64)
    found = np.full(given.shape, np.nan)
    there = np.flatnonzero(np.isfinite(given))
    order = there[np.argsort(given[there], kind="stable")][::-1]
    place = len(order) - np.arange(len(order))
    found[order] = np.minimum(1.0, np.minimum.accumulate(len(order) / place * given[order]))
    return found
