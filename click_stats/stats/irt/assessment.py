"""How well the model describes the answers: mean squares, predictive checks, dependence; and what the items tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.special import expit

from click_stats.stats import partition
from click_stats.stats.irt import conditional, posterior
from click_stats.stats.irt.dependence import Dependence, local_dependence
from click_stats.stats.irt.fit import mean_squares, predictive
from click_stats.stats.irt.information import item_information, standard_error
from click_stats.stats.tools.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.irt.data import Answers, Responses
    from click_stats.stats.irt.fit import MeanSquares
    from click_stats.stats.irt.marginal import Fit

FIT = (
    "check", "statistic", "df", "p_value", "observed", "predicted", "predicted_low", "predicted_high", "p_predictive",
    "n_units", "n_items", "method", "reason",
)  # fmt: skip
DEPENDENCE = (
    "item_a", "item_b", "category", "q3", "q3_star", "chance_high", "n_units", "p_value", "p_adjusted", "reason",
)  # fmt: skip
INFORMATION = ("by", "group", "ability", "information", "std_error", "n_items")

WITHIN = "mean Q3 of items on one passage"
ANDERSEN = "equal difficulties for models below and above the median score"
PREDICTIVE, PERMUTATION, ANDERSENS = (
    "posterior predictive", "passages permuted within categories", "conditional likelihood ratio (Andersen)",
)  # fmt: skip
PARTS_OF_TRIALS = "needs one trial per item"

WORK, MOST_DRAWS, FEWEST_DRAWS = 40_000_000, 200, 25
"""Cells of models by items that are drawn, and draws: fewer with more cells."""
BEYOND, POINTS = 2.0, 121
"""Information is given at so many abilities, from so far below the least able model to so far above the ablest."""
INFORMATION_DRAWS = 50


@dataclass(frozen=True)
class Assessment:
    """Fit of a model.

    Attributes
    ----------
    squares
        Mean squares of the items.
    fit, dependence, information
        Rows of the tables of these names.
    """

    squares: MeanSquares
    fit: pd.DataFrame
    dependence: pd.DataFrame
    information: pd.DataFrame


def assess(counts: Counts, answers: Answers, fit: Fit, *, level: float, seed: int) -> Assessment:
    """Compare the answers with the fitted model.

    Mean squares are those of the mean of the probabilities over draws from the posterior. Local dependence is that
    around abilities by category, without the passage effects that the model has for it.
    """
    responses = answers.responses
    number = int(np.clip(WORK // responses.correct.size, FEWEST_DRAWS, MOST_DRAWS))
    checked = predictive(
        responses.correct, responses.trials, probabilities(fit, responses, number, seed), responses.category,
        level=level, seed=seed,
    )  # fmt: skip
    mean = _mean(probabilities(fit, responses, number, seed))
    squares = mean_squares(responses.correct, responses.trials, mean)
    plain = _mean(probabilities(fit, responses, number, seed, passages=False))
    found = local_dependence(
        responses.correct, responses.trials, plain, answers.clusters, responses.category, seed=seed
    )
    shape = {"n_units": responses.correct.shape[0], "n_items": responses.correct.shape[1]}
    rows = [
        {
            "check": one.name, "observed": one.observed, "predicted": one.expected, "predicted_low": one.low,
            "predicted_high": one.high, "p_predictive": one.p_value, "method": PREDICTIVE, "reason": one.reason,
        } | shape
        for one in checked.checks
    ]  # fmt: skip
    rows += [_passages(found, shape["n_units"]), _andersen(responses)]
    return Assessment(
        squares, _frame(rows, FIT), _dependence(counts, answers, found), _information(counts, answers, fit, seed)
    )


def probabilities(
    fit: Fit, responses: Responses, number: int, seed: int, *, passages: bool = True
) -> Iterator[FloatArray]:
    """Yield (U, I) probabilities of a right answer under parameters drawn from the posterior.

    ``passages=False`` takes the models' levels in the category instead of those on the passage.
    """
    rng = np.random.default_rng(seed)
    difficulty, slope = posterior.draw(fit, responses, number, rng)
    known, place = fit.abilities, responses.leaf if passages else responses.category
    level, variance = (known.leaf, known.leaf_var) if passages else (known.category, known.category_var)
    for b, a in zip(difficulty, slope, strict=True):
        ability = level + np.sqrt(variance) * rng.standard_normal(level.shape)
        yield responses.floor + (1 - responses.floor) * expit(a * (ability[:, place] - b))


def _mean(draws: Iterator[FloatArray]) -> FloatArray:
    total, number = next(draws), 1
    for one in draws:
        total += one
        number += 1
    return total / number


def _passages(found: Dependence, n_units: int) -> dict[str, Any]:
    places = np.unique(np.concatenate([found.first, found.second]))
    return {
        "check": WITHIN, "p_value": found.within_p, "observed": found.within, "predicted": found.between,
        "n_units": n_units, "n_items": places.size, "method": PERMUTATION, "reason": found.reason,
    }  # fmt: skip


def _andersen(responses: Responses) -> dict[str, Any]:
    """Test on the items that every model answered, once."""
    row: dict[str, Any] = {"check": ANDERSEN, "method": ANDERSENS, "n_units": responses.correct.shape[0]}
    if responses.trials.max() > 1:
        return row | {"n_items": 0, "reason": PARTS_OF_TRIALS}
    complete = (responses.trials == 1).all(axis=0)
    found = conditional.andersen(responses.correct[:, complete].astype(np.int64))
    return row | {
        "statistic": found.statistic, "df": found.df if not found.reason else np.nan, "p_value": found.p_value,
        "n_items": int(found.kept.sum()), "reason": found.reason,
    }  # fmt: skip


def _dependence(counts: Counts, answers: Answers, found: Dependence) -> pd.DataFrame:
    table = counts.items.iloc[answers.items]
    keys, category = table.index.astype(str).to_numpy(), table["category"].to_numpy()
    frame = pd.DataFrame(
        {
            "item_a": keys[found.first], "item_b": keys[found.second], "category": category[found.first],
            "q3": found.q3, "q3_star": found.q3_star, "chance_high": found.chance_high - found.mean,
            "n_units": found.n_units, "p_value": found.p_value, "p_adjusted": benjamini_hochberg(found.p_value),
            "reason": found.reason,
        },
        columns=list(DEPENDENCE),
    )  # fmt: skip
    return frame.sort_values("q3_star", ascending=False, kind="stable", ignore_index=True)


def _information(counts: Counts, answers: Answers, fit: Fit, seed: int) -> pd.DataFrame:
    """Return the mean information over draws of the items' parameters, all items and each category, asked once."""
    responses = answers.responses
    level = fit.abilities.general
    ability = np.linspace(level.min() - BEYOND, level.max() + BEYOND, POINTS)
    difficulty, slope = posterior.draw(fit, responses, INFORMATION_DRAWS, np.random.default_rng(seed))
    total = np.zeros((POINTS, responses.floor.size))
    for b, a in zip(difficulty, slope, strict=True):
        total += item_information(ability, b, a, responses.floor) / INFORMATION_DRAWS
    part = counts.select(items=np.isin(np.arange(len(counts.items)), answers.items))
    parts = []
    for group in partition.groups(part, ["overall", "category"]):
        own = total[:, group.items].sum(axis=1)
        parts.append(
            pd.DataFrame(
                {
                    "by": group.by, "group": group.name, "ability": ability, "information": own,
                    "std_error": standard_error(own), "n_items": group.items.size,
                }
            )
        )  # fmt: skip
    return pd.concat(parts, ignore_index=True)[list(INFORMATION)]


def _frame(rows: list[dict[str, Any]], names: tuple[str, ...]) -> pd.DataFrame:
    frame = pd.DataFrame(rows).reindex(columns=list(names))
    frame["reason"] = frame["reason"].fillna("")
    return frame
