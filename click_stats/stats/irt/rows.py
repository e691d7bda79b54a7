"""The fit as tidy tables: items, abilities, groups of items, and what the model adds over raw proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats import partition
from click_stats.stats.irt import posterior

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.irt.data import Answers
    from click_stats.stats.irt.fit import MeanSquares
    from click_stats.stats.irt.marginal import Fit
    from click_stats.stats.irt.posterior import Parameter, Ranks

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
COMPARISON = ("measure", "group", "correlation", "n_items", "reason")

RIGHT, WRONG = "every answer is right", "every answer is wrong"
NOT_ESTIMABLE = "not estimable from data: {why}; the interval is that of the prior, given that"
EXTREME = "all right or all wrong: the prior bounds the ability"
UNSEEN = "no answer in this category: from the other categories and the prior"
RANK_DRAWS = 1000


@dataclass(frozen=True)
class Items:
    """Parameters of the items that were fitted, all (I,); ``slope`` is None in the 1PL."""

    difficulty: Parameter
    slope: Parameter | None
    ranks: Ranks
    estimable: np.ndarray
    infit: FloatArray
    outfit: FloatArray


def estimable(answers: Answers) -> np.ndarray:
    """Return whether the answers to each item are neither all right nor all wrong."""
    right, shown = answers.responses.correct.sum(axis=0), answers.responses.trials.sum(axis=0)
    return np.asarray((right > 0) & (right < shown))


def item_rows(counts: Counts, answers: Answers, items: Items, level: float, method: str) -> pd.DataFrame:
    """Return one row per item of the counts; items that nobody answered have a reason."""
    responses, place = answers.responses, answers.items
    table = counts.items.iloc[place]
    right, shown = responses.correct.sum(axis=0), responses.trials.sum(axis=0)
    why = np.where(right == shown, RIGHT, WRONG)
    own: dict[str, Any] = {
        "item": table.index.astype(str),
        "category": table["category"].to_numpy(),
        "source": table["source"].to_numpy() if "source" in table else "",
        "n_units": (responses.trials > 0).sum(axis=0),
        "n_trials": shown.astype(np.int64),
        "proportion": right / shown,
    }
    own |= _parameter("difficulty", items.difficulty)
    if items.slope is not None:
        own |= _parameter("discrimination", items.slope)
    own |= {
        "floor": responses.floor,
        "estimable": items.estimable,
        "rank": items.ranks.rank,
        "rank_low": items.ranks.low,
        "rank_high": items.ranks.high,
        "infit": items.infit,
        "outfit": items.outfit,
        "flag": "",
        "conf_level": level,
        "method": method,
        "reason": [
            "" if good else NOT_ESTIMABLE.format(why=cause) for good, cause in zip(items.estimable, why, strict=True)
        ],
    }
    frame = pd.DataFrame(own).reindex(columns=list(ESTIMATES))
    for name in ("rank", "rank_low", "rank_high"):
        frame[name] = frame[name].astype("Int64")
    return frame


def _parameter(name: str, values: Parameter) -> dict[str, FloatArray]:
    return {name: values.mean, f"{name}_se": values.sd, f"{name}_low": values.low, f"{name}_high": values.high}


def ability_rows(answers: Answers, fit: Fit, level: float) -> pd.DataFrame:
    """Return abilities of every unit, overall and by category, with central intervals of their normal posteriors."""
    responses = answers.responses
    names = answers.categories if responses.n_categories == len(answers.categories) else ()
    z = float(stats.norm.ppf(0.5 + 0.5 * level))
    rows: list[dict[str, Any]] = []
    everything = np.ones(responses.correct.shape[1], dtype=bool)
    several = len(names) > 1
    for u, unit in enumerate(answers.units):
        found = [("overall", "all items", everything, fit.abilities.general[u], fit.abilities.general_var[u])]
        if several:
            found += [
                ("category", name, responses.category == c, fit.abilities.category[u, c],
                 fit.abilities.category_var[u, c])
                for c, name in enumerate(names)
            ]  # fmt: skip
        for by, group, items, mean, variance in found:
            right, shown = responses.correct[u, items].sum(), responses.trials[u, items].sum()
            error = float(np.sqrt(variance))
            rows.append(
                {
                    "unit": unit, "by": by, "group": group, "ability": float(mean), "std_error": error,
                    "conf_low": mean - z * error, "conf_high": mean + z * error, "conf_level": level,
                    "n_items": int((responses.trials[u, items] > 0).sum()), "n_trials": int(shown),
                    "flag": UNSEEN if shown == 0 else EXTREME if right in {0, shown} else "", "reason": "",
                }
            )  # fmt: skip
    rows += [{"unit": unit, "by": "overall", "group": "all items", "reason": why}
             for unit, why in answers.left_out.items()]  # fmt: skip
    frame = pd.DataFrame(rows).reindex(columns=list(ABILITIES))
    for name in ("n_items", "n_trials"):
        frame[name] = frame[name].astype("Int64")
    frame["flag"] = frame["flag"].fillna("")
    return frame


def group_rows(counts: Counts, answers: Answers, items: Items, level: float) -> pd.DataFrame:
    """Return mean and spread of difficulty by category and by source."""
    part = counts.select(items=np.isin(np.arange(len(counts.items)), answers.items))
    by = [name for name in ("overall", "category", "source") if name == "overall" or name in part.items]
    responses = answers.responses
    raw = responses.correct.sum(axis=0) / responses.trials.sum(axis=0)
    rows: list[dict[str, Any]] = []
    for group in partition.groups(part, by):
        center, error = items.difficulty.mean[group.items], items.difficulty.sd[group.items]
        n = center.size
        row: dict[str, Any] = {
            "by": group.by, "group": group.name, "n_items": n,
            "n_items_estimable": int(items.estimable[group.items].sum()),
            "proportion": float(raw[group.items].mean()), "difficulty": float(center.mean()), "conf_level": level,
        }  # fmt: skip
        if n > 1:
            # Var between items = Var of posterior means + mean posterior variance, for items drawn from the group.
            spread = float(center.var(ddof=1) + (error**2).mean())
            row["difficulty_sd"] = float(np.sqrt(spread))
            row["std_error"] = float(np.sqrt(spread / n))
            half = float(stats.t.ppf(0.5 + 0.5 * level, n - 1)) * row["std_error"]
            row |= {"difficulty_low": row["difficulty"] - half, "difficulty_high": row["difficulty"] + half}
        row["reason"] = "" if n > 1 else "one item"
        rows.append(row)
    return pd.DataFrame(rows).reindex(columns=list(GROUPS))


def comparison_rows(counts: Counts, answers: Answers, items: Items) -> pd.DataFrame:
    """Return rank correlations of the raw proportion wrong with difficulty, over all items and within categories."""
    part = counts.select(items=np.isin(np.arange(len(counts.items)), answers.items))
    raw = answers.responses.correct.sum(axis=0) / answers.responses.trials.sum(axis=0)
    rows: list[dict[str, Any]] = []
    for group in partition.groups(part, ["overall", "category"] if len(answers.categories) > 1 else ["overall"]):
        chosen = group.items[items.estimable[group.items]]
        wrong, center = 1.0 - raw[chosen], items.difficulty.mean[chosen]
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


def summarise(answers: Answers, fit: Fit, squares: MeanSquares, level: float, seed: int) -> Items:
    """Return what is stated of items."""
    responses = answers.responses
    good = estimable(answers)
    center = posterior.difficulty(fit, responses, level)
    drawn, _ = posterior.draw(fit, responses, RANK_DRAWS, np.random.default_rng(seed))
    return Items(
        center,
        posterior.discrimination(fit, level) if fit.prior.slope_sd > 0 else None,
        posterior.ranks(center.mean, drawn, good, level),
        good,
        squares.infit,
        squares.outfit,
    )
