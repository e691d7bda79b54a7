"""Item response models: do intervals of difficulty cover, what does MAP say beside them, and how long does it take.

Recovery. A data set has U models and 399 items, a fifth of CLIcK's in each of its categories. Abilities are N(0, 1) between
models and N(0, 0.3²) around that in a category; difficulties N(m, 1.3²) with category means m from N(-1, 0.5²); the floor is
a quarter; in the 2PL log discriminations are N(0, 0.3²). Abilities are centred within each category, which is the zero that
estimates have. All is drawn anew for each data set. Coverage is the share of items whose 95 % interval holds the true
difficulty: the posterior interval, and the mode of the posterior +- 1.96 times the error from its curvature there. The
fraction of data sets is also given in which the test finds discriminations to differ where they do not.

Speed. `--speed` times the 2PL on 20 models x 1,995 items and 200 x 500, `--large` also on 2,000 x 2,000; with `--peers`
girth and py-irt, each in an environment of its own that is made for it, fit the same answers, and the errors are compared.

Usage: python benchmarks/irt.py [--write] [--replications 100] [--jobs 2] [--speed] [--peers] [--large]
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import irt_engines
import numpy as np
import pages
import pandas as pd
from scipy.special import expit

import click_stats
from click_stats.stats.irt import marginal, posterior
from click_stats.stats.irt.data import Responses, leaves

SEED, LEVEL = 20240311, 0.95
GENERAL, CATEGORY, MEANS, SD, SLOPES = 1.0, 0.3, 0.5, 1.3, 0.3
CELLS = [("1pl", units, trials) for units in (13, 20, 50, 200) for trials in (1, 12)]
CELLS += [("2pl", 50, 1), ("2pl", 200, 1), ("2pl", 50, 12)]
SHARE = {("2pl", 200, 1): 0.3, ("2pl", 50, 12): 0.15, ("2pl", 50, 1): 0.5}
"""Share of the replications of the cells that take long."""
BAND = (0.93, 0.97)


def draw(
    rng: np.random.Generator, units: int, trials: int, *, slopes: bool, items: int | None = None, floor: float = 0.25,
    categories: bool = True,
):  # fmt: skip
    """One data set: responses, true difficulties."""
    keys = pd.read_csv(Path(click_stats.__file__).parent / "items" / "click-items.csv", dtype=str)
    sizes = keys["category"].value_counts(sort=False)
    names = list(sizes.index)
    if not categories:
        category = np.zeros(items, dtype=np.int64)
    elif items is None:
        category = np.repeat(np.arange(len(names)), (sizes / 5).round().astype(int))
    else:
        category = np.sort(rng.integers(0, len(names), items))
    n = category.size
    difficulty = rng.normal(-1.0, MEANS, len(names))[category] + SD * rng.standard_normal(n)
    a = np.exp(SLOPES * rng.standard_normal(n)) if slopes else np.ones(n)
    own = rng.normal(0, CATEGORY, (units, len(names))) if categories else np.zeros((units, 1))
    level = rng.normal(0, GENERAL, units)[:, None] + own
    level -= level.mean(axis=0)
    p = floor + (1 - floor) * expit(a * (level[:, category] - difficulty))
    correct = rng.binomial(trials, p).astype(float)
    leaf, leaf_category, leaf_passage = leaves(category, np.arange(n), passages=False)
    shown = np.full(correct.shape, float(trials))
    return Responses(correct, shown, np.full(n, floor), category, leaf, leaf_category, leaf_passage), difficulty


def one(task):
    """Coverage of one data set, by item: posterior interval, MAP interval, errors; and the test of slopes."""
    (kind, units, trials), seed = task
    responses, truth = draw(
        np.random.default_rng([SEED, units, trials, kind == "2pl", seed]), units, trials, slopes=kind == "2pl"
    )
    fit = marginal.fit(responses, slopes=kind == "2pl")
    found, mode = posterior.difficulty(fit, responses, LEVEL), posterior.modes(fit, responses)
    right = responses.correct.sum(axis=0)
    order = np.argsort(np.argsort(truth)) * 10 // truth.size
    inside = (found.low <= truth) & (truth <= found.high)
    by_map = np.abs(mode.difficulty - truth) <= 1.959964 * mode.std_error
    estimable = (right > 0) & (right < responses.trials.sum(axis=0))
    differs = np.nan
    if kind == "1pl" and trials == 1 and units in {20, 50}:
        other = marginal.fit(responses, slopes=True)
        differs = float(2 * (other.bound - fit.bound) > 2.705543)  # half of chi-squared(1): 5 %
    return {
        "inside": inside.mean(), "map": by_map.mean(), "map_estimable": by_map[estimable].mean(),
        "inside_estimable": inside[estimable].mean(), "rmse": np.sqrt(((found.mean - truth) ** 2).mean()),
        "map_rmse": np.sqrt(((mode.difficulty - truth) ** 2).mean()), "estimable": estimable.mean(), "differs": differs,
        "rank": np.corrcoef(np.argsort(np.argsort(found.mean)), np.argsort(np.argsort(truth)))[0, 1],
        "raw_rank": np.corrcoef(np.argsort(np.argsort(-right + 1e-9 * np.arange(right.size))), np.argsort(np.argsort(truth)))[0, 1],
        **{f"d{k}": inside[order == k].mean() for k in range(10)}, "converged": fit.converged,
    }  # fmt: skip


def recovery(replications: int, jobs: int) -> str:
    start = time.perf_counter()
    head, deciles, outside = [], [], 0
    with ProcessPoolExecutor(jobs) as pool:
        for cell in CELLS:
            number = max(2, round(replications * SHARE.get(cell, 1.0)))
            rows = list(pool.map(one, [(cell, seed) for seed in range(number)]))
            mean = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
            error = float(np.std([row["inside"] for row in rows], ddof=1) / np.sqrt(number))
            kind, units, trials = cell
            if kind == "1pl":
                outside += not BAND[0] <= mean["inside"] <= BAND[1]
            size = "–" if np.isnan(mean["differs"]) else f"{mean['differs']:.3f}"
            head.append(
                f"| {kind.upper()} | {units} | {trials} | {number} | {mean['inside']:.3f} ± {error:.3f} | {mean['map']:.3f} | "
                f"{mean['inside_estimable']:.3f} | {mean['map_estimable']:.3f} | {mean['estimable']:.3f} | {mean['rmse']:.3f} | "
                f"{mean['map_rmse']:.3f} | {mean['rank']:.3f} | {mean['raw_rank']:.3f} | {size} | {mean['converged']:.2f} |"
            )
            deciles.append(
                f"| {kind.upper()} | {units} | {trials} | "
                + " | ".join(f"{mean[f'd{k}']:.3f}" for k in range(10))
                + " |"
            )
            print(head[-1], flush=True)
    return "\n".join(
        [
            f"`python benchmarks/irt.py --write`: {replications} data sets a row of the 1PL, fewer where the row says so; {time.perf_counter() - start:.0f} s of wall time on a shared machine.",
            "",
            f"Rows of the 1PL outside {BAND[0]} to {BAND[1]}: {outside} of {sum(cell[0] == '1pl' for cell in CELLS)}.",
            "",
            "| model | models | trials | data sets | posterior interval | MAP ± 1.96 SE | posterior, estimable items | MAP, estimable items | items estimable | RMSE, mean | RMSE, MAP | rank correlation with truth | that of raw scores | 1PL rejected | converged |",
            "|" + "---|" * 15,
            *head,
            "",
            "Coverage of the posterior interval by tenth of the true difficulty, easiest first (an interval that shrinks covers less at the ends, and must: it is right on average over the items).",
            "",
            "| model | models | trials | " + " | ".join(str(k + 1) for k in range(10)) + " |",
            "|" + "---|" * 13,
            *deciles,
        ]
    )


def speed(*, large: bool, peers: bool, environments: str, jobs: int) -> str:
    """Tables of time, error and memory: the model as it is, and beside other packages on answers that all can fit."""
    lines = [
        "The 2PL with categories and a floor at chance:",
        "",
        "| models | items | CPU seconds | RMSE of difficulty | peak memory (MB) |",
        "|---|---|---|---|---|",
    ]
    for units, items in [(20, 1995), (200, 500), *([(2000, 2000)] if large else [])]:
        responses, truth = draw(np.random.default_rng([SEED, 7, units]), units, 1, slopes=True, items=items)
        found = irt_engines.run(irt_engines.OURS, sys.executable, responses)
        lines.append(
            f"| {units:,} | {items:,} | {found['seconds']:.2f} | {irt_engines.error(found, truth):.3f} | "
            f"{found['peak']:.0f} |"
        )
        print(lines[-1], flush=True)
    if peers:
        plain = []
        for units, items in [(200, 500), (20, 1995)]:
            rng = np.random.default_rng([SEED, 8, units])
            plain.append(draw(rng, units, 1, slopes=True, items=items, floor=0.0, categories=False))
        with tempfile.TemporaryDirectory() as folder:
            table = irt_engines.compared(plain, Path(environments or folder), jobs)
        lines += [
            "",
            "Without categories and floor, which the other packages' 2PL does not have. Their errors are of the best straight line from their difficulties to the true ones, which favours them; those of click-stats of its difficulties as they are.",
            "",
            table,
        ]
    options = "".join(f" --{name}" for name, given in (("peers", peers), ("large", large)) if given)
    machine = f"Python {platform.python_version()}, numpy {np.__version__}, {platform.system()}"
    return "\n".join(
        [
            f"`python benchmarks/irt.py --speed{options} --write`: processor seconds of one fit with one thread; {machine}; the machine was shared with other work.",
            "",
            *lines,
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/validation.md or docs/performance.md"
    )
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--speed", action="store_true", help="time the 2PL instead of measuring recovery")
    parser.add_argument("--peers", action="store_true", help="with --speed: install and time girth and py-irt")
    parser.add_argument("--environments", default="", help="folder that keeps the environments of --peers")
    parser.add_argument("--large", action="store_true", help="with --speed: also 2,000 models x 2,000 items")
    given = parser.parse_args()
    if given.speed:
        text = speed(large=given.large, peers=given.peers, environments=given.environments, jobs=given.jobs)
    else:
        text = recovery(given.replications, given.jobs)
    print(text)
    if given.write:
        pages.write(*(("performance.md", "irt-speed") if given.speed else ("validation.md", "irt")), text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
