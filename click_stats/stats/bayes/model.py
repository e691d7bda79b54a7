"""The model in PyMC, and its draws by nutpie or by PyMC's own sampler."""

from __future__ import annotations

import logging
import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from click_stats.errors import MissingDependencyError, UsageError
from click_stats.stats.bayes.cells import log_likelihood
from click_stats.stats.bayes.quick import rough

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from click_stats.counts import IntArray
    from click_stats.stats.bayes.data import BayesData

Engine = Literal["auto", "nutpie", "pymc"]

LEVEL_SD, ITEM_EFFECT_SD, SPREAD_SD = 1.5, 1.0, 1.0
"""Scales of the other priors: normal of the level and of item effects, half-normal of standard deviations."""
ATTENUATION = 256.0 / (75.0 * np.pi**2)
ONE_PROCESS = 3000
"""Cells below which PyMC's sampler runs its chains one after the other: starting processes would take longer."""
INSTALL = "Install the extra: pip install 'click-stats[bayes]'."


@dataclass(frozen=True)
class Sampling:
    """How to sample.

    Attributes
    ----------
    draws, tune, chains
        Kept draws and tuning steps of each chain.
    target_accept
        Acceptance that the step size is tuned for.
    engine
        ``auto`` is nutpie where it is installed, else PyMC.
    seed
        Of the chains.
    """

    draws: int = 4000
    tune: int = 1000
    chains: int = 4
    target_accept: float = 0.9
    engine: Engine = "auto"
    seed: int = 0


def need_bayes() -> None:
    """Raise MissingDependencyError when PyMC or ArviZ is not installed."""
    absent = [name for name in ("pymc", "arviz") if find_spec(name) is None]
    if absent:
        raise MissingDependencyError(
            "The Bayesian analysis samples with PyMC, which is not installed.",
            found="no " + ", ".join(absent),
            do=INSTALL,
        )


def chosen_engine(engine: Engine) -> Literal["nutpie", "pymc"]:
    """Return the sampler that ``engine`` stands for here."""
    if engine == "auto":
        return "nutpie" if find_spec("nutpie") else "pymc"
    if engine == "nutpie" and not find_spec("nutpie"):
        raise MissingDependencyError("The sampler nutpie is not installed.", do=INSTALL)
    if engine not in {"nutpie", "pymc"}:
        raise UsageError(f"There is no engine {engine!r}.", do="Use auto, nutpie or pymc.")
    return engine


@contextmanager
def quiet() -> Iterator[None]:
    """Keep notices about ArviZ and BLAS, and the progress that PyMC logs, off the reader's screen."""
    loggers = [logging.getLogger(name) for name in ("pymc", "pymc.sampling.mcmc", "pytensor")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
            # The model has hardly a matrix product: nothing is lost without BLAS.
            warnings.filterwarnings("ignore", message="PyTensor could not link to a BLAS", category=UserWarning)
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _quick(data: BayesData, correct: IntArray | None = None) -> dict[str, Any]:
    """Return what the quick fit says of those parts that the model has."""
    counts = data.correct if correct is None else correct
    found = rough(counts.astype(np.float64), data.trials, data.groups.codes)._asdict()
    return {name: values for name, values in found.items() if data.grouped or "group" not in name}


def _informed(pm: Any, pt: Any, name: str, mean: Any, sd: Any, hat: Any, about: Any, **shape: Any) -> Any:
    """Return normal effects N(mean, sd²), sampled as deviates of their approximate distribution given the data.

    The answers alone say N(hat, 1/about); with the prior that is a normal distribution of precision about + 1/sd². A
    deviate z of it is close to independent of mean and sd whether the data say much or little, where the centred form
    fails with little data and the non-centred one with much (``docs/methods/bayes.md``). The potential makes the
    effects exactly N(mean, sd²) a priori: it is log N(effect; mean, sd²) + log |d effect/d z| - log N(z; 0, 1).
    """
    z = pm.Normal(f"{name}_z", 0.0, 1.0, **shape)
    gain = 1.0 + about * sd**2
    deviation = about * sd * (hat - mean) / gain + z / pt.sqrt(gain)
    pm.Potential(f"{name}_prior", 0.5 * (z**2 - deviation**2 - pt.log(gain)).sum())
    return mean + sd * deviation


def build(data: BayesData, prior_sd: float) -> Any:
    """Return the model of ``data`` (:class:`pymc.Model`).

    With M models and I items, ``model_level`` is (M,) and ``item_ease`` (I,); the logit of a cell is the level of its
    model plus the ease of its item less the mean ease of all items, plus what else ``data.random`` names.
    """
    with quiet():
        import pymc as pm  # noqa: PLC0415 -- seconds to import, and an extra
        import pytensor.tensor as pt  # noqa: PLC0415

    coords = {
        "model": list(data.models),
        "item": list(data.items),
        "effect": list(data.of_models.names),
        "interaction": list(data.groups.names),
        "item_effect": list(data.of_items.names),
    }
    with pm.Model(coords=coords) as model:
        trials = pm.Data("trials", data.trials.astype(np.float64))
        correct = pm.Data("correct", data.correct.astype(np.float64))
        given: dict[str, Any] = {name: pm.Data(name, values) for name, values in _quick(data).items()}
        if "cell" in data.random:
            sd_cell = pm.HalfNormal("sd_cell", SPREAD_SD)
            given = _dispersed(pt, given, sd_cell)
        mean_model = pm.Normal("mean_level", 0.0, LEVEL_SD)
        if data.of_models.names:
            effects = pm.Normal("effects", 0.0, prior_sd, dims="effect")
            mean_model += pt.dot(data.of_models.matrix, effects)
        if "family" in data.random:
            spread = pm.HalfNormal("sd_family", SPREAD_SD)
            deviation = pm.Normal("family_z", 0.0, 1.0, shape=int(data.family.max()) + 1)
            mean_model += pm.Deterministic("family_effect", spread * deviation)[data.family]
        sd_model = pm.HalfNormal("sd_model", SPREAD_SD)
        level = _informed(
            pm, pt, "model", mean_model, sd_model, given["level_alone"], given["about"].sum(axis=1), dims="model"
        )
        pm.Deterministic("model_level", level, dims="model")
        ease = pm.Deterministic("item_ease", _eases(pm, pt, data, given), dims="item")
        # Their mean is not told apart from the levels of the models: it goes with them, or the chains crawl along it.
        logit = level[:, None] + (ease - ease.mean())[None, :]
        if data.grouped:
            column = data.groups.column
            mean: Any = 0.0
            if data.groups.names:
                mean = pt.dot(data.groups.matrix, pm.Normal("interactions", 0.0, prior_sd, dims="interaction"))
            spread = pm.HalfNormal(f"sd_model_{column}", SPREAD_SD)
            deviation = _informed(
                pm, pt, f"model_{column}", mean, spread, given["group_alone"],
                pt.dot(given["about"], np.eye(data.groups.n)[data.groups.codes]),
                shape=(len(data.models), data.groups.n),
            )  # fmt: skip
            pm.Deterministic(f"model_{column}", deviation)
            # Likewise the mean over groups goes with the model's level.
            logit += (deviation - deviation.mean(axis=1, keepdims=True))[:, data.groups.codes]
        # The likelihood but for the binomial coefficients; a cell without trials adds nothing.
        if "cell" in data.random:
            cells = log_likelihood(pt, correct, trials, logit, sd_cell)
        else:
            cells = correct * logit - trials * pt.softplus(logit)
        pm.Potential("likelihood", cells.sum())
    return model


def _dispersed(pt: Any, given: Mapping[str, Any], sd: Any) -> dict[str, Any]:
    """Return the quick fit as it is when the logits of cells vary by ``sd``.

    A logit averaged over a normal deviation is smaller by sqrt(1 + .346 sd²) (Zeger, Liang and Albert 1988), and a cell
    tells its mean with the variance of the deviation added.
    """
    wider = pt.sqrt(1.0 + ATTENUATION * sd**2)
    return {name: values * wider for name, values in given.items() if name != "about"} | {
        "about": 1.0 / (1.0 / given["about"] + sd**2)
    }


def _eases(pm: Any, pt: Any, data: BayesData, given: Mapping[str, Any]) -> Any:
    """Return the eases of the items (I,): normal about their predictors, and about their passage where one is shared.

    The passage of an item that shares it with none is not told apart from the item: both make up its variance.
    """
    mean: Any = np.zeros(len(data.items))
    if data.of_items.names:
        mean = pt.dot(data.of_items.matrix, pm.Normal("item_effects", 0.0, ITEM_EFFECT_SD, dims="item_effect"))
    sd: Any = pm.HalfNormal("sd_item", SPREAD_SD)
    about_item = given["about"].sum(axis=0)
    shared = data.passage >= 0
    if shared.any():
        spread = pm.HalfNormal("sd_passage", SPREAD_SD)
        member = np.eye(int(data.passage.max()) + 1)[data.passage[shared]]
        size = member.sum(axis=0)
        left = (given["ease_alone"] - mean)[shared]
        about = 1.0 / (sd**2 / size + 1.0 / pt.dot(member.T, about_item[shared]))
        effect = _informed(pm, pt, "passage", 0.0, spread, pt.dot(member.T, left) / size, about, shape=len(size))
        pm.Deterministic("passage_effect", effect)
        mean = mean + pt.dot(np.eye(len(data.items))[:, shared] @ member, effect)
        sd = pt.sqrt(sd**2 + np.where(shared, 0.0, 1.0) * spread**2)
    return _informed(pm, pt, "item", mean, sd, given["ease_alone"], about_item, dims="item")


class Sampler:
    """A model compiled once, to be sampled with these or other counts of the same shape."""

    def __init__(self, data: BayesData, prior_sd: float, sampling: Sampling) -> None:
        need_bayes()
        self.sampling = sampling
        self.engine = chosen_engine(sampling.engine)
        self.data = data
        self.model = build(data, prior_sd)
        self._compiled: Any = None
        if self.engine == "nutpie":
            with quiet():
                import nutpie  # noqa: PLC0415

                self._compiled = nutpie.compile_pymc_model(self.model)

    def sample(self, correct: IntArray | None = None, seed: int | None = None) -> Any:
        """Return the draws (:class:`arviz.InferenceData`), for other ``correct`` (M, I) where given."""
        run = self.sampling
        seed = run.seed if seed is None else seed
        with quiet():
            if self.engine == "nutpie":
                import nutpie  # noqa: PLC0415

                compiled = self._compiled if correct is None else self._compiled.with_data(**self._counts(correct))
                return nutpie.sample(
                    compiled, draws=run.draws, tune=run.tune, chains=run.chains, cores=_cores(run.chains), seed=seed,
                    target_accept=run.target_accept, progress_bar=False,
                )  # fmt: skip
            import pymc as pm  # noqa: PLC0415

            with self.model:
                if correct is not None:
                    pm.set_data(self._counts(correct))
                return pm.sample(
                    run.draws, tune=run.tune, chains=run.chains, random_seed=seed, target_accept=run.target_accept,
                    cores=1 if self.data.trials.size < ONE_PROCESS else _cores(run.chains), progressbar=False,
                    compute_convergence_checks=False,
                )  # fmt: skip

    def _counts(self, correct: IntArray) -> dict[str, Any]:
        """Return the data of the compiled model that change with the counts."""
        return {"correct": correct.astype(np.float64), **_quick(self.data, correct)}


def _cores(chains: int) -> int:
    return max(
        1, min(chains, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    )
