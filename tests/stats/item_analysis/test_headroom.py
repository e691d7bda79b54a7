"""Room at the top: items that separate, the plug-in scale, the ceiling that wrong keys allow."""

import numpy as np
import pytest
from scipy import special

from click_stats.stats.item_analysis import headroom
from click_stats.stats.tools.intervals import wilson


def test_separating_by_hand():
    scores = np.array([[1, 1, 0, 1, np.nan], [1, 0, 0, 1, 1], [0, 0, 0, 1, 1.0]])
    found = headroom.separating(scores, np.array([0.9, 0.5, 0.1]), ["a", "b", "c"], (2, 3, 4)).set_index("n_units")
    two = found.loc[2]
    assert two["members"] == "a, b"
    assert (two["n_items"], two["n_items_total"]) == (4, 5)
    assert [two["share_separating"], two["share_all_right"], two["share_all_wrong"]] == [0.25, 0.5, 0.25]
    assert found.loc[3, "share_separating"] == 0.5
    assert found.loc[4, "reason"] == headroom.TOO_FEW_UNITS
    apart = headroom.separating(np.array([[1, np.nan], [np.nan, 1]]), np.array([1, 1.0]), ["a", "b"], (2,))
    assert apart["reason"].tolist() == [headroom.NO_SHARED]
    assert np.isnan(apart["share_separating"].iloc[0])


def test_scale_recovers_order_and_spread():
    rng = np.random.default_rng(13)
    ability, difficulty = np.linspace(-1, 2, 20), rng.normal(size=600)
    n_options = np.full(600, 4)
    p = 0.25 + 0.75 * special.expit(ability[:, None] - difficulty)
    scores = (rng.random(p.shape) < p).astype(float)
    found = headroom.scale(scores, n_options)
    assert np.corrcoef(found.ability, ability)[0, 1] > 0.98
    assert np.corrcoef(found.difficulty, difficulty)[0, 1] > 0.75
    assert found.difficulty.mean() == pytest.approx(0, abs=1e-9)


def test_scale_converges_where_strong_models_miss_what_weak_ones_know():
    """Near the floor a full step of scoring overshoots; at the mode the abilities' gradient vanishes."""
    rng = np.random.default_rng(15)
    scores = (rng.random((20, 400)) < np.linspace(0.4, 0.9, 20)[:, None]).astype(float)
    scores[:, :40] = (np.arange(20) < 6)[:, None]
    scores[3, 50:70] = np.nan
    n_options = np.full(400, 5)
    found = headroom.scale(scores, n_options)
    assert found is not None

    def log_posterior(shift):
        p = 0.2 + 0.8 * special.expit(found.ability[:, None] + shift - found.difficulty)
        fit = np.nansum(scores * np.log(p) + (1 - scores) * np.log1p(-p), axis=1)
        return fit - (found.ability + shift) ** 2 / (2 * headroom.PRIOR)

    slope = (log_posterior(1e-4) - log_posterior(-1e-4)) / 2e-4
    assert np.abs(slope).max() < 0.2  # scores of some 400 answers: an ability off by 0.01 has a slope of 0.5 or more


def test_information_by_hand():
    found = headroom.Scale(np.array([0.0, 3.0]), np.array([0.0, 0.0]))
    table = headroom.information(np.array([[1, 0], [1, 1.0]]), ["a", "b"], np.array([4, 4]), found)
    p, slope = 0.25 + 0.75 * 0.5, 0.75 * 0.25
    assert table["plain_information"].iloc[0] == pytest.approx(2 * slope**2 / (p * (1 - p)))
    assert table["plain_ability_se"].iloc[0] == pytest.approx(table["plain_information"].iloc[0] ** -0.5)
    assert table["plain_information"].iloc[1] < table["plain_information"].iloc[0]
    nothing = headroom.information(np.array([[1.0, 0.0]]), ["a"], np.array([4, 4]), None)
    assert nothing["reason"].tolist() == [headroom.FEW]
    assert nothing["plain_ability"].isna().all()


def test_ceiling_is_a_bound_without_a_review():
    bounds = headroom.ceiling(200, 10, None, None, 0.95)
    assert bounds["ceiling"].tolist() == [1.0, 0.95]
    assert set(bounds["note"]) == {headroom.BOUND}
    assert bounds[["conf_low", "conf_high"]].isna().all(axis=None)
    reviewed = headroom.ceiling(200, 10, 0.4, 40, 0.95).iloc[2]
    interval = wilson(0.4, 40, 0.95)
    assert reviewed["n_wrong_keys"] == 4
    assert reviewed["ceiling"] == pytest.approx(0.98)
    assert [reviewed["conf_low"], reviewed["conf_high"]] == pytest.approx(
        [1 - interval.high * 0.05, 1 - interval.low * 0.05]
    )
