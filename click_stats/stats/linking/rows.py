"""New models on the fixed scale as tidy tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.irt.fit import mean_squares
from click_stats.stats.linking import ability as abilities
from click_stats.stats.linking.fit import Fit, correlation_in_cells, drift, person_fit
from click_stats.stats.tools.multiplicity import benjamini_hochberg, holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.linking.ability import Maximum, Posterior
    from click_stats.stats.linking.bank import Bank

ESTIMATES = (
    "unit", "n_items", "n_trials", "proportion_here", "linked_ability", "linked_ability_se", "linked_ability_low",
    "linked_ability_high", "ability_ml", "ability_ml_se", "information_here", "linked_score", "linked_score_se",
    "linked_score_low", "linked_score_high", "conf_level", "unit_infit", "unit_outfit", "fit_z", "p_fit",
    "p_fit_adjusted", "flag", "reason",
)  # fmt: skip
DRIFT = (
    "item", "category", "n_units", "proportion_here", "expected_here", "difficulty_fixed", "difficulty_shift",
    "difficulty_shift_se", "statistic", "p_value", "p_adjusted", "verdict", "reason",
)  # fmt: skip
LEFT_OUT = ("item", "reason")
TABLES = {"estimates": ESTIMATES, "drift": DRIFT, "left_out": LEFT_OUT}

EVERY_RIGHT = "every answer is right: no maximum of the likelihood, and no fit; the prior bounds the ability"
EVERY_WRONG = "every answer is wrong: no maximum of the likelihood, and no fit; the prior bounds the ability"
AT_THE_FLOOR = "no more right answers than guessing gives: no maximum of the likelihood, and no fit"
NO_COMMON = "no answer to an item of the scale"
MISFIT = "answers do not fit the scale"
FEW_ITEMS = "under {n} items: the prior counts for much"
FEW_ANSWERS = "fewer than 5 right or wrong answers are expected"
NO_SHIFT = "tested, but these models tell too little of the item for a shift"
FEWEST_ITEMS = 20
FEWEST_DRIFT = 5
"""Units below which drift of items is not looked at."""


class Settings(NamedTuple):
    """Parameters of the analysis, as there."""

    prior_mean: float
    prior_sd: float
    level: float
    alpha: float
    draws: int
    seed: int


class Linked(NamedTuple):
    """One unit: the items it answered (I,), its posterior, maximum and fit."""

    answered: np.ndarray
    posterior: Posterior
    maximum: Maximum
    fit: Fit


def correlation_of(bank: Bank, right: FloatArray, trials: FloatArray, settings: Settings) -> float:
    """Return how alike the answers of a unit to the same item are; 0 with one trial an item."""
    if trials.max(initial=0) <= 1:
        return 0.0
    means = [
        abilities.posterior(bank, y, n - y, settings.prior_mean, settings.prior_sd).mean
        for y, n in zip(right, trials, strict=True)
    ]
    return correlation_in_cells(right, trials, bank.probability(np.array(means)))


def link(bank: Bank, right: FloatArray, trials: FloatArray, correlation: float, settings: Settings) -> Linked:
    """Place one unit on the scale from its counts (I,)."""
    answered = np.flatnonzero(trials > 0)
    part, y, n = bank.of_items(answered), right[answered], trials[answered]
    worth = 1.0 / (1.0 + (n - 1.0) * correlation)  # a count of n alike answers is worth fewer (Williams 1982)
    found = abilities.posterior(part, y * worth, (n - y) * worth, settings.prior_mean, settings.prior_sd)
    best = abilities.maximum(part, y * worth, (n - y) * worth)
    known = np.isfinite(best.ability)
    fit = person_fit(part, y, n, best.ability, correlation) if known else Fit(np.nan, np.nan)
    return Linked(answered, found, best, fit)


def estimate_rows(
    units: Sequence[str], bank: Bank, right: FloatArray, trials: FloatArray, correlation: float, settings: Settings
) -> list[dict[str, Any]]:
    """Return one row for each unit."""
    rows = []
    tails = np.array([0.5 - 0.5 * settings.level, 0.5 + 0.5 * settings.level])
    for place, unit in enumerate(units):
        y, n = right[place], trials[place]
        row: dict[str, Any] = {
            "unit": unit, "n_items": int((n > 0).sum()), "n_trials": int(n.sum()), "conf_level": settings.level,
            "flag": "", "reason": "",
        }  # fmt: skip
        rows.append(row)
        if not row["n_items"]:
            row["reason"] = NO_COMMON
            continue
        linked = link(bank, y, n, correlation, settings)
        part = bank.of_items(linked.answered)
        y, n = y[linked.answered], n[linked.answered]
        found, best = linked.posterior, linked.maximum
        rng = np.random.default_rng([settings.seed, place])
        # Stratified draws of the ability: their quantiles vary less than those of independent ones.
        ability = found.quantile((rng.permutation(settings.draws) + rng.random(settings.draws)) / settings.draws)
        score = bank.whole_scores(ability, rng)
        ends = found.quantile(tails)
        low, high = np.quantile(score, tails)
        worth = n / (1.0 + (n - 1.0) * correlation)
        at = best.ability if np.isfinite(best.ability) else found.mean
        row |= {
            "proportion_here": float((y / n).mean()), "linked_ability": found.mean, "linked_ability_se": found.sd,
            "linked_ability_low": float(ends[0]), "linked_ability_high": float(ends[1]), "ability_ml": best.ability,
            "ability_ml_se": best.std_error, "information_here": abilities.information(part, worth, at),
            "linked_score": float(score.mean()), "linked_score_se": float(score.std()), "linked_score_low": float(low),
            "linked_score_high": float(high),
        }  # fmt: skip
        if np.isfinite(best.ability):
            p = part.probability(np.array([best.ability]))
            squares = mean_squares(y[None], n[None], p, axis=1)
            row |= {
                "unit_infit": float(squares.infit[0]), "unit_outfit": float(squares.outfit[0]), "fit_z": linked.fit.z,
                "p_fit": linked.fit.p_value,
            }  # fmt: skip
        else:
            row["reason"] = EVERY_RIGHT if not (n - y).sum() else EVERY_WRONG if not y.sum() else AT_THE_FLOOR
    for row, p in zip(rows, holm([row.get("p_fit", np.nan) for row in rows]), strict=True):
        row["p_fit_adjusted"] = p
        flags = [MISFIT] if p < settings.alpha else []
        if 0 < row["n_items"] < FEWEST_ITEMS:
            flags.append(FEW_ITEMS.format(n=FEWEST_ITEMS))
        row["flag"] = "; ".join(flags)
    return rows


def drift_rows(
    items: pd.DataFrame,
    bank: Bank,
    right: FloatArray,
    trials: FloatArray,
    rows: Sequence[dict[str, Any]],
    correlation: float,
    alpha: float,
) -> list[dict[str, Any]]:
    """Return one row for each item that some of the new units answered; none with fewer than five units."""
    known = np.array([row["n_items"] > 0 for row in rows], dtype=bool)
    if known.sum() < FEWEST_DRIFT:
        return []
    means = np.array([row["linked_ability"] for row, there in zip(rows, known, strict=True) if there])
    found = drift(bank, right[known], trials[known], means, correlation)
    adjusted = benjamini_hochberg(found.p_value)
    made = []
    for k, (item, category) in enumerate(zip(items.index, items["category"], strict=True)):
        if not found.n_units[k]:
            continue
        tested = bool(np.isfinite(found.z[k]))
        made.append(
            {
                "item": str(item), "category": category, "n_units": int(found.n_units[k]),
                "proportion_here": found.observed[k], "expected_here": found.expected[k],
                "difficulty_fixed": bank.difficulty[k], "difficulty_shift": found.shift[k],
                "difficulty_shift_se": found.std_error[k], "statistic": found.z[k], "p_value": found.p_value[k],
                "p_adjusted": adjusted[k],
                "verdict": (SEPARATED if adjusted[k] < alpha else NOT_SEPARATED) if tested else NOT_DECIDED,
                "reason": FEW_ANSWERS if not tested else "" if np.isfinite(found.shift[k]) else NO_SHIFT,
            }
        )  # fmt: skip
    return made


def frames(**rows: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    """Return the tables of the result, those without rows empty."""
    made = {}
    for name, columns in TABLES.items():
        frame = pd.DataFrame(rows.get(name, [])).reindex(columns=list(columns))
        whole = [column for column in ("n_items", "n_trials", "n_units") if column in columns]
        made[name] = frame.astype(dict.fromkeys(whole, "Int64"))
    return made
