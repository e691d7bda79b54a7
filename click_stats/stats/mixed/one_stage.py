"""Effects that join items and models, such as size in each category, in one fit by restricted likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.glmm import ConvergenceError, GlmmSpec, fit

if TYPE_CHECKING:
    from click_stats.stats.mixed.cells import Cells, Choice
    from click_stats.stats.mixed.effects import Settings


def one_stage_rows(
    found: Cells, chosen: Choice, formula: str, names: tuple[str, ...], settings: Settings
) -> list[dict[str, Any]]:
    """Return the rows of all terms with a fact of models; t with models less the model-level coefficients.

    Terms that join items and models vary within models as well, so that reference is on the safe side for them.
    There are no percentage points: the effect of such a term depends on the category.
    """
    if chosen.reason:
        return [{"design": formula, "n_units": len(chosen.used), "reason": chosen.reason}]
    data = found.data.take(found.data.columns["model"].isin(list(chosen.used)).to_numpy())
    try:
        one = fit(data, GlmmSpec(formula, settings.random), restricted=True)
    except (ConvergenceError, DataError) as error:
        reason = " ".join(filter(None, (error.what, error.do)))
        return [{"design": formula, "n_units": len(chosen.used), "reason": reason}]
    columns = [{part.split("[", maxsplit=1)[0] for part in term.split(":")} for term in one.names]
    between = sum(parts <= set(names) for parts in columns)
    df = len(chosen.used) - between - 1
    if df < 1:
        reason = f"{len(chosen.used)} models cannot give {between + 1} model-level coefficients and a variance"
        return [{"design": formula, "n_units": len(chosen.used), "reason": reason}]
    reach = stats.t.ppf(0.5 + settings.level / 2, df)
    rows: list[dict[str, Any]] = []
    for k, parts in enumerate(columns):
        if not parts & set(names):
            continue
        known = bool(np.isfinite(one.beta[k]))
        p_value = float(2 * stats.t.sf(abs(one.beta[k] / one.se[k]), df))
        rows.append(
            {
                "design": formula,
                "term": one.names[k],
                "n_units": len(chosen.used),
                "effect_logit": one.beta[k],
                "effect_logit_se": one.se[k],
                "effect_logit_low": one.beta[k] - reach * one.se[k],
                "effect_logit_high": one.beta[k] + reach * one.se[k],
                "conf_level": settings.level,
                "df": float(df),
                "statistic": one.beta[k] / one.se[k],
                "p_value": p_value,
                "model_sd_logit": float(one.sd[one.random.index("model")]),
                "verdict": ("separated" if p_value < settings.alpha else "not separated") if known else "not decided",
                "reason": None if known else "no finite estimate: separation",
            }
        )
    return rows
