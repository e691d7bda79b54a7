"""Linking: coverage of abilities and whole scores, identity with what it must equal, and its edges."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import optimize, special, stats

from click_stats.errors import DataError, UsageError
from click_stats.stats.irt import irt
from click_stats.stats.linking import linking
from click_stats.stats.linking.ability import information, log_likelihood, maximum, posterior
from click_stats.stats.linking.bank import Bank
from click_stats.stats.linking.fit import drift, person_fit


def bank_of(difficulty, slope=1.0, floor=0.0, error=0.0, slope_error=0.0):
    difficulty = np.asarray(difficulty, dtype=float)
    full = [
        np.broadcast_to(np.asarray(one, dtype=float), difficulty.shape) for one in (slope, floor, error, slope_error)
    ]
    return Bank(difficulty, *full)


@pytest.fixture
def write(tmp_path):
    def _write(bank, items=None, **columns):
        frame = pd.DataFrame(
            {
                "item": [f"i{k}" for k in range(len(bank))] if items is None else items, "difficulty": bank.difficulty,
                "discrimination": bank.slope, "floor": bank.floor, **columns,
            }
        )  # fmt: skip
        if bank.known:
            frame["difficulty_se"] = bank.difficulty_se
        path = tmp_path / "parameters.csv"
        frame.to_csv(path, index=False)
        return path

    return lambda *a, **k: str(_write(*a, **k))


def answers(rng, bank, abilities, trials=1):
    p = bank.floor + (1 - bank.floor) * special.expit(bank.slope * (np.asarray(abilities)[:, None] - bank.difficulty))
    return rng.binomial(trials, p)


def some(counts, chosen):
    """The counts in which only the chosen items were answered; all stay in the table."""
    kept = np.isin(np.arange(len(counts.items)), chosen)
    return replace(
        counts,
        options=counts.options * kept[None, :, None],
        statuses=counts.statuses * kept[None, :, None],
        planned=counts.planned * kept,
    )


def test_the_maximum_is_that_of_scipy_and_its_error_the_curvature():
    rng = np.random.default_rng(1)
    bank = bank_of(rng.normal(0, 1, 60), rng.uniform(0.6, 1.8, 60), 0.25)
    right = answers(rng, bank, [0.4])[0].astype(float)

    def against(theta):
        p = 0.25 + 0.75 * special.expit(bank.slope * (theta[0] - bank.difficulty))
        return -(right * np.log(p) + (1 - right) * np.log(1 - p)).sum()

    expected = optimize.minimize(against, [0.0], method="BFGS", options={"gtol": 1e-10})
    found = maximum(bank, right, 1 - right)
    assert found.ability == pytest.approx(expected.x[0], abs=1e-5)
    p = 0.25 + 0.75 * special.expit(bank.slope * (found.ability - bank.difficulty))
    told = (bank.slope**2 * (1 - p) / p * ((p - 0.25) / 0.75) ** 2).sum()  # Birnbaum (1968)
    assert found.std_error == pytest.approx(told**-0.5, rel=1e-9)
    assert information(bank, np.ones(60), found.ability) == pytest.approx(told, rel=1e-9)


def test_the_posterior_is_that_of_numerical_integration():
    rng = np.random.default_rng(2)
    bank = bank_of(rng.normal(0, 1, 12), 1.2, 0.2)
    right = answers(rng, bank, [-0.5])[0].astype(float)
    grid = np.linspace(-20, 20, 200_001)
    density = np.exp(log_likelihood(bank, right, 1 - right, grid)) * stats.norm.pdf(grid, 0.3, 1.7)
    mean = (grid * density).sum() / density.sum()
    found = posterior(bank, right, 1 - right, 0.3, 1.7)
    assert found.mean == pytest.approx(mean, abs=1e-6)
    assert found.sd == pytest.approx(np.sqrt(((grid - mean) ** 2 * density).sum() / density.sum()), abs=1e-5)
    share = np.cumsum(density) / density.sum()
    np.testing.assert_allclose(
        found.quantile(np.array([0.025, 0.975])), np.interp([0.025, 0.975], share, grid), atol=2e-3
    )


def test_uncertain_difficulties_are_averaged_over():
    bank = bank_of(np.array([0.5]), 1.3, 0.2, 0.9)
    z, weight = np.polynomial.hermite_e.hermegauss(60)
    for theta in (-2.0, 0.0, 1.0, 3.0):
        p = 0.2 + 0.8 * special.expit(1.3 * (theta - 0.5 - 0.9 * z))
        assert bank.probability(np.array([theta]))[0, 0] == pytest.approx((p * weight).sum() / weight.sum(), abs=0.01)


@pytest.mark.parametrize(("trials", "error"), [(1, 0.0), (1, 0.6)])
def test_intervals_cover_from_50_of_500_items(counts_of, write, trials, error):
    """400 new models: ability and whole score within 4 Monte Carlo errors of 95 %."""
    rng = np.random.default_rng(3)
    stated = bank_of(rng.normal(0, 1.2, 500), 1.0, 0.25, error)
    true = replace(stated, difficulty=stated.difficulty + error * rng.normal(size=500))
    abilities = rng.normal(0, 1, 400)
    counts = some(counts_of(answers(rng, true, abilities, trials), trials), rng.choice(500, 50, replace=False))
    result = linking(counts, parameters=write(stated), prior_sd=1.0, draws=200)
    table = result.tables["estimates"]
    whole = (0.25 + 0.75 * special.expit(abilities[:, None] - true.difficulty)).mean(axis=1)
    for name, value in (("linked_ability", abilities), ("linked_score", whole)):
        inside = (table[f"{name}_low"] <= value) & (value <= table[f"{name}_high"])
        # Errors of the items are shared by all models, which widens what chance allows.
        assert abs(inside.mean() - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400) * (1 if error == 0 else 1.5)
        error_found = np.sqrt(((table[name] - value) ** 2).mean())
        assert error_found == pytest.approx(np.sqrt((table[f"{name}_se"] ** 2).mean()), rel=4 / np.sqrt(800))
    assert (table["n_items"] == 50).all()
    assert (table["p_fit_adjusted"] < 0.05).mean() < 0.02


def test_without_the_errors_of_the_items_intervals_are_narrower(counts_of, write):
    rng = np.random.default_rng(4)
    bank = bank_of(rng.normal(0, 1, 80), 1.0, 0.25, 0.8)
    counts = counts_of(answers(rng, bank, [0.3]))
    unsure, sure = (
        linking(counts, parameters=write(one)).tables["estimates"].iloc[0]
        for one in (bank, replace(bank, difficulty_se=np.zeros(80)))
    )
    assert unsure["linked_ability_se"] > 1.05 * sure["linked_ability_se"]
    assert unsure["linked_score_se"] > sure["linked_score_se"]


def test_with_all_items_and_the_same_answers_it_agrees_with_irt(counts_of, tmp_path):
    rng = np.random.default_rng(5)
    bank = bank_of(rng.uniform(-1.5, 1.5, 150), 1.0, 0.25)
    counts = counts_of(answers(rng, bank, rng.normal(0, 1, 25)))
    fitted = irt(counts, model="1pl", categories=False, passages=False)
    path = tmp_path / "irt.estimates.csv"
    fitted.tables["estimates"].to_csv(path, index=False)
    own = fitted.tables["abilities"].query("by == 'overall'").set_index("unit")
    table = linking(counts, parameters=str(path), prior_sd=1.0).tables["estimates"].set_index("unit")
    assert np.corrcoef(own["ability"], table["linked_ability"])[0, 1] > 0.999
    # Here the difficulties count as known from elsewhere, there they are from the same answers.
    assert (abs(own["ability"] - table["linked_ability"]) < 0.5 * own["std_error"]).all()
    np.testing.assert_allclose(table["linked_ability_se"], own["std_error"], rtol=0.2)


def test_person_fit_is_standard_normal_and_finds_the_careless():
    rng = np.random.default_rng(6)
    bank = bank_of(rng.normal(0, 1.5, 200), 1.0, 0.25)
    trials = np.ones(200)
    found = []
    for theta in rng.normal(0, 0.7, 400):
        right = answers(rng, bank, [theta])[0].astype(float)
        found.append(person_fit(bank, right, trials, maximum(bank, right, 1 - right).ability).z)
    assert abs(np.mean(found)) < 4 / np.sqrt(400) + 0.1
    assert np.std(found) == pytest.approx(1.0, abs=4 / np.sqrt(800))
    # Half of the answers at random: easy items missed.
    right = np.where(rng.random(200) < 0.5, rng.random(200) < 0.25, answers(rng, bank, [3.0])[0] == 1).astype(float)
    assert person_fit(bank, right, trials, maximum(bank, right, 1 - right).ability).p_value < 0.001


def test_items_that_moved_are_found_and_others_are_not():
    rng = np.random.default_rng(7)
    stated = bank_of(rng.normal(0, 0.7, 200), 1.0, 0.0, 0.2)
    true = replace(stated, difficulty=stated.difficulty + 0.2 * rng.normal(size=200))
    true.difficulty[:10] += 2.5
    abilities = rng.normal(0, 0.5, 80)
    found = drift(stated, answers(rng, true, abilities).astype(float), np.ones((80, 200)), abilities)
    assert (found.p_value[:10] < 0.001).mean() >= 0.8
    assert abs((found.p_value[10:] < 0.05).mean() - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 190)
    assert (found.shift[:10] > 0.8).all()


def test_repeated_answers_are_worth_less_than_as_many_items(counts_of, write):
    rng = np.random.default_rng(8)
    bank = bank_of(rng.normal(0, 1, 100), 1.0, 0.25)
    once = answers(rng, bank, rng.normal(0, 1, 6))
    single = linking(counts_of(once), parameters=write(bank))
    same = linking(counts_of(once * 10, 10), parameters=write(bank))
    assert same.meta["correlation_in_cell"] > 0.7
    np.testing.assert_allclose(
        same.tables["estimates"]["linked_ability_se"], single.tables["estimates"]["linked_ability_se"], rtol=0.2
    )


@pytest.mark.parametrize(("right", "reason"), [(1, "every answer is right"), (0, "every answer is wrong")])
def test_all_alike_has_a_posterior_and_no_maximum(counts_of, write, right, reason):
    row = (
        linking(counts_of(np.full((1, 30), right)), parameters=write(bank_of(np.zeros(30)))).tables["estimates"].iloc[0]
    )
    assert row["reason"].startswith(reason)
    assert np.isnan(row["ability_ml"])
    assert np.isnan(row["p_fit"])
    assert np.isfinite(row["linked_ability"])
    assert row["linked_score_low"] < row["linked_score"] < row["linked_score_high"]


def test_no_better_than_guessing_has_no_maximum(counts_of, write):
    bank = bank_of(np.linspace(-1, 1, 40), 1.0, 0.25)
    right = np.zeros((1, 40), dtype=int)
    right[0, 36:] = 1
    row = linking(counts_of(right), parameters=write(bank)).tables["estimates"].iloc[0]
    assert row["reason"].startswith("no more right answers than guessing gives")
    assert np.isfinite(row["linked_ability"])


def test_few_items_are_flagged_and_units_without_any_have_a_reason(counts_of, write):
    right = np.tile([1, 0], (2, 6))
    statuses = {"failed": np.zeros((2, 12), dtype=int)}
    counts = counts_of(right, np.array([[1] * 12, [0] * 12]) | right * 0, statuses=statuses)
    counts = replace(counts, options=counts.options * np.array([1, 0])[:, None, None])
    table = linking(counts, parameters=write(bank_of(np.zeros(12)))).tables["estimates"]
    assert table["flag"].iloc[0] == "under 20 items: the prior counts for much"
    assert table["reason"].iloc[1] == "no answer to an item of the scale"
    assert pd.isna(table["linked_ability"].iloc[1])


def test_items_that_cannot_be_used_are_named(counts_of, write):
    rng = np.random.default_rng(9)
    counts = counts_of(rng.integers(0, 2, (3, 40)))
    counts = replace(counts, items=counts.items.assign(digest=[f"d{k}" for k in range(40)]))
    names = [f"i{k}" for k in range(38)] + ["x1", "x2"]
    digests = ["other"] + [f"d{k}" for k in range(1, 38)] + ["", ""]
    result = linking(counts, parameters=write(bank_of(np.zeros(40)), names, digest=digests))
    reasons = result.tables["left_out"].set_index("item")["reason"].to_dict()
    assert reasons == {
        "x1": "not in the table of items", "x2": "not in the table of items",
        "i0": "not the item that was calibrated: its digest differs",
        "i38": "no parameters in the file", "i39": "no parameters in the file",
    }  # fmt: skip
    assert result.summary["n_items"] == 37
    assert "Items left out (2): not in the table of items." in result.meta["warnings"]
    with pytest.raises(DataError, match="no item in common"):
        linking(counts, parameters=write(bank_of(np.zeros(2)), ["x1", "x2"]))


def test_without_parameters_it_steps_aside_and_says_how_to_get_them(counts_of):
    result = linking(counts_of(np.ones((2, 3))))
    assert "click-stats analyze irt" in result.meta["reason"]
    assert all(not len(table) for table in result.tables.values())


@pytest.mark.parametrize("wrong", [{"prior_sd": 0}, {"draws": 5}, {"alpha": 0}, {"level": 1}])
def test_wrong_parameters_are_refused(counts_of, wrong):
    with pytest.raises(UsageError):
        linking(counts_of(np.ones((2, 3))), **wrong)


def test_drift_is_shown_from_five_units_on(counts_of, write):
    rng = np.random.default_rng(10)
    bank = bank_of(rng.normal(0, 1, 30))
    four, thirty = (
        linking(counts_of(answers(rng, bank, rng.normal(0, 1, n))), parameters=write(bank)).tables["drift"]
        for n in (4, 30)
    )
    assert not len(four)
    assert len(thirty) == 30
    assert set(thirty["reason"]) <= {"", "fewer than 5 right or wrong answers are expected"}
    assert thirty["p_value"].notna().sum() > 15


def test_a_flat_curve_gives_no_shift():
    """All far below a hard item with a floor: guessing is tested, where the difficulty went is not known."""
    bank = bank_of([9.0, 0.0], 1.0, 0.25)
    right = np.column_stack([np.zeros(40), np.arange(40) % 2]).astype(float)
    found = drift(bank, right, np.ones((40, 2)), np.zeros(40))
    assert found.p_value[0] < 0.001
    assert np.isnan(found.shift[0])
    assert np.isfinite(found.shift[1])
