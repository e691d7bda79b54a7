"""The fit as tidy tables: items, abilities, groups of items, and what the model adds over raw proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats import partition
from click_stats.stats.irt.ranks import Ranks, ranks

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.irt.data import Answers
    from click_stats.stats.irt.fit import MeanSquares
    from click_stats.stats.irt.fitted import Fitted, Parameter

ESTIMATES = (
    "item", "category", "source", "n_units", "n_trials", "proportion", "difficulty", "difficulty_se", "difficulty_low",
    "difficulty_high", "discrimination", "discrimination_se", "discrimination_low", "discrimination_high", "floor",
    "estimable", "rank", "rank_low", "rank_high", "infit", "outfit", "flag", "conf_level", "method", "reason",
)  # fmt: skip
ABILITIES = (
    "unit", "by", "group", "ability", "std_error", "conf_low", "conf_high", "conf_level", "n_items", "n_trials", "flag",
    "reason",
)  # fmt: skip
GROUPS = (
    "by", "group", "n_items", "n_items_estimable", "proportion", "difficulty", "std_error", "difficulty_low",
    "difficulty_high", "difficulty_sd", "conf_level", "reason",
)  # fmt: skip
FIT = (
    "check", "statistic", "df", "p_value", "observed", "predicted", "predicted_low", "predicted_high", "p_predictive",
    "n_units", "n_items", "method", "reason",
)  # fmt: skip
COMPARISON = ("measure", "group", "correlation", "n_items", "reason")

RIGHT, WRONG = "every answer is right", "every answer is wrong"
NOT_ESTIMABLE = "not estimable from data: {why}; the interval is that of the prior, given that"
EXTREME = "all right or all wrong: the prior bounds the ability"
NO_ABILITY = "all right or all wrong: no finite ability"
UNSEEN = "no answer in this category: from the other categories and the prior"
ONE_ITEM, NO_ITEM = "one item", "no item with a difficulty"
UNANSWERED = "no answer counted"
IRREGULAR, REGULAR = "less regular than the model", "more regular than the model"


@dataclass(frozen=True)
class Items:
    """What is stated of the items that were answered, all (I,); ``slope`` is None in the 1PL."""

    difficulty: Parameter
    slope: Parameter | None
    ranks: Ranks
    estimable: np.ndarray
    squares: MeanSquares
    flags: tuple[str, ...]
    reasons: tuple[str, ...]


def summarise(answers: Answers, fitted: Fitted, squares: MeanSquares, flags: tuple[str, ...], level: float) -> Items:
    """Return what is stated of items: of those all right or all wrong no rank, and a reason."""
    right, shown = answers.responses.correct.sum(axis=0), answers.responses.trials.sum(axis=0)
    known = np.isfinite(fitted.difficulty.mean)
    estimable = (right > 0) & (right < shown) & known
    reasons = tuple(
        reason or ("" if good else NOT_ESTIMABLE.format(why=RIGHT if all_right else WRONG))
        for reason, good, all_right in zip(fitted.reasons, estimable, right == shown, strict=True)
    )
    drawn = None if fitted.draws is None else fitted.draws.difficulty
    placed = ranks(fitted.difficulty.mean, drawn, estimable, level)
    return Items(fitted.difficulty, fitted.slope, placed, estimable, squares, flags, reasons)


def item_rows(counts: Counts, answers: Answers, items: Items, level: float, method: str) -> pd.DataFrame:
    """Return one row per item of the counts; items that nobody answered have a reason."""
    responses, table = answers.responses, counts.items
    right, shown = responses.correct.sum(axis=0), responses.trials.sum(axis=0)
    own: dict[str, Any] = {
        "n_units": (responses.trials > 0).sum(axis=0),
        "n_trials": shown.astype(np.int64),
        "proportion": right / shown,
    }
    own |= _parameter("difficulty", items.difficulty)
    if items.slope is not None:
        own |= _parameter("discrimination", items.slope)
    own |= {
        "floor": responses.floor, "estimable": items.estimable, "rank": items.ranks.rank,
        "rank_low": items.ranks.low, "rank_high": items.ranks.high, "infit": items.squares.infit,
        "outfit": items.squares.outfit, "flag": items.flags, "conf_level": level, "method": method,
        "reason": items.reasons,
    }  # fmt: skip
    answered = pd.DataFrame(own, index=table.index[answers.items])
    frame = answered.reindex(table.index).assign(
        item=table.index.astype(str), category=table["category"], source=table.get("source", "")
    )
    nobody = frame["n_units"].isna()
    frame.loc[nobody, ["n_units", "n_trials"]] = 0
    frame.loc[nobody, "reason"] = UNANSWERED
    frame["flag"] = frame["flag"].fillna("")
    frame["method"] = frame["method"].fillna("")
    frame["estimable"] = frame["estimable"].fillna(value=False).astype(bool)
    whole = dict.fromkeys(("n_units", "n_trials", "rank", "rank_low", "rank_high"), "Int64")
    return frame.reindex(columns=list(ESTIMATES)).astype(whole).reset_index(drop=True)


def _parameter(name: str, values: Parameter) -> dict[str, FloatArray]:
    return {name: values.mean, f"{name}_se": values.sd, f"{name}_low": values.low, f"{name}_high": values.high}


def ability_rows(answers: Answers, fitted: Fitted, level: float) -> pd.DataFrame:
    """Return abilities of every unit, overall and by category, with their intervals."""
    responses = answers.responses
    everything = np.ones(responses.correct.shape[1], dtype=bool)
    kinds = [("overall", "all items", everything, [one[:, None] for one in fitted.general], 0)]
    if fitted.category is not None:
        kinds += [
            ("category", name, responses.category == c, list(fitted.category), c)
            for c, name in enumerate(answers.categories)
        ]
    rows: list[dict[str, Any]] = []
    for u, unit in enumerate(answers.units):
        for by, group, items, values, column in kinds:
            ability, error, low, high = (float(one[u, column]) for one in values)
            right, shown = responses.correct[u, items].sum(), responses.trials[u, items].sum()
            rows.append(
                {
                    "unit": unit, "by": by, "group": group, "ability": ability, "std_error": error, "conf_low": low,
                    "conf_high": high, "conf_level": level, "n_items": int((responses.trials[u, items] > 0).sum()),
                    "n_trials": int(shown), "flag": UNSEEN if shown == 0 else EXTREME if right in {0, shown} else "",
                    "reason": "" if np.isfinite(ability) else NO_ABILITY,
                }
            )  # fmt: skip
    rows += [
        {"unit": unit, "by": "overall", "group": "all items", "reason": why} for unit, why in answers.left_out.items()
    ]
    frame = pd.DataFrame(rows).reindex(columns=list(ABILITIES))
    frame["flag"] = frame["flag"].fillna("")
    return frame.astype(dict.fromkeys(("n_items", "n_trials"), "Int64"))


def group_rows(counts: Counts, answers: Answers, items: Items, level: float) -> pd.DataFrame:
    """Return mean and spread of difficulty by category and by source."""
    part = counts.select(items=np.isin(np.arange(len(counts.items)), answers.items))
    by = [name for name in ("overall", "category", "source") if name == "overall" or name in part.items]
    responses = answers.responses
    raw = responses.correct.sum(axis=0) / responses.trials.sum(axis=0)
    rows: list[dict[str, Any]] = []
    for group in partition.groups(part, by):
        known = group.items[np.isfinite(items.difficulty.mean[group.items])]
        center, error = items.difficulty.mean[known], items.difficulty.sd[known]
        n = known.size
        row: dict[str, Any] = {
            "by": group.by, "group": group.name, "n_items": group.items.size,
            "n_items_estimable": int(items.estimable[group.items].sum()),
            "proportion": float(raw[group.items].mean()), "difficulty": float(center.mean()) if n else np.nan,
            "conf_level": level,
        }  # fmt: skip
        if n > 1:
            # Var between items = Var of posterior means + mean posterior variance, for items drawn from the group.
            spread = float(center.var(ddof=1) + (error**2).mean())
            row["difficulty_sd"] = float(np.sqrt(spread))
            row["std_error"] = float(np.sqrt(spread / n))
            half = float(stats.t.ppf(0.5 + 0.5 * level, n - 1)) * row["std_error"]
            row |= {"difficulty_low": row["difficulty"] - half, "difficulty_high": row["difficulty"] + half}
        row["reason"] = "" if n > 1 else ONE_ITEM if n else NO_ITEM
        rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(GROUPS))


def comparison_rows(counts: Counts, answers: Answers, items: Items) -> pd.DataFrame:
    """Return rank correlations of the raw proportion wrong with difficulty, over all items and within categories."""
    part = counts.select(items=np.isin(np.arange(len(counts.items)), answers.items))
    raw = answers.responses.correct.sum(axis=0) / answers.responses.trials.sum(axis=0)
    rows: list[dict[str, Any]] = []
    for group in partition.groups(part, ["overall", "category"] if len(answers.categories) > 1 else ["overall"]):
        chosen = group.items[items.estimable[group.items]]
        # Items of one score have one difficulty, whatever their last digits say.
        wrong, center = np.round(1.0 - raw[chosen], 9), np.round(items.difficulty.mean[chosen], 6)
        varied = chosen.size > 2 and np.ptp(wrong) > 0 and np.ptp(center) > 0
        rows.append(
            {
                "measure": "rank correlation of difficulty with the share wrong", "group": group.name,
                "correlation": float(stats.spearmanr(wrong, center).statistic) if varied else np.nan,
                "n_items": chosen.size,
                "reason": "" if varied else "fewer than three estimable items, or all equal",
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=list(COMPARISON))


def fit_rows(found: list[dict[str, Any]], answers: Answers) -> pd.DataFrame:
    """Return comparisons of the model with others as rows of the table of fit."""
    n_units, n_items = answers.responses.correct.shape
    rows = [{"n_units": n_units, "n_items": n_items, "reason": ""} | row for row in found]
    return pd.DataFrame(rows).reindex(columns=list(FIT))
