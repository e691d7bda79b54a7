"""Mean squares against R's eRm, information by hand, predictive checks and local dependence in simulation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from click_stats.stats.irt import conditional, dependence, fit, information

ORACLE = Path(__file__).parents[2] / "oracles" / "irt1pl"
RNG = np.random.default_rng


def drawn(rng, probability, trials=1):
    return rng.binomial(trials, probability).astype(float)


def rasch(rng, n_units=20, n_items=120, slopes=1.0):
    ability, difficulty = rng.normal(0, 1.2, (n_units, 1)), rng.normal(0, 1.2, n_items)
    return expit(slopes * (ability - difficulty))


def test_mean_squares_are_those_of_erm():
    known = json.loads((ORACLE / "expected.json").read_text())["simulated"]["itemfit"]
    x = pd.read_csv(ORACLE / "input.csv").to_numpy()
    found = conditional.fit(x)
    units = np.isfinite(found.ability)
    p = expit(found.ability[units, None] - found.difficulty)
    ours = fit.mean_squares(x[units].astype(float), np.ones(p.shape), p)
    assert ours.infit == pytest.approx(known["infit_msq"], abs=1e-3)
    assert ours.outfit == pytest.approx(known["outfit_msq"], abs=1e-3)
    assert (ours.n == units.sum()).all()


def test_mean_squares_of_counts_by_hand_and_without_answers():
    correct, trials = np.array([[3.0, 0.0], [1.0, 0.0]]), np.array([[4.0, 0.0], [2.0, 0.0]])
    p = np.array([[0.5, 0.5], [0.25, 0.5]])
    found = fit.mean_squares(correct, trials, p)
    assert found.infit[0] == pytest.approx((1 + 0.25) / (1 + 0.375))
    assert found.outfit[0] == pytest.approx((1 + 0.25 / 0.375) / 2)
    assert np.isnan(found.infit[1])
    assert np.isnan(found.outfit[1])
    assert found.n.tolist() == [2, 0]
    by_unit = fit.mean_squares(correct, trials, p, axis=1)
    assert by_unit.outfit == pytest.approx([1.0, 0.25 / 0.375])


def test_mean_squares_are_1_on_average_at_the_true_probabilities_whatever_the_trials():
    rng = RNG(1)
    p = rasch(rng, 40, 400)
    for trials in (1, 12):
        found = fit.mean_squares(drawn(rng, p, trials), np.full(p.shape, float(trials)), p)
        assert found.infit.mean() == pytest.approx(1, abs=0.03)
        assert found.outfit.mean() == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(("slope", "floor"), [(1.0, 0.0), (1.7, 0.0), (0.8, 0.25)])
def test_information_is_the_expected_squared_score(slope, floor):
    ability, difficulty, h = np.array([-2.0, 0.3, 4.0]), np.array([-1.0, 0.5]), 1e-6

    def p(theta):
        return floor + (1 - floor) * expit(slope * (theta[:, None] - difficulty))

    derivative = (p(ability + h) - p(ability - h)) / (2 * h)
    expected = derivative**2 / (p(ability) * (1 - p(ability)))
    found = information.item_information(ability, difficulty, slope, floor)
    assert found == pytest.approx(expected, rel=1e-6)
    trials = np.array([1.0, 12.0])
    assert information.total_information(ability, difficulty, slope, floor, trials) == pytest.approx(
        expected @ trials, rel=1e-6
    )


def test_total_information_in_pieces_is_the_same(monkeypatch):
    ability, difficulty = np.linspace(-3, 3, 7), np.linspace(-2, 2, 5)
    whole = information.total_information(ability, difficulty)
    monkeypatch.setattr(information, "MOST_CELLS", 11)
    assert information.total_information(ability, difficulty) == pytest.approx(whole)


def test_standard_errors_with_and_without_a_prior():
    assert information.standard_error(np.array([4.0, 0.0])) == pytest.approx([0.5, np.nan], nan_ok=True)
    assert information.standard_error(np.array([3.0, 0.0]), prior_sd=1.0) == pytest.approx([0.5, 1.0])


def test_replicates_of_the_model_itself_pass_and_unequal_slopes_are_seen():
    rng = RNG(2)
    category = np.repeat([0, 1], 60)
    p_values = []
    for _ in range(20):
        p = rasch(rng)
        found = fit.predictive(drawn(rng, p), np.ones(p.shape), [p] * 60, category, seed=3)
        p_values += [one.p_value for one in found.checks if not one.reason]
    # At the true probabilities these are uniform: 140 of them, somewhat dependent.
    outside = np.abs(np.array(p_values) - 0.5) > 0.45
    assert np.mean(outside) == pytest.approx(0.1, abs=0.08)
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.1)
    steep = rasch(rng, 60, 120, slopes=np.tile([0.2, 2.5], 60))
    flat = np.full_like(steep, 1.0) * expit(np.log(steep / (1 - steep)).mean(axis=1, keepdims=True))
    checks = {
        one.name: one for one in fit.predictive(drawn(rng, steep), np.ones(steep.shape), [flat] * 60, category).checks
    }
    assert checks[fit.ITEM_REST_SPREAD].p_value < 0.05
    assert checks[fit.ITEM_REST_SPREAD].observed > checks[fit.ITEM_REST_SPREAD].high


def test_dispersion_sees_trials_that_go_together_and_is_undefined_with_one():
    rng = RNG(4)
    p = rasch(rng, 10, 50)
    sticky = 12 * drawn(rng, p)
    found = {
        one.name: one for one in fit.predictive(sticky, np.full(p.shape, 12.0), [p] * 40, np.zeros(50, int)).checks
    }
    assert found[fit.DISPERSION].observed == pytest.approx(12, rel=0.3)
    assert found[fit.DISPERSION].high < 1.5
    assert found[fit.DISPERSION].p_value < 0.05
    assert found[fit.PROFILE_SPREAD].reason == fit.ONE_CATEGORY
    once = {one.name: one for one in fit.predictive(drawn(rng, p), np.ones(p.shape), [p] * 5, np.zeros(50, int)).checks}
    assert once[fit.DISPERSION].reason == fit.ONE_TRIAL
    assert fit.predictive(sticky, np.ones(p.shape), [], np.zeros(50, int)).checks == ()


def test_item_rest_correlations_are_numpys():
    rng = RNG(5)
    x = drawn(rng, rasch(rng, 15, 9))
    found = fit.item_rest(x, np.ones(x.shape, bool))
    for k in range(9):
        assert found[k] == pytest.approx(np.corrcoef(x[:, k], np.delete(x, k, axis=1).mean(axis=1))[0, 1])
    x[:, 2] = 1
    assert np.isnan(fit.item_rest(x, np.ones(x.shape, bool))[2])


def test_q3_is_the_correlation_of_residuals_over_the_models_that_answered_both():
    rng = RNG(6)
    p = rasch(rng, 40, 6)
    x, trials = drawn(rng, p), np.ones(p.shape)
    trials[:3, 1] = 0
    x[:3, 1] = 0
    clusters, category = np.array([0, 0, 1, 2, 3, 4]), np.zeros(6, int)
    found = dependence.local_dependence(x, trials, p, clusters, category)
    d = x - p
    assert found.first.tolist() == [0]
    assert found.second.tolist() == [1]
    assert found.q3[0] == pytest.approx(np.corrcoef(d[3:, 0], d[3:, 1])[0, 1])
    assert found.n_units[0] == 37
    others = []
    for i in range(6):
        for j in range(i + 1, 6):
            own = slice(3, None) if 1 in (i, j) else slice(None)
            others.append(np.corrcoef(d[own, i], d[own, j])[0, 1])
    assert found.mean == pytest.approx(np.mean(others))
    assert found.q3_star[0] == pytest.approx(found.q3[0] - np.mean(others))
    assert found.n_between == 14
    assert found.p_value[0] == pytest.approx((1 + sum(one >= found.q3[0] - 1e-12 for one in others[1:])) / 15)


def test_passage_effects_are_seen_and_chance_is_not():
    rng = RNG(7)
    clusters, category = np.arange(200) // 4, np.repeat([0, 1], 100)
    p_values, pairs, seen = [], [], []
    for _ in range(30):
        p = rasch(rng, 20, 200)
        found = dependence.local_dependence(drawn(rng, p), np.ones(p.shape), p, clusters, category, seed=1)
        p_values.append(found.within_p)
        pairs.append(found.p_value)
        effect = rng.normal(0, 1.0, (20, 50))[:, clusters]
        with_passages = expit(np.log(p / (1 - p)) + effect)
        seen.append(
            dependence.local_dependence(drawn(rng, with_passages), np.ones(p.shape), p, clusters, category).within_p
        )
    assert np.mean(p_values) == pytest.approx(0.5, abs=0.2)
    assert np.mean(np.concatenate(pairs) < 0.05) == pytest.approx(0.05, abs=0.012)
    assert np.mean(np.array(seen) < 0.05) > 0.9


def test_dependence_has_a_reason_without_passages_and_without_others_to_compare_with():
    rng = RNG(8)
    p = rasch(rng, 12, 6)
    x, ones = drawn(rng, p), np.ones(p.shape)
    alone = dependence.local_dependence(x, ones, p, np.arange(6), np.zeros(6, int))
    assert alone.reason == dependence.NO_PAIR
    assert alone.q3.size == 0
    together = dependence.local_dependence(x, ones, p, np.zeros(6, int), np.zeros(6, int))
    assert together.reason == dependence.NO_REFERENCE
    assert np.isfinite(together.q3_star).all()
    assert np.isnan(together.p_value).all()
    x[:, 0] = 1
    assert 0 not in dependence.local_dependence(x, ones, p, np.zeros(6, int), np.zeros(6, int)).first
