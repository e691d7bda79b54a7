"""The simple alternative: a linear mixed model of the logits of model x category cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.glmm import ConvergenceError
from click_stats.stats.lmm import fit_lmm, t_table

if TYPE_CHECKING:
    from click_stats.stats.glmm import GlmmData

LOGITS = "cell logits"
CAPPED = "degrees of freedom by Satterthwaite exceed models less coefficients: the latter are used"


def linear_rows(data: GlmmData, formula: str, names: tuple[str, ...], level: float) -> list[dict[str, Any]]:
    """Return the effects in a linear mixed model of cell logits (REML), models random.

    The degrees of freedom are Satterthwaite's, but never more than models less model-level coefficients. Where the
    variance over models is 0 the method takes it as known, and a difference between models as one between cells: its
    degrees of freedom are then those of the cells.

    Parameters
    ----------
    data
        Cells of the models with all predictors.
    formula, names
        Model-level fixed effects, and their columns.
    level
        Of the intervals.
    """
    columns = data.columns.assign(right=data.correct, total=data.trials)
    groups = columns.groupby(["model", "category"], sort=True)
    table = groups[["right", "total"]].sum()
    # Half a trial is added to each side, so that a cell all right or all wrong has a logit (Haldane 1956).
    table["value"] = np.log((table["right"] + 0.5) / (table["total"] - table["right"] + 0.5))
    table = table.join(groups[list(names)].first()).reset_index()
    n_models = table["model"].nunique()
    fixed = f"category + {formula}" if table["category"].nunique() > 1 else formula
    try:
        one = fit_lmm(table, "value", fixed, ("model",))
        found = t_table(one, level=level)
    except (ConvergenceError, DataError) as error:
        return [{"structure": LOGITS, "n_units": n_models, "reason": error.what}]
    own = found.loc[[name for name in found.index[1:] if not str(name).startswith("category[")]]
    most = float(n_models - len(own) - 1)
    rows = []
    for term, row in own.iterrows():
        # Where Satterthwaite and the count agree, rounding must not decide.
        capped = row["df"] > most * (1 + 1e-6)
        df = most if capped else row["df"]
        reach = stats.t.ppf(0.5 + level / 2, df) * row["std_error"]
        rows.append(
            {
                "structure": LOGITS,
                "term": term,
                "n_units": n_models,
                "effect_logit": row["estimate"],
                "effect_logit_se": row["std_error"],
                "effect_logit_low": row["estimate"] - reach,
                "effect_logit_high": row["estimate"] + reach,
                "conf_level": level,
                "df": df,
                "p_value": float(2 * stats.t.sf(abs(row["statistic"]), df)),
                "model_sd_logit": float(one.sd[0]),
                "note": CAPPED if capped else None,
                "reason": None,
            }
        )
    return rows
