"""Two remedies for over-dispersion in the mixed model: each model's dispersion, or effects of cells with one variance.

Models have the same level on average over their answers; cells of a model on an item have effects of their own, equally
large in all models or larger in larger models. Shown: how often two models of equal level are called different at 5 %,
and the slope of the levels by size, which is 0.

Usage: python benchmarks/mixed_dispersion.py [--studies 100] [--write]
"""

from __future__ import annotations

import argparse

import numpy as np
import pages
import pandas as pd

from click_stats.stats.glmm import GlmmData
from click_stats.stats.mixed.levels import ModelLevels, model_levels
from click_stats.stats.mixed.second_stage import second_stage

SEED = 20261130
MODELS, ITEMS, TRIALS, SD_MODEL, Z = 8, 60, 12, 0.15, 1.959964
SIZE = np.linspace(0, 1.2, MODELS)
PAIR = (3, 4)
SPREAD = {
    "none": np.zeros(MODELS),
    "1.5 in every model": np.full(MODELS, 1.5),
    "0.5 to 2.3, rising with size": 0.5 + 1.5 * SIZE,
}
SHRINK = 0.346
"""A normal effect of variance v divides marginal logits by about sqrt(1 + .346 v) (Zeger, Liang and Albert 1988)."""


def study(rng: np.random.Generator, spread: np.ndarray) -> GlmmData:
    level = rng.normal(-0.9, SD_MODEL, MODELS)
    level[PAIR[1]] = level[PAIR[0]]
    marginal = level[:, None] + rng.normal(0, 1, ITEMS)
    logits = marginal * np.sqrt(1 + SHRINK * spread**2)[:, None] + rng.normal(0, 1, (MODELS, ITEMS)) * spread[:, None]
    model, item = np.divmod(np.arange(MODELS * ITEMS), ITEMS)
    frame = pd.DataFrame({"model": np.char.mod("m%d", model), "item": np.char.mod("i%02d", item), "trials": TRIALS})
    return GlmmData.from_frame(frame.assign(correct=rng.binomial(TRIALS, 1 / (1 + np.exp(-logits))).ravel()))


def binomial(found: ModelLevels) -> np.ndarray:
    """Return the covariance of the levels' differences as the fit has it, without the dispersions."""
    names = list(found.fit.names)
    weights = np.zeros((MODELS, len(names)))
    for row, model in enumerate(found.models):
        if f"model[{model}]" in names:
            weights[row, names.index(f"model[{model}]")] = 1.0
    return weights @ found.fit.vcov @ weights.T


def different(levels: np.ndarray, covariance: np.ndarray) -> bool:
    a, b = PAIR
    return bool(abs(levels[a] - levels[b]) > Z * np.sqrt(covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write the table to docs/validation.md")
    given = parser.parse_args()
    facts = pd.DataFrame({"log10_params": SIZE}, index=[f"m{k}" for k in range(MODELS)])
    lines = [
        f"`python benchmarks/mixed_dispersion.py --studies {given.studies} --write` (seed {SEED}). {MODELS} models x {ITEMS} items x {TRIALS} trials; two models have one level, size has no effect. Nominal 5 %.",
        "",
        "| SD of cells (logits) | errors of the levels | equal models called different, % | mean slope by size (logits) | slope separated, % |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for name, spread in SPREAD.items():
        rng = np.random.default_rng(SEED)
        called: dict[str, list[bool]] = {"binomial": [], "dispersion of each model": [], "effects of cells": []}
        slopes: dict[str, list[float]] = {way: [] for way in called}
        separated: dict[str, list[bool]] = {way: [] for way in called}
        for _ in range(given.studies):
            data = study(rng, spread)
            plain = model_levels(data, fixed="")
            ways = {
                "binomial": (plain, binomial(plain)),
                "dispersion of each model": (plain, plain.covariance),
            }
            cells = model_levels(data, fixed="", random=("item", "cell"))
            ways["effects of cells"] = (cells, cells.covariance)
            for way, (levels, covariance) in ways.items():
                called[way].append(different(levels.levels, covariance))
                row = second_stage(levels, facts, "log10_params").table().loc["log10_params"]
                slopes[way].append(row["estimate"])
                separated[way].append(row["p_value"] < 0.05)
        for way, found in called.items():
            share, error = np.mean(found), np.sqrt(np.mean(found) * (1 - np.mean(found)) / given.studies)
            slope = f"{np.mean(slopes[way]):.3f} ± {np.std(slopes[way], ddof=1) / np.sqrt(given.studies):.3f}"
            test = "" if way == "binomial" else f"{100 * np.mean(separated[way]):.0f}"
            shown = "" if way == "binomial" else slope
            lines.append(f"| {name} | {way} | {100 * share:.0f} ± {100 * error:.0f} | {shown} | {test} |")
    text = "\n".join(lines)
    print(text)
    if given.write:
        pages.write("validation.md", "mixed-dispersion", text)


if __name__ == "__main__":
    main()
