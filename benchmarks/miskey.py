"""Mis-keys: how many of 20 flipped keys stand among the first suspects.

In the real answers of 20 models (fixtures/real-results) the keys of 20 random items are changed to another option of the
item, at random. Everything is then computed anew from these keys, and the items are ranked by the score. Counted: flipped
items among the first 40 and the first 100 suspects. The real keys have errors of their own, which compete for these
places: in a third count the first 100 suspects of the untouched keys are set aside.

Beside the score, what was tried and not taken: plain majority (every model one vote), weights without discount, weights
by category, one vote per family. The score was settled on the seeds 0 to 49 of another stream (not these), and for what it
assumes, not for its hits: the discount by agreement on errors costs some and is kept, because without it a copy of a model
is a second witness.

Usage: python benchmarks/miskey.py [--write] [--seeds 200]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pages

import click_stats as cs
from click_stats.stats.item_analysis import miskey
from click_stats.stats.item_analysis.answers import Answers, answers
from click_stats.study.run import select_models

SEED, FLIPS = 20240311, 20
FIRST, MORE = 40, 100
REQUIRED = {"first": 11.0, "more": 15.0, "aside": 15.0}
ROOT = Path(__file__).parents[1]
SHRINK = 20


def real() -> Answers:
    """The answers of the real files, with what is known of the models."""
    trials = cs.read_trials(ROOT / "fixtures" / "real-results", items=cs.read_items())
    return answers(select_models(cs.read_models(ROOT / "fixtures" / "models.csv"), trials.counts()), "responded")


def with_keys(found: Answers, gold: np.ndarray) -> Answers:
    """The same answers under other keys."""
    right = np.arange(found.shares.shape[2]) == gold[:, None]
    scores = np.where(found.there, np.where(right, found.shares, 0.0).sum(axis=2), np.nan)
    return replace(found, gold=gold, right=right, scores=scores)


def chosen(found: Answers) -> np.ndarray:
    return miskey.vote(found, miskey.voters(found)).score


def undiscounted(found: Answers) -> np.ndarray:
    known = miskey.voters(found)
    return miskey.vote(found, known._replace(independence=np.ones_like(known.accuracy))).score


def majority(found: Answers) -> np.ndarray:
    known = miskey.voters(found)
    alike = np.full_like(known.accuracy, 0.7)
    return miskey.vote(found, known._replace(independence=np.ones_like(known.accuracy), accuracy=alike)).score


def by_family(found: Answers) -> np.ndarray:
    return miskey.vote_by_family(found, miskey.voters(found), miskey.family_names(found)).score


def by_category(found: Answers) -> np.ndarray:
    """The score with accuracies by category, shrunk towards the overall one by 20 items."""
    known = miskey.voters(found)
    score = np.full(len(found.gold), np.nan)
    category = found.items["category"].to_numpy()
    for name in np.unique(category):
        own = category == name
        n, right = found.there[:, own].sum(axis=1), np.nansum(found.scores[:, own], axis=1)
        local = known._replace(accuracy=(right + SHRINK * known.accuracy) / (n + SHRINK))
        score[own] = miskey.vote(found, local).score[own]
    return score


WAYS = {
    "score (discounted by agreement on errors)": chosen,
    "weights without discount": undiscounted,
    "plain majority": majority,
    "weights by category, discounted": by_category,
    "one vote per family": by_family,
}


def flipped(found: Answers, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the flipped items, and the keys with them."""
    items = rng.choice(len(found.gold), FLIPS, replace=False)
    gold = found.gold.copy()
    n = found.n_options[items]
    gold[items] = (gold[items] + 1 + (rng.random(FLIPS) * (n - 1)).astype(np.int64)) % n
    return items, gold


def order(score: np.ndarray) -> np.ndarray:
    return np.argsort(-np.nan_to_num(score, nan=-np.inf), kind="stable")


def hits(found: Answers, seeds: int) -> dict[str, np.ndarray]:
    """(seeds, 3) flipped items among the first 40, the first 100, and the first 40 with old suspects set aside."""
    made = {name: np.zeros((seeds, 3)) for name in WAYS}
    aside = {name: order(score(found))[:MORE] for name, score in WAYS.items()}
    for seed in range(seeds):
        items, gold = flipped(found, np.random.default_rng([SEED, seed]))
        changed = with_keys(found, gold)
        for name, score in WAYS.items():
            ranked = order(score(changed))
            left = ranked[~np.isin(ranked, aside[name])]
            made[name][seed] = [np.isin(items, part).sum() for part in (ranked[:FIRST], ranked[:MORE], left[:FIRST])]
    return made


def report(made: dict[str, np.ndarray], found: Answers, seeds: int, seconds: float) -> str:
    own = next(iter(made.values())).mean(axis=0)
    lines = [
        (
            f"`python benchmarks/miskey.py --write` ({seeds} seeds, seed {SEED}, {seconds:.0f} s). {FLIPS} keys of the real "
            f"files flipped at random; mean number of them among the first suspects. The {len(found.units)} models count as "
            f"{miskey.voters(found).independence.sum():.2f} by their agreement on errors."
        ),
        "",
    ]
    named = (f"first {FIRST}", f"first {MORE}", f"first {FIRST}, old suspects set aside")
    for what, value, (_, least) in zip(named, own, REQUIRED.items(), strict=True):
        verdict = "met" if value >= least else "NOT MET"
        lines.append(f"- {what}: {value:.2f} of {FLIPS} (required at least {least:g}): {verdict}.")
    lines += ["", "| way | " + " | ".join(named) + " |", "|" + "---|" * 4]
    for name, values in made.items():
        error = values.std(axis=0, ddof=1) / np.sqrt(seeds)
        cells = " | ".join(f"{mean:.2f} ± {one:.2f}" for mean, one in zip(values.mean(axis=0), error, strict=True))
        lines.append(f"| {name} | {cells} |")
    lines += [
        "",
        (
            f"± is the Monte Carlo error of the mean. Old suspects: the first {MORE} of the untouched keys by the same way; "
            "a flipped item that is one of them cannot be found again."
        ),
    ]
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/validation.md")
    parser.add_argument("--seeds", type=int, default=200)
    given = parser.parse_args()
    start = time.perf_counter()
    found = real()
    text = report(hits(found, given.seeds), found, given.seeds, time.perf_counter() - start)
    print(text)
    if given.write:
        pages.write("validation.md", "miskey", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
