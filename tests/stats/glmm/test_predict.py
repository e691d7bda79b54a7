"""Accuracies of groups of cells, and their covariance."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from click_stats.errors import UsageError
from click_stats.stats.glmm import GlmmData, GlmmSpec, fit, predict
from click_stats.stats.glmm.data import groupings
from click_stats.stats.glmm.design import build


def dense_covariance(found, data, spec, weights):
    """Delta method with the inverse of the whole curvature of fixed and random effects."""
    parts = [build(data, spec).matrix]
    for name, group in groupings(data, spec).items():
        indicator = np.zeros((len(data), len(group.levels)))
        indicator[np.arange(len(data)), group.codes] = found.sd[found.random.index(name)]
        parts.append(indicator)
    whole = np.hstack(parts)
    spread = found.fitted * (1 - found.fitted)
    prior = np.r_[np.zeros(len(found.beta)), np.ones(whole.shape[1] - len(found.beta))]
    inverse = np.linalg.inv(np.diag(prior) + whole.T @ ((data.trials * spread)[:, None] * whole))
    slopes = (weights * spread[:, None]).T @ whole
    return slopes @ inverse @ slopes.T


def test_estimates_and_covariance(cells):
    data = GlmmData.from_frame(cells(5, 40, 6, seed=4).sample(frac=0.9, random_state=2))
    spec = GlmmSpec("category + log10_params", ("item", "model", "model:category", "cell"))
    found = fit(data, spec)
    got = predict(found, data, spec, ("model", "category"))
    key = data.columns["model"] + ":" + data.columns["category"]
    assert got.labels == tuple(sorted(set(key)))
    np.testing.assert_allclose(got.estimate, pd.Series(found.fitted).groupby(key.to_numpy()).mean(), atol=1e-8)
    weights = np.stack([(key == label).to_numpy() / (key == label).sum() for label in got.labels], axis=1)
    np.testing.assert_allclose(got.covariance, dense_covariance(found, data, spec, weights), atol=1e-10)
    np.testing.assert_allclose(got.std_error, np.sqrt(np.diag(got.covariance)))
    assert got.n_cells.sum() == len(data)
    assert got.n_unseen.sum() == 0


def test_without_random_effects_it_is_the_delta_method(cells):
    data, spec = GlmmData.from_frame(cells()), GlmmSpec("category", ())
    found = fit(data, spec)
    got = predict(found, data, spec, ("category",))
    share = pd.Series(data.correct).groupby(data.columns["category"]).sum() / 6
    n = data.columns["category"].value_counts().sort_index()
    np.testing.assert_allclose(got.estimate, share / n, atol=1e-9)
    np.testing.assert_allclose(got.std_error, np.sqrt(share / n * (1 - share / n) / (6 * n)), rtol=1e-6)


def test_accuracies_are_drawn_together(cells):
    data = GlmmData.from_frame(cells(10, 60, 2, seed=6, sd_model=0.1))
    spec = GlmmSpec("category", ("item", "model", "model:category"))
    got = predict(fit(data, spec), data, spec, ("model",))
    raw = pd.Series(data.correct / data.trials).groupby(data.columns["model"]).mean()
    assert np.all(got.estimate.std() < raw.to_numpy().std())
    np.testing.assert_allclose(got.estimate.mean(), raw.mean(), atol=0.01)


def test_items_not_answered_count_when_given(cells):
    table = cells(4, 60, 12, seed=7)
    hard = table.groupby("item")["correct"].mean().nsmallest(20).index
    skipped = (table["model"] == "m003") & table["item"].isin(hard)
    data, spec = GlmmData.from_frame(table[~skipped]), GlmmSpec("category", ("item", "model"))
    found = fit(data, spec)
    seen = predict(found, data, spec, ("model",))
    unseen = table[skipped].drop(columns=["correct", "trials"])
    whole = predict(found, data, spec, ("model",), unseen=unseen)
    np.testing.assert_array_equal(whole.n_unseen, [0, 0, 0, 20])
    np.testing.assert_allclose(whole.estimate[:3], seen.estimate[:3], atol=1e-6)
    # The easy items alone flatter the model.
    assert whole.estimate[3] < seen.estimate[3] - 0.05
    truth = table.loc[table["model"] == "m003", "correct"].mean() / 12
    assert abs(whole.estimate[3] - truth) < 3 * whole.std_error[3] + 0.03
    assert whole.std_error[3] > seen.std_error[3]


def test_separated_cells_are_certain(cells):
    table = cells()
    table.loc[table["category"] == "Q", "correct"] = 6
    data, spec = GlmmData.from_frame(table), GlmmSpec("category")
    got = predict(fit(data, spec), data, spec, ("category",))
    assert got.estimate[1] == 1
    assert got.std_error[1] == 0
    assert np.all((got.estimate[[0, 2]] > 0.1) & (got.estimate[[0, 2]] < 0.9))
    table.loc[table["category"] == "Q", "correct"] = 0
    data = GlmmData.from_frame(table)
    assert predict(fit(data, spec), data, spec, ("category",)).estimate[1] == 0
    other = GlmmSpec("category", base={"category": "Q"})
    with pytest.raises(UsageError, match="base level"):
        predict(fit(data, other), data, other, ("category",))


def test_cells_that_do_not_fit_are_refused(cells):
    table = cells()
    data, spec = GlmmData.from_frame(table), GlmmSpec("category")
    found = fit(data, spec)
    new = table.drop(columns=["correct", "trials"]).assign(category="Z")
    with pytest.raises(UsageError, match="fixed effects of the fit"):
        predict(found, data, spec, ("model",), unseen=new)
    with pytest.raises(UsageError, match="lack columns") as caught:
        predict(found, data, spec, ("model",), unseen=new.drop(columns="corpus"))
    assert caught.value.found == "corpus"
    with pytest.raises(UsageError, match="no column 'nope'"):
        predict(found, data, spec, ("nope",))


def test_the_modes_are_those_of_the_fit(cells):
    data, spec = GlmmData.from_frame(cells(6, 50, 8)), GlmmSpec("category + log10_params")
    found = fit(data, spec, restricted=True)
    got = predict(found, data, spec, ("item",))
    columns = data.columns
    eta = build(data, spec).matrix @ found.beta
    eta = eta + found.modes["item"][columns["item"]].to_numpy() + found.modes["model"][columns["model"]].to_numpy()
    np.testing.assert_allclose(got.estimate, pd.Series(expit(eta)).groupby(columns["item"]).mean(), atol=1e-7)
