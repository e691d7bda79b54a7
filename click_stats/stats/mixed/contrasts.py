"""Models against what they were made from, on the items both answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.stats.mixed.permutation import within_blocks
from click_stats.stats.mixed.points import in_points

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.stats.mixed.cells import Cells
    from click_stats.stats.mixed.two_stage import ModelLevels

COLUMNS = (
    "unit_a", "unit_b", "n_items", "effect_logit", "effect_logit_se", "effect_logit_low", "effect_logit_high",
    "estimate", "conf_low", "conf_high", "conf_level", "statistic", "p_value", "n_units", "note",
)  # fmt: skip
WITHIN_BASE = "corpus within base model and size"
NO_BLOCK = "no base model and derived model of equal size with different corpora"
MANY_CORPORA = "more than two corpora within a base model and size"
TUNED = "also differ in instruction tuning"
CORPUS = "also differ in corpus"


def base_of(units: pd.DataFrame, unit: str) -> str | None:
    """Return the unit that is the base model of ``unit``, by name or label; None unless it is exactly one.

    A name may carry a prefix that ends in ``-`` or ``/`` (``EleutherAI/polyglot-ko-5.8b``).
    """
    named = units["base_model"].get(unit) if "base_model" in units else None
    if not isinstance(named, str) or not named:
        return None
    wanted = named.casefold()
    exact, prefixed = [], []
    for other, row in units.iterrows():
        if other == unit:
            continue
        texts = {str(other).casefold(), str(row["model"]).casefold(), str(row.get("label", "")).casefold()}
        if wanted in texts:
            exact.append(str(other))
        elif any(text.endswith((f"-{wanted}", f"/{wanted}")) for text in texts):
            prefixed.append(str(other))
    found = exact or prefixed
    return found[0] if len(found) == 1 else None


def derived_rows(found: Cells, levels: ModelLevels, level: float) -> list[dict[str, Any]]:
    """Return derived less base for every pair, in logits and points: a statement on these two models and such items.

    The interval is normal, from the covariance of the two levels: items and trials are sampled, models are not.
    """
    rows = []
    columns = found.data.columns
    pairs = [(str(unit), base_of(found.units, str(unit))) for unit in found.units.index]
    for derived, base in pairs:
        if base is None or derived not in levels.models or base not in levels.models:
            continue
        a, b = levels.models.index(derived), levels.models.index(base)
        gap = float(levels.levels[a] - levels.levels[b])
        variance = levels.covariance[a, a] + levels.covariance[b, b] - 2 * levels.covariance[a, b]
        error = float(np.sqrt(variance))
        reach = float(stats.norm.ppf(0.5 + level / 2)) * error
        inside = columns["model"].isin([derived, base]).to_numpy()
        items = columns["item"][inside]
        shared = set(items[columns["model"][inside] == derived]) & set(items[columns["model"][inside] == base])
        fitted = levels.fit.fitted[inside & columns["item"].isin(shared).to_numpy()]
        low, high = gap - reach, gap + reach
        differs = []
        for name, text in (("tuned", TUNED), ("korean_corpus", CORPUS)):
            if name in found.units:
                texts = found.units[name].dropna().astype(str).to_dict()
                if derived in texts and base in texts and texts[derived] != texts[base]:
                    differs.append(text)
        rows.append(
            {
                "unit_a": derived,
                "unit_b": base,
                "n_items": len(shared),
                "effect_logit": gap,
                "effect_logit_se": error,
                "effect_logit_low": low,
                "effect_logit_high": high,
                "estimate": in_points(gap, fitted) if shared else np.nan,
                "conf_low": in_points(low, fitted) if shared else np.nan,
                "conf_high": in_points(high, fitted) if shared else np.nan,
                "conf_level": level,
                "statistic": gap / error,
                "p_value": float(2 * stats.norm.sf(abs(gap / error))),
                "n_units": 2,
                "note": "; ".join(differs) or None,
            }
        )
    return rows


def permuted_corpus(found: Cells, levels: ModelLevels, alpha: float, seed: int) -> dict[str, Any]:
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
    own = np.array([levels.levels[levels.models.index(unit)] for unit in used])
    x = np.array([float(corpus[unit] == kinds[1]) for unit in used])
    test = within_blocks(own, x, [blocks[unit] for unit in used], seed=seed)
    fitted = levels.fit.fitted[found.data.columns["model"].isin(used).to_numpy()]
    return row | {
        "term": f"corpus[{kinds[1]}]",
        "base": kinds[0],
        "effect_logit": test.estimate,
        "estimate": in_points(test.estimate, fitted),
        "p_permutation": test.p_value,
        "p_least": test.p_least,
        # Where even the most extreme arrangement could not reach alpha, nothing can be decided.
        "verdict": _verdict(test.p_value, test.p_least, alpha),
    }


def _verdict(p_value: float, p_least: float, alpha: float) -> str:
    if p_value < alpha:
        return "separated"
    return "not separated" if p_least < alpha else "not decided"
