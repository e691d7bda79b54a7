"""The effect under several random structures, and on cell logits: how much it depends on what is random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.glmm import ConvergenceError, GlmmSpec, fit
from click_stats.stats.lmm import fit_lmm, t_table

if TYPE_CHECKING:
    from click_stats.stats.glmm import GlmmData

COLUMNS = (
    "structure", "term", "n_units", "effect_logit", "effect_logit_se", "effect_logit_low", "effect_logit_high",
    "conf_level", "df", "p_value", "model_sd_logit", "reason",
)  # fmt: skip
LOGITS = "cell logits"
EXTRA = ("", "model:category", "cell", "passage", "family")


def structure_rows(data: GlmmData, formula: str, n_models: int, level: float) -> list[dict[str, Any]]:
    """Fit ``category + formula`` by restricted likelihood with item and model random, and one further effect at a time.

    Parameters
    ----------
    data
        Cells of the models with all predictors.
    formula
        Model-level fixed effects.

    Returns
    -------
    Rows of each term under each structure; t with models less model-level coefficients. A structure that cannot be
    fitted has one row with the reason.
    """
    several = len(set(data.columns["category"])) > 1
    fixed = f"category + {formula}" if several else formula
    rows: list[dict[str, Any]] = []
    for extra in EXTRA:
        if extra == "model:category" and not several:
            continue
        random = tuple(filter(None, ("item", "model", extra)))
        name = " + ".join(random)
        try:
            one = fit(data, GlmmSpec(fixed, random), restricted=True)
        except (ConvergenceError, DataError) as error:
            rows.append({"structure": name, "n_units": n_models, "reason": error.what})
            continue
        own = [k for k, term in enumerate(one.names) if k and not term.startswith("category[")]
        df = n_models - len(own) - 1
        reach = stats.t.ppf(0.5 + level / 2, df)
        for k in own:
            rows.append(  # noqa: PERF401 -- a row a line reads better
                {
                    "structure": name,
                    "term": one.names[k],
                    "n_units": n_models,
                    "effect_logit": one.beta[k],
                    "effect_logit_se": one.se[k],
                    "effect_logit_low": one.beta[k] - reach * one.se[k],
                    "effect_logit_high": one.beta[k] + reach * one.se[k],
                    "conf_level": level,
                    "df": float(df),
                    "p_value": float(2 * stats.t.sf(abs(one.beta[k] / one.se[k]), df)),
                    "model_sd_logit": float(one.sd[one.random.index("model")]),
                    "reason": None,
                }
            )
    return rows + _linear(data, formula, fixed, n_models, level)


def _linear(data: GlmmData, formula: str, fixed: str, n_models: int, level: float) -> list[dict[str, Any]]:
    """Return the effect in a linear mixed model of the logits of model x category cells (REML, Satterthwaite)."""
    columns = data.columns.assign(right=data.correct, total=data.trials)
    names = list(terms(formula))
    groups = columns.groupby(["model", "category"], sort=True)
    table = groups[["right", "total"]].sum()
    # Half a trial is added to each side, so that a cell all right or all wrong has a logit (Haldane 1956).
    table["value"] = np.log((table["right"] + 0.5) / (table["total"] - table["right"] + 0.5))
    table = table.join(groups[names].first()).reset_index()
    try:
        one = fit_lmm(table, "value", fixed, ("model",))
        found = t_table(one, level=level)
    except (ConvergenceError, DataError) as error:
        return [{"structure": LOGITS, "n_units": n_models, "reason": error.what}]
    return [
        {
            "structure": LOGITS,
            "term": term,
            "n_units": n_models,
            "effect_logit": row["estimate"],
            "effect_logit_se": row["std_error"],
            "effect_logit_low": row["conf_low"],
            "effect_logit_high": row["conf_high"],
            "conf_level": level,
            "df": row["df"],
            "p_value": row["p_value"],
            "model_sd_logit": float(one.sd[0]),
            "reason": None,
        }
        for term, row in found.iloc[1:].iterrows()
        if not str(term).startswith("category[")
    ]


def terms(formula: str) -> tuple[str, ...]:
    """Return the columns that a formula names."""
    return tuple(dict.fromkeys(name.strip() for name in formula.replace("*", "+").replace(":", "+").split("+")))
