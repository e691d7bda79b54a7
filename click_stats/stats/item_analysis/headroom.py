"""How much room the test has left at the top: items that still separate the best models, and what wrong keys allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from click_stats.stats.tools.intervals import wilson
from click_stats.stats.tools.rows import frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import BoolArray

HEADROOM = (
    "n_units",
    "members",
    "n_items",
    "n_items_total",
    "share_separating",
    "share_all_right",
    "share_all_wrong",
    "reason",
)
INFORMATION = ("unit", "estimate", "plain_ability", "plain_information", "plain_ability_se", "reason")
CEILING = ("scenario", "n_wrong_keys", "ceiling", "conf_low", "conf_high", "note")
TOO_FEW_UNITS = "fewer models than this"
NO_SHARED = "no item that all of these models answered"
FEW = "fewer than 2 models or 2 items, or no convergence: no scale"
NONE_WRONG, ALL_SUSPECTS, REVIEWED = "no key is wrong", "every suspected key is wrong", "suspects as reviewed"
BOUND = "a bound, not an estimate: no review of the suspects is given"
OUTSIDE = "wrong keys that are no suspects are not counted"
STEP, ROUNDS, PRIOR = 1e-6, 500, 4.0
TINY = 1e-12


class Scale(NamedTuple):
    """Abilities (U,) and difficulties (I,) in logits, difficulties centred at 0."""

    ability: FloatArray
    difficulty: FloatArray


def separating(scores: FloatArray, ability: FloatArray, names: Sequence[str], top: Sequence[int]) -> pd.DataFrame:
    """Return how many items still separate the best k units: not all of them have the same score.

    With one trial an item some of this is chance: a repeated run separates models on other items.
    """
    order = np.argsort(-np.nan_to_num(ability, nan=-np.inf), kind="stable")
    rows: list[dict[str, Any]] = []
    for k in top:
        row: dict[str, Any] = {
            "n_units": k,
            "members": "",
            "n_items": 0,
            "n_items_total": scores.shape[1],
            "reason": "",
        }
        best = order[:k]
        part = scores[best]
        whole = part[:, ~np.isnan(part).any(axis=0)]
        if len(best) < k:
            row["reason"] = TOO_FEW_UNITS
        elif not whole.shape[1]:
            row["reason"] = NO_SHARED
        else:
            row |= {
                "members": ", ".join(str(names[unit]) for unit in best),
                "n_items": whole.shape[1],
                "share_separating": float((np.ptp(whole, axis=0) > TINY).mean()),
                "share_all_right": float((whole.min(axis=0) > 1 - TINY).mean()),
                "share_all_wrong": float((whole.max(axis=0) < TINY).mean()),
            }
        rows.append(row)
    return frame(rows, HEADROOM)


def scale(scores: FloatArray, n_options: IntArray) -> Scale | None:
    """Return a plug-in scale of abilities and difficulties: posterior modes of a Rasch model with a guessing floor.

    Parameters
    ----------
    scores
        (U, I), NaN where missing.
    n_options
        (I,); the floor is 1/N.

    Notes
    -----
    P = 1/N + (1 - 1/N) L(ability - difficulty), L the logistic curve (Rasch 1960; floor fixed). Fisher scoring of
    abilities and difficulties in turn, each with a normal prior of variance 4, which keeps units and items with all or
    no answers right at finite values. Enough to say where information lies; the IRT analysis has errors and checks.
    """
    there = ~np.isnan(scores)
    if min(scores.shape) < 2 or not there.any():
        return None
    x = np.where(there, scores, 0.0)
    found = Scale(np.zeros(scores.shape[0]), np.zeros(scores.shape[1]))
    for _ in range(ROUNDS):
        before = found
        pull, weight = _gradient(x, there, found, n_options)
        step = (pull.sum(axis=1) - found.ability / PRIOR) / (weight.sum(axis=1) + 1 / PRIOR)
        found = found._replace(ability=found.ability + np.clip(step, -1, 1))
        pull, weight = _gradient(x, there, found, n_options)
        move = (-pull.sum(axis=0) - found.difficulty / PRIOR) / (weight.sum(axis=0) + 1 / PRIOR)
        # Half a step: near the floor an item has little information and a whole one overshoots for ever.
        difficulty = found.difficulty + np.clip(move, -1, 1) / 2
        found = Scale(found.ability - difficulty.mean(), difficulty - difficulty.mean())
        if max(np.abs(new - old).max() for new, old in zip(found, before, strict=True)) < STEP:
            return found
    return None


def _curve(found: Scale, n_options: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return (U, I) probabilities and their slopes in ability."""
    logistic = special.expit(found.ability[:, None] - found.difficulty)
    floor = 1 / n_options
    return floor + (1 - floor) * logistic, (1 - floor) * logistic * (1 - logistic)


def _gradient(x: FloatArray, there: BoolArray, found: Scale, n_options: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return (U, I) contributions to the score and to the information in ability."""
    p, slope = _curve(found, n_options)
    ratio = np.where(there, slope / (p * (1 - p)), 0.0)
    return (x - p) * ratio, slope * ratio


def information(scores: FloatArray, names: Sequence[str], n_options: IntArray, found: Scale | None) -> pd.DataFrame:
    """Return the test information at the ability of every unit, and the standard error of ability it allows.

    Notes
    -----
    With one trial of every item: sum of (dP/d ability)² / (P (1 - P)) (Birnbaum 1968), P as in :func:`scale`.
    """
    mean = [float(np.nanmean(row)) if (~np.isnan(row)).any() else np.nan for row in scores]
    if found is None:
        return frame(
            [{"unit": name, "estimate": p, "reason": FEW} for name, p in zip(names, mean, strict=True)], INFORMATION
        )
    p, slope = _curve(found, n_options)
    total = (slope**2 / (p * (1 - p))).sum(axis=1)
    return pd.DataFrame(
        {
            "unit": list(names), "estimate": mean, "plain_ability": found.ability,
            "plain_information": total, "plain_ability_se": 1 / np.sqrt(total), "reason": "",
        },
        columns=list(INFORMATION),
    )  # fmt: skip


def ceiling(
    n_items: int, n_suspects: int, precision: float | None, n_reviewed: int | None, level: float
) -> pd.DataFrame:
    """Return the highest score that a solver who is always right can reach, given how many keys are wrong.

    Parameters
    ----------
    n_items, n_suspects
        Items, and items whose key is suspected.
    precision
        Share of the suspects whose key is truly wrong, from a review; None: only bounds.
    n_reviewed
        Suspects that the review looked at, for an interval (Wilson); None: none.
    level
        Confidence level.

    Notes
    -----
    A solver who is always right is marked wrong on every item with a wrong key: ceiling = 1 - wrong keys / items.
    Wrong keys that are no suspects are not counted: with them the ceiling is lower.
    """
    rows: list[dict[str, Any]] = [
        {"scenario": NONE_WRONG, "n_wrong_keys": 0.0, "ceiling": 1.0, "note": BOUND},
        {
            "scenario": ALL_SUSPECTS,
            "n_wrong_keys": float(n_suspects),
            "ceiling": 1 - n_suspects / n_items,
            "note": BOUND,
        },
    ]
    if precision is not None:
        row = {
            "scenario": REVIEWED, "n_wrong_keys": precision * n_suspects,
            "ceiling": 1 - precision * n_suspects / n_items, "note": OUTSIDE,
        }  # fmt: skip
        if n_reviewed:
            found = wilson(precision, n_reviewed, level)
            row |= {
                "conf_low": 1 - found.high * n_suspects / n_items, "conf_high": 1 - found.low * n_suspects / n_items,
            }  # fmt: skip
        rows.append(row)
    return frame(rows, CEILING)
