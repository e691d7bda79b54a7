"""Rows of the model-level effects: two stages, t with the degrees of freedom of the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from click_stats.errors import DataError
from click_stats.stats.mixed.cells import ABOVE, WITHIN, Cells, choose
from click_stats.stats.mixed.levels import ModelLevels
from click_stats.stats.mixed.permutation import within_blocks
from click_stats.stats.mixed.points import in_points
from click_stats.stats.mixed.second_stage import SecondStage, second_stage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import FloatArray

COLUMNS = (
    "design", "term", "base", "n_units", "n_families", "effect_logit", "effect_logit_se", "effect_logit_low",
    "effect_logit_high", "estimate", "conf_low", "conf_high", "conf_level", "df", "statistic", "p_value", "p_wald",
    "p_permutation", "p_least", "model_sd_logit", "knot", "verdict", "reason",
)  # fmt: skip
MEMBERS = (
    "unit", "design", "used", "effect_logit", "effect_logit_se", "dispersion", "parameters", "corpus", "fitted_logit",
    "fitted_logit_low", "fitted_logit_high", "reason",
)  # fmt: skip
FAMILY_LEVEL = {"corpus": "corpus, families as units", "access": "access, families as units"}
SHARED = {
    "corpus": "a corpus is shared by all models of a family, so its effect cannot be told from that of the family: no "
    "p-value from models",
    "access": "access is shared by all models of a family, so its effect cannot be told from that of the family: no "
    "p-value from models",
}
TESTED = (
    "effect_logit_se", "effect_logit_low", "effect_logit_high", "conf_low", "conf_high", "df", "statistic", "p_value",
    "p_wald",
)  # fmt: skip
FEW_FAMILIES = "with families as units no degree of freedom is left"
DEPENDENT = "the predictors cannot be told apart in these models"


class Settings(NamedTuple):
    """Arguments that all parts share."""

    random: tuple[str, ...]
    margin: float | None
    alpha: float
    level: float
    seed: int


def shared_by_family(units: pd.DataFrame, name: str) -> bool:
    """Tell whether families of several models have one value of a fact each, so that it goes with its families."""
    known = units.dropna(subset=["family", name])
    if not len(known) or not known["family"].duplicated().any():
        return False
    return bool(known.groupby("family")[name].nunique().max() == 1)


def without_test(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the row of a fact that goes with families: the estimate stays, what models as units say of it goes."""
    undefined = {column: np.nan for column in TESTED if column in row}
    said = {"reason": SHARED[name]} | ({"verdict": "not decided"} if "verdict" in row else {})
    return row | undefined | said


def effect_rows(
    found: Cells, levels: ModelLevels, designs: Sequence[str], settings: Settings
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str]]:
    """Return the rows of effects, the rows of models used by each design, and notes."""
    rows: list[dict[str, Any]] = []
    members: list[dict[str, Any]] = []
    notes: list[str] = []
    finite = found.units.loc[list(levels.models)]
    for design in designs:
        formula = found.formula(design)
        chosen = choose(finite, columns_of(formula))
        if chosen.reason:
            members += _members(found, levels, design, chosen.left_out)
            rows.append({"design": design, "n_units": len(chosen.used), "reason": chosen.reason})
            continue
        units = finite.loc[list(chosen.used)]
        fitted = _fitted(found, levels, chosen.used)
        try:
            stage = second_stage(levels.take(chosen.used), units, formula)
        except DataError as error:
            members += _members(found, levels, design, chosen.left_out)
            # The reason is that of the design; what the engine found in it goes to the notes.
            rows.append({"design": design, "n_units": len(units), "reason": DEPENDENT})
            notes.append(f"{design}: {error.what}")
            continue
        members += _members(found, levels, design, chosen.left_out, stage, settings.level)
        shared = [name for name in SHARED if name in columns_of(formula) and shared_by_family(units, name)]
        for one in _rows(design, stage, fitted, settings, units):
            row = one | _knot(found, one["term"])
            fact = one["term"].split("[", maxsplit=1)[0]
            if design == WITHIN:
                if fact == "log10_params":
                    rows.append(row | _permuted(stage, levels, units, settings))
            else:
                rows.append(without_test(row, fact) if fact in shared else row)
        if design in shared:
            rows += _families(levels, units, fitted, design, settings)
    return rows, members, notes


def _fitted(found: Cells, levels: ModelLevels, used: Sequence[str]) -> FloatArray:
    inside = found.data.columns["model"].isin(list(used)).to_numpy()
    return np.asarray(levels.fit.fitted[inside])


def columns_of(formula: str) -> tuple[str, ...]:
    """Return the columns that a formula names."""
    return tuple(dict.fromkeys(name.strip() for name in formula.replace("*", "+").replace(":", "+").split("+")))


def _knot(found: Cells, term: str) -> dict[str, Any]:
    """Return the size at which a slope changes, and one name for all such terms."""
    knot = found.knot(term)
    return {"knot": knot} if np.isnan(knot) else {"knot": knot, "term": ABOVE}


def _members(
    found: Cells,
    levels: ModelLevels,
    design: str,
    left: dict[str, str],
    stage: SecondStage | None = None,
    level: float = 0.95,
) -> list[dict[str, Any]]:
    """Return a row for each model: its level, whether the design uses it, and what the regression says of it."""
    rows = []
    facts = found.units
    for unit in [*facts.index, *found.left_out]:
        reason = found.left_out.get(unit) or left.get(unit, "")
        place = levels.models.index(unit) if unit in levels.models else None
        if place is None and not reason:
            reason = "no finite level: all right or all wrong"
        row: dict[str, Any] = {"unit": unit, "design": design, "used": not reason, "reason": reason or None}
        if unit in facts.index:
            size = facts.loc[unit, "log10_params"]
            row |= {"parameters": np.nan if pd.isna(size) else float(10.0**size), "corpus": facts.loc[unit, "corpus"]}
        if place is not None:
            error = float(np.sqrt(levels.covariance[place, place]))
            row |= {"effect_logit": float(levels.levels[place]), "effect_logit_se": error}
            row["dispersion"] = np.nan if levels.dispersion is None else float(levels.dispersion[place])
        if stage is not None and unit in stage.models:
            k = stage.models.index(unit)
            reach = float(stats.t.ppf(0.5 + level / 2, stage.df) * stage.fitted_se[k])
            at = float(stage.fitted[k])
            row |= {"fitted_logit": at, "fitted_logit_low": at - reach, "fitted_logit_high": at + reach}
        rows.append(row)
    return rows


def _rows(
    design: str, stage: SecondStage, fitted: FloatArray, settings: Settings, units: pd.DataFrame
) -> list[dict[str, Any]]:
    table = stage.table(settings.level)
    rows = []
    for term, one in table.iloc[1:].iterrows():
        name = str(term)
        column = name.split("[", maxsplit=1)[0]
        base = "" if "[" not in name else min(str(value) for value in units[column])
        row: dict[str, Any] = {
            "design": design,
            "term": name,
            "base": base,
            "n_units": len(stage.models),
            "n_families": len(set(units["family"].dropna())),
            "effect_logit": one["estimate"],
            "effect_logit_se": one["std_error"],
            "effect_logit_low": one["conf_low"],
            "effect_logit_high": one["conf_high"],
            "estimate": in_points(one["estimate"], fitted),
            "conf_low": in_points(one["conf_low"], fitted),
            "conf_high": in_points(one["conf_high"], fitted),
            "conf_level": settings.level,
            "df": one["df"],
            "statistic": one["statistic"],
            "p_value": one["p_value"],
            "p_wald": one["p_wald"],
            "model_sd_logit": stage.sd,
            "reason": None,
        }
        row["verdict"] = _verdict(row, fitted, settings)
        rows.append(row)
    return rows


def _verdict(row: dict[str, Any], fitted: FloatArray, settings: Settings) -> str:
    """Return the verdict: a difference by the t test, equivalence by the interval at 1 - 2 alpha inside the margin."""
    if not np.isfinite(row["p_value"]):
        return "not decided"
    if settings.margin is not None:
        reach = stats.t.ppf(1 - settings.alpha, row["df"]) * row["effect_logit_se"]
        ends = [in_points(row["effect_logit"] + side * reach, fitted) for side in (-1, 1)]
        if max(map(abs, ends)) < settings.margin:
            return "equivalent"
    return "separated" if row["p_value"] < settings.alpha else "not separated"


def _permuted(stage: SecondStage, levels: ModelLevels, units: pd.DataFrame, settings: Settings) -> dict[str, float]:
    own = levels.take(stage.models)
    known = units.loc[list(stage.models)]
    found = within_blocks(
        own.levels,
        known["log10_params"].to_numpy(dtype=np.float64),
        [str(one) for one in known["family"]],
        seed=settings.seed,
    )
    return {"p_permutation": found.p_value, "p_least": found.p_least}


def _families(
    levels: ModelLevels, units: pd.DataFrame, fitted: FloatArray, fact: str, settings: Settings
) -> list[dict[str, Any]]:
    """Return the effect of a fact of families with the mean of a family's models as one observation."""
    known = units.dropna(subset=["family"])
    own = levels.take(tuple(map(str, known.index)))
    names = sorted(set(known["family"].astype(str)))
    weights = np.array([(known["family"].astype(str) == name).to_numpy(dtype=np.float64) for name in names])
    weights /= weights.sum(axis=1, keepdims=True)
    means = ModelLevels(tuple(names), weights @ own.levels, weights @ own.covariance @ weights.T, levels.fit, ())
    facts = known.assign(family=known["family"].astype(str)).drop_duplicates("family").set_index("family")
    try:
        stage = second_stage(means, facts, fact)
    except DataError:
        return [{"design": FAMILY_LEVEL[fact], "n_units": len(known), "n_families": len(names), "reason": FEW_FAMILIES}]
    facts = facts.assign(family=facts.index)
    rows = _rows(FAMILY_LEVEL[fact], stage, fitted, settings, facts)
    for row in rows:
        row |= {"n_units": len(known), "n_families": len(names)}
    return rows
