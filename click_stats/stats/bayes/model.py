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

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from click_stats.counts import IntArray
    from click_stats.stats.bayes.data import BayesData

Engine = Literal["auto", "nutpie", "pymc"]

LEVEL_SD, ITEM_EFFECT_SD, SPREAD_SD = 1.5, 1.0, 1.0
"""Scales of the other priors: normal of the level and of item effects, half-normal of standard deviations."""
CENTRE_FROM = 100.0
"""Information (sum of n p (1 - p)) about a level from which its centred form is sampled; measured, see bayes.md."""
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

    draws: int = 2000
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
    """Keep ArviZ' notice of the day, and the progress that PyMC logs, off the reader's screen."""
    loggers = [logging.getLogger(name) for name in ("pymc", "pymc.sampling.mcmc", "pytensor")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\s*ArviZ is undergoing", category=FutureWarning)
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def centred(data: BayesData, random: Sequence[str]) -> dict[str, bool]:
    """Return for the effects of models, and of models in categories, whether the centred form is sampled.

    Levels that the data determine well are sampled as they are; levels that the data say little about as standard
    normal deviations. With the other form the chains mix an order of magnitude worse (``docs/methods/bayes.md``).
    """
    share = data.correct.sum() / data.trials.sum()
    about = float(np.median(data.trials.sum(axis=1))) * share * (1.0 - share)
    found = {"model": about >= CENTRE_FROM}
    if "model:category" in random:
        found["model:category"] = about / (int(data.category.max()) + 1) >= CENTRE_FROM
    return found


def build(data: BayesData, random: Sequence[str], prior_sd: float) -> Any:
    """Return the model of ``data`` (:class:`pymc.Model`).

    With M models and I items, ``model_level`` is (M,) and ``item_ease`` (I,); the logit of a cell is the level of its
    model plus the ease of its item less the mean ease of all items, plus what else ``random`` names.
    """
    with quiet():
        import pymc as pm  # noqa: PLC0415 -- seconds to import, and an extra
        import pytensor.tensor as pt  # noqa: PLC0415

    centre = centred(data, random)
    coords = {
        "model": list(data.models),
        "item": list(data.items),
        "effect": list(data.of_models.names),
        "item_effect": list(data.of_items.names),
    }
    with pm.Model(coords=coords) as model:
        trials = pm.Data("trials", data.trials.astype(np.float64))
        correct = pm.Data("correct", data.correct.astype(np.float64))
        mean_model = pm.Normal("level", 0.0, LEVEL_SD)
        if data.of_models.names:
            effects = pm.Normal("effects", 0.0, prior_sd, dims="effect")
            mean_model += pt.dot(data.of_models.matrix, effects)
        if "family" in random:
            spread = pm.HalfNormal("sd_family", SPREAD_SD)
            deviation = pm.Normal("family_z", 0.0, 1.0, shape=int(data.family.max()) + 1)
            mean_model += pm.Deterministic("family_effect", spread * deviation)[data.family]
        sd_model = pm.HalfNormal("sd_model", SPREAD_SD)
        if centre["model"]:
            level = pm.Normal("model_level", mean_model, sd_model, dims="model")
        else:
            z = pm.Normal("model_z", 0.0, 1.0, dims="model")
            level = pm.Deterministic("model_level", mean_model + sd_model * z, dims="model")
        mean_item: Any = 0.0
        if data.of_items.names:
            mean_item = pt.dot(data.of_items.matrix, pm.Normal("item_effects", 0.0, ITEM_EFFECT_SD, dims="item_effect"))
        ease = pm.Normal("item_ease", mean_item, pm.HalfNormal("sd_item", SPREAD_SD), dims="item")
        # Their mean is not told apart from the levels of the models: it goes with them, or the chains crawl along it.
        logit = level[:, None] + (ease - ease.mean())[None, :]
        if "model:category" in random:
            spread = pm.HalfNormal("sd_model_category", SPREAD_SD)
            shape = (len(data.models), int(data.category.max()) + 1)
            if centre["model:category"]:
                deviation = pm.Normal("model_category", 0.0, spread, shape=shape)
            else:
                z = pm.Normal("model_category_z", 0.0, 1.0, shape=shape)
                deviation = pm.Deterministic("model_category", spread * z)
            logit += deviation[:, data.category]
        if "cell" in random:
            logit += pm.HalfNormal("sd_cell", SPREAD_SD) * pm.Normal("cell_z", 0.0, 1.0, shape=data.trials.shape)
        # The binomial likelihood but for its constant; a cell without trials adds nothing.
        pm.Potential("likelihood", (correct * logit - trials * pt.softplus(logit)).sum())
    return model


class Sampler:
    """A model compiled once, to be sampled with these or other counts of the same shape."""

    def __init__(self, data: BayesData, random: Sequence[str], prior_sd: float, sampling: Sampling) -> None:
        need_bayes()
        self.sampling = sampling
        self.engine = chosen_engine(sampling.engine)
        self.n_cells = data.trials.size
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

                compiled = self._compiled
                if correct is not None:
                    compiled = compiled.with_data(correct=correct.astype(np.float64))
                return nutpie.sample(
                    compiled, draws=run.draws, tune=run.tune, chains=run.chains, cores=_cores(run.chains), seed=seed,
                    target_accept=run.target_accept, progress_bar=False,
                )  # fmt: skip
            import pymc as pm  # noqa: PLC0415

            with self.model:
                if correct is not None:
                    pm.set_data({"correct": correct.astype(np.float64)})
                return pm.sample(
                    run.draws, tune=run.tune, chains=run.chains, random_seed=seed, target_accept=run.target_accept,
                    cores=1 if self.n_cells < ONE_PROCESS else _cores(run.chains), progressbar=False,
                    compute_convergence_checks=False,
                )  # fmt: skip


def _cores(chains: int) -> int:
    return max(
        1, min(chains, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
    )
