"""Simulation-based calibration of the Bayesian model, and recovery and convergence at the sizes that users have.

Calibration (Talts et al. 2018): parameters are drawn from the priors, counts from the model, and the rank of each true value
among 99 thinned posterior draws is uniform if the sampler draws from the posterior. 6 models x 24 items x 6 trials in 2
categories; sizes 1.3 to 70 billion and two corpora. Data sets whose chains the gate refuses are counted, not replaced.
The same data sets give the coverage of the 95 % interval. Twice: the model as it is by default, and with all that may be
added (effect of size by category, passages of two items, models by category, over-dispersion).

Recovery and convergence: known effects, the analysis as users call it. 13 models x 500 items x 12 trials; the same with
over-dispersed cells, with and without `cell`.

Usage: python benchmarks/bayes_sbc.py [--part plain,full,recovery,cell] [--studies 200] [--write]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

# numba imports the package coverage, and must not find coverage.py beside this script.
HERE = str(Path(__file__).resolve().parent)
sys.path[:] = [place for place in sys.path if Path(place or ".").resolve() != Path(HERE)]

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
from scipy import special, stats  # noqa: E402

from click_stats.counts import STATUSES, Counts  # noqa: E402
from click_stats.stats.bayes import bayes  # noqa: E402
from click_stats.stats.bayes.data import prepare  # noqa: E402
from click_stats.stats.bayes.gate import gate  # noqa: E402
from click_stats.stats.bayes.model import ITEM_EFFECT_SD, LEVEL_SD, SPREAD_SD, Sampler, Sampling  # noqa: E402

SIZES = (1.3, 3.8, 5.8, 12.8, 5.8, 12.8, 7.0, 13.0, 70.0, 7.0, 7.0, 34.0, 175.0)
KOREAN = (1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0)
SIX = (0, 1, 3, 6, 7, 8)
EVERYTHING = ("item", "model", "passage", "model:category", "cell")
BY_CATEGORY = "category + log10_params + corpus + category:log10_params"
PRIOR_SD, RANKS, BINS, SEED = 0.5, 99, 10, 9000


def counts_of(
    correct: np.ndarray, trials: int, models: tuple[int, ...], categories: int, passages: np.ndarray | None = None
) -> Counts:
    n_units, n_items = correct.shape
    names = [f"m{k:02d}" for k in range(n_units)]
    units = pd.DataFrame(
        {
            "model": names,
            "condition": "default",
            "protocol": "",
            "parameters": np.array(SIZES)[list(models)],
            "korean_corpus": np.where(np.array(KOREAN)[list(models)] == 1, "yes", "no"),
        },
        index=pd.Index(names, name="unit"),
    )
    category = [f"c{k % categories:02d}" for k in range(n_items)]
    keys = [f"i{k:04d}" for k in range(n_items)]
    cluster = keys if passages is None else [f"p{k}" for k in passages]
    items = pd.DataFrame(
        {"category": category, "domain": "D", "source": "s", "n_options": 4, "gold": 0, "cluster": cluster},
        index=pd.Index(keys, name="item"),
    )
    options = np.zeros((n_units, n_items, 4), dtype=np.int64)
    options[:, :, 0], options[:, :, 1] = correct, trials - correct
    stored = np.zeros((n_units, n_items, len(STATUSES)), dtype=np.int64)
    stored[:, :, 0] = trials
    return Counts(units, items, options, stored, stored.sum(axis=2), None, tuple(sorted(set(category))), ("D",))


def from_prior(rng: np.random.Generator, data) -> tuple[dict[str, float], np.ndarray]:
    """True values and counts, drawn as the model says."""
    level = rng.normal(0, LEVEL_SD)
    effects = rng.normal(0, PRIOR_SD, len(data.of_models.names))
    sd_model, sd_item = np.abs(rng.normal(0, SPREAD_SD, 2))
    of_models = level + data.of_models.matrix @ effects + rng.normal(0, sd_model, len(data.models))
    of_items = data.of_items.matrix @ rng.normal(0, ITEM_EFFECT_SD, len(data.of_items.names))
    sd_passage, sd_group, sd_cell = np.abs(rng.normal(0, SPREAD_SD, 3))
    shared, grouped, dispersed = (name in data.random for name in ("passage", "model:category", "cell"))
    ease = of_items + rng.normal(0, sd_item, len(data.items))
    if shared:
        of_passages = rng.normal(0, sd_passage, data.passage.max() + 1)
        ease += np.where(data.passage < 0, rng.normal(0, sd_passage, len(ease)), of_passages[data.passage])
    logit = of_models[:, None] + ease - ease.mean()
    interactions = rng.normal(0, PRIOR_SD, len(data.groups.names))
    if grouped:
        own = data.groups.matrix @ interactions + rng.normal(0, sd_group, (len(data.models), data.groups.n))
        logit += (own - own.mean(axis=1, keepdims=True))[:, data.groups.codes]
    if dispersed:
        logit += rng.normal(0, sd_cell, logit.shape)
    counts = rng.binomial(data.trials, special.expit(logit))
    truth = {"mean_level": level, "sd_model": sd_model, "sd_item": sd_item}
    more = (
        (shared, "sd_passage", sd_passage),
        (grouped, "sd_model_category", sd_group),
        (dispersed, "sd_cell", sd_cell),
    )
    truth |= {name: value for used, name, value in more if used}
    truth |= {f"effects {k}": value for k, value in enumerate(effects)}
    return {**truth, **{f"interactions {k}": value for k, value in enumerate(interactions)}}, counts


def calibration(studies: int, part: str) -> str:
    # Items in passages of two, but for the last eight, in both categories.
    passages = np.r_[np.repeat(np.arange(8), 2), np.arange(8, 16)]
    counts = counts_of(np.ones((6, 24), dtype=np.int64), 6, SIX, 2, passages)
    chosen = {"fixed": BY_CATEGORY, "random": EVERYTHING} if part == "full" else {}
    data = prepare(counts, **chosen, seed=0)
    # Counts of 1 of 6 everywhere only give the shape; each study has its own.
    sampler = Sampler(data, PRIOR_SD, Sampling(draws=1000, tune=500, chains=4, target_accept=0.95))
    ranks: dict[str, list[int]] = {}
    inside: dict[str, list[bool]] = {}
    refused = {"divergences only": 0, "R-hat or effective draws": 0}
    start = time.perf_counter()
    for k in range(studies):
        truth, counts = from_prior(np.random.default_rng([SEED, k]), data)
        idata = sampler.sample(counts, seed=SEED + k)
        found = gate(idata, PRIOR_SD)
        if not found.passed:
            mixed = any("divergent" not in text for text in found.problems)
            refused["R-hat or effective draws" if mixed else "divergences only"] += 1
        for name, value in truth.items():
            values = np.asarray(idata.posterior[name.split()[0]])
            values = values[..., int(name.split()[1])] if " " in name else values
            flat = values.ravel()
            thinned = flat[np.linspace(0, flat.size - 1, RANKS).astype(int)]
            ranks.setdefault(name, []).append(int((thinned < value).sum()))
            low, high = np.quantile(flat, [0.025, 0.975])
            inside.setdefault(name, []).append(bool(low <= value <= high))
    seconds = time.perf_counter() - start
    names = {f"effects {k}": name for k, name in enumerate(data.of_models.names)}
    names |= {f"interactions {k}": name for k, name in enumerate(data.groups.names)}
    lines = [
        "| parameter | p of uniform ranks | mean rank (of 99) | 95 % interval covers |",
        "| --- | --- | --- | --- |",
    ]
    for name, own in ranks.items():
        table = np.histogram(own, bins=np.linspace(-0.5, RANKS + 0.5, BINS + 1))[0]
        p, cover = stats.chisquare(table).pvalue, np.mean(inside[name])
        error = np.sqrt(max(cover * (1 - cover), 1e-9) / studies)
        lines.append(f"| {names.get(name, name)} | {p:.3f} | {np.mean(own):.1f} | {cover:.3f} ± {error:.3f} |")
    lines.append(
        f"\n`python benchmarks/bayes_sbc.py --part {part} --studies {studies} --write` (seed {SEED}). {studies} data sets, all counted whatever the gate said; it refused {sum(refused.values())} at 500 + 1,000 draws x 4 chains ("
        + ", ".join(f"{name}: {number}" for name, number in refused.items())
        + f"). {sampler.engine}, {seconds / studies:.2f} s each."
    )
    return "\n".join(lines)


def recovery(part: str) -> str:
    rng = np.random.default_rng(SEED)
    models, n = tuple(range(13)), 500
    size, korean = np.log10(np.array(SIZES)), np.array(KOREAN, dtype=float)
    level = -0.2 + 0.4 * (size - size.mean()) + 0.0 * korean + rng.normal(0, 0.2, 13)
    ease = rng.normal(0, 0.4, 11)[np.arange(n) % 11] + rng.normal(0, 1.1, n)
    logit = level[:, None] + ease - ease.mean()
    if part == "cell":
        logit = logit + rng.normal(0, 1.0, logit.shape)
    counts = counts_of(rng.binomial(12, special.expit(logit)), 12, models, 11)
    plain = ("item", "model")
    structures = [plain, (*plain, "cell")] if part == "cell" else [plain]
    command = f"`python benchmarks/bayes_sbc.py --part {part} --write` (seed {SEED}, one data set)."
    return "\n\n".join([command, *(_analysed(counts, random) for random in structures)])


def _analysed(counts: Counts, random: tuple[str, ...]) -> str:
    start = time.perf_counter()
    found = bayes(counts, random=random, margin=0.05, max_items=None, seed=1)
    seconds = time.perf_counter() - start
    worst = found.to_frame("diagnostics")
    shape = " x ".join(f"{size:,}" for size in counts.correct.shape)
    text = [
        (
            f"{shape} x 12, random effects {', '.join(random)}: {found.meta['chains']} chains of {found.meta['tune']:,} + "
            f"{found.meta['draws']:,} draws, {found.meta['engine']}, target_accept {found.meta['target_accept']}; {seconds:.0f} s "
            f"with compilation on {len(os.sched_getaffinity(0))} busy cores. Largest R-hat {worst['r_hat'].max():.4f}, fewest "
            f"effective draws {worst['ess_bulk'].min():,.0f} (bulk) and {worst['ess_tail'].min():,.0f} (tails), "
            f"{worst['n_divergent'].max()} divergences.\n"
        )
    ]
    if found.meta.get("reason"):
        return "\n".join([*text, found.meta["reason"]])
    text += [
        "| effect | truth | posterior mean (SD) | 95 % interval | Bayes factors of no effect | within ±5 points |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row, truth in zip(found.to_frame().to_dict("records"), (0.4, 0.0), strict=True):
        own = found.to_frame("priors").query("term == @row['term']")
        factors = ", ".join(
            f"{value:.2f}" if np.isfinite(value) else f"< {bound:.3f}"
            for value, bound in zip(own["bayes_factor"], own["bayes_factor_bound"], strict=True)
        )
        text.append(
            f"| {row['term']} | {truth} | {row['logit']:.3f} ({row['logit_sd']:.3f}) | {row['logit_low']:.3f} to {row['logit_high']:.3f} "
            f"| {factors} | {row['verdict']} |"
        )
    return "\n".join(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="plain,full,recovery,cell")
    parser.add_argument("--studies", type=int, default=200)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    for part in options.part.split(","):
        text = calibration(options.studies, part) if part in {"plain", "full"} else recovery(part)
        print(text, flush=True)
        if options.write:
            if HERE not in sys.path:
                sys.path.insert(0, HERE)
            import pages

            pages.write("validation.md", f"bayes-{part}", text)
            sys.path.remove(HERE)  # numba is imported late, and looks for the package coverage


if __name__ == "__main__":
    main()
