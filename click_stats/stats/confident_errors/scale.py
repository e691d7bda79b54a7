"""Does mean entropy differ by scale and corpus: a test whose observations are models."""

from __future__ import annotations

from itertools import permutations, product
from math import factorial, prod
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import statsmodels.api as sm

if TYPE_CHECKING:
    from click_stats.counts import Counts, FloatArray

FEW_MODELS = "fewer models with known values than coefficients plus one: no model-level test"
ONE_CORPUS = "all models with known values have one kind of corpus"
NO_FAMILY = "no family with two sizes: nothing can be permuted"
MOST = 50_000
"""Permutations that are enumerated; more are not sampled, the test is then left out."""


def model_tests(counts: Counts, values: FloatArray, level: float) -> list[dict[str, Any]]:
    """Regress the units' mean entropies on log10 parameters and corpus; t with df = models - coefficients.

    Parameters
    ----------
    values
        (U,) mean content entropy; NaN leaves a unit out.
    """
    size = pd.to_numeric(counts.fact("parameters"), errors="coerce").to_numpy(dtype=np.float64)
    corpus = counts.fact("korean_corpus").to_numpy(dtype=object)
    family = counts.fact("family").to_numpy(dtype=object)
    sized = np.isfinite(values) & np.isfinite(size) & (np.nan_to_num(size) > 0)
    known = sized & ~pd.isna(corpus)
    scale = np.log10(np.where(sized, size, 1.0))
    rows = [_ols("scale", values[sized], {"log10_params": scale[sized]}, level)[0]]
    exact = _permuted(values[sized], scale[sized], family[sized])
    rows[0] |= exact if not rows[0]["reason"] else {}
    names = sorted(set(corpus[known]))
    if len(names) < 2:
        rows.append({"design": "scale + corpus", "term": "", "n_units": int(known.sum()), "reason": ONE_CORPUS})
        return rows
    columns = {"log10_params": scale[known]}
    columns |= {f"{name} - {names[0]}": (corpus[known] == name).astype(float) for name in names[1:]}
    return rows + _ols("scale + corpus", values[known], columns, level)


def _ols(design: str, y: FloatArray, columns: dict[str, FloatArray], level: float) -> list[dict[str, Any]]:
    x = np.column_stack([np.ones(len(y)), *columns.values()])
    key = {"design": design, "n_units": len(y), "conf_level": level}
    if len(y) < x.shape[1] + 1 or np.linalg.matrix_rank(x) < x.shape[1]:
        return [{**key, "term": name, "reason": FEW_MODELS} for name in columns]
    found = sm.OLS(y, x).fit()
    ends = found.conf_int(1 - level)
    return [
        {
            **key, "term": name, "estimate": found.params[k], "std_error": found.bse[k], "df": found.df_resid,
            "statistic": found.tvalues[k], "p_value": found.pvalues[k], "conf_low": ends[k][0],
            "conf_high": ends[k][1], "reason": "",
        }
        for k, name in enumerate(columns, start=1)
    ]  # fmt: skip


def _permuted(values: FloatArray, scale: FloatArray, family: np.ndarray) -> dict[str, Any]:
    """Permute sizes within families, all ways: exact p-value of the pooled slope within families."""
    parts = []
    for name in sorted({one for one in family if not pd.isna(one)}):
        own = family == name
        if own.sum() > 1 and np.ptp(scale[own]) > 0:
            parts.append((values[own] - values[own].mean(), scale[own] - scale[own].mean()))
    if not parts:
        return {"note": NO_FAMILY}
    if prod(factorial(len(y)) for y, _ in parts) > MOST:
        return {"note": "too many permutations within families to enumerate"}
    options = [np.array([y @ np.array(x) for x in permutations(s)]) for y, s in parts]
    sums = np.array([sum(one) for one in product(*options)])
    observed = sum(float(y @ s) for y, s in parts)
    near = 1e-12 * max(1.0, float(np.abs(sums).max()))
    largest = np.abs(sums) >= np.abs(sums).max() - near
    p = float((np.abs(sums) >= abs(observed) - near).mean())
    return {"p_permutation": p, "p_least": float(largest.mean())}
