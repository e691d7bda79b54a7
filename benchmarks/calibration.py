"""Calibration: do the intervals of the scores cover, and do the tests hold their level.

Answers. The right option of an item is one of N at random. A trial sees x = m e(right) + noise, N independent standard
normals, of whose variance a share r is common to the trials of an item (and .4 of that common part to the items of a
passage). Then softmax(m x) is the probability of each option given x: a trial that states it is calibrated, whatever r is,
and trials of one item depend on each other through the right option and the common noise. Overconfident models state
softmax(1.5 m x). m = 1.2 gives an accuracy near .57. Sizes are those of CLIcK: Popular (41 items), Textual (285 items, 197
passages), all (1,995 items, 1,859 passages), with their numbers of options.

Coverage: intervals of the Brier score, the log score, overconfidence, the area under accuracy at coverage and the
temperature, against the value in a population of 400,000 items. Size: how often the test of calibration (draws from the
stated confidences, with the estimated correlation within items), Spiegelhalter's clustered test, and, for comparison, the
first test with independent draws reject at 5 % when the model is calibrated. Debiased: mean of the squared debiased error
against the square at the bins of the population.

The design was set before the first run and has not been changed since; only the numbers of data sets were then fitted to
the time it takes.

Usage: python benchmarks/calibration.py [--write] [--replications 400]
"""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
import pages
import pandas as pd
from scipy.special import logsumexp

import click_stats
from click_stats.stats.calibration import reliability
from click_stats.stats.calibration.forecasts import Forecasts, equal_items
from click_stats.stats.calibration.measures import AREA, BRIER, LOG, OVERCONFIDENCE, measures, spiegelhalter
from click_stats.stats.calibration.temperature import temperature

SEED, SIGNAL, SHARED_BY_PASSAGE, OVER = 20240311, 1.2, 0.4, 1.5
LEVEL, DRAWS, BINS = 0.95, 299, 10
POPULATION = 400_000
SETS = ("Popular", "Textual", "all")
DESIGNS = ((1, 0.0), (12, 0.0), (12, 0.5), (12, 1.0))
SHARE = {"Popular": {1: 1.0, 12: 1.0}, "Textual": {1: 1.0, 12: 0.5}, "all": {1: 0.5, 12: 0.2}}
"""Share of the replications that a set is given at 1 and at 12 trials: large ones take long."""
BAND = (0.93, 0.98)
TEMPERATURE = "temperature"
EXPLAINED = (
    "Independent: the same test with answers drawn independently of each other, also those to one item; not offered. "
    "Excess: mean calibration error less its mean under the null, in points. Debiased square: mean and its Monte Carlo "
    "error, in squared points, beside the value in the population."
)


def item_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Passage codes and numbers of options of a set of CLIcK's items."""
    items = pd.read_csv(Path(click_stats.__file__).parent / "items" / "click-items.csv", dtype=str)
    part = items if name == "all" else items[items["category"] == name]
    return pd.factorize(part["cluster"])[0].astype(np.int64), part["n_options"].astype(int).to_numpy()


def draw(rng: np.random.Generator, clusters: np.ndarray, n: np.ndarray, trials: int, common: float, sharp: float):
    """Forecasts of one model on these items."""
    items = clusters.size
    gold = (rng.random(items) * n).astype(np.int64)
    passage = rng.standard_normal((int(clusters.max()) + 1, 5))[clusters]
    own = np.sqrt(SHARED_BY_PASSAGE) * passage + np.sqrt(1 - SHARED_BY_PASSAGE) * rng.standard_normal((items, 5))
    item = np.repeat(np.arange(items), trials)
    x = np.sqrt(common) * own[item] + np.sqrt(1 - common) * rng.standard_normal((items * trials, 5))
    x[np.arange(item.size), gold[item]] += SIGNAL
    scores = np.where(np.arange(5) < n[item][:, None], sharp * SIGNAL * x, -np.inf)
    scores -= logsumexp(scores, axis=1, keepdims=True)
    p = np.exp(scores)
    top = p.argmax(axis=1)
    rows = np.arange(item.size)
    hit = (top == gold[item]).astype(np.float64)
    return Forecasts(item, scores, p, n[item], gold[item], top, p[rows, top], hit, equal_items(item), clusters)


def truth(n: np.ndarray, sharp: float) -> dict[str, float]:
    """Values in a large population with these numbers of options; trials of one item do not change a mean."""
    rng = np.random.default_rng([SEED, 1])
    many = np.resize(n, POPULATION)
    found = draw(rng, np.arange(POPULATION), many, 1, 0.0, sharp)
    values = {one.name: one.mean.estimate for one in measures(found, LEVEL)}
    bins = reliability.bins_of(found, BINS, "rescaled")
    gap = bins.gap if sharp != 1 else np.zeros_like(bins.gap)
    return values | {TEMPERATURE: sharp, "square": float((bins.weight * gap**2).sum())}


def cell(task) -> dict:
    name, (trials, common), sharp, replications, place = task
    clusters, n = item_set(name)
    known = truth(n, sharp)
    rng = np.random.default_rng([SEED, 2, place])
    inside = dict.fromkeys((BRIER, LOG, OVERCONFIDENCE, AREA, TEMPERATURE), 0)
    undefined = 0
    rejected = dict.fromkeys(("resampled", "spiegelhalter", "independent"), 0)
    squares, excess, within = [], [], []
    for seed in range(replications):
        found = draw(rng, clusters, n, trials, common, sharp)
        for one in measures(found, LEVEL):
            if one.name in inside:
                inside[one.name] += one.interval.low <= known[one.name] <= one.interval.high
        best = temperature(found, LEVEL, seed)
        undefined += np.isnan(best.low)
        inside[TEMPERATURE] += best.low <= known[TEMPERATURE] <= best.high
        bins = reliability.bins_of(found, BINS, "rescaled")
        null = reliability.null_of(found, bins, LEVEL, DRAWS, seed)
        rejected["resampled"] += reliability.p_of(bins.error, null) < 0.05
        rejected["spiegelhalter"] += spiegelhalter(found).p_value < 0.05
        within.append(null.correlation)
        excess.append(bins.error - null.errors.mean())
        squares.append(reliability.mean_square(found, bins))
        if trials > 1 and sharp == 1:
            alone = independent(found, bins, seed)
            rejected["independent"] += (1 + (alone >= bins.error).sum()) / (DRAWS + 1) < 0.05
    return {
        "set": name, "replications": replications, "items": clusters.size, "trials": trials, "common": common, "sharp": sharp,
        **{key: value / replications for key, value in inside.items()}, "undefined": undefined / replications,
        **{key: value / replications for key, value in rejected.items()}, "within": float(np.mean(within)),
        "excess": float(np.mean(excess)), "square": float(np.mean(squares)), "truth": known["square"],
        "error": float(np.std(squares) / np.sqrt(replications)),
    }  # fmt: skip


def independent(found: Forecasts, bins: reliability.Bins, seed: int) -> np.ndarray:
    """Calibration errors of answers drawn independently, also those to one item: what the test would be without care."""
    rng = np.random.default_rng(seed)
    expected = found.weight * found.confidence
    errors = np.empty(DRAWS)
    for row in range(DRAWS):
        gaps = found.weight * (rng.random(len(found)) < found.confidence) - expected
        errors[row] = np.abs(np.bincount(bins.code, gaps, minlength=bins.weight.size)).sum()
    return errors


def report(rows: list[dict], seconds: float) -> str:
    frame = pd.DataFrame(rows)
    names = [BRIER, LOG, OVERCONFIDENCE, AREA, TEMPERATURE]
    error = np.sqrt(0.95 * 0.05 / frame["replications"])
    head = (
        f"`python benchmarks/calibration.py --write` (seed {SEED}, {seconds:.0f} s). Nominal 95 %; Monte Carlo error of a "
        f"coverage {error.min():.3f} to {error.max():.3f}. How the answers are drawn is written at the top of the script; "
        "`common` is the share of the noise that the trials of an item have in common."
    )
    lines = [
        head,
        "",
    ]
    for name in names:
        low, high = frame[name].min(), frame[name].max()
        outside = ((frame[name] < BAND[0] - 2 * error) | (frame[name] > BAND[1] + 2 * error)).sum()
        lines.append(
            f"- {name}: coverage {low:.3f} to {high:.3f}, mean {frame[name].mean():.3f}; {outside} of {len(frame)} rows outside "
            f"{BAND[0]} to {BAND[1]} by more than two Monte Carlo errors."
        )
    lines += [
        "",
        "### Coverage of 95 % intervals",
        "",
        "| items | trials | common | scores times | data sets | " + " | ".join(names) + " | temperature undefined |",
        "|" + "---|" * (6 + len(names)),
    ]
    for row in rows:
        cells = " | ".join(f"{row[name]:.3f}" for name in names)
        lines.append(
            f"| {row['items']} | {row['trials']} | {row['common']} | {row['sharp']} | {row['replications']} | {cells} | {row['undefined']:.3f} |"
        )
    lines += [
        "",
        "### Size of the tests of calibration at 5 % (scores times 1), and how often they find scores times 1.5",
        "",
        EXPLAINED,
        "",
        "| items | trials | common | scores times | resampled | Spiegelhalter, clustered | independent | correlation within item | excess | debiased square (truth) |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        alone = f"{row['independent']:.3f}" if row["trials"] > 1 and row["sharp"] == 1 else "–"
        lines.append(
            f"| {row['items']} | {row['trials']} | {row['common']} | {row['sharp']} | {row['resampled']:.3f} | "
            f"{row['spiegelhalter']:.3f} | {alone} | {row['within']:.2f} | {100 * row['excess']:+.2f} | "
            f"{1e4 * row['square']:.1f} ± {1e4 * row['error']:.1f} ({1e4 * row['truth']:.1f}) |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/validation.md")
    parser.add_argument("--replications", type=int, default=400, help="of the smallest set; larger ones have fewer")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    start = time.perf_counter()
    tasks = [
        (name, design, sharp, max(2, round(given.replications * SHARE[name][design[0]])), place)
        for place, (name, design, sharp) in enumerate(product(SETS, DESIGNS, (1.0, OVER)))
        if name != "all" or design in {(1, 0.0), (12, 0.5)}
    ]
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = list(pool.map(cell, tasks))
    text = report(rows, time.perf_counter() - start)
    print(text)
    if given.write:
        pages.write("validation.md", "calibration", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
