"""Accuracies with shrinkage, and differences of any two models or families."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.stats.glmm import GlmmSpec, fit, predict
from click_stats.stats.mixed.contrasts import corrected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.stats.glmm.predict import Prediction
    from click_stats.stats.mixed.cells import Cells
    from click_stats.stats.mixed.effects import Settings

PREDICTED = (
    "unit",
    "category",
    "accuracy_raw",
    "estimate",
    "predicted_se",
    "conf_low",
    "conf_high",
    "conf_level",
    "n_items",
)
PAIRS = (
    "by",
    "unit_a",
    "unit_b",
    "difference",
    "predicted_se",
    "conf_low",
    "conf_high",
    "conf_level",
    "p_value",
    "p_adjusted",
    "verdict",
)


def predictions(
    found: Cells, random: Sequence[str], settings: Settings
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], tuple[str, ...]]:
    """Return category accuracies drawn towards what other answers say, pairs of models and families, and notes.

    p of pairs is corrected by Holm over all pairs of models, and over all pairs of families.
    """
    data, level = found.data, settings.level
    several = len(set(data.columns["category"])) > 1
    effects = tuple(dict.fromkeys(["item", "model", *random, *(["model:category"] if several else [])]))
    spec = GlmmSpec("category" if several else "", effects)
    one = fit(data, spec)
    z = float(stats.norm.ppf(0.5 + level / 2))
    groups = ["model", "category"]
    # Sorted by the pair's text joined with ":", as the engine sorts its groups.
    label = data.columns["model"] + ":" + data.columns["category"]
    plain = data.columns.assign(label=label, score=data.correct / data.trials)
    raw = plain.groupby("label", sort=True).agg(
        model=("model", "first"), category=("category", "first"), m=("score", "mean")
    )
    means = raw["m"].to_dict()
    shrunk = predict(one, data, spec, groups)
    rows = [
        {
            "unit": raw.loc[name, "model"],
            "category": raw.loc[name, "category"],
            "accuracy_raw": float(means[name]),
            "estimate": float(value),
            "predicted_se": float(error),
            "conf_low": max(0.0, float(value - z * error)),
            "conf_high": min(1.0, float(value + z * error)),
            "conf_level": level,
            "n_items": int(size),
        }
        for name, value, error, size in zip(
            shrunk.labels, shrunk.estimate, shrunk.std_error, shrunk.n_cells, strict=True
        )
    ]
    pairs = corrected(_pairs("model", predict(one, data, spec, ["model"]), z, level), settings.alpha)
    family = data.columns["family"]
    if family.notna().any():
        filled = family.where(family.notna(), None).fillna("")
        grouped = type(data)(data.correct, data.trials, data.columns.assign(family=filled), data.n_empty)
        by_family = predict(one, grouped, spec, ["family"])
        named = [row for row in _pairs("family", by_family, z, level) if row["unit_a"] and row["unit_b"]]
        pairs += corrected(named, settings.alpha)
    return rows, pairs, one.notes


def _pairs(by: str, found: Prediction, z: float, level: float) -> list[dict[str, Any]]:
    rows = []
    for a, b in combinations(range(len(found.labels)), 2):
        gap = float(found.estimate[a] - found.estimate[b])
        variance = found.covariance[a, a] + found.covariance[b, b] - 2 * found.covariance[a, b]
        error = float(np.sqrt(max(variance, 0.0)))
        rows.append(
            {
                "by": by,
                "unit_a": found.labels[a],
                "unit_b": found.labels[b],
                "difference": gap,
                "predicted_se": error,
                "conf_low": gap - z * error,
                "conf_high": gap + z * error,
                "conf_level": level,
                "p_value": float(2 * stats.norm.sf(abs(gap) / error)) if error > 0 else np.nan,
            }
        )
    return rows
