"""How well the model describes the answers: mean squares, predictive checks, dependence; and what the items tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from click_stats.stats import partition
from click_stats.stats.irt import conditional
from click_stats.stats.irt.dependence import Dependence, local_dependence
from click_stats.stats.irt.fit import Predictive, mean_squares, predictive
from click_stats.stats.irt.fitted import probability
from click_stats.stats.irt.information import item_information, standard_error
from click_stats.stats.irt.rows import FIT, IRREGULAR, REGULAR
from click_stats.stats.tools.multiplicity import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click_stats.counts import Counts, FloatArray
    from click_stats.stats.irt.data import Answers, Responses
    from click_stats.stats.irt.fit import MeanSquares
    from click_stats.stats.irt.fitted import Draws, Fitted

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
TINY = 1e-9
FLAGGED = 0.01
"""Share of replicates on either side beyond which the infit of an item is flagged."""


@dataclass(frozen=True)
class Assessment:
    """Fit of a model.

    Attributes
    ----------
    squares, flags
        Mean squares of the items, and what is unusual about that of an item, 1 in 50 if the model is true.
    fit, dependence, information
        Rows of the tables of these names.
    """

    squares: MeanSquares
    flags: tuple[str, ...]
    fit: pd.DataFrame
    dependence: pd.DataFrame
    information: pd.DataFrame


def assess(
    counts: Counts, answers: Answers, weighed: Responses, fitted: Fitted, *, dispersion: float, level: float, seed: int
) -> Assessment:
    """Compare the answers with the fitted model.

    Mean squares are those of the mean of the probabilities over draws from the posterior, for the ``weighed`` counts.
    Replicated counts have the correlation ``dispersion`` within a cell. Local dependence is that around abilities by
    category, without the passage effects that the model has for it. Without draws (conditional likelihood) there are no
    predictive checks.
    """
    responses, draws = answers.responses, fitted.draws
    number = int(np.clip(WORK // responses.correct.size, FEWEST_DRAWS, MOST_DRAWS))
    checked = Predictive((), np.full(responses.floor.size, np.nan), 0)
    mean = plain = fitted.probability
    if draws is not None:
        replicated = scattered(probabilities(draws, weighed, number), dispersion, seed)
        checked = predictive(
            responses.correct, responses.trials, replicated, responses.category, level=level, seed=seed
        )
        mean = _mean(probabilities(draws, weighed, number))
        plain = _mean(probabilities(draws, weighed, number, passages=False))
    squares = mean_squares(weighed.correct, weighed.trials, mean)
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
        squares, _flags(checked.infit_p), _frame(rows, FIT), _dependence(counts, answers, found),
        _information(counts, answers, fitted),
    )  # fmt: skip


def _flags(infit_p: FloatArray) -> tuple[str, ...]:
    """Return what is unusual about the infit of each item, from the share of replicates at least as large."""
    return tuple(IRREGULAR if p <= FLAGGED else REGULAR if p >= 1 - FLAGGED else "" for p in infit_p)


def probabilities(draws: Draws, responses: Responses, number: int, *, passages: bool = True) -> Iterator[FloatArray]:
    """Yield (U, I) probabilities of a right answer under ``number`` of the draws.

    ``passages=False`` takes the models' levels in the category instead of those on the passage.
    """
    for k in draws.some(number):
        ability = draws.leaf[k][:, responses.leaf] if passages else draws.category[k][:, responses.category]
        yield np.clip(probability(responses.floor, ability, draws.difficulty[k], draws.slope[k]), TINY, 1 - TINY)


def scattered(draws: Iterator[FloatArray], correlation: float, seed: int) -> Iterator[FloatArray]:
    """Yield beta variables around the probabilities, so that counts have this correlation of answers in a cell."""
    rng = np.random.default_rng([seed, 1])
    for p in draws:
        if correlation <= 0:
            yield p
        else:
            total = 1 / min(correlation, 1 - TINY) - 1
            yield np.clip(rng.beta(np.maximum(p * total, TINY), np.maximum((1 - p) * total, TINY)), TINY, 1 - TINY)


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


def _information(counts: Counts, answers: Answers, fitted: Fitted) -> pd.DataFrame:
    """Return the mean information over draws of the items' parameters, all items and each category, asked once."""
    floor, level = answers.responses.floor, fitted.general.mean
    ability = np.linspace(np.nanmin(level) - BEYOND, np.nanmax(level) + BEYOND, POINTS)
    total = np.zeros((POINTS, floor.size))
    if fitted.draws is None:
        slope = 1.0 if fitted.slope is None else fitted.slope.mean
        total += np.nan_to_num(item_information(ability, fitted.difficulty.mean, slope, floor))
    else:
        chosen = fitted.draws.some(INFORMATION_DRAWS)
        for k in chosen:
            b, a = fitted.draws.difficulty[k], fitted.draws.slope[k]
            total += item_information(ability, b, a, floor) / chosen.size
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
