"""The rows of the result's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.stats.anova import checks
from click_stats.stats.anova.cells import CORPUS, ESTIMATED, Cells, Design
from click_stats.stats.anova.effects import Effects, effects
from click_stats.stats.anova.power import curve, detectable, pattern
from click_stats.stats.anova.size import Size, sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.stats.anova.analysis import Settings
    from click_stats.stats.anova.linear import Test
    from click_stats.stats.anova.strata import Strata, Variance

CELLS, MODELS = "cells", "models"
LOWER, UPPER = "lower end", "upper end"
FACE_VALUE = "cells of one model are not independent: no verdict is read from a test that counts them"
OLS = "F, residual of the cells"
BETWEEN = "F, spread of models"
WITHIN = "F, residual within models"

ESTIMATES = (
    *("design", "term", "test_unit", "ss_type", "estimate", "std_error", "conf_low", "conf_high", "conf_level"),
    *("sum_sq", "f_statistic", "df", "df_residual", "p_value"),
    *("eta_sq", "eta_sq_partial", "omega_sq", "omega_sq_partial", "epsilon_sq", "effect_low", "effect_high"),
    *("sim_size", "alpha", "margin", "n_units", "n_cells", "verdict", "method", "note", "reason"),
)
CELL_COLUMNS = ("unit", "category", "estimate", "n_items", "n_items_total", "n_trials", "reason")
MODEL_COLUMNS = (
    *("design", "unit", "used", "parameters", "family", "korean_corpus", "tuned", "estimate", "n_cells", "reason"),
)
SPREAD = (
    *("design", "term", "cell_sd", "model_sd", "model_sd_at", "sim_size", "sim_size_models", "std_error", "alpha"),
    *("n_draws", "n_units", "n_cells", "conf_level", "reason"),
)
CHECKS = ("design", "term", "test_unit", "check", "f_statistic", "df", "df_residual", "p_value", "reason")
CONTRASTS = (
    *("design", "corpus_a", "corpus_b", "estimate", "conf_low", "conf_high", "conf_level", "p_adjusted", "alpha"),
    *("verdict", "method", "reason"),
)
POWER = (
    *("design", "term", "test_unit", "difference", "power", "alpha", "detectable", "df", "df_residual"),
    *("cell_sd", "model_sd", "note", "reason"),
)


def tables(found: Cells, designs: Sequence[Design], settings: Settings) -> dict[str, pd.DataFrame]:
    """Return the tables of the designs, ``estimates`` first."""
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("estimates", "spread", "checks", "contrasts", "power")
    }
    for one in designs:
        if one.strata is None:
            rows["estimates"].append(_none(one, settings))
            continue
        variance = one.strata.variance(settings.level)
        simulated = {term: _sizes(one.strata, term, variance, settings) for term in one.tested}
        rows["estimates"] += _estimates(one, one.strata, simulated, settings)
        rows["spread"] += _spread(one, one.strata, variance, simulated, settings)
        rows["checks"] += _checks(one, one.strata)
        rows["contrasts"] += _contrasts(one, one.strata, found, settings)
        rows["power"] += _power(one, one.strata, variance, settings)
    return {
        "estimates": _frame(rows["estimates"], ESTIMATES),
        "cells": found.frame.reindex(columns=list(CELL_COLUMNS)),
        "models": _models(found, designs),
        "spread": _frame(rows["spread"], SPREAD),
        "checks": _frame(rows["checks"], CHECKS),
        "contrasts": _frame(rows["contrasts"], CONTRASTS),
        "power": _frame(rows["power"], POWER),
    }


def _frame(rows: list[dict[str, Any]], columns: Sequence[str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    for name in ("n_units", "n_cells", "ss_type", "n_draws"):
        if name in frame:
            frame[name] = frame[name].astype("Int64")
    return frame


def _none(one: Design, settings: Settings) -> dict[str, Any]:
    row: dict[str, Any] = {"design": one.name, "term": one.name, "test_unit": MODELS, "ss_type": settings.ss_type}
    row |= {"alpha": settings.alpha, "n_units": len(one.used), "verdict": "not decided", "reason": one.reason}
    return {**row, "method": BETWEEN, "note": ""}


def _estimates(
    one: Design, strata: Strata, simulated: dict[str, list[Size]], settings: Settings
) -> list[dict[str, Any]]:
    found = []
    by_cells, by_models = strata.cells.tests(settings.ss_type), strata.tests(settings.ss_type)
    base = {
        "design": one.name, "ss_type": settings.ss_type, "conf_level": settings.level, "alpha": settings.alpha,
        "n_units": strata.n_models, "n_cells": len(strata.y), "reason": "", "note": "",
    }  # fmt: skip
    for cells, models in zip(by_cells, by_models, strict=True):
        category = cells.term == "category"
        for unit, test in ((CELLS, cells), (MODELS, models)):
            residual = _residual(strata, unit, category=category)
            row = {**base, **_test(test, residual[1]), "test_unit": unit}
            row |= _named(effects(test.sum_sq, test.df, *residual, level=settings.level))
            row["method"] = OLS if unit == CELLS else WITHIN if category else BETWEEN
            if cells.term == "log10_params":
                row |= _slope(strata, unit, settings)
            if category or unit == MODELS:
                row |= _decided(row, settings)
            else:
                row |= {"verdict": "not decided", "reason": row["reason"] or FACE_VALUE}
                row["note"] = sentence(strata, test.df)
            if cells.term in simulated and unit == CELLS:
                row["sim_size"] = next((s.cells for at, s in _places(simulated[cells.term]) if at == ESTIMATED), np.nan)
            found.append(row)
    return found


def sentence(strata: Strata, df: int) -> str:
    """Say what the test on cells takes for granted, in the numbers of these data."""
    return (
        f"Cells of one model share that model's level; F({df},{strata.cells.df_residual}) treats {strata.n_models} "
        f"models as {len(strata.y)} independent observations. The model-level test is "
        f"F({df},{max(strata.df_models, 0)})."
    )


def _residual(strata: Strata, unit: str, *, category: bool) -> tuple[float, int, float, int]:
    """Return residual SS, its df, the SS it is a share of, and the number of observations, for effect sizes."""
    if unit == CELLS:
        return strata.cells.ss_residual, strata.cells.df_residual, strata.cells.ss_total, len(strata.y)
    if category:
        return strata.blocks.ss_residual, strata.blocks.df_residual, strata.blocks.ss_total, len(strata.y)
    return strata.ss_models, strata.df_models, strata.ss_between, strata.n_models


def _test(test: Test, df_residual: int) -> dict[str, Any]:
    return {
        "term": test.term, "sum_sq": test.sum_sq, "f_statistic": test.statistic, "df": test.df,
        "df_residual": df_residual, "p_value": test.p_value, "reason": test.reason,
    }  # fmt: skip


def _named(size: Effects) -> dict[str, float]:
    found = size._asdict()
    return {**found, "effect_low": found.pop("share_low"), "effect_high": found.pop("share_high")}


def _slope(strata: Strata, unit: str, settings: Settings) -> dict[str, float]:
    if unit == MODELS:
        names = ("estimate", "std_error", "conf_low", "conf_high")
        return dict(zip(names, strata.slope("log10_params", settings.level), strict=True))
    place, fit = strata.cells.place("log10_params").start, strata.cells.fit
    estimate, error = float(fit.params[place]), np.nan if strata.cells.undefined else float(fit.bse[place])
    half = error * float(stats.t.ppf((1 + settings.level) / 2, max(strata.cells.df_residual, 1)))
    return {"estimate": estimate, "std_error": error, "conf_low": estimate - half, "conf_high": estimate + half}


def _decided(row: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Read the verdict off a test; equivalence by two one-sided tests of the slope."""
    if not np.isfinite(row["p_value"]):
        return {"verdict": "not decided"}
    if row["p_value"] < settings.alpha:
        return {"verdict": "separated"}
    if settings.margin is not None and row["term"] == "log10_params" and row.get("std_error", 0) > 0:
        bound = settings.margin - abs(row["estimate"])
        if stats.t.sf(bound / row["std_error"], row["df_residual"]) < settings.alpha:
            return {"verdict": "equivalent", "margin": settings.margin}
        return {"verdict": "not separated", "margin": settings.margin}
    return {"verdict": "not separated"}


def _sizes(strata: Strata, term: str, variance: Variance, settings: Settings) -> list[Size]:
    if variance.reason:
        return []
    ratios = [one / variance.cell_sd for one in (variance.low, variance.model_sd, variance.high)]
    return sizes(strata, term, ratios, alpha=settings.alpha, draws=settings.draws, seed=settings.seed)


def _places(simulated: list[Size]) -> list[tuple[str, Size]]:
    return list(zip((LOWER, ESTIMATED, UPPER), simulated, strict=False))


def _spread(
    one: Design, strata: Strata, variance: Variance, simulated: dict[str, list[Size]], settings: Settings
) -> list[dict[str, Any]]:
    base = {
        "design": one.name, "cell_sd": variance.cell_sd, "alpha": settings.alpha, "n_draws": settings.draws,
        "n_units": strata.n_models, "n_cells": len(strata.y), "conf_level": settings.level, "reason": variance.reason,
    }  # fmt: skip
    if variance.reason:
        return [{**base, "term": term, "model_sd_at": ESTIMATED, "n_draws": None} for term in one.tested]
    values = {LOWER: variance.low, ESTIMATED: variance.model_sd, UPPER: variance.high}
    return [
        {
            **base, "term": term, "model_sd_at": at, "model_sd": values[at], "sim_size": size.cells,
            "sim_size_models": size.models, "std_error": size.std_error,
        }
        for term in one.tested
        for at, size in _places(simulated[term])
    ]  # fmt: skip


def _checks(one: Design, strata: Strata) -> list[dict[str, Any]]:
    found = []
    residuals = strata.cells.fit.resid
    if strata.cells.undefined:
        residuals = np.zeros(len(strata.y))
    for name, check in (
        ("Shapiro-Wilk", checks.normality(residuals)),
        ("Levene, categories", checks.levene(residuals, strata.category)),
        ("Levene, models", checks.levene(residuals, strata.model)),
    ):
        row = {"design": one.name, "term": "", "test_unit": CELLS, "check": name, "f_statistic": check.statistic}
        row |= {"df": check.df, "df_residual": check.df_residual, "p_value": check.p_value, "reason": check.reason}
        found.append(row)
    for test in strata.cells.tests_hc3():
        row = {"design": one.name, "test_unit": CELLS, "check": "HC3", **_test(test, strata.cells.df_residual)}
        found.append({key: value for key, value in row.items() if key in CHECKS})
    if one.name == CORPUS:
        groups, means = corpora(strata)
        for name, check in (("Welch", checks.welch(means, groups)), ("Kruskal-Wallis", checks.kruskal(means, groups))):
            row = {"design": one.name, "term": "corpus", "test_unit": MODELS, "check": name}
            row |= {"f_statistic": check.statistic, "df": check.df, "df_residual": check.df_residual}
            found.append({**row, "p_value": check.p_value, "reason": check.reason})
    return found


def corpora(strata: Strata) -> tuple[list[int], np.ndarray]:
    """Return the code of each model's corpus and the model's level: its mean where no cell is missing.

    Levels are the coefficients of models beside categories, so a missing cell does not favour a model.
    """
    place = strata.blocks.place("model")
    own = strata.blocks.fit.params[place]
    levels = np.append(own, -own.sum()) + strata.blocks.fit.params[0]
    columns = next(term.columns for term in strata.between if term.name == "corpus")
    first = [list(strata.model).index(unit) for unit in sorted(set(strata.model))]
    codes = [int(row.argmax()) if row.max() > 0 else columns.shape[1] for row in columns[first]]
    return codes, levels


def _contrasts(one: Design, strata: Strata, found: Cells, settings: Settings) -> list[dict[str, Any]]:
    if one.name != CORPUS:
        return []
    names = sorted(set(found.units.loc[list(one.used), "korean_corpus"]))
    codes, levels = corpora(strata)
    return [
        {
            "design": one.name, "corpus_a": names[pair.second], "corpus_b": names[pair.first],
            "estimate": pair.estimate, "conf_low": pair.low, "conf_high": pair.high, "conf_level": settings.level,
            "p_adjusted": pair.p_adjusted, "alpha": settings.alpha, "method": "Tukey-Kramer", "reason": "",
            "verdict": "separated" if pair.p_adjusted < settings.alpha else "not separated",
        }
        for pair in checks.tukey(levels, codes, settings.level)
    ]  # fmt: skip


def _power(one: Design, strata: Strata, variance: Variance, settings: Settings) -> list[dict[str, Any]]:
    found = []
    for term in one.tested:
        if term == "size within family":
            continue  # its levels have no one effect whose power could be stated
        effect, df = pattern(strata, term), next(t.columns.shape[1] for t in strata.between if t.name == term)
        for unit in (CELLS, MODELS):
            ss, df_error, _, _ = _residual(strata, unit, category=False)
            ms = ss / df_error if df_error > 0 else np.nan
            reason = strata.cells.undefined if unit == CELLS else strata.undefined
            base = {
                "design": one.name, "term": term, "test_unit": unit, "alpha": settings.alpha, "df": df,
                "df_residual": df_error, "cell_sd": variance.cell_sd, "model_sd": variance.model_sd,
                "note": effect.note, "reason": reason,
            }  # fmt: skip
            args = (effect.signal, np.nan if reason else ms, df, df_error)
            seen = detectable(*args, power=settings.power, alpha=settings.alpha) if not reason else np.nan
            for value, power in zip(
                settings.effects, curve(settings.effects, *args, alpha=settings.alpha), strict=True
            ):
                found.append({**base, "difference": value, "power": power, "detectable": seen})
    return found


def _models(found: Cells, designs: Sequence[Design]) -> pd.DataFrame:
    means = found.frame.groupby("unit", sort=False)["estimate"].mean()
    counted = found.frame.groupby("unit", sort=False)["estimate"].count()
    rows = []
    for one in designs:
        for unit, facts in found.units.iterrows():
            row = {"design": one.name, "unit": unit, "used": one.strata is not None and unit in one.used}
            row |= {key: facts[key] for key in ("parameters", "family", "korean_corpus", "tuned")}
            row |= {"estimate": means.get(unit, np.nan), "n_cells": counted.get(unit, 0)}
            why = one.left_out.get(str(unit), "")
            rows.append({**row, "reason": why or ("" if one.strata is not None else one.reason)})
    frame = pd.DataFrame(rows, columns=list(MODEL_COLUMNS))
    frame["used"] = frame["used"].astype("boolean")
    frame["n_cells"] = frame["n_cells"].astype("Int64")
    return frame
