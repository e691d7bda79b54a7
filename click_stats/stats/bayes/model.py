"""The model in PyMC, and its draws by nutpie or by PyMC's own sampler."""

from __future__ import annotations

import logging
import os
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy import special

from click_stats.errors import MissingDependencyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click_stats.counts import FloatArray, IntArray
    from click_stats.stats.bayes.data import BayesData

Engine = Literal["auto", "nutpie", "pymc"]

LEVEL_SD, ITEM_EFFECT_SD, SPREAD_SD = 1.5, 1.0, 1.0
"""Scales of the other priors: normal of the level and of item effects, half-normal of standard deviations."""
LEAST_ABOUT = 1e-3
"""Information that a cell is taken to have at least, where the sampler is placed."""
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


class Rough(NamedTuple):
    """A quick fit without hierarchy, only to place the sampler: what the answers alone say of a level, and how well.

    Attributes
    ----------
    level_alone, about_level
        (M,) levels of the models and the information (sum of n p (1 - p)) about each.
    ease_alone, about_ease
        (I,) the same for items.
    category_alone, about_category
        (M, C) deviations of the models in the categories, and the information about each.
    cell_alone, about_cell
        (M, I) the same for single cells.
    """

    level_alone: FloatArray
    about_level: FloatArray
    ease_alone: FloatArray
    about_ease: FloatArray
    category_alone: FloatArray
    about_category: FloatArray
    cell_alone: FloatArray
    about_cell: FloatArray


def rough(correct: FloatArray, trials: IntArray, category: IntArray) -> Rough:
    """Fit levels and eases by Newton steps, with weak normal priors so that all right or all wrong stays finite."""
    level, ease = np.zeros(correct.shape[0]), np.zeros(correct.shape[1])
    for _ in range(30):
        p = special.expit(level[:, None] + ease)
        ease += ((correct - trials * p).sum(axis=0) - ease) / ((trials * p * (1.0 - p)).sum(axis=0) + 1.0)
        ease -= ease.mean()
        p = special.expit(level[:, None] + ease)
        level += ((correct - trials * p).sum(axis=1) - level / 9.0) / ((trials * p * (1.0 - p)).sum(axis=1) + 1.0 / 9.0)
    p = special.expit(level[:, None] + ease)
    left, about = correct - trials * p, np.maximum(trials * p * (1.0 - p), LEAST_ABOUT)
    member = np.eye(int(category.max()) + 1)[category]
    # One step from the fit with a prior to that without, so that what is shrunk here is not shrunk twice.
    alone = ease + left.sum(axis=0) / about.sum(axis=0)
    return Rough(
        level,
        about.sum(axis=1),
        alone,
        about.sum(axis=0),
        (left @ member) / (about @ member),
        about @ member,
        left / about,
        about,
    )


def _used(random: Sequence[str]) -> list[str]:
    """Return the parts of the quick fit that a model with these random effects uses."""
    ends = {"level": True, "ease": True, "category": "model:category" in random, "cell": "cell" in random}
    return [name for end, used in ends.items() if used for name in (f"{end}_alone", f"about_{end}")]


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


def build(data: BayesData, random: Sequence[str], prior_sd: float) -> Any:
    """Return the model of ``data`` (:class:`pymc.Model`).

    With M models and I items, ``model_level`` is (M,) and ``item_ease`` (I,); the logit of a cell is the level of its
    model plus the ease of its item less the mean ease of all items, plus what else ``random`` names.
    """
    with quiet():
        import pymc as pm  # noqa: PLC0415 -- seconds to import, and an extra
        import pytensor.tensor as pt  # noqa: PLC0415

    start = rough(data.correct.astype(np.float64), data.trials, data.category)
    coords = {
        "model": list(data.models),
        "item": list(data.items),
        "effect": list(data.of_models.names),
        "item_effect": list(data.of_items.names),
    }
    with pm.Model(coords=coords) as model:
        trials = pm.Data("trials", data.trials.astype(np.float64))
        correct = pm.Data("correct", data.correct.astype(np.float64))
        mean_model = pm.Normal("mean_level", 0.0, LEVEL_SD)
        if data.of_models.names:
            effects = pm.Normal("effects", 0.0, prior_sd, dims="effect")
            mean_model += pt.dot(data.of_models.matrix, effects)
        if "family" in random:
            spread = pm.HalfNormal("sd_family", SPREAD_SD)
            deviation = pm.Normal("family_z", 0.0, 1.0, shape=int(data.family.max()) + 1)
            mean_model += pm.Deterministic("family_effect", spread * deviation)[data.family]
        given = {name: pm.Data(name, getattr(start, name)) for name in _used(random)}
        sd_model = pm.HalfNormal("sd_model", SPREAD_SD)
        level = _informed(
            pm, pt, "model", mean_model, sd_model, given["level_alone"], given["about_level"], dims="model"
        )
        pm.Deterministic("model_level", level, dims="model")
        mean_item: Any = 0.0
        if data.of_items.names:
            mean_item = pt.dot(data.of_items.matrix, pm.Normal("item_effects", 0.0, ITEM_EFFECT_SD, dims="item_effect"))
        sd_item = pm.HalfNormal("sd_item", SPREAD_SD)
        ease = _informed(pm, pt, "item", mean_item, sd_item, given["ease_alone"], given["about_ease"], dims="item")
        pm.Deterministic("item_ease", ease, dims="item")
        # Their mean is not told apart from the levels of the models: it goes with them, or the chains crawl along it.
        logit = level[:, None] + (ease - ease.mean())[None, :]
        if "model:category" in random:
            spread = pm.HalfNormal("sd_model_category", SPREAD_SD)
            deviation = _informed(
                pm, pt, "model_category", 0.0, spread, given["category_alone"], given["about_category"],
                shape=start.category_alone.shape,
            )  # fmt: skip
            # Likewise the mean over categories goes with the model's level.
            deviation = pm.Deterministic("model_category", deviation - deviation.mean(axis=1, keepdims=True))
            logit += deviation[:, data.category]
        if "cell" in random:
            spread = pm.HalfNormal("sd_cell", SPREAD_SD)
            deviation = _informed(
                pm, pt, "cell", 0.0, spread, given["cell_alone"], given["about_cell"], shape=data.trials.shape
            )
            logit += pm.Deterministic("cell", deviation)
        # The binomial likelihood but for its constant; a cell without trials adds nothing.
        pm.Potential("likelihood", (correct * logit - trials * pt.softplus(logit)).sum())
    return model


class Sampler:
    """A model compiled once, to be sampled with these or other counts of the same shape."""

    def __init__(self, data: BayesData, random: Sequence[str], prior_sd: float, sampling: Sampling) -> None:
        need_bayes()
        self.sampling = sampling
        self.engine = chosen_engine(sampling.engine)
        self.data = data
        self.random = tuple(random)
        self.model = build(data, random, prior_sd)
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
        start = rough(correct.astype(np.float64), self.data.trials, self.data.category)
        return {"correct": correct.astype(np.float64), **{name: getattr(start, name) for name in _used(self.random)}}


def _cores(chains: int) -> int:
    return max(
        1, min(chains, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    )
