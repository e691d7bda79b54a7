"""The effect of models under other random effects: first stages with one effect less or more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from click_stats.errors import DataError
from click_stats.stats.glmm import ConvergenceError
from click_stats.stats.glmm.data import CELL, ITEM, PASSAGE
from click_stats.stats.mixed.cells import choose
from click_stats.stats.mixed.effects import SHARED, columns_of, shared_by_family, without_test
from click_stats.stats.mixed.levels import model_levels
from click_stats.stats.mixed.linear import linear_rows
from click_stats.stats.mixed.points import in_points
from click_stats.stats.mixed.random_effects import FAMILY, MODEL, MODEL_CATEGORY, PLAIN, richest
from click_stats.stats.mixed.second_stage import SecondStage, second_stage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from click_stats.stats.glmm import GlmmData
    from click_stats.stats.mixed.cells import Cells
    from click_stats.stats.mixed.effects import Settings
    from click_stats.stats.mixed.levels import ModelLevels

COLUMNS = (
    "structure", "term", "n_units", "effect_logit", "effect_logit_se", "effect_logit_low", "effect_logit_high",
    "estimate", "conf_low", "conf_high", "conf_level", "df", "p_value", "model_sd_logit", "note", "reason",
)  # fmt: skip
ONE_CATEGORY = "there is only one category"
NO_FAMILIES = "no family has two or more models, or one is not known"


@dataclass(frozen=True)
class FirstStages:
    """A first stage and those that differ from it by one random effect.

    Attributes
    ----------
    random
        Random effects of ``base``, ``model`` left out: it is in the second stage.
    base
        The first stage from which one effect at a time is taken, or to which one is added.
    others
        By effect, in a fixed order: the fit without it where ``base`` has it, else with it; or the reason why there is
        none.
    """

    random: tuple[str, ...]
    base: ModelLevels
    others: dict[str, ModelLevels | str]

    def structure(self, effect: str = "") -> str:
        """Return the random effects in words, with ``effect`` taken out or added."""
        names = [ITEM, MODEL, *(name for name in self.random if name != ITEM)]
        names = [name for name in names if name != effect] if effect in names else [*names, *filter(None, [effect])]
        return " + ".join(names)


class Effects(NamedTuple):
    """A fitted second stage under one structure, or the reason why there is none."""

    structure: str
    stage: SecondStage | None
    levels: ModelLevels | None
    reason: str


def first_stages(data: GlmmData, levels: ModelLevels, fixed: str, random: Sequence[str] | None) -> FirstStages:
    """Fit the first stage with each random effect taken out or added, one at a time.

    Parameters
    ----------
    data, levels, fixed
        Cells, the first stage of the analysis, and its fixed effects.
    random
        Random effects asked for. When None, the analysis has item and model, and effects are taken from or added to the
        richest model that the data allow: with over-dispersion left out, other effects would stand for it.
    """
    chosen = richest(data) if random is None else tuple(random)
    base = levels
    known: dict[str, ModelLevels | str] = {}
    if random is None and CELL in chosen:
        try:
            base = model_levels(data, fixed=fixed, random=(ITEM, CELL))
            known[CELL] = levels
        except (ConvergenceError, DataError) as error:
            chosen = PLAIN
            known[CELL] = error.what
    inner = tuple(name for name in chosen if name != MODEL)
    others: dict[str, ModelLevels | str] = {}
    for effect in (CELL, ITEM, PASSAGE, MODEL_CATEGORY):
        if effect in known:
            others[effect] = known[effect]
            continue
        if effect == MODEL_CATEGORY and len(set(data.columns["category"])) < 2:
            others[effect] = ONE_CATEGORY
            continue
        names = [name for name in inner if name != effect] if effect in inner else [*inner, effect]
        try:
            others[effect] = model_levels(data, fixed=fixed, random=names)
        except (ConvergenceError, DataError) as error:
            others[effect] = error.what
    return FirstStages(inner, base, others)


def structures(found: FirstStages, units: pd.DataFrame, formula: str) -> Iterator[Effects]:
    """Yield the second stage without and with effects of cells, then with one further random effect.

    Parameters
    ----------
    found
        First stages.
    units
        Facts of the models that the formula uses.
    formula
        Model-level fixed effects.
    """
    without = [CELL] if CELL in found.random else []
    for effect in (*without, "", *(name for name in found.others if name not in without)):
        if effect == ITEM:
            continue  # without items there is no common standard: tested, not shown
        name = found.structure(effect)
        levels = found.others[effect] if effect else found.base
        yield Effects(name, None, None, levels) if isinstance(levels, str) else _second(name, levels, units, formula)
    name = found.structure(FAMILY)
    family = units["family"]
    if family.isna().any() or not family.duplicated().any():
        yield Effects(name, None, None, NO_FAMILIES)
    else:
        yield _second(name, found.base, units, formula, list(family.astype(str)))


def _second(
    name: str, levels: ModelLevels, units: pd.DataFrame, formula: str, families: Sequence[str] | None = None
) -> Effects:
    try:
        stage = second_stage(levels.take([str(unit) for unit in units.index]), units, formula, families=families)
    except DataError as error:
        return Effects(name, None, None, error.what)
    return Effects(name, stage, levels, "")


def structure_rows(found: FirstStages, cells: Cells, formula: str, settings: Settings) -> list[dict[str, Any]]:
    """Return the rows of each term under each structure, in logits and points; t with models less coefficients.

    Logits grow when effects of cells are let in, points do not: they compare between structures.
    """
    names = columns_of(formula)
    units = cells.units.loc[list(choose(cells.units.loc[list(found.base.models)], names).used)]
    inside = cells.data.columns["model"].isin(list(units.index)).to_numpy()
    shared = [name for name in SHARED if name in names and shared_by_family(units, name)]
    rows: list[dict[str, Any]] = []
    for name, stage, levels, reason in structures(found, units, formula):
        if stage is None or levels is None:
            rows.append({"structure": name, "n_units": len(units), "reason": reason})
            continue
        fitted = levels.fit.fitted[inside]
        for term, one in stage.table(settings.level).iloc[1:].iterrows():
            rows.append(
                {
                    "structure": name,
                    "term": term,
                    "n_units": len(stage.models),
                    "effect_logit": one["estimate"],
                    "effect_logit_se": one["std_error"],
                    "effect_logit_low": one["conf_low"],
                    "effect_logit_high": one["conf_high"],
                    "estimate": in_points(one["estimate"], fitted),
                    "conf_low": in_points(one["conf_low"], fitted),
                    "conf_high": in_points(one["conf_high"], fitted),
                    "conf_level": settings.level,
                    "df": one["df"],
                    "p_value": one["p_value"],
                    "model_sd_logit": stage.sd,
                    "reason": None,
                }
            )
    rows += linear_rows(cells.data.take(inside), formula, names, settings.level)
    facts = [str(row.get("term", "")).split("[", maxsplit=1)[0] for row in rows]
    return [without_test(row, fact) if fact in shared else row for row, fact in zip(rows, facts, strict=True)]
