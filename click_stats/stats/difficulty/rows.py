"""The fits as tidy tables: coefficients, tests of terms, variance explained, differences between groups of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import expit

from click_stats.stats.difficulty.interactions import compared, departures, slopes
from click_stats.stats.difficulty.model import score_change, wald
from click_stats.stats.difficulty.variance import TERMS, shares, unique_share
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.glmm.data import CELL
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.dif.groups import Contrast
    from click_stats.stats.difficulty.model import Answers
    from click_stats.stats.difficulty.terms import Column, Design
    from click_stats.stats.glmm import GlmmFit

ESTIMATES = (
    "term", "term_level", "base", "difficulty_effect", "difficulty_effect_se", "difficulty_effect_low",
    "difficulty_effect_high", "conf_level", "statistic", "p_value", "p_adjusted", "verdict", "score_change",
    "score_change_low", "score_change_high", "n_items", "reason",
)  # fmt: skip
TESTS = ("term", "statistic", "df", "p_value", "p_adjusted", "verdict", "unique_share", "reason")
VARIANCE = (
    "component", "sd_without", "sd_logit", "variance_share", "share_low", "share_high", "conf_level", "n_items",
    "reason",
)  # fmt: skip
INTERACTIONS = (
    "contrast", "group_reference", "group_focal", "n_reference", "n_focal", "term", "term_level", "base",
    "difficulty_effect", "difficulty_effect_se", "df", "difficulty_effect_low", "difficulty_effect_high", "p_value",
    "p_adjusted", "verdict", "slope_reference", "slope_focal", "estimate", "std_error", "conf_low", "conf_high",
    "conf_level", "reason",
)  # fmt: skip
TABLES = {"estimates": ESTIMATES, "tests": TESTS, "variance": VARIANCE, "interactions": INTERACTIONS}

ALL_RIGHT, ALL_WRONG = "every answer here is right: no finite effect", "every answer here is wrong: no finite effect"
SEPARATED_TOGETHER = "no finite effect: with the other terms it tells items apart that every model answers alike"
NO_COEFFICIENT = "no level or number of it has a finite effect of its own"
NOT_IN_NULL = "not in the model without terms"
NO_SPREAD = "no spread between the models"
FEW_SLOPES = "too few models answered enough items to tell the terms apart"


@dataclass(frozen=True)
class Fits:
    """What was fitted, to what.

    Attributes
    ----------
    design, answers
        Columns of the items that take part, and the counts.
    full, plain
        The fits with and without the columns; ``full`` is None where no column has a coefficient.
    level, alpha, seed
        Confidence level, level of the tests, seed of the draws.
    """

    design: Design
    answers: Answers
    full: GlmmFit | None
    plain: GlmmFit
    level: float
    alpha: float
    seed: int

    @property
    def beta(self) -> FloatArray:
        """Coefficients of the columns used (logits of a right answer), without the intercept."""
        return np.zeros(0) if self.full is None else self.full.beta[1:]

    @property
    def covariance(self) -> FloatArray:
        """Their covariance."""
        return np.zeros((0, 0)) if self.full is None else self.full.vcov[1:, 1:]

    def verdict(self, p_adjusted: float) -> str:
        """Return the verdict of a test that has been corrected."""
        if not np.isfinite(p_adjusted):
            return NOT_DECIDED
        return SEPARATED if p_adjusted < self.alpha else NOT_SEPARATED


def estimate_rows(fits: Fits) -> list[dict[str, Any]]:
    """Return one row for each column, those without a coefficient with the reason. Difficulty is minus the logit."""
    quantile = float(stats.norm.ppf(0.5 + 0.5 * fits.level))
    item = np.nonzero(fits.answers.trials > 0)[1]
    rows = []
    place = 0
    for column in fits.design.columns:
        row: dict[str, Any] = {
            "term": column.term, "term_level": column.level, "base": column.base, "conf_level": fits.level,
            "n_items": _n_items(column), "reason": column.reason,
        }  # fmt: skip
        if not column.reason:
            assert fits.full is not None
            beta, error = float(fits.beta[place]), float(fits.full.se[1 + place])
            place += 1
            if np.isfinite(beta):
                z = beta / error
                ends = beta - quantile * error, beta + quantile * error
                changes = score_change(
                    fits.full.fitted, column.coded[item], np.array([beta, *ends]), indicator=bool(column.level)
                )
                row |= {
                    "difficulty_effect": -beta, "difficulty_effect_se": error, "difficulty_effect_low": -ends[1],
                    "difficulty_effect_high": -ends[0], "statistic": -z, "p_value": 2 * float(stats.norm.sf(abs(z))),
                    "score_change": changes[0], "score_change_low": changes[1], "score_change_high": changes[2],
                }  # fmt: skip
            else:
                row["reason"] = _why_infinite(fits.answers, column)
        rows.append(row)
    return _tested(fits, rows)


def _n_items(column: Column) -> int:
    if column.level:
        return int(column.coded.sum()) if column.level != column.base else len(column.coded)
    return 0 if column.reason and not column.coded.any() else len(column.coded)


def _why_infinite(answers: Answers, column: Column) -> str:
    inside = column.coded == 1 if column.level else np.zeros(len(column.coded), dtype=bool)
    right, trials = answers.correct[:, inside].sum(), answers.trials[:, inside].sum()
    if inside.any() and right == trials:
        return ALL_RIGHT
    return ALL_WRONG if inside.any() and right == 0 else SEPARATED_TOGETHER


def _tested(fits: Fits, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add corrected p-values (Holm) and verdicts."""
    adjusted = holm([row.get("p_value", np.nan) for row in rows])
    return [row | {"p_adjusted": p, "verdict": fits.verdict(p)} for row, p in zip(rows, adjusted, strict=True)]


def test_rows(fits: Fits, terms: Sequence[str], total: float) -> list[dict[str, Any]]:
    """Return one row for each term: joint Wald test and unique share of the variance ``total`` of difficulties."""
    used = fits.design.used
    rows = []
    for term in terms:
        places = [place for place, column in enumerate(used) if column.term == term]
        found = wald(fits.beta, fits.covariance, places)
        own = [column.reason for column in fits.design.columns if column.term == term]
        row: dict[str, Any] = {"term": term, "reason": ""}
        if found.df:
            row |= found._asdict()
            row["unique_share"] = unique_share(fits.beta, fits.covariance, fits.design.matrix, places, total)
        else:
            row["reason"] = own[0] if len(own) == 1 and own[0] else NO_COEFFICIENT
        rows.append(row)
    return _tested(fits, rows)


def variance_rows(fits: Fits) -> list[dict[str, Any]]:
    """Return the standard deviation of difficulties without and with the terms, and the share that is theirs."""
    found = shares(fits.full or fits.plain, fits.design.matrix, fits.level, fits.seed)
    rows = []
    for name, share in found.items():
        if name == TERMS and fits.full is None:
            continue
        own = name != TERMS
        rows.append(
            {
                "component": name, "sd_without": fits.plain.sd[fits.plain.random.index(name)] if own else np.nan,
                "sd_logit": share.sd, "variance_share": share.share, "share_low": share.low, "share_high": share.high,
                "conf_level": fits.level, "n_items": len(fits.answers.cluster), "reason": "" if own else NOT_IN_NULL,
            }
        )  # fmt: skip
    return rows


def interaction_rows(fits: Fits, sides: Contrast) -> list[dict[str, Any]]:
    """Return differences between two groups of models, one row for each column; one with the reason if none."""
    lead: dict[str, Any] = {
        "contrast": sides.fact, "group_reference": sides.reference, "group_focal": sides.focal,
        "conf_level": fits.level,
    }  # fmt: skip
    if sides.reason or fits.full is None:
        return [lead | {"verdict": NOT_DECIDED, "reason": sides.reason or NO_COEFFICIENT}]
    matrix, (correct, trials) = fits.design.matrix, fits.answers[:2]
    with np.errstate(invalid="ignore"):
        scores = np.where(trials > 0, correct / trials, np.nan)[sides.units]
    own = departures(correct[sides.units], trials[sides.units], _expected(fits)[sides.units], matrix)
    present = np.isfinite(own).all(axis=1)
    sizes = {
        "n_reference": int((present & (sides.member == 0)).sum()), "n_focal": int((present & (sides.member == 1)).sum())
    }  # fmt: skip
    easier, points = compared(own, sides.member), compared(slopes(scores, matrix), sides.member)
    wide, narrow = (stats.t.ppf(0.5 + 0.5 * fits.level, one.df) * one.std_error for one in (easier, points))
    why = NO_SPREAD if min(sizes.values()) > 1 else FEW_SLOPES
    rows = [
        {
            **lead, **sizes, "term": column.term, "term_level": column.level, "base": column.base,
            "difficulty_effect": -easier.estimate[k], "difficulty_effect_se": easier.std_error[k], "df": easier.df[k],
            "difficulty_effect_low": -easier.estimate[k] - wide[k],
            "difficulty_effect_high": -easier.estimate[k] + wide[k], "p_value": easier.p_value[k],
            "slope_reference": points.reference[k], "slope_focal": points.focal[k], "estimate": points.estimate[k],
            "std_error": points.std_error[k], "conf_low": points.estimate[k] - narrow[k],
            "conf_high": points.estimate[k] + narrow[k], "reason": "" if np.isfinite(easier.std_error[k]) else why,
        }
        for k, column in enumerate(fits.design.used)
    ]  # fmt: skip
    return _tested(fits, rows)


def _expected(fits: Fits) -> FloatArray:
    """Return (U, I) fitted probabilities without effects of single cells, NaN where there is no answer."""
    assert fits.full is not None
    places = np.nonzero(fits.answers.trials > 0)
    with np.errstate(divide="ignore"):
        logit = np.log(fits.full.fitted) - np.log1p(-fits.full.fitted)
    if CELL in fits.full.modes:
        mode = fits.full.modes[CELL]
        logit[mode.index.to_numpy()] -= mode.to_numpy()
    found = np.full(fits.answers.trials.shape, np.nan)
    found[places] = expit(logit)
    return found


def frames(**rows: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    """Return the tables of the result, those without rows empty."""
    made = {}
    for name, columns in TABLES.items():
        frame = pd.DataFrame(rows.get(name, [])).reindex(columns=list(columns))
        whole = [column for column in ("df", "n_items", "n_reference", "n_focal") if column in columns]
        if name == "interactions":
            whole.remove("df")
        for column in {"contrast", "group_reference", "group_focal", "term", "term_level", "base"} & set(columns):
            frame[column] = frame[column].astype(object).where(frame[column].notna(), "")
        made[name] = frame.astype(dict.fromkeys(whole, "Int64"))
    return made
