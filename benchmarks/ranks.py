"""How often all rank intervals of 20 models hold at once.

A model's interval holds if no truly better or equal model is declared worse and no truly worse or equal one better:
it then contains every rank that the model could be given, ties included.

Usage: python benchmarks/ranks.py [--write] [--repeat 2000] [--draws 499]
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pages
import simulation

from click_stats.stats.tools.columns import columns
from click_stats.stats.tools.maxt import max_t

LEVEL, SEED, MODELS = 0.95, 20261202, 20


def covered(seed: list[int], repeats: int, accuracies: tuple[float, ...], draws: int) -> np.ndarray:
    """(repeats, 2): whether all intervals hold, and their mean width."""
    rng = np.random.default_rng(seed)
    truth = np.array(accuracies)
    first, second = np.triu_indices(len(truth), 1)
    better = (truth[None, :] > truth[:, None]).sum(axis=1)
    worse = (truth[None, :] < truth[:, None]).sum(axis=1)
    found = np.zeros((repeats, 2))
    for k in range(repeats):
        made = columns(simulation.answers(rng, accuracies).T, simulation.CLUSTERS)
        difference = made.estimates[first] - made.estimates[second]
        outcome = max_t(
            [made.contrasts(first, second)],
            difference / made.std_errors(first, second),
            {"all": np.arange(len(first))},
            n_clusters=simulation.N_CLUSTERS,
            draws=draws,
            seed=int(rng.integers(2**31)),
        )["all"]
        apart = outcome.p < 1 - LEVEL
        winner, loser = np.where(difference > 0, first, second)[apart], np.where(difference > 0, second, first)[apart]
        low = 1 + np.bincount(loser, minlength=len(truth))
        high = len(truth) - np.bincount(winner, minlength=len(truth))
        found[k] = (low <= 1 + better).all() and (high >= len(truth) - worse).all(), (high - low + 1).mean()
    return found


def cases() -> dict[str, tuple[float, ...]]:
    groups = tuple(np.repeat([0.6, 0.65, 0.7, 0.75], MODELS // 4))
    return {
        "all tied at .7": (0.7,) * MODELS,
        "all tied at .95": (0.95,) * MODELS,
        "four tied groups, 5 points apart": groups,
        "two tied groups, 20 points apart": (0.6,) * 10 + (0.8,) * 10,
        "distinct, 2 points apart": tuple(np.round(0.5 + 0.02 * np.arange(MODELS), 4)),
        "distinct, .2 points apart": tuple(np.round(0.7 + 0.002 * np.arange(MODELS), 4)),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table to docs/validation.md")
    parser.add_argument("--repeat", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=499)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    lines = ["| 20 models | all intervals hold, % | mean number of ranks in an interval |", "|---|---|---|"]
    wrong = []
    for name, accuracies in cases().items():
        found = simulation.spread_out(covered, options.repeat, SEED, accuracies, options.draws)
        rate, width = found.mean(axis=0)
        if rate < 0.93 - 2 * np.sqrt(0.05 * 0.95 / options.repeat):
            wrong.append(f"{name}: {rate:.3f}")
        lines.append(f"| {name} | {simulation.share(rate, options.repeat)} | {width:.1f} |")
        print(lines[-1], f"{time.perf_counter() - start:.0f} s", flush=True)
    text = f"""
Share of data sets in which the 95 % rank intervals of all 20 models hold at once, ties included. Criterion: at least
.93 under all tied, tied groups, distinct. **{"Met everywhere." if not wrong else "Not met: " + "; ".join(wrong) + "."}**

CLIcK's 1,995 items with their passages, one answer per item; {options.repeat:,} data sets a row (± one Monte Carlo
standard error), {options.draws} draws of signs in each.

{chr(10).join(lines)}

Command: `python benchmarks/ranks.py --write --repeat {options.repeat} --draws {options.draws}` (seed {SEED}).
"""
    print(text)
    if options.write:
        pages.write("validation.md", "ranks", text)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
