"""Bins of confidence, calibration error, and what both would be if the stated confidences were true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.calibration.forecasts import Forecasts

Scale = Literal["rescaled", "separate"]

FEWEST_ITEMS = 1000
"""Items below which a calibration error gets no percentile interval."""
MOST_PAIRS = 200_000
_CHUNK = 1 << 19
"""Draws held at once: they stay in a core's cache."""
_MOST_CORRELATION = 0.999
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@dataclass(frozen=True)
class Bins:
    """Trials by confidence.

    Attributes
    ----------
    code
        (T,) bin of each trial, 0..B-1.
    low, high
        (B,) ends of the bins: confidences, or shares of the way from 1/N to 1 when rescaled.
    n_options
        (B,) number of options of the items of a bin; 0 where items of several N share it.
    weight, confidence, accuracy
        (B,) weight, mean confidence and mean hit of the trials; the last two NaN in an empty bin.
    """

    code: IntArray
    low: FloatArray
    high: FloatArray
    n_options: IntArray
    weight: FloatArray
    confidence: FloatArray
    accuracy: FloatArray

    @property
    def gap(self) -> FloatArray:
        """(B,) accuracy less confidence, 0 in an empty bin."""
        return np.nan_to_num(self.accuracy - self.confidence)

    @property
    def error(self) -> float:
        """Expected calibration error: the mean over trials of the size of their bin's gap."""
        return float((self.weight * np.abs(self.gap)).sum())


class Null(NamedTuple):
    """What a calibrated unit with these confidences would show.

    Attributes
    ----------
    errors
        (draws,) calibration errors.
    low, high
        (B,) consistency bars: quantiles of the accuracy of each bin.
    correlation
        Correlation, on the normal scale, of the answers to one item that was used.
    """

    errors: FloatArray
    low: FloatArray
    high: FloatArray
    correlation: float


def bins_of(found: Forecasts, n_bins: int, scale: Scale) -> Bins:
    """Sort the trials into bins of equal width that start at 1/N, below which no largest probability can lie.

    Parameters
    ----------
    n_bins
        Bins of an item with N options.
    scale
        ``rescaled``: bins of (c - 1/N)/(1 - 1/N), shared by items of all N; ``separate``: bins of c from 1/N to 1, of
        their own for every N.
    """
    n = found.n_options
    place = (found.confidence - 1 / n) / (1 - 1 / n)
    inner = np.clip((place * n_bins + 1e-9).astype(np.int64), 0, n_bins - 1)
    edges = np.arange(n_bins + 1) / n_bins
    kinds = np.unique(n) if scale == "separate" else np.array([0])
    group = np.searchsorted(kinds, n) if scale == "separate" else np.zeros(n.size, dtype=np.int64)
    floor = np.array([1 / k if k else 0.0 for k in kinds])[:, None]
    ends = floor + (1 - floor) * edges
    code = group * n_bins + inner
    size = kinds.size * n_bins
    weight = np.bincount(code, found.weight, minlength=size).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        confidence = np.bincount(code, found.weight * found.confidence, minlength=size) / weight
        accuracy = np.bincount(code, found.weight * found.hit, minlength=size) / weight
    return Bins(
        code,
        ends[:, :-1].ravel(),
        ends[:, 1:].ravel(),
        np.repeat(kinds, n_bins).astype(np.int64),
        weight,
        confidence,
        accuracy,
    )


def correlation_within(found: Forecasts, bins: Bins, seed: int) -> float:
    """Return the correlation, on the normal scale, of the answers to one item that its pairs of trials show.

    The mean product of the residuals of two trials of an item, hit less the accuracy of its bin, equals what a
    bivariate normal with this correlation, cut at the two accuracies, would give (its covariance is the integral of the
    bivariate density over the correlation: Plackett 1954). 0 with one trial an item, and when the products are not
    positive. At most 200,000 pairs are used, drawn at random.
    """
    order = np.argsort(found.item, kind="stable")
    _, start, number = np.unique(found.item[order], return_index=True, return_counts=True)
    several = number > 1
    if not several.any():
        return 0.0
    start, number = start[several], number[several]
    pairs = number * (number - 1) // 2
    if pairs.sum() <= MOST_PAIRS:
        parts = []
        for m in np.unique(number):
            inner = np.stack(np.triu_indices(m, 1))
            parts.append((inner[:, None, :] + start[number == m][:, None]).reshape(2, -1))
        first, second = np.concatenate(parts, axis=1)
    else:
        rng = np.random.default_rng([seed, 1])
        chosen = rng.choice(start.size, size=MOST_PAIRS, p=pairs / pairs.sum())
        left = rng.integers(0, number[chosen])
        right = rng.integers(0, number[chosen] - 1)
        first, second = start[chosen] + left, start[chosen] + right + (right >= left)
    first, second = order[first], order[second]
    residual = found.hit - bins.accuracy[bins.code]
    observed = float((residual[first] * residual[second]).mean())
    size = bins.weight.size
    pair, times = np.unique(bins.code[first] * size + bins.code[second], return_counts=True)
    one, two = bins.accuracy[pair // size], bins.accuracy[pair % size]
    usable = (one > 0) & (one < 1) & (two > 0) & (two < 1)
    if observed <= 0 or not usable.any():
        return 0.0
    a, b, shares = ndtri(one[usable]), ndtri(two[usable]), times[usable] / times.sum()

    def excess(rho: float) -> float:
        return float(shares @ _joint(a, b, rho)) - observed

    if excess(_MOST_CORRELATION) <= 0:
        return _MOST_CORRELATION
    return float(brentq(excess, 0.0, _MOST_CORRELATION, xtol=1e-6))


def _joint(a: FloatArray, b: FloatArray, rho: float) -> FloatArray:
    """Return the probability that two standard normals of correlation rho lie below a and b, less the product."""
    angle = np.arcsin(rho) * (_NODES + 1) / 2  # r = sin(angle) takes the singularity at 1 out of the integral
    sine, cosine = np.sin(angle), np.cos(angle)
    exponent = -(a[:, None] ** 2 - 2 * a[:, None] * b[:, None] * sine + b[:, None] ** 2) / (2 * cosine**2)
    whole: FloatArray = np.exp(exponent) @ _WEIGHTS * np.arcsin(rho) / 2 / (2 * np.pi)
    return whole


def null_of(found: Forecasts, bins: Bins, level: float, draws: int, seed: int) -> Null:
    """Draw answers from the stated confidences and return what the calibration error and the bins would be.

    Consistency resampling (Broecker and Smith 2007): each trial is a hit with probability c. Trials of one item are
    drawn together from a normal copula with the correlation of :func:`correlation_within`; with one trial an item they
    are independent.
    """
    rho = correlation_within(found, bins, seed)
    rng = np.random.default_rng(seed)
    size, n = bins.weight.size, len(found)
    member = np.zeros((n, size), dtype=np.float32)
    member[np.arange(n), bins.code] = found.weight * n  # near 1: single precision keeps six digits
    expected = np.bincount(bins.code, found.weight * found.confidence, minlength=size)
    c = found.confidence.astype(np.float32)
    cut = ndtri(found.confidence).astype(np.float32)
    items, place = np.unique(found.item, return_inverse=True)
    own, shared = np.float32(np.sqrt(1 - rho)), np.float32(np.sqrt(rho))
    sums = np.empty((draws, size))
    rows = max(1, _CHUNK // max(n, 1))
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        if rho > 0:
            latent = rng.standard_normal((count, n), dtype=np.float32) * own
            latent += (shared * rng.standard_normal((count, items.size), dtype=np.float32))[:, place]
            hits = latent < cut
        else:
            hits = rng.random((count, n), dtype=np.float32) < c
        sums[start : start + count] = hits.astype(np.float32) @ member / n
    errors = np.abs(sums - expected).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        accuracies = np.where(bins.weight > 0, np.minimum(sums / bins.weight, 1.0), np.nan)
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.full((2, size), np.nan)
    used = bins.weight > 0
    low[used], high[used] = np.quantile(accuracies[:, used], tails, axis=0)
    return Null(errors, low, high, rho)


def p_of(error: float, null: Null) -> float:
    """Return the share of draws, the data among them, whose calibration error is at least as large."""
    return float((1 + (null.errors >= error - 1e-6).sum()) / (null.errors.size + 1))


def mean_square(found: Forecasts, bins: Bins) -> float:
    """Return the debiased mean square calibration error, which chance may make negative.

    The mean over trials of the squared gap of their bin, less the part that chance adds: the variance of each gap,
    taken between passages (CR1). Unbiased for these bins (Broecker 2012; Ferro and Fricker 2012; Kumar, Liang and Ma
    2019). A bin with one passage has the binomial variance of its confidence.
    """
    cluster = found.clusters[found.item]
    size, groups = bins.weight.size, int(found.clusters.max(initial=0)) + 1
    place = bins.code * groups + cluster
    residual = found.hit - found.confidence - bins.gap[bins.code]
    sums = np.bincount(place, found.weight * residual, minlength=size * groups).reshape(size, groups)
    number = (np.bincount(place, minlength=size * groups).reshape(size, groups) > 0).sum(axis=1)
    used = bins.weight > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (sums**2).sum(axis=1) / bins.weight**2 * number / (number - 1)
    variance = np.where(number == 1, bins.confidence * (1 - bins.confidence), variance)
    return float((bins.weight[used] * (bins.gap[used] ** 2 - variance[used])).sum())


def percentiles(found: Forecasts, bins: Bins, level: float, draws: int, seed: int) -> tuple[float, float]:
    """Return the percentile interval of the calibration error over resampled passages.

    Every resample has a calibration error above 0, so the interval is never evidence that the error is not 0.
    """
    groups, code = np.unique(found.clusters[found.item], return_inverse=True)
    size, n = bins.weight.size, groups.size
    gaps = np.bincount(code * size + bins.code, found.weight * (found.hit - found.confidence), minlength=n * size)
    weights = np.bincount(code, found.weight, minlength=n)
    columns = np.column_stack([gaps.reshape(n, size), weights])
    rng = np.random.default_rng([seed, 2])
    errors = np.empty(draws)
    rows = max(1, _CHUNK // n)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        picks = rng.integers(0, n, size=(count, n)) + n * np.arange(count)[:, None]
        times = np.bincount(picks.ravel(), minlength=count * n).reshape(count, n)
        totals = times @ columns
        errors[start : start + count] = np.abs(totals[:, :-1]).sum(axis=1) / totals[:, -1]
    low, high = np.quantile(errors, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def n_by_bin(found: Forecasts, bins: Bins) -> tuple[IntArray, IntArray]:
    """Return (B,) numbers of trials and of different items in each bin."""
    size = bins.weight.size
    trials = np.bincount(bins.code, minlength=size)
    distinct = np.unique(np.stack([bins.code, found.item]), axis=1)
    return trials, np.bincount(distinct[0], minlength=size)


def upper_limit(null: Null, level: float) -> float:
    """Return the largest calibration error that a calibrated unit shows in a share ``level`` of draws."""
    return float(np.quantile(null.errors, level))
