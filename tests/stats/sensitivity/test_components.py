"""The engine of components against R (tests/oracles/gtheory), by hand, and by its algebra."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.errors import UsageError
from click_stats.stats.lmm import variance_components
from click_stats.stats.sensitivity.components import components, finite, loadings, mean_squares, single_answer
from click_stats.stats.sensitivity.designs import coefficients, error_parts

FOLDER = Path(__file__).parents[2] / "oracles" / "gtheory"
FACETS = ("item", "wording", "rotation")
FIVE = ("item", "wording", "rotation", "item:wording", "item:rotation")


@pytest.fixture(scope="module")
def oracle():
    return json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def cells(oracle):
    table = pd.read_csv(FOLDER / "input.csv")
    return table["score"].to_numpy(dtype=float).reshape([oracle["design"][name + "s"] for name in FACETS])


def expected(values):
    return {name.replace("Residuals", "residual").replace("Residual", "residual"): v for name, v in values.items()}


@pytest.mark.parametrize(("model", "terms"), [("anova_5", FIVE), ("anova_6", None)])
class TestOracle:
    def test_mean_squares_and_degrees(self, cells, oracle, model, terms):
        found = mean_squares(cells, FACETS, terms=terms)
        for name, value in expected(oracle[model]["mean_squares"]).items():
            assert found.squares[name][0] == pytest.approx(value, rel=1e-9)
        assert {name: df[0] for name, df in found.degrees.items()} == expected(oracle[model]["df"])

    def test_components(self, cells, oracle, model, terms):
        found = components(mean_squares(cells, FACETS, terms=terms))
        for name, value in expected(oracle[model]["ems_variance"]).items():
            assert found[name][0] == pytest.approx(value, abs=1e-9)

    def test_decision_studies(self, cells, oracle, model, terms):
        found = {name: v[0] for name, v in components(mean_squares(cells, FACETS, terms=terms)).items()}
        for design in oracle["d_study"][model.replace("anova", "ems")]:
            levels = {"wording": design["n_wording"], "rotation": design["n_rotation"]}
            parts = error_parts({k: v for k, v in found.items() if k != "item"}, levels, {})
            relative = sum(v for k, v in parts.items() if k == "residual" or "item" in k)
            absolute = sum(parts.values())
            assert relative == pytest.approx(design["rel_error_variance"], abs=1e-9)
            assert absolute == pytest.approx(design["abs_error_variance"], abs=1e-9)
            g, phi = coefficients(found["item"], relative, absolute)
            assert g == pytest.approx(design["g_relative"], abs=1e-9)
            assert phi == pytest.approx(design["phi_absolute"], abs=1e-9)


def test_reml_gives_the_same_where_nothing_is_negative(cells, oracle):
    index = dict(zip(FACETS, (one.ravel() for one in np.indices(cells.shape)), strict=True))
    found = variance_components(cells.ravel(), index, list(FIVE)).variances
    for name, value in components(mean_squares(cells, FACETS, terms=FIVE)).items():
        assert found[name] == pytest.approx(value[0], rel=1e-4)
    for name, value in expected(oracle["lmer_5"]["variance"]).items():
        assert found[name] == pytest.approx(value, rel=1e-4)


def test_by_hand():
    # Two items, two wordings: rows (1, 1) and (0, 1). Grand mean 3/4.
    found = mean_squares(np.array([[1.0, 1.0], [0.0, 1.0]]), ("item", "wording"))
    assert found.squares["item"] == pytest.approx([0.25])  # 2 * (1/16 + 1/16)
    assert found.squares["wording"] == pytest.approx([0.25])
    assert found.squares["residual"] == pytest.approx([0.25])  # four deviations of 1/4
    split = components(found)
    assert split["item"] == pytest.approx([0.0])
    assert split["residual"] == pytest.approx([0.25])


def test_replicates_separate_the_interaction():
    rng = np.random.default_rng(3)
    answers = rng.normal(size=(6, 3, 5))
    means = answers.mean(axis=2)
    within = ((answers - means[:, :, None]) ** 2).sum(axis=(1, 2))
    found = mean_squares(means, ("item", "wording"), within=within, replicates=5)
    nested = mean_squares(answers, ("item", "wording", "answer"), terms=("item", "wording", "item:wording"))
    for name in ("item", "wording", "item:wording", "residual"):
        assert found.squares[name] == pytest.approx(nested.squares[name])
        assert found.degrees[name] == pytest.approx(nested.degrees[name])
    assert found.degrees["residual"][0] == 6 * 3 * 4


def test_leaving_out_a_cluster_is_computing_without_it():
    rng = np.random.default_rng(4)
    cells = rng.normal(size=(9, 3, 4))
    codes = np.array([0, 0, 1, 1, 1, 2, 3, 3, 3])
    found = components(mean_squares(cells, FACETS, clusters=codes))
    for cluster in range(4):
        alone = components(mean_squares(cells[codes != cluster], FACETS))
        for name in found:
            assert found[name][1 + cluster] == pytest.approx(alone[name][0])


def test_finite_components_of_fixed_facets_are_variances_of_means():
    rng = np.random.default_rng(5)
    cells = rng.normal(size=(50, 3, 4))
    found = mean_squares(cells, FACETS)
    split = finite(components(found), {"wording": 3, "rotation": 4})
    means = cells.mean(axis=(0, 2))
    error = found.squares["item:wording"][0] / (50 * 4)
    assert split["wording"][0] == pytest.approx(means.var(ddof=1) - error)
    # With both fixed, items vary as the means of their cells do, less the error of a mean of 12 answers.
    assert split["item"][0] == pytest.approx(cells.mean(axis=(1, 2)).var(ddof=1) - found.squares["residual"][0] / 12)


def test_loadings_rebuild_every_component():
    rng = np.random.default_rng(6)
    found = mean_squares(rng.normal(size=(7, 3, 4)), FACETS)
    universe = {"rotation": 4}
    split = finite(components(found), universe)
    for name, value in split.items():
        weights = loadings(found, name, universe)
        assert sum(weights[k] * found.squares[k][0] for k in weights) == pytest.approx(value[0])


def test_finite_components_add_up_to_the_variance_of_an_answer():
    # A population: every item, wording and position is there, so nothing is estimated.
    rng = np.random.default_rng(7)
    cells = rng.normal(size=(5, 3, 4))
    found = mean_squares(cells, FACETS, residual=False)
    universe = {"item": 5, "wording": 3, "rotation": 4}
    split = finite(components(found), universe)
    assert sum(v[0] * single_answer(k, universe) for k, v in split.items()) == pytest.approx(cells.var())


def test_errors_of_means_are_those_of_every_sample():
    # The mean over 2 of 3 wordings and 3 of 4 rotations: all samples enumerated.
    rng = np.random.default_rng(8)
    cells = rng.normal(size=(3, 4))
    found = mean_squares(cells, FACETS[1:], residual=False)
    universe = {"wording": 3, "rotation": 4}
    split = {k: v[0] for k, v in finite(components(found), universe).items()}
    kept = [(w, r) for w, r in product(range(8), range(16)) if w.bit_count() == 2 and r.bit_count() == 3]
    means = [
        cells[np.ix_([k for k in range(3) if w >> k & 1], [k for k in range(4) if r >> k & 1])].mean() for w, r in kept
    ]
    assert min(split.values()) > 0, "a negative component would count as 0"
    assert sum(error_parts(split, {"wording": 2, "rotation": 3}, universe).values()) == pytest.approx(np.var(means))


def test_a_complete_set_of_rotations_leaves_no_error():
    parts = error_parts({"position": 0.2, "item:position": 0.1}, {"item": 10, "position": 4}, {"position": 4})
    assert sum(parts.values()) == 0


def test_positions_are_drawn_within_items():
    universe, levels = {"position": 4}, {"item": 10, "position": 1}
    parts = error_parts({"position": 0.2}, levels, universe, inside={"position": "item"})
    assert parts["position"] == pytest.approx(0.2 * 0.75 / 10)
    assert error_parts({"position": 0.2}, levels, universe)["position"] == pytest.approx(0.2 * 0.75)


def test_a_facet_of_one_level_or_an_unknown_term_is_refused():
    with pytest.raises(UsageError, match="two levels"):
        mean_squares(np.ones((3, 1)), ("item", "wording"))
    with pytest.raises(UsageError, match="no term"):
        mean_squares(np.ones((3, 2)), ("item", "wording"), terms=("item", "colour"))
