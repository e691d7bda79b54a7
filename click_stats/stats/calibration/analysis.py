"""The analysis of calibration: every unit, every group of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import pandas as pd

from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats import partition
from click_stats.stats.calibration import reliability
from click_stats.stats.calibration.forecasts import NO_RESPONSES, Forecasts, forecasts
from click_stats.stats.calibration.measures import decomposition, measures, spiegelhalter
from click_stats.stats.calibration.selective import curve
from click_stats.stats.calibration.temperature import temperature
from click_stats.stats.families import NOT_DECIDED, NOT_SEPARATED, SEPARATED
from click_stats.stats.one_right import with_one_right
from click_stats.stats.tools.clustered import NO_ITEMS, ONE_CLUSTER
from click_stats.stats.tools.intervals import check_level, clustered_t
from click_stats.stats.tools.multiplicity import holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts
    from click_stats.stats.calibration.reliability import Scale
    from click_stats.stats.partition import Group

KEY = ("unit", "by", "group")
ESTIMATES = (
    *KEY, "measure", "estimate", "std_error", "df", "conf_low", "conf_high", "conf_level", "uniform", "n_items",
    "n_trials", "n_clusters", "method", "reason",
)  # fmt: skip
ERRORS = (
    *KEY, "ece", "ece_null", "ece_limit", "ece_excess", "rms_debiased", "ece_low", "ece_high", "p_value", "p_adjusted",
    "verdict", "statistic", "df", "p_spiegelhalter", "answer_correlation", "n_bins", "n_items", "n_trials", "n_draws",
    "alpha", "flag", "reason",
)  # fmt: skip
BINS = (
    *KEY, "bin", "n_options", "bin_low", "bin_high", "confidence", "estimate", "consistency_low", "consistency_high",
    "n_trials", "n_items", "conf_level",
)  # fmt: skip
SELECTIVE = (
    *KEY, "kept", "estimate", "conf_low", "conf_high", "conf_level", "threshold", "n_items", "n_trials", "reason",
)  # fmt: skip
TEMPERATURES = (
    *KEY, "temperature", "conf_low", "conf_high", "conf_level", "log_gain", "gain_low", "gain_high", "n_folds",
    "n_items", "reason",
)  # fmt: skip
DECOMPOSITION = (*KEY, "brier_top", "miscalibration", "discrimination", "uncertainty", "n_items", "method", "reason")
TRIALS = (
    "unit", "n_trials", "n_scored", "n_no_score", "n_incomplete", "n_not_finite", "n_zero_gold", "n_disagree",
    "n_unnormalised", "label_mass", "reason",
)  # fmt: skip

METHOD = (
    "Confidence is the largest softmax probability over the options of an item; scores are means over items, with "
    "errors between passages; the calibration error is tested against answers drawn from the stated confidences."
)
CORP = "isotonic regression (CORP)"
CUT = "negative before it was set to 0"
FEW_ITEMS = "under 1,000 items: no percentile interval of a calibration error"
NO_SCORE = "no log-probabilities"
NOT_USABLE = "no trial with usable log-probabilities"
DIFFERENT = "answers differ from the likeliest option in {n} of {total} trials"
FEWEST_DRAWS = 199


def calibration(
    counts: Counts,
    *,
    by: str | Sequence[str] = "overall",
    bins: int = 10,
    scale: Literal["rescaled", "separate"] = "rescaled",
    level: float = 0.95,
    draws: int = 999,
    seed: int = 0,
) -> Result:
    """Tell whether the probabilities that models give to the options mean what they say.

    Parameters
    ----------
    counts
        With ``responses`` and their scores. Trials without a score for every option of their item are left out and
        counted.
    by
        Grouping or groupings of the items (``overall``, ``domain``, ``category``, any item column, a crossing).
    bins
        Bins of confidence, from 1/N to 1.
    scale
        ``rescaled``: items with different numbers of options N share bins of (c - 1/N)/(1 - 1/N); ``separate``: every N
        has bins of its own.
    level
        Confidence level; 1 less this is the level of the test, corrected (Holm) over the units of a group.
    draws
        Draws of answers from the stated confidences, and resamples of passages; at least 199.
    seed
        Of all draws.

    Returns
    -------
    Result
        ``estimates``: Brier score, log score, accuracy of the likeliest option, confidence, overconfidence (their
        difference) and area under accuracy at coverage. ``errors``: expected calibration error, its mean under
        calibration, the test, and Spiegelhalter's. ``bins``: the reliability diagram with consistency bars.
        ``selective``: accuracy at coverage. ``temperature``, ``decomposition``; ``trials``: what was left out. Without
        any log-probability all but the last are empty, and ``meta`` has the reason.

    Raises
    ------
    UsageError
        Counts without responses, an unknown grouping, or a parameter out of range.
    """
    _check(bins, scale, level, draws, seed)
    counts, left_out = with_one_right(counts)
    groups = partition.groups(counts, by)
    if any(group.strata is not None for group in groups):
        raise UsageError("Calibration has no mean over categories.", found="macro", do="Use overall or category.")
    everything = np.arange(len(counts.items), dtype=np.int64)
    every, accounts = forecasts(counts, partition.clusters(counts, everything))
    units = [str(unit) for unit in counts.units.index]
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("estimates", "errors", "bins", "selective", "temperature", "decomposition")
    }
    if any(map(len, every)):
        for group in groups:
            errors: list[dict[str, Any]] = []
            for unit, found in zip(units, every, strict=True):
                made = _unit(found, unit, group, (bins, scale, level, draws, seed))
                for name, rows in made.items():
                    (errors if name == "errors" else tables[name]).extend(rows)
            tables["errors"] += _decided(errors, level)
    columns = (ESTIMATES, ERRORS, BINS, SELECTIVE, TEMPERATURES, DECOMPOSITION)
    frames = {name: _frame(rows, names) for (name, rows), names in zip(tables.items(), columns, strict=True)}
    frames["trials"] = _accounts(units, accounts)
    reason = "" if any(map(len, every)) else NO_RESPONSES
    meta = {
        "method": METHOD,
        "level": level,
        "n_bins": bins,
        "scale": scale,
        "draws": draws,
        "seed": seed,
        "reason": reason,
        "warnings": [reason]
        if reason
        else [*left_out, *_warnings(units, accounts), *_too_few_draws(accounts, draws, level)],
    }
    return Result("calibration", frames, _summary(frames), meta)


def _unit(
    whole: Forecasts, unit: str, group: Group, settings: tuple[int, Scale, float, int, int]
) -> dict[str, list[dict[str, Any]]]:
    n_bins, scale, level, draws, seed = settings
    key = {"unit": unit, "by": group.by, "group": group.name}
    if not len(whole):
        return {"estimates": [{**key, "measure": "", "n_items": 0, "n_trials": 0, "reason": NOT_USABLE}],
                "errors": [{**key, "n_items": 0, "n_trials": 0, "reason": NOT_USABLE}]}  # fmt: skip
    found = whole.of(group.items)
    if not len(found):
        return {"estimates": [{**key, "measure": "", "n_items": 0, "n_trials": 0, "reason": NO_ITEMS}],
                "errors": [{**key, "n_items": 0, "n_trials": 0, "reason": NO_ITEMS}]}  # fmt: skip
    sizes = {"n_items": found.n_items, "n_trials": len(found)}
    estimates = [
        {
            **key, **sizes, "measure": one.name, "estimate": one.mean.estimate, "std_error": one.mean.std_error,
            "df": one.mean.df, "conf_low": one.interval.low, "conf_high": one.interval.high, "conf_level": level,
            "uniform": one.uniform, "n_clusters": one.mean.n_clusters, "method": one.interval.method,
            "reason": one.mean.reason or one.interval.reason,
        }
        for one in measures(found, level)
    ]  # fmt: skip
    made = reliability.bins_of(found, n_bins, scale)
    null = reliability.null_of(found, made, level, draws, seed)
    trials, items = reliability.n_by_bin(found, made)
    rows = [
        {
            **key, "bin": place + 1, "n_options": int(made.n_options[place]) or None, "bin_low": made.low[place],
            "bin_high": made.high[place], "confidence": made.confidence[place], "estimate": made.accuracy[place],
            "consistency_low": null.low[place], "consistency_high": null.high[place], "n_trials": int(trials[place]),
            "n_items": int(items[place]), "conf_level": level,
        }
        for place in np.flatnonzero(trials)
    ]  # fmt: skip
    split = decomposition(found)
    return {
        "estimates": estimates,
        "errors": [{**key, **sizes, **_error(found, made, null, level, draws, seed)}],
        "bins": rows,
        "selective": [{**key, **row, "conf_level": level} for row in curve(found, level)],
        "temperature": [{**key, **_temperature(found, level, seed), "n_items": found.n_items, "conf_level": level}],
        "decomposition": [
            {
                **key, "brier_top": split.score, "miscalibration": split.miscalibration,
                "discrimination": split.discrimination, "uncertainty": split.uncertainty, "n_items": found.n_items,
                "method": CORP, "reason": "",
            }
        ],
    }  # fmt: skip


def _error(
    found: Forecasts, made: reliability.Bins, null: reliability.Null, level: float, draws: int, seed: int
) -> dict[str, Any]:
    error, expected = made.error, float(null.errors.mean())
    square = reliability.mean_square(found, made)
    one_passage = np.unique(found.clusters[found.item]).size == 1
    row: dict[str, Any] = {
        "ece": error, "ece_null": expected, "ece_limit": reliability.upper_limit(null, level),
        "ece_excess": error - expected, "rms_debiased": np.nan if one_passage else float(np.sqrt(max(square, 0.0))),
        "p_value": reliability.p_of(error, null), "answer_correlation": null.correlation if found.repeated else np.nan,
        "n_bins": int((made.weight > 0).sum()), "n_draws": draws, "alpha": round(1 - level, 12),
        "flag": CUT if square < 0 and not one_passage else "",
    }  # fmt: skip
    second = spiegelhalter(found)
    row |= {"statistic": second.statistic, "df": second.df, "p_spiegelhalter": second.p_value}
    reasons = [second.reason]
    if one_passage:
        reasons.append(ONE_CLUSTER)
        if found.repeated:  # trials of one passage say nothing of other passages
            row["p_value"] = np.nan
    if found.n_items >= reliability.FEWEST_ITEMS:
        row["ece_low"], row["ece_high"] = reliability.percentiles(found, made, level, draws, seed)
    else:
        reasons.append(FEW_ITEMS)
    return row | {"reason": "; ".join(dict.fromkeys(filter(None, reasons)))}


def _temperature(found: Forecasts, level: float, seed: int) -> dict[str, Any]:
    best = temperature(found, level, seed)
    row: dict[str, Any] = {"temperature": best.value, "conf_low": best.low, "conf_high": best.high}
    row |= {"n_folds": best.n_folds or None, "reason": best.reason}
    if best.gain is not None:
        interval = clustered_t(best.gain, level, limits=(-np.inf, np.inf))
        row |= {"log_gain": best.gain.estimate, "gain_low": interval.low, "gain_high": interval.high}
        row["reason"] = best.reason or best.gain.reason or interval.reason
    return row


def _decided(rows: list[dict[str, Any]], level: float) -> list[dict[str, Any]]:
    """Add p-values corrected over the units of a group, and whether each is separated from a calibrated unit."""
    adjusted = holm([row.get("p_value", np.nan) for row in rows])
    for row, p in zip(rows, adjusted, strict=True):
        row["p_adjusted"] = float(p)
        row["verdict"] = NOT_DECIDED if np.isnan(p) else SEPARATED if p < round(1 - level, 12) else NOT_SEPARATED
    return rows


def _accounts(units: list[str], accounts: list[dict[str, Any]]) -> pd.DataFrame:
    rows = []
    for unit, account in zip(units, accounts, strict=True):
        reason = "" if account["n_scored"] else NO_SCORE if account["n_no_score"] == account["n_trials"] else NOT_USABLE
        if account["n_disagree"]:
            reason = DIFFERENT.format(n=account["n_disagree"], total=account["n_scored"])
        rows.append({"unit": unit, **account, "reason": reason})
    return _frame(rows, TRIALS)


def _warnings(units: list[str], accounts: list[dict[str, Any]]) -> list[str]:
    warnings = []
    for unit, one in zip(units, accounts, strict=True):
        lost = one["n_trials"] - one["n_scored"]
        if one["n_trials"] and not one["n_scored"]:
            warnings.append(f"{unit}: no trial with usable log-probabilities, left out of calibration.")
        elif lost:
            warnings.append(
                f"{unit}: {lost:,} of {one['n_trials']:,} trials have no finite log-probability for every option, left "
                "out of calibration."
            )
        if one["n_unnormalised"]:
            warnings.append(
                f"{unit}: scores of {one['n_unnormalised']:,} trials add up to a probability above 1; they were taken "
                "as unnormalised log-probabilities."
            )
        if one["n_zero_gold"]:
            warnings.append(f"{unit}: the right option has probability 0 in {one['n_zero_gold']:,} trials.")
    return warnings


def _too_few_draws(accounts: list[dict[str, Any]], draws: int, level: float) -> list[str]:
    """Say when the smallest p-value that the draws allow is too large for the correction over the units."""
    scored = sum(account["n_scored"] > 0 for account in accounts)
    if scored / (draws + 1) < round(1 - level, 12):
        return []
    return [f"With {scored:,} models and {draws:,} draws the test of calibration cannot separate any: raise draws."]


def _summary(frames: dict[str, pd.DataFrame]) -> dict[str, Any]:
    errors = frames["errors"]
    first = (
        errors[(errors["by"] == errors["by"].iloc[0]) & (errors["group"] == errors["group"].iloc[0])]
        if len(errors)
        else errors
    )
    return {
        "n_units": int(first["unit"].nunique()) if len(first) else 0,
        "n_separated": int((first["verdict"] == SEPARATED).sum()) if len(first) else 0,
    }


def _frame(rows: list[dict[str, Any]], names: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(names))
    for name in names:
        if name.startswith("n_") or name == "bin":
            frame[name] = pd.array(frame[name].tolist(), dtype="Int64")
        elif name in WORDS:
            frame[name] = frame[name].astype(object).where(frame[name].notna(), "")
        else:
            frame[name] = frame[name].astype("float64")
    return frame


WORDS = frozenset({"unit", "by", "group", "measure", "method", "verdict", "flag", "reason"})


def _check(bins: int, scale: str, level: float, draws: int, seed: int) -> None:
    check_level(level)
    if bins < 2:
        raise UsageError("A reliability diagram needs at least two bins.", found=str(bins), do="Use for example 10.")
    if scale not in get_args(reliability.Scale):
        raise UsageError(f"There is no scale {scale!r}.", do="Use rescaled or separate.")
    if draws < FEWEST_DRAWS:
        raise UsageError(f"The test needs at least {FEWEST_DRAWS} draws.", found=str(draws), do="Use for example 999.")
    if seed < 0:
        raise UsageError("A seed is a whole number from 0.", found=str(seed), do="Use for example 0.")
