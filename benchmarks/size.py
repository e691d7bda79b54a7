"""How often the tests of a pair reject at .05 when the two models are equally good.

First exactly, by enumeration of all outcomes, for items without shared passages and one answer each. Then simulated
on CLIcK's passages, one and twelve answers per item, for the clustered tests.

Usage: python benchmarks/size.py [--write] [--repeat 10000]
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import pages
import simulation
from scipy import stats

from click_stats.stats.tools import mcnemar
from click_stats.stats.tools.columns import columns
from click_stats.stats.tools.permutation import sign_flip

ALPHA, SEED = 0.05, 20261130
SIZES = (20, 41, 59, 84, 131, 219, 309, 1995)
DISCORDANCE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8)
ACCURACIES = (0.25, 0.5, 0.8, 0.95)
WHERE = ("Textual", "Functional", "Grammar", "all")


def enumerated(n: int, discordance: float) -> dict[str, float]:
    """Size of exact McNemar (the sign-flip test here), mid-p and the t test with n items, without simulation."""
    found = {"sign-flip": 0.0, "mid-p": 0.0, "t": 0.0}
    weight = stats.binom.pmf(np.arange(n + 1), n, discordance)
    for total in np.flatnonzero(weight > 1e-13):
        a = np.arange(total + 1)
        b = total - a
        chance = weight[total] * stats.binom.pmf(a, total, 0.5)
        mean = (a - b) / n
        error = np.sqrt(np.maximum(total / n - mean**2, 0.0) / (n - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(error > 1e-12, np.abs(mean) / error, np.where(mean == 0, 0.0, np.inf))
        found["sign-flip"] += chance[mcnemar.exact(a, b) < ALPHA].sum()
        found["mid-p"] += chance[mcnemar.mid_p(a, b) < ALPHA].sum()
        found["t"] += chance[2 * stats.t.sf(t, n - 1) < ALPHA].sum()
    return found


def simulated(seed: list[int], repeats: int, where: str, accuracy: float, trials: int) -> np.ndarray:
    """(repeats, 3): whether the sign-flip test and the t test reject, and the share of discordant items."""
    rng = np.random.default_rng(seed)
    items = simulation.category(where)
    found = np.zeros((repeats, 3))
    one, two = np.array([0]), np.array([1])
    for k in range(repeats):
        y = simulation.answers(rng, (accuracy, accuracy), items, trials=trials)
        made = columns(y.T, simulation.CLUSTERS[items])
        error = made.std_errors(one, two)[0]
        difference = made.uncentred[:, 0] - made.uncentred[:, 1]
        p = sign_flip(difference[:, None], denominators=[trials], draws=999, seed=k).p[0]
        t = abs(made.estimates[0] - made.estimates[1]) / error if error > 1e-12 else 0.0
        df = made.n_clusters[0] - 1
        found[k] = p < ALPHA, 2 * stats.t.sf(t, df) < ALPHA, (y[0] != y[1]).mean()
    return found


def exact_table() -> tuple[str, list[str]]:
    """The enumerated sizes, and what breaks the criterion."""
    head = "| items | " + " | ".join(f"{share:g}" for share in DISCORDANCE) + " |"
    lines, broken = [], []
    for name, test in (("sign-flip = exact McNemar", "sign-flip"), ("mid-p McNemar", "mid-p"), ("t (CR1)", "t")):
        lines += ["", f"Size of {name}, %, by items and share of discordant items:", "", head]
        lines.append("|" + "---|" * (len(DISCORDANCE) + 1))
        for n in SIZES:
            cells = []
            for share in DISCORDANCE:
                size = 100 * enumerated(n, share)[test]
                inside = n * share >= 8 and share <= 0.5
                good = size <= 5.5 if test == "sign-flip" else not inside or 3 <= size <= 6.5
                if not good:
                    broken.append(f"{name}, {n} items, discordance {share:g}: {size:.2f} %")
                cells.append(f"{size:.2f}" if test == "sign-flip" or inside else f"({size:.2f})")
            lines.append(f"| {n:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines), broken


def clustered_table(repeats: int) -> tuple[str, list[str]]:
    """The simulated sizes on real passages, and what breaks the criterion."""
    lines = [
        "| items | answers | accuracy | discordant items | sign-flip, clustered | t (CR1) |",
        "|---|---|---|---|---|---|",
    ]
    broken = []
    for where in WHERE:
        for trials in (1, 12):
            for accuracy in ACCURACIES:
                number = repeats if trials == 1 or where != "all" else max(repeats // 5, 100)
                found = simulation.spread_out(simulated, number, SEED, where, accuracy, trials)
                flip, t, discordance = found.mean(axis=0)
                allowance = 2 * np.sqrt(0.05 * 0.95 / number)
                n = len(simulation.category(where))
                if flip > 0.055 + allowance:
                    broken.append(f"sign-flip, {where}, {trials} answers, accuracy {accuracy}: {100 * flip:.2f} %")
                if n * discordance >= 8 and discordance <= 0.5 and not 0.03 - allowance <= t <= 0.065 + allowance:
                    broken.append(f"t, {where}, {trials} answers, accuracy {accuracy}: {100 * t:.2f} %")
                shares = [simulation.share(value, number) for value in (flip, t)]
                lines.append(
                    f"| {where} ({n:,}) | {trials} | {accuracy} | {discordance:.2f} | {shares[0]} | {shares[1]} |"
                )
    return "\n".join(lines), broken


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables to docs/validation.md")
    parser.add_argument("--repeat", type=int, default=10_000)
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    exact, wrong = exact_table()
    clustered, more = clustered_table(options.repeat)
    wrong += more
    text = f"""
Two equally good models are declared different at .05. Criterion: sign-flip at most 5.5 % everywhere; mid-p and t
between 3 and 6.5 % where at least 8 discordant items are expected and at most half are discordant (other cells in
brackets). **{"Met everywhere." if not wrong else "Not met: " + "; ".join(wrong) + "."}**

Exact, by enumeration of all outcomes (independent items, one answer each).
{exact}

Simulated on CLIcK's items with their passages ({options.repeat:,} data sets a row, a fifth of that for twelve answers
to all items; ± one Monte Carlo standard error, and two of them are allowed for in the criterion). Answers depend on
shared item difficulty and on model by passage; discordant items are those with different scores.

{clustered}

Command: `python benchmarks/size.py --write --repeat {options.repeat}` (seed {SEED}).
"""
    print(text, f"{time.perf_counter() - start:.0f} s")
    if options.write:
        pages.write("validation.md", "size", text)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
