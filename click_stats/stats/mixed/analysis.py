"""Scale and corpus with items and models as random effects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from click_stats.errors import DataError, UsageError
from click_stats.results import Result
from click_stats.stats.glmm import ConvergenceError
from click_stats.stats.mixed import (
    confounding,
    contrasts,
    effects,
    likelihood_ratio,
    predictions,
    random_effects,
    structures,
)
from click_stats.stats.mixed.cells import (
    ACCESS,
    CORPUS,
    FORMULAS,
    JOINT,
    SCALE,
    THRESHOLD,
    WITHIN,
    Cells,
    Parameters,
    cells,
    choose,
)
from click_stats.stats.mixed.formula import Parts, split
from click_stats.stats.mixed.levels import ModelLevels, model_levels
from click_stats.stats.mixed.one_stage import one_stage_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

METHOD = (
    "Logistic mixed model of correct answers, items random: the models' levels with fixed effects of models (Laplace), "
    "then their regression with the variance over models by REML; t with models less all model-level coefficients."
)
DESIGNS = (SCALE, CORPUS, JOINT, ACCESS, WITHIN, THRESHOLD)
COLUMNS = {
    "estimates": effects.COLUMNS,
    "models": effects.MEMBERS,
    "contrasts": contrasts.COLUMNS,
    "changes": contrasts.CHANGED,
    "structures": structures.COLUMNS,
    "tests": likelihood_ratio.COLUMNS,
    "predictions": predictions.PREDICTED,
    "pairs": predictions.PAIRS,
    "confounded": ("design", "note"),
    "separation": ("term", "separated_by", "n_cells"),
}
FEW = "{n} models have answers, but a mixed model needs 2 or more."


def mixed(
    counts: Counts,
    *,
    fixed: str = "",
    random: Sequence[str] | None = None,
    parameters: Parameters = "total",
    threshold: float | Sequence[float] | None = None,
    denominator: Denominator = "responded",
    margin: float | None = None,
    alpha: float = 0.05,
    level: float = 0.95,
    seed: int = 0,
) -> Result:
    """Estimate effects of size, corpus and access on correct answers, items and models being random.

    First a logistic mixed model with fixed effects of category and models and random items gives the level of each
    model on the same items; then the levels are regressed on what is known of the models, with the variance over models
    by REML. Such effects belong to models, so t has models less all model-level coefficients (the intercept too) as
    degrees of freedom. The z test with the variance over models by maximum likelihood stands beside it (``p_wald``):
    with few models it rejects too often. There is no correction over designs, and no effect is a causal one.

    Parameters
    ----------
    counts
        The answers, with the facts of the models (``parameters, korean_corpus, family, base_model, access, tuned``).
    fixed
        Fixed effects, such as ``category + log10_params + corpus``, of one design instead of the usual ones: columns of
        items (``category, domain, source``) and facts of models (``log10_params``, ``corpus``, ``access``, ``family``,
        ``above_threshold``). A term that joins both (``category:log10_params``) is fitted in one stage by restricted
        likelihood.
    random
        Random effects: ``item`` and ``model``, and ``model:category``, ``cell`` (over-dispersion of a model on an item)
        or ``passage``. When None: item and model, the errors of the levels multiplied by each model's dispersion where
        most cells have two or more trials.
    parameters
        Whether size is ``total`` or ``active`` parameters.
    threshold
        Size in billions at which the slope may change, or several; the middle one of the sizes when None.
    denominator
        Which trials count.
    margin
        Margin of equivalence of an effect, as a share; None asks for no equivalence.
    alpha
        Two-sided level of the tests.
    level
        Confidence level of the intervals.
    seed
        Of the arrangements drawn when there are too many to enumerate.

    Returns
    -------
    Result
        ``estimates``: each model-level effect in logits and in points (averaged over the answers), with its tests.
        ``models``: which models each design uses, their levels, what the regression says of them, and why others are
        left out. ``contrasts``: derived models less their base on shared items, and what lies between them (tuning,
        pretraining); ``changes``: their means by kind of change. ``structures``: the effect with one random effect less
        or more, and on cell logits. ``tests``: likelihood-ratio tests of random effects and of fixed effects of items.
        ``predictions``: accuracies by model and category with shrinkage. ``pairs``: differences of any two models or
        families, p corrected by Holm. ``confounded``: what goes together with what. ``separation``: what has no finite
        estimate. Tables are empty, with ``meta["reason"]``, when the model cannot be fitted.

    Raises
    ------
    UsageError
        A level, margin or threshold out of range, an unknown column or random effect.
    """
    knots = () if threshold is None else (threshold,) if isinstance(threshold, (int, float)) else tuple(threshold)
    _check(margin, alpha, level, knots, seed)
    random_effects.check(random)
    meta: dict[str, Any] = {
        "method": METHOD,
        "fixed": fixed,
        "random": None if random is None else list(random),
        "parameters": parameters,
        "denominator": denominator,
        "margin": margin,
        "alpha": alpha,
        "level": level,
        "seed": seed,
    }
    warnings = list(counts.meta.get("warnings", []))
    found = cells(counts, parameters=parameters, denominator=denominator, threshold=knots)
    if found is None or len(found.units) < 2:
        return _aside(FEW.format(n=0 if found is None else len(found.units)), meta, warnings)
    parts = split(fixed, list(found.units.columns)) if fixed.strip() else None
    categories = "category" if len(set(found.data.columns["category"])) > 1 else ""
    of_items = parts.items if parts else categories
    chosen = random_effects.PLAIN if random is None else tuple(random)
    beside = tuple(name for name in chosen if name != random_effects.MODEL)
    try:
        levels = model_levels(found.data, fixed=of_items, random=beside)
        stages = structures.first_stages(found.data, levels, of_items, random)
    except (ConvergenceError, DataError) as error:
        return _aside(" ".join(filter(None, (error.what, error.do))), meta, warnings)
    meta["random"] = list(chosen)
    meta["threshold"] = list(found.knots)
    settings = effects.Settings(chosen, margin, alpha, level, seed)
    tables, notes = _tables(found, stages, levels, parts, of_items, settings)
    warnings += dict.fromkeys([*levels.notes, *notes])
    estimates = tables["estimates"]
    if not estimates["effect_logit"].notna().any() and len(estimates):
        warnings.append(f"No test between models: {estimates['reason'].iloc[0]}.")
    return Result("mixed", tables, _summary(estimates), meta | {"warnings": warnings})


def _tables(
    found: Cells,
    stages: structures.FirstStages,
    levels: ModelLevels,
    parts: Parts | None,
    of_items: str,
    settings: effects.Settings,
) -> tuple[dict[str, pd.DataFrame], list[str]]:
    notes: list[str] = []
    if parts is not None and parts.crossed:
        chosen = choose(found.units, parts.names)
        formula = " + ".join(filter(None, (parts.items, parts.models)))
        rows = one_stage_rows(found, chosen, formula, parts.names, settings)
        members: list[dict[str, Any]] = []
        designs: tuple[str, ...] = ()
    else:
        designs = DESIGNS if parts is None else (parts.models,) if parts.models else ()
        if parts is None and not found.knots:
            designs = tuple(name for name in designs if name != THRESHOLD)
        rows, members, notes = effects.effect_rows(found, levels, designs, settings)
        if parts is None:
            rows.append(contrasts.permuted_corpus(found, levels, settings))
    made: dict[str, list[dict[str, Any]]] = {"estimates": rows, "models": members}
    made["contrasts"], made["changes"] = contrasts.derived_rows(found, levels, settings)
    main = _main(rows, parts)
    made["structures"] = structures.structure_rows(stages, found, main, settings) if main else []
    finite = found.units.loc[list(levels.models)]
    used = finite.loc[list(choose(finite, effects.columns_of(main)).used)] if main else finite
    made["tests"] = likelihood_ratio.likelihood_ratios(stages, used, main, found.data, of_items)
    try:
        made["predictions"], made["pairs"], more = predictions.predictions(found, stages.random, settings)
        notes += more
    except (ConvergenceError, DataError, UsageError) as error:
        made["predictions"], made["pairs"] = [], []
        notes.append(f"No predictions: {error.what}")
    made["confounded"] = [
        {"design": design, "note": text}
        for design in (designs if parts is None else ())
        for text in confounding.notes(_facts(found, rows, members, design), design, found.knots)
    ]
    made["separation"] = _separation(levels)
    frames = {name: _frame(made[name], columns) for name, columns in COLUMNS.items()}
    return frames, notes


def _separation(levels: ModelLevels) -> list[dict[str, Any]]:
    """Return what the first stage could not give a finite estimate: levels, or else coefficients."""
    found = levels.fit.separation
    if found is None:
        return []
    rows: list[dict[str, Any]] = [
        {
            "term": f"{one.column}[{one.level}]",
            "separated_by": "every trial right" if one.right else "every trial wrong",
            "n_cells": one.n_cells,
        }
        for one in found.levels
    ]
    combined = {"separated_by": "a combination of effects", "n_cells": int(found.cells.sum())}
    return rows or [{"term": name} | combined for name in found.coefficients]


def _main(rows: list[dict[str, Any]], parts: Parts | None) -> str:
    """Return the model-level formula whose effect is shown under other random structures."""
    if parts is not None:
        return "" if parts.crossed or not any(row.get("term") for row in rows) else parts.models
    fitted = {row["design"] for row in rows if row.get("term")}
    return next((FORMULAS[name] for name in (JOINT, SCALE, CORPUS, ACCESS) if name in fitted), "")


def _facts(found: Cells, rows: list[dict[str, Any]], members: list[dict[str, Any]], design: str) -> pd.DataFrame:
    """Return the facts of the models that a fitted design uses; none when it has no estimate."""
    fitted = any(row["design"] == design and row.get("term") for row in rows)
    used = [row["unit"] for row in members if row["design"] == design and row["used"]] if fitted else []
    return found.units.reindex(columns=list(confounding.FACTS)).loc[used]


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    for name in ("reason", "note"):
        if name in frame:
            frame[name] = frame[name].astype(object).where(frame[name].notna(), None)
    if "verdict" in frame:
        frame["verdict"] = frame["verdict"].astype(object).where(frame["verdict"].notna(), "not decided")
    return frame


def _aside(reason: str, meta: dict[str, Any], warnings: list[str]) -> Result:
    tables = {name: pd.DataFrame(columns=list(columns)) for name, columns in COLUMNS.items()}
    return Result("mixed", tables, {}, meta | {"reason": reason, "warnings": [*warnings, reason]})


def _summary(estimates: pd.DataFrame) -> dict[str, Any]:
    part = estimates[(estimates["term"] == "log10_params") & estimates["design"].isin([SCALE, JOINT])]
    if not len(part):
        return {}
    row = part.iloc[0]
    return {f"scale_{key}": row[key] for key in ("n_units", "effect_logit", "estimate", "df", "p_value", "verdict")}


def _check(margin: float | None, alpha: float, level: float, threshold: Sequence[float], seed: int) -> None:
    for what, value in (("alpha", alpha), ("level", level)):
        if not 0 < value < 1:
            raise UsageError(
                f"The {what} must lie between 0 and 1.", found=str(value), do="Use for example 0.05 or 0.95."
            )
    if margin is not None and not 0 < margin < 1:
        raise UsageError("A margin is a share above 0 and below 1.", found=str(margin), do="2 points are 0.02.")
    for knot in threshold:
        if not knot > 0:
            raise UsageError("A threshold is a size in billions above 0.", found=str(knot), do="Use for example 7.")
    if seed < 0:
        raise UsageError("A seed is a whole number from 0.", found=str(seed), do="Use for example 0.")
