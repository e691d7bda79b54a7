"""How often 95 % intervals of a mixed model's scale and corpus effects hold the truth, and the size of their tests.

Models of the paper's sizes (13, or 6 of them) answer 154 items in 11 categories, 12 trials each. Logits: scale .9 per
tenfold parameters, corpus .4 (both 0 where the size of the test is measured), standard deviations .35 over models, 1.1
over items, .4 over categories (drawn anew each time; fixed effects in the fit). With families, models of five families
share an effect of SD .25 and have .25 of their own, and the fit does not know. Every interval is t with models - 3 degrees
of freedom, but the first (z). A study whose fit fails counts as missing the truth.

Usage: python benchmarks/mixed_coverage.py [--studies 1000] [--full 300] [--write]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pages
from mixed_data import CORPUS, FAMILY, KOREAN, SD_MODEL, SIX, SIZE, SIZES, cells
from scipy import stats
from simulation import spread_out

from click_stats.errors import ClickStatsError
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit
from click_stats.stats.mixed.levels import model_levels
from click_stats.stats.mixed.second_stage import second_stage

CATEGORY = np.char.mod("c%02d", np.arange(154) % 11)
TRIALS, SEED = 12, 20260504
SPEC = GlmmSpec("category + log10_params + corpus")
SCENARIOS = {
    "13 models": (tuple(range(13)), 1.0, 0.0),
    "13 models, no effects": (tuple(range(13)), 0.0, 0.0),
    "13 models in 5 families": (tuple(range(13)), 1.0, 0.25),
    "6 models": (SIX, 1.0, 0.0),
    "6 models, no effects": (SIX, 0.0, 0.0),
}
BANDS = {("13 models", "two"): (0.93, 0.97), ("13 models", "full"): (0.915, 0.98), ("6 models", "two"): (0.92, 0.98)}
"""Required coverage by number of models and engine."""


def two_stage(data: GlmmData) -> tuple[np.ndarray, np.ndarray, float]:
    facts = data.columns.drop_duplicates("model").set_index("model")[["log10_params", "corpus"]]
    found = second_stage(model_levels(data), facts)
    return found.beta[1:], found.se[1:], found.sd


def restricted(data: GlmmData) -> tuple[np.ndarray, np.ndarray, float]:
    found = fit(data, SPEC, restricted=True)
    return found.beta[-2:], found.se[-2:], float(found.sd[1])


def likelihood(data: GlmmData) -> tuple[np.ndarray, np.ndarray, float]:
    found = fit(data, SPEC)
    return found.beta[-2:], found.se[-2:], float(found.sd[1])


ENGINES = {
    "two": ("two stages, t", two_stage),
    "full": ("restricted likelihood, t", restricted),
    "likelihood": ("likelihood, z", likelihood),
}


def job(seed: list[int], repeats: int, scenario: str, engine: str) -> np.ndarray:
    """(repeats, 5): error and standard error of scale and corpus, standard deviation over models; NaN where it failed."""
    chosen, share, sd_family = SCENARIOS[scenario]
    models = list(chosen)
    size, corpus = np.log10(np.array(SIZES)[models]), np.array(CORPUS, dtype=float)[models]
    truth = share * np.array([SIZE, KOREAN])
    found = np.full((repeats, 5), np.nan)
    rng = np.random.default_rng([SEED, *seed, list(SCENARIOS).index(scenario)])
    for k in range(repeats):
        frame = cells(
            rng,
            size,
            corpus,
            CATEGORY,
            trials=TRIALS,
            effects=tuple(truth),
            sd_model=sd_family or SD_MODEL,
            family=np.array(FAMILY)[models],
            sd_family=sd_family,
        )
        try:
            beta, se, sd = ENGINES[engine][1](GlmmData.from_frame(frame))
        except ClickStatsError:
            continue
        found[k] = [*(beta - truth), *se, sd]
    return found


def row(scenario: str, engine: str, found: np.ndarray) -> str:
    models, share, sd_family = SCENARIOS[scenario]
    n = len(found)
    quantile = 1.96 if engine == "likelihood" else float(stats.t.ppf(0.975, len(models) - 3))
    held = (np.abs(found[:, :2]) <= quantile * found[:, 2:4]).mean(axis=0)
    error = np.sqrt(held * (1 - held) / n)
    band = None if sd_family else BANDS.get((f"{len(models)} models", engine))
    text = ""
    if band is not None:
        inside = all(band[0] <= share <= band[1] for share in held)
        text = f"{band[0]} to {band[1]}: {'met' if inside else 'NOT MET'}"
    failed = int(np.isnan(found[:, 0]).sum())
    cells = [f"{value:.3f} ± {wide:.3f}" for value, wide in zip(held, error, strict=True)]
    sizes = [f"{100 * (1 - value):.1f}" for value in held] if share == 0 else ["", ""]
    return f"| {scenario} | {ENGINES[engine][0]} | {n:,} | {failed} | {cells[0]} | {cells[1]} | {text} | {sizes[0]} | {sizes[1]} | {np.nanmean(found[:, 4]):.3f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--studies", type=int, default=1000, help="studies for the two-stage engine")
    parser.add_argument("--full", type=int, default=300, help="studies for the other two")
    parser.add_argument("--write", action="store_true", help="write the table to docs/validation.md")
    given = parser.parse_args()
    start = time.perf_counter()
    lines = [
        f"`python benchmarks/mixed_coverage.py --studies {given.studies} --full {given.full} --write` (seed {SEED}). Share of 95 % intervals that hold the truth, ± Monte Carlo error. A study is {len(CATEGORY)} items in 11 categories x {TRIALS} trials; standard deviation over models {SD_MODEL}. Families are reported, not required: the interval does not know of them.",
        "",
        "| studies of | interval | number | failed | scale | corpus | required | size at 5 %: scale | corpus | mean sd over models |",
        "| --- | --- | ---: | ---: | --- | --- | --- | ---: | ---: | ---: |",
    ]
    print("\n".join(lines))
    for scenario in SCENARIOS:
        for engine in ENGINES:
            if engine == "likelihood" and scenario not in {"13 models", "6 models"}:
                continue
            repeats = given.studies if engine == "two" else given.full
            lines.append(row(scenario, engine, spread_out(job, repeats, SEED, scenario, engine)))
            print(lines[-1], flush=True)
    print(f"{time.perf_counter() - start:.0f} s")
    if given.write:
        pages.write("validation.md", "mixed-coverage", "\n".join(lines))


if __name__ == "__main__":
    main()
