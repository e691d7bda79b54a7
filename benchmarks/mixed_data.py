"""Simulated cells for the mixed models: models of the paper's sizes, items in categories, trials per cell."""

from __future__ import annotations

import numpy as np
import pandas as pd

SIZES = (1.3, 3.8, 5.8, 12.8, 5.8, 12.8, 7.0, 13.0, 70.0, 7.0, 7.0, 34.0, 175.0)
"""Billions of parameters; the last is a guess about a model whose size is not published."""
CORPUS = (1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0)
"""Trained on a Korean corpus."""
FAMILY = (0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 4)
"""Models that share a base model or a maker."""
SIX = (0, 4, 5, 6, 8, 9)
"""Six of them that keep size and corpus apart."""
SIZE, KOREAN, SD_MODEL, SD_ITEM, SD_CATEGORY = 0.9, 0.4, 0.35, 1.1, 0.4


def cells(
    rng: np.random.Generator,
    size: np.ndarray,
    corpus: np.ndarray,
    category: np.ndarray,
    *,
    trials: int,
    effects: tuple[float, float] = (SIZE, KOREAN),
    sd_model: float = SD_MODEL,
    family: np.ndarray | None = None,
    sd_family: float = 0.0,
) -> pd.DataFrame:
    """Draw correct counts, one row for each model and item.

    Parameters
    ----------
    size, corpus
        (models,) log10 of the parameters and 0/1.
    category
        (items,) names.
    effects
        Logits per tenfold parameters and of the corpus.
    family, sd_family
        (models,) codes, and the standard deviation of an effect that models of a family share.
    """
    kinds, kind = np.unique(category, return_inverse=True)
    easy = -0.2 + rng.normal(0, SD_CATEGORY, len(kinds))[kind] + rng.normal(0, SD_ITEM, len(category))
    level = effects[0] * (size - size.mean()) + effects[1] * corpus + rng.normal(0, sd_model, len(size))
    if family is not None and sd_family > 0:
        level = level + rng.normal(0, sd_family, int(family.max()) + 1)[family]
    correct = rng.binomial(trials, 1 / (1 + np.exp(-(easy + level[:, None])))).ravel()
    model, item = np.divmod(np.arange(len(size) * len(category)), len(category))
    return pd.DataFrame(
        {
            "model": np.char.mod("m%03d", model),
            "item": np.char.mod("i%04d", item),
            "category": np.asarray(category)[item],
            "log10_params": size[model],
            "corpus": corpus[model],
            "trials": trials,
            "correct": correct,
        }
    )
