"""The conditional engine: the Rasch model of complete answers, described as the fit of every engine is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from click_stats.stats.irt import conditional
from click_stats.stats.irt.data import Aside
from click_stats.stats.irt.fitted import Fitted, Parameter, probability

if TYPE_CHECKING:
    from click_stats.stats.irt.data import Responses

METHOD = "conditional maximum likelihood"
MEANING = (
    "Rasch model by conditional maximum likelihood: difficulties given the raw scores, without an assumption about "
    "abilities; abilities by maximum likelihood given the difficulties; normal intervals."
)
SEVERAL = (
    "Conditional likelihood needs one trial per item and model, and here are up to {n}: use the default engine, which "
    "takes counts."
)
INCOMPLETE = (
    "Conditional likelihood needs answers of every model to every item, and {n} of {total} are missing: use the "
    "default engine, or items and models that are complete."
)
NO_ESTIMATES = "Conditional likelihood has no estimates for these answers: {why}. Use the default engine."


def describe(responses: Responses, level: float) -> Fitted:
    """Return the conditional estimates, moved so that 0 is the mean ability of the models that have one.

    Raises
    ------
    Aside
        More than one trial in a cell, missing answers, or answers without finite estimates.
    """
    trials = responses.trials
    if trials.max() > 1:
        raise Aside(SEVERAL.format(n=int(trials.max())))
    if not trials.all():
        raise Aside(INCOMPLETE.format(n=f"{int((trials == 0).sum()):,}", total=f"{trials.size:,}"))
    found = conditional.fit(responses.correct.astype(np.int64))
    if found.reason:
        raise Aside(NO_ESTIMATES.format(why=found.reason))
    z = float(stats.norm.ppf(0.5 + 0.5 * level))
    center = float(np.nanmean(found.ability))
    difficulty, ability = found.difficulty - center, found.ability - center
    return Fitted(
        METHOD,
        Parameter.normal(difficulty, found.std_error, z),
        None,
        Parameter.normal(ability, found.ability_error, z),
        None,
        None,
        probability(responses.floor, ability[:, None], difficulty, 1.0),
        {},
        found.left_out,
    )
