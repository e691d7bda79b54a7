"""What designs could have seen, and the paper's two tests recomputed from published numbers."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats

from click_stats.errors import UsageError
from click_stats.stats.anova import Spread, anova, claim_power
from click_stats.stats.anova.cells import cells
from click_stats.stats.anova.claims import EVEN, PAPER, WIDEST, spread_of
from click_stats.stats.anova.published import AT_HAND, README, TEXT, facts, line, published, recomputed

SIZES = (1.3, 3.8, 5.8, 12.8, 13.0)
ITEMS = (280, 131, 219, 84, 309, 222, 59, 41, 285, 133, 232)


def _by(claims):
    return {claim.counted: claim for claim in claims}


def test_only_the_test_that_counts_models_keeps_its_level():
    found = _by(claim_power(SIZES, ITEMS, Spread(0.02, 0.02, 0.25), draws=4000, seed=1))
    assert abs(found["models"].size - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 4000)
    assert found["cells"].size > 0.3
    assert found["items"].size > found["cells"].size
    assert [found[name].df_error for name in ("cells", "items", "models")] == [43, 4 * 1995 - 1, 3]


def test_without_a_spread_of_models_every_test_keeps_its_level():
    found = claim_power(SIZES, ITEMS, Spread(0.0, 0.0, 0.25), draws=4000, seed=2)
    for claim in found[1:]:  # items and models; cells have unequal variances
        assert abs(claim.size - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 4000)


def test_power_is_that_of_the_noncentral_t():
    spread = Spread(0.01, 0.02, 0.25)
    claim = _by(claim_power(SIZES, ITEMS, spread, effects=(0.03, 0.08), draws=20_000, seed=3))["models"]
    x = np.log10(SIZES) - np.log10(SIZES).mean()
    variance = spread.model**2 + np.mean(spread.cell**2 + spread.item**2 / np.array(ITEMS)) / len(ITEMS)
    t = stats.t.ppf(0.975, 3)
    for effect, power in zip((0.03, 0.08), claim.power, strict=True):
        shift = effect * np.sqrt(x @ x / variance)
        expected = stats.nct.sf(t, 3, shift) + stats.nct.cdf(-t, 3, shift)
        assert power == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 20_000))
    at = claim.detectable * np.sqrt(x @ x / variance)
    assert stats.nct.sf(t, 3, at) == pytest.approx(0.8, abs=0.015)


def test_item_by_item_simulation_gives_the_same_sizes():
    """300 data sets of real binomial answers, analysed as they would be; the shortcut draws cells and one chi-squared."""
    rng = np.random.default_rng(4)
    n_items, sizes, trials = (30, 20, 50), (1.3, 3.8, 5.8, 12.8, 13.0), 12
    x = np.log10(sizes)
    category = np.repeat(np.arange(3), n_items)
    rejected = {"cells": 0, "items": 0, "models": 0}
    for _ in range(300):
        p = np.clip(0.5 + rng.normal(0, 0.03, 5)[:, None] + rng.uniform(-0.3, 0.3, 100), 0.01, 0.99)
        y = rng.binomial(trials, p) / trials
        means = np.array([y[:, category == c].mean(axis=1) for c in range(3)]).T
        fits = {
            "models": (means.mean(axis=1), 1, 3),
            "cells": ((means - means.mean(axis=0)).T.ravel(), 3, 15 - 3 - 1),
            "items": ((y - y.mean(axis=0)).T.ravel(), 100, 500 - 100 - 1),
        }
        for name, (values, copies, df) in fits.items():
            z = np.tile(x - x.mean(), copies)
            slope = z @ values / (z @ z)
            rest = ((values - values.mean() - slope * z) ** 2).sum()
            rejected[name] += slope**2 * (z @ z) / (rest / df) > stats.f.ppf(0.95, 1, df)
    item = float(np.sqrt(np.mean(0.25 - 0.03) / trials))
    found = _by(claim_power(sizes, n_items, Spread(0.03, 0.0, item), draws=20_000, seed=5))
    for name, hits in rejected.items():
        expected = found[name].size
        assert hits / 300 == pytest.approx(expected, abs=3.5 * np.sqrt(expected * (1 - expected) / 300))


def test_more_models_see_more_and_more_items_hardly_do():
    spread = Spread(0.02, 0.02, 0.25)
    few, many = (
        _by(claim_power(np.geomspace(1.3, 13, n), ITEMS, spread, draws=2000))["models"].detectable for n in (5, 20)
    )
    assert many < 0.5 * few
    ten = _by(claim_power(SIZES, [10 * n for n in ITEMS], spread, draws=2000))["models"].detectable
    assert ten > 0.85 * _by(claim_power(SIZES, ITEMS, spread, draws=2000))["models"].detectable


def test_two_models_have_no_test_and_impossible_designs_are_refused():
    found = _by(claim_power((1, 10), ITEMS, Spread(0.01, 0.01, 0.2), draws=100))
    assert np.isnan(found["models"].detectable)
    for sizes, items, spread in (
        ((7, 7), ITEMS, Spread(0.01, 0, 0)),
        (SIZES, (), Spread(0, 0, 0)),
        (SIZES, (0,), Spread(0, 0, 0)),
        (SIZES, ITEMS, Spread(-1, 0, 0)),
    ):
        with pytest.raises(UsageError):
            claim_power(sizes, items, spread, draws=100)


def test_the_five_sizes_are_the_widest_that_the_paper_has():
    known = [one["parameters"] for key, one in facts()["models"].items() if key != "llama-ko"]
    best = max(combinations(known, 5), key=lambda five: np.var(np.log10(five)))
    assert sorted(best) == list(WIDEST)


def _simulated(counts_of, n_items=60, seed=0):
    rng = np.random.default_rng(seed)
    p = 0.5 + rng.normal(0, 0.05, (6, 4))[:, :, None] + rng.uniform(-0.2, 0.2, (1, 4, n_items))
    p = np.clip(p.reshape(6, -1), 0.02, 0.98)
    counts = counts_of(rng.binomial(12, p), 12, category=[f"C{j}" for j in range(4) for _ in range(n_items)])
    return counts.with_units(counts.units.assign(parameters=[1, 2, 4, 8, 16, 32]))


def test_the_spread_is_recovered_from_counts(counts_of):
    found = [
        spread_of(counts, list(counts.units.index)) for counts in (_simulated(counts_of, seed=k) for k in range(30))
    ]
    assert np.mean([one.cell**2 for one in found]) == pytest.approx(0.05**2, rel=0.2)
    assert np.mean([one.item for one in found]) == pytest.approx(np.sqrt((0.25 - 0.05**2 - 0.16 / 12) / 12), rel=0.03)


def test_one_model_leaves_stated_deviations(counts_of):
    counts = _simulated(counts_of)
    one = counts.select(["m0"])
    found = anova(one, draws=200)
    claim = found.to_frame("claim")
    assert (claim["model_sd_at"] == "stated").all()
    assert set(claim["claim_design"]) == {PAPER, EVEN}
    assert claim["detectable"].notna().all()


# ---- the paper's tests


def test_degrees_of_freedom_need_five_and_six_models_or_four_and_five():
    frame = published(11)
    found = frame[frame["reading"] != "as the text names them"]
    assert found["n_units"].tolist() == [5, 4, 6, 5]
    assert found["n_cells"].tolist() == [55, 44, 66, 55]
    for row in found.itertuples():
        k = 11
        assert row.df_published == (row.n_units * k - k - 1 if "blocks" in row.reading else row.n_units * k - 1)
    assert frame["f_published"].tolist()[0] == 0.33
    assert (frame["n_cells_published"].dropna() < frame.loc[frame["n_cells_published"].notna(), "n_cells"]).all()
    assert published(10).empty


def test_published_averages_are_recomputed_as_a_regression(counts_of):
    frame = recomputed(cells(_simulated(counts_of)), 11)
    known = facts()["models"]
    row = frame[(frame["model_set"] == "Polyglot-Ko, four sizes") & (frame["measured_on"] == "culture")].iloc[0]
    keys = [f"polyglot-ko-{size}b" for size in ("1.3", "3.8", "5.8", "12.8")]
    x = sm.add_constant(np.log10([known[key]["parameters"] for key in keys]))
    fit = sm.OLS([known[key]["culture"] for key in keys], x).fit()
    np.testing.assert_allclose([row["f_statistic"], row["p_value"]], [fit.fvalue, fit.f_pvalue], rtol=1e-9)
    assert row["estimate"] == pytest.approx(fit.params[1])


def test_every_source_is_used_where_sources_differ(counts_of):
    frame = recomputed(cells(_simulated(counts_of)), 11)
    own = frame[(frame["design"] == "corpus") & (frame["measured_on"] == "language") & frame["n_sets"].isna()]
    assert set(own["numbers_from"]) == {README, TEXT}
    readme, text = (own[own["numbers_from"] == source]["f_statistic"].iloc[0] for source in (README, TEXT))
    assert readme != pytest.approx(text)
    assert facts()["models"]["kullm-12.8b"]["language"] == pytest.approx(0.2378)
    assert facts()["models"]["kullm-12.8b"]["language_text"] == pytest.approx(0.2242)


def test_any_five_models_give_almost_any_f(counts_of):
    frame = recomputed(cells(_simulated(counts_of)), 11)
    row = frame[(frame["n_units"] == 5) & (frame["design"] == "scale") & (frame["measured_on"] == "culture")].iloc[0]
    assert row["n_sets"] == 252
    assert row["f_low"] < 0.01
    assert row["f_high"] > 20
    assert pd.isna(row["verdict"])


def test_both_tests_of_the_papers_models_on_data_at_hand(counts_of):
    rng = np.random.default_rng(6)
    names = list(facts()["models"])
    counts = counts_of(
        rng.binomial(12, 0.4, (len(names), 55)), 12, category=[f"C{j:02}" for j in range(11) for _ in range(5)],
        names=[f"simulated-{name}" for name in names],
    )  # fmt: skip
    frame = recomputed(cells(counts), 11)
    own = frame[(frame["numbers_from"] == AT_HAND) & (frame["design"] == "corpus")].head(2)
    assert own["test_unit"].tolist() == ["cells", "models"]
    assert own["df_residual"].tolist() == [54, 4]
    assert own["verdict"].tolist()[0] == "not decided"
    assert recomputed(cells(counts.select(list(counts.units.index)[:3])), 11)["numbers_from"].ne(AT_HAND).all()


def test_a_line_without_residuals_has_no_f():
    assert np.isnan(line(np.array([1.0, 2.0]), np.array([1.0, 3.0])).f)
    assert np.isnan(line(np.ones(3), np.arange(3.0)).estimate)
