"""Items unfair to a group of models: power and false discovery rate by the number of models.

Answers. Two groups of equal size answer 200 items under a two-parameter model: abilities standard normal, half a standard
deviation lower in the focal group; difficulties standard normal, discriminations lognormal (sd of the log .3). Twenty items
are harder for the focal group by .5 (small), 1.0 (large) or 1.5 (very large) logits. Items are tested as the analysis does: purified
anchor, joint likelihood-ratio test against F, Benjamini-Hochberg at 5 %.

Power: share of the planted items that are separated. False discoveries: mean over data sets of the share of items without a
planted difference among those separated (0 where none is). Size: share of the other items with an unadjusted p below 5 %. Coverage: of the
95 % interval of the difference at equal score where nothing is planted and abilities are equal, against 0.

The design was set before the first run and has not been changed since.

Usage: python benchmarks/dif.py [--write] [--replications 100]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pages
from scipy import special

from click_stats.stats.dif.adjusted import adjusted
from click_stats.stats.dif.logistic import logistic
from click_stats.stats.dif.matching import matching_score, purified
from click_stats.stats.tools.multiplicity import benjamini_hochberg

SEED, ITEMS, PLANTED, ALPHA = 20240311, 200, 20, 0.05
SIZES = (20, 50, 100, 200)
SHIFTS = (0.5, 1.0, 1.5)
SMALL = (3, 5, 10)


def answers(rng: np.random.Generator, per_group: int, shift: float, gap: float) -> tuple[np.ndarray, np.ndarray]:
    """Draw answers (units, items) and the focal group; the first items are harder for it by ``shift`` logits."""
    focal = np.repeat([0.0, 1.0], per_group)
    ability = rng.normal(size=2 * per_group) - gap * focal
    slope, difficulty = rng.lognormal(0, 0.3, ITEMS), np.tile(rng.normal(size=ITEMS), (2 * per_group, 1))
    difficulty[:, :PLANTED] += shift * focal[:, None]
    chance = special.expit(slope * (ability[:, None] - difficulty))
    return (rng.random(chance.shape) < chance).astype(float), focal


def tested(per_group: int, shift: float, replications: int) -> tuple[float, float, float, float]:
    """Return power, false discovery rate, unadjusted size and mean size of the anchor."""
    rng = np.random.default_rng([SEED, per_group, int(10 * shift)])
    power, false, size, anchors = [], [], [], []
    for _ in range(replications):
        y, focal = answers(rng, per_group, shift, 0.5)
        anchor, _ = purified(y, focal)
        p = logistic(y, focal, matching_score(y, anchor)).p_joint
        found = benjamini_hochberg(p) < ALPHA
        power.append(found[:PLANTED].mean())
        false.append(found[PLANTED:].sum() / max(found.sum(), 1))
        size.append((p[PLANTED:] < ALPHA).mean())
        anchors.append(anchor.sum())
    return tuple(float(np.mean(one)) for one in (power, false, size, anchors))  # type: ignore[return-value]


def covered(per_group: int, replications: int) -> tuple[float, float]:
    """Return coverage of the interval of the difference, and its median detectable difference."""
    rng = np.random.default_rng([SEED, per_group])
    hits, widths = [], []
    for _ in range(replications):
        y, focal = answers(rng, per_group, 0.0, 0.0)
        found = adjusted(y, focal, matching_score(y, np.ones(ITEMS, dtype=bool)))
        half = found.quantile(0.95) * found.std_error
        usable = np.isfinite(half) & (half > 0)
        hits.append((np.abs(found.estimate) <= half)[usable].mean())
        widths.append(np.median(half[usable]))
    return float(np.mean(hits)), float(np.mean(widths))


def main() -> None:
    """Run the simulations and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--write", action="store_true", help="write docs/validation.md")
    options = parser.parse_args()
    start = time.perf_counter()
    lines = [
        f"{ITEMS} items, {PLANTED} of them harder for the focal group, {options.replications} data sets a row. Seed {SEED}.",
        "",
        "| models a group | planted (logits) | power | false discoveries | size at 5 % | anchor |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for per_group in SIZES:
        for shift in SHIFTS:
            power, false, size, anchor = tested(per_group, shift, options.replications)
            lines.append(f"| {per_group} | {shift} | {power:.3f} | {false:.3f} | {size:.3f} | {anchor:.0f} |")
            print(lines[-1], flush=True)
    lines += [
        "",
        "The interval of the difference at equal score, nothing planted:",
        "",
        "| models a group | coverage of the 95 % interval | half-width (points) |",
        "| ---: | ---: | ---: |",
    ]
    for per_group in (*SMALL, *SIZES[:2]):
        coverage, width = covered(per_group, options.replications)
        lines.append(f"| {per_group} | {coverage:.3f} | {100 * width:.1f} |")
        print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if options.write:
        pages.write("validation.md", "dif", "\n".join(lines))


if __name__ == "__main__":
    main()
