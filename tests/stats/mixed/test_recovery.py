"""The whole analysis on simulated studies: effects come back, intervals hold them, over-dispersion is allowed for."""

import numpy as np
import pandas as pd
import pytest

from click_stats.stats.glmm import GlmmData
from click_stats.stats.mixed import mixed
from click_stats.stats.mixed.levels import model_levels

SIZE = np.array([1.0, 2, 3, 5, 7, 9, 13, 20, 30, 60])
KOREAN = np.arange(10) % 2
SCALE, CORPUS = 0.8, 0.5


@pytest.fixture(scope="module")
def studies(counts_of):
    """Twenty-four studies of ten models, 20 items in 2 categories, 4 trials each: the rows of scale and corpus."""
    rng = np.random.default_rng(17)
    found = []
    for _ in range(24):
        level = SCALE * np.log10(SIZE) + CORPUS * KOREAN + rng.normal(0, 0.3, 10)
        logits = level[:, None] - 1 + rng.normal(0, 1, 20)
        made = counts_of(rng.binomial(4, 1 / (1 + np.exp(-logits))), 4, category=["A"] * 10 + ["B"] * 10)
        facts = {"parameters": SIZE, "korean_corpus": np.where(KOREAN, "much", "little"), "family": list("abcdefghij")}
        result = mixed(made.with_units(made.units.assign(**facts)), fixed="category + log10_params + corpus")
        found.append(result.to_frame().set_index("term"))
    return found


@pytest.mark.parametrize(("term", "truth"), [("log10_params", SCALE), ("corpus[much]", CORPUS)])
def test_effects_come_back_and_intervals_hold_them(studies, term, truth):
    rows = pd.DataFrame([study.loc[term] for study in studies])
    error = rows["effect_logit"].std() / np.sqrt(len(rows))
    assert rows["effect_logit"].mean() == pytest.approx(truth, abs=4 * error)
    held = ((rows["effect_logit_low"] <= truth) & (rows["effect_logit_high"] >= truth)).mean()
    assert held == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / len(rows)))
    # The standard errors are those that the estimates have over studies.
    assert rows["effect_logit_se"].mean() == pytest.approx(rows["effect_logit"].std(), rel=4 / np.sqrt(2 * 23))
    assert (rows["df"] == 7).all()


def test_differences_of_over_dispersed_models_are_not_taken_for_sure():
    rng = np.random.default_rng(1)
    missed, unaware, dispersion = [], [], []
    for _ in range(60):
        # Two models of equal level among four; the spread of single cells differs between models.
        own = rng.normal(0, 1, (4, 60)) * np.array([0.5, 1.0, 2.0, 2.0])[:, None]
        logits = np.array([-0.5, 0.5, 0.0, 0.0])[:, None] + rng.normal(0, 1, 60) + own
        model, item = np.divmod(np.arange(240), 60)
        frame = pd.DataFrame({"model": np.char.mod("m%d", model), "item": np.char.mod("i%02d", item)})
        frame["correct"] = rng.binomial(12, 1 / (1 + np.exp(-logits))).ravel()
        found = model_levels(GlmmData.from_frame(frame.assign(trials=12)), fixed="")
        contrast = np.array([0, 0, 1.0, -1.0])
        gap, variance = contrast @ found.levels, contrast @ found.covariance @ contrast
        missed.append(abs(gap) > 1.96 * np.sqrt(variance))
        place = [found.fit.names.index(f"model[m{k}]") if f"model[m{k}]" in found.fit.names else None for k in (2, 3)]
        weights = np.zeros(len(found.fit.names))
        for k, sign in zip(place, (1.0, -1.0), strict=True):
            if k is not None:
                weights[k] = sign
        unaware.append(abs(gap) > 1.96 * np.sqrt(weights @ found.fit.vcov @ weights))
        dispersion.append(found.dispersion)
    assert (np.diff(np.mean(dispersion, axis=0)[:3]) > 0).all()
    assert np.mean(missed) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert np.mean(unaware) > 0.25  # what binomial errors would do


def test_dispersion_of_independent_trials_is_near_1_and_undefined_for_single_trials():
    rng = np.random.default_rng(2)
    model, item = np.divmod(np.arange(1200), 200)
    frame = pd.DataFrame({"model": np.char.mod("m%d", model), "item": np.char.mod("i%03d", item)})
    chance = 1 / (1 + np.exp(-rng.normal(0, 1, 200)[item]))
    found = model_levels(GlmmData.from_frame(frame.assign(correct=rng.binomial(8, chance), trials=8)), fixed="")
    np.testing.assert_allclose(found.dispersion, 1.0, atol=5 * np.sqrt(2 / 200))
    single = model_levels(GlmmData.from_frame(frame.assign(correct=rng.binomial(1, chance), trials=1)), fixed="")
    assert single.dispersion is None
