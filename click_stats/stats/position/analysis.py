"""The analysis of position: what is chosen where, and what accuracy is left when position cannot help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import blocks, partition
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.position.balance import balance
from click_stats.stats.tools.clustered import cluster_mean
from click_stats.stats.tools.intervals import check_level, clustered_wilson
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, FloatArray, IntArray

ESTIMATES = (
    "unit", "n_options", "position", "estimate", "expected", "departure", "std_error", "df", "conf_low", "conf_high",
    "conf_level", "n_items", "n_trials", "n_clusters", "method", "reason",
)  # fmt: skip
TESTS = (
    "unit", "n_options", "measure", "statistic", "df", "df_residual", "p_value", "p_adjusted", "p_method", "verdict",
    "alpha", "n_items", "n_clusters", "reason",
)  # fmt: skip
GOLD = (
    "unit", "n_options", "position", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_items",
    "n_trials", "n_clusters", "method", "reason",
)  # fmt: skip
ACCURACIES = (
    "unit", "measure", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "n_items", "n_items_lost",
    "n_trials", "n_clusters", "method", "reason",
)  # fmt: skip

CHOICES, BY_GOLD = "choices", "accuracy by position of the right option"
MEAN, STRICT, VOTE, ADJUSTED = (
    "mean accuracy", "strict circular accuracy", "majority-vote accuracy", "bias-adjusted accuracy",
)  # fmt: skip
ONE_ORDER = "one order of options: position cannot be told from the options that stand there"
NO_ROTATIONS = (
    "No model answered all orders of the options of any item: what is chosen at a position cannot be told from what "
    "stands there. Only shares of chosen positions beside those of the right options are shown; ask with all rotations."
)
METHOD = (
    "Answers to complete rotations, where each option stands once at each position; shares and accuracies with errors "
    "between passages, departures from balance by a clustered F test, Holm over the models."
)


def position(counts: Counts, *, level: float = 0.95, draws: int = 999, seed: int = 0) -> Result:
    """Tell whether models favour displayed positions, and how accurate they are when position cannot help.

    Parameters
    ----------
    counts
        With ``responses``.
    level
        Confidence level; 1 less this is the level of the tests, corrected (Holm) over models and option numbers.
    draws, seed
        Of the test that stands in where the covariance has no full rank.

    Returns
    -------
    Result
        ``estimates``: share of each displayed position among the answers, beside the balanced expectation (with one
        order: beside the share of right options there, without a test). ``tests``: are choices, and is accuracy, even
        over positions. ``gold``: accuracy by displayed position of the right option. ``accuracies``: mean, strict
        circular (right in every order; Zheng et al. 2024, Liu et al. 2024), majority vote over the orders with ties
        split, and bias-adjusted.

    Raises
    ------
    UsageError
        Counts without responses, or a parameter out of range.
    """
    check_level(level)
    if draws < 1:
        raise UsageError("The test needs draws.", found=str(draws), do="Use for example 999.")
    frame = blocks.complete(counts, "position")
    passages = partition.clusters(counts, np.arange(len(counts.items), dtype=np.int64))
    tables: dict[str, list[dict[str, Any]]] = {"estimates": [], "tests": [], "gold": [], "accuracies": []}
    warnings = []
    for row, name in enumerate(map(str, counts.units.index)):
        own = frame[frame["unit"] == row]
        whole = own[own["complete"]]
        if len(own) and not len(whole):
            warnings.append(f"{name}: no item with all orders of its options; position is not tested.")
        n_lost = own["item"].nunique() - whole["item"].nunique()
        shares: dict[int, FloatArray] = {}
        for n in sorted(counts.items["n_options"].unique()):
            key = {"unit": name, "n_options": int(n)}
            part = whole[whole["n_options"] == n]
            if len(part):
                rows, chosen = _choices(part, int(n), passages, level)
                tables["estimates"] += [{**key, **one} for one in rows]
                shares[int(n)] = chosen
                tables["gold"] += [{**key, **one} for one in _by_gold(part, int(n), passages, level)]
                tables["tests"] += [{**key, **one} for one in _tests(part, int(n), passages, level, draws, seed)]
            else:
                tables["estimates"] += [{**key, **one} for one in _one_order(own[own["n_options"] == n], int(n))]
        if len(whole):
            for one in _accuracies(whole, shares, passages, level):
                tables["accuracies"].append({"unit": name, "n_items_lost": n_lost, **one})
        else:
            tables["accuracies"] += [
                {"unit": name, "measure": one, "n_items": 0, "n_items_lost": n_lost, "reason": ONE_ORDER}
                for one in (STRICT, VOTE, ADJUSTED)
            ]
    adjusted = holm([one["p_value"] for one in tables["tests"]])
    for test, p in zip(tables["tests"], adjusted, strict=True):
        test["p_adjusted"] = float(p)
        test["verdict"] = NOT_DECIDED if np.isnan(p) else SEPARATED if p < round(1 - level, 12) else NOT_SEPARATED
    names = {"estimates": ESTIMATES, "tests": TESTS, "gold": GOLD, "accuracies": ACCURACIES}
    frames = {table: _frame(rows, names[table]) for table, rows in tables.items()}
    reason = "" if len(frames["tests"]) else NO_ROTATIONS
    choices = frames["tests"][frames["tests"]["measure"] == CHOICES]
    summary = {
        "n_units": int(choices["unit"].nunique()),
        "n_separated": int(choices.loc[choices["verdict"] == SEPARATED, "unit"].nunique()),
    }
    meta: dict[str, Any] = {
        "method": METHOD, "level": level, "draws": draws, "seed": seed, "reason": reason,
        "warnings": [reason] if reason else warnings,
    }  # fmt: skip
    return Result("position", frames, summary, meta)


def _by_item(part: pd.DataFrame, column: str, n: int) -> tuple[IntArray, FloatArray]:
    """Return items, and how often each of 0..n-1 is in ``column`` of their responses; (I,) and (I, n)."""
    items, code = np.unique(part["item"].to_numpy(dtype=np.int64), return_inverse=True)
    values = part[column].to_numpy(dtype=np.int64)
    table = np.zeros((len(items), n))
    named = (values >= 0) & (values < n)
    np.add.at(table, (code[named], values[named]), 1.0)
    return items, table


def _mean(values: FloatArray, clusters: IntArray, level: float, weights: FloatArray | None = None) -> dict[str, Any]:
    mean = cluster_mean(values, clusters, None, weights)
    interval = clustered_wilson(mean, level)
    return {
        "estimate": mean.estimate, "std_error": mean.std_error, "df": mean.df, "conf_low": interval.low,
        "conf_high": interval.high, "conf_level": level, "n_items": mean.n_items, "n_clusters": mean.n_clusters,
        "method": interval.method, "reason": mean.reason or interval.reason,
    }  # fmt: skip


def _choices(part: pd.DataFrame, n: int, passages: IntArray, level: float) -> tuple[list[dict[str, Any]], FloatArray]:
    items, table = _by_item(part, "position", n)
    size = table.sum(axis=1)
    kept = size > 0
    values, weights = table[kept] / size[kept][:, None], size[kept]
    rows = []
    for place in range(n):
        one = _mean(values[:, place], passages[items[kept]], level, weights)
        difference = one["estimate"] - 1 / n
        rows.append(
            {**one, "position": place + 1, "expected": 1 / n, "departure": difference, "n_trials": int(size.sum())}
        )
    total = table.sum()
    return rows, table.sum(axis=0) / total if total else np.full(n, np.nan)


def _by_gold(part: pd.DataFrame, n: int, passages: IntArray, level: float) -> list[dict[str, Any]]:
    items, right, asked = _accuracy_by_position(part, n)
    return [
        {
            **_mean(right[:, place] / asked[:, place], passages[items], level), "position": place + 1,
            "n_trials": int(asked[:, place].sum()),
        }
        for place in range(n)
    ]  # fmt: skip


def _accuracy_by_position(part: pd.DataFrame, n: int) -> tuple[IntArray, FloatArray, FloatArray]:
    items, asked = _by_item(part, "gold_position", n)
    right = np.zeros_like(asked)
    hits = part[part["correct"].to_numpy(dtype=bool)]
    np.add.at(
        right,
        (np.searchsorted(items, hits["item"].to_numpy(dtype=np.int64)), hits["gold_position"].to_numpy(dtype=np.int64)),
        1.0,
    )
    return items, right, asked


def _tests(part: pd.DataFrame, n: int, passages: IntArray, level: float, draws: int, seed: int) -> list[dict[str, Any]]:
    items, table = _by_item(part, "position", n)
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


def _one_order(part: pd.DataFrame, n: int) -> list[dict[str, Any]]:
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


def _accuracies(
    whole: pd.DataFrame, shares: dict[int, FloatArray], passages: IntArray, level: float
) -> list[dict[str, Any]]:
    correct = whole["correct"].astype(float)
    items = np.unique(whole["item"].to_numpy(dtype=np.int64))
    by_block = whole.assign(correct=correct).groupby(["item", "block"])["correct"].min()
    place = whole["position"].to_numpy(dtype=np.int64)
    n = whole["n_options"].to_numpy(dtype=np.int64)
    # An answer counts by one over the share of its position; one that names no option counts as an average answer.
    weights = 1.0 / n
    for size, share in shares.items():
        own = (n == size) & (place >= 0)
        weights[own] = 1.0 / (size * share[place[own]])
    weights[place < 0] = 1.0
    weighed = pd.DataFrame({"item": whole["item"], "w": weights, "y": weights * correct}).groupby("item").sum()
    found = {
        MEAN: whole.assign(correct=correct).groupby("item")["correct"].mean(),
        STRICT: by_block.groupby("item").mean(),
        VOTE: _votes(whole),
        ADJUSTED: weighed["y"] / weighed["w"],
    }
    return [
        {
            "measure": measure, "n_trials": len(whole),
            **_mean(values.reindex(items).to_numpy(dtype=np.float64), passages[items], level),
        }
        for measure, values in found.items()
    ]  # fmt: skip


def _votes(whole: pd.DataFrame) -> pd.Series[float]:
    """Return by item whether the most frequent option is right; 1/k with k options at the top, 0 without a vote."""
    n = int(whole["n_options"].max())
    items, table = _by_item(whole, "prediction", n)
    first = whole.drop_duplicates("item").set_index("item").loc[items]
    gold = ((first["gold_position"] + first["rotation"]) % first["n_options"]).to_numpy(dtype=np.int64)
    top = (table == table.max(axis=1, keepdims=True)) & (table > 0)
    won = np.where(top[np.arange(len(items)), gold], 1.0 / np.maximum(top.sum(axis=1), 1), 0.0)
    return pd.Series(won, index=items)


def _frame(rows: list[dict[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(names))
    for name in names:
        if name.startswith("n_") or name == "position":
            frame[name] = pd.array(frame[name].tolist(), dtype="Int64")
    texts = [name for name in ("method", "p_method", "reason", "verdict") if name in frame]
    frame[texts] = frame[texts].astype(object).fillna("")
    return frame
