"""Rows of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats.short_forms import forms
from click_stats.stats.short_forms.crossval import errors

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray, IntArray
    from click_stats.stats.short_forms.forms import Bank, Form

ESTIMATES = (
    "strategy", "n_chosen", "estimate", "rmse", "bias", "draw_low", "draw_high", "rank_correlation", "first_kept",
    "n_units", "n_items", "method", "reason",
)  # fmt: skip
FORMS = (
    "strategy", "n_chosen", "item", "category", "source", "item_weight", "proportion", "reason",
)  # fmt: skip
SCORING = ("strategy", "n_chosen", "intercept", "slope", "rmse", "method", "reason")
CONVERSION = ("strategy", "n_chosen", "number_right", "predicted_score", "score_se")
ADAPTIVE = (
    "n_chosen", "estimate", "rmse", "bias", "rank_correlation", "score_se", "ability_se", "n_units", "reason",
)  # fmt: skip
MODELS = ("unit", "strategy", "n_chosen", "whole_score", "predicted_score", "prediction_error")

CHOSEN_BLIND = "drawn without looking at answers; mean over draws, 5th to 95th percentile"
CHOSEN_BY_OTHERS = "chosen from the answers of the other models, score calibrated on them"


@dataclass(frozen=True)
class Data:
    """Complete answers of the models that take part.

    Attributes
    ----------
    bank
        The answers.
    units
        Labels of the models.
    items
        Positions of the items in the counts.
    whole
        (U,) scores on all of these items.
    folds
        Models held out together.
    """

    bank: Bank
    units: tuple[str, ...]
    items: IntArray
    whole: FloatArray
    folds: list[IntArray]


def curve_row(strategy: str, k: int, predicted: FloatArray, data: Data) -> dict[str, Any]:
    """Return the error of a strategy with k items, from predictions (D, U)."""
    drawn = strategy in forms.DRAWN
    error = errors(predicted, data.whole)
    return {
        "strategy": strategy, "n_chosen": k, "estimate": error.absolute, "rmse": error.root_square, "bias": error.bias,
        "draw_low": error.low if drawn else None, "draw_high": error.high if drawn else None,
        "rank_correlation": error.tau, "first_kept": error.first_kept, "n_units": len(data.units),
        "n_items": data.bank.n_items, "method": CHOSEN_BLIND if drawn else CHOSEN_BY_OTHERS, "reason": "",
    }  # fmt: skip


def model_rows(strategy: str, k: int, predicted: FloatArray, data: Data) -> list[dict[str, Any]]:
    """Return the prediction for each model."""
    middle = predicted.mean(axis=0)
    return [
        {
            "unit": unit,
            "strategy": strategy,
            "n_chosen": k,
            "whole_score": whole,
            "predicted_score": one,
            "prediction_error": one - whole,
        }
        for unit, whole, one in zip(data.units, data.whole, middle, strict=True)
    ]


def form_rows(counts: Counts, data: Data, strategy: str, form: Form) -> list[dict[str, Any]]:
    """Return the items of a form, in the order of the benchmark."""
    order = np.argsort(data.items[form.items], kind="stable")
    rows = counts.items.iloc[data.items[form.items[order]]]
    proportion = data.bank.scores[:, form.items[order]].mean(axis=0)
    return [
        {
            "strategy": strategy, "n_chosen": len(form.items), "item": item, "category": category, "source": source,
            "item_weight": weight, "proportion": share, "reason": "",
        }
        for item, category, source, weight, share in zip(
            rows.index, rows["category"], rows["source"], form.weights[order], proportion, strict=True
        )
    ]  # fmt: skip


def tables(*parts: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    """Return the tables of the result from their rows, in the order of the names."""
    named = (
        ("estimates", ESTIMATES), ("forms", FORMS), ("scoring", SCORING), ("conversion", CONVERSION),
        ("adaptive", ADAPTIVE), ("models", MODELS),
    )  # fmt: skip
    return {
        name: pd.DataFrame(rows).reindex(columns=list(columns))
        for (name, columns), rows in zip(named, parts, strict=True)
    }
