"""How often a family of tests declares any difference that does not exist.

Models on CLIcK's items, categories and passages. The whole family counts once: at least one false rejection.

Usage: python benchmarks/familywise.py [--write] [--repeat 2000] [--draws 499]
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pages
import simulation
from scipy import stats

from click_stats.stats.tools.columns import columns
from click_stats.stats.tools.maxt import max_t
from click_stats.stats.tools.multiplicity import holm
from click_stats.stats.tools.permutation import sign_flip

ALPHA, SEED = 0.05, 20261201
ACCURACIES = (0.25, 0.5, 0.8, 0.95)


def candidates(t: np.ndarray, n_tests: int) -> np.ndarray:
    """Tests that Holm could reject at all: a sign-flip p-value is nowhere near 50 times below the t test's."""
    return np.flatnonzero(2 * stats.norm.sf(np.abs(t)) < 50 * ALPHA / n_tests)


def false_rejections(
    seed: list[int], repeats: int, accuracies: tuple[float, ...], by_category: bool, draws: int, families: int
) -> np.ndarray:
    """(repeats, 2): whether max-T, and Holm, reject the equality of two models of equal accuracy."""
    rng = np.random.default_rng(seed)
    first, second = np.triu_indices(len(accuracies), 1)
    levels = np.array(accuracies)
    where = (
        [simulation.category(str(name)) for name in simulation.NAMES] if by_category else [simulation.category("all")]
    )
    true = np.tile(levels[first] == levels[second], len(where))
    found = np.zeros((repeats, 2), dtype=bool)
    for k in range(repeats):
        y = simulation.answers(rng, accuracies, families=families, copied=0.8 if families else 0.0)
        groups, statistics = [], []
        p = np.ones(len(true))
        for place, items in enumerate(where):
            made = columns(y[:, items].T, simulation.CLUSTERS[items])
            error = made.std_errors(first, second)
            usable = error > 1e-9 / len(items)
            t = np.where(usable, (made.estimates[first] - made.estimates[second]) / np.where(usable, error, 1.0), 0.0)
            some = candidates(t, len(true))
            sums = made.uncentred[:, first[some]] - made.uncentred[:, second[some]]
            p[place * len(first) + some] = sign_flip(sums).p
            groups.append(made.contrasts(first, second).only(np.flatnonzero(usable)))
            statistics.append(np.where(usable, t, np.nan))
        t = np.concatenate(statistics)
        usable = np.isfinite(t)
        tests = {"all": np.arange(int(usable.sum()))}
        outcome = max_t(
            groups, t[usable], tests, n_clusters=simulation.N_CLUSTERS, draws=draws, seed=int(rng.integers(2**31))
        )["all"]
        found[k] = (outcome.p[true[usable]] < ALPHA).any(), (holm(p)[true] < ALPHA).any()
    return found


def cases() -> list[tuple[str, str, tuple[float, ...], bool, int]]:
    """Name, accuracy as shown, accuracies, whether by category, families of near copies."""
    tied = (
        ("20 tied models, overall (190 tests)", 20, False),
        ("2 tied models, 11 categories (11 tests)", 2, True),
        ("20 tied models, 11 categories (2,090 tests)", 20, True),
    )
    found = [(name, f"{one}", (one,) * models, by, 0) for name, models, by in tied for one in ACCURACIES]
    steps = tuple(np.round(np.linspace(0.4, 0.85, 10), 3))
    found.append(("10 tied models among 20 (45 true of 190 tests)", "0.625", (0.625,) * 10 + steps, False, 0))
    found.append(("20 tied models in 4 families of near copies (190 tests)", "0.8", (0.8,) * 20, False, 4))
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the table to docs/validation.md")
    parser.add_argument("--repeat", type=int, default=2_000)
    parser.add_argument("--draws", type=int, default=499)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    lines = ["| family | accuracy | max-T, step-down | Holm of sign-flip |", "|---|---|---|---|"]
    wrong = []
    allowance = 2 * np.sqrt(0.05 * 0.95 / options.repeat)
    for name, shown, accuracies, by_category, families in cases():
        rates = simulation.spread_out(
            false_rejections, options.repeat, SEED, accuracies, by_category, options.draws, families
        ).mean(axis=0)
        wrong += [
            f"{test}, {name}, {shown}: {100 * rate:.2f} %"
            for test, rate in zip(("max-T", "Holm"), rates, strict=True)
            if rate > 0.06 + allowance
        ]
        lines.append(
            f"| {name} | {shown} | " + " | ".join(simulation.share(rate, options.repeat) for rate in rates) + " |"
        )
        print(lines[-1], f"{time.perf_counter() - start:.0f} s", flush=True)
    text = f"""
Share of data sets, in percent, in which at least one true null hypothesis is rejected at .05. Criterion: at most 6 %
for max-T and Holm (two Monte Carlo standard errors, {100 * allowance:.1f} points, allowed).
**{"Met everywhere." if not wrong else "Not met: " + "; ".join(wrong) + "."}**

CLIcK's 1,995 items with their categories and passages, one answer per item; models share the difficulty of items;
{options.repeat:,} data sets a row (± one Monte Carlo standard error), {options.draws} draws of signs in each (the
analyses use 10,000; with fewer the test is as exact, only less powerful). Rejections are those of the max-T family by
itself, without the rule that no adjusted value lies below the unadjusted one, which can only remove some.

{chr(10).join(lines)}

Command: `python benchmarks/familywise.py --write --repeat {options.repeat} --draws {options.draws}` (seed {SEED}).
"""
    print(text)
    if options.write:
        pages.write("validation.md", "familywise", text)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
