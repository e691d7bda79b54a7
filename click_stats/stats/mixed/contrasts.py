"""Models against what they were made from, on the items both answered; tuning kept apart from pretraining."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.stats.mixed.lineage import CHANGES, base_of, change, named_base
from click_stats.stats.mixed.permutation import within_blocks
from click_stats.stats.mixed.points import in_points
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.mixed.cells import Cells
    from click_stats.stats.mixed.effects import Settings
    from click_stats.stats.mixed.levels import ModelLevels

MEASURED = (
    "effect_logit", "effect_logit_se", "effect_logit_low", "effect_logit_high", "estimate", "conf_low", "conf_high",
    "conf_level", "statistic", "p_value", "p_adjusted", "verdict", "reason",
)  # fmt: skip
COLUMNS = ("unit_a", "unit_b", "made_by", "tuned_a", "tuned_b", "corpus_a", "corpus_b", "n_items", *MEASURED)
CHANGED = ("made_by", "n_contrasts", *MEASURED)
WITHIN_BASE = "corpus within base model and size"
NO_BLOCK = "no base model and derived model of equal size with different corpora"
MANY_CORPORA = "more than two corpora within a base model and size"
NO_BASE = "the base model is not among the models, or not one alone"
NO_LEVEL = "one of the two has no finite level"
NONE_SUCH = "no model and its base differ in this alone, as far as tuning and corpus are stated"


def derived_rows(found: Cells, levels: ModelLevels, settings: Settings) -> tuple[list[dict[str, Any]], ...]:
    """Return derived less base for every pair, and the mean of such differences for each kind of change.

    A statement on these models and such items: the interval is normal, from the covariance of the levels, so items and
    trials are sampled, models are not. p is corrected by Holm over the pairs, and over the kinds of change.
    """
    rows: list[dict[str, Any]] = []
    weights: dict[str, list[FloatArray]] = {name: [] for name in CHANGES}
    used: dict[str, set[str]] = {name: set() for name in CHANGES}
    columns = found.data.columns
    for unit in map(str, found.units.index):
        named = named_base(found.units, unit)
        if named is None:
            continue
        base = base_of(found.units, unit)
        if base is None:
            rows.append({"unit_a": unit, "unit_b": named, "reason": NO_BASE})
            continue
        kind, tuned, corpus = change(found.units, unit, base)
        row: dict[str, Any] = {"unit_a": unit, "unit_b": base, "made_by": kind}
        row |= dict(zip(("tuned_a", "tuned_b", "corpus_a", "corpus_b"), (*tuned, *corpus), strict=True))
        if unit not in levels.models or base not in levels.models:
            rows.append(row | {"reason": NO_LEVEL})
            continue
        inside = columns["model"].isin([unit, base]).to_numpy()
        items = columns["item"][inside]
        shared = set(items[columns["model"][inside] == unit]) & set(items[columns["model"][inside] == base])
        fitted = levels.fit.fitted[inside & columns["item"].isin(shared).to_numpy()]
        weight = np.zeros(len(levels.models))
        weight[levels.models.index(unit)], weight[levels.models.index(base)] = 1.0, -1.0
        rows.append(row | {"n_items": len(shared)} | _measured(levels, weight, fitted, settings))
        if kind in weights:
            weights[kind].append(weight)
            used[kind] |= {unit, base}
    pooled: list[dict[str, Any]] = []
    for kind in CHANGES if rows else ():
        row = {"made_by": kind, "n_contrasts": len(weights[kind])}
        if weights[kind]:
            fitted = levels.fit.fitted[columns["model"].isin(used[kind]).to_numpy()]
            pooled.append(row | _measured(levels, np.mean(weights[kind], axis=0), fitted, settings))
        else:
            pooled.append(row | {"reason": NONE_SUCH})
    return corrected(rows, settings.alpha), corrected(pooled, settings.alpha)


def _measured(levels: ModelLevels, weight: FloatArray, fitted: FloatArray, settings: Settings) -> dict[str, Any]:
    """Return the contrast of levels with these weights, its normal interval and test."""
    gap = float(weight @ levels.levels)
    error = float(np.sqrt(weight @ levels.covariance @ weight))
    reach = float(stats.norm.ppf(0.5 + settings.level / 2)) * error
    low, high = gap - reach, gap + reach
    return {
        "effect_logit": gap,
        "effect_logit_se": error,
        "effect_logit_low": low,
        "effect_logit_high": high,
        "estimate": in_points(gap, fitted) if len(fitted) else np.nan,
        "conf_low": in_points(low, fitted) if len(fitted) else np.nan,
        "conf_high": in_points(high, fitted) if len(fitted) else np.nan,
        "conf_level": settings.level,
        "statistic": gap / error,
        "p_value": float(2 * stats.norm.sf(abs(gap / error))),
        "reason": None,
    }


def corrected(rows: Sequence[dict[str, Any]], alpha: float) -> list[dict[str, Any]]:
    """Return rows with p corrected by Holm over all of them, and the verdict by the corrected p."""
    adjusted = holm(np.array([row.get("p_value", np.nan) for row in rows], dtype=np.float64))
    return [
        row
        | {"p_adjusted": float(p)}
        | {"verdict": "not decided" if np.isnan(p) else "separated" if p < alpha else "not separated"}
        for row, p in zip(rows, adjusted, strict=True)
    ]


def permuted_corpus(found: Cells, levels: ModelLevels, settings: Settings) -> dict[str, Any]:
    """Return the row of the corpus, permuted among a base model and what was made from it at equal size.

    The estimate is the pooled difference within such blocks; there is no interval, the blocks being few.
    """
    units = found.units.loc[list(levels.models)].dropna(subset=["corpus", "log10_params"])
    size = units["log10_params"].astype(float).to_dict()
    blocks: dict[str, str] = {}
    for unit in map(str, units.index):
        base = base_of(found.units, unit)
        blocks[unit] = base if base is not None and size.get(base) == size[unit] else unit
    corpus = units["corpus"].astype(str).to_dict()
    mixed = {
        block
        for block in set(blocks.values())
        if len({corpus[unit] for unit, own in blocks.items() if own == block}) > 1
    }
    used = [unit for unit in blocks if blocks[unit] in mixed]
    row: dict[str, Any] = {"design": WITHIN_BASE, "n_units": len(used), "verdict": "not decided"}
    kinds = sorted({corpus[unit] for unit in used})
    if len(kinds) != 2:
        return row | {"reason": MANY_CORPORA if kinds else NO_BLOCK}
    own = levels.take(used).levels
    x = np.array([float(corpus[unit] == kinds[1]) for unit in used])
    test = within_blocks(own, x, [blocks[unit] for unit in used], seed=settings.seed)
    fitted = levels.fit.fitted[found.data.columns["model"].isin(used).to_numpy()]
    return row | {
        "term": f"corpus[{kinds[1]}]",
        "base": kinds[0],
        "effect_logit": test.estimate,
        "estimate": in_points(test.estimate, fitted),
        "p_permutation": test.p_value,
        "p_least": test.p_least,
        # Where even the most extreme arrangement could not reach alpha, nothing can be decided.
        "verdict": _verdict(test.p_value, test.p_least, settings.alpha),
    }


def _verdict(p_value: float, p_least: float, alpha: float) -> str:
    if p_value < alpha:
        return "separated"
    return "not separated" if p_least < alpha else "not decided"
