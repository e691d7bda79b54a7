"""What a setting changed: conditions of a model against its baseline, and what controls win without the question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.accuracy import accuracy
from click_stats.stats.compare import compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

METHOD = "paired differences within a model, step-down max-T within each pair's family"
DEFAULT = "default"
CONTROLS = ("choices-only", "question-only")
"""Conditions that keep something back: what they win is won without it."""
NO_SIGN = "no sign that the setting took effect: the same answers and output tokens"
ONE_CONDITION = "No model was run under more than one condition."

TAKEN = ("estimate", "std_error", "conf_low", "conf_high", "conf_level", "p_value", "p_adjusted", "verdict", "n_items")
ESTIMATES = (
    *("unit_a", "unit_b", "by", "group", *TAKEN, "n_gained", "n_lost", "share_same"),
    *("output_tokens_a", "output_tokens_b", "flag", "reason"),
)
SETTINGS = ("unit", "model", "condition", "estimate", "conf_low", "conf_high", "n_items", "output_tokens", "reason")
CONTROL_COLUMNS = (
    "unit",
    "by",
    "group",
    "estimate",
    "conf_low",
    "conf_high",
    "n_items",
    "chance",
    "difference",
    "reason",
)


def conditions(
    counts: Counts,
    *,
    by: str | Sequence[str] = ("overall", "category"),
    level: float = 0.95,
    alpha: float = 0.05,
    denominator: Denominator = "responded",
    draws: int = 10_000,
    seed: int = 0,
) -> Result:
    """Compare the settings of each model with its baseline, and say what controls win.

    The baseline of a model is its condition ``default``, else its first condition. Every other condition is paired
    with it on their common items, as :func:`click_stats.stats.compare.compare` does for two units; adjusted
    p-values are within that pair (overall, and over the categories).

    Returns
    -------
    Result
        ``estimates``: gain of each setting over its baseline by group, items gained and lost, share of items with the
        same answers, tokens generated. Where answers and tokens are all the same the row is flagged: the setting may
        never have reached the model. ``settings``: accuracy and output tokens of each condition. ``controls``:
        accuracy of control conditions less that of uniform guessing.

    Raises
    ------
    UsageError
        An unknown grouping or denominator, or a level out of range.
    """
    pairs = _pairs(counts)
    rows: list[dict[str, Any]] = []
    for setting, baseline in pairs:
        rows += _gains(counts.select([setting, baseline]), by, level, alpha, denominator, draws, seed)
    several = list(dict.fromkeys(unit for pair in pairs for unit in pair))
    controls = [
        str(unit) for unit, name in counts.units["condition"].items() if any(part in str(name) for part in CONTROLS)
    ]
    tables = {
        "estimates": pd.DataFrame(rows, columns=list(ESTIMATES)).astype({"n_gained": "Int64", "n_lost": "Int64"}),
        "settings": _settings(counts.select(several), level, denominator),
        "controls": _controls(counts.select(controls), by, level, denominator),
    }
    meta = {
        "method": METHOD,
        "seed": seed,
        "draws": draws,
        "level": level,
        "alpha": alpha,
        "denominator": denominator,
        "warnings": [],
        "notes": [] if pairs else [ONE_CONDITION],
    }
    return Result("conditions", tables, {"n_units": len(several), "n_tests": len(rows)}, meta)


def _is_control(condition: str) -> bool:
    return any(part in condition for part in CONTROLS)


def _pairs(counts: Counts) -> list[tuple[str, str]]:
    """Return (setting, baseline) for every further condition of a model; controls are no settings."""
    found = []
    for _, units in counts.units.groupby("model", sort=False):
        plain = units[[not _is_control(str(name)) for name in units["condition"]]]
        if len(plain) < 2:
            continue
        at = list(plain["condition"]).index(DEFAULT) if DEFAULT in set(plain["condition"]) else 0
        baseline = str(plain.index[at])
        found += [(str(unit), baseline) for unit in plain.index if unit != baseline]
    return found


def _gains(
    two: Counts, by: str | Sequence[str], level: float, alpha: float, denominator: Denominator, draws: int, seed: int
) -> list[dict[str, Any]]:
    setting, baseline = two.units.index
    compared = compare(
        two, reference=baseline, by=by, level=level, alpha=alpha, denominator=denominator, draws=draws, seed=seed
    ).to_frame("reference")
    values, _ = two.scores(denominator)
    both = np.asarray(~np.isnan(values).any(axis=0), dtype=bool)
    equal = (np.diff(two.options, axis=0)[0] == 0).all(axis=1) & (np.diff(two.statuses, axis=0)[0] == 0).all(axis=1)
    same = np.asarray(equal, dtype=bool)
    tokens = two.units["output_tokens"].to_numpy(dtype=np.float64) if "output_tokens" in two.units else [np.nan, np.nan]
    unmoved = bool(same[both].all()) and both.any() and (np.isnan(tokens).all() or tokens[0] == tokens[1])
    places = {(group.by, group.name): group.items for group in partition.groups(two, by)}
    rows = []
    for row in compared.to_dict("records"):
        items = places[row["by"], row["group"]]
        shared = items[both[items]]
        rows.append(
            {
                **{name: row[name] for name in ("by", "group", *TAKEN)},
                "unit_a": setting,
                "unit_b": baseline,
                "n_gained": int((values[0, shared] > values[1, shared]).sum()),
                "n_lost": int((values[0, shared] < values[1, shared]).sum()),
                "share_same": float(same[shared].mean()) if len(shared) else np.nan,
                "output_tokens_a": tokens[0],
                "output_tokens_b": tokens[1],
                "flag": "; ".join(filter(None, [row["flag"], NO_SIGN if unmoved else ""])),
                "reason": row["reason"],
            }
        )
    return rows


def _settings(counts: Counts, level: float, denominator: Denominator) -> pd.DataFrame:
    if not len(counts.units):
        return pd.DataFrame(columns=list(SETTINGS))
    found = accuracy(counts, level=level, denominator=denominator).to_frame()
    tokens = counts.units.get("output_tokens", pd.Series(np.nan, index=counts.units.index))
    found["output_tokens"] = tokens.reindex(found["unit"]).to_numpy(dtype=np.float64)
    return found[list(SETTINGS)]


def _controls(counts: Counts, by: str | Sequence[str], level: float, denominator: Denominator) -> pd.DataFrame:
    if not len(counts.units):
        return pd.DataFrame(columns=list(CONTROL_COLUMNS))
    found = accuracy(counts, by=by, level=level, denominator=denominator).to_frame()
    found["difference"] = found["estimate"] - found["chance"]
    return found[list(CONTROL_COLUMNS)]
