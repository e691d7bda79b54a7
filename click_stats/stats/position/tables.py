"""What is chosen where: shares of positions, accuracy by position of the right option, and their tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.position.balance import balance
from click_stats.stats.tools.rows import mean_row

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import FloatArray, IntArray

CHOICES, BY_GOLD = "choices", "accuracy by position of the right option"
ONE_ORDER = "one order of options: position cannot be told from the options that stand there"


def by_item(part: pd.DataFrame, column: str, n: int) -> tuple[IntArray, FloatArray]:
    """Return items, and how often each of 0..n-1 is in ``column`` of their responses; (I,) and (I, n)."""
    items, code = np.unique(part["item"].to_numpy(dtype=np.int64), return_inverse=True)
    values = part[column].to_numpy(dtype=np.int64)
    table = np.zeros((len(items), n))
    named = (values >= 0) & (values < n)
    np.add.at(table, (code[named], values[named]), 1.0)
    return items, table


def choices(part: pd.DataFrame, n: int, passages: IntArray, level: float) -> list[dict[str, Any]]:
    """Return the share of each displayed position among the answers that name an option."""
    items, table = by_item(part, "position", n)
    size = table.sum(axis=1)
    kept = size > 0
    values, weights = table[kept] / size[kept][:, None], size[kept]
    rows = []
    for place in range(n):
        one = mean_row(values[:, place], passages[items[kept]], level, weights=weights)
        difference = one["estimate"] - 1 / n
        rows.append(
            {**one, "position": place + 1, "expected": 1 / n, "departure": difference, "n_trials": int(size.sum())}
        )
    return rows


def by_gold(part: pd.DataFrame, n: int, passages: IntArray, level: float) -> list[dict[str, Any]]:
    """Return the accuracy by displayed position of the right option."""
    items, right, asked = _accuracy_by_position(part, n)
    return [
        {
            **mean_row(right[:, place] / asked[:, place], passages[items], level), "position": place + 1,
            "n_trials": int(asked[:, place].sum()),
        }
        for place in range(n)
    ]  # fmt: skip


def _accuracy_by_position(part: pd.DataFrame, n: int) -> tuple[IntArray, FloatArray, FloatArray]:
    items, asked = by_item(part, "gold_position", n)
    right = np.zeros_like(asked)
    hits = part[part["correct"].to_numpy(dtype=bool)]
    np.add.at(
        right,
        (np.searchsorted(items, hits["item"].to_numpy(dtype=np.int64)), hits["gold_position"].to_numpy(dtype=np.int64)),
        1.0,
    )
    return items, right, asked


def tests(part: pd.DataFrame, n: int, passages: IntArray, level: float, draws: int, seed: int) -> list[dict[str, Any]]:
    """Return the tests that choices, and that accuracy, are even over positions."""
    items, table = by_item(part, "position", n)
    _, right, asked = _accuracy_by_position(part, n)
    score = right / asked
    rows = []
    for measure, departures in (
        (CHOICES, table - table.mean(axis=1, keepdims=True)),
        (BY_GOLD, score - score.mean(axis=1, keepdims=True)),
    ):
        found = balance(departures, passages[items], draws=draws, seed=seed)
        rows.append(
            {
                "measure": measure, "statistic": found.statistic, "df": found.df, "df_residual": found.df_residual,
                "p_value": found.p_value, "p_method": found.method, "alpha": round(1 - level, 12),
                "n_items": len(items), "n_clusters": np.unique(passages[items]).size, "reason": found.reason,
            }
        )  # fmt: skip
    return rows


def one_order(part: pd.DataFrame, n: int) -> list[dict[str, Any]]:
    """Return shares of chosen positions beside those of the right options: all that one order can show."""
    named = part[part["position"] >= 0]
    rows = []
    for place in range(n):
        row: dict[str, Any] = {"position": place + 1, "n_items": int(named["item"].nunique()), "n_trials": len(named)}
        if len(named):
            share, gold = float((named["position"] == place).mean()), float((named["gold_position"] == place).mean())
            row |= {"estimate": share, "expected": gold, "departure": share - gold}
        rows.append({**row, "reason": ONE_ORDER if len(part) else "no item was answered"})
    return rows
