"""What each option draws: its share among all, stronger and weaker models, and options that nobody takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats.item_analysis.classical import correlation

if TYPE_CHECKING:
    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.item_analysis.answers import Answers, BoolArray

OPTIONS = (
    "item",
    "option",
    "is_key",
    "n_units",
    "n_takers",
    "share_mean",
    "share_upper",
    "share_lower",
    "option_rest",
    "reason",
)
TOO_FEW = "fewer than 4 models: no upper and lower half"
NO_ANSWER, NOBODY, EVERYBODY = "no model answered", "no model takes this option", "every model takes this option"
TINY = 1e-12


class Draw(NamedTuple):
    """What options draw; all (I, K).

    Attributes
    ----------
    takers
        Units with at least one trial on the option.
    share, upper, lower
        Mean share of trials over all units, and over the upper and the lower half of the units by ability.
    rest
        Correlation of a unit's share on the option with its score on the other items.
    """

    takers: IntArray
    share: FloatArray
    upper: FloatArray
    lower: FloatArray
    rest: FloatArray


def halves(ability: FloatArray) -> tuple[BoolArray, BoolArray]:
    """Return which units make the upper and the lower half; of an odd number the middle one is in neither."""
    order = np.argsort(-np.nan_to_num(ability, nan=-np.inf), kind="stable")
    n = int((~np.isnan(ability)).sum())
    upper, lower = np.zeros(ability.size, dtype=bool), np.zeros(ability.size, dtype=bool)
    if n >= 4:
        upper[order[: n // 2]], lower[order[n - n // 2 : n]] = True, True
    return upper, lower


def draw(answers: Answers, ability: FloatArray, rest: FloatArray) -> Draw:
    """Return what every option draws.

    Parameters
    ----------
    answers
        The answers.
    ability
        (U,) by which units are split into halves.
    rest
        (U, I) scores on the other items.
    """
    there = answers.there
    upper, lower = halves(ability)
    drawn = np.where(there[:, :, None], answers.shares, np.nan)
    options = range(answers.shares.shape[2])
    return Draw(
        (answers.shares > 0).sum(axis=0),
        _mean(answers.shares, there, np.ones(len(upper), dtype=bool)),
        _mean(answers.shares, there, upper),
        _mean(answers.shares, there, lower),
        np.column_stack([correlation(drawn[:, :, option], rest) for option in options]),
    )


def unused(answers: Answers, found: Draw) -> IntArray:
    """Return (I,) the number of wrong options that no unit took in any trial."""
    wrong = answers.offered & ~answers.right
    count: IntArray = (wrong & (found.takers == 0)).sum(axis=1).astype(np.int64)
    return count


def table(answers: Answers, found: Draw) -> pd.DataFrame:
    """Return one row per option of every item."""
    item, option = np.nonzero(answers.offered)
    n_units = answers.there.sum(axis=0)[item]
    share = found.share[item, option]
    why = np.select(
        [n_units == 0, np.isnan(found.upper[item, option]), share < TINY, share > 1 - TINY],
        [NO_ANSWER, TOO_FEW, NOBODY, EVERYBODY],
        "",
    )
    return pd.DataFrame(
        {
            "item": answers.items.index.to_numpy(dtype=object)[item],
            "option": option + 1,
            "is_key": answers.right[item, option],
            "n_units": n_units,
            "n_takers": found.takers[item, option],
            "share_mean": share,
            "share_upper": found.upper[item, option],
            "share_lower": found.lower[item, option],
            "option_rest": found.rest[item, option],
            "reason": why.astype(object),
        },
        columns=list(OPTIONS),
    )


def _mean(shares: FloatArray, there: BoolArray, units: BoolArray) -> FloatArray:
    n = there[units].sum(axis=0)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean: FloatArray = np.where(n > 0, shares[units].sum(axis=0) / np.maximum(n, 1), np.nan)
    return mean
