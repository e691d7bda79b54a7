"""The analysis: how hard and how telling each item is, how able each model, and how sure that is with few models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import pandas as pd

from click_stats import __version__
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.bayes.model import Sampling
from click_stats.stats.irt import alternatives, assessment, posterior, rasch, rows, sampled
from click_stats.stats.irt.data import AUTO_2PL, FEWEST_2PL, Answers, Aside, Floor, Model, prepare
from click_stats.stats.irt.maximise import MOST_SD
from click_stats.stats.tools.intervals import check_level

if TYPE_CHECKING:
    from click_stats.counts import Counts, Denominator

TABLES = {
    "estimates": rows.ESTIMATES,
    "abilities": rows.ABILITIES,
    "information": assessment.INFORMATION,
    "groups": rows.GROUPS,
    "fit": rows.FIT,
    "dependence": assessment.DEPENDENCE,
    "comparison": rows.COMPARISON,
}
Engine = Literal["marginal", "conditional", "mcmc"]
CONDITIONAL: Engine = "conditional"
METHOD = (
    "Hierarchical item response model on counts; difficulties on a grid and normal abilities, each averaged over the "
    "other, with empirical Bayes priors; central posterior intervals."
)

NOT_SETTLED = (
    "The item response model did not settle in {n} steps, so that no number of it is given. Use more models or items, "
    "or leave the floor out (floor=none)."
)
UNBOUNDED = (
    "The models hardly differ: the spread of difficulties ran to its bound, and only their order is to be trusted."
)


def irt(
    counts: Counts,
    *,
    model: Model = "auto",
    engine: Engine = "marginal",
    floor: Floor = "chance",
    categories: bool = True,
    passages: bool = True,
    draws: int = 2000,
    tune: int = 1000,
    chains: int = 4,
    level: float = 0.95,
    denominator: Denominator = "responded",
    seed: int = 0,
) -> Result:
    """Estimate difficulty and discrimination of items and abilities of models.

    Parameters
    ----------
    counts
        The answers. People (``kind`` human) take no part.
    model
        ``1pl``, ``2pl``, or ``auto``: the 2PL from 50 models. It is refused below 20.
    engine
        ``marginal``: the hierarchical model, for counts and missing answers. ``conditional``: the Rasch model by
        conditional maximum likelihood, for complete answers with one trial per item, without a floor and without
        levels by category and passage. ``mcmc``: the hierarchical model sampled by NUTS (extra ``bayes``).
    floor
        ``chance``: a model without any ability is right with probability 1 over the number of options; ``none``.
    categories
        Whether difficulties have a mean, and models a level, for each category.
    passages
        Whether models have a level for each passage with several items (testlets).
    draws, tune, chains
        Of ``mcmc``: draws kept and tuning steps of each chain.
    level
        Of the intervals.
    denominator
        Which trials count.
    seed
        Of the draws for intervals of ranks and for predictive checks.

    Returns
    -------
    Result
        ``estimates``: one row per item. ``abilities``: by model, overall and by category. ``information``: of the
        test, along ability. ``groups``: difficulty by category and source. ``fit``: checks of the model.
        ``dependence``: items on one passage. ``comparison``: what the model adds over raw proportions. When the data
        do not allow it, all are empty and ``meta`` has the reason.

    Raises
    ------
    UsageError
        An unknown parameter, a 3PL, or a conditional 2PL or floor.
    MissingDependencyError
        ``mcmc`` without PyMC.
    """
    _check(model, engine, floor, level)
    given_scores = engine == CONDITIONAL
    meta: dict[str, Any] = {
        "method": rasch.MEANING if given_scores else METHOD, "version": __version__, "model": model, "engine": engine,
        "floor": floor, "categories": categories, "passages": passages, "level": level, "denominator": denominator,
        "seed": seed,
        "digests": dict(counts.meta.get("digests", {})), "warnings": list(counts.meta.get("warnings", [])),
        "diagnostics": {}, "reason": "",
    }  # fmt: skip
    try:
        answers = prepare(counts, floor=floor, categories=categories, passages=passages, denominator=denominator)
        meta["model"] = "1pl" if given_scores else _chosen(model, answers)
        if given_scores:
            fitted = rasch.describe(answers.responses, level)
    except Aside as error:
        return _aside(meta, error.what)
    weighed, correlation, others = answers.responses, 0.0, []
    if not given_scores:
        chosen = alternatives.choose(answers.responses, slopes=meta["model"] == "2pl")
        fitted = posterior.describe(chosen.fit, chosen.responses, level, seed)
        weighed, correlation, others = chosen.responses, chosen.correlation, chosen.rows
        meta["diagnostics"] = {
            "steps": chosen.fit.steps, "converged": chosen.fit.converged, "correlation_in_cell": correlation,
            "passages": bool(weighed.leaf_passage.any()), "standard_deviations": fitted.spread,
        }  # fmt: skip
        if not chosen.fit.converged:
            return _aside(meta, NOT_SETTLED.format(n=chosen.fit.steps))
        if chosen.fit.prior.sd >= MOST_SD:
            meta["warnings"].append(UNBOUNDED)
        if engine == "mcmc":
            sampling = Sampling(draws, tune, chains, sampled.TARGET_ACCEPT, seed=seed)
            try:
                fitted = sampled.fitted(weighed, fitted, level, sampling, slopes=meta["model"] == "2pl")
            except Aside as error:
                return _aside(meta, error.what)
            meta |= {"method": sampled.MEANING, "draws": draws, "tune": tune, "chains": chains}
    assessed = assessment.assess(counts, answers, weighed, fitted, dispersion=correlation, level=level, seed=seed)
    items = rows.summarise(answers, fitted, assessed.squares, assessed.flags, level)
    tables = {
        "estimates": rows.item_rows(counts, answers, items, level, fitted.method),
        "abilities": rows.ability_rows(answers, fitted, level),
        "information": assessed.information,
        "groups": rows.group_rows(counts, answers, items, level),
        "fit": pd.concat([assessed.fit, rows.fit_rows(others, answers)], ignore_index=True),
        "dependence": assessed.dependence,
        "comparison": rows.comparison_rows(counts, answers, items),
    }
    summary = {
        "n_units": len(answers.units),
        "n_items": len(answers.items),
        "n_items_estimable": int(items.estimable.sum()),
        "model": meta["model"],
    }
    return Result("irt", tables, summary, meta)


def _chosen(model: Model, answers: Answers) -> str:
    n_units = len(answers.units)
    if model == "auto":
        return "2pl" if n_units >= AUTO_2PL else "1pl"
    if model == "2pl" and n_units < FEWEST_2PL:
        raise Aside(
            f"A discrimination for each item is not estimated from {n_units} models: it needs at least {FEWEST_2PL}. "
            "Use the 1PL, which has one discrimination for all items."
        )
    return model


def _check(model: str, engine: str, floor: str, level: float) -> None:
    check_level(level)
    if model == "3pl":
        raise UsageError(
            "A 3PL, with a floor for every item, is not fitted: no number of models that is at hand tells a floor from "
            "an easy item.",
            do="Use floor='chance', which fixes the floor at 1 over the number of options.",
        )
    stated = (
        ("model", model, get_args(Model)),
        ("engine", engine, get_args(Engine)),
        ("floor", floor, get_args(Floor)),
    )
    for name, value, known in stated:
        if value not in known:
            raise UsageError(f"There is no {name} {value!r}.", do="Use one of: " + ", ".join(known) + ".")
    if engine == CONDITIONAL and (floor != "none" or model == "2pl"):
        raise UsageError(
            "Conditional maximum likelihood is of the Rasch model: it knows neither a floor nor discriminations.",
            do="Use model='1pl', floor='none' with engine='conditional'.",
        )


def _empty(name: str) -> pd.DataFrame:
    return pd.DataFrame(columns=list(TABLES[name]))


def _aside(meta: dict[str, Any], reason: str) -> Result:
    meta["reason"] = reason
    meta["warnings"].append(reason)
    return Result("irt", {name: _empty(name) for name in TABLES}, {}, meta)
