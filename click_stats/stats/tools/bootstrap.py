"""Bootstrap intervals of a mean over items: whole clusters of items are drawn, not items or trials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.tools.clustered import ClusteredMean, cluster_means, patterns
from click_stats.stats.tools.intervals import NO_WIDTH, Interval, check_level, clustered_wilson, undefined
from click_stats.stats.tools.resampling import acceleration, cells_of, resample, variance

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.tools.resampling import Cell, Resamples

Kind = Literal["percentile", "bca", "studentised"]

METHODS: dict[str, str] = {
    "percentile": "cluster bootstrap, percentile",
    "bca": "cluster bootstrap, BCa",
    "studentised": "cluster bootstrap, studentised",
}
FELL_BACK = "a resample has no spread: clustered Wilson instead"
EMPTY_RESAMPLE = "a resample leaves a category without items"
ONE_SIDED = "all resamples lie on one side of the estimate"

FEWEST_DRAWS = 1000


def bootstrap_intervals(
    values: FloatArray,
    clusters: IntArray,
    strata: IntArray | None = None,
    weights: FloatArray | None = None,
    *,
    kind: Kind,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    limits: tuple[float, float] = (0.0, 1.0),
) -> list[Interval]:
    """Return a bootstrap interval of the mean of each unit.

    Parameters
    ----------
    values
        (U, I) item scores, or differences of them; NaN is left out.
    clusters
        (I,) codes >= 0; clusters are drawn with replacement, as many as there are.
    strata
        (I,) codes of categories: the estimate is the mean over categories of their means, and clusters are
        drawn within categories. A cluster that crosses categories is drawn in the one that holds most of its
        items and brings its items to all of theirs.
    weights
        (U, I) weights of the items; equal by default.
    kind
        ``percentile``, ``bca`` or ``studentised``.
    level
        Confidence level.
    draws
        Number of resamples, at least 1,000.
    seed
        Seed of the draws. Units answered on the same items share their draws, and an interval does not depend
        on which other units are there.
    limits
        Ends to which a studentised interval is clipped.

    Returns
    -------
    list of Interval
        One per unit. Undefined, with the reason, where no resample differs from the others.

    Notes
    -----
    Quantiles are the order statistics at (draws + 1) times the probability, interpolated, as in R's boot (which
    interpolates on the normal scale). BCa (Efron 1987): z0 counts half of the resamples equal to the estimate;
    the acceleration is that of the estimates with one cluster deleted, weighted by stratum as in Davison and
    Hinkley (1997, section 5.3). The studentised interval divides by the CR1 error of each resample; where one
    has no spread it is the clustered Wilson interval, flagged.
    """
    if draws < FEWEST_DRAWS:
        raise UsageError(
            f"A bootstrap interval needs at least {FEWEST_DRAWS} resamples.", found=str(draws), do="Raise draws."
        )
    check_level(level)
    values = np.asarray(values, dtype=np.float64)
    found: list[Interval | None] = [None] * len(values)
    for rows in patterns(values, weights):
        kept = ~np.isnan(values[rows[0]])
        w = None if weights is None else weights[rows[0], kept]
        s = None if strata is None else strata[kept]
        same = None if weights is None else weights[rows]
        means = cluster_means(values[rows], clusters, strata, same)
        usable = [place for place, mean in enumerate(means) if not mean.reason]
        for place, mean in enumerate(means):
            found[rows[place]] = undefined(METHODS[kind], mean.reason)
        if usable:
            cells = cells_of(values[np.ix_(rows[usable], kept)], clusters[kept], s, w)
            some = _intervals([means[place] for place in usable], cells, kind, level, draws, seed, limits)
            for place, interval in zip(usable, some, strict=True):
                found[rows[place]] = interval
    return [interval for interval in found if interval is not None]


def accelerations(values: FloatArray, clusters: IntArray, strata: IntArray | None = None) -> FloatArray:
    """Return (U,) accelerations of BCa for complete (U, I) values: skewness of the means less one cluster."""
    return acceleration(cells_of(values, clusters, strata, None))


def _intervals(
    means: list[ClusteredMean],
    cells: list[Cell],
    kind: Kind,
    level: float,
    draws: int,
    seed: int,
    limits: tuple[float, float],
) -> list[Interval]:
    estimate = np.array([mean.estimate for mean in means])
    sample = resample(cells, draws, seed, variances=kind == "studentised")
    broken = ~np.isfinite(sample.estimates).all()
    if broken:
        return [undefined(METHODS[kind], EMPTY_RESAMPLE) for _ in means]
    tails = np.array([(1 - level) / 2, (1 + level) / 2])
    if kind == "studentised":
        return _studentised(means, sample, cells, tails, level, limits)
    ordered = np.sort(np.ascontiguousarray(sample.estimates.T), axis=1)
    probabilities = np.broadcast_to(tails, (len(means), 2))
    if kind == "bca":
        z0 = _bias(ordered, estimate)
        shifted = z0[:, None] + stats.norm.ppf(tails)
        with np.errstate(invalid="ignore"):
            probabilities = stats.norm.cdf(z0[:, None] + shifted / (1 - acceleration(cells)[:, None] * shifted))
    ends = _quantiles(ordered, probabilities)
    found = []
    for row, mean in enumerate(means):
        if mean.std_error == 0:
            found.append(undefined(METHODS[kind], NO_WIDTH))
        elif np.isnan(probabilities[row]).any():
            found.append(undefined(METHODS[kind], ONE_SIDED))
        else:
            found.append(Interval(float(ends[row, 0]), float(ends[row, 1]), METHODS[kind], np.nan))
    return found


def _studentised(
    means: list[ClusteredMean],
    sample: Resamples,
    cells: list[Cell],
    tails: FloatArray,
    level: float,
    limits: tuple[float, float],
) -> list[Interval]:
    estimate = np.array([mean.estimate for mean in means])
    assert sample.variances is not None
    flat = np.any(sample.variances < 1e-20, axis=0).reshape(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        pivots = (sample.estimates - estimate) / np.sqrt(sample.variances)
    error = np.sqrt(variance(cells))
    found = []
    for row, mean in enumerate(means):
        if flat[row]:
            spare = clustered_wilson(mean, level)
            found.append(spare._replace(flag="; ".join(filter(None, [spare.flag, FELL_BACK]))))
            continue
        pivot = np.sort(np.ascontiguousarray(pivots[:, row]))
        low, high = _quantiles(pivot[None], tails[None])[0] * error[row]
        ends = np.clip([mean.estimate - high, mean.estimate - low], *limits)
        found.append(Interval(float(ends[0]), float(ends[1]), METHODS["studentised"], np.nan))
    return found


def _bias(ordered: FloatArray, estimate: FloatArray) -> FloatArray:
    """Return (U,) z0 of BCa: resamples equal to the estimate count half; infinite becomes NaN."""
    below = (ordered < estimate[:, None] - 1e-12).mean(axis=1)
    above = (ordered > estimate[:, None] + 1e-12).mean(axis=1)
    z0: FloatArray = stats.norm.ppf((1 + below - above) / 2)
    return np.where(np.isfinite(z0), z0, np.nan)


def _quantiles(ordered: FloatArray, probabilities: FloatArray) -> FloatArray:
    """Return (U, 2) order statistics at (draws + 1) p of ordered (U, draws), interpolated."""
    draws = ordered.shape[1]
    place = np.clip((draws + 1) * np.nan_to_num(probabilities, nan=0.5), 1, draws) - 1
    lower = np.floor(place).astype(np.int64)
    part = place - lower
    upper = np.minimum(lower + 1, draws - 1)
    row = np.arange(len(ordered))[:, None]
    ends: FloatArray = ordered[row, lower] * (1 - part) + ordered[row, upper] * part
    return ends
