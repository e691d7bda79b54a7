"""Difficulty by facts of items, and new models on fixed items: do the intervals cover.

Difficulty. Models N(0, .8²), items with a number (effect .5), three levels (0, .8, -.5) and an error N(0, 1), half of them in passages of four
with an error N(0, .5²) that they share; one answer each. Coverage of the 95 % intervals of the effects (pooled), and of the
share of the variance of difficulties that the terms explain in the data set at hand; size of the tests of interactions between two groups
that differ by one logit in ability alone (unadjusted, 5 %).

Linking. A scale of 500 items, difficulties N(0, 1.2²), floor a quarter; their stated values err by N(0, s²), and s is in the file.
On each of 10 such scales 40 new models N(0, 1) answer some of the items, drawn at random. Coverage and error of the ability and of the whole score, the mean
probability over all 500 items at their true difficulties. In the last rows the abilities of a model differ between ten categories by N(0, .5²),
which the method does not know.

Usage: python benchmarks/item_models.py [--write] [--replications 100]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import pages
import pandas as pd
from scipy.special import expit

from click_stats.counts import STATUSES, Counts
from click_stats.stats.difficulty import difficulty
from click_stats.stats.linking import linking

SEED, LEVEL = 20240311, 0.95
SIZE, KINDS, ERROR, PASSAGE = 0.5, np.array([0.0, 0.8, -0.5]), 1.0, 0.5
EFFECTS = {("size", ""): SIZE, ("kind_of", "k1"): 0.8, ("kind_of", "k2"): -0.5}
ITEMS, CATEGORIES, SCALES, NEW = 500, 10, 10, 40


def counts_of(right: np.ndarray, asked: np.ndarray, **columns: object) -> Counts:
    """Counts of one answer to each item that was asked (units, items)."""
    n_units, n_items = right.shape
    facts = {
        "category": "A",
        "domain": "D",
        "source": "s",
        "n_options": 4,
        "gold": 0,
        "cluster": np.arange(n_items).astype(str),
    }
    items = pd.DataFrame(facts | columns, index=pd.Index([f"i{k}" for k in range(n_items)], name="item"))
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = right & asked, ~right & asked
    statuses = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    statuses[:, :, 0] = asked
    names = pd.Index([f"m{k:03d}" for k in range(n_units)], name="unit")
    access = np.where(np.arange(n_units) % 2 == 1, "open", "api")
    units = pd.DataFrame({"model": list(names), "condition": "", "protocol": "", "access": access}, index=names)
    return Counts(units, items, options, statuses, statuses.sum(axis=2), None, ("A",), ("D",))


def explained(n_units: int, n_items: int, replications: int) -> tuple[float, ...]:
    """Return coverage of effects and of the share, its bias, and the size of the interaction tests."""
    rng = np.random.default_rng([SEED, n_units, n_items])
    effects, shares, bias, size = [], [], [], []
    for _ in range(replications):
        number, kind = rng.normal(size=n_items), np.arange(n_items) % 3
        half = n_items // 2
        passage = np.where(np.arange(n_items) < half, np.arange(n_items) // 4, np.arange(n_items))
        told = SIZE * number + KINDS[kind]
        shared = rng.normal(0, PASSAGE, n_items)[passage] * (np.arange(n_items) < half)
        hard = told + shared + rng.normal(0, ERROR, n_items)
        ability = rng.normal(0.5, 0.8, n_units) + np.where(np.arange(n_units) % 2 == 1, -0.5, 0.5)
        right = rng.random((n_units, n_items)) < expit(ability[:, None] - hard)
        columns = {"size": number, "kind_of": [f"k{k}" for k in kind], "cluster": passage.astype(str)}
        found = difficulty(counts_of(right, np.ones_like(right), **columns), terms="size,kind_of", level=LEVEL)
        table = found.tables["estimates"].set_index(["term", "term_level"])
        base = table.loc["kind_of", "base"].iloc[0]
        for key, value in EFFECTS.items():
            if key in table.index and base == "k0":
                row = table.loc[key]
                effects.append(row["difficulty_effect_low"] <= value <= row["difficulty_effect_high"])
        truth = told.var() / (told.var() + ERROR**2 + PASSAGE**2 / 2)
        row = found.tables["variance"].set_index("component").loc["terms"]
        shares.append(row["share_low"] <= truth <= row["share_high"])
        bias.append(row["variance_share"] - truth)
        size += list(found.tables["interactions"]["p_value"] < 1 - LEVEL)
    return tuple(float(np.mean(one)) for one in (effects, shares, bias, size))


def linked(asked: int, error: float, between: float, folder: Path) -> tuple[float, ...]:
    """Return coverage and root mean square error of the ability and of the whole score, over scales and new models."""
    rng = np.random.default_rng([SEED, asked, int(10 * error), int(10 * between)])
    found = np.array([_linked(rng, asked, error, between, folder) for _ in range(SCALES)]).mean(axis=0)
    return found[0], found[1] ** 0.5, found[2], found[3] ** 0.5


def _linked(rng: np.random.Generator, asked: int, error: float, between: float, folder: Path) -> list[float]:
    """Return coverage and mean squared error of both for one scale."""
    stated = rng.normal(0, 1.2, ITEMS)
    true = stated + rng.normal(0, error, ITEMS)
    ability = rng.normal(size=NEW)
    own = ability[:, None] + rng.normal(0, between, (NEW, CATEGORIES))[:, np.arange(ITEMS) % CATEGORIES]
    chance = 0.25 + 0.75 * expit(own - true)
    among = np.zeros((NEW, ITEMS), dtype=bool)
    among[:, rng.choice(ITEMS, asked, replace=False)] = True
    path = folder / "parameters.csv"
    frame = pd.DataFrame({"item": [f"i{k}" for k in range(ITEMS)], "difficulty": stated, "floor": 0.25})
    (frame.assign(difficulty_se=error) if error else frame).to_csv(path, index=False)
    counts = counts_of(rng.random(chance.shape) < chance, among)
    table = linking(counts, parameters=str(path), prior_sd=1.0, draws=300).tables["estimates"]
    found = []
    for name, value in (("linked_ability", ability), ("linked_score", chance.mean(axis=1))):
        found.append(((table[f"{name}_low"] <= value) & (value <= table[f"{name}_high"])).mean())
        found.append(((table[name] - value) ** 2).mean())
    return list(map(float, found))


def main() -> None:
    """Run the simulations and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write docs/validation.md")
    options = parser.parse_args()
    start = time.perf_counter()
    lines = [
        f"Difficulty, {options.replications} data sets a row, one answer each. Seed {SEED}.", "",
        "| models | items | effects covered | share covered | bias of the share (points) | size of interactions at 5 % |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]  # fmt: skip
    for n_units, n_items in ((8, 96), (20, 96), (20, 300)):
        effects, shares, bias, size = explained(n_units, n_items, options.replications)
        lines.append(f"| {n_units} | {n_items} | {effects:.3f} | {shares:.3f} | {100 * bias:+.1f} | {size:.3f} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        f"Linking: {SCALES} scales of {ITEMS} fixed items a row, {NEW} new models on each.",
        "",
        "| answered | error of items | between categories | ability covered | error (logits) | score covered | error (points) |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    with tempfile.TemporaryDirectory() as name:
        cells = [(asked, error, 0.0) for asked in (25, 50, 100) for error in (0.0, 0.5)]
        for asked, error, between in (*cells, (50, 0.5, 0.5), (100, 0.5, 0.5)):
            ability, off, score, wrong = linked(asked, error, between, Path(name))
            lines.append(
                f"| {asked} | {error} | {between} | {ability:.3f} | {off:.2f} | {score:.3f} | {100 * wrong:.1f} |"
            )
            print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        pages.write("validation.md", "item_models", "\n".join(lines))


if __name__ == "__main__":
    main()
