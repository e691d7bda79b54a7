"""The model in PyMC (extra ``bayes``): the same as the fast engine's, with priors for its standard deviations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from click_stats.stats.bayes.gate import gate
from click_stats.stats.bayes.model import Sampling, chosen_engine, need_bayes, quiet
from click_stats.stats.irt.data import Aside
from click_stats.stats.irt.fitted import Draws, Fitted, Parameter, probability

if TYPE_CHECKING:
    from click_stats.counts import FloatArray
    from click_stats.stats.irt.data import Responses


METHOD = "posterior quantiles of draws"
MEANING = "Hierarchical item response model on counts, sampled by NUTS; central posterior intervals."
GRAND_SD, SPREAD_SD, SLOPE_SD = 3.0, 2.0, 0.5
"""Scales of the priors: normal of the grand mean, half-normal of standard deviations, and of that of log slopes."""
LEAST_ABOUT = 1e-3
KEPT = 1000
TARGET_ACCEPT = 0.95


def sample(responses: Responses, start: Fitted, *, slopes: bool, sampling: Sampling) -> Any:
    """Return the draws (:class:`arviz.InferenceData`); ``start`` only places the deviates that are sampled."""
    need_bayes()
    engine = chosen_engine(sampling.engine)
    with quiet():
        import pymc as pm  # noqa: PLC0415 -- seconds to import, and an extra

        model = _model(responses, start, slopes=slopes)
        if engine == "nutpie":
            import nutpie  # noqa: PLC0415

            return nutpie.sample(
                nutpie.compile_pymc_model(model), draws=sampling.draws, tune=sampling.tune, chains=sampling.chains,
                seed=sampling.seed, target_accept=sampling.target_accept, progress_bar=False,
            )  # fmt: skip
        with model:
            return pm.sample(
                sampling.draws, tune=sampling.tune, chains=sampling.chains, random_seed=sampling.seed, cores=1,
                target_accept=sampling.target_accept, progressbar=False, compute_convergence_checks=False,
            )  # fmt: skip


def _model(responses: Responses, start: Fitted, *, slopes: bool) -> Any:
    import pymc as pm  # noqa: PLC0415
    import pytensor.tensor as pt  # noqa: PLC0415

    n_units, n_items = responses.correct.shape
    n_categories, several = responses.n_categories, responses.n_categories > 1
    with pm.Model() as model:
        grand = pm.Normal("mean_difficulty", 0.0, GRAND_SD)
        mean: Any = grand
        if several:
            between = pm.HalfNormal("sd_between", SPREAD_SD)
            mean = (grand + between * pm.Normal("category_z", 0.0, 1.0, shape=n_categories))[responses.category]
        sd = pm.HalfNormal("sd_difficulty", SPREAD_SD)
        about = np.maximum(
            1.0 / start.difficulty.sd**2 - 1.0 / start.spread["difficulty within categories"] ** 2, LEAST_ABOUT
        )
        difficulty = _placed(pm, pt, "difficulty", mean, sd, start.difficulty.mean, about, (n_items,))
        sd_general = pm.HalfNormal("sd_ability", SPREAD_SD)
        level = start.general
        general = _placed(pm, pt, "general", 0.0, sd_general, level.mean, 1.0 / level.sd**2, (n_units,))
        ability: Any = general[:, None]
        if several:
            spread = pm.HalfNormal("sd_ability_category", SPREAD_SD)
            ability = ability + spread * pm.Normal("ability_category_z", 0.0, 1.0, shape=(n_units, n_categories))
        ability = pm.Deterministic("category", ability - ability.mean(axis=0, keepdims=True))
        leaf = ability[:, responses.leaf_category]
        if responses.leaf_passage.any():
            spread = pm.HalfNormal("sd_ability_passage", SPREAD_SD)
            moved = spread * pm.Normal("passage_z", 0.0, 1.0, shape=(n_units, responses.leaf_passage.size))
            leaf = leaf + (moved - moved.mean(axis=0, keepdims=True)) * responses.leaf_passage
        leaf = pm.Deterministic("leaf", leaf)
        pm.Deterministic("ability", general - general.mean())
        pm.Deterministic("item", difficulty)
        slope: Any = 1.0
        if slopes:
            log_slope = pm.HalfNormal("sd_slope", SLOPE_SD) * pm.Normal("slope_z", 0.0, 1.0, shape=n_items)
            slope = pm.Deterministic("slope", pt.exp(log_slope - log_slope.mean()))
        logit = slope * (leaf[:, responses.leaf] - difficulty)
        right = pt.log(responses.floor + (1.0 - responses.floor) * pt.sigmoid(logit))
        wrong = np.log1p(-responses.floor) - pt.softplus(logit)
        if not responses.floor.any():
            right = -pt.softplus(-logit)
        pm.Potential("likelihood", (responses.correct * right + (responses.trials - responses.correct) * wrong).sum())
    return model


def _placed(pm: Any, pt: Any, name: str, mean: Any, sd: Any, hat: FloatArray, about: FloatArray, shape: Any) -> Any:
    """Return effects N(mean, sd²) sampled as deviates of about what the answers say of them (docs/methods/bayes.md)."""
    z = pm.Normal(f"{name}_z", 0.0, 1.0, shape=shape)
    gain = 1.0 + about * sd**2
    deviation = about * sd * (hat - mean) / gain + z / pt.sqrt(gain)
    pm.Potential(f"{name}_prior", 0.5 * (z**2 - deviation**2 - pt.log(gain)).sum())
    return mean + sd * deviation


def fitted(responses: Responses, start: Fitted, level: float, sampling: Sampling, *, slopes: bool) -> Fitted:
    """Sample the model that the fast engine has fitted (``start``), and return what is stated of it.

    Raises
    ------
    Aside
        The chains did not converge.
    """
    return describe(sample(responses, start, slopes=slopes, sampling=sampling), responses, level)


def describe(idata: Any, responses: Responses, level: float) -> Fitted:
    """Return what is stated of the draws.

    Raises
    ------
    Aside
        The chains did not converge.
    """
    found = gate(idata, SPREAD_SD)
    if not found.passed:
        raise Aside(f"The chains did not converge: {'; '.join(found.problems)}. {found.advice}")
    posterior = idata.posterior
    names = set(map(str, posterior.data_vars))

    def drawn(name: str) -> FloatArray:
        values = np.asarray(posterior[name], dtype=np.float64)
        return values.reshape(-1, *values.shape[2:])

    difficulty, category, leaf, ability = (drawn(name) for name in ("item", "category", "leaf", "ability"))
    slope = drawn("slope") if "slope" in names else None
    several = responses.n_categories > 1
    kept = np.linspace(0, len(difficulty) - 1, min(KEPT, len(difficulty))).astype(int)
    slopes = np.ones((kept.size, difficulty.shape[1])) if slope is None else slope[kept]
    draws = Draws(difficulty[kept], slopes, leaf[kept], category[kept])
    total = np.zeros(responses.correct.shape)
    for k in range(kept.size):
        total += probability(responses.floor, draws.leaf[k][:, responses.leaf], draws.difficulty[k], draws.slope[k])
    spread = {
        name: float(drawn(name).mean()) for name in sorted(names) if name.startswith("sd_") and "log__" not in name
    }
    return Fitted(
        METHOD, _summary(difficulty, level), None if slope is None else _summary(slope, level),
        _summary(ability, level), _summary(category, level) if several else None, draws, total / kept.size, spread,
        ("",) * difficulty.shape[1],
    )  # fmt: skip


def _summary(values: FloatArray, level: float) -> Parameter:
    low, high = np.quantile(values, (0.5 - 0.5 * level, 0.5 + 0.5 * level), axis=0)
    return Parameter(values.mean(axis=0), values.std(axis=0, ddof=1), low, high)
