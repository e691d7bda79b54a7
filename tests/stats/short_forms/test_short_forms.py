"""Short forms: how items are chosen, and that errors are those of models held out."""

import numpy as np
import pytest
from scipy import special, stats

import click_stats as cs
from click_stats.errors import UsageError
from click_stats.stats.short_forms import short_forms
from click_stats.stats.short_forms.adaptive import replay
from click_stats.stats.short_forms.crossval import calibrate, drawn, errors, folds
from click_stats.stats.short_forms.forms import (
    Bank,
    cluster_tree,
    clustering_form,
    information_form,
    random_form,
    shares,
    stratified_form,
)
from click_stats.stats.short_forms.scale import Scale


def rasch(rng, n_units, n_items, trials=1):
    """Answers under a 1PL without a floor; abilities and difficulties that made them."""
    ability, difficulty = rng.normal(0, 1, n_units), rng.normal(0, 1, n_items)
    right = rng.binomial(trials, special.expit(ability[:, None] - difficulty))
    return right, ability, difficulty


def bank_of(right, trials=1, strata=None):
    right = np.asarray(right, dtype=float)
    n_items = right.shape[1]
    strata = np.zeros(n_items, dtype=int) if strata is None else np.asarray(strata)
    return Bank(right / trials, right, np.full(right.shape, float(trials)), np.full(n_items, 0.25), strata)


def scale_of(difficulty, abilities=(0.0,), sd=1.0, floor=0.0):
    difficulty = np.asarray(difficulty, dtype=float)
    return Scale(difficulty, np.full(difficulty.size, floor), np.asarray(abilities, dtype=float), sd)


@pytest.mark.parametrize("k", [1, 2, 7, 20, 29])
def test_shares_are_proportional_and_whole(k):
    sizes = np.array([10, 15, 4, 1])
    found = shares(sizes, k)
    assert found.sum() == k
    assert (found <= sizes).all()
    assert (np.abs(found - k * sizes / 30) < 1).all()


def test_shares_keep_the_least_of_each():
    assert list(shares(np.array([100, 1, 1]), 3, least=1)) == [1, 1, 1]


def test_a_random_form_has_the_error_of_sampling_without_replacement():
    rng = np.random.default_rng(1)
    right, _, _ = rasch(rng, 4, 200)
    bank = bank_of(right)
    found = drawn(bank, "random", [50], 4000, seed=2)[50]
    expected = np.sqrt(bank.scores.var(axis=1, ddof=1) / 50 * (1 - 50 / 200))
    np.testing.assert_allclose(found.std(axis=0), expected, rtol=4 / np.sqrt(2 * 4000))
    np.testing.assert_allclose(found.mean(axis=0), bank.scores.mean(axis=1), atol=4 * expected.max() / np.sqrt(4000))


def test_a_stratified_form_is_unbiased_and_keeps_the_categories():
    rng = np.random.default_rng(3)
    strata = np.repeat([0, 1], [150, 50])
    right = (rng.random((3, 200)) < np.where(strata == 0, 0.9, 0.2)).astype(int)
    bank = bank_of(right, strata=strata)
    form = stratified_form(bank, 22, rng)
    assert list(np.bincount(strata[form.items])) == [17, 5] or list(np.bincount(strata[form.items])) == [16, 6]
    assert form.weights.sum() == pytest.approx(1)
    assert form.weights[strata[form.items] == 0].sum() == pytest.approx(0.75)
    plain, layered = (drawn(bank, name, [22], 2000, seed=4)[22] for name in ("random", "stratified"))
    assert (layered.std(axis=0) < 0.8 * plain.std(axis=0)).all()
    np.testing.assert_allclose(layered.mean(axis=0), bank.scores.mean(axis=1), atol=0.01)


def test_the_most_informative_items_are_those_near_the_abilities():
    scale = scale_of(np.linspace(-4, 4, 81), abilities=[1.0])
    form = information_form(scale, np.zeros(81, dtype=int), 5)
    assert np.abs(scale.difficulty[form.items] - 1.0).max() <= 0.2 + 1e-9


def test_clusters_weigh_what_they_stand_for():
    patterns = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0]]).T  # 4 models x 3 patterns
    bank = bank_of(np.repeat(patterns, [10, 6, 4], axis=1))
    form = clustering_form(bank, cluster_tree(bank), 3)
    assert sorted(form.weights) == pytest.approx([0.2, 0.3, 0.5])
    np.testing.assert_allclose(bank.scores[:, form.items] @ form.weights, bank.scores.mean(axis=1))


def test_more_clusters_than_patterns_still_give_as_many_items():
    bank = bank_of(np.repeat([[1, 0], [0, 1], [1, 1]], [10, 10], axis=1))
    form = clustering_form(bank, cluster_tree(bank), 6)
    assert len(set(form.items)) == 6
    assert form.weights.sum() == pytest.approx(1)


def test_families_are_held_out_together():
    groups = ["a", "a", "b", "c", "c", "c", "d", "e"]
    parts = folds(groups, 3, seed=1)
    assert sorted(np.concatenate(parts)) == list(range(8))
    for name in set(groups):
        members = {place for place, one in enumerate(groups) if one == name}
        assert sum(bool(members & set(part)) for part in parts) == 1
    assert max(map(len, parts)) == 3
    assert [list(part) for part in folds(groups, 3, seed=1)] == [list(part) for part in parts]


def test_calibration_is_the_line_of_least_squares():
    rng = np.random.default_rng(5)
    right, _, _ = rasch(rng, 12, 60)
    bank = bank_of(right)
    form = random_form(bank, 20, rng)
    mean = bank.scores[:, form.items].mean(axis=1)
    slope, intercept = np.polyfit(mean, bank.scores.mean(axis=1), 1)
    found = calibrate(bank, form)
    assert (found.intercept, found.slope) == pytest.approx((intercept, slope))
    constant = calibrate(bank_of(np.ones((4, 10))), random_form(bank_of(np.ones((4, 10))), 3, rng))
    assert (constant.intercept, constant.slope) == (0, 1)


def test_errors_by_hand():
    found = errors(np.array([[0.5, 0.6, 0.9]]), np.array([0.4, 0.7, 0.8]))
    assert found.absolute == pytest.approx(0.1)
    assert found.root_square == pytest.approx(0.1)
    assert found.bias == pytest.approx(0.1 / 3)
    assert found.tau == pytest.approx(1.0)
    assert found.first_kept == 1.0
    swapped = errors(np.array([[0.9, 0.6, 0.5]]), np.array([0.4, 0.7, 0.8]))
    assert swapped.tau == pytest.approx(stats.kendalltau([0.9, 0.6, 0.5], [0.4, 0.7, 0.8]).statistic)
    assert swapped.first_kept == 0.0
    assert np.isnan(errors(np.full((1, 3), 0.5), np.array([0.4, 0.7, 0.8])).tau)


def test_the_conversion_is_the_posterior_by_enumeration():
    scale = scale_of([-1.0, 0.0, 0.7, 1.5], sd=1.2, floor=0.25)
    items = np.array([0, 2, 3])
    grid, table = scale.grid, scale.conversion(items)
    probability = scale.probability(grid)
    prior = np.exp(-0.5 * (grid / 1.2) ** 2)
    for n_right in range(4):
        likelihood = np.zeros(grid.size)
        for pattern in np.ndindex(2, 2, 2):
            if sum(pattern) == n_right:
                each = np.where(np.array(pattern), probability[:, items], 1 - probability[:, items])
                likelihood += each.prod(axis=1)
        weight = prior * likelihood / (prior * likelihood).sum()
        whole = probability.mean(axis=1)
        assert table.score[n_right] == pytest.approx(weight @ whole, rel=1e-12)
        assert table.std_error[n_right] == pytest.approx(np.sqrt(weight @ (whole - weight @ whole) ** 2), rel=1e-9)
    assert table(np.array([1 / 6]))[0] == pytest.approx(table.score[:2].mean())


def test_an_adaptive_test_asks_near_the_ability_and_states_its_error():
    rng = np.random.default_rng(6)
    difficulty = rng.normal(0, 1.5, 400)
    misses, stated = [], []
    for _ in range(60):
        ability = rng.normal()
        scores = (rng.random(400) < special.expit(ability - difficulty)).astype(float)
        found = replay(scale_of(difficulty), scores, 40)
        misses.append(found.ability[-1] - ability)
        stated.append(found.ability_sd[-1])
    assert np.std(misses) == pytest.approx(np.mean(stated), rel=4 / np.sqrt(2 * 60))
    # forty answers of information 1/4 each, and the prior
    assert np.mean(stated) == pytest.approx(1 / np.sqrt(40 / 4 + 1), rel=0.05)


def test_an_adaptive_test_asks_only_what_was_answered():
    scores = np.array([1.0, np.nan, 0.0, np.nan])
    assert replay(scale_of([0.0, 0.0, 1.0, 2.0]), scores, 10).score.size == 2


def test_errors_shrink_with_the_number_of_items(counts_of):
    rng = np.random.default_rng(7)
    right, _, _ = rasch(rng, 14, 150)
    result = short_forms(counts_of(right), sizes=[10, 60], choose=20, draws=40, seed=1)
    curve = result.to_frame().set_index(["strategy", "n_chosen"])["estimate"]
    for strategy in ("random", "stratified", "information", "clustering"):
        assert curve[strategy, 60] < curve[strategy, 10]
    adaptive = result.to_frame("adaptive").set_index("n_chosen")["estimate"]
    assert adaptive[60] < adaptive[10]
    listed = result.to_frame("forms")
    assert (listed.groupby("strategy")["item"].nunique() == 20).all()
    assert listed.groupby("strategy")["item_weight"].sum().to_numpy() == pytest.approx(1)
    assert len(result.to_frame("conversion")) == 21
    again = short_forms(counts_of(right), sizes=[10, 60], choose=20, draws=40, seed=1)
    assert again.to_json() == result.to_json()


def test_held_out_models_do_not_choose_their_own_items(counts_of):
    # Noise: every model answers at random with its own rate. A form learned from a model itself would foretell its score.
    rng = np.random.default_rng(8)
    rate = np.linspace(0.2, 0.9, 10)
    right = (rng.random((10, 200)) < rate[:, None]).astype(int)
    curve = short_forms(counts_of(right), sizes=[25], choose=25, draws=100, adaptive=False).to_frame()
    by = curve.set_index("strategy")["estimate"]
    assert by["clustering"] > 0.7 * by["random"]


def test_forms_are_read_back_as_items_to_ask(counts_of, tmp_path, three_files):
    trials = cs.read_trials(three_files)
    rows = short_forms(trials.counts(), sizes=[30], choose=30, strategies=["random"], adaptive=False)
    assert "at least 6" in rows.meta["reason"]
    rng = np.random.default_rng(9)
    right, _, _ = rasch(rng, 8, 50)
    result = short_forms(counts_of(right), sizes=[10], choose=10, strategies=["stratified"], adaptive=False, draws=5)
    path = tmp_path / "forms.csv"
    result.to_frame("forms").to_csv(path, index=False)
    assert cs.read_keys(path) == tuple(result.to_frame("forms")["item"])


def test_few_models_items_or_families_step_aside(counts_of):
    rng = np.random.default_rng(10)
    right, _, _ = rasch(rng, 5, 60)
    assert "at least 6" in short_forms(counts_of(right)).meta["reason"]
    right, _, _ = rasch(rng, 8, 10)
    assert "Fewer than 20 items" in short_forms(counts_of(right)).meta["reason"]
    right, _, _ = rasch(rng, 8, 40)
    counts = counts_of(right)
    kin = counts.with_units(counts.units.assign(family=["x"] * 6 + ["y", "z"]))
    result = short_forms(kin, sizes=[10], choose=10, draws=5)
    reasons = result.to_frame().set_index("strategy")["reason"].groupby(level=0).first()
    assert reasons["random"] == ""
    assert "leaves fewer than 5 models" in reasons["information"]
    assert "leaves fewer than 5 models" in result.to_frame("adaptive")["reason"].item()


def test_conditions_of_one_model_are_held_out_together(counts_of):
    right, _, _ = rasch(np.random.default_rng(12), 8, 40)
    counts = counts_of(right)
    apart = short_forms(counts, sizes=[10], choose=10, draws=5).to_frame()
    assert not apart["reason"].any()
    two_models = counts.with_units(counts.units.assign(model=["a"] * 4 + ["b"] * 4))
    together = short_forms(two_models, sizes=[10], choose=10, draws=5).to_frame().set_index("strategy")["reason"]
    assert "holding out a family" in together["clustering"]


def test_sizes_as_large_as_the_benchmark_are_left_out(counts_of):
    right, _, _ = rasch(np.random.default_rng(11), 8, 30)
    result = short_forms(
        counts_of(right), sizes=[10, 30, 99], choose=99, strategies=["random"], adaptive=False, draws=3
    )
    assert list(result.to_frame()["n_chosen"]) == [10]
    assert not len(result.to_frame("forms"))


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({"strategies": ["best"]}, "no strategy 'best'"),
        ({"sizes": [1]}, "sizes must be at least 2"),
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"draws": 0}, "draws must be at least 1"),
    ],
)
def test_wrong_parameters_are_errors(counts_of, change, found):
    with pytest.raises(UsageError, match=found):
        short_forms(counts_of(np.ones((8, 30), dtype=int)), **change)


def test_all_right_answers_have_no_order_to_keep(counts_of):
    result = short_forms(
        counts_of(np.ones((8, 40), dtype=int)), sizes=[10], choose=10, strategies=["random"], adaptive=False, draws=3
    )
    row = result.to_frame().iloc[0]
    assert row["estimate"] == 0
    assert np.isnan(row["rank_correlation"])
