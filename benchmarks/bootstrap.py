"""Time our cluster bootstrap against scipy.stats.bootstrap, and check that the intervals agree.

13 models, the 11 categories of CLIcK with their passages, 10,000 resamples, one answer per item (and 12 as a second
case). The baseline is scipy's vectorised use: one call per category for all models, items as they are where no
passage is shared, else the ratio of cluster sums; its ``batch`` is the fastest of several tried in the same run.
Both run in one process on the same data, alternately; the ratio is that of the fastest of the repetitions.

Usage: python benchmarks/bootstrap.py [--write] [--repeat 5]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pages
import pandas as pd
import scipy
from scipy import stats

import click_stats
from click_stats.stats.tools.bootstrap import bootstrap_intervals

MODELS, DRAWS, SEED = 13, 10_000, 20240311
BATCHES = (50, 100, 200, 500, None)
SCIPY = {"percentile": "percentile", "bca": "BCa"}


def categories() -> dict[str, np.ndarray]:
    """Cluster codes of the items of every category, from the packaged key table."""
    items = pd.read_csv(Path(click_stats.__file__).parent / "items" / "click-items.csv", dtype=str)
    return {str(name): pd.factorize(part["cluster"])[0] for name, part in items.groupby("category", sort=False)}


def scores(trials: int) -> dict[str, np.ndarray]:
    """(13, items) item scores: models of accuracy about .3 to .9, items of different difficulty."""
    rng = np.random.default_rng(SEED)
    found = {}
    for name, clusters in categories().items():
        centre = np.linspace(-0.8, 2.2, MODELS)[:, None]
        ease = rng.normal(0, 1.2, clusters.size) + rng.normal(0, 0.6, clusters.max() + 1)[clusters]
        found[name] = rng.binomial(trials, 1 / (1 + np.exp(-centre - ease))) / trials
    return found


def ours(data: dict[str, np.ndarray], kind: str, seed: int = SEED) -> np.ndarray:
    """(categories, models, 2) ends."""
    clusters = categories()
    return np.array(
        [
            [interval[:2] for interval in bootstrap_intervals(y, clusters[name], kind=kind, draws=DRAWS, seed=seed)]
            for name, y in data.items()
        ]
    )


def ratio(s: np.ndarray, n: np.ndarray, axis: int = -1) -> np.ndarray:
    return s.sum(axis=axis) / n.sum(axis=axis)


def scipys(data: dict[str, np.ndarray], kind: str, batch: int | None, seed: int = SEED) -> np.ndarray:
    clusters = categories()
    ends = []
    for name, y in data.items():
        g = clusters[name]
        options = {
            "axis": -1,
            "vectorized": True,
            "n_resamples": DRAWS,
            "batch": batch,
            "method": SCIPY[kind],
            "rng": np.random.default_rng(seed),
        }
        if g.max() + 1 == g.size:
            found = stats.bootstrap((y,), np.mean, **options)
        else:
            sums = np.stack([np.bincount(g, row) for row in y])
            sizes = np.broadcast_to(np.bincount(g).astype(float), sums.shape)
            found = stats.bootstrap((sums, sizes), ratio, paired=True, **options)
        ends.append(np.stack(found.confidence_interval, axis=-1))
    return np.array(ends)


def seconds(call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def agreement(data: dict[str, np.ndarray], kind: str, trials: int, first: np.ndarray, second: np.ndarray) -> tuple:
    """Largest difference of two runs: in Monte Carlo standard errors of it beyond one step of the lattice, and plain.

    The standard error of an end comes from 50 further runs of ours; an end moves in steps of 1/(items x trials).
    Among the 286 ends of a run the largest of as many normal deviates is 4.7 or more once in 1,000 times.
    """
    runs = np.array([ours(data, kind, seed) for seed in range(1, 51)])
    step = np.array([1 / (trials * y.shape[1]) for y in data.values()])[:, None, None]
    error = np.maximum(runs.std(axis=0, ddof=1) * np.sqrt(2), step / 10)
    difference = np.abs(first - second)
    return float((np.maximum(difference - step, 0) / error).max()), float(difference.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--write", action="store_true", help="write the table to docs/performance.md")
    parser.add_argument("--repeat", type=int, default=5)
    given = parser.parse_args()
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
        if name in os.environ:
            sys.exit(f"Unset {name}: it changes the speed of the matrix product.")
    lines = [
        "| trials | interval | scipy, fastest batch | scipy seconds | click-stats seconds | ratio | ratio to scipy's default batch | largest difference, points | in Monte Carlo errors beyond a step |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for trials in (1, 12):
        data = scores(trials)
        for kind in SCIPY:
            first = {batch: seconds(partial(scipys, data, kind, batch)) for batch in BATCHES}
            batch = min(first, key=first.__getitem__)
            theirs, own = [], []
            for _ in range(given.repeat):
                theirs.append(seconds(partial(scipys, data, kind, batch)))
                own.append(seconds(partial(ours, data, kind)))
            errors, points = agreement(data, kind, trials, ours(data, kind), scipys(data, kind, batch))
            if errors > 4.7:
                sys.exit(f"The {kind} intervals differ by {errors:.1f} Monte Carlo errors.")
            lines.append(
                f"| {trials} | {kind} | {batch} | {min(theirs):.3f} | {min(own):.3f} | {min(theirs) / min(own):.1f} "
                f"| {first[None] / min(own):.1f} | {100 * points:.2f} | {errors:.1f} |"
            )
            print(lines[-1], flush=True)
    versions = f"numpy {np.__version__}, scipy {scipy.__version__}, {os.cpu_count()} cores"
    about = (
        f"`python benchmarks/bootstrap.py --write`: 13 models, 11 categories, {DRAWS:,} resamples; {versions}. Required: a ratio of "
        "3 for percentile and for BCa. The two run alternately on the same data; times are the fastest of the repetitions. An end moves "
        "in steps of 1/(items x trials), 2.44 points in the smallest category with one trial."
    )
    text = "\n".join([about, "", *lines])
    if given.write:
        pages.write("performance.md", "bootstrap", text)


if __name__ == "__main__":
    main()
