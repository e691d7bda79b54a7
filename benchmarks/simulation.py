"""Simulated answers on CLIcK's own items: its categories, sizes and shared passages; no text is needed.

Every model answers an item with a probability that depends on the model, on the item's difficulty, which all models
share (SD 1.5 on the logit scale: this correlates the models), and, for items with a shared passage, on how well this
model copes with this passage (SD 0.7: this correlates the items of a passage).
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import optimize, special

import click_stats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DIFFICULTY, PASSAGE = 1.5, 0.7
WORKERS = 2
_TABLE = pd.read_csv(Path(click_stats.__file__).parent / "items" / "click-items.csv", dtype=str)
CLUSTERS = pd.factorize(_TABLE["cluster"])[0]
CATEGORIES, NAMES = pd.factorize(_TABLE["category"])
N_ITEMS, N_CLUSTERS = len(CLUSTERS), int(CLUSTERS.max()) + 1
_SHARED = np.bincount(CLUSTERS) > 1
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def category(name: str) -> np.ndarray:
    """Positions of the items of a category; ``all`` for every item."""
    return np.arange(N_ITEMS) if name == "all" else np.flatnonzero(list(NAMES).index(name) == CATEGORIES)


def ease(accuracy: float) -> float:
    """The logit that gives an average accuracy over items of random difficulty."""

    def miss(mu: float) -> float:
        return float(special.expit(mu + DIFFICULTY * _NODES) @ _WEIGHTS / _WEIGHTS.sum()) - accuracy

    return float(optimize.brentq(miss, -12, 12))


def answers(
    rng: np.random.Generator,
    accuracies: Sequence[float],
    items: np.ndarray | None = None,
    *,
    trials: int = 1,
    families: int = 0,
    copied: float = 0.0,
) -> np.ndarray:
    """(models, items) item scores, a share of ``trials``.

    With ``families`` the models form so many families of equal size; a model gives its family's answer to an item
    with probability ``copied`` instead of its own, so that models of a family are nearly copies.
    """
    chosen = np.arange(N_ITEMS) if items is None else items
    n_models = len(accuracies)
    levels = {accuracy: ease(accuracy) for accuracy in set(accuracies)}
    centre = np.array([levels[accuracy] for accuracy in accuracies])[:, None]
    hard = rng.normal(0, DIFFICULTY, len(chosen))
    coping = np.where(_SHARED, rng.normal(0, PASSAGE, (n_models, N_CLUSTERS)), 0.0)
    p = special.expit(centre - hard + coping[:, CLUSTERS[chosen]])
    if trials > 1:
        return rng.binomial(trials, p) / trials
    own = rng.random(p.shape) < p
    if families:
        lead = own[: n_models // families * families : n_models // families]
        own = np.where(rng.random(p.shape) < copied, np.repeat(lead, n_models // families, axis=0), own)
    return own.astype(float)


def spread_out(job: Callable[..., np.ndarray], repeats: int, seed: int, *arguments: object) -> np.ndarray:
    """Run ``job(seed, repeats, *arguments)`` in parts on two processes and put the rows of the parts together."""
    # New processes, not forks: a forked one would keep the thread pool of this one.
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    parts = WORKERS * 2
    sizes = [repeats // parts + (k < repeats % parts) for k in range(parts)]
    with ProcessPoolExecutor(WORKERS, get_context("spawn")) as pool:
        jobs = [pool.submit(job, [seed, k], size, *arguments) for k, size in enumerate(sizes) if size]
        return np.concatenate([one.result() for one in jobs])


def share(hits: float, repeats: int) -> str:
    """A share in percent with its Monte Carlo standard error."""
    return f"{100 * hits:.2f} ± {100 * np.sqrt(max(hits * (1 - hits), 1e-9) / repeats):.2f}"
