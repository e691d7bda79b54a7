"""How often the intervals hold the truth: CLIcK's category sizes and passages, accuracies .25 to .95, 1 and 12 trials.

Answers. Single trials of items without shared passages are independent answers of one probability, so the number of
right ones is binomial and coverage is a sum over all numbers (for a pair: over all numbers of discordant items of both
kinds): exact. Elsewhere items differ. An item's probability of a right answer has a beta distribution with the cell's
accuracy as mean and an intraclass correlation of .6 (of two trials of one item; other values in a table of their own);
normal scores of the probabilities correlate .4 within a passage (about .2 between answers of two of its items; the
mean of 20 real files in Textual is .19); trials are binomial given the probability. Two models share 80 % of the
normal score's variance (correlation of their answers about .45; the mean of the pairs of real files is .40). The truth is the mean of the
distribution: items and passages are a sample, as the default interval takes them. The numbers were set before the
first run and have not been changed since.

Intervals are the package's: exact cells call them for every possible outcome; simulated cells use the same formulas
for all replications at once, and 25 replications of each cell are checked against the package. An interval that is
undefined counts as missing the truth.

Usage: python benchmarks/coverage.py [--write] [--replications 10000]
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pages
import pandas as pd
from scipy import stats

import click_stats
from click_stats.stats.tools.bootstrap import METHODS, bootstrap_intervals
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import bonett_price, clustered_t, clustered_wilson, plain_refusal, wilson

ACCURACIES, TRIALS, GAPS = (0.25, 0.5, 0.8, 0.95), (1, 12), (0.0, 0.05)
ITEM_CORRELATION, PASSAGE_CORRELATION, MODEL_CORRELATION = 0.6, 0.4, 0.8
SEED, LEVEL, FEW_DISCORDANT = 20240311, 0.95, 10
DRAWS = 2000
"""Resamples of a bootstrap interval in simulated cells (10,000 in exact ones)."""
OTHER_CORRELATIONS = (0.1, 0.3, 0.6, 0.8)
MEAN, CELL, TOLERANCE = (0.94, 0.97), (0.93, 0.98), 0.005
DEFAULT, PLAIN, STUDENT = "clustered Wilson", "Wilson, plain", "clustered t"
REFUSED, PAIRED = "Wilson, plain, where refused", "paired: t, Bonett-Price below 10"


@cache
def categories() -> dict[str, np.ndarray]:
    """Cluster codes of the items of every category, sorted, from the packaged key table."""
    items = pd.read_csv(Path(click_stats.__file__).parent / "items" / "click-items.csv", dtype=str)
    parts = items.groupby("category", sort=False)["cluster"]
    return {str(name): np.sort(pd.factorize(part)[0]) for name, part in parts}


def shared(clusters: np.ndarray) -> bool:
    return bool(clusters.max() + 1 < clusters.size)


@cache
def easiness(accuracy: float, correlation: float = ITEM_CORRELATION) -> tuple[np.ndarray, np.ndarray]:
    """Normal scores, and the probabilities of a right answer at them."""
    total = 1 / correlation - 1
    z = np.linspace(-6, 6, 4001)
    return z, stats.beta.ppf(stats.norm.cdf(z), accuracy * total, (1 - accuracy) * total)


def answers(
    rng: np.random.Generator,
    accuracies: tuple[float, ...],
    clusters: np.ndarray,
    trials: int,
    rows: int,
    correlation: float = ITEM_CORRELATION,
) -> list[np.ndarray]:
    """(rows, items) correct trials of each model on the same items."""
    within = np.sqrt(1 - PASSAGE_CORRELATION) * rng.standard_normal((rows, clusters.size))
    z = within + np.sqrt(PASSAGE_CORRELATION) * rng.standard_normal((rows, clusters.max() + 1))[:, clusters]
    found = []
    for accuracy in accuracies:
        own = z
        if len(accuracies) > 1:
            own = np.sqrt(MODEL_CORRELATION) * z + np.sqrt(1 - MODEL_CORRELATION) * rng.standard_normal(z.shape)
        p = np.interp(own, *easiness(accuracy, correlation))
        found.append(rng.binomial(trials, p) if trials > 1 else (rng.random(p.shape) < p).astype(np.int64))
    return found


def means_and_errors(y: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means (rows,) and their CR1 errors; clusters sorted."""
    mean = y.mean(axis=1)
    starts = np.flatnonzero(np.diff(clusters, prepend=-1))
    u = np.add.reduceat(y - mean[:, None], starts, axis=1) / clusters.size
    g = starts.size
    return mean, np.sqrt(g / (g - 1) * (u**2).sum(axis=1))


def wilson_ends(mean: np.ndarray, error: np.ndarray, g: int) -> tuple[np.ndarray, np.ndarray]:
    """Clustered Wilson of all rows; NaN without spread between 0 and 1."""
    t2 = stats.t.isf((1 - LEVEL) / 2, g - 1) ** 2
    extreme = (mean == 0) | (mean == 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        n = np.where(extreme, g, np.where(error > 1e-12, mean * (1 - mean) / error**2, np.nan))
    half = np.sqrt(t2) * np.sqrt(mean * (1 - mean) * n + t2 / 4) / (n + t2)
    centre = (mean * n + t2 / 2) / (n + t2)
    return np.maximum(centre - half, 0), np.minimum(centre + half, 1)


def t_ends(mean: np.ndarray, error: np.ndarray, g: int, lowest: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    half = np.where(error > 1e-12, stats.t.isf((1 - LEVEL) / 2, g - 1) * error, np.nan)
    return np.maximum(mean - half, lowest), np.minimum(mean + half, 1)


def row(ends, truth: float, weights: np.ndarray | None = None) -> dict[str, float]:
    """Coverage, mean width of the defined intervals and share of undefined ones."""
    low, high = (np.asarray(end, dtype=float) for end in ends)
    w = np.full(low.size, 1 / low.size) if weights is None else weights
    defined = ~np.isnan(low)
    inside = defined & (low <= truth + 1e-12) & (high >= truth - 1e-12)
    width = float((w * (high - low))[defined].sum() / w[defined].sum())
    return {"coverage": float(w[inside].sum()), "width": width, "undefined": float(w[~defined].sum())}


def check(fast, package) -> None:
    """Stop when the formulas for all rows at once are not those of the package."""
    if not np.allclose(fast, package, atol=1e-10, equal_nan=True):
        raise AssertionError(f"The benchmark's formulas differ from the package's: {fast} {package}")


def exact(clusters: np.ndarray, accuracy: float) -> dict[str, dict[str, float]]:
    """Single trials without shared passages: all numbers of right answers, by their binomial probabilities."""
    n = clusters.size
    outcomes = (np.arange(n) < np.arange(n + 1)[:, None]).astype(float)
    probability = stats.binom.pmf(np.arange(n + 1), n, accuracy)
    means = [cluster_mean(y, clusters) for y in outcomes]
    found = {
        DEFAULT: [clustered_wilson(mean, LEVEL)[:2] for mean in means],
        PLAIN: [wilson(mean.estimate, n, LEVEL)[:2] for mean in means],
        STUDENT: [clustered_t(mean, LEVEL)[:2] for mean in means],
    }
    for kind, name in METHODS.items():
        found[name] = [
            interval[:2] for interval in bootstrap_intervals(outcomes, clusters, kind=kind, level=LEVEL, draws=10_000)
        ]
    return {name: row(np.transpose(ends), accuracy, probability) for name, ends in found.items()}


def simulated(clusters: np.ndarray, accuracy: float, trials: int, replications: int, seed) -> dict[str, dict]:
    rng = np.random.default_rng(seed)
    (correct,) = answers(rng, (accuracy,), clusters, trials, replications)
    y = correct / trials
    g = int(clusters.max()) + 1
    mean, error = means_and_errors(y, clusters)
    ends = {DEFAULT: wilson_ends(mean, error, g), STUDENT: t_ends(mean, error, g)}
    some = [cluster_mean(values, clusters) for values in y[:25]]
    check(np.transpose(ends[DEFAULT])[:25], [clustered_wilson(one, LEVEL)[:2] for one in some])
    check(np.transpose(ends[STUDENT])[:25], [clustered_t(one, LEVEL)[:2] for one in some])
    assert plain_refusal(most_trials=trials, shared=shared(clusters))
    # What plain Wilson would do where the package refuses it: every trial an independent answer.
    z2, n = stats.norm.isf((1 - LEVEL) / 2) ** 2, clusters.size * trials
    half = np.sqrt(z2 * (mean * (1 - mean) * n + z2 / 4)) / (n + z2)
    ends[REFUSED] = ((mean * n + z2 / 2) / (n + z2) - half, (mean * n + z2 / 2) / (n + z2) + half)
    for number, (kind, name) in enumerate(METHODS.items()):
        # Blocks of 500 replications: those of a block share the passages drawn.
        parts = np.array_split(y, -(-replications // 500))
        blocks = [
            bootstrap_intervals(part, clusters, kind=kind, level=LEVEL, draws=DRAWS, seed=1000 * number + block)
            for block, part in enumerate(parts)
        ]
        ends[name] = np.transpose([interval[:2] for block in blocks for interval in block])
    return {name: row(pair, accuracy) for name, pair in ends.items()}


def paired_ends(a_only: np.ndarray, b_only: np.ndarray, n: int, mean, error, g: int):
    """The interval of `compare` for single trials: t, below 10 discordant items or without spread Bonett-Price."""
    low, high = t_ends(mean, error, g, -1.0)
    few = (a_only + b_only < FEW_DISCORDANT) | (error < 1e-12)
    distinct = np.unique(np.stack([a_only[few], b_only[few]]), axis=1)
    for a, b in distinct.T:
        place = few & (a_only == a) & (b_only == b)
        low[place], high[place] = bonett_price(int(a), int(b), n, LEVEL)[:2]
    return low, high


@cache
def discordance(first: float, second: float) -> float:
    """Probability that only the first model is right on an item, under the model of the answers."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    common = np.sqrt(MODEL_CORRELATION) * nodes[:, None] + np.sqrt(1 - MODEL_CORRELATION) * nodes[None, :]
    a, b = (np.interp(common, *easiness(accuracy)) @ weights for accuracy in (first, second))
    return float(weights @ (a * (1 - b)))


def paired_exact(clusters: np.ndarray, accuracy: float, gap: float) -> dict[str, dict]:
    n = clusters.size
    a_prob = discordance(accuracy, accuracy - gap)
    b_prob = a_prob - gap
    a, b = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    kept = a + b <= n
    a, b = a[kept], b[kept]
    log = stats.multinomial.logpmf(np.stack([a, b, n - a - b], axis=1), n, [a_prob, b_prob, 1 - a_prob - b_prob])
    likely = log > -30
    a, b, probability = a[likely], b[likely], np.exp(log[likely])
    mean = (a - b) / n
    error = np.sqrt(np.maximum((a + b) / n - mean**2, 0) / (n - 1))
    low, high = paired_ends(a, b, n, mean, error, n)
    for k in np.flatnonzero(error > 1e-12)[:: max(1, a.size // 25)]:
        if a[k] + b[k] >= FEW_DISCORDANT:
            y = np.r_[np.ones(a[k]), -np.ones(b[k]), np.zeros(n - a[k] - b[k])]
            check((low[k], high[k]), clustered_t(cluster_mean(y, clusters), LEVEL, limits=(-1.0, 1.0))[:2])
    return {PAIRED: row((low, high), gap, probability / probability.sum())}


def paired_simulated(clusters: np.ndarray, accuracy: float, gap: float, trials: int, rows: int, seed) -> dict:
    rng = np.random.default_rng(seed)
    first, second = answers(rng, (accuracy, accuracy - gap), clusters, trials, rows)
    y = (first - second) / trials
    g = int(clusters.max()) + 1
    mean, error = means_and_errors(y, clusters)
    if trials == 1:
        ends = paired_ends((y > 0).sum(axis=1), (y < 0).sum(axis=1), clusters.size, mean, error, g)
    else:
        ends = t_ends(mean, error, g, -1.0)
    for k in range(25):
        if trials > 1 or np.abs(y[k]).sum() >= FEW_DISCORDANT:
            interval = clustered_t(cluster_mean(y[k], clusters), LEVEL, limits=(-1.0, 1.0))
            check((ends[0][k], ends[1][k]), interval[:2])
    return {PAIRED: row(ends, gap)}


def cell(task) -> list[dict]:
    """All intervals in one cell of the grid."""
    name, trials, accuracy, gap, replications, seed = task
    clusters = categories()[name]
    enumerated = trials == 1 and not shared(clusters)
    if gap is None:
        found = exact(clusters, accuracy) if enumerated else simulated(clusters, accuracy, trials, replications, seed)
    elif enumerated:
        found = paired_exact(clusters, accuracy, gap)
    else:
        found = paired_simulated(clusters, accuracy, gap, trials, replications, seed)
    facts = {
        "category": name,
        "n": clusters.size,
        "g": int(clusters.max()) + 1,
        "trials": trials,
        "accuracy": accuracy,
        "gap": gap,
        "how": "exact" if enumerated else "simulated",
    }
    return [{**facts, "method": method, **numbers} for method, numbers in found.items()]


def grid(replications: int, names=None) -> pd.DataFrame:
    """Coverage of every cell and method; two processes."""
    cells = list(product(names or categories(), TRIALS, ACCURACIES, (None, *GAPS)))
    seeds = np.random.SeedSequence(SEED).spawn(len(cells))
    tasks = [(*one, replications, seed) for one, seed in zip(cells, seeds, strict=True)]
    with ProcessPoolExecutor(2) as pool:
        return pd.DataFrame([line for lines in pool.map(cell, tasks) for line in lines])


def other_correlations(replications: int) -> list[str]:
    """The default at 12 trials, were the items more or less alike than assumed."""
    lines = [
        "| correlation of trials | mean coverage | lowest | highest | cells below .93 |",
        "|---|---|---|---|---|",
    ]
    for correlation in OTHER_CORRELATIONS:
        found = {}
        for name, clusters in categories().items():
            rng = np.random.default_rng([SEED, len(found)])
            for accuracy in ACCURACIES:
                (correct,) = answers(rng, (accuracy,), clusters, 12, replications, correlation)
                ends = wilson_ends(*means_and_errors(correct / 12, clusters), int(clusters.max()) + 1)
                found[name, accuracy] = row(ends, accuracy)["coverage"]
        c = np.array(list(found.values()))
        low = ", ".join(
            f"{name} at {accuracy:g} ({value:.3f})" for (name, accuracy), value in found.items() if value < CELL[0]
        )
        lines.append(f"| {correlation:g} | {c.mean():.3f} | {c.min():.3f} | {c.max():.3f} | {low or 'none'} |")
    return lines


def criteria(frame: pd.DataFrame, method: str) -> tuple[list[str], bool]:
    """Lines that say whether the criteria hold, and whether all do."""
    coverage = frame.loc[frame["method"] == method, "coverage"]
    mean, lowest, highest = coverage.mean(), coverage.min(), coverage.max()
    good_mean = MEAN[0] <= mean <= MEAN[1]
    simulated_too = np.where(frame.loc[frame["method"] == method, "how"] == "simulated", TOLERANCE, 0.0)
    outside = (coverage < CELL[0] - simulated_too) | (coverage > CELL[1] + simulated_too)
    lines = [
        f"- {method}: mean coverage {mean:.4f} (required {MEAN[0]} to {MEAN[1]}): {'met' if good_mean else 'NOT MET'}.",
        (
            f"- {method}: cells {lowest:.4f} to {highest:.4f}, {int(outside.sum())} of {len(coverage)} outside {CELL[0]} "
            f"to {CELL[1]} (simulated ones by more than {TOLERANCE}): {'NOT MET' if outside.any() else 'met'}."
        ),
    ]
    for place in coverage.index[outside]:
        one = frame.loc[place]
        gap = "" if np.isnan(one["gap"]) else f", second model {100 * one['gap']:g} points below"
        lines.append(
            f"  - outside: {one['category']} ({one['n']} items), {one['trials']} x {one['accuracy']:g}{gap}: {one['coverage']:.3f}"
        )
    return lines, good_mean and not outside.any()


def by_cell(frame: pd.DataFrame, method: str, gap: float | None) -> list[str]:
    rows = frame[(frame["method"] == method) & (frame["gap"].isna() if gap is None else frame["gap"] == gap)]
    head = [f"{trials} x {accuracy:g}" for trials in TRIALS for accuracy in ACCURACIES]
    lines = ["| category | items | passages | " + " | ".join(head) + " |", "|---" * (3 + len(head)) + "|"]
    for (name, n, g), part in rows.groupby(["category", "n", "g"], sort=False):
        values = part.set_index(["trials", "accuracy"])
        shown = [
            f"{values.loc[key, 'coverage']:.3f}{'*' if values.loc[key, 'how'] == 'exact' else ''}"
            for key in product(TRIALS, ACCURACIES)
        ]
        lines.append(f"| {name} | {n} | {g} | " + " | ".join(shown) + " |")
    return lines


def by_method(frame: pd.DataFrame) -> list[str]:
    lines = [
        "| method | trials | cells | mean coverage | lowest | highest | mean width, points | undefined |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (method, trials), part in frame.groupby(["method", "trials"], sort=False):
        c = part["coverage"]
        lines.append(
            f"| {method} | {trials} | {len(part)} | {c.mean():.3f} | {c.min():.3f} | {c.max():.3f} "
            f"| {100 * part['width'].mean():.1f} | {part['undefined'].mean():.3f} |"
        )
    return lines


def report(frame: pd.DataFrame, replications: int) -> tuple[str, bool]:
    single, paired = frame[frame["gap"].isna()], frame[frame["gap"].notna()]
    (first, good), (second, good_pairs) = criteria(single, DEFAULT), criteria(paired, PAIRED)
    note = (
        f"`python benchmarks/coverage.py --write` ({replications:,} replications, seed {SEED}). Nominal 95 %. Columns are trials x "
        "accuracy; * marks exact enumeration, the others are simulated (Monte Carlo error about .002). How the answers are "
        "drawn is written at the top of the script."
    )
    text = [
        note,
        "",
        *first,
        *second,
        "",
        f"### Default interval of an accuracy ({DEFAULT})",
        "",
        *by_cell(single, DEFAULT, None),
    ]
    text += [
        *("", "### All intervals of an accuracy", ""),
        f"Bootstrap intervals: {DRAWS:,} resamples where simulated. An undefined interval counts as missing the truth.",
        "",
        *by_method(single),
        *("", "### The default at 12 trials when items differ less or more", ""),
        *other_correlations(replications),
    ]
    for gap in GAPS:
        text += [
            "",
            f"### Paired difference, second model {100 * gap:g} points below",
            "",
            *by_cell(paired, PAIRED, gap),
        ]
    return "\n".join(text), good and good_pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the tables to docs/validation.md")
    parser.add_argument("--replications", type=int, default=10_000)
    given = parser.parse_args()
    start = time.perf_counter()
    frame = grid(given.replications)
    text, good = report(frame, given.replications)
    print(text)
    print(f"{time.perf_counter() - start:.0f} seconds", file=sys.stderr)
    if given.write:
        pages.write("validation.md", "coverage", text)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
