"""Size and corpus by the Bayesian mixed model: sampled once, judged under three priors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from click_stats import __version__
from click_stats.errors import UsageError
from click_stats.results import Result
from click_stats.stats.bayes import checks, effects, gate, priors
from click_stats.stats.bayes.data import REQUIRED, BayesData, check_random, prepare, terms_of
from click_stats.stats.bayes.draws import Draws
from click_stats.stats.bayes.effects import K_HAT_MOST, Posterior
from click_stats.stats.bayes.evidence import DISAGREE, agreed, over_priors, rope
from click_stats.stats.bayes.model import Engine, Sampler, Sampling, chosen_engine, need_bayes
from click_stats.stats.bayes.predictors import Aside
from click_stats.stats.bayes.store import save_draws
from click_stats.stats.tools.intervals import check_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from click_stats.counts import Counts, Denominator

ESTIMATES = (
    "term", "base", "prior_sd", "estimate", "conf_low", "conf_high", "conf_level", "logit", "logit_sd", "logit_low",
    "logit_high", "p_positive", "margin", "p_inside", "verdict", "evidence", "n_units", "n_items", "n_trials", "reason",
)  # fmt: skip
PRIORS = (
    "term", "prior_sd", "logit", "logit_sd", "logit_low", "logit_high", "estimate", "conf_low", "conf_high",
    "conf_level", "bayes_factor", "bayes_factor_error", "bayes_factor_bound", "evidence", "verdict", "p_inside", "how",
    "k_hat", "reason",
)  # fmt: skip
PARAMETERS = ("parameter", "prior", "logit", "logit_sd", "logit_low", "logit_high", "conf_level", "n_values")
DENSITY = ("term", "prior_sd", "logit", "density", "prior_density")
MODELS = ("unit", "n_items", "n_trials", "used", "reason")
TABLES = {
    "estimates": ESTIMATES,
    "priors": PRIORS,
    "parameters": PARAMETERS,
    "diagnostics": gate.COLUMNS,
    "checks": checks.COLUMNS,
    "models": MODELS,
    "density": DENSITY,
}
METHOD = (
    "Binomial-logit model with items and models random, sampled by NUTS; effects of models in logits and in average "
    "points; Savage-Dickey Bayes factors under several priors; region of practical equivalence."
)


class Settings(NamedTuple):
    """What all parts share."""

    margin: float | None
    priors: tuple[float, ...]
    level: float
    random: tuple[str, ...]
    sampling: Sampling

    @property
    def chosen(self) -> int:
        """Position of the prior that is sampled: the middle one."""
        return (len(self.priors) - 1) // 2


def bayes(
    counts: Counts,
    *,
    fixed: str = "",
    random: Sequence[str] = REQUIRED,
    margin: float | None = None,
    draws: int = 4000,
    tune: int = 1000,
    chains: int = 4,
    priors: Sequence[float] = (0.25, 0.5, 1.0),
    level: float = 0.95,
    max_items: int | None = 500,
    denominator: Denominator = "responded",
    target_accept: float = 0.9,
    engine: Engine = "auto",
    save: str = "",
    seed: int = 0,
) -> Result:
    """Estimate what size and corpus of models do, and weigh the evidence that they do nothing.

    The model is that of ``mixed``: correct of trials of model m on item i are binomial with
    ``logit p = level of m + ease of i``; levels are normal around the effects of the models' predictors, eases around
    those of the items' (the category). It is sampled under the middle prior; the others reweight these draws where that
    is sound (k-hat at most 0.7), else they are sampled as well.

    Parameters
    ----------
    counts
        The answers, with the facts of the models. Models without a fact that is needed are left out by name.
    fixed
        Predictors joined by ``+``: facts of models (``log10_params``, ``log10_active``, ``corpus``, ``access``, ...),
        columns of items, and interactions: ``log10_params:corpus``, ``category:log10_params`` (the effect of size by
        category). Empty: category, size and corpus, as far as the models allow.
    random
        ``item`` and ``model``; also ``passage``, ``model:category`` (or ``model:domain``, ``model:source``),
        ``family``, ``cell`` (over-dispersion). An interaction with a column of items adds the model by that column.
    margin
        Largest effect that counts as none, as a share (0.02 is two points); None asks for no equivalence.
    draws, tune, chains, target_accept
        Of the sampler.
    priors
        Standard deviations, in logits, of the normal priors of the effects of models.
    level
        Probability of the central posterior intervals.
    max_items
        Most items to sample with, drawn within categories; None takes all.
    denominator
        Which trials count.
    engine
        ``nutpie``, ``pymc``, or ``auto``: nutpie where it is installed.
    save
        Path of a netCDF file for the draws; empty saves none.
    seed
        Of the items drawn, the chains and the checks.

    Returns
    -------
    Result
        ``estimates``: each effect of models under the middle prior, its verdict and what all priors agree on.
        ``priors``: the same under each prior, with Bayes factors of no effect against an effect. ``parameters``: level
        and standard deviations. ``diagnostics``: R-hat, effective draws, divergences. ``checks``: posterior predictive.
        ``models``: who took part. ``density``: curves for the figure. When the data do not allow it, or the chains did
        not converge, the first two are empty and ``meta`` has the reason.

    Raises
    ------
    UsageError
        An unknown column or random effect, or a parameter out of range.
    MissingDependencyError
        PyMC or ArviZ is not installed.
    """
    sampling = Sampling(draws, tune, chains, target_accept, engine, seed)
    settings = Settings(margin, tuple(sorted(priors)), level, tuple(random), sampling)
    _check(counts, settings, fixed, max_items, save)
    need_bayes()
    meta = _meta(counts, settings, denominator, fixed, max_items)
    try:
        data = prepare(
            counts, fixed=fixed, random=settings.random, max_items=max_items, denominator=denominator, seed=seed
        )
    except Aside as error:
        return _aside(meta, error.what)
    meta["warnings"] += data.notes
    meta["random"] = list(data.random)
    models = _models(data)
    if not data.of_models.names:
        return _aside(meta, "No effect of models was asked for.", models=models)
    sampler = Sampler(data, settings.priors[settings.chosen], sampling)
    idata = sampler.sample()
    if save:
        save_draws(idata, data, meta, settings.priors[settings.chosen], Path(save))
        meta["saved"] = Path(save).name
    return judge(idata, data, settings, meta)


def judge(idata: Any, data: BayesData, settings: Settings, meta: dict[str, Any]) -> Result:
    """Return the result of draws under the middle prior (:class:`arviz.InferenceData`), if they may be believed."""
    sampled_sd = settings.priors[settings.chosen]
    found_gate = gate.gate(idata, sampled_sd)
    models = _models(data)
    meta["diagnostics"] = {"problems": list(found_gate.problems)}
    if not found_gate.passed:
        return _refused(found_gate, meta, models)
    drawn = Draws.of(idata, data)
    under: list[Posterior] = []
    gates = [found_gate.rows]
    for sd in settings.priors:
        one = effects.posterior(drawn, data, sd, sampled_sd, settings.sampling.seed)
        if one.how == "reweighted" and not one.k_hat <= K_HAT_MOST:
            again = Sampler(data, sd, settings.sampling).sample()
            other = gate.gate(again, sd)
            gates.append(other.rows)
            if not other.passed:
                return _refused(replace(other, rows=pd.concat(gates, ignore_index=True)), meta, models)
            one = effects.posterior(Draws.of(again, data), data, sd, sd, settings.sampling.seed)
        under.append(one)
    rows = priors.rows(under, data, settings.margin, settings.level)
    repeats, probability = checks.replicates(drawn, data, settings.sampling.seed)
    predictive = checks.predictive(repeats, probability, data, settings.level)
    meta["warnings"] += checks.remarks(predictive)
    tables = {
        "estimates": _estimates(rows, data, settings),
        "priors": rows.reindex(columns=list(PRIORS)),
        "parameters": priors.parameters(idata, settings.level, sampled_sd),
        "diagnostics": pd.concat(gates, ignore_index=True),
        "checks": predictive,
        "models": models,
        "density": priors.density(under, data),
    }
    return Result("bayes", tables, _summary(tables["estimates"], data), meta)


def _estimates(rows: pd.DataFrame, data: BayesData, settings: Settings) -> pd.DataFrame:
    found = []
    chosen = settings.priors[settings.chosen]
    for name in data.effects:
        own = rows[rows["term"] == name].reset_index(drop=True)
        row = own[own["prior_sd"] == chosen].iloc[0].to_dict()
        verdicts = [
            rope(low, high, settings.margin) for low, high in zip(own["conf_low"], own["conf_high"], strict=True)
        ]
        verdict = over_priors(verdicts, settings.chosen)
        kind = agreed(list(own["evidence"]))
        why = [verdict.reason]
        if kind == "":
            why += list(own.loc[own["evidence"] == "", "reason"])[:1]
        row |= {"base": data.base(name), "margin": settings.margin, "verdict": verdict.verdict}
        row |= {"evidence": kind, "n_units": len(data.models), "n_items": len(data.items)}
        row |= {"n_trials": int(data.trials.sum()), "reason": "; ".join(text for text in why if text)}
        found.append(row)
    return pd.DataFrame(found).reindex(columns=list(ESTIMATES))


def _models(data: BayesData) -> pd.DataFrame:
    rows: list[dict[str, Any]] = [
        {"unit": unit, "n_items": int((data.trials[k] > 0).sum()), "n_trials": int(data.trials[k].sum()),
         "used": True, "reason": ""}
        for k, unit in enumerate(data.models)
    ]  # fmt: skip
    rows += [
        {"unit": unit, "n_items": 0, "n_trials": 0, "used": False, "reason": why} for unit, why in data.left_out.items()
    ]
    return pd.DataFrame(rows, columns=list(MODELS))


def _empty(name: str) -> pd.DataFrame:
    return pd.DataFrame(columns=list(TABLES[name]))


def _aside(meta: dict[str, Any], reason: str, **tables: pd.DataFrame) -> Result:
    meta["reason"] = reason
    meta["warnings"].append(reason)
    return Result("bayes", {name: tables.get(name, _empty(name)) for name in TABLES}, {"n_effects": 0}, meta)


def _refused(found: gate.Gate, meta: dict[str, Any], models: pd.DataFrame) -> Result:
    meta["advice"] = found.advice
    reason = f"The chains did not converge: {'; '.join(found.problems)}. {found.advice}"
    return _aside(meta, reason, diagnostics=found.rows, models=models)


def _summary(estimates: pd.DataFrame, data: BayesData) -> dict[str, Any]:
    return {
        "n_effects": len(estimates),
        "n_units": len(data.models),
        "n_items": len(data.items),
        "verdicts": dict(zip(estimates["term"], estimates["verdict"], strict=True)),
        "evidence": dict(zip(estimates["term"], estimates["evidence"], strict=True)),
        "priors_agree": not (estimates["evidence"] == DISAGREE).any(),
    }


def _meta(counts: Counts, settings: Settings, denominator: str, fixed: str, max_items: int | None) -> dict[str, Any]:
    run = settings.sampling
    return {
        "method": METHOD,
        "version": __version__,
        "engine": chosen_engine(run.engine),
        "fixed": fixed,
        "random": list(settings.random),
        "priors": list(settings.priors),
        "prior_sd": settings.priors[settings.chosen],
        "margin": settings.margin,
        "level": settings.level,
        "draws": run.draws,
        "tune": run.tune,
        "chains": run.chains,
        "target_accept": run.target_accept,
        "max_items": max_items,
        "seed": run.seed,
        "denominator": denominator,
        "digests": dict(counts.meta.get("digests", {})),
        "warnings": list(counts.meta.get("warnings", [])),
        "diagnostics": {},
    }


def _check(counts: Counts, settings: Settings, fixed: str, max_items: int | None, save: str) -> None:
    run = settings.sampling
    check_level(settings.level)
    check_random(settings.random)
    terms_of(counts, fixed)
    for name, value, least in (("draws", run.draws, 100), ("tune", run.tune, 100), ("chains", run.chains, 2)):
        if value < least:
            raise UsageError(f"{name} must be at least {least}.", found=str(value))
    if not 0.5 <= run.target_accept < 1.0:
        raise UsageError("target_accept lies between 0.5 and 1.", found=str(run.target_accept))
    if not settings.priors or not all(np.isfinite(sd) and sd > 0 for sd in settings.priors):
        raise UsageError("priors are positive standard deviations.", found=str(list(settings.priors)))
    if len(set(settings.priors)) < len(settings.priors):
        raise UsageError("A prior is given twice.", found=str(list(settings.priors)))
    if settings.margin is not None and not 0.0 < settings.margin < 1.0:
        raise UsageError("margin is a share between 0 and 1.", found=str(settings.margin), do="Two points are 0.02.")
    if max_items is not None and max_items < 2:
        raise UsageError("max_items must be at least 2.", found=str(max_items))
    if save and not Path(save).absolute().parent.is_dir():
        raise UsageError("The folder for the draws is not there.", found=str(Path(save).parent), do="Make it first.")
