"""The analysis irt: what is estimated, what is refused and why."""

import numpy as np
import pytest
from scipy.special import expit

from click_stats.counts import Counts
from click_stats.errors import UsageError
from click_stats.stats.irt import irt


def simulated(rng, units, items, trials=1, *, floor=0.25, slopes=None):
    """Return right answers (U, I) and the true difficulties, relative to the mean ability."""
    ability = rng.normal(0.0, 1.0, units)
    ability -= ability.mean()
    difficulty = rng.normal(-0.5, 1.2, items)
    a = 1.0 if slopes is None else slopes
    p = floor + (1.0 - floor) * expit(a * (ability[:, None] - difficulty))
    return rng.binomial(trials, p), difficulty, ability


@pytest.fixture(scope="module")
def twenty():
    return simulated(np.random.default_rng(5), 20, 300)


def test_difficulties_and_abilities_are_recovered(counts_of, twenty):
    correct, difficulty, ability = twenty
    result = irt(counts_of(correct), passages=False)
    rows = result.to_frame()
    assert np.corrcoef(rows["difficulty"], difficulty)[0, 1] > 0.75
    inside = (rows["difficulty_low"] <= difficulty) & (difficulty <= rows["difficulty_high"])
    assert 0.90 < inside.mean() < 0.99
    abilities = result.to_frame("abilities")
    assert np.abs(abilities["ability"] - ability).max() < 4 * abilities["std_error"].max()
    assert (abilities["ability"].rank().to_numpy() == np.argsort(np.argsort(ability)) + 1).mean() > 0.3


def test_items_all_right_or_all_wrong_are_shown_but_not_ranked(counts_of, twenty):
    correct = twenty[0].copy()
    correct[:, 0], correct[:, 1] = 1, 0
    rows = irt(counts_of(correct)).to_frame()
    assert rows["estimable"].tolist()[:2] == [False, False]
    assert rows.loc[[0, 1], ["rank", "rank_low", "rank_high"]].isna().all(axis=None)
    assert rows.loc[0, "reason"].startswith("not estimable from data: every answer is right")
    assert rows.loc[1, "reason"].startswith("not estimable from data: every answer is wrong")
    assert rows.loc[0, "difficulty_low"] < rows.loc[0, "difficulty"] < 0 < rows.loc[1, "difficulty"]
    ranked = rows[rows["estimable"]]
    assert sorted(ranked["rank"]) == list(range(1, len(ranked) + 1))
    assert (ranked["rank_low"] <= ranked["rank_high"]).all()
    assert np.isfinite(rows[["difficulty", "difficulty_se", "difficulty_low", "difficulty_high"]]).all(axis=None)


def test_few_models_step_aside_with_the_reason(counts_of, twenty):
    result = irt(counts_of(twenty[0][:5]))
    assert result.to_frame().empty
    assert "at least 6 models, and 5 have answers" in result.meta["reason"]
    assert result.meta["reason"] in result.meta["warnings"]


def test_a_3pl_and_a_2pl_of_few_models_are_refused(counts_of, twenty):
    counts = counts_of(twenty[0][:19])
    with pytest.raises(UsageError, match="3PL"):
        irt(counts, model="3pl")
    assert "from 19 models: it needs at least 20" in irt(counts, model="2pl").meta["reason"]
    with pytest.raises(UsageError, match="no floor 'some'"):
        irt(counts, floor="some")


def test_separate_blocks_are_named(counts_of):
    rng = np.random.default_rng(2)
    trials = np.zeros((8, 20), dtype=int)
    trials[:4, :12], trials[4:, 12:] = 1, 1
    result = irt(counts_of(rng.binomial(trials, 0.6), trials))
    assert "2 separate sets" in result.meta["reason"]
    assert "m0, m1, m2, m3 (12 items); m4, m5, m6, m7 (8 items)" in result.meta["reason"]


@pytest.mark.parametrize("value", [0, 1])
def test_constant_answers_step_aside(counts_of, value):
    result = irt(counts_of(np.full((7, 10), value)))
    assert result.meta["reason"].startswith(f"Every answer is {'right' if value else 'wrong'}")


def test_models_that_answer_alike_step_aside(counts_of):
    alike = np.tile(np.arange(30) % 3 > 0, (7, 1)).astype(int)
    assert irt(counts_of(alike)).meta["reason"].startswith("Every item was answered right by all models or wrong")


def test_one_item_has_no_checks_of_how_items_go_together(counts_of):
    result = irt(counts_of([[1], [0], [1], [0], [1], [1], [0]]))
    assert result.meta["reason"] == ""
    fit = result.to_frame("fit").set_index("check")
    row = fit[fit.index.str.contains("item-rest correlations")].iloc[0]
    assert np.isnan(row["predicted"])
    assert row["reason"] == "too few items on which models differ"


def test_models_that_hardly_differ_have_a_bounded_spread_and_a_warning(counts_of):
    nearly = np.tile(np.arange(60) % 3 > 0, (8, 1)).astype(int)
    nearly[0, 0] = 1 - nearly[0, 0]
    result = irt(counts_of(nearly))  # without a bound the spread, and the grid with it, would grow for ever
    assert result.meta["diagnostics"]["standard_deviations"]["difficulty within categories"] == pytest.approx(8)
    assert any("hardly differ" in warning for warning in result.meta["warnings"])


def test_without_a_floor_the_difficulty_ranking_of_the_1pl_is_the_raw_one(counts_of):
    correct, _, _ = simulated(np.random.default_rng(8), 15, 80, 3, floor=0.0)
    result = irt(counts_of(correct, 3), floor="none", model="1pl")
    rows = result.to_frame()
    assert result.to_frame("comparison")["correlation"].iloc[0] == pytest.approx(1.0, abs=1e-12)
    by_score = rows.groupby("proportion")["difficulty"].agg(["min", "max"])
    assert (by_score["max"] - by_score["min"] < 1e-6).all()
    assert (np.diff(by_score["min"]) < 0).all()


def test_people_take_no_part(counts_of, twenty):
    counts = counts_of(twenty[0])
    kinds = ["human", *["model"] * 19]
    result = irt(Counts(**{**vars(counts), "units": counts.units.assign(kind=kinds)}))
    assert result.summary["n_units"] == 19
    rows = result.to_frame("abilities").set_index("unit")
    assert rows.loc["m0", "reason"] == "not a model"
    assert np.isnan(rows.loc["m0", "ability"])


def test_a_fit_that_does_not_settle_gives_no_number(counts_of, twenty, monkeypatch):
    monkeypatch.setattr("click_stats.stats.irt.marginal.MOST_STEPS", 13)
    result = irt(counts_of(twenty[0][:, :60]), passages=False)
    assert "did not settle in 13 steps" in result.meta["reason"]
    assert all(not len(frame) for frame in result.tables.values())


def test_models_that_know_or_guess_give_no_number(counts_of):
    # Abilities and difficulties can grow together without end: no finite scale describes these answers best.
    rng = np.random.default_rng(3)
    ability, difficulty = 6.0 * rng.normal(size=7), 6.0 * rng.normal(size=60)
    p = 0.25 + 0.75 * (ability[:, None] > difficulty)
    result = irt(counts_of(rng.binomial(1, p)), passages=False)
    assert "did not settle" in result.meta["reason"]
    assert not len(result.to_frame())
