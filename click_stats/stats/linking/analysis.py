"""The analysis: where new models stand on a scale that is kept fixed, from whatever items of it they answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.errors import DataError, UsageError
from click_stats.parameters import DIGEST, read_parameters
from click_stats.results import Result
from click_stats.stats.families import SEPARATED
from click_stats.stats.linking import rows
from click_stats.stats.linking.bank import Bank
from click_stats.stats.tools.intervals import check_level

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.counts import Counts, Denominator

METHOD = (
    "Parameters of the items fixed, the errors of their difficulties integrated out; ability by its posterior mean "
    "under a normal prior, and by maximum likelihood; whole score as the mean probability over all items of the scale."
)
NOTHING = (
    "No parameters of items are given. Make them with click-stats analyze irt FILES -o calibrated, then give "
    "--set parameters=calibrated/tables/irt.estimates.csv."
)
NO_ANSWER = "No model has an answer to an item of the scale."
NO_ERRORS = "The parameters have no standard errors: intervals take the items as known."
NOT_HERE = "not in the table of items"
NO_PARAMETERS = "no parameters in the file"
CHANGED = "not the item that was calibrated: its digest differs"
MISFITS = "Answers that do not fit the scale: {units}. Their abilities and whole scores may mislead."
LEFT_OUT = "Items left out ({n}): {reason}."


def linking(
    counts: Counts,
    *,
    parameters: str = "",
    prior_mean: float = 0.0,
    prior_sd: float = 2.0,
    draws: int = 1000,
    level: float = 0.95,
    alpha: float = 0.05,
    denominator: Denominator = "responded",
    seed: int = 0,
) -> Result:
    """Place models on the scale of items that other models calibrated.

    Parameters
    ----------
    counts
        The answers of the new models, to all items or to some.
    parameters
        File of item parameters (:func:`click_stats.parameters.read_parameters`): a table of the analysis ``irt``, its
        ``results.json``, or items exported with parameters.
    prior_mean, prior_sd
        Normal prior of an ability, in logits. On the scale of ``irt`` abilities have the mean 0 and standard
        deviations of 1 to 2: the default says little.
    draws
        Draws of ability and item parameters for the whole score.
    level
        Of the intervals.
    alpha
        Level at which answers are said not to fit the scale (Holm over units), and items to have drifted (false
        discovery rate).
    denominator
        Which trials count.
    seed
        Of the draws.

    Returns
    -------
    Result
        ``estimates``: ability, whole score and fit of each unit. ``drift``: items against their fixed difficulty, with
        five units or more. ``left_out``: items of the file or of the table that take no part, and why. Without
        parameters all are empty and ``meta`` has the reason.

    Raises
    ------
    UsageError
        A parameter out of range.
    DataError
        The file cannot be used, or has no item in common with the table of items.
    """
    _check(prior_sd, draws, level, alpha)
    meta: dict[str, Any] = {
        "method": METHOD, "prior_mean": prior_mean, "prior_sd": prior_sd, "draws": draws, "level": level,
        "alpha": alpha, "denominator": denominator, "seed": seed, "reason": "",
        "digests": dict(counts.meta.get("digests", {})), "warnings": list(counts.meta.get("warnings", ())),
    }  # fmt: skip
    if not parameters:
        return Result("linking", rows.frames(), {}, {**meta, "reason": NOTHING})
    scale, left_out = _scale(read_parameters(parameters), counts, parameters)
    places = counts.items.index.get_indexer(scale.index)
    trials = counts.scores(denominator).trials
    shown = trials[:, places].astype(np.float64)
    right = np.where(shown > 0, counts.correct[:, places], 0).astype(np.float64)
    answered = counts.items.index[np.flatnonzero((trials > 0).any(axis=0))]
    # Items that the scale lacks and nobody answered are no loss.
    left_out = left_out[(left_out["reason"] != NO_PARAMETERS) | left_out["item"].isin(answered)]
    meta["warnings"] += [LEFT_OUT.format(n=len(own), reason=reason) for reason, own in left_out.groupby("reason")]
    if not shown.any():
        return Result("linking", rows.frames(), {}, {**meta, "reason": NO_ANSWER})
    bank = Bank.of(scale)
    if not bank.known:
        meta["warnings"].append(NO_ERRORS)
    settings = rows.Settings(prior_mean, prior_sd, level, alpha, draws, seed)
    correlation = rows.correlation_of(bank, right, shown, settings)
    meta["correlation_in_cell"] = correlation
    units = list(map(str, counts.units.index))
    found = rows.estimate_rows(units, bank, right, shown, correlation, settings)
    misfits = [row["unit"] for row in found if row["p_fit_adjusted"] < alpha]
    if misfits:
        meta["warnings"].append(MISFITS.format(units=", ".join(misfits)))
    moved = rows.drift_rows(counts.items.iloc[places], bank, right, shown, found, correlation, alpha)
    tables = rows.frames(estimates=found, drift=moved) | {"left_out": left_out.reset_index(drop=True)}
    summary = {
        "n_units": sum(row["n_items"] > 0 for row in found),
        "n_items": len(bank),
        "n_separated": sum(row["verdict"] == SEPARATED for row in moved),
    }
    return Result("linking", tables, summary, meta)


def _scale(frame: pd.DataFrame, counts: Counts, path: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the parameters of items that are in the table of items unchanged, and what is left out with the reason."""
    known = counts.items.index
    reasons = dict.fromkeys(map(str, frame.index[~frame.index.isin(known)]), NOT_HERE)
    common = frame[frame.index.isin(known)]
    if DIGEST in frame and DIGEST in counts.items:
        now = counts.items[DIGEST].reindex(common.index).astype(str)
        changed = (common[DIGEST] != "") & (now != "") & (common[DIGEST] != now)
        reasons |= dict.fromkeys(map(str, common.index[changed]), CHANGED)
        common = common[~changed]
    if not len(common):
        raise DataError(
            f"{path} has no item in common with the table of items.",
            found="; ".join(f"{item}: {reason}" for item, reason in list(reasons.items())[:3]),
            do="Give the parameters of this benchmark.",
        )
    reasons |= {str(item): NO_PARAMETERS for item in known if item not in common.index and str(item) not in reasons}
    listed = [{"item": item, "reason": reason} for item, reason in reasons.items()]
    return common, rows.frames(left_out=listed)["left_out"]


def _check(prior_sd: float, draws: int, level: float, alpha: float) -> None:
    check_level(level)
    if not 0 < alpha < 1:
        raise UsageError("The level of a test lies between 0 and 1.", found=str(alpha))
    if not prior_sd > 0:
        raise UsageError("The standard deviation of the prior must be above 0.", found=str(prior_sd))
    if draws < 100:
        raise UsageError("Fewer than 100 draws tell no interval.", found=str(draws), do="Use draws=1000.")
