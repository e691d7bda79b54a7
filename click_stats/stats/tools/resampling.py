"""Drawing whole clusters of items with replacement, and the estimates of the resamples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from click_stats.counts import FloatArray, IntArray

_CHUNK = 1 << 16
"""Draws held at once: they, and the counts made of them, stay in a core's cache."""
_PRODUCT = 1 << 18
"""Multiplications in one matrix product: OpenBLAS keeps products up to this size on one core, where they do not
wait for another core that is busy."""
_EXACT = 1 << 24
"""Integers below this are exact in single precision, whatever the order of a sum."""
_LARGEST_SCALE = 60
"""Item scores are tried as integers over a common number of trials up to this."""


class Cell(NamedTuple):
    """Sums of one stratum by cluster: ``sums`` (U, G) of w y, ``sizes`` (G,) of w."""

    sums: FloatArray
    sizes: FloatArray


class Resamples(NamedTuple):
    """Estimates (draws, U) of the resamples, and their variances when asked for."""

    estimates: FloatArray
    variances: FloatArray | None


def cells_of(values: FloatArray, clusters: IntArray, strata: IntArray | None, weights: FloatArray | None) -> list[Cell]:
    """Sum up complete values by stratum and cluster, as integers where the scores allow it."""
    _, g = np.unique(clusters, return_inverse=True)
    size = int(g.max()) + 1
    w = np.ones(g.size) if weights is None else weights
    product = values * w
    scale = _scale(product)
    if scale:
        product = np.rint(product * scale)
        w = w * scale
    codes = np.zeros(g.size, dtype=np.int64) if strata is None else np.unique(strata, return_inverse=True)[1]
    cells = []
    for code in range(int(codes.max()) + 1):
        own = codes == code
        sums, sizes = np.zeros((len(product), size)), np.zeros(size)
        for row, scores in enumerate(product):
            sums[row] = np.bincount(g[own], scores[own], minlength=size)
        sizes += np.bincount(g[own], w[own], minlength=size)
        cells.append(Cell(sums, sizes))
    return cells


def _scale(product: FloatArray) -> int:
    """Return the smallest number of trials that makes all scores integers; 0 when there is none."""
    distinct = np.unique(product)
    for scale in range(1, _LARGEST_SCALE + 1):
        if np.abs(distinct * scale - np.rint(distinct * scale)).max() < 1e-9:
            return scale
    return 0


def _homes(cells: list[Cell]) -> IntArray:
    """Return (G,) the stratum in which each cluster is drawn: the one with most of its items."""
    homes: IntArray = np.argmax([cell.sizes for cell in cells], axis=0)
    return homes


def resample(cells: list[Cell], draws: int, seed: int, *, variances: bool) -> Resamples:
    """Draw clusters and estimate.

    The multiplicity of each cluster in a chunk of resamples, times a matrix of the clusters' sums, gives all
    sums of all units in one product: single precision where its integers are exact there, else double.
    """
    rng = np.random.default_rng(seed)
    homes = _homes(cells)
    n_units = len(cells[0].sums)
    width = 3 * n_units + 2 if variances else n_units + 1
    totals = np.zeros((len(cells), draws, width))
    for home in range(len(cells)):
        own = np.flatnonzero(homes == home)
        touched = [c for c, cell in enumerate(cells) if cell.sizes[own].any()]
        if not touched:
            continue
        columns = np.concatenate([_columns(cells[c], own, variances=variances) for c in touched], axis=1)
        for start, part in _products(columns, draws, rng):
            split = part.reshape(len(part), len(touched), width).transpose(1, 0, 2)
            totals[touched, start : start + len(part)] += split
    sizes = totals[:, :, n_units, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = totals[:, :, :n_units] / sizes
        estimates = shares.mean(axis=0)
        if not variances:
            return Resamples(estimates, None)
        squares, cross = totals[:, :, n_units + 1 : 2 * n_units + 1], totals[:, :, 2 * n_units + 1 : -1]
        n_clusters = np.array([np.count_nonzero(cell.sizes) for cell in cells])[:, None, None]
        spread = squares - 2 * shares * cross + shares**2 * totals[:, :, -1:]
        by_stratum = n_clusters / (n_clusters - 1) * np.maximum(spread, 0) / sizes**2
    return Resamples(estimates, by_stratum.sum(axis=0) / len(cells) ** 2)


def _columns(cell: Cell, own: IntArray, *, variances: bool) -> FloatArray:
    """Return (G, width) what is summed over drawn clusters: s, n and, for variances, s², s n, n²."""
    s, n = cell.sums[:, own].T, cell.sizes[own, None]
    parts = [s, n, s**2, s * n, n**2] if variances else [s, n]
    return np.concatenate(parts, axis=1)


def _products(columns: FloatArray, draws: int, rng: np.random.Generator) -> Iterator[tuple[int, FloatArray]]:
    """Yield, chunk by chunk, the sums (rows, width) over the clusters of each resample."""
    n = len(columns)
    exact = n * np.abs(columns).max() < _EXACT and bool((columns == np.rint(columns)).all())
    dtype: npt.DTypeLike = np.float32 if exact else np.float64
    matrix = np.ascontiguousarray(columns, dtype=dtype)
    small = np.uint16 if n <= np.iinfo(np.uint16).max else np.uint32
    rows = min(draws, max(1, _CHUNK // n))
    block = max(1, _PRODUCT // matrix.size)
    offsets = np.arange(0, rows * n, n)[:, None]
    times = np.empty(rows * n, dtype=dtype)
    one = times.dtype.type(1)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        picks = rng.integers(0, n, size=(count, n), dtype=small) + offsets[:count]
        times[:] = 0
        np.add.at(times, picks.ravel(), one)
        drawn = times.reshape(rows, n)[:count]
        for first in range(0, count, block):
            yield start + first, drawn[first : first + block] @ matrix


def variance(cells: list[Cell]) -> FloatArray:
    """Return (U,) the variance of the data by the formula used in the resamples."""
    total = np.zeros(len(cells[0].sums))
    for cell in cells:
        n_clusters = np.count_nonzero(cell.sizes)
        share = cell.sums.sum(axis=1) / cell.sizes.sum()
        spread = ((cell.sums - share[:, None] * cell.sizes) ** 2).sum(axis=1)
        total += n_clusters / (n_clusters - 1) * spread / cell.sizes.sum() ** 2
    return total / len(cells) ** 2


def acceleration(cells: list[Cell]) -> FloatArray:
    """Return (U,) accelerations from the estimates with one cluster deleted."""
    homes = _homes(cells)
    less_one = np.zeros_like(cells[0].sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        for cell in cells:
            rest = cell.sums.sum(axis=1, keepdims=True) - cell.sums
            less_one += rest / (cell.sizes.sum() - cell.sizes) / len(cells)
    for home in np.unique(homes):
        own = homes == home
        part = less_one[:, own]
        less_one[:, own] = (part.mean(axis=1, keepdims=True) - part) * (1 - 1 / own.sum())
    with np.errstate(invalid="ignore", divide="ignore"):
        skewness: FloatArray = (less_one**3).sum(axis=1) / (6 * (less_one**2).sum(axis=1) ** 1.5)
    return skewness
