"""Posterior predictive checks: counts drawn from the model against the counts at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import special

from click_stats.stats.bayes.evidence import quantiles

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.bayes.data import BayesData
    from click_stats.stats.bayes.draws import Draws

COLUMNS = (
    "check", "unit", "observed", "predicted", "predicted_low", "predicted_high", "p_predictive", "conf_level", "flag",
)  # fmt: skip
REPEATS = 200
MODEL, DISPERSION, ITEM_SPREAD, CATEGORY = "accuracy", "dispersion of cells", "spread of items", "spread in categories"
OFF = "the data lie outside of what the model predicts"
OVER_DISPERSED = (
    "The answers of a model to one item vary more than the model says: effects in logits come out too small (by about "
    "a tenth in simulations). Add 'cell' to the random effects."
)
CATEGORIES_DIFFER = (
    "Models differ more between categories than the model says. Add 'model:category' to the random effects."
)


def replicates(draws: Draws, data: BayesData, seed: int, repeats: int = REPEATS) -> tuple[FloatArray, FloatArray]:
    """Return (repeats, M, I) counts drawn from the model and the probabilities behind them."""
    rng = np.random.default_rng([seed, 2])
    rows = np.linspace(0, len(draws.sd_model) - 1, repeats).astype(np.int64)
    probability = np.stack([special.expit(draws.logits(int(row), data, rng)) for row in rows])
    return rng.binomial(data.trials[None], probability).astype(np.float64), probability


def predictive(drawn: FloatArray, probability: FloatArray, data: BayesData, level: float) -> pd.DataFrame:
    """Return observed against predicted: accuracy by model, dispersion of cells, spread of items and in categories.

    The p-value is the share of draws with at least the observed value. Dispersion compares the same discrepancy,
    sum (y - np)²/(np(1 - p)) over cells, of data and draws at each draw's probabilities (Gelman, Meng and Stern 1996).
    """
    rows: list[dict[str, Any]] = []

    def add(check: str, observed: FloatArray | float, predicted: FloatArray, unit: str = "") -> None:
        low, high = np.quantile(predicted, quantiles(level))
        p = float(np.mean(predicted >= observed))
        outside = min(p, 1.0 - p) < (1.0 - level) / 2.0
        rows.append(
            {"check": check, "unit": unit, "observed": float(np.mean(observed)), "predicted": float(predicted.mean()),
             "predicted_low": float(low), "predicted_high": float(high), "p_predictive": p, "conf_level": level,
             "flag": OFF if outside else ""}
        )  # fmt: skip

    variance = np.maximum(data.trials * probability * (1.0 - probability), 1e-12)
    cells = data.trials > 0

    def discrepancy(counts: FloatArray) -> FloatArray:
        found: FloatArray = ((counts - data.trials * probability) ** 2 / variance)[:, cells].mean(axis=1)
        return found

    add(DISPERSION, discrepancy(data.correct[None].astype(np.float64)), discrepancy(drawn))

    def item_spread(counts: FloatArray) -> FloatArray:
        return np.asarray((counts.sum(axis=1) / np.maximum(data.trials.sum(axis=0), 1)).std(axis=1))

    add(ITEM_SPREAD, float(item_spread(data.correct[None].astype(np.float64))[0]), item_spread(drawn))
    codes = data.category
    if codes.max() > 0:
        member = np.eye(int(codes.max()) + 1)[codes]

        def category_spread(counts: FloatArray) -> FloatArray:
            shares = (counts @ member) / np.maximum(data.trials @ member, 1)
            # What is left of model x category after the means of both; the standard deviation takes away the rest.
            left = shares - shares.mean(axis=1, keepdims=True) - shares.mean(axis=2, keepdims=True)
            return np.asarray(left.std(axis=(1, 2)))

        add(CATEGORY, float(category_spread(data.correct[None].astype(np.float64))[0]), category_spread(drawn))
    for row, unit in enumerate(data.models):
        total = data.trials[row].sum()
        add(MODEL, float(data.correct[row].sum() / total), drawn[:, row].sum(axis=1) / total, unit)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def remarks(checks: pd.DataFrame) -> list[str]:
    """Return what the checks suggest to change."""
    high = checks[(checks["flag"] != "") & (checks["observed"] > checks["predicted"])]["check"]
    found = []
    if (high == DISPERSION).any():
        found.append(OVER_DISPERSED)
    if (high == CATEGORY).any():
        found.append(CATEGORIES_DIFFER)
    return found
