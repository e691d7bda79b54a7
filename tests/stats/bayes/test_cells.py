"""Deviations of cells integrated out, and drawn again; interactions, passages and effects in points."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special

from click_stats.errors import UsageError
from click_stats.stats.bayes.cells import deviations, log_likelihood
from click_stats.stats.bayes.data import prepare
from click_stats.stats.bayes.draws import Draws
from click_stats.stats.bayes.points import in_points

BY_CATEGORY = "category + log10_params + corpus + category:log10_params"


def by_sum(correct, trials, eta, sd):
    """The integral over the deviation on a fine grid."""
    z = np.linspace(-10, 10, 4001)
    x = eta[..., None] + sd * z
    exponent = correct[..., None] * x - trials[..., None] * np.logaddexp(0, x) - z**2 / 2
    return special.logsumexp(exponent, axis=-1) + np.log((z[1] - z[0]) / np.sqrt(2 * np.pi))


@pytest.mark.parametrize(("sd", "within"), [(0.05, 1e-9), (0.5, 1e-8), (1.5, 2e-4), (3.0, 5e-3)])
def test_the_integral_over_deviations(sd, within):
    rng = np.random.default_rng(1)
    eta, trials = rng.normal(-0.5, 1.5, (8, 30)), np.full((8, 30), 12)
    trials[0, :5] = 0
    correct = rng.binomial(trials, special.expit(eta + rng.normal(0, sd, eta.shape)))
    correct[1], correct[2] = 0, 12
    found = log_likelihood(np, correct, trials, eta, sd)
    np.testing.assert_allclose(found, by_sum(correct, trials, eta, sd), atol=within)
    np.testing.assert_allclose(found[0, :5], 0, atol=1e-9)


@pytest.mark.bayes
def test_the_sampler_gets_the_same_integral_and_its_slope():
    import pytensor
    import pytensor.tensor as pt

    eta, correct, trials = np.array([[0.3, -1.0]]), np.array([[9.0, 1.0]]), np.array([[12.0, 12.0]])
    sd = pt.dscalar()
    value = log_likelihood(pt, correct, trials, pt.as_tensor(eta), sd).sum()
    both = pytensor.function([sd], [value, pytensor.grad(value, sd)])(0.8)
    assert both[0] == pytest.approx(by_sum(correct, trials, eta, 0.8).sum(), abs=1e-6)
    slope = (by_sum(correct, trials, eta, 0.801).sum() - by_sum(correct, trials, eta, 0.799).sum()) / 0.002
    assert both[1] == pytest.approx(slope, abs=1e-3)


def test_deviations_are_drawn_given_the_counts():
    n = 20_000
    ones = np.ones((1, n))
    drawn = deviations(np.random.default_rng(2), 9 * ones, 12 * ones, 0.2 * ones, 0.7)
    z = np.linspace(-6, 6, 2001)
    weight = np.exp(9 * (0.2 + 0.7 * z) - 12 * np.logaddexp(0, 0.2 + 0.7 * z) - z**2 / 2)
    mean = (0.7 * z * weight).sum() / weight.sum()
    sd = np.sqrt(((0.7 * z - mean) ** 2 * weight).sum() / weight.sum())
    assert drawn.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(n))
    assert drawn.std() == pytest.approx(sd, rel=0.03)
    empty = deviations(np.random.default_rng(3), 0 * ones, 0 * ones, 0.2 * ones, 0.7)
    assert empty.std() == pytest.approx(0.7, rel=0.03)


class TestInteractions:
    def test_the_effect_of_size_by_category(self, six_models):
        data = prepare(six_models, fixed=BY_CATEGORY)
        assert data.effects == ("log10_params", "corpus[yes]", "category[B]:log10_params", "category[C]:log10_params")
        assert data.random == ("item", "model", "model:category")
        assert any("model:category added" in note for note in data.notes)
        assert data.base("category[B]:log10_params") == "A"
        np.testing.assert_allclose(data.groups.contrast.sum(axis=0), 0, atol=1e-12)
        np.testing.assert_allclose(np.diff(data.groups.contrast[:2, 0]), 1)
        np.testing.assert_allclose(data.groups.matrix.sum(axis=1), 0, atol=1e-12)  # the mean is the effect by itself

    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            ({"fixed": "category + source + corpus + category:corpus + source:corpus"}, "one column of items"),
            ({"fixed": "n_options + corpus + n_options:corpus"}, "does not have the interaction"),
            ({"fixed": BY_CATEGORY, "random": ("item", "model", "model:source")}, "model:category"),
            ({"random": ("item", "model", "model:source", "model:category")}, "one kind of groups"),
        ],
    )
    def test_what_the_model_does_not_have_is_an_error(self, six_models, arguments, why):
        with pytest.raises(UsageError) as caught:
            prepare(six_models, **arguments)
        assert why in f"{caught.value.what} {caught.value.do}"

    def test_points_by_hand(self, six_models):
        data = prepare(six_models, fixed=BY_CATEGORY)
        one = np.zeros((1, 6))
        draws = Draws(1, one, one, np.ones(1), np.zeros((1, 30)))
        effects = np.array([[0.6, 0.0, 0.3, -0.3]])
        found = in_points(SimpleNamespace(draws=draws, rows=np.zeros(1, dtype=int), effects=effects), data)[0]

        def points(slope):
            return special.expit(slope / 2) - special.expit(-slope / 2)

        in_group = [points(slope) for slope in (0.6, 0.9, 0.3)]  # contrasts of .3 and -.3 have the mean 0
        assert found[0] == pytest.approx(np.mean(in_group))
        assert found[1] == pytest.approx(0)
        assert found[2:] == pytest.approx([in_group[1] - in_group[0], in_group[2] - in_group[0]])

    def test_points_of_two_facts_of_models(self, six_models):
        data = prepare(six_models, fixed="category + log10_params + corpus + log10_params:corpus")
        assert data.effects[-1] == "log10_params:corpus[yes]"
        one = np.zeros((1, 6))
        draws = Draws(1, one, one, np.ones(1), np.zeros((1, 30)))
        only = np.array([[0.0, 0.0, 0.4]])
        found = in_points(SimpleNamespace(draws=draws, rows=np.zeros(1, dtype=int), effects=only), data)[0]
        # Of corpus yes, half a unit of size up and down, about where size put it; of corpus no, nothing.
        raw = data.of_models.raw
        start = -0.4 * raw[:, 2]
        size = raw[:, 0]
        expected = np.mean(special.expit(start + 0.4 * (size + 0.5)) - special.expit(start + 0.4 * (size - 0.5)))
        assert found[2] == pytest.approx(expected)


def test_passages_of_one_item_are_no_passages(with_facts):
    from dataclasses import replace

    counts = with_facts(np.tile([[2, 3, 4, 1]], (6, 1)), parameters=[1, 3, 7, 13, 30, 70])
    random = ("item", "model", "passage")
    alone = prepare(counts, random=random)
    assert alone.passage.tolist() == [-1] * 4
    assert "passage left out: no two of these items share one" in alone.notes
    together = replace(counts, items=counts.items.assign(cluster=["p", "q", "p", "r"]))
    assert prepare(together, random=random).passage.tolist() == [0, -1, 0, -1]
