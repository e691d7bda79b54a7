"""Likelihood-ratio tests of the random effects, and of the fixed effects of items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.glmm import ConvergenceError
from click_stats.stats.glmm.design import terms_of
from click_stats.stats.mixed.levels import model_levels
from click_stats.stats.mixed.random_effects import FAMILY, MODEL
from click_stats.stats.mixed.second_stage import VarianceTest, at_boundary
from click_stats.stats.mixed.structures import FirstStages, structures

if TYPE_CHECKING:
    import pandas as pd

    from click_stats.stats.glmm import GlmmData, GlmmFit

COLUMNS = ("effect_kind", "term", "structure", "sd_logit", "df", "statistic", "p_lr", "p_wald", "method", "reason")
RANDOM, FIXED = "random effect", "fixed effect of items"
BOUNDARY, CHI_SQUARED = "half chi-squared on 0 and half on 1 degree of freedom", "chi-squared"
FEW = "fewer than two models"
SEPARATED = "separation leaves no finite estimate, and no reference distribution"


def likelihood_ratios(
    found: FirstStages, units: pd.DataFrame, formula: str, data: GlmmData, fixed: str
) -> list[dict[str, Any]]:
    """Return the likelihood-ratio tests of each random effect and of each fixed effect of items.

    Random effects of items are tested in the first stage (maximum likelihood, models fixed), those of models and
    families in the second (restricted likelihood, given ``formula``). Effects of models have the t test and no row
    here: with few models chi-squared is no reference for them.
    """
    rows = []
    for effect, levels in found.others.items():
        row: dict[str, Any] = {"effect_kind": RANDOM, "term": effect}
        inside = effect in found.random
        row["structure"] = found.structure("" if inside else effect)
        if isinstance(levels, str):
            rows.append(row | {"reason": levels})
            continue
        larger, smaller = (found.base.fit, levels.fit) if inside else (levels.fit, found.base.fit)
        test = at_boundary(2.0 * (larger.loglik - smaller.loglik))
        rows.append(row | _boundary(test, float(larger.sd[larger.random.index(effect)])))
    stages = {one.structure: one for one in structures(found, units, formula)} if len(units) > 1 else {}
    for effect in (MODEL, FAMILY):
        name = found.structure("" if effect == MODEL else FAMILY)
        row = {"effect_kind": RANDOM, "term": effect, "structure": name}
        one = stages.get(name)
        if one is None or one.stage is None:
            rows.append(row | {"reason": one.reason if one else FEW})
            continue
        sd = one.stage.sd if effect == MODEL else one.stage.family_sd
        rows.append(row | _boundary(one.stage.variance_test, sd))
    return rows + _fixed(found, data, fixed)


def _boundary(test: VarianceTest, sd: float) -> dict[str, Any]:
    shown = {"sd_logit": sd, "df": 1.0, "statistic": test.statistic, "p_lr": test.p_value}
    return shown | {"method": BOUNDARY, "reason": None}


def _fixed(found: FirstStages, data: GlmmData, fixed: str) -> list[dict[str, Any]]:
    """Return the test of each fixed effect of items that no interaction holds, with the joint z (Wald) test beside."""
    terms = [":".join(term) for term in terms_of(fixed)]
    rows = []
    for term in terms:
        parts = set(term.split(":"))
        if any(parts < set(other.split(":")) for other in terms):
            continue
        row: dict[str, Any] = {"effect_kind": FIXED, "term": term, "structure": found.structure()}
        one = found.base.fit
        if one.separation is not None:
            rows.append(row | {"reason": SEPARATED})
            continue
        rest = " + ".join(other for other in terms if other != term)
        try:
            without = model_levels(data, fixed=rest, random=found.random)
        except (ConvergenceError, DataError) as error:
            rows.append(row | {"reason": error.what})
            continue
        place = _columns(one, term)
        statistic = max(2.0 * (one.loglik - without.fit.loglik), 0.0)
        wald = float(one.beta[place] @ np.linalg.solve(one.vcov[np.ix_(place, place)], one.beta[place]))
        rows.append(
            row
            | {
                "df": float(len(place)),
                "statistic": statistic,
                "p_lr": float(stats.chi2.sf(statistic, len(place))),
                "p_wald": float(stats.chi2.sf(wald, len(place))),
                "method": CHI_SQUARED,
                "reason": None,
            }
        )
    return rows


def _columns(found: GlmmFit, term: str) -> list[int]:
    """Return the places of the coefficients of a term."""
    own = [":".join(part.split("[", maxsplit=1)[0] for part in name.split(":")) for name in found.names]
    return [k for k, name in enumerate(own) if name == term]
