"""How often the intervals of variance components hold the truth, and how often a model is called unlike itself.

Right and wrong answers are drawn from a logistic model: items normal, wordings and displayed positions shifted by
fixed amounts, each item with its own normal shift in every wording and position. The truth of a component is that of a
very large population of the same kind. Between models, models are normal too. The control draws two replicates of one
model from the same probabilities.

Errors of other designs: 120 items, alone or in passages of three that share their ease (normal, 1) and the effect of the
wordings on them (normal, .7); the true error is that of many such sets of items.

Usage: python benchmarks/sensitivity.py [--write] [--repeat 1000]
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pages
import pandas as pd

from click_stats.counts import STATUSES, Counts
from click_stats.stats.sensitivity import across, intervals, studies
from click_stats.stats.sensitivity.components import MeanSquares, components, finite, loadings, mean_squares
from click_stats.stats.sensitivity.layout import layouts
from click_stats.stats.sensitivity.strata import Within
from click_stats.stats.sensitivity.within import within as split_within
from click_stats.stats.tools.columns import columns
from click_stats.stats.tools.permutation import sign_flip

SEED, LEVEL = 20261203, 0.95
WORDINGS = {"none": np.zeros(3), "small": np.array([-0.15, 0.0, 0.15]), "large": np.array([-0.5, 0.0, 0.5])}
POSITIONS = {
    "none": np.zeros(4),
    "small": np.array([0.3, -0.1, -0.1, -0.1]),
    "large": np.array([1.2, -0.4, -0.4, -0.4]),
}
OWN = {"none": 0.0, "small": 0.3, "large": 0.8}
FACETS = ("item", "wording", "position")
FIXED = {"wording": 3.0, "position": 4.0}
SHOWN = ("item", "wording", "position", "item:wording", "item:position", "residual")


def probabilities(rng: np.random.Generator, n: int, effect: str, models: int = 0) -> np.ndarray:
    """(n, 3, 4) probabilities of a right answer, or (models, n, 3, 4)."""
    shape = (models,) if models else ()
    logit = 0.2 + rng.normal(0, 1.5, (n, 1, 1))
    if models:
        logit = logit + rng.normal(0, 0.5, (models, 1, 1, 1)) + rng.normal(0, 0.7, (models, n, 1, 1))
    logit = logit + rng.normal(0, OWN[effect], (*shape, n, 3, 1)) + rng.normal(0, OWN[effect], (*shape, n, 1, 4))
    return 1 / (1 + np.exp(-(logit + WORDINGS[effect][:, None] + POSITIONS[effect])))


def truth(effect: str) -> dict[str, float]:
    """Components within a model: those of the probabilities, with what single answers add in the residual."""
    p = probabilities(np.random.default_rng([SEED, 1]), 400_000, effect)
    split = finite(components(mean_squares(p, FACETS)), FIXED)
    found = {name: float(value[0]) for name, value in split.items()}
    # What is left of the probabilities is an interaction of three facets; single answers add p (1 - p).
    return {**found, "residual": found["residual"] + float((p * (1 - p)).mean())}


def ends(split: MeanSquares, name: str, value: np.ndarray) -> tuple[float, float]:
    """Return the interval as the analysis makes it."""
    _, low, high = intervals.jackknife(value, LEVEL)
    if name in FIXED:
        crossed = f"item:{name}"
        low, high = intervals.noncentral(
            float(split.squares[name][0]), float(split.squares[crossed][0]), float(split.degrees[name][0]),
            float(split.degrees[crossed][0]), 1 / loadings(split, name, FIXED)[name], LEVEL,
        )  # fmt: skip
    return low, high


def within(n: int, effect: str, repeats: int) -> dict[str, float]:
    """Coverage of each component's interval within a model of ``n`` items."""
    rng, true = np.random.default_rng([SEED, 2, n]), truth(effect)
    hits = dict.fromkeys(SHOWN, 0)
    for _ in range(repeats):
        p = probabilities(rng, n, effect)
        split = mean_squares((rng.random(p.shape) < p).astype(float), FACETS, clusters=np.arange(n))
        found = finite(components(split), FIXED)
        for name in SHOWN:
            low, high = ends(split, name, found[name])
            hits[name] += low <= true[name] + 1e-12 and true[name] - 1e-12 <= high
    return {name: count / repeats for name, count in hits.items()}


def between_truth(n: int) -> tuple[float, float]:
    """Return the variance of models and the relative error variance of a mean over ``n`` items.

    The mean of a model at ``a`` logits is an integral over normal items, taken by Gauss and Hermite, and so is its
    variance over models. The error comes from many models and items.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    weights = weights / weights.sum()
    spread = np.sqrt(1.5**2 + 0.7**2 + 2 * OWN["small"] ** 2)
    shift = (WORDINGS["small"][:, None] + POSITIONS["small"]).ravel()
    logit = 0.2 + 0.5 * nodes[:, None, None] + shift[None, :, None] + spread * nodes[None, None, :]
    means = (1 / (1 + np.exp(-logit)) @ weights).mean(axis=1)
    model = float(weights @ means**2 - (weights @ means) ** 2)
    p = probabilities(np.random.default_rng([SEED, 4]), 1_000, "small", models=400)
    split = components(mean_squares(p.mean(axis=(2, 3)), ("model", "item")))
    return model, (float(split["residual"][0]) + float((p * (1 - p)).mean()) / 12) / n


def between(n_models: int, n: int, repeats: int) -> dict[str, float]:
    """Coverage of the component of models, and of G as run (Feldt), with wordings and positions fixed."""
    rng = np.random.default_rng([SEED, 3, n_models])
    model, error = between_truth(n)
    hits = {"model": 0, "G": 0}
    for _ in range(repeats):
        p = probabilities(rng, n, "small", models=n_models)
        split = mean_squares((rng.random(p.shape) < p).mean(axis=(2, 3)), ("model", "item"))
        squares = {name: float(value[0]) for name, value in split.squares.items()}
        degrees = {name: float(value[0]) for name, value in split.degrees.items()}
        _, low, high = intervals.large_sample(loadings(split, "model", {}), squares, degrees, LEVEL)
        hits["model"] += low <= model <= high
        ratio = squares["model"] / squares["residual"]
        low, high = intervals.feldt(ratio, degrees["model"], degrees["residual"], LEVEL)
        hits["G"] += low <= model / (model + error) <= high
    return {name: count / repeats for name, count in hits.items()}


def control(n: int, repeats: int) -> float:
    """Share of sign-flip tests that call two replicates of a model different at .05."""
    rng = np.random.default_rng([SEED, 5, n])
    found = 0
    for k in range(repeats):
        p = probabilities(rng, n, "small")
        y = (rng.random((2, *p.shape)) < p).mean(axis=(2, 3))
        made = columns(y.T, np.arange(n))
        difference = made.uncentred[:, 0] - made.uncentred[:, 1]
        found += sign_flip(difference[:, None], denominators=[12], draws=999, seed=k).p[0] <= 0.05
    return found / repeats


ITEMS, TOGETHER = 120, 3
TARGETS = ("sampled", "fixed", "relative", "absolute")


def in_passages(rng: np.random.Generator, models: int, n: int, together: int) -> np.ndarray:
    """(models, n, 3, 4) probabilities; passages of ``together`` items share ease and effects of wordings."""
    passage = np.arange(n) // together
    shared = 0.0 if together == 1 else 1.0
    ease = rng.normal(0, 1.0, n) + shared * rng.normal(0, 1.0, n)[passage]
    level = rng.normal(0, 0.5, (models, 1, 1, 1)) if models > 1 else 0.0
    logit = 0.2 + level + ease[:, None, None] + rng.normal(0, 0.5, (models, n, 1, 1))
    logit = logit + (
        rng.normal(0, 0.7, (models, n, 3, 1))[:, passage] if shared else rng.normal(0, 0.7, (models, n, 3, 1))
    )
    return 1 / (1 + np.exp(-(logit + POSITIONS["small"])))


def counts_of(right: np.ndarray, together: int) -> tuple[Counts, pd.DataFrame]:
    """Counts of (models, n, 3, 4) answers, and one row for each."""
    models, n = right.shape[:2]
    unit, item, wording, rotation = (index.ravel() for index in np.indices(right.shape))
    rows = pd.DataFrame(
        {
            "unit": unit, "item": item, "wording": wording.astype(str), "rotation": rotation, "replicate": 0,
            "gold_position": (item - rotation) % 4, "correct": right.ravel(),
        }
    )  # fmt: skip
    keys = [f"i{k}" for k in range(n)]
    items = pd.DataFrame(
        {"category": "A", "domain": "D", "source": "s", "n_options": 4, "gold": np.arange(n) % 4,
         "cluster": [f"p{k // together}" for k in range(n)]},
        index=pd.Index(keys, name="item"),
    )  # fmt: skip
    names = pd.Index([f"m{k}" for k in range(models)], name="unit")
    statuses = np.zeros((models, n, len(STATUSES)), dtype=np.int64)
    options = np.zeros((models, n, 4), dtype=np.int64)
    units = pd.DataFrame({"model": list(names)}, index=names)
    return Counts(units, items, options, statuses, statuses.sum(axis=2), None, ("A",), ("D",)), rows


def errors(models: int, together: int, repeats: int) -> dict[str, float]:
    """Coverage of the intervals of the errors of the design as run: 3 wordings, 4 rotations, one answer."""
    rng = np.random.default_rng([SEED, 6, models, together])
    many = in_passages(rng, 2_000, 1_200, together)  # models in abundance, ten sets of items
    mean = many.mean(axis=(2, 3))
    own = mean - mean.mean(axis=0) - mean.mean(axis=1, keepdims=True) + mean.mean()
    sets = 20_000
    one = in_passages(np.random.default_rng([SEED, 7, together]), 1, sets * ITEMS // 10, together)[0]
    fixed, noise = (float((p * (1 - p)).mean()) / 12 / ITEMS for p in (one, many))
    sampled = float(one.mean(axis=(1, 2)).reshape(-1, ITEMS).mean(axis=1).var(ddof=1)) + fixed
    relative = float(own.reshape(2_000, -1, ITEMS).mean(axis=2).var()) + noise
    common = mean.mean(axis=0).reshape(-1, TOGETHER).mean(axis=1)
    true = {
        "sampled": sampled, "fixed": fixed, "relative": relative,
        "absolute": relative + float(common.var(ddof=1)) / (ITEMS / TOGETHER),
    }  # fmt: skip
    hits = dict.fromkeys(TARGETS, 0)
    for _ in range(repeats):
        p = in_passages(rng, models, ITEMS, together)
        counts, rows = counts_of(rng.random(p.shape) < p, together)
        shapes = [layouts(counts, own)[4] for _, own in rows.groupby("unit")]
        alone = in_passages(rng, 1, ITEMS, together)
        shape = layouts(counts, counts_of(rng.random(alone.shape) < alone, together)[1])[4]
        parts = split_within(counts, shape, wordings="fixed", residual="answers", level=LEVEL)
        crossed = across.by_options(counts, shapes, wordings="fixed", residual="answers", level=LEVEL)
        inside = Within({4: parts}, {4: ITEMS}, n_wordings=3, n_replicates=1, random=False)
        apart = studies.joined([(4, crossed)], ITEMS, random=False)[0][1]
        for target in TARGETS:
            model = inside if target in inside.targets else apart
            low, high = model.interval(target, ITEMS, 3, 4, 1, level=LEVEL)
            hits[target] += low <= true[target] <= high
    return {name: count / repeats for name, count in hits.items()}


def report(repeats: int) -> str:
    """Return the tables."""
    lines = [
        (
            f"`python benchmarks/sensitivity.py --write` ({repeats:,} replications, seed {SEED}). Nominal 95 %. Three fixed "
            f"wordings, four positions, one answer to a prompt; how answers are drawn is written at the top of the script. "
            f"Monte Carlo error about {np.sqrt(0.95 * 0.05 / repeats):.3f}."
        ),
        "",
        "| shifts of wording and position | items | " + " | ".join(SHOWN) + " |",
        "|---|---:|" + "---:|" * len(SHOWN),
    ]
    for effect in WORDINGS:
        for n in (41, 131, 500):
            found = within(n, effect, repeats)
            lines.append(f"| {effect} | {n} | " + " | ".join(f"{found[name]:.3f}" for name in SHOWN) + " |")
    lines += ["", "| models | items | variance of models | G |", "|---:|---:|---:|---:|"]
    for n_models, n in ((6, 200), (13, 200), (20, 200)):
        found = between(n_models, n, repeats)
        lines.append(f"| {n_models} | {n} | {found['model']:.3f} | {found['G']:.3f} |")
    lines += [
        "", f"Intervals of the errors of the design as run, {ITEMS} items ({repeats // 2} replications):", "",
        "| models | items in a passage | " + " | ".join(TARGETS) + " |", "|---:|---:|" + "---:|" * len(TARGETS),
    ]  # fmt: skip
    for n_models in (6, 13):
        for together in (1, TOGETHER):
            found = errors(n_models, together, repeats // 2)
            lines.append(f"| {n_models} | {together} | " + " | ".join(f"{found[name]:.3f}" for name in TARGETS) + " |")
    lines += ["", "Two replicates of one model, called different at 5 %:", "", "| items | share |", "|---:|---:|"]
    lines += [f"| {n} | {control(n, repeats):.3f} |" for n in (41, 280)]
    return "\n".join(lines)


def main() -> None:
    """Print the tables, and write them into docs/validation.md when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--repeat", type=int, default=1000)
    asked = parser.parse_args()
    start = time.perf_counter()
    text = report(asked.repeat)
    print(text, f"\n{time.perf_counter() - start:.0f} s")
    if asked.write:
        pages.write("validation.md", "sensitivity", text)


if __name__ == "__main__":
    main()
