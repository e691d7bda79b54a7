"""Two stages: the levels against the one-stage fit, the regression against least squares and written-out REML."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, stats

from click_stats.errors import DataError
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit
from click_stats.stats.mixed.levels import ModelLevels, model_levels
from click_stats.stats.mixed.second_stage import second_stage


def study(seed=1, n_models=9, n_items=66, *, effects=(0.9, 0.4), sd=0.35, trials=6):
    rng = np.random.default_rng(seed)
    size, corpus = rng.normal(0, 0.5, n_models), (np.arange(n_models) % 2).astype(float)
    level = effects[0] * size + effects[1] * corpus + rng.normal(0, sd, n_models)
    easy = rng.normal(0, 1.0, n_items) + np.arange(n_items) % 3 * 0.5
    model, item = np.divmod(np.arange(n_models * n_items), n_items)
    correct = rng.binomial(trials, 1 / (1 + np.exp(-(easy + level[:, None])))).ravel()
    frame = pd.DataFrame(
        {
            "model": np.char.mod("m%02d", model),
            "item": np.char.mod("i%03d", item),
            "category": np.array(list("abc"))[item % 3],
            "log10_params": size[model],
            "corpus": corpus[model],
            "trials": trials,
            "correct": correct,
        }
    )
    facts = frame.drop_duplicates("model").set_index("model")[["log10_params", "corpus"]]
    return frame, facts


def by_hand(levels, covariance, count=None):
    names = tuple(f"m{k:02d}" for k in range(len(levels) if count is None else count))
    return ModelLevels(names, np.asarray(levels, dtype=float), np.asarray(covariance, dtype=float), None, ())


def test_levels_are_the_models_fixed_effects_at_the_average_category():
    frame, _ = study()
    found = model_levels(GlmmData.from_frame(frame))
    reference = fit(GlmmData.from_frame(frame), GlmmSpec("model + category", ("item",), {"model": "m03"}))
    beta = dict(zip(reference.names, reference.beta, strict=True))
    centre = beta["(intercept)"] + (beta["category[b]"] + beta["category[c]"]) / 3
    expected = [centre + beta.get(f"model[{name}]", 0.0) for name in found.models]
    np.testing.assert_allclose(found.levels, expected, atol=1e-5)
    place = reference.names.index("model[m00]")
    difference = found.covariance[0, 0] + found.covariance[3, 3] - 2 * found.covariance[0, 3]
    assert difference == pytest.approx(reference.vcov[place, place], rel=1e-4)
    assert found.notes == ()


def test_both_stages_agree_with_the_restricted_fit_of_all_at_once():
    frame, facts = study(n_items=120)
    data = GlmmData.from_frame(frame)
    two = second_stage(model_levels(data), facts)
    one = fit(data, GlmmSpec("category + log10_params + corpus"), restricted=True)
    np.testing.assert_allclose(two.beta[1:], one.beta[-2:], rtol=0, atol=0.05 * one.se[-1])
    np.testing.assert_allclose(two.se[1:], one.se[-2:], rtol=0.05)  # dispersion is at least 1
    assert two.sd == pytest.approx(one.sd[1], rel=0.05)
    assert two.df == 6


def test_without_error_it_is_least_squares():
    rng = np.random.default_rng(4)
    facts = pd.DataFrame({"log10_params": rng.normal(size=8)}, index=[f"m{k:02d}" for k in range(8)])
    y = rng.normal(size=8)
    found = second_stage(by_hand(y, np.zeros((8, 8))), facts, "log10_params")
    plain = stats.linregress(facts["log10_params"], y)
    row = found.table().loc["log10_params"]
    assert row["estimate"] == pytest.approx(plain.slope, rel=1e-9)
    assert row["std_error"] == pytest.approx(plain.stderr, rel=1e-7)
    assert row["p_value"] == pytest.approx(plain.pvalue, rel=1e-6)
    assert row["df"] == 6
    assert found.sd == pytest.approx(np.sqrt((found.residual**2).sum() / 6), rel=1e-7)


def test_the_standard_deviation_maximises_the_restricted_likelihood_written_out():
    rng = np.random.default_rng(5)
    root = rng.normal(size=(9, 9)) * 0.2
    error = root @ root.T
    facts = pd.DataFrame({"a": rng.normal(size=9), "b": rng.normal(size=9)}, index=[f"m{k:02d}" for k in range(9)])
    y = rng.normal(size=9) * 0.8
    found = second_stage(by_hand(y, error), facts, "a + b")
    x = np.column_stack([np.ones(9), facts])

    def deviance(sd):
        v = error + sd**2 * np.eye(9)
        information = x.T @ np.linalg.solve(v, x)
        rest = y - x @ np.linalg.solve(information, x.T @ np.linalg.solve(v, y))
        return np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + rest @ np.linalg.solve(v, rest)

    best = optimize.minimize_scalar(deviance, bounds=(0, 5), method="bounded", options={"xatol": 1e-10})
    assert found.sd == pytest.approx(best.x, rel=1e-5)
    v = error + found.sd**2 * np.eye(9)
    plain = np.linalg.inv(x.T @ np.linalg.solve(v, x))
    factor = max(1.0, found.residual @ np.linalg.solve(v, found.residual) / 6)
    np.testing.assert_allclose(found.vcov, factor * plain, rtol=1e-9)


def test_levels_closer_than_their_errors_have_a_variance_of_0():
    facts = pd.DataFrame({"a": np.arange(6.0)}, index=[f"m{k:02d}" for k in range(6)])
    found = second_stage(by_hand(0.01 * np.arange(6) ** 2, np.eye(6)), facts, "a")
    assert found.sd == 0
    assert "estimated as 0" in found.notes[0]
    assert found.se[1] == pytest.approx(np.sqrt(1 / 17.5), rel=1e-9)  # of the known errors, not less


def test_models_without_a_predictor_or_a_level_are_left_out_and_named():
    frame, facts = study(n_models=7)
    frame.loc[frame["model"] == "m02", "correct"] = frame["trials"]
    facts.loc["m05", "log10_params"] = np.nan
    levels = model_levels(GlmmData.from_frame(frame))
    assert "m02" not in levels.models
    found = second_stage(levels, facts)
    assert found.models == ("m00", "m01", "m03", "m04", "m06")
    assert found.df == 2
    notes = " ".join(found.notes)
    assert "No finite level, left out of model-level effects: m02." in notes
    assert "left out of model-level effects: m05." in notes


def test_too_few_models_are_an_error():
    facts = pd.DataFrame({"log10_params": [0.1, 0.5, 0.9], "corpus": [0.0, 1.0, 0.0]}, index=["m00", "m01", "m02"])
    with pytest.raises(DataError, match="3 models cannot give 3"):
        second_stage(by_hand([0, 1, 2], np.eye(3)), facts)
    with pytest.raises(DataError, match="No model has all"):
        second_stage(by_hand([0, 1, 2], np.eye(3)), facts.assign(corpus=np.nan))
    with pytest.raises(DataError, match="linear combinations"):
        second_stage(by_hand(np.arange(6.0), np.eye(6)), pd.DataFrame({"a": 1.0}, [f"m{k:02d}" for k in range(6)]), "a")


def test_intervals_of_levels_drawn_at_random_cover():
    rng = np.random.default_rng(11)
    held = []
    facts = pd.DataFrame({"a": rng.normal(size=6)}, index=[f"m{k:02d}" for k in range(6)])
    for _ in range(600):
        y = 0.7 * facts["a"].to_numpy() + rng.normal(0, 0.3, 6) + rng.normal(0, 0.15, 6)
        row = second_stage(by_hand(y, 0.15**2 * np.eye(6)), facts, "a").table().loc["a"]
        held.append(row["conf_low"] <= 0.7 <= row["conf_high"])
    assert np.mean(held) == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 600))
