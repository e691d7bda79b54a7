"""Confident errors and positions: do the intervals cover, and does the test of even positions hold its level.

Answers. An item has four options. Their logits are normal (SD 1), of which half the variance is common to the items of a
passage; the right option gains a normal ability (mean .8, SD 1.2, half the variance common too). Twelve trials, three of
each rotation, name options with these probabilities, whatever their position. Passages hold 1, 2 or 3 items in turn.

Coverage: the t interval of mean content entropy (all items, and those answered below chance), the interval of its median by
inverted tests of shares, and the Wilson intervals of the shares of challenging items and of confident errors, all clustered
by passage, against the value of 400,000 items. Entropy takes few values, so that the interval of a median is conservative.

Preference: positions are liked by fixed log weights (those of the table), one answer to each rotation or three. Bias of the
mean accuracy over all orders, and of the bias-adjusted accuracy, against that of the same items without preference;
coverage of the interval of the latter for 400,000 items, and of that of the preference for the first position.

Size: how often the clustered F test rejects at 5 % when no position is favoured overall: answers by content alone, or
(`shared`) answers that favour positions within each passage at random, normal logits (SD .5) common to its items, which
cancel over passages.

The design was set before the first run.

Usage: python benchmarks/confident_position.py [--write] [--repeat 2000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pages

from click_stats.stats.confident_errors.entropy import entropy, is_challenging
from click_stats.stats.position.balance import CLUSTERED_F, balance
from click_stats.stats.position.preference import adjusted, preference
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import clustered_t, clustered_wilson
from click_stats.stats.tools.median import clustered_median

SEED, LEVEL, N, TRIALS, SHARE = 20261204, 0.95, 4, 12, 0.75
POPULATION = 400_000
ITEMS = (20, 41, 131, 500)
PASSAGES = (6, 8, 12, 20, 41, 131, 500)
ROTATION = np.arange(N)
MEASURES = ("mean entropy", "mean entropy, challenging items", "challenging items", "confident errors")
MEDIAN = "median entropy, challenging items"
LIKED = {"none": (0.0, 0.0, 0.0, 0.0), "mild": (0.5, 0.0, 0.0, -0.5), "strong": (1.5, 0.0, 0.0, -1.5)}


def passages(n: int) -> np.ndarray:
    """Codes of passages of 1, 2, 3, 1, 2, 3, ... items, ``n`` items in all."""
    sizes = np.tile([1, 2, 3], n // 6 + 1)
    return np.repeat(np.arange(sizes.size), sizes)[:n]


def mixed(rng: np.random.Generator, codes: np.ndarray, shape: tuple[int, ...] = ()) -> np.ndarray:
    """Return standard normals by item, half of whose variance is common to a passage."""
    common = rng.standard_normal((int(codes.max()) + 1, *shape))[codes]
    return np.sqrt(0.5) * (common + rng.standard_normal((codes.size, *shape)))


def chances(rng: np.random.Generator, codes: np.ndarray) -> np.ndarray:
    """(items, 4) probabilities of the options; the first one is right."""
    logit = mixed(rng, codes, (N,))
    logit[:, 0] += 0.8 + 1.2 * mixed(rng, codes)
    p = np.exp(logit)
    return p / p.sum(axis=1, keepdims=True)


def measured(rng: np.random.Generator, codes: np.ndarray) -> dict[str, np.ndarray]:
    """Return the measures of each item; NaN where an item does not count."""
    table = rng.multinomial(TRIALS, chances(rng, codes)).astype(np.float64)
    size = np.full(codes.size, N)
    below = is_challenging(table[:, 0].astype(np.int64), np.full(codes.size, TRIALS), size, None)
    content = entropy(table, size)
    sure = table[:, 1:].max(axis=1) >= SHARE * TRIALS - 1e-9
    values = (content, np.where(below, content, np.nan), below.astype(float), sure.astype(float))
    return dict(zip(MEASURES, values, strict=True))


def coverage(n: int, repeats: int, known: dict[str, float]) -> dict[str, float]:
    """Return the share of intervals that hold the value in the population, by measure."""
    rng, codes = np.random.default_rng([SEED, 1, n]), passages(n)
    hits = dict.fromkeys((*MEASURES, MEDIAN), 0)
    for _ in range(repeats):
        found = measured(rng, codes)
        middle = clustered_median(found[MEASURES[1]], codes, LEVEL)
        hits[MEDIAN] += middle.low <= known[MEDIAN] <= middle.high
        for name, values in found.items():
            mean = cluster_mean(values, codes)
            limits = (
                clustered_t(mean, LEVEL, limits=(0.0, np.inf)) if "entropy" in name else clustered_wilson(mean, LEVEL)
            )
            hits[name] += limits.low <= known[name] <= limits.high
    return {name: count / repeats for name, count in hits.items()}


def liked(n: int, blocks: int, weights: tuple[float, ...], repeats: int, truth: float) -> dict[str, float]:
    """Return the biases of the mean and of the bias-adjusted accuracy, and coverage of two intervals."""
    rng, codes = np.random.default_rng([SEED, 3, n, blocks, round(10 * weights[0])]), passages(n)
    option = (np.arange(N) + ROTATION[:, None]) % N
    item, gold = np.repeat(np.arange(n), blocks), np.zeros(n, dtype=np.int64)
    plain, without, covered, preferred = [], [], 0, 0
    for _ in range(repeats):
        content = chances(rng, codes)
        weight = content[item][:, option] * np.exp(weights)
        p = weight / weight.sum(axis=2, keepdims=True)
        places = (rng.random((*p.shape[:2], 1)) > p.cumsum(axis=2)).sum(axis=2)
        found = preference(places, item, n)
        mean = cluster_mean(adjusted(places, item, gold, found), codes)
        limits = clustered_wilson(mean, LEVEL)
        covered += limits.low <= truth <= limits.high
        first = cluster_mean(found.influence[:, 0] * n + found.weights[0], codes)
        ends = clustered_t(first, LEVEL, limits=(-np.inf, np.inf))
        preferred += ends.low <= weights[0] <= ends.high
        own = float(content[:, 0].mean())
        plain.append(float(((places + ROTATION) % N == 0).mean()) - own)
        without.append(mean.estimate - own)
    return {
        "mean": float(np.mean(plain)), "adjusted": float(np.mean(without)),
        "error": float(np.std(without) / np.sqrt(repeats)), "covered": covered / repeats, "liked": preferred / repeats,
    }  # fmt: skip


def size(groups: int, shared: bool, repeats: int) -> tuple[float, float]:
    """Return how often the test rejects, and how often it was the F test."""
    rng = np.random.default_rng([SEED, 2, groups, int(shared)])
    codes = np.repeat(np.arange(groups), np.resize([1, 2, 3], groups))
    option = (np.arange(N) + ROTATION[:, None]) % N  # at a rotation, the option at each position
    rejected = by_f = 0
    for seed in range(repeats):
        weight = chances(rng, codes)[:, option]  # (items, rotations, positions)
        if shared:
            weight = weight * np.exp(0.5 * rng.standard_normal((groups, 1, N)))[codes]
        p = weight / weight.sum(axis=2, keepdims=True)
        table = rng.multinomial(TRIALS // N, p).sum(axis=1).astype(np.float64)
        found = balance(table - table.mean(axis=1, keepdims=True), codes, draws=199, seed=seed)
        rejected += found.p_value < 1 - LEVEL
        by_f += found.method == CLUSTERED_F
    return rejected / repeats, by_f / repeats


def report(repeats: int) -> str:
    """Return the tables."""
    population = measured(np.random.default_rng([SEED, 0]), passages(POPULATION))
    known = {name: float(np.nanmean(values)) for name, values in population.items()}
    known[MEDIAN] = float(np.nanmedian(population[MEASURES[1]]))
    columns = (*MEASURES, MEDIAN)
    lines = [
        (
            f"`python benchmarks/confident_position.py --write` ({repeats:,} replications, seed {SEED}). How the answers are drawn "
            f"is written at the top of the script. Monte Carlo error about {np.sqrt(0.95 * 0.05 / repeats):.3f}."
        ),
        "",
        "Coverage of 95 % intervals:",
        "",
        "| items | " + " | ".join(columns) + " |",
        "|---:|" + "---:|" * len(columns),
        "| in the population | " + " | ".join(f"{known[name]:.3f}" for name in columns) + " |",
    ]
    for n in ITEMS:
        found = coverage(n, repeats, known)
        lines.append(f"| {n} | " + " | ".join(f"{found[name]:.3f}" for name in columns) + " |")
    lines += [
        "", "Share of data sets in which the test of even positions rejects at 5 %:", "",
        "| passages | by content alone | shared | by the F test |", "|---:|---:|---:|---:|",
    ]  # fmt: skip
    for groups in PASSAGES:
        (alone, by_f), (shared, by_f_shared) = size(groups, False, repeats), size(groups, True, repeats)
        lines.append(f"| {groups} | {alone:.3f} | {shared:.3f} | {min(by_f, by_f_shared):.3f} |")
    truth = float(chances(np.random.default_rng([SEED, 4]), passages(POPULATION))[:, 0].mean())
    lines += [
        "",
        f"Accuracy without preference ({truth:.3f} in the population); biases in points, with Monte Carlo error:",
        "",
        "| preference | items | answers an item | bias, mean accuracy | bias, adjusted | coverage, adjusted | coverage, preference |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, weights in LIKED.items():
        for n, blocks in ((41, 3), (131, 1), (131, 3), (500, 1), (500, 3)):
            one = liked(n, blocks, weights, repeats, truth)
            lines.append(
                f"| {name} | {n} | {blocks * N} | {100 * one['mean']:.2f} | {100 * one['adjusted']:.2f} "
                f"± {100 * one['error']:.2f} | {one['covered']:.3f} | {one['liked']:.3f} |"
            )
    return "\n".join(lines)


def main() -> None:
    """Print the tables, and write them into docs/validation.md when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--repeat", type=int, default=2000)
    asked = parser.parse_args()
    start = time.perf_counter()
    text = report(asked.repeat)
    print(text, f"\n{time.perf_counter() - start:.0f} s")
    if asked.write:
        pages.write("validation.md", "confident-position", text)


if __name__ == "__main__":
    main()
