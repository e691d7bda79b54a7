"""Variance components: R's lmer, expected mean squares, edges."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from click_stats.errors import DataError, UsageError
from click_stats.stats.lmm import ConvergenceError, variance_components

ORACLE = Path(__file__).parents[2] / "oracles" / "gtheory"
FIVE = ["item", "wording", "rotation", "item:wording", "item:rotation"]
TERMS = {"5": FIVE, "6": [*FIVE, "wording:rotation"]}


def grid(*sizes, replicates=1):
    return [part.ravel() for part in np.indices((*sizes, replicates))]


@pytest.fixture(scope="module")
def expected():
    return json.loads((ORACLE / "expected.json").read_text())


@pytest.fixture(scope="module")
def table():
    return pd.read_csv(ORACLE / "input.csv")


@pytest.mark.parametrize("key", TERMS)
def test_components_are_those_of_lmer_and_of_mean_squares(expected, table, key):
    found = variance_components(table["score"], {name: table[name] for name in FIVE[:3]}, TERMS[key])
    fit, moments = expected[f"lmer_{key}"], expected[f"anova_{key}"]["ems_variance_truncated"]
    ours = {"Residual" if name == "residual" else name: value for name, value in found.variances.items()}
    assert ours.keys() == fit["variance"].keys()
    for name, value in ours.items():
        # lmer stops at a relative 1e-6; without a negative estimate REML is exactly the expected mean squares.
        assert value == pytest.approx(fit["variance"][name], rel=1e-4)
        assert value == pytest.approx({**moments, "Residual": moments["Residual"]}[name], rel=1e-9)
    assert found.log_likelihood == pytest.approx(fit["logLik_reml"], abs=1e-6)
    assert found.mean == pytest.approx(fit["mean"], abs=1e-9)
    assert found.mean_se == pytest.approx(fit["mean_se"], rel=1e-5)
    assert found.n_levels["item:rotation"] == 400
    assert not found.notes
    assert not found.reasons


def test_a_negative_estimate_is_0_with_a_note():
    item, wording, _ = grid(40, 3, replicates=2)
    rng = np.random.default_rng(3)
    y = rng.normal(size=len(item)) + rng.normal(size=40)[item]
    # Sums over a wording that are all alike: the mean square between wordings is below the residual one.
    y = y - np.bincount(wording, y)[wording] / 80
    found = variance_components(y, {"item": item, "wording": wording})
    assert found.variances["wording"] == 0
    assert np.isnan(found.std_errors["wording"])
    assert "'wording' is estimated as 0" in found.notes[0]
    alone = variance_components(y, {"item": item})
    pd.testing.assert_series_equal(found.variances.drop("wording"), alone.variances, rtol=1e-8)


def test_fixed_terms_take_their_part_out():
    item, wording, rotation, _ = grid(30, 3, 4)
    rng = np.random.default_rng(4)
    y = rng.normal(size=len(item)) + rng.normal(size=30)[item] + np.array([0.0, 5.0, -3.0])[wording]
    y += 0.7 * rng.normal(size=(30, 3))[item, wording]
    facets = {"item": item, "wording": wording, "rotation": rotation}
    found = variance_components(y, facets, ["item", "item:wording"], fixed=["wording", "rotation", "wording:rotation"])
    # The same by expected mean squares of the three-way table.
    cube = y.reshape(30, 3, 4)
    by_item, by_two = cube.mean(axis=(1, 2)), cube.mean(axis=2)
    cross = by_two - by_item[:, None] - cube.mean(axis=(0, 2)) + cube.mean()
    rest = cube - by_two[:, :, None] - cube.mean(axis=0) + cube.mean(axis=(0, 2))[:, None]
    residual = (rest**2).sum() / (30 * 3 - 3) / 3
    between = 4 * (cross**2).sum() / (29 * 2)
    assert found.variances["residual"] == pytest.approx(residual, rel=1e-8)
    assert found.variances["item:wording"] == pytest.approx((between - residual) / 4, rel=1e-7)
    item_square = 12 * ((by_item - cube.mean()) ** 2).sum() / 29
    assert found.variances["item"] == pytest.approx((item_square - between) / 12, rel=1e-7)


def test_standard_errors_of_a_balanced_design_are_those_of_mean_squares():
    item, _, _ = grid(50, 4, replicates=1)
    rng = np.random.default_rng(5)
    found = variance_components(rng.normal(size=200) + rng.normal(size=50)[item], {"item": item})
    within = found.residual
    between = 4 * found.variances["item"] + within
    assert found.std_errors["residual"] == pytest.approx(within * np.sqrt(2 / 150), rel=1e-6)
    error = np.sqrt(2 * between**2 / 49 + 2 * within**2 / 150) / 4
    assert found.std_errors["item"] == pytest.approx(error, rel=1e-6)
    assert found.covariance.loc["item", "residual"] == pytest.approx(-2 * within**2 / 150 / 4, rel=1e-6)


def test_terms_without_a_variance_of_their_own_have_reasons():
    item, wording, rotation, _ = grid(20, 2, 3)
    y = np.random.default_rng(6).normal(size=len(item)) + item
    facets = {"item": item, "wording": wording, "rotation": rotation, "copy": item + 5, "one": np.zeros(len(item))}
    terms = ["item", "copy", "one", "item:wording:rotation", "wording"]
    found = variance_components(y, facets, terms)
    assert found.variances[["copy", "one", "item:wording:rotation"]].isna().all()
    assert found.reasons["one"] == "one has one level only"
    assert "as item does" in found.reasons["copy"]
    assert "part of the residual" in found.reasons["item:wording:rotation"]
    assert found.variances[["item", "residual"]].gt(0).all()
    assert len(found.notes) >= 3


def test_scores_that_are_all_equal_split_into_nothing():
    item, wording, _ = grid(20, 2)
    found = variance_components(np.ones(40), {"item": item, "wording": wording})
    assert found.variances.isna().all()
    assert found.mean == 1
    assert "all 40 scores are equal" in found.reasons["residual"]


def test_scores_that_one_facet_explains_are_an_error():
    item, _, _ = grid(20, 3)
    with pytest.raises(ConvergenceError, match="no residual variance"):
        variance_components(item % 2, {"item": item})


def test_missing_scores_are_left_out_with_a_note():
    item, wording, _ = grid(20, 3)
    rng = np.random.default_rng(7)
    y = rng.normal(size=60) + rng.normal(size=20)[item]
    kept = rng.random(60) > 0.2
    found = variance_components(np.where(kept, y, np.nan), {"item": item, "wording": wording})
    same = variance_components(y[kept], {"item": item[kept], "wording": wording[kept]})
    pd.testing.assert_series_equal(found.variances, same.variances)
    assert "missing and left out" in found.notes[0]
    with pytest.raises(DataError, match="no value"):
        variance_components(np.full(60, np.nan), {"item": item})


def test_wrong_names_and_lengths():
    with pytest.raises(UsageError, match="no facet 'wording'"):
        variance_components([1.0, 2.0], {"item": [0, 1]}, ["item:wording"])
    with pytest.raises(UsageError, match="given twice"):
        variance_components([1.0, 2.0], {"item": [0, 1]}, ["item", "item"])
    with pytest.raises(UsageError, match="3 labels for 2 values"):
        variance_components([1.0, 2.0], {"item": [0, 1, 2]})


def test_relabelling_and_reordering_change_nothing():
    rng = np.random.default_rng(8)
    item, wording, rotation, _ = grid(25, 3, 4)
    y = rng.normal(size=len(item)) + rng.normal(size=25)[item] + rng.normal(size=(25, 3))[item, wording]
    terms = ["item", "wording", "item:wording", "rotation"]
    one = variance_components(y, {"item": item, "wording": wording, "rotation": rotation}, terms)
    order = rng.permutation(len(y))
    names = np.array([f"x{k}" for k in rng.permutation(25)])
    facets = {"item": names[item][order], "wording": -wording[order], "rotation": rotation[order]}
    two = variance_components(y[order], facets, terms)
    pd.testing.assert_series_equal(one.variances, two.variances, rtol=1e-6)


def test_two_thousand_items_are_quick_and_near_the_truth():
    rng = np.random.default_rng(9)
    item, wording, rotation, _ = grid(2000, 3, 4)
    truth = {"item": 1.0, "item:wording": 0.3, "item:rotation": 0.2, "residual": 0.8}
    y = rng.normal(0, 1.0, 2000)[item] + rng.normal(0, np.sqrt(0.3), (2000, 3))[item, wording]
    y += rng.normal(0, np.sqrt(0.2), (2000, 4))[item, rotation] + rng.normal(0, np.sqrt(0.8), len(item))
    facets = {"item": item, "wording": wording, "rotation": rotation}
    found = variance_components(y, facets, ["item", "wording", "rotation", "item:wording", "item:rotation"])
    for name, value in truth.items():
        assert abs(found.variances[name] - value) < 4 * found.std_errors[name]
        assert found.std_errors[name] < 0.05


@pytest.mark.parametrize("seed", range(12))
def test_small_ragged_tables_give_variances_or_say_why_not(seed):
    """Few rows for many terms: the search may leave no residual; that is an error, never a crash or a negative number."""
    rng = np.random.default_rng(seed)
    kept = rng.random(24) > 0.4
    item, wording, rotation, _ = (part[kept] for part in grid(4, 2, 3))
    y = (rng.normal(size=4)[item] + rng.normal(size=len(item)) > 0).astype(float)
    terms = [*FIVE, "wording:rotation"]
    try:
        found = variance_components(y, {"item": item, "wording": wording, "rotation": rotation}, terms)
    except DataError:
        return
    undefined = found.variances.isna()
    assert set(found.variances.index[undefined]) == set(found.reasons)
    assert (found.variances[~undefined] >= 0).all()
