"""How often intervals of a mixed model's size and corpus effects hold the truth, with few models.

Models of the paper's sizes (13, or 6 of them) answer 66 items in 11 categories, 12 trials each. Logits: size .9 per
tenfold parameters, corpus .4, standard deviations .35 over models, 1.1 over items, .4 over categories (drawn anew each
time; fixed effects in the fit). Intervals: maximum likelihood with z; the same with t, models less three coefficients; the
restricted likelihood with t. A study of which a fit fails counts as missing the truth.

Usage: python benchmarks/mixed_coverage.py [--models 13] [--studies 400]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.errors import ClickStatsError
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit

SIZES = (1.3, 3.8, 5.8, 12.8, 5.8, 12.8, 7.0, 13.0, 70.0, 7.0, 7.0, 34.0, 175.0)
CORPUS = (1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0)
SIX = (0, 4, 5, 6, 8, 9)
ITEMS, CATEGORIES, TRIALS, SEED = 66, 11, 12, 5000
SIZE, KOREAN, SD_MODEL, SD_ITEM, SD_CATEGORY = 0.9, 0.4, 0.35, 1.1, 0.4


def study(models: tuple[int, ...], seed: int) -> GlmmData:
    rng = np.random.default_rng(seed)
    size, corpus = np.log10(np.array(SIZES)[list(models)]), np.array(CORPUS, dtype=float)[list(models)]
    kind = np.arange(ITEMS) % CATEGORIES
    easy = -0.2 + rng.normal(0, SD_CATEGORY, CATEGORIES)[kind] + rng.normal(0, SD_ITEM, ITEMS)
    level = SIZE * (size - size.mean()) + KOREAN * corpus + rng.normal(0, SD_MODEL, len(models))
    correct = rng.binomial(TRIALS, 1 / (1 + np.exp(-(easy + level[:, None])))).ravel()
    model, item = np.divmod(np.arange(len(models) * ITEMS), ITEMS)
    return GlmmData.from_frame(
        pd.DataFrame(
            {
                "model": model,
                "item": item,
                "category": np.char.mod("c%02d", kind[item]),
                "log10_params": size[model],
                "corpus": corpus[model],
                "trials": TRIALS,
                "correct": correct,
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, choices=(6, 13), default=13)
    parser.add_argument("--studies", type=int, default=400)
    options = parser.parse_args()
    models = tuple(range(13)) if options.models == 13 else SIX
    spec = GlmmSpec("category + log10_params + corpus")
    t = stats.t.ppf(0.975, len(models) - 3)
    rows = (("likelihood, z", False, 1.96), ("likelihood, t", False, t), ("restricted, t", True, t))
    held, failed, sds = np.zeros((3, 2)), 0, []
    start = time.perf_counter()
    for k in range(options.studies):
        data = study(models, SEED + k)
        try:
            fits = {restricted: fit(data, spec, restricted=restricted) for restricted in (False, True)}
        except ClickStatsError as error:
            failed += 1
            print(f"study {k}: {error}")
            continue
        for row, (_, restricted, quantile) in enumerate(rows):
            found = fits[restricted]
            held[row] += np.abs(found.beta[-2:] - (SIZE, KOREAN)) <= quantile * found.se[-2:]
        sds.append([fits[restricted].sd[1] for restricted in (False, True)])
    print(f"{len(models)} models, {options.studies} studies, {failed} failed, {time.perf_counter() - start:.0f} s")
    print("| interval | size | corpus |\n| --- | --- | --- |")
    for (name, *_), (size, corpus) in zip(rows, held / options.studies, strict=True):
        print(f"| {name} | {size:.3f} | {corpus:.3f} |")
    plain, restricted = np.mean(sds, axis=0)
    print(f"mean standard deviation over models (truth {SD_MODEL}): {plain:.3f}, restricted {restricted:.3f}")


if __name__ == "__main__":
    main()
