"""Rows of the result: every effect under every prior, the other parameters, and the curves of the figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats.bayes.effects import GRID, Posterior, curve, interval, savage_dickey
from click_stats.stats.bayes.evidence import rope
from click_stats.stats.bayes.gate import HIDDEN
from click_stats.stats.bayes.model import ITEM_EFFECT_SD, LEVEL_SD, SPREAD_SD
from click_stats.stats.bayes.points import in_points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray
    from click_stats.stats.bayes.data import BayesData

PRIOR_OF = {"mean_level": f"Normal(0, {LEVEL_SD:g})", "item_effects": f"Normal(0, {ITEM_EFFECT_SD:g})"}
SPREAD_PRIOR = f"half-normal({SPREAD_SD:g})"


def rows(under: Sequence[Posterior], data: BayesData, margin: float | None, level: float) -> pd.DataFrame:
    """Return one row for each effect and prior."""
    found: list[dict[str, Any]] = []
    points = [in_points(one, data) for one in under]
    for k, name in enumerate(data.effects):
        for one, average in zip(under, points, strict=True):
            logits, shares = one.effects[:, k], average[:, k]
            low, high = interval(shares, level)
            factor = savage_dickey(one, k)
            row: dict[str, Any] = {"term": name, "prior_sd": one.prior_sd, **_of_logits(logits, level)}
            row |= {"estimate": float(shares.mean()), "conf_low": low, "conf_high": high, "conf_level": level}
            row |= {"p_positive": float((logits > 0).mean())}
            row |= {"p_inside": float((np.abs(shares) <= margin).mean()) if margin is not None else np.nan}
            row |= {"bayes_factor": factor.value, "bayes_factor_error": factor.error}
            row |= {"bayes_factor_bound": factor.bound, "evidence": factor.evidence, "reason": factor.reason}
            row |= {"verdict": rope(low, high, margin).verdict, "how": one.how, "k_hat": one.k_hat}
            found.append(row)
    return pd.DataFrame(found)


def _of_logits(values: FloatArray, level: float) -> dict[str, float]:
    low, high = interval(values, level)
    return {"logit": float(values.mean()), "logit_sd": float(values.std(ddof=1)), "logit_low": low, "logit_high": high}


def parameters(idata: Any, level: float, prior_sd: float) -> pd.DataFrame:
    """Return the level, the item effects' prior and the standard deviations, as sampled."""
    names = [str(name) for name in idata.posterior.data_vars]
    found = []
    for name in names:
        if name == "mean_level" or (name.startswith("sd_") and not name.endswith(HIDDEN)):
            values = np.asarray(idata.posterior[name], dtype=np.float64).ravel()
            found.append(
                {"parameter": name, "prior": PRIOR_OF.get(name, SPREAD_PRIOR), **_of_logits(values, level),
                 "conf_level": level, "n_values": 1}
            )  # fmt: skip
    of_models = f"Normal(0, {prior_sd:g})"
    named = (("effects", of_models), ("interactions", of_models), ("item_effects", PRIOR_OF["item_effects"]))
    for name, prior in named:
        if name in names:
            size = int(np.prod(idata.posterior[name].shape[2:]))
            found.append({"parameter": name, "prior": prior, "conf_level": level, "n_values": size})
    columns = ["parameter", "prior", "logit", "logit_sd", "logit_low", "logit_high", "conf_level", "n_values"]
    return pd.DataFrame(found).reindex(columns=columns)


def density(under: Sequence[Posterior], data: BayesData) -> pd.DataFrame:
    """Return posterior and prior densities of every effect on a common grid of logits."""
    frames = []
    for k, name in enumerate(data.effects):
        ends = [(one.effects[:, k].mean(), one.effects[:, k].std()) for one in under]
        reach = 3.5 * max(sd for _, sd in ends)
        low = min(0.0, *(mean for mean, _ in ends)) - reach
        high = max(0.0, *(mean for mean, _ in ends)) + reach
        grid = np.linspace(low, high, GRID)
        frames += [
            pd.DataFrame(
                {"term": name, "prior_sd": one.prior_sd, "logit": grid, "density": curve(one, k, grid),
                 "prior_density": stats.norm.pdf(grid, 0.0, one.prior_sd)}
            )
            for one in under
        ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)
