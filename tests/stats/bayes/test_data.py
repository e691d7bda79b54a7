"""Who takes part, which predictors, which items."""

import numpy as np
import pytest

from click_stats.errors import MissingDependencyError, UsageError
from click_stats.stats.bayes import analysis, bayes, model
from click_stats.stats.bayes.data import prepare
from click_stats.stats.bayes.predictors import Aside

SOME = np.tile([[2, 3, 4, 1]], (6, 1))


def test_default_predictors_are_category_size_and_corpus(six_models):
    data = prepare(six_models)
    assert data.of_models.names == ("log10_params", "corpus[yes]")
    assert data.of_models.base == {"corpus": "no"}
    assert data.of_items.names == ("category[B]", "category[C]")
    np.testing.assert_allclose(data.of_models.matrix.mean(axis=0), 0, atol=1e-12)
    assert data.of_models.raw[:, 0] == pytest.approx(np.log10([1, 3, 7, 13, 30, 70]))
    assert data.of_models.numeric == (True, False)


def test_models_without_a_size_leave_and_are_named(with_facts):
    counts = with_facts(SOME, parameters=[1, 3, 7, 13, np.nan, 70], korean_corpus=list("yynnyn"))
    data = prepare(counts)
    assert data.models == ("m0", "m1", "m2", "m3", "m5")
    assert data.left_out == {"m4": "unknown: log10_params"}


def test_one_corpus_leaves_size_alone_with_a_note(with_facts):
    data = prepare(with_facts(SOME, parameters=[1, 3, 7, 13, 30, 70], korean_corpus="yes"))
    assert data.of_models.names == ("log10_params",)
    assert data.notes == ("corpus left out: All models have the same corpus: yes.",)


def test_unknown_corpus_leaves_size_alone_with_a_note(with_facts):
    data = prepare(with_facts(SOME, parameters=[1, 3, 7, 13, 30, 70]))
    assert data.of_models.names == ("log10_params",)
    assert data.notes[0].startswith("corpus left out: 0 models have answers and a known log10_params and corpus")


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({}, "0 models have answers and a known log10_params and corpus"),
        ({"parameters": [1, 3, 7, None, None, None]}, "0 models"),
        ({"parameters": [7] * 6}, "0 models"),
    ],
)
def test_too_few_models_step_aside(with_facts, facts, why):
    with pytest.raises(Aside, match=why):
        prepare(with_facts(SOME, **facts))


def test_equal_sizes_step_aside_when_size_is_asked_for(with_facts):
    with pytest.raises(Aside, match="same log10_params"):
        prepare(with_facts(SOME, parameters=[7] * 6), fixed="log10_params")


def test_size_and_corpus_that_go_together_leave_size_alone(with_facts):
    counts = with_facts(SOME, parameters=[1, 1, 1, 70, 70, 70], korean_corpus=list("nnnyyy"))
    data = prepare(counts)
    assert data.of_models.names == ("log10_params",)
    assert data.notes[0].startswith("corpus left out: Fixed effects cannot be told apart")


@pytest.mark.parametrize(("correct", "why"), [(np.zeros((6, 4)), "wrong"), (np.full((6, 4), 6), "right")])
def test_all_right_or_all_wrong_steps_aside(with_facts, correct, why):
    with pytest.raises(Aside, match=f"Every answer is {why}"):
        prepare(with_facts(correct, parameters=[1, 3, 7, 13, 30, 70]))


def test_as_many_effects_as_models_step_aside(with_facts):
    counts = with_facts(SOME[:4], parameters=[1, 3, 7, 13], korean_corpus=list("abca"))
    with pytest.raises(Aside, match="4 models cannot tell 3 effects"):
        prepare(counts, fixed="log10_params + corpus")


def test_items_are_drawn_within_categories(with_facts):
    rng = np.random.default_rng(1)
    counts = with_facts(rng.integers(1, 6, (6, 40)), category=["A"] * 30 + ["B"] * 10, parameters=[1, 3, 7, 13, 30, 70])
    data = prepare(counts, max_items=8, seed=3)
    assert len(data.items) == 8
    assert np.bincount(data.category).tolist() == [6, 2]
    assert data.items == prepare(counts, max_items=8, seed=3).items
    assert data.items != prepare(counts, max_items=8, seed=4).items
    assert "8 of 40 items, drawn within categories" in data.notes


def test_people_are_no_models(with_facts):
    counts = with_facts(
        SOME, parameters=[1, 3, 7, 13, 30, 70], kind=["model"] * 5 + ["human"], korean_corpus=list("yynnyn")
    )
    assert prepare(counts).left_out == {"m5": "not a model"}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"fixed": "nothing"}, "no column 'nothing'"),
        ({"fixed": "category:corpus"}, "without the main effect"),
        ({"random": ("item",)}, "item and model"),
        ({"random": ("item", "model", "wording")}, "item and model"),
        ({"margin": 2.0}, "margin"),
        ({"priors": (0.5, -1.0)}, "priors"),
        ({"priors": (0.5, 0.5)}, "twice"),
        ({"draws": 5}, "draws"),
        ({"target_accept": 1.0}, "target_accept"),
        ({"max_items": 1}, "max_items"),
        ({"save": "/nowhere/at/all.nc"}, "folder"),
    ],
)
def test_wrong_arguments_are_errors(six_models, arguments, why):
    with pytest.raises(UsageError, match=why):
        bayes(six_models, **arguments)


def test_the_missing_extra_is_named(six_models, monkeypatch):
    monkeypatch.setattr(model, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"click-stats\[bayes\]"):
        bayes(six_models)


@pytest.mark.bayes
def test_stepping_aside_keeps_the_tables(with_facts):
    found = bayes(with_facts(SOME))
    assert found.meta["reason"] in found.meta["warnings"]
    assert all(len(frame) == 0 for frame in found.tables.values())
    assert list(found.tables) == list(analysis.TABLES)
    assert "nan" not in found.to_json().lower()
